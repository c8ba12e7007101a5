"""`estimate_positive_share` on data whose truth is known, beside other estimators from the literature.

``python research/share_check.py`` prints the table of docs/positives-only.md. The data sets under
"chosen on" had a part in choosing the estimator and its constants, those under "others" had none. No wanted
class of the test half of `lopsided bench panel` is among either.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from typing import Any
from zlib import crc32

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.isotonic import IsotonicRegression

from lopsided.datasets import fetch_covtype, fetch_screening, fetch_uci, make_lopsided
from lopsided.problems import Topics
from lopsided.problems.newsgroups import read_messages
from lopsided.problems.reuters import read_stories
from lopsided.problems.uci import read_table
from lopsided.problems.webkb import read_bodies
from lopsided.pu import estimate_positive_share
from lopsided.pu._share import _held_out_scores, mean_length

LABELED = (30, 200, 1000)
SHARES = (0.005, 0.02, 0.05, 0.1, 0.2, 0.5)
N_RUNS = 1
_LEAST_UNLABELED = 200
_MOST_UNLABELED = {True: 5000, False: 2000}  # for shares of 2 % and less, and for larger ones

Problem = tuple[Any, NDArray[np.bool_]]  # rows, and which are positive

# ---- problems


def _words(texts: Sequence[str]) -> Any:
    return TfidfVectorizer(sublinear_tf=True, min_df=3, stop_words="english").fit_transform(texts)


@cache
def _newsgroups() -> tuple[Any, NDArray[Any]]:
    messages = read_messages()
    return _words(messages.texts), messages.groups


@cache
def _webkb() -> tuple[Any, NDArray[Any]]:
    pages = read_bodies()
    return _words(pages.texts), pages.classes


@cache
def _reuters() -> Topics:
    stories = read_stories()
    return stories._replace(documents=_words(stories.documents))


def _groups(beginning: str) -> Problem:
    X, names = _newsgroups()
    return X, np.char.startswith(names, beginning)


def _pages(name: str) -> Problem:
    X, names = _webkb()
    return X, names == name


def _topic(name: str) -> Problem:
    stories = _reuters()
    return stories.documents, stories.labels(name) > 0


def _review(name: str) -> Problem:
    review = fetch_screening(name)
    return _words(review.data), review.target == 1


def _uci(table: str, *classes: str) -> Problem:
    rows = read_table(table)
    return rows.X, np.isin(rows.classes, classes)


def _table(fetch: Callable[[], Any], target: int) -> Problem:
    rows = fetch()
    return rows.data, np.asarray(rows.target) == target


def _made(separation: float, n_features: int) -> Problem:
    X, y = make_lopsided(60_000, n_features, 0.3, separation=separation, random_state=1)
    return X, y == 1


CHOSEN_ON: dict[str, Callable[[], Problem]] = {
    **{name: partial(_groups, name) for name in ("rec.sport.hockey", "comp.graphics", "talk.politics.misc")},
    "sci.*": partial(_groups, "sci"),
    "letter B": partial(_uci, "letter", "B"),
    "letters AEIOU": partial(_uci, "letter", *"AEIOU"),
    "letter H": partial(_uci, "letter", "H"),
    "satimage": partial(_table, partial(fetch_uci, "satimage"), 2),
    "made 3, 20": partial(_made, 3, 20),
    "made 2, 10": partial(_made, 2, 10),
}
OTHERS: dict[str, Callable[[], Problem]] = {
    **{f"Reuters {name}": partial(_topic, name) for name in ("grain", "trade", "money-fx", "acq")},
    **{f"WebKB {name}": partial(_pages, name) for name in ("faculty", "course")},
    **{f"review of {name}": partial(_review, name) for name in ("estrogens", "calcium-channel-blockers")},
    "covtype 0": partial(_table, fetch_covtype, 0),
    "covtype 3": partial(_table, fetch_covtype, 3),
    "breast cancer": partial(_table, load_breast_cancer, 0),
    "spambase": partial(_uci, "spambase", "spam"),
    "made 4, 5": partial(_made, 4, 5),
    "made 2.5, 30": partial(_made, 2.5, 30),
}
PROBLEMS = CHOSEN_ON | OTHERS


@cache
def load(name: str) -> Problem:
    """Return the rows of a problem of ``PROBLEMS``, and which of them are positive."""
    return PROBLEMS[name]()


def draw(
    name: str, n_labeled: int, share: float, seed: int
) -> tuple[Any, NDArray[np.bool_], NDArray[np.bool_]] | None:
    """Return rows, which are labeled, and which of the others are positive; None where there are too few."""
    X, is_positive = load(name)
    # Reproducible from the names alone, whatever was drawn before.
    rng = np.random.default_rng([crc32(name.encode()), n_labeled, round(share * 1000), seed])
    positives, negatives = (rng.permutation(np.flatnonzero(which)) for which in (is_positive, ~is_positive))
    n_left = len(positives) - n_labeled
    n_unlabeled = int(min(_MOST_UNLABELED[share <= 0.02], n_left / share, len(negatives) / (1 - share)))
    n_hidden = round(share * n_unlabeled)
    if n_hidden < 1 or n_unlabeled < max(_LEAST_UNLABELED, n_labeled / 4):
        return None
    hidden = positives[n_labeled : n_labeled + n_hidden]
    unlabeled = rng.permutation(np.concatenate([hidden, negatives[: n_unlabeled - n_hidden]]))
    rows = np.concatenate([positives[:n_labeled], unlabeled])
    return X[rows], np.arange(len(rows)) < n_labeled, is_positive[unlabeled]


# ---- other estimators, from the same held-out scores

Estimator = Callable[[NDArray[np.float64], NDArray[np.float64]], float]  # labeled, unlabeled -> share


def elkan_noto(labeled: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> float:
    """Estimate by Elkan and Noto (2008): the labeled share is the labeled rows' mean chance of a label."""
    scores = np.concatenate([labeled, unlabeled])
    is_labeled = np.arange(len(scores)) < len(labeled)
    chance = IsotonicRegression(y_min=0, y_max=1).fit_transform(scores, is_labeled)
    return _share_of(float(chance[is_labeled].mean()), len(labeled), len(unlabeled))


def blanchard(labeled: NDArray[np.float64], unlabeled: NDArray[np.float64], delta: float = 0.1) -> float:
    """Estimate by Blanchard et al. (2010): the least ratio of unlabeled to positives above a score."""
    n_labeled, n_unlabeled = _tails(labeled, unlabeled)
    slack = [np.sqrt(np.log(2 / delta) / 2 / len(part)) for part in (labeled, unlabeled)]
    found = np.maximum(n_labeled / len(labeled) - slack[0], 1e-12)
    return float(np.minimum((n_unlabeled / len(unlabeled) + slack[1]) / found, 1).min())


def tice(labeled: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> float:
    """Estimate by TIcE (2018): the largest lower bound of the labeled share, over tails, not tree nodes."""
    n_labeled, n_unlabeled = _tails(labeled, unlabeled)
    n_rows = n_labeled + n_unlabeled
    delta = max(0.025, 1 / (1 + 0.004 * (len(labeled) + len(unlabeled))))
    frequency = 0.5
    for _ in range(5):  # the variance is taken at the estimate
        slack = np.sqrt(frequency * (1 - frequency) * (1 - delta) / (delta * n_rows))
        frequency = max(float((n_labeled / n_rows - slack).max()), 1e-6)
    return _share_of(frequency, len(labeled), len(unlabeled))


def _tails(labeled: NDArray[np.float64], unlabeled: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the number of rows of either kind at or above each labeled score."""
    ends = np.sort(labeled)
    n_labeled = np.arange(len(ends), 0, -1)
    return n_labeled, len(unlabeled) - np.searchsorted(np.sort(unlabeled), ends)


def _share_of(frequency: float, n_labeled: int, n_unlabeled: int) -> float:
    """Return the share of positives among the unlabeled, from the share of positives that are labeled."""
    return min(n_labeled * (1 - frequency) / frequency / n_unlabeled, 1.0)


RIVALS: dict[str, Estimator] = {"Elkan-Noto": elkan_noto, "Blanchard et al.": blanchard, "TIcE": tice}
OURS = "ours"
INTERVAL = ("median error", "width", "covered", "not above")  # what is said of ours alone, in percent


# ---- the check


@dataclass(frozen=True)
class Estimate:
    """The estimates of one draw."""

    problem: str
    n_labeled: int
    truth: float
    low: float
    high: float
    values: dict[str, float]
    """Estimator -> its estimate."""


def check(name: str, n_labeled: int, share: float, seed: int) -> Estimate | None:
    """Estimate the share of one draw; None where there are too few rows for it."""
    drawn = draw(name, n_labeled, share, seed)
    if drawn is None:
        return None
    X, is_labeled, is_hidden = drawn
    ours = estimate_positive_share(X, is_labeled, random_state=seed)
    length = None if isinstance(X, np.ndarray) else mean_length(X)
    scores = _held_out_scores(X, is_labeled, None, 5, None, np.random.default_rng(seed), length)
    values = {name: rival(scores[is_labeled], scores[~is_labeled]) for name, rival in RIVALS.items()}
    return Estimate(
        name, n_labeled, float(is_hidden.mean()), ours.low, ours.high, {OURS: ours.value} | values
    )


def check_all(problems: Sequence[str], n_seeds: int) -> Iterator[Estimate]:
    """Yield the estimates of every problem, number of labels, share and seed with enough rows."""
    for name, n_labeled, share, seed in product(problems, LABELED, SHARES, range(n_seeds)):
        if estimate := check(name, n_labeled, share, seed):
            yield estimate


def summarise(estimates: Sequence[Estimate]) -> dict[str, float]:
    """Return how wide our interval is and what it holds, and the mean error of each estimator in points.

    The width and our median error are in percent of the truth.
    """
    truth = np.array([e.truth for e in estimates])
    low, high = (np.array([getattr(e, end) for e in estimates]) for end in ("low", "high"))
    errors = {
        name: 100 * float(np.mean([abs(e.values[name] - e.truth) for e in estimates]))
        for name in (OURS, *RIVALS)
    }
    value = np.array([e.values[OURS] for e in estimates])
    within = {
        "median error": float(np.median(np.abs(value - truth) / truth)),
        "width": float(np.median((high - low) / truth)),
        "covered": float(np.mean((low <= truth) & (truth <= high))),
        "not above": float(np.mean(truth <= high)),
    }
    return {"draws": len(estimates), **errors, **{name: 100 * value for name, value in within.items()}}


@click.command()
@click.option("--seeds", "n_seeds", type=click.IntRange(1), default=N_RUNS, show_default=True, help="Draws.")
@click.option("--problem", "problems", multiple=True, type=click.Choice(tuple(PROBLEMS)), help="Only this.")
def main(n_seeds: int, problems: tuple[str, ...]) -> None:
    """Estimate shares that are known, and print errors in points and coverage in percent."""
    columns = ("draws", OURS, *RIVALS, *INTERVAL)
    _print_line("", *columns)
    for title, group in (("chosen on", CHOSEN_ON), ("others", OTHERS)):
        chosen = [name for name in group if not problems or name in problems]
        estimates: list[Estimate] = []
        for name in chosen:
            own = list(check_all([name], n_seeds))
            if own:
                _print_summary(name, own, columns)
            estimates += own
        for n_labeled in LABELED:
            part = [estimate for estimate in estimates if estimate.n_labeled == n_labeled]
            if part:
                _print_summary(f"{title}, {n_labeled:,} labeled", part, columns)
        if estimates:
            _print_summary(f"{title}, all", estimates, columns)


def _print_summary(title: str, estimates: Sequence[Estimate], columns: Sequence[str]) -> None:
    values = summarise(estimates)
    _print_line(title, *(f"{values[c]:.0f}" if c == "draws" else f"{values[c]:.1f}" for c in columns))


def _print_line(*cells: object) -> None:
    click.echo(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
