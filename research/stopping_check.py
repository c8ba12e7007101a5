"""The stopping rule of LASVC on problems that had no part in choosing its constants.

``python research/stopping_check.py [PROBLEM ...]`` prints the tables of
docs/learning-on-the-border.md. Letters, soils, digits and topics have the C and gamma of the paper's problem
of their kind. What the paper does not have is standardised (words: tf-idf of unit length), with the C and
gamma that :func:`choose_parameters` found on the training set.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

from lopsided.experiments import seeds, words
from lopsided.metrics import geometric_mean_score, prbep_score
from lopsided.papers.ertekin_2007.units import RunScores, learn
from lopsided.problems import Split
from lopsided.problems.covtype import read_forest
from lopsided.problems.newsgroups import read_messages
from lopsided.problems.rare import READERS, ProblemSource, RareProblem, load_problem
from lopsided.problems.uci import read_split, read_table
from lopsided.problems.webkb import read_bodies
from lopsided.svm import LASVC

N_RUNS = 3
_SEED = 2007  # of rows and folds: runs differ in what methods draw


# ---- problems


@cache
def _forest() -> Split:
    X, kinds = read_forest()
    train, test = np.split(_shuffled(len(kinds))[:40_000], 2)
    return _standardise(Split(X[train], kinds[train], X[test], kinds[test]))


@cache
def _shuttle() -> Split:
    return _standardise(read_split("shuttle"))


@cache
def _uci(name: str) -> Split:
    X, classes = read_table(name)
    known = ~np.isnan(X).any(axis=1)
    X, classes = X[known], classes[known]
    train, test = _two_thirds(len(X))
    return _standardise(Split(X[train], classes[train], X[test], classes[test]))


@cache
def _webkb() -> Split:
    pages = read_bodies()
    return _weigh_words(pages.texts, pages.classes, *_two_thirds(len(pages.texts)))


@cache
def _newsgroups() -> Split:
    messages = read_messages()
    train, test = map(np.flatnonzero, (messages.is_train, ~messages.is_train))
    return _weigh_words(messages.texts, messages.groups, train, test)


def _standardise(split: Split) -> Split:
    scaler = StandardScaler().fit(split.X_train)
    return split._replace(X_train=scaler.transform(split.X_train), X_test=scaler.transform(split.X_test))


def _weigh_words(
    texts: Sequence[str], classes: NDArray[Any], train: NDArray[Any], test: NDArray[Any]
) -> Split:
    words = TfidfVectorizer(min_df=5)
    X_train = words.fit_transform([texts[i] for i in train])
    X_test = words.transform([texts[i] for i in test])
    return Split(X_train, classes[train], X_test, classes[test])


def _shuffled(n: int) -> NDArray[Any]:
    return np.random.default_rng(_SEED).permutation(n)


def _two_thirds(n: int) -> list[NDArray[Any]]:
    return np.split(_shuffled(n), [round(n * 2 / 3)])


def _one_class(read: Callable[[], Split], name: str) -> Split:
    return read().one_class(name)


GRID_C = (1, 10, 100, 1000)
GRID_GAMMA = {"columns": (0.003, 0.01, 0.03, 0.1, 0.3), "words": (0.1, 0.5, 2)}


def choose_parameters(
    problem: RareProblem, gammas: Sequence[float], n_rows: int = 6000
) -> tuple[float, float]:
    """Return the C and gamma of the best g-means on three folds of (at most so many) training rows."""
    X, y = problem.X_train, problem.y_train
    if len(y) > n_rows:
        X, _, y, _ = train_test_split(X, y, train_size=n_rows, stratify=y, random_state=_SEED)
    search = GridSearchCV(
        LASVC(random_state=_SEED),
        {"C": GRID_C, "gamma": gammas},
        scoring=make_scorer(geometric_mean_score),
        cv=StratifiedKFold(3, shuffle=True, random_state=_SEED),
    ).fit(X, y)
    return search.best_params_["C"], search.best_params_["gamma"]


# Every class that is a minority and has fifty training examples; of the newsgroups every fifth.
_KINDS: dict[str, Callable[[], Split]] = {
    "covtype": _forest,
    "shuttle": _shuttle,
    "spambase": partial(_uci, "spambase"),
    "breast cancer": partial(_uci, "breast_cancer_wisconsin_original"),
    "WebKB": _webkb,
    "newsgroups": _newsgroups,
}
_CHOSEN = [
    ("covtype", "Ponderosa Pine", 100, 0.01),
    ("covtype", "Cottonwood/Willow", 100, 0.03),
    ("covtype", "Aspen", 1000, 0.03),
    ("covtype", "Douglas-fir", 100, 0.1),
    ("covtype", "Krummholz", 100, 0.003),
    ("shuttle", "High", 100, 0.03),
    ("shuttle", "Bypass", 10, 0.003),
    ("shuttle", "Fpv.Open", 100, 0.1),
    ("spambase", "spam", 10, 0.003),
    ("breast cancer", "malignant", 1, 0.01),
    ("WebKB", "course", 100, 0.1),
    ("WebKB", "department", 100, 0.1),
    ("WebKB", "faculty", 100, 0.1),
    ("WebKB", "project", 1000, 0.1),
    ("WebKB", "staff", 100, 0.1),
    ("WebKB", "student", 100, 0.1),
    ("newsgroups", "alt.atheism", 100, 0.1),
    ("newsgroups", "comp.windows.x", 10, 0.1),
    ("newsgroups", "rec.sport.hockey", 100, 0.1),
    ("newsgroups", "soc.religion.christian", 10, 0.1),
]
_LETTERS = "BCDEFGHIJKLMNOPQRSTUVWXYZ"
_TOPICS = """earn acq money-supply dlr sugar oilseed coffee gnp gold veg-oil soybean livestock nat-gas bop cpi
cocoa reserves carcass"""
SOURCES: dict[str, ProblemSource] = {
    **{f"letter-{a}": ProblemSource("letter", partial(READERS["letter"], a), 10, 0.01) for a in _LETTERS},
    **{
        f"satimage-{k}": ProblemSource("satimage", partial(READERS["satimage"], k), 50, 0.001)
        for k in "12357"
    },
    **{f"USPS-{k}": ProblemSource("USPS", partial(READERS["USPS"], k), 1000, 2) for k in range(1, 10)},
    **{
        f"MNIST-{k}": ProblemSource("MNIST", partial(READERS["MNIST"], k), 1000, 0.02) for k in (*range(8), 9)
    },
    # C and gamma of most topics in the paper
    **{name: ProblemSource("Reuters", partial(READERS["Reuters"], name), 1, 0.5) for name in _TOPICS.split()},
    **{
        name: ProblemSource(kind, partial(_one_class, _KINDS[kind], name), C, gamma)
        for kind, name, C, gamma in _CHOSEN
    },
}


def load(name: str) -> RareProblem:
    """Return a problem of ``SOURCES``."""
    return load_problem(name, SOURCES, "here")


# ---- the check


Row = dict[str, float]
"""All labels beside active learning at its stop on one problem; scores and labels are in percent."""


def check_stopping(name: str, run_seeds: Sequence[int]) -> Row:
    """Return the row of a problem."""
    problem = load(name)
    runs = ([learn(problem, method, seed) for seed in run_seeds] for method in ("batch", "active"))
    return summarise(*runs) | score_exactly(problem)


def summarise(batch: Sequence[RunScores], active: Sequence[RunScores]) -> Row:
    """Return means over runs, the worst loss, and how many runs fall short or never stop."""
    losses = [100 * (b.g_mean - a.g_mean) for b, a in zip(batch, active, strict=True)]
    return {
        "imb_ratio": batch[0].class_ratio,
        "gmeans_batch": _percent(run.g_mean for run in batch),
        "gmeans_al": _percent(run.g_mean for run in active),
        "prbep_batch": _percent(run.prbep for run in batch),
        "prbep_al": _percent(run.prbep for run in active),
        "data_efficiency_pct": _percent(run.label_share for run in active),
        "worst_loss": max(losses),
        "n_short": float(sum(loss > words.SIMILAR for loss in losses)),
        "n_exhausted": float(sum(run.stop_reason == "exhausted" for run in active)),
    }


def score_exactly(problem: RareProblem) -> Row:
    """Return the scores of the exact SVM of all labels, which do not depend on their order."""
    machine = LASVC(C=problem.C, gamma=problem.gamma, n_epochs="converge", random_state=0)
    f = machine.fit(problem.X_train, problem.y_train).decision_function(problem.X_test)
    g_mean = geometric_mean_score(problem.y_test, (f > 0).astype(int))
    return {"gmeans_exact": 100 * g_mean, "prbep_exact": 100 * prbep_score(problem.y_test, f)}


def falls_short(row: Row) -> bool:
    """Return whether mean g-means or PRBEP at the stop are over 1.5 points below those of all labels."""
    return any(row[f"{score}_batch"] - row[f"{score}_al"] > words.SIMILAR for score in ("gmeans", "prbep"))


def _percent(values: Iterable[float]) -> float:
    return 100 * float(np.mean(list(values)))


# ---- the tables

_SCORES = tuple(f"{score}_{by}" for score in ("gmeans", "prbep") for by in ("batch", "exact", "al"))
_COLUMNS = (*_SCORES, "data_efficiency_pct")


def main(names: Sequence[str] = ()) -> None:
    """Print a line for each problem as soon as it is done, and one for each kind at the end."""
    _print_line("problem", "imb_ratio", *_COLUMNS, "worst run", "falls short")
    rows = {}
    for name in names or SOURCES:
        rows[name] = row = check_stopping(name, seeds(N_RUNS))
        values = (f"{row[column]:.1f}" for column in ("imb_ratio", *_COLUMNS))
        _print_line(name, *values, f"{-row['worst_loss']:+.1f}", "yes" if falls_short(row) else "")
    _print_line("kind", "problems", *_COLUMNS, "problems short", "runs short", "runs without a stop")
    for kind, group in groupby(rows, key=lambda name: SOURCES[name].group):
        members = [rows[name] for name in group]
        means = (f"{np.mean([row[column] for row in members]):.1f}" for column in _COLUMNS)
        counts = (int(sum(row[column] for row in members)) for column in ("n_short", "n_exhausted"))
        _print_line(kind, len(members), *means, sum(map(falls_short, members)), *counts)


def _print_line(*cells: object) -> None:
    print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
