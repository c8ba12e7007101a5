import numpy as np
from numpy.typing import NDArray

LEARNERS: dict[str, int]

def presence_weights(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    pairs: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
def threshold_weights(
    codes: NDArray[np.uint16], first: NDArray[np.int32], pairs: NDArray[np.float64], out: NDArray[np.float64]
) -> None: ...
def best_stump(
    weights: NDArray[np.float64], positive: float, negative: float, learner: int, beta: float, eps: float
) -> tuple[int, float, float, float]: ...
def step_of_signs(pp: float, pm: float, mp: float, mm: float, beta: float, eps: float) -> float: ...
