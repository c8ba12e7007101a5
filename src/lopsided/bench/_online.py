"""T5 to T7c: learners that see one message at a time, against the libraries that do the same."""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC

from lopsided.bench._measure import Quality, Row, Timed
from lopsided.feedback import OneSidedFilter, StreamReport, run_stream
from lopsided.online import MarginPerceptron, RelaxedOnlineSVM
from lopsided.problems.mail import Mail, read_mail
from lopsided.text import ByteGramVectorizer

_FEW = 2_000  # messages for a peer that takes milliseconds for each
_BUFFER = 1_000
_CLASSES = (0, 1)
# The smallest of 1, 2, 5, 10, 20, 50, 100 whose area on SpamAssassin is within a hundredth of the best.
_C_FOR_TREC07P = 5.0


class Peer(NamedTuple):
    """A learner of another library that scores and learns the same messages, one at a time."""

    words: str
    replay: Callable[[], Timed]
    needs: tuple[str, ...] = ()


_RIVER = Peer("river's Perceptron on ready dictionaries", lambda: _river(), ("river",))
_SGD = Peer("SGDClassifier (hinge, step 1) row by row", lambda: _sgd_on_few())
_WABBIT = Peer(
    "Vowpal Wabbit (hinge, step 1) on lines of text", lambda: _vowpal_wabbit(parsed=False), ("vowpalwabbit",)
)
_PARSED_WABBIT = Peer(
    "Vowpal Wabbit (hinge, step 1) on examples parsed before: a head start",
    lambda: _vowpal_wabbit(parsed=True),
    ("vowpalwabbit",),
)


def rows() -> Iterator[Row]:
    """Yield the rows, which read their data when measured. Where both sides learn, both score first."""
    yield from _ready_rows()
    yield from _raw_bytes()
    yield from _svm()


def _ready_rows() -> Iterator[Row]:
    work = f"margin perceptron, {_FEW:,} ready rows of mail, each scored, then learned"
    yield _against(_RIVER, "T5 river", work, _replay_rows, must=150, aim=300)
    yield _against(_SGD, "T5 rows", work, _replay_rows, must=500, aim=1000)
    yield Row(
        "T5 batch",
        "margin perceptron, one call for all of SpamAssassin",
        "SGDClassifier.partial_fit (hinge, step 1), one call",
        ours=lambda: MarginPerceptron().partial_fit(_matrix(), _spamassassin().y, classes=_CLASSES),
        peer=lambda: _sgd().partial_fit(_matrix(), _spamassassin().y, classes=_CLASSES),
        must=1.5,
        aim=3,
        quality=_same_predictions,
    )


def _raw_bytes() -> Iterator[Row]:
    work = f"margin perceptron from raw bytes, {_FEW:,} messages, each scored, then learned"
    yield _against(_RIVER, "T6 river", work, _replay_bytes, must=50, aim=100)
    yield _against(_WABBIT, "T6 vw text", work, _replay_bytes, must=6, aim=20)
    yield _against(_PARSED_WABBIT, "T6 vw parsed", work, _replay_bytes)


def _svm() -> Iterator[Row]:
    yield from _svm_rows()
    yield Row(
        "T7",
        f"one update of RelaxedOnlineSVM, buffer of {_BUFFER:,} messages, C = 100",
        "LinearSVC.fit on the buffer",
        ours=_time_of_updates,
        peer=_refit_buffer,
        must=150,
        aim=500,
        quality=_area_on_spamassassin,
    )
    yield Row(
        "T7c",
        "RelaxedOnlineSVM, C = 5, from raw bytes, all of trec07p with full feedback",
        "SGDClassifier row by row on ready rows, 1,000 messages, scaled to all",
        ours=_replay_trec07p,
        peer=_sgd_scaled,
        quality=_area_on_trec07p,
    )


def _svm_rows() -> Iterator[Row]:
    """Yield rows without a bar: the peers' learners do less for a message than an SVM."""
    work = f"RelaxedOnlineSVM, C = 100, {_FEW:,} ready rows of mail, each scored, then learned"
    yield _against(_SGD, "T7 rows", work, _replay_svm)
    yield _against(_RIVER, "T7 river", work, _replay_svm)
    yield _against(_WABBIT, "T7 vw", work, _replay_svm)


def _against(
    peer: Peer,
    name: str,
    work: str,
    ours: Callable[[], NDArray[np.bool_]],
    must: float | None = None,
    aim: float | None = None,
) -> Row:
    return Row(name, work, peer.words, ours, peer.replay, must, aim, quality=_f1_of_both, needs=peer.needs)


# The data


@cache
def _spamassassin() -> Mail:
    return read_mail("spamassassin")


@cache
def _trec07p() -> Mail:
    return read_mail("trec07p")


@cache
def _matrix() -> Any:
    return ByteGramVectorizer().transform(_spamassassin().messages)


@cache
def _few() -> Any:
    return _matrix()[:_FEW]


@cache
def _few_rows() -> list[Any]:
    """Return one matrix a message: slicing is no part of the peers' work."""
    return [_few()[i] for i in range(_few().shape[0])]


@cache
def _dictionaries() -> list[dict[int, float]]:
    return [dict(zip(x.indices.tolist(), x.data.tolist(), strict=True)) for x in _few_rows()]


@cache
def _lines() -> list[str]:
    """Return the messages in Vowpal Wabbit's format."""
    signs = 2 * _labels() - 1
    return [f"{sign} | {_pairs(x)}" for sign, x in zip(signs, _few_rows(), strict=True)]


def _pairs(x: Any) -> str:
    return " ".join(f"{column}:{value}" for column, value in zip(x.indices, x.data, strict=True))


def _labels() -> NDArray[np.intp]:
    return _spamassassin().y[:_FEW]


# The sides. Replays of the first messages return whether each was taken for ham before its label was known.


def _replay(learner: Any, X: Any, y: NDArray[np.intp], **how: Any) -> StreamReport:
    return run_stream(OneSidedFilter(learner, start="cold"), X, y, feedback="full", **how)


def _replay_rows() -> NDArray[np.bool_]:
    return _replay(MarginPerceptron(), _few(), _labels()).show


def _replay_bytes() -> NDArray[np.bool_]:
    messages = _spamassassin().messages[:_FEW]
    return _replay(MarginPerceptron(), messages, _labels(), vectorizer=ByteGramVectorizer()).show


def _replay_svm() -> NDArray[np.bool_]:
    return _replay(_relaxed_svm(), _few(), _labels()).show


def _river() -> Timed:
    model = import_module("river.linear_model").Perceptron()
    examples, labels = _dictionaries(), _labels().astype(bool).tolist()
    start = perf_counter()
    shown = []
    for x, label in zip(examples, labels, strict=True):
        shown.append(model.predict_one(x))
        model.learn_one(x, label)
    return Timed(perf_counter() - start, np.array(shown, dtype=bool))


def _sgd() -> SGDClassifier:
    """Return scikit-learn's margin perceptron: the hinge loss has its corner at the margin 1."""
    return SGDClassifier(
        loss="hinge", penalty=None, learning_rate="constant", eta0=1.0, fit_intercept=False, shuffle=False
    )


def _sgd_on_few() -> Timed:
    return _sgd_row_by_row(_few_rows(), _labels())


def _sgd_row_by_row(X: list[Any], y: NDArray[np.intp]) -> Timed:
    model = _sgd().partial_fit(X[0], y[:1], classes=_CLASSES)
    start = perf_counter()
    shown = [True]
    for i in range(1, len(X)):
        shown.append(model.decision_function(X[i])[0] >= 0)
        model.partial_fit(X[i], y[i : i + 1])
    return Timed(perf_counter() - start, np.array(shown))


def _vowpal_wabbit(*, parsed: bool) -> Timed:
    """Run the same learner; its prediction before the update stays with the example.

    Lines are what its Python interface takes; parsed examples leave nothing but the learning.
    """
    machine = import_module("vowpalwabbit").Workspace(
        "--loss_function hinge --sgd --learning_rate 1 --power_t 0 --noconstant --bit_precision 20 --quiet"
    )
    lines, shown = _lines(), []
    examples = [machine.parse(line) for line in lines] if parsed else []
    start = perf_counter()
    for i in range(len(lines)):
        example = examples[i] if parsed else machine.parse(lines[i])
        machine.learn(example)
        shown.append(example.get_simplelabel_prediction() >= 0)
        machine.finish_example(example)
    return Timed(perf_counter() - start, np.array(shown))


def _relaxed_svm(C: float = 100) -> RelaxedOnlineSVM:
    return RelaxedOnlineSVM(C=C, buffer_size=_BUFFER)


def _time_of_updates() -> Timed:
    """Return the mean time of an update with a full buffer, including messages that need no update."""
    X, y = _few(), _labels()
    model = _relaxed_svm().partial_fit(X[:_BUFFER], y[:_BUFFER], classes=_CLASSES)
    rest, before = X[_BUFFER:], model.n_updates_
    start = perf_counter()
    model.partial_fit(rest, y[_BUFFER:])
    return Timed((perf_counter() - start) / max(1, model.n_updates_ - before), model.n_updates_ - before)


def _refit_buffer() -> Timed:
    """Return the time of LinearSVC with the same objective, to its own tolerance."""
    model = LinearSVC(C=100, loss="hinge", max_iter=100_000, random_state=0)
    X, y = _few()[:_BUFFER], _labels()[:_BUFFER]
    start = perf_counter()
    model.fit(X, y)
    return Timed(perf_counter() - start, model)


def _replay_trec07p() -> Timed:
    mail = _trec07p()
    start = perf_counter()
    report = _replay(_relaxed_svm(_C_FOR_TREC07P), mail.messages, mail.y, vectorizer=ByteGramVectorizer())
    seconds = perf_counter() - start
    return Timed(seconds, (report, len(mail.y) / seconds))


def _sgd_scaled() -> Timed:
    """Return the time of 1,000 messages, scaled to all, since all would take minutes."""
    mail = _trec07p()
    n = min(1_000, len(mail.y))
    X = ByteGramVectorizer().transform(mail.messages[:n])
    timed = _sgd_row_by_row([X[i] for i in range(n)], mail.y[:n])
    return Timed(timed.seconds * len(mail.y) / n)


# What the answers are worth


def _f1_of_both(ours: NDArray[np.bool_], peer: NDArray[np.bool_]) -> Quality:
    mine, theirs = (f1_score(_labels(), shown) for shown in (ours, peer))
    return Quality(f"F1 of ham {mine:.4f}, peer {theirs:.4f}", mine >= theirs - 0.002)


def _same_predictions(ours: MarginPerceptron, peer: SGDClassifier) -> Quality:
    same = float(np.mean(ours.predict(_matrix()) == peer.predict(_matrix())))
    return Quality(f"the same class for {100 * same:.2f} % of the messages", same > 0.999)


def _area_on_spamassassin(n_updates: int, peer: Any) -> Quality:
    report = _replay(_relaxed_svm(), _matrix(), _spamassassin().y)
    missing = 100 * (1 - report.roc_auc)
    return Quality(f"(1-AUC)% {missing:.3f} on SpamAssassin; mean of {n_updates:,} updates", missing <= 0.10)


def _area_on_trec07p(ours: tuple[StreamReport, float], peer: Any) -> Quality:
    report, speed = ours
    missing = 100 * (1 - report.roc_auc)
    return Quality(
        f"(1-AUC)% {missing:.4f}, F1 of ham {report.f1:.4f}; last run {speed:,.0f} messages a second",
        missing <= 0.0085,
    )
