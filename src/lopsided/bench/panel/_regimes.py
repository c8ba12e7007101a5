"""The methods compared in each regime, and one draw of a regime as a unit of work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from lopsided.bench.panel import _active, _rules
from lopsided.bench.panel._sets import MOST_ROWS, read_classes, read_mail_as_bytes, read_wanted
from lopsided.compare import _one_sided, _pu, _rare, _unexpected
from lopsided.compare._method import RECORDS, ComparedMethod, SplitScores
from lopsided.compare._stream_peers import StreamTask
from lopsided.runs import Work
from lopsided.text import ByteGramVectorizer

WORK = Work(__name__, RECORDS)
_MOST_KNOWN = 50  # positives that a user has at hand


@dataclass(frozen=True)
class Regime:
    """A regime of the panel."""

    title: str
    protocol: str
    """How one draw is made, in sentences."""
    metric: str
    beside: tuple[str, ...]
    """Further metrics that are shown."""
    default: Callable[[str], str]
    """Data set -> the method that our documentation advises for it."""
    baselines: tuple[str, ...]
    methods: Mapping[str, ComparedMethod]
    evaluate: Callable[[str, str, int], SplitScores]
    also: tuple[str, ...] = ()
    """Further methods of ours."""
    also_on_tables: tuple[str, ...] = ()
    """Further methods of ours, for tables alone."""
    peers: tuple[str, ...] = ()


def run(regime: str, data_set: str, method: str, seed: int) -> SplitScores:
    """Return the scores of a method on one draw of a data set."""
    return REGIMES[regime].evaluate(data_set, method, seed)


def measure(metric: str, scores: SplitScores) -> float:
    """Return one number of one draw."""
    return _METRICS[metric](scores)


def is_text(data_set: str) -> bool:
    """Return whether a data set with a wanted class is one of texts, as its name tells."""
    return ":" not in data_set


_METRICS: dict[str, Callable[[SplitScores], float]] = {
    "g-mean": lambda scores: scores.counts.geometric_mean(),
    "F1": lambda scores: scores.counts.f(),
    "average precision": lambda scores: scores.average_precision,
    "AUC": lambda scores: scores.auc,
    "false discovery rate": lambda scores: (
        1 - scores.counts.precision() if scores.counts.tp + scores.counts.fp else 0.0
    ),
}


def _evaluate_rare(data_set: str, method: str, seed: int) -> SplitScores:
    data = read_wanted(data_set)
    return _rare.evaluate(data.rows, data.is_wanted, method, seed)


def _evaluate_positives(data_set: str, method: str, seed: int) -> SplitScores:
    """Rank all rows that are not known, after learning from them as unlabeled ones."""
    data = read_wanted(data_set)
    positives = np.random.default_rng(seed).permutation(np.flatnonzero(data.is_wanted))
    known = np.zeros(len(data.is_wanted), dtype=np.int64)
    known[positives[: min(_MOST_KNOWN, len(positives) // 2)]] = 1
    unlabeled = np.flatnonzero(known == 0)
    task = _pu.PUTask(data.rows, np.arange(len(known)), unlabeled, known, seed % 2**32)
    return _pu.evaluate(task, data.is_wanted[unlabeled], method, seed)


def _evaluate_one_sided(data_set: str, method: str, seed: int) -> SplitScores:
    rng = np.random.default_rng(seed)
    if data_set.startswith("mail/"):  # a stretch of the mail, in the order of arrival
        messages, is_ham = read_mail_as_bytes(data_set)
        first = int(rng.integers(max(1, len(messages) - MOST_ROWS)))
        stretch = slice(first, first + MOST_ROWS)
        X, y = ByteGramVectorizer().transform(messages[stretch]), is_ham[stretch].astype(np.int64)
    else:
        data = read_wanted(data_set)
        order = rng.permutation(len(data.is_wanted))
        X, y = data.rows.X[order], data.is_wanted[order].astype(np.int64)
    task = StreamTask(X, y, True, seed % 2**32)
    return _one_sided.evaluate(task, method, seed)


def _evaluate_unexpected(data_set: str, method: str, seed: int) -> SplitScores:
    data = read_classes(data_set)
    task, truth = _unexpected.draw(data.rows, np.isin(data.rows.labels, data.hidden), seed)
    return _unexpected.evaluate(task, truth, method, seed)


def _always(name: str) -> Callable[[str], str]:
    return partial(_say, name)


def _say(name: str, data_set: str) -> str:
    return name


REGIMES: dict[str, Regime] = {
    "rare": Regime(
        title="A rare class, all labels",
        protocol="Seven rows in ten, of either class, are learned from with their labels; the others judge.",
        metric="g-mean",
        beside=("average precision",),
        default=_always("LASVCCV"),
        baselines=(
            "LogisticRegression, balanced",
            "LinearSVC, balanced",
            "SVC, balanced",
            "BalancedRandomForest",
        ),
        methods=_rare.METHODS,
        evaluate=_evaluate_rare,
        also=("LASVC, all labels",),
        peers=("SMOTE + LinearSVC", "undersampling + LinearSVC"),
    ),
    "active": Regime(
        title="A rare class, 300 labels asked for",
        protocol=(
            "Seven rows in ten can be asked about; the others judge. Every method begins with one row of "
            "either class, the same for all."
        ),
        metric="g-mean",
        beside=("average precision",),
        default=_always("LASVCCV"),
        baselines=("LogisticRegression, uncertainty", "LogisticRegression, random"),
        methods=_active.METHODS,
        evaluate=_active.evaluate,
        also=("LASVC, active",),
    ),
    "positives": Regime(
        title="Positives and unlabeled data",
        protocol=(
            f"Half of the positives, {_MOST_KNOWN} at most, are known. All other rows are unlabeled; every "
            "method learns from them and ranks them."
        ),
        metric="average precision",
        beside=("F1",),
        default=_always("find_more"),
        baselines=(
            "LinearSVC, unlabeled as negative",
            "LogisticRegression, unlabeled as negative",
            "LogisticRegression, Elkan-Noto",
        ),
        methods=_pu.METHODS,
        evaluate=_evaluate_positives,
        also_on_tables=("SVMC",),
        peers=("pulearn, Elkan-Noto", "pulearn, bagging"),
    ),
    "one-sided": Regime(
        title="Feedback only on what is shown",
        protocol=(
            f"Texts come in random order, mail in stretches of {MOST_ROWS:,} messages in its own order. A "
            "label comes back only for what is shown. Until the first wanted row everything is shown."
        ),
        metric="F1",
        beside=(),
        default=_always("MarginPerceptron, adaptive"),
        baselines=(
            "SGDClassifier, passive-aggressive",
            "SGDClassifier, passive-aggressive, no intercept",
            "SGDClassifier",
        ),
        methods=_one_sided.METHODS,
        evaluate=_evaluate_one_sided,
        also=("MarginPerceptron", "RelaxedOnlineSVM"),
        peers=(
            "river, passive-aggressive, no intercept",
            "Vowpal Wabbit, hinge loss, steps of 1",
            "river, LogisticRegression",
        ),
    ),
    "unexpected": Regime(
        title="Classes that nobody expected",
        protocol=(
            "Seven rows in ten of each known class are learned from. The others are to be judged, with so "
            "many rows of the hidden classes that these are at most a tenth."
        ),
        metric="AUC",
        beside=("F1", "false discovery rate"),
        default=_always("UnexpectedDetector"),
        baselines=(
            "LogisticRegression, largest softmax",
            "LinearSVC, largest margin",
            "OneClassSVM",
            "10 nearest neighbours",
        ),
        methods=_unexpected.METHODS,
        evaluate=_evaluate_unexpected,
        peers=("PyOD, kNN", "PyOD, COPOD", "PyOD, ECOD"),
    ),
    "rules": Regime(
        title="A few readable rules",
        protocol="Seven rows in ten, of either class, are learned from with their labels; the others judge.",
        metric="F1",
        beside=("average precision",),
        default=_always("find_rules, 5 rules"),
        baselines=("tree of depth 2, balanced", "tree of 6 leaves, balanced"),
        methods=_rules.METHODS,
        evaluate=_rules.evaluate,
        also=("LPUBoostStumps",),
    ),
}
