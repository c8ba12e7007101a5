from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.online import Learner

LARGEST_C: float

class BufferedSVM(Learner):
    @property
    def n(self) -> int: ...
    @property
    def b(self) -> float: ...
    @property
    def coef(self) -> NDArray[np.float64]: ...
    @property
    def dual_coef(self) -> NDArray[np.float64]: ...
    @property
    def signs(self) -> NDArray[np.int8]: ...
    @property
    def n_unfinished(self) -> int: ...
    @property
    def n_bytes(self) -> int: ...
    def __init__(
        self,
        n_columns: int,
        C_positive: float,
        C_negative: float,
        size: int,
        margin: float,
        passes: int,
        tol: float,
        state: dict[str, Any] | None = None,
    ) -> None: ...
    def rows(self) -> Any: ...
    def state(self) -> dict[str, Any]: ...
