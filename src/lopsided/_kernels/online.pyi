from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.rows import Rows, RowStore

class Learner:
    @property
    def n_columns(self) -> int: ...
    @property
    def n_updates(self) -> int: ...
    def scores(self, rows: Rows) -> NDArray[np.float64]: ...
    def learn(self, rows: Rows, chosen: NDArray[np.int64], signs: NDArray[np.int8]) -> None: ...

class Linear(Learner):
    @property
    def b(self) -> float: ...
    @property
    def coef(self) -> NDArray[np.floating[Any]]: ...

class Perceptron(Linear):
    def __init__(
        self,
        n_columns: int,
        wide: bool,
        margin: float,
        rate: float,
        cost_positive: float,
        cost_negative: float,
        moves_b: bool,
        b: float,
        state: dict[str, Any] | None = None,
    ) -> None: ...
    def state(self) -> dict[str, Any]: ...

class KernelPerceptron(Learner):
    @property
    def store(self) -> RowStore: ...
    @property
    def b(self) -> float: ...
    @property
    def dual_coef(self) -> NDArray[np.float64]: ...
    def __init__(
        self,
        store: RowStore,
        margin: float,
        rate: float,
        cost_positive: float,
        cost_negative: float,
        moves_b: bool,
        b: float,
        state: dict[str, Any] | None = None,
    ) -> None: ...
    def scores(self, rows: Rows) -> NDArray[np.float64]: ...
    def state(self) -> dict[str, Any]: ...

class Winnow(Linear):
    def __init__(
        self, n_columns: int, factor: float, b: float, state: dict[str, Any] | None = None
    ) -> None: ...
    def state(self) -> dict[str, Any]: ...

class Watch:
    hits: float
    rounds: float
    weight: float
    least_probability: float
    n_tested: int
    n_found: int
    n_found_in_alarm: int
    silent: int
    n_open: int
    limit_of_hits: float
    limit_of_rounds: float
    limit_of_silent: float
    limit_of_tested: float
    def __init__(self) -> None: ...
    def judge(self) -> None: ...

class Gate:
    n_done: int
    n_finished: int
    @property
    def started(self) -> bool: ...
    @property
    def seed(self) -> int: ...
    @property
    def n_rounds(self) -> int: ...
    @property
    def n_labels(self) -> int: ...
    @property
    def n_explored(self) -> int: ...
    @property
    def n_found(self) -> int: ...
    @property
    def n_mistakes(self) -> int: ...
    @property
    def n_unreachable(self) -> int: ...
    @property
    def largest_squared_norm(self) -> float: ...
    @property
    def sums(self) -> NDArray[np.float64]: ...
    @property
    def needs_norms(self) -> bool: ...
    @property
    def watch(self) -> Watch: ...
    def __init__(
        self,
        explorer: str,
        parameter: float,
        bias: float,
        waits: bool,
        watch: Watch,
        guards: bool,
        seed: int,
        only_finds: bool = False,
    ) -> None: ...
    def state(self) -> dict[str, Any]: ...
    def restore(self, state: dict[str, Any]) -> None: ...
    def begin(self) -> None: ...
    def judge(
        self, scores: NDArray[np.float64], squared_norms: NDArray[np.float64], explores: bool
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64]]: ...
    def teaches(self, sign: int, explored: bool) -> bool: ...
    def take_in(self, score: float, sign: int, explored: bool, probability: float) -> None: ...
    def correct(self, sign: int, explored: bool, probability: float) -> None: ...

def squared_norms(rows: Rows) -> NDArray[np.float64]: ...
def replay(
    learner: Learner,
    gate: Gate,
    rows: Rows,
    first: int,
    signs: NDArray[np.int8],
    revealed: NDArray[np.uint8] | None,
    show: NDArray[np.uint8],
    explored: NDArray[np.uint8],
    score: NDArray[np.float64],
    probability: NDArray[np.float64],
) -> None: ...
