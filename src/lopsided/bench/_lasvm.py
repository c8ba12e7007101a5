"""T2 to T4c: the online kernel SVM, one pass and active, against the ways of doing without it."""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from lopsided.bench._alone import PeakMemory, run_alone
from lopsided.bench._measure import Quality, Row, Timed
from lopsided.bench._problems import SpeedProblem, adult, forest, letters, mnist_8, reuters, usps_0
from lopsided.metrics import geometric_mean_score, prbep_score
from lopsided.svm import LASVC

_ACTIVE: dict[str, Any] = {"selection": "active", "stopping": "saturation"}
_MNIST = "MNIST 8 against the rest"


def rows() -> Iterator[Row]:
    """Yield the rows, which read their data when they are measured."""
    yield from _one_pass()
    yield from _asking()
    yield from _sparse_and_more_rows()


def _one_pass() -> Iterator[Row]:
    yield _svc_row(
        "T2",
        f"one pass over 10,000 rows, {_MNIST}",
        _digits,
        must=12,
        aim=30,
        quality=lambda ours, peer: _accuracies(_digits(), ours, peer, within=0.002),
    )
    yield Row(
        "T2b",
        f"one pass over 60,000 rows, {_MNIST}",
        "SVC.fit",
        ours=lambda: _lasvc(mnist_8()),
        peer=lambda limit: _alone_until("svc_alone", limit),
        must=50,
        aim=100,
        patience=105,
        quality=_accuracies_if_done,
    )
    yield Row(
        "T2c",
        f"scores of 2,000 rows, {_MNIST}",
        "SVC.decision_function",
        ours=lambda: _twins()[0].decision_function(_digits().X_test[:2000]),
        peer=lambda: _twins()[1].decision_function(_digits().X_test[:2000]),
        must=15,
        aim=40,
        quality=_equal_scores,
    )


def _svc_row(
    name: str,
    work: str,
    problem: Callable[[], SpeedProblem],
    must: float,
    aim: float,
    quality: Callable[[Any, Any], Quality],
    **how: Any,
) -> Row:
    return Row(
        name,
        work,
        "SVC.fit",
        ours=lambda: _lasvc(problem(), **how),
        peer=lambda: _svc(problem()),
        must=must,
        aim=aim,
        quality=quality,
    )


def _asking() -> Iterator[Row]:
    yield Row(
        "T3",
        f"1,000 labels asked for out of 10,000 rows, {_MNIST}",
        "SVC.fit on all labels",
        ours=lambda: _lasvc(_digits(), selection="active", max_labels=1000),
        peer=lambda: _svc(_digits()),
        must=6,
        aim=15,
        quality=_fewer_support_vectors,
    )
    yield Row(
        "T3b",
        f"one pass over 10,000 rows, {_MNIST}",
        "Vowpal Wabbit's --ksvm, one pass over parsed rows",
        ours=lambda: _lasvc(_digits()),
        peer=_vowpal_wabbit,
        must=30,
        aim=100,
        quality=_accuracies_with_vowpal_wabbit,
        needs=("vowpalwabbit",),
    )
    yield _pool_row("grain", lambda: reuters("grain", C=2, gamma=1))
    yield _pool_row("ship", lambda: reuters("ship", C=1, gamma=0.5))
    yield _pool_row("usps", usps_0)
    yield Row(
        "T3d mnist",
        f"asking until saturation, 60,000 rows, {_MNIST}",
        "SMOTE and SVC.fit",
        ours=lambda: _lasvc(mnist_8(), **_ACTIVE),
        peer=lambda limit: _alone_until("smote_alone", limit),
        must=10,
        aim=100,
        patience=11,
        quality=_break_evens_if_done,
        needs=("imblearn",),
    )
    yield _smote_row("adult", _incomes)
    yield _smote_row("usps", usps_0)


def _pool_row(name: str, problem: Callable[[], SpeedProblem]) -> Row:
    return Row(
        f"T3c {name}",
        f"asking until saturation, the closest of 59, {name}",
        "the closest of all unseen rows",
        ours=lambda: _lasvc(problem(), **_ACTIVE),
        peer=lambda: _lasvc(problem(), **_ACTIVE | {"selection": "exhaustive"}),
        must=5,
        aim=20,
        quality=lambda ours, peer: _break_evens(problem(), ours, peer),
    )


def _smote_row(name: str, problem: Callable[[], SpeedProblem]) -> Row:
    return Row(
        f"T3d {name}",
        f"asking until saturation, {name}",
        "SMOTE and SVC.fit",
        ours=lambda: _lasvc(problem(), **_ACTIVE),
        peer=lambda: _svc(_balanced(problem())),
        must=10,
        aim=100,
        quality=lambda ours, peer: _break_evens(problem(), ours, peer),
        needs=("imblearn",),
    )


def _sparse_and_more_rows() -> Iterator[Row]:
    for name, work, n_epochs in (
        ("T4", "one pass over 10,000 sparse rows, adult", 1),
        ("T4 twice", "two passes over the same rows: what one leaves out of the dual, the second brings", 2),
    ):
        yield _svc_row(name, work, _incomes, must=3, aim=8, quality=_dual_objectives, n_epochs=n_epochs)
    yield Row(
        "T4b",
        "500 rows more for a model of 9,500, letters A-M against N-Z",
        "SVC.fit on 10,000",
        ours=_more_letters,
        peer=lambda: _svc(letters()),
        must=10,
        aim=30,
        quality=lambda ours, peer: _accuracies(letters(), ours, peer, within=0.002),
    )
    yield Row(
        "T4c",
        "1,000 labels asked for out of 1,000,000 rows of forest",
        "the same out of 10,000",
        ours=lambda: _time_of_questions(forest()),
        peer=lambda: _time_of_questions(forest().head(10_000)),
        must=1 / 1.3,
        aim=1 / 1.05,
        quality=_memory,
    )


# The sides


def _lasvc(problem: SpeedProblem, **how: Any) -> LASVC:
    return LASVC(C=problem.C, gamma=problem.gamma, random_state=0, **how).fit(problem.X, problem.y)


def _svc(problem: SpeedProblem) -> SVC:
    return SVC(C=problem.C, gamma=problem.gamma).fit(problem.X, problem.y)


def _digits() -> SpeedProblem:
    return mnist_8().head(10_000)


def _incomes() -> SpeedProblem:
    return adult().head(10_000)


@cache
def _twins() -> tuple[LASVC, SVC]:
    """Return both machines at the optimum of one problem, with nearly the same support vectors."""
    return _lasvc(_digits(), n_epochs="converge"), _svc(_digits())


def _alone_until(function: str, limit: float) -> Timed:
    """Run SVC.fit on all of MNIST, which takes many minutes, in a process that can be stopped."""
    answer = run_alone(f"lopsided.bench._lasvm:{function}", limit)
    return Timed(limit, stopped=True) if answer is None else Timed(answer["seconds"], answer["score"])


def svc_alone() -> Iterator[Any]:
    """Yield the seconds and the accuracy of SVC.fit on all of MNIST."""
    problem = mnist_8()
    yield
    start = perf_counter()
    model = _svc(problem)
    seconds = perf_counter() - start
    yield {"seconds": seconds, "score": model.score(problem.X_test[:2000], problem.y_test[:2000])}


def smote_alone() -> Iterator[Any]:
    """Yield the seconds and the break-even point of SMOTE and SVC.fit on all of MNIST."""
    problem = mnist_8()
    import_module("imblearn.over_sampling")
    yield
    start = perf_counter()
    model = _svc(_balanced(problem))
    seconds = perf_counter() - start
    yield {"seconds": seconds, "score": _break_even(problem, model)}


def _balanced(problem: SpeedProblem) -> SpeedProblem:
    X, y = import_module("imblearn.over_sampling").SMOTE(random_state=0).fit_resample(problem.X, problem.y)
    return problem._replace(X=X, y=y)


def _vowpal_wabbit() -> Timed:
    """Run Vowpal Wabbit's kernel SVM: one REPROCESS a row, no FINISH, all kernel rows kept (its defaults)."""
    machine = import_module("vowpalwabbit").Workspace(
        "--ksvm --kernel rbf --bandwidth 0.02 --lambda 0.001 --quiet"
    )
    examples = [machine.parse(line) for line in _lines("train")]
    start = perf_counter()
    for example in examples:
        machine.learn(example)
    return Timed(perf_counter() - start, machine)


@cache
def _lines(side: str) -> list[str]:
    """Return rows in Vowpal Wabbit's format; test rows come without their labels."""
    problem = _digits()
    if side == "test":
        return [f"| {_pairs(row)}" for row in problem.X_test[:1000]]
    return [f"{2 * label - 1} | {_pairs(row)}" for row, label in zip(problem.X, problem.y, strict=True)]


def _pairs(row: Any) -> str:
    return " ".join(f"{column}:{row[column]}" for column in np.flatnonzero(row))


def _more_letters() -> Timed:
    problem = letters()
    model = _lasvc(problem.head(len(problem.y) - 500))
    start = perf_counter()
    model.partial_fit(problem.X[-500:], problem.y[-500:]).finish()
    return Timed(perf_counter() - start, model)


def _time_of_questions(problem: SpeedProblem) -> Timed:
    """Return the time from the first question to the last, without the check of the rows before them."""
    moments: list[float] = []

    def answer(asked: Any) -> Any:
        moments.append(perf_counter())
        return problem.y[asked]

    start = perf_counter()
    model = LASVC(C=problem.C, gamma=problem.gamma, selection="active", max_labels=1000, random_state=0).fit(
        problem.X, answer
    )
    return Timed(moments[-1] - moments[0], (model, perf_counter() - start))


# What the answers are worth


def _accuracies(problem: SpeedProblem, ours: Any, peer: Any, within: float) -> Quality:
    mine, theirs = (model.score(problem.X_test, problem.y_test) for model in (ours, peer))
    return Quality(f"accuracy {mine:.4f}, peer {theirs:.4f}", mine >= theirs - within)


def _accuracies_if_done(ours: LASVC, theirs: float | None) -> Quality:
    problem = mnist_8()
    mine = ours.score(problem.X_test[:2000], problem.y_test[:2000])
    if theirs is None:
        return Quality(f"accuracy {mine:.4f}, peer stopped", good=True)
    return Quality(f"accuracy {mine:.4f}, peer {theirs:.4f}", mine >= theirs - 0.002)


def _accuracies_with_vowpal_wabbit(ours: LASVC, machine: Any) -> Quality:
    problem, lines = _digits(), _lines("test")
    scores = np.array([machine.predict(machine.parse(line)) for line in lines])
    truth = problem.y_test[: len(lines)]
    mine, theirs = ours.score(problem.X_test[: len(lines)], truth), float(np.mean((scores > 0) == truth))
    return Quality(f"accuracy {mine:.4f}, peer {theirs:.4f}", mine >= theirs)


def _equal_scores(ours: Any, peer: Any) -> Quality:
    sizes = [len(model.support_) for model in _twins()]
    apart = float(np.abs(ours - peer).max())
    return Quality(
        f"{sizes[0]:,} support vectors, peer {sizes[1]:,}; scores at most {apart:.1g} apart",
        abs(sizes[0] / sizes[1] - 1) < 0.02 and apart < 0.05,
    )


def _fewer_support_vectors(ours: LASVC, peer: SVC) -> Quality:
    problem = _digits()
    stopped = _lasvc(problem, **_ACTIVE)
    asked, at_stop, full = (
        geometric_mean_score(problem.y_test, model.predict(problem.X_test)) for model in (ours, stopped, peer)
    )
    share = len(ours.support_) / len(peer.support_)
    return Quality(
        f"{share:.2f} of the peer's support vectors; g-mean {asked:.4f}, at saturation "
        f"({stopped.n_labels_:,} labels) {at_stop:.4f}, peer {full:.4f}",
        share <= 0.7 and at_stop >= full - 0.005,
    )


def _break_even(problem: SpeedProblem, model: Any) -> float:
    return prbep_score(problem.y_test, model.decision_function(problem.X_test))


def _break_evens(problem: SpeedProblem, ours: LASVC, peer: Any) -> Quality:
    return _judge_break_evens(problem, ours, "peer", _break_even(problem, peer))


def _break_evens_if_done(ours: LASVC, theirs: float | None) -> Quality:
    problem = mnist_8()
    if theirs is not None:
        return _judge_break_evens(problem, ours, "peer", theirs)
    stand_in = _break_even(problem, _lasvc(_balanced(problem)))
    return _judge_break_evens(problem, ours, "peer stopped, SMOTE and one pass of LASVC", stand_in)


def _judge_break_evens(problem: SpeedProblem, ours: LASVC, who: str, theirs: float) -> Quality:
    mine = _break_even(problem, ours)
    labels = f"{ours.n_labels_:,} of {len(problem.y):,} labels ({ours.stop_reason_})"
    return Quality(f"PRBEP {mine:.4f}, {who} {theirs:.4f}; {labels}", mine >= theirs)


def _dual_objectives(ours: LASVC, peer: SVC) -> Quality:
    alpha = peer.dual_coef_.toarray().ravel()
    K = rbf_kernel(peer.support_vectors_, gamma=adult().gamma)
    mine, theirs = ours.dual_objective_, float(np.abs(alpha).sum() - alpha @ K @ alpha / 2)
    return Quality(f"dual objective {mine:,.0f}, peer {theirs:,.0f}", abs(mine / theirs - 1) <= 0.001)


def _memory(ours: tuple[LASVC, float], peer: tuple[LASVC, float]) -> Quality:
    grown = run_alone("lopsided.bench._lasvm:forest_alone")
    shown = (
        "memory not measured on this system" if grown is None else f"{grown / 2**20:,.0f} MiB beyond the data"
    )
    support = [len(model.support_) for model, _ in (ours, peer)]
    return Quality(
        f"whole fit {ours[1]:.2f} s, of 10,000 {peer[1]:.2f} s; support vectors {support[0]}, {support[1]}; "
        f"{shown}",
        grown is None or grown < 1.5 * 2**30,
    )


def forest_alone() -> Iterator[Any]:
    """Train in a process of its own, to see how much memory that takes."""
    problem = forest()
    yield
    memory = PeakMemory()
    _lasvc(problem, selection="active", max_labels=1000)
    yield memory.grown()
