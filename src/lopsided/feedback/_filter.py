"""Decide what to show, and learn from what comes back: the protocol of Sculley (KDD 2007) for a server."""

from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._labels import NEGATIVE, POSITIVE, as_labels
from lopsided._stored import Check, Lengths, flag, label, made_again, numbers, or_none, real, text
from lopsided._validation import check_same_length
from lopsided.feedback._adapter import LearnerAdapter, adapted, check_positive
from lopsided.feedback._base import HIDDEN, OPEN, REMEMBERED, GatedFilter
from lopsided.feedback._decision import Decision, ItemDecision
from lopsided.feedback._explorers import Explorer, check_explorer
from lopsided.feedback._gate import Gate
from lopsided.feedback._input import as_table, number_of_items
from lopsided.feedback._replay import StreamLog
from lopsided.online import Learner, OnlineLearner

_TAUGHT_NEGATIVE, _TAUGHT_POSITIVE = OPEN + 1, OPEN + 2
_TAUGHT = {_TAUGHT_NEGATIVE: int(NEGATIVE), _TAUGHT_POSITIVE: int(POSITIVE)}  # labels by status


class Chunk(NamedTuple):
    """Some items of a stream: ``n_rows`` rows of a table, from row ``first`` on."""

    table: Any
    rows: Any  # the same as the learner takes them
    first: int
    n_rows: int


class OneSidedFilter(GatedFilter):
    """Show or hide items as they come, and learn only from those that were shown.

    An item is shown if f(x) + ``bias`` >= 0, or if the explorer says so. Labels may come at once, late, in
    any order, in batches, twice, or never; what is needed to learn from them is in the `Decision`.

    Parameters
    ----------
    learner : estimator
        `MarginPerceptron`, `RelaxedOnlineSVM`, or anything with ``partial_fit`` and ``decision_function`` (or
        ``predict_proba``). It is used as it stands, not cloned, and goes on learning. It sees 1 for the
        positive label and 0 for the other: a ``class_weight`` must name these. One of scikit-learn's shows
        everything until it has been taught both classes.
    explorer : AppleTasting, LabelEfficient, EpsilonGreedy, SoftmaxExplorer or None, default=None
        Who shows, now and then, what would be hidden. Margin learners do well without; nobody can say what is
        being missed without.
    bias : float, default=0.0
        Show what scores -bias or more (theta in [1]_); 0 or more. Learner and explorer see the score without
        it.
    start : {"wait", "cold"}, default="wait"
        "wait": until the first positive label everything is shown, and negatives teach nothing. "cold" is the
        bare protocol: a first negative may then hide everything for ever.
    pos_label : label, default=1
        What is to be shown.
    random_state : None, int, Generator or RandomState, default=None
        Of the exploration.
    guard : bool, default=False
        Show one in five of what is rejected while far fewer positives are accepted than before, until that is
        found to be right or no longer so.
    only_finds : bool, default=False
        Of what is explored, or shown by the guard, only positives teach the learner. An explored negative is
        what the learner said it was; where these abound, such lessons drive the border into the positives.

    Attributes
    ----------
    n_rounds, n_labels, n_explored : int
        Items decided about, labels that came back, items shown by chance.
    n_repeated, n_corrected : int
        Labels that came twice (and taught nothing the second time), and that contradicted an earlier one.

    Notes
    -----
    Beside the learner's, the memory of a filter is one byte for each of the last 100,000 rounds; feedback on
    older ones is refused.

    References
    ----------
    .. [1] D. Sculley, "Practical Learning from One-Sided Feedback", KDD 2007.

    Examples
    --------
    >>> from lopsided import MarginPerceptron, OneSidedFilter, make_lopsided
    >>> X, y = make_lopsided(n_samples=200, positive_rate=0.3, random_state=0)
    >>> inbox = OneSidedFilter(MarginPerceptron())
    >>> for i in range(200):
    ...     decision = inbox.decide(X[i : i + 1])
    ...     if decision.show[0]:  # somebody looks at it, and says what it is
    ...         _ = inbox.learn(X[i : i + 1], y[i : i + 1], decision)
    >>> inbox.n_rounds, inbox.n_labels < 200
    (200, True)
    """

    _answer = "label"
    _stored: ClassVar[dict[str, Check]] = {
        "bias": real(0, or_not_finite=True),
        "start": text("wait", "cold"),
        "guard": flag(),
        "only_finds": flag(),
        "pos_label": label,
        "_other": or_none(label),
        "_status": numbers(REMEMBERED, dtype=np.int8, low=HIDDEN, high=_TAUGHT_POSITIVE),
        "_adapted": made_again(OnlineLearner, LearnerAdapter),
    }

    def __init__(
        self,
        learner: Any,
        explorer: Explorer | None = None,
        bias: float = 0.0,
        start: str = "wait",
        pos_label: Any = 1,
        random_state: Any = None,
        *,
        guard: bool = False,
        only_finds: bool = False,
    ) -> None:
        check_explorer(explorer)
        if not (isinstance(bias, (int, float, np.number)) and bias >= 0):
            raise ValueError(f"bias must be 0 or more (it shows what scores -bias or more); got {bias!r}.")
        if start not in ("wait", "cold"):
            raise ValueError(f"start must be 'wait' or 'cold'; got {start!r}.")
        for name, value in (("guard", guard), ("only_finds", only_finds)):
            if not isinstance(value, bool | np.bool_):
                raise ValueError(f"{name} must be True or False; got {value!r}.")
        self.learner, self.explorer, self.bias, self.start = learner, explorer, bias, start
        self.guard, self.only_finds, self.pos_label = bool(guard), bool(only_finds), pos_label
        self._adapted = adapted(learner)
        check_positive(learner, pos_label)
        self._other: Any = None  # the label that is not the positive one, once it was seen
        self._begin_rounds(random_state, started=self._adapted.knows_positives)

    def __repr__(self) -> str:
        options = [repr(self.learner)]
        if self.explorer is not None:
            options.append(f"explorer={self.explorer!r}")
        defaults = {"bias": 0.0, "start": "wait", "pos_label": 1, "guard": False, "only_finds": False}
        for name, default in defaults.items():
            if getattr(self, name) != default:
                options.append(f"{name}={getattr(self, name)!r}")
        return f"OneSidedFilter({', '.join(options)})"

    @property
    def adapted(self) -> Learner:
        """The learner by the protocol of filters."""
        return self._adapted

    @property
    def is_alarmed(self) -> bool:
        """Whether the guard explores more because positives seem to be missed."""
        return self._gate.is_alarmed

    def decide(self, X: ArrayLike) -> Decision:
        """Decide about items, in order; the learner stays as it is.

        Parameters
        ----------
        X : array-like or CSR of shape (n_items, n_features)

        Returns
        -------
        decision : Decision
        """
        table = as_table(X)
        if number_of_items(table) == 0:
            return Decision.join([])
        with self._lock:
            decision = self._decide(self._adapted.rows(table))
            self._remember_shown(decision.number[0], decision.show)
            return decision

    def learn(self, X: ArrayLike, y: ArrayLike, decision: Decision | None = None) -> Self:
        """Take in the labels of items that were shown.

        A label that comes a second time teaches nothing more; one that contradicts an earlier one is learned
        as a correction. Nothing is learned if anything is wrong with the call.

        Parameters
        ----------
        X : array-like or CSR of shape (n_items, n_features)
            The same items.
        y : array-like of shape (n_items,)
        decision : Decision, optional
            What was decided about these items: ``decision[decision.show]``, say. Without it the labels come
            from elsewhere, such as a folder of examples: they teach the learner, and say nothing about the
            filter.

        Returns
        -------
        self
        """
        if not self._check_decision(decision, y):
            return self
        table = as_table(X)
        with self._lock:
            signs, other = self.read_labels(y)
            check_same_length(X=number_of_items(table), y=len(signs))
            if decision is not None:
                check_same_length(X=len(signs), decision=len(decision))
            learner = self._adapted
            rows = learner.rows(table)
            if decision is not None:
                self._check_shown(decision.number)
                _check_agreement(decision.number, signs)
            before = learner.n_unfinished
            for i, sign in enumerate(signs.tolist()):
                learn = partial(learner.learn, rows, i)
                if decision is None:
                    self._gate.admit(sign, learn)
                else:
                    place = int(decision.number[i]) % REMEMBERED
                    known = _TAUGHT.get(int(self._status[place]))
                    self._count(self._gate.settle(decision.item(i), sign, learn, known))
                    self._status[place] = _TAUGHT_POSITIVE if sign > 0 else _TAUGHT_NEGATIVE
                self._other = other
            learner.warn_unfinished(before, len(signs))
        return self

    def read_labels(self, y: Any) -> tuple[NDArray[np.int8], Any]:
        """Return the labels as signs, and what the other label is.

        Parameters
        ----------
        y : array-like of shape (n_items,)

        Returns
        -------
        signs : int8 array of shape (n_items,)
            1 where a label is the positive one, -1 elsewhere.
        other : label or None
            The label that is not the positive one, if any was seen yet.
        """
        one = isinstance(y, np.ndarray) and y.shape == (1,) and y.dtype.kind in "biu"
        if one and self._other is not None and (y[0] == self.pos_label or y[0] == self._other):
            sign = POSITIVE if y[0] == self.pos_label else NEGATIVE
            return np.array([sign]), self._other  # a server's usual call
        labels = as_labels(y)
        if (labels.dtype.kind in "US") != isinstance(self.pos_label, (str, bytes)):
            raise ValueError(
                f"y holds {labels[0].item()!r}, but pos_label is {self.pos_label!r}. Spell them alike."
            )
        others = np.unique(labels[labels != self.pos_label])
        if self._other is not None:
            others = np.union1d(others, [self._other])
        if len(others) > 1:
            raise ValueError(
                f"y holds {others.tolist()[:5]} beside pos_label={self.pos_label!r}; expected one other."
            )
        other = others[0].item() if len(others) else None
        return np.where(labels == self.pos_label, POSITIVE, NEGATIVE), other

    def rows(self, table: Any) -> Any:
        """Return checked rows; a learner that has seen nothing begins with them.

        Parameters
        ----------
        table : array or CSR of shape (n_items, n_features)

        Returns
        -------
        rows : MeasuredRows, or what another learner takes
        """
        with self._lock:
            return self._adapted.rows(table)

    def replay(self, chunk: Chunk, trace: StreamLog, other: Any) -> None:
        """Decide about the next items of a stream, and learn what comes back.

        `run_stream` does this with a whole stream.

        Parameters
        ----------
        chunk : Chunk
            The items.
        trace : Trace
            Answers of the stream, and what was decided so far.
        other : label or None
            The label of the stream's negatives.
        """
        with self._lock:
            first, round_before = trace.n_done, self._gate.n_rounds
            try:
                if not self._replay_compiled(chunk, trace):
                    for i in range(chunk.first, chunk.first + chunk.n_rows):
                        self._replay_one(chunk, i, trace)
            finally:
                done = slice(first, trace.n_done)
                told = np.where(trace.told(done), trace.answers[done], 0)
                self._remember_shown(round_before, trace.show[done], told)
                if trace.n_finished:
                    self._other = other

    def _replay_compiled(self, chunk: Chunk, trace: StreamLog) -> bool:
        """Decide about all items at once; return False, having done nothing, where that is not safe."""
        gate, where = self._gate, slice(trace.n_done, trace.n_done + chunk.n_rows)
        revealed = None if trace.revealed is None else trace.revealed[where]
        gate.n_done = gate.n_finished = 0
        try:
            return self._adapted.replay(
                gate, chunk.rows, chunk.first, trace.answers[where], revealed, trace.decided(where)
            )
        finally:
            trace.n_finished = trace.n_done + gate.n_finished
            trace.n_done += gate.n_done

    def _replay_one(self, chunk: Chunk, i: int, trace: StreamLog) -> None:
        learner, row = self._adapted, chunk.table[i : i + 1]
        if chunk.rows is not chunk.table:
            row = learner.rows(row)
        sign = int(trace.answers[trace.n_done])
        decision = ItemDecision(*(part.item(0) for part in self._judge(row, explores=trace.explores)))
        if trace.note(decision):
            self._gate.settle(decision, sign, partial(learner.learn, row, 0))
        trace.n_finished = trace.n_done

    def _make_gate(self, seed: int) -> Gate:
        return Gate(
            *check_explorer(self.explorer),
            bias=float(self.bias),
            waits=self.start == "wait",
            guards=self.guard,
            seed=seed,
            only_finds=self.only_finds,
        )

    def _scores(self, rows: Any) -> NDArray[np.float64]:
        return self._adapted.scores(rows)

    def _remember_shown(
        self, first: int, show: NDArray[np.bool_], told: NDArray[np.int8] | None = None
    ) -> None:
        """Note which rounds from ``first`` on may get feedback; ``told``: the signs of those that had it."""
        status = np.where(show, OPEN, HIDDEN)
        if told is not None:
            status = np.where(told > 0, _TAUGHT_POSITIVE, np.where(told < 0, _TAUGHT_NEGATIVE, status))
        self._remember(first, status)

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            state, learner = super().__getstate__(), self._adapted
        del state["_adapted"]
        # The name that files have for it.
        state["_pupil"] = learner.state()["taught"] if isinstance(learner, LearnerAdapter) else [False, False]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = {"only_finds": False} | state  # filters saved before it was there
        taught = state.pop("_pupil")
        super().__setstate__(state)
        self._adapted = adapted(self.learner)
        if isinstance(self._adapted, LearnerAdapter):
            self._adapted.restore({"taught": taught})

    def _check_stored(self, lengths: Lengths) -> None:
        check_positive(self.learner, self.pos_label)


def _check_agreement(number: NDArray[np.int64], signs: NDArray[np.int8]) -> None:
    """Raise a ValueError if an item has both labels."""
    if len(np.unique(number)) < len(number):
        for repeated in np.unique(number):
            if len(np.unique(signs[number == repeated])) > 1:
                raise ValueError(f"item {repeated} has both labels in one call. Nothing was learned.")
