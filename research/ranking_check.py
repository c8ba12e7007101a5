"""How well the methods for positives and unlabeled data rank texts, with few and with many known positives.

``python research/ranking_check.py`` prints the tables of docs/positives-only.md. The method behind
`find_more` was chosen from such tables of the same corpora.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple
from zlib import crc32

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score
from sklearn.svm import LinearSVC

from lopsided.problems.newsgroups import read_messages
from lopsided.problems.reuters import read_stories
from lopsided.problems.webkb import read_pages
from lopsided.pu import PEBL, SMC, SVMC, RocSVM, SpyEM
from lopsided.pu._find import weigh_stems
from lopsided.pu._roc_svm import rocchio
from lopsided.text import StemmedVectorizer

KNOWN = (5, 10, 20, 50, 200)
N_RUNS = 3
_LEAST_HIDDEN = 30

# ---- data


class Corpus(NamedTuple):
    """Texts as weights and as counts of stems, and which of them are of each class."""

    weights: Any
    counts: Any
    classes: dict[str, NDArray[np.bool_]]


def _newsgroups() -> Corpus:
    names = ("sci.med", "comp.graphics", "rec.autos", "talk.politics.mideast", "soc.religion.christian")
    messages = read_messages()
    return _corpus(messages.texts, {name: messages.groups == name for name in names})


def _webkb() -> Corpus:
    pages = read_pages()
    names = ("course", "faculty", "student", "project")
    return _corpus(pages.texts, {name: pages.classes == name for name in names})


def _reuters() -> Corpus:
    stories = read_stories()
    names = ("acq", "grain", "crude", "trade", "ship", "sugar", "gold", "money-fx")
    return _corpus(stories.documents, {name: stories.labels(name) > 0 for name in names})


def _corpus(texts: Sequence[str], classes: dict[str, NDArray[np.bool_]]) -> Corpus:
    counts = StemmedVectorizer(weighting="counts", norm=None, min_df=2).fit_transform(texts)
    return Corpus(weigh_stems(list(texts))[0], counts, classes)


SOURCES: dict[str, Callable[[], Corpus]] = {
    "20 Newsgroups": _newsgroups,
    "WebKB": _webkb,
    "Reuters": _reuters,
}


@cache
def load(name: str) -> Corpus:
    """Read a corpus of ``SOURCES`` once."""
    return SOURCES[name]()


# ---- methods: scores of all rows from weights, counts and labels

Method = Callable[[Any, Any, NDArray[np.int64]], NDArray[np.float64]]


def _from_weights(make: Callable[[], Any]) -> Method:
    return lambda weights, counts, y: make().fit(weights, y).decision_function(weights)


def _rocchio_alone(weights: Any, counts: Any, y: NDArray[np.int64]) -> NDArray[np.float64]:
    return rocchio(weights, y == 1, 16.0, 4.0)


METHODS: dict[str, Method] = {
    "RocSVM(max_iter=1)": _from_weights(lambda: RocSVM(max_iter=1)),
    "RocSVM()": _from_weights(RocSVM),
    "its first step alone": _rocchio_alone,
    "PEBL()": _from_weights(PEBL),
    "SpyEM()": lambda weights, counts, y: SpyEM(random_state=0).fit(counts, y).decision_function(counts),
    'SMC(solver="linear")': _from_weights(lambda: SMC(solver="linear")),
    'SVMC(solver="linear")': _from_weights(lambda: SVMC(solver="linear")),
    "LinearSVC, unlabeled as negative": _from_weights(lambda: LinearSVC(random_state=0)),
    "the same, balanced, C=0.1": _from_weights(
        lambda: LinearSVC(C=0.1, class_weight="balanced", random_state=0)
    ),
}


# ---- the check


def rank(corpus: str, name: str, n_known: int, method: str, seed: int) -> float | None:
    """Return average precision among the unlabeled; None where fewer than 30 positives would be hidden."""
    weights, counts, classes = load(corpus)
    is_positive = classes[name]
    if is_positive.sum() < max(2 * n_known, n_known + _LEAST_HIDDEN):
        return None
    rng = np.random.default_rng([crc32(name.encode()), n_known, seed])
    y = np.zeros(len(is_positive), dtype=np.int64)
    y[rng.choice(np.flatnonzero(is_positive), n_known, replace=False)] = 1
    scores = METHODS[method](weights, counts, y)
    return float(average_precision_score(is_positive[y == 0], scores[y == 0]))


def mean_precision(corpus: str, n_known: int, method: str, n_seeds: int) -> float:
    """Return the mean of :func:`rank` over the classes of a corpus and the seeds."""
    values = [
        rank(corpus, name, n_known, method, seed) for name in load(corpus).classes for seed in range(n_seeds)
    ]
    return float(np.mean([value for value in values if value is not None]))


@click.command()
@click.option("--seeds", "n_seeds", type=click.IntRange(1), default=N_RUNS, show_default=True, help="Draws.")
@click.option("--corpus", "corpora", multiple=True, type=click.Choice(tuple(SOURCES)), help="Only this.")
@click.option("--method", "methods", multiple=True, type=click.Choice(tuple(METHODS)), help="Only this.")
def main(n_seeds: int, corpora: tuple[str, ...], methods: tuple[str, ...]) -> None:
    """Print a table of mean average precision for each corpus: methods by number of known positives."""
    for corpus in corpora or SOURCES:
        _print_line(corpus, *KNOWN)
        for method in methods or METHODS:
            means = (mean_precision(corpus, n_known, method, n_seeds) for n_known in KNOWN)
            _print_line(f"`{method}`", *(f"{mean:.3f}" for mean in means))


def _print_line(*cells: object) -> None:
    click.echo(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
