"""Screening of records whose labels are known: how much work a strategy saves, and when one would stop."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided.metrics import work_saved_over_sampling
from lopsided.screening._session import ScreeningSession
from lopsided.screening._stop_plan import DEFAULT_PLAN, PlanVerdict, StopPlan, judge_plan
from lopsided.screening._strategies import STRATEGIES

Start = Literal["both", "relevant", "nothing"]
_EVERY = 10  # labels between two looks at the stopping rules and the estimate


class Stop(NamedTuple):
    """The moment a stopping rule, or the combination of several, first fired."""

    rule: str
    n_labels: int
    recall: float


class Checkpoint(NamedTuple):
    """An estimate of what was left, beside the truth."""

    n_labels: int
    low: int
    high: int
    can_tell: bool
    left: int
    """How many relevant records were left in truth."""


class SimulatedRun(NamedTuple):
    """One screening from its start to its end."""

    strategy: str
    seed: int
    rows: NDArray[np.intp]
    """The records in the order in which they were labeled; the first ones are the start."""
    relevant: NDArray[np.bool_]
    n_items: int
    n_relevant: int
    stops: tuple[Stop, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()
    seconds_a_label: float = np.nan
    """Median time from an answer to the next question; NaN where it was not measured."""

    def recall(self) -> NDArray[np.float64]:
        """Return the share of the relevant records that was found after each label."""
        return np.cumsum(self.relevant) / max(self.n_relevant, 1)

    def labels_to(self, recall: float = 0.95) -> int | None:
        """Return how many labels it took to reach a recall; None where it was not reached."""
        reached = np.flatnonzero(np.cumsum(self.relevant) >= np.ceil(recall * self.n_relevant - 1e-9))
        return int(reached[0]) + 1 if len(reached) else None

    def work_saved(self, recall: float = 0.95) -> float:
        """Return the work saved over sampling; NaN where the recall was not reached."""
        if self.labels_to(recall) is None:
            return float("nan")
        unread = np.zeros(self.n_items - len(self.rows))
        unread[: self.n_relevant - int(self.relevant.sum())] = 1
        truth = np.concatenate([self.relevant, unread])
        return work_saved_over_sampling(truth, -np.arange(self.n_items), recall=recall)


class SimulatedScreening(NamedTuple):
    """Runs of several strategies and seeds on the same records."""

    n_items: int
    n_relevant: int
    runs: tuple[SimulatedRun, ...]

    @property
    def strategies(self) -> tuple[str, ...]:
        """The strategies in the order of their runs."""
        return tuple(dict.fromkeys(run.strategy for run in self.runs))

    def of(self, strategy: str) -> list[SimulatedRun]:
        """Return the runs of one strategy."""
        return [run for run in self.runs if run.strategy == strategy]

    def work_saved_at_95(self) -> dict[str, list[float]]:
        """Return the work saved over sampling at 95 % recall of each strategy, one number a seed."""
        return {name: [run.work_saved() for run in self.of(name)] for name in self.strategies}

    def coverage(self, strategy: str) -> float:
        """Return how often the interval of `estimate` held the truth; NaN where it never gave one."""
        told = [c for run in self.of(strategy) for c in run.checkpoints if c.can_tell]
        return float(np.mean([c.low <= c.left <= c.high for c in told])) if told else float("nan")


def simulate(
    records: Iterable[Any],
    relevant: ArrayLike,
    *,
    strategies: Sequence[str] = ("mixed",),
    seeds: int | Sequence[int] = 5,
    start: Start = "both",
    until: Literal["stopped", "recall", "all"] = "stopped",
    plan: StopPlan = DEFAULT_PLAN,
    groups: ArrayLike | None = None,
    max_labels: int | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> SimulatedScreening:
    """Screen records whose labels are known, as a reviewer would, and return what each strategy costs.

    Parameters
    ----------
    records : sequence of Record or str
        What to screen.
    relevant : array-like of bool of shape (n_records,)
        The true labels.
    strategies : sequence of str, default=("mixed",)
        Names of `STRATEGIES`.
    seeds : int or sequence of int, default=5
        How many runs of each strategy, or their seeds. A seed decides the start, too.
    start : {"both", "relevant", "nothing"}, default="both"
        What is known at first: a relevant and an irrelevant record, a relevant one, or nothing. They count
        as labels.
    until : {"stopped", "recall", "all"}, default="stopped"
        When a run ends: when 95 % of the relevant records are found and every stopping rule that applies
        has fired; when 95 % are found, without a look at stopping rules; or when all records are labeled.
    plan : StopPlan, optional
        The numbers of the stopping rules, and the combination that is reported beside them.
    groups : array-like of int or None, default=None
        As in `ScreeningSession`. Copies take the label of the first of their group and are left out.
    max_labels : int or None, default=None
        End a run after so many labels.
    tell : callable or None, default=None
        Called with the number of finished runs and of all runs.

    Returns
    -------
    simulation : SimulatedScreening
        The order of the labels, the work saved, and when each stopping rule fired.

    Examples
    --------
    >>> texts = [f"ship {i % 7} sea" for i in range(20)] + [f"wheat {i % 5} field" for i in range(80)]
    >>> simulation = simulate(texts, [1] * 20 + [0] * 80, seeds=1, until="recall")
    >>> simulation.work_saved_at_95()["mixed"][0] > 0.5
    True
    """
    for name in strategies:
        _check_strategy(name)
    session = LabeledSession(records, relevant, groups=groups)
    all_seeds = range(seeds) if isinstance(seeds, int) else seeds
    todo = [(name, seed) for name in strategies for seed in all_seeds]
    runs = []
    for done, (name, seed) in enumerate(todo):
        if tell is not None:
            tell(done, len(todo))
        runs.append(session.run(name, seed, start=start, until=until, plan=plan, max_labels=max_labels))
    if tell is not None:
        tell(len(todo), len(todo))
    return SimulatedScreening(session.n_items, session.n_relevant, tuple(runs))


class LabeledSession:
    """A session over records whose labels are known: read once, screened as often as you like.

    Parameters
    ----------
    records : iterable of Record or str
    relevant : array-like of bool of shape (n_records,)
        The true labels.
    groups : array-like of int or None, default=None
        As in `ScreeningSession`.
    """

    def __init__(
        self, records: Iterable[Any], relevant: ArrayLike, *, groups: ArrayLike | None = None
    ) -> None:
        records = list(records)
        self._truth = np.asarray(relevant).astype(bool)
        self._first = np.arange(len(records)) if groups is None else np.asarray(groups, dtype=np.intp)
        _check(records, self._truth)
        self._session = ScreeningSession(records, groups=groups)
        stands = np.unique(self._first)
        self.n_items, self.n_relevant = len(stands), int(self._truth[stands].sum())

    def run(
        self,
        strategy: str,
        seed: int,
        *,
        start: Start = "both",
        until: Literal["stopped", "recall", "all"] = "stopped",
        plan: StopPlan = DEFAULT_PLAN,
        max_labels: int | None = None,
    ) -> SimulatedRun:
        """Screen the records from their start to their end; the parameters are those of `simulate`."""
        _check_strategy(strategy)
        if start not in ("both", "relevant", "nothing"):
            raise ValueError(f"start must be 'both', 'relevant' or 'nothing'; got {start!r}.")
        self._session.restart(strategy=strategy, seed=seed)
        own = self._truth & (self._first == np.arange(len(self._first)))
        given = choose_start(own, self._first, seed, start)
        limit = len(self._truth) if max_labels is None else max_labels
        return _run(self._session, self._truth, given, until, limit, plan)


def choose_start(
    truth: NDArray[np.bool_], first: NDArray[np.intp], seed: int, start: Start
) -> NDArray[np.intp]:
    """Return the rows that are known at first."""
    rng = np.random.default_rng([seed, 7])
    stands = np.unique(first)
    given = [rng.choice(stands[truth[stands]])] if start != "nothing" else []
    if start == "both":
        given.append(rng.choice(stands[~truth[stands]]))
    return np.array(given, dtype=np.intp)


def _check(records: Sequence[Any], truth: NDArray[np.bool_]) -> None:
    if truth.shape != (len(records),):
        raise ValueError(f"one label a record is needed; got {len(records)} records, {truth.size} labels.")
    if truth.all() or not truth.any():
        raise ValueError(
            f"a simulation needs relevant and irrelevant records; got {truth.sum()} relevant of {len(truth)}."
        )


def _check_strategy(name: str) -> None:
    if name not in STRATEGIES:
        raise ValueError(f"strategy must be one of {', '.join(STRATEGIES)}; got {name!r}.")


def _run(
    session: ScreeningSession,
    truth: NDArray[np.bool_],
    given: NDArray[np.intp],
    until: str,
    max_labels: int,
    plan: StopPlan,
) -> SimulatedRun:
    n_items, n_relevant = session.n_items, int(truth[session.representatives()].sum())
    needed = int(np.ceil(0.95 * n_relevant - 1e-9))
    stops: dict[str, Stop] = {}
    checkpoints: list[Checkpoint] = []
    rules = {"": False}
    verdict: PlanVerdict | None = None
    seconds = []
    for row in given.tolist():
        session.answer(row, bool(truth[row]))
    while session.n_labels < max_labels:
        began = time.perf_counter()
        question = session.ask()
        seconds.append(time.perf_counter() - began)
        if question is None:
            break
        session.answer(question.row, bool(truth[question.row]), reason=question.reason)
        if until == "stopped" and session.n_labels % _EVERY == 0:
            verdict = judge_plan(session.screened(), plan, verdict)
            reasons = [*verdict.rules, verdict.plan]
            rules = {r.rule: r.fires or r.since is not None for r in reasons if r.applies}
            recall = session.n_found / n_relevant
            for reason in reasons:
                if reason.fires and reason.rule not in stops:
                    stops[reason.rule] = Stop(reason.rule, session.n_labels, recall)
            told = session.estimate()
            checkpoints.append(
                Checkpoint(session.n_labels, told.low, told.high, told.can_tell, n_relevant - session.n_found)
            )
        done = until == "recall" or (until == "stopped" and all(rules.values()))
        if done and session.n_found >= needed:
            break
    screened = session.screened()
    return SimulatedRun(
        strategy=session.strategy,
        seed=session.seed,
        rows=screened.rows,
        relevant=screened.relevant,
        n_items=n_items,
        n_relevant=n_relevant,
        stops=tuple(stops.values()),
        checkpoints=tuple(checkpoints),
        seconds_a_label=float(np.median(seconds)) if seconds else np.nan,
    )
