"""Units of work: each judges one test set. As in the paper, F is that of the unexpected documents."""

import math
from dataclasses import dataclass

from sklearn.metrics import roc_auc_score

from lopsided.experiments import check_name
from lopsided.metrics import Counts
from lopsided.papers.li_2007.data import SMALL, SetUp, draw
from lopsided.papers.li_2007.methods import EXTRACTORS, METHODS, READINGS, S_EM, Scores, lgn, quietly, spy_em
from lopsided.pu import SpyEM
from lopsided.runs import Work, one_thread


@dataclass(frozen=True)
class SetScore:
    """One number of a table or figure, before the mean is taken."""

    protocol: str
    line: str
    column: str
    value: float
    """F in percent, or what part of the extracted negatives is unexpected."""
    auc: float = math.nan
    """Area under the ROC curve, in percent, where there are scores."""
    seed: int = 0
    """Which run it is of."""


Measured = list[tuple[dict[str, str], dict[str, float]]]


def measure_f(score: SetScore) -> Measured:
    """Return F and the area under the ROC curve, where they are known."""
    return _measured(score, {"f": score.value, "auc": score.auc})


def measure_purity(score: SetScore) -> Measured:
    """Return the purity of the extracted negatives, where there are any."""
    return _measured(score, {"purity": score.value})


def _measured(score: SetScore, values: dict[str, float]) -> Measured:
    known = {metric: value for metric, value in values.items() if not math.isnan(value)}
    return [({"line": score.line, "method": score.column}, known)]


def run(data: str, method: str, share: float, protocol: str, seed: int, line: str = "") -> SetScore:
    """Judge one test set."""
    check_name("method", method, METHODS)
    setup = draw(data, share, protocol, seed)
    with one_thread():  # sums in another order would be other numbers
        scores = METHODS[method](setup)
    return _score(setup, scores, line or data, method)


def prior(data: str, reading: str, ratio: float, protocol: str, seed: int) -> SetScore:
    """Judge with LGN that has another prior."""
    setup = draw(data, SMALL, protocol, seed)
    scores = lgn(setup, prior_ratio=ratio, entropy=READINGS[reading])
    return _score(setup, scores, f"prior {ratio:g}", reading)


def spy(data: str, noise: float, spy_share: float, protocol: str, seed: int) -> SetScore:
    """Judge with S-EM that has other parameters."""
    setup = draw(data, SMALL, protocol, seed)
    scores = spy_em(setup, spy_share=spy_share, noise=noise)
    return _score(setup, scores, f"noise {noise:g}, spies {spy_share:g}", S_EM)


def extract(data: str, method: str, share: float, protocol: str, seed: int) -> SetScore:
    """Return what part of the negatives that a method starts from is unexpected, in percent."""
    setup = draw(data, share, protocol, seed)
    model, rows = EXTRACTORS[method](setup)
    with quietly():
        model.fit(rows.X, setup.is_known)
    negatives = model.reliable_negatives_ if isinstance(model, SpyEM) else model.strong_negatives_
    is_right = setup.truth[negatives - setup.n_known]
    purity = 100 * float(is_right.mean()) if len(is_right) else math.nan
    return SetScore(protocol, f"{share:g} %", method, purity, seed=seed)


def _score(setup: SetUp, scores: Scores, line: str, column: str) -> SetScore:
    counts = Counts.from_predictions(setup.truth, scores < 0)
    auc = 100 * float(roc_auc_score(~setup.truth, scores))
    return SetScore(setup.protocol, line, column, 100 * counts.f(), auc, setup.seed)


WORK = Work("lopsided.reproduce.li_2007", {"Point": SetScore})
