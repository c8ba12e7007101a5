"""How the constants of ``screening/_finding_rate.py`` came about: what the pace says about the number left.

Run ``python research/remaining_fit.py``. It screens the design topics of ``remaining_check.py`` by their true
labels with several learners, in whole and in thinned collections. It fits the center and the scale of a t
distribution of the logarithm of the number left, so that its product with the likelihood of the random checks
is as high as possible at the truth. It takes about ten minutes.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from lopsided.screening import Screened
from lopsided.screening._checks import log_likelihood, read_checks
from lopsided.screening._finding_rate import FREEDOM, read_pace
from lopsided.screening._remaining import group_numbers
from lopsided.screening._stopping import truncate
from lopsided.terminal import echo
from remaining_check import DESIGN, N_LABELS, STEP, read_topic

FEWEST = 5  # relevant items found, below which a checkpoint is left out
FEWEST_RELEVANT = 8  # in a thinned collection, below which it is left out


class Variant(NamedTuple):
    """A learner, the share of questions at its border, and how many documents are kept."""

    learner: Any
    border: float = 0.0
    n_kept: int | None = None


def _logistic(C: float) -> LogisticRegression:
    return LogisticRegression(C=C, class_weight="balanced", solver="liblinear", random_state=0)


def _svm() -> LinearSVC:
    return LinearSVC(class_weight="balanced", random_state=0)


VARIANTS = (
    Variant(_logistic(1)),
    Variant(_svm(), border=0.2),
    Variant(_logistic(1), n_kept=2000),
    Variant(MultinomialNB(alpha=0.5, fit_prior=False)),
    Variant(_svm(), n_kept=5000),
    Variant(_logistic(30), border=0.2, n_kept=1000),
    Variant(_logistic(30)),
)
_CHECKS = 0.1


def screen(X: csr_matrix, y: NDArray[np.bool_], variant: Variant, seed: int) -> Screened:
    """Return the record of a search by true labels; the model is fitted anew as labels grow by 5 %."""
    rng, n = np.random.default_rng(seed), len(y)
    rows = [int(rng.choice(np.flatnonzero(y))), int(rng.choice(np.flatnonzero(~y)))]
    reasons, left = ["given", "given"], np.ones(n, bool)
    left[rows] = False
    fitted, scores = 0, np.zeros(n)
    while len(rows) < min(N_LABELS, int(0.8 * n)):
        if len(rows) - fitted >= max(1, len(rows) // 20):
            scores, fitted = _scores(variant.learner.fit(X[rows], y[rows]), X), len(rows)
        drawn = rng.random()
        if drawn < _CHECKS:
            row, reason = int(rng.choice(np.flatnonzero(left))), "random check"
        elif drawn < _CHECKS + variant.border:
            row, reason = int(np.argmin(np.where(left, abs(scores), np.inf))), "border"
        else:
            row, reason = int(np.argmax(np.where(left, scores, -np.inf))), "most likely"
        rows.append(row)
        reasons.append(reason)
        left[row] = False
    order = np.array(rows)
    unknown = np.full(len(order), np.nan)
    return Screened(order, y[order], reasons, unknown, n - np.arange(len(order)), n)


def _scores(model: Any, X: csr_matrix) -> NDArray[np.float64]:
    """Return a score for each row, larger is more likely relevant."""
    if isinstance(model, MultinomialNB):
        return np.asarray(X @ (model.feature_log_prob_[1] - model.feature_log_prob_[0]))
    return np.asarray(model.decision_function(X))


class Point(NamedTuple):
    """A checkpoint: what the center and the scale are made of, the numbers left and where the truth is."""

    center: NDArray[np.float64]
    scale: NDArray[np.float64]
    numbers: NDArray[np.float64]
    size: NDArray[np.float64]
    checks: NDArray[np.float64]
    truth: int


def points(screened: Screened, n_relevant: int) -> Iterator[Point]:
    """Yield the checkpoints of a search that found enough."""
    for n in range(STEP, len(screened.rows) + 1, STEP):
        then = truncate(screened, n)
        pace = read_pace(then)
        if pace.n_found < FEWEST:
            continue
        last, recent, longer = np.log(pace.rates)
        found = np.log(pace.n_found)
        center = np.array([1, np.log(pace.n_left), found, np.log(pace.n_shown + 1), last, recent, longer])
        numbers, size = group_numbers(pace.n_left)
        truth = int(np.searchsorted(numbers, n_relevant - pace.n_found, side="right")) - 1
        checks = log_likelihood(read_checks(then), numbers)
        yield Point(center, np.array([1, found, recent, longer]), numbers, size, checks, truth)


def loss(constants: NDArray[np.float64], all_points: list[Point]) -> float:
    """Return minus the mean logarithm of the probability of the truth, with a little shrinkage."""
    total = 0.0
    for p in all_points:
        n = len(p.center)
        z = (np.log(p.numbers + 0.5) - p.center @ constants[:n]) / np.exp(
            np.clip(p.scale @ constants[n:], -3, 1.5)
        )
        density = -(FREEDOM + 1) / 2 * np.log1p(z * z / FREEDOM) - np.log(p.numbers + 0.5) + p.checks
        weight = density + np.log(p.size)
        total += np.logaddexp.reduce(weight) - density[p.truth]
    return total / len(all_points) + 1e-3 * float(constants @ constants)


def searches() -> Iterator[tuple[Screened, int]]:
    """Yield each search of the design topics and how many items are relevant."""
    for corpus, names in DESIGN.items():
        for topic in names.split():
            texts, relevant = read_topic(corpus, topic)
            words = TfidfVectorizer(sublinear_tf=True, min_df=3, stop_words="english", max_df=0.5)
            X = words.fit_transform(texts).tocsr()
            for number, variant in enumerate(VARIANTS):
                rng = np.random.default_rng(100 * number)
                kept = np.sort(rng.permutation(len(relevant))[: variant.n_kept])
                if relevant[kept].sum() >= FEWEST_RELEVANT:
                    found = screen(X[kept], relevant[kept], variant, 1000 * number)
                    yield found, int(relevant[kept].sum())


@click.command()
def main() -> None:
    """Print the constants of the center and of the scale."""
    all_points = [p for screened, n_relevant in searches() for p in points(screened, n_relevant)]
    start = np.zeros(len(all_points[0].center) + len(all_points[0].scale))
    start[0] = 2
    fitted = minimize(loss, start, args=(all_points,), method="L-BFGS-B", options={"maxiter": 60}).x
    n = len(all_points[0].center)
    echo(f"{len(all_points)} checkpoints")
    center = ("1", "left", "found", "shown", "last", "recent", "longer")
    scale = ("1", "found", "recent", "longer")
    for title, names, values in (("center", center, fitted[:n]), ("scale", scale, fitted[n:])):
        echo(f"{title}: " + ", ".join(f"{k} {v:.3f}" for k, v in zip(names, values, strict=True)))


if __name__ == "__main__":
    main()
