"""A method of a comparison, and its scores on one split."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import packages_distributions, version
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.metrics import average_precision_score, roc_auc_score

from lopsided._lazy import is_installed
from lopsided.compare._data import DataSource
from lopsided.metrics import Counts

_MOST_CELLS = 2 * 10**8  # of dense rows: 1.6 GB


@dataclass(frozen=True)
class ComparedMethod:
    """A method that is compared: how it learns, and what it needs."""

    learn: Callable[..., Any]
    ours: bool = True
    needs: str = ""
    """A module of a package that may not be installed."""
    words_only: bool = False
    """Whether it can only count words."""

    @property
    def is_installed(self) -> bool:
        """Whether the package that it needs is installed."""
        return not self.needs or is_installed(self.needs)

    def load(self) -> None:
        """Import what it needs before its time is measured: some imports take seconds."""
        if self.needs:
            import_module(self.needs)


@dataclass(frozen=True)
class SplitScores:
    """The scores of one method on one split."""

    method: str
    seed: int
    counts: Counts
    """Counts of the class that is looked for."""
    auc: float
    average_precision: float
    n_labels: int
    """Number of labels that were read."""
    seconds: float


RECORDS = {"Counts": Counts, "Outcome": SplitScores, "Source": DataSource}
"""What the units of all regimes take and return."""


def judge(
    method: str, seed: int, truth: NDArray[np.bool_], scores: Any, n_labels: int, seconds: float
) -> SplitScores:
    """Return the scores of a method that predicts the class where its score is above 0."""
    scores = np.ravel(np.asarray(scores, dtype=np.float64))
    counts = Counts.from_predictions(truth.astype(int), (scores > 0).astype(int))
    auc = float(roc_auc_score(truth, scores)) if 0 < truth.sum() < len(truth) else float("nan")
    return SplitScores(
        method, seed, counts, auc, float(average_precision_score(truth, scores)), n_labels, seconds
    )


def time_and_judge(
    method: ComparedMethod, name: str, task: Any, truth: NDArray[np.bool_], seed: int, n_labels: int
) -> SplitScores:
    """Let a method do a task, and return its scores on the rows to judge, whose classes are ``truth``."""
    start = perf_counter()
    scores = method.learn(task)
    return judge(name, seed, truth, scores, n_labels, perf_counter() - start)


def as_dense(X: Any) -> NDArray[np.float64]:
    """Return dense rows for a peer that takes no sparse ones."""
    if not issparse(X):
        return np.asarray(X)
    if X.shape[0] * X.shape[1] > _MOST_CELLS:
        raise ValueError(f"it takes dense rows only, and {X.shape[0]:,} x {X.shape[1]:,} are too many cells.")
    return X.toarray()


def split(
    positive: NDArray[np.bool_], seed: int, share: float = 0.3
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return training rows and test rows, a share of either class; the same for all methods."""
    rng = np.random.default_rng(seed)
    judged = np.zeros(len(positive), dtype=bool)
    for side in (positive, ~positive):
        rows = rng.permutation(np.flatnonzero(side))
        judged[rows[: max(1, round(share * len(rows)))]] = True
    return np.flatnonzero(~judged), np.flatnonzero(judged)


def choose(methods: Mapping[str, ComparedMethod], is_text: bool, named: Sequence[str] | None) -> list[str]:
    """Return the methods that are installed and can take such rows, or the named ones among them."""
    able = [name for name, m in methods.items() if m.is_installed and (is_text or not m.words_only)]
    if named is None:
        return able
    wanted: list[str] = []
    for part in named:
        found = _named(part, methods)
        if not any(name in able for name in found):
            method = methods[found[0]]
            why = "counts words, and these rows have none"
            if not method.is_installed:
                package = method.needs.partition(".")[0]
                why = f"needs {package}, which is not installed. Run: pip install 'lopsided[peers]'"
            raise ValueError(f"{found[0]!r} {why}.")
        wanted += found
    return [name for name in able if name in wanted]


def _named(part: str, methods: Mapping[str, ComparedMethod]) -> list[str]:
    """Return the method of that name, or all whose names contain it; case does not matter."""
    exact = [name for name in methods if name.lower() == part.lower()]
    found = exact or [name for name in methods if part and part.lower() in name.lower()]
    if not found:
        lower = {word.strip(","): name for name in methods for word in name.lower().split()}
        lower |= {name.lower(): name for name in methods}
        close = get_close_matches(part.lower(), lower, n=1)
        hint = f" Did you mean {lower[close[0]]!r}?" if close else ""
        raise ValueError(f"no method {part!r} for this regime.{hint} There are: {'; '.join(methods)}.")
    return found


def absent(methods: Mapping[str, ComparedMethod]) -> Sequence[str]:
    """Return the methods whose package is not installed."""
    return [name for name, method in methods.items() if not method.is_installed]


def versions_of(methods: Iterable[ComparedMethod]) -> dict[str, str]:
    """Return the packages that methods come from, and their versions."""
    known = packages_distributions()
    modules = dict.fromkeys(method.needs.partition(".")[0] for method in methods if method.needs)
    names = ["lopsided", "scikit-learn", *(known[module][0] for module in modules if module in known)]
    return {name: version(name) for name in names}
