"""A class that nobody expected: the rows to judge hold some of a class that the known ones do not."""

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.svm import LinearSVC, OneClassSVM

from lopsided.boosting._wanted import count_labels
from lopsided.compare._data import FEWEST, ComparedRows, DataSource, check_size, find_wanted, load
from lopsided.compare._method import RECORDS, ComparedMethod, SplitScores, time_and_judge
from lopsided.runs import Work
from lopsided.unexpected import LGN, UnexpectedDetector

WORK = Work(__name__, RECORDS)
ABOUT = (
    "In each run another class is the unexpected one, the rarest first, or always the one named: none "
    "of its rows is known. Of every other class three rows in ten are to be judged, and with them so many of "
    "the unexpected that these are at most a tenth. Outlier detectors are told that tenth; ours are not."
)
_SHARE = 0.1


class UnexpectedTask(NamedTuple):
    """Known rows, rows to be judged, and the seed of what a method draws."""

    rows: ComparedRows
    known: NDArray[np.intp]
    classes: NDArray[np.int64]
    """The classes of the known rows."""
    new: NDArray[np.intp]
    seed: int


def run(source: DataSource, positive: str | None, method: str, seed: int, place: int) -> SplitScores:
    """Learn the expected classes and return the scores of a method on the others."""
    rows = load(source)
    strangers = find_strangers(rows.labels, positive)
    hidden = find_wanted(rows.labels, strangers[place % len(strangers)]).positive
    task, truth = draw(rows, hidden, seed)
    return evaluate(task, truth, method, seed)


def draw(
    rows: ComparedRows, is_hidden: NDArray[np.bool_], seed: int
) -> tuple[UnexpectedTask, NDArray[np.bool_]]:
    """Return the rows to learn from and to judge, and which of the latter are of hidden classes."""
    names = np.unique(rows.labels)
    rng = np.random.default_rng(seed)
    known, new = [], []
    for name in np.unique(rows.labels[~is_hidden]):
        these = rng.permutation(np.flatnonzero((rows.labels == name) & ~is_hidden))
        n_new = round(0.3 * len(these))  # none of a class of one row: it could not be expected
        new.append(these[:n_new])
        known.append(these[n_new:])
    expected, learned = np.concatenate(new), np.sort(np.concatenate(known))
    unexpected = rng.permutation(np.flatnonzero(is_hidden))
    unexpected = unexpected[: max(1, round(_SHARE / (1 - _SHARE) * len(expected)))]
    judged = np.sort(np.concatenate([expected, unexpected]))
    codes = np.searchsorted(names, rows.labels[learned]).astype(np.int64)
    task = UnexpectedTask(rows, learned, codes, judged, seed % 2**32)
    return task, is_hidden[judged]


def evaluate(task: UnexpectedTask, truth: NDArray[np.bool_], method: str, seed: int) -> SplitScores:
    """Learn the known classes and return the scores of a method on the others."""
    METHODS[method].load()
    return time_and_judge(METHODS[method], method, task, truth, seed, len(task.known))


def find_strangers(labels: NDArray[np.str_], positive: str | None) -> list[str]:
    """Return the classes that are left out in turn: the one named, or all with enough rows, the rarest first.

    Examples
    --------
    >>> find_strangers(np.array(["a"] * 9 + ["b"] * 5 + ["c"]), None)
    ['b', 'a']

    A row with a list of labels is one of each.

    >>> find_strangers(np.array(["a"] * 9 + ["b"] * 3 + ["a;b"] * 4), None)
    ['b', 'a']
    """
    if positive is not None:
        wanted = find_wanted(labels, positive)
        check_size(wanted)
        return [wanted.name]
    counts = count_labels(labels.tolist())
    if len(counts) < 2:
        raise ValueError(
            f"Two classes are needed, and all {len(labels)} rows have the same label. Is the label right?"
        )
    found = [name for name in counts if counts[name] >= FEWEST]
    if not found:
        raise ValueError(
            f"no class has {FEWEST} rows; one at least must, to be left out. Is the label right?"
        )
    return sorted(found, key=lambda name: (counts[name], name))


def _both(form: Any, task: UnexpectedTask) -> Any:
    known, new = form[task.known], form[task.new]
    return vstack([known, new], format="csr") if hasattr(form, "toarray") else np.vstack([known, new])


def _detector(task: UnexpectedTask) -> Any:
    y = np.concatenate([task.classes, np.full(len(task.new), -1)])
    form = task.rows.counts if task.rows.is_text else task.rows.X
    return -UnexpectedDetector(random_state=0).fit(_both(form, task), y).decision_function(form[task.new])


def _lgn(task: UnexpectedTask) -> Any:
    y = np.concatenate([np.ones(len(task.known), dtype=int), np.full(len(task.new), -1)])
    counts = task.rows.counts
    return -LGN(random_state=task.seed).fit(_both(counts, task), y).decision_function(counts[task.new])


def _largest_softmax(task: UnexpectedTask) -> Any:
    model = _tell_apart(LogisticRegression(max_iter=1000), task)
    return _beyond_the_known(model.predict_proba, task)


def _largest_margin(task: UnexpectedTask) -> Any:
    model = _tell_apart(LinearSVC(random_state=task.seed), task)
    return _beyond_the_known(model.decision_function, task)


def _tell_apart(model: Any, task: UnexpectedTask) -> Any:
    if len(np.unique(task.classes)) < 2:
        raise ValueError("it needs two known classes.")
    return model.fit(task.rows.X[task.known], task.classes)


def _beyond_the_known(values: Any, task: UnexpectedTask) -> Any:
    """Return how far the largest value of a row is below that of all but a tenth of the known rows."""
    known, new = (_largest(values(task.rows.X[rows])) for rows in (task.known, task.new))
    return np.quantile(known, _SHARE) - new


def _largest(values: Any) -> NDArray[np.float64]:
    return np.abs(values) if values.ndim == 1 else values.max(axis=1)


def _nearest(task: UnexpectedTask) -> Any:
    """Return how much farther the tenth nearest known row is than for all but a tenth of the known rows."""
    model = NearestNeighbors(n_neighbors=10).fit(task.rows.X[task.known])
    known, new = model.kneighbors()[0][:, -1], model.kneighbors(task.rows.X[task.new])[0][:, -1]
    return new - np.quantile(known, 1 - _SHARE)


def _one_class(task: UnexpectedTask) -> Any:
    kernel = "linear" if task.rows.is_text else "rbf"
    model = OneClassSVM(kernel=kernel, nu=_SHARE).fit(task.rows.X[task.known])
    return -model.decision_function(task.rows.X[task.new])


def _dense(model: Any, task: UnexpectedTask) -> Any:
    return -model.fit(task.rows.dense[task.known]).decision_function(task.rows.dense[task.new])


def _forest(task: UnexpectedTask) -> Any:
    return _dense(IsolationForest(contamination=_SHARE, random_state=task.seed), task)


def _neighbours(task: UnexpectedTask) -> Any:
    return _dense(LocalOutlierFactor(novelty=True, contamination=_SHARE), task)


def _pyod(module: str, name: str, task: UnexpectedTask) -> Any:
    model = getattr(import_module(f"pyod.models.{module}"), name)(contamination=_SHARE)
    model.fit(task.rows.dense[task.known])
    return np.asarray(model.decision_function(task.rows.dense[task.new])) - float(model.threshold_)


METHODS: dict[str, ComparedMethod] = {
    "UnexpectedDetector": ComparedMethod(_detector),
    "LGN": ComparedMethod(_lgn, words_only=True),
    "LogisticRegression, largest softmax": ComparedMethod(_largest_softmax, ours=False),
    "LinearSVC, largest margin": ComparedMethod(_largest_margin, ours=False),
    "10 nearest neighbours": ComparedMethod(_nearest, ours=False),
    "OneClassSVM": ComparedMethod(_one_class, ours=False),
    "IsolationForest": ComparedMethod(_forest, ours=False),
    "LocalOutlierFactor": ComparedMethod(_neighbours, ours=False),
    "PyOD, kNN": ComparedMethod(lambda task: _pyod("knn", "KNN", task), ours=False, needs="pyod.models.knn"),
    "PyOD, COPOD": ComparedMethod(
        lambda task: _pyod("copod", "COPOD", task), ours=False, needs="pyod.models.copod"
    ),
    "PyOD, ECOD": ComparedMethod(
        lambda task: _pyod("ecod", "ECOD", task), ours=False, needs="pyod.models.ecod"
    ),
}
