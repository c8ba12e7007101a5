"""What a method of a comparison is, and how it did on one split."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, roc_auc_score

from lopsided.metrics import Counts


@dataclass(frozen=True)
class Method:
    """How a method learns."""

    learn: Callable[..., Any]
    ours: bool = True
    needs: str = ""
    """A package that may be absent."""
    words_only: bool = False
    """Whether it can only count words."""

    @property
    def is_installed(self) -> bool:
        """Whether all it needs is at hand."""
        return not self.needs or find_spec(self.needs) is not None


@dataclass(frozen=True)
class Outcome:
    """How one method did on one split."""

    method: str
    seed: int
    counts: Counts
    """Of the class that is looked for."""
    auc: float
    average_precision: float
    n_labels: int
    """That were read."""
    seconds: float


def judge(
    method: str, seed: int, truth: NDArray[np.bool_], scores: Any, n_labels: int, seconds: float
) -> Outcome:
    """Scores above 0 are answered yes."""
    scores = np.ravel(np.asarray(scores, dtype=np.float64))
    counts = Counts.from_predictions(truth.astype(int), (scores > 0).astype(int))
    auc = float(roc_auc_score(truth, scores)) if 0 < truth.sum() < len(truth) else float("nan")
    return Outcome(
        method, seed, counts, auc, float(average_precision_score(truth, scores)), n_labels, seconds
    )


def split(
    positive: NDArray[np.bool_], seed: int, share: float = 0.3
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to learn from and rows to judge, a share of either class; the same for all methods."""
    rng = np.random.default_rng(seed)
    judged = np.zeros(len(positive), dtype=bool)
    for side in (positive, ~positive):
        rows = rng.permutation(np.flatnonzero(side))
        judged[rows[: max(1, round(share * len(rows)))]] = True
    return np.flatnonzero(~judged), np.flatnonzero(judged)


def fitting(methods: Mapping[str, Method], is_text: bool) -> list[str]:
    """Methods that are installed and can take such rows."""
    return [name for name, m in methods.items() if m.is_installed and (is_text or not m.words_only)]


def absent(methods: Mapping[str, Method]) -> Sequence[str]:
    """Methods whose package is not installed."""
    return [name for name, method in methods.items() if not method.is_installed]
