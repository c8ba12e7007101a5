"""Decide what to show, and learn from what comes back: the protocol of Sculley (KDD 2007) for a server."""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from threading import RLock
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._kernels.checks import true_or_false
from lopsided._labels import NEGATIVE, POSITIVE, as_labels
from lopsided._stored import (
    Check,
    Lengths,
    an_estimator,
    flag,
    label,
    made_again,
    numbers,
    or_none,
    real,
    text,
    whole,
)
from lopsided._validation import as_generator, check_same_length
from lopsided.feedback._decision import Decision
from lopsided.feedback._explorers import Explorer, an_explorer, check_explorer
from lopsided.feedback._gate import Gate
from lopsided.feedback._input import as_table, number_of_items
from lopsided.feedback._missed import MissedEstimate, missed_from_sums
from lopsided.feedback._teaching import Pupil

REMEMBERED = 100_000  # rounds for which feedback is taken: one byte each

_HIDDEN, _OPEN, _TAUGHT_NEGATIVE, _TAUGHT_POSITIVE = range(4)
_TAUGHT = {_TAUGHT_NEGATIVE: int(NEGATIVE), _TAUGHT_POSITIVE: int(POSITIVE)}  # labels by status


class OneSidedFilter:
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

    _stored: ClassVar[dict[str, Check]] = {
        "learner": an_estimator,
        "explorer": an_explorer,
        "bias": real(0, or_not_finite=True),
        "start": text("wait", "cold"),
        "guard": flag(),
        "only_finds": flag(),
        "pos_label": label,
        "n_repeated": whole(),
        "n_corrected": whole(),
        "_other": or_none(label),
        "_status": numbers(REMEMBERED, dtype=np.int8, low=_HIDDEN, high=_TAUGHT_POSITIVE),
        "_gate": made_again(Gate),
        "_pupil": made_again(Pupil),
        "_lock": made_again(type(RLock())),
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
        kind, parameter = check_explorer(explorer)
        if not (isinstance(bias, (int, float, np.number)) and bias >= 0):
            raise ValueError(f"bias must be 0 or more (it shows what scores -bias or more); got {bias!r}.")
        if start not in ("wait", "cold"):
            raise ValueError(f"start must be 'wait' or 'cold'; got {start!r}.")
        for name, value in (("guard", guard), ("only_finds", only_finds)):
            if not isinstance(value, bool | np.bool_):
                raise ValueError(f"{name} must be True or False; got {value!r}.")
        self.learner, self.explorer, self.bias, self.start = learner, explorer, bias, start
        self.guard, self.only_finds, self.pos_label = bool(guard), bool(only_finds), pos_label
        self._pupil = Pupil(learner)
        self._pupil.check_positive(pos_label)
        seed = int(as_generator(random_state).integers(2**63))
        self._gate = Gate(
            kind, parameter, float(bias), start == "wait", self.guard, seed, only_finds=self.only_finds
        )
        if self._pupil.knows_positives:
            self._gate.begin()
        self._lock = RLock()
        self._other: Any = None  # the label that is not the positive one, once it was seen
        self._status = np.zeros(REMEMBERED, dtype=np.int8)
        self.n_repeated = self.n_corrected = 0

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
    def n_rounds(self) -> int:
        """Items decided about."""
        return self._gate.n_rounds

    @property
    def n_labels(self) -> int:
        """Labels that came back, each counted once."""
        return self._gate.n_labels

    @property
    def n_explored(self) -> int:
        """Items shown by chance."""
        return self._gate.n_explored

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
            rows = self._pupil.rows(table)
            scores = self._pupil.scores(rows)
            norms = self._pupil.squared_norms(rows) if self._gate.needs_norms else np.empty(0)
            first = self._gate.n_rounds
            show, explored, probability = self._gate.judge(scores, norms, True)
            self.remember(first, show)
            return Decision(show, explored, scores, probability, np.arange(first, first + len(show)))

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
        if not (decision is None or isinstance(decision, Decision)):
            raise ValueError(
                f"decision must be what decide returned, or None; got {type(decision).__name__}."
            )
        if len(np.atleast_1d(np.asarray(y))) == 0 and (decision is None or len(decision) == 0):
            return self  # nothing of a batch was shown: a server's usual case
        table = as_table(X)
        with self._lock:
            signs, other = self.read_labels(y)
            check_same_length(X=number_of_items(table), y=len(signs))
            if decision is not None:
                check_same_length(X=len(signs), decision=len(decision))
            rows = self._pupil.rows(table)
            if decision is not None:
                self._check_shown(decision, signs)
            before = self._pupil.n_unfinished
            for i, sign in enumerate(signs.tolist()):
                learn = partial(self._pupil.teach, rows, i)
                if decision is None:
                    self._gate.admit(sign, learn)
                else:
                    self._settle(decision, i, sign, learn)
                self._other = other
            self._pupil.remark(before, len(signs))
        return self

    def missed(self, confidence: float = 0.95) -> MissedEstimate:
        """How many positives are among the hidden items, as far as the explored ones can tell.

        Labels of explored items that have not come back count as negative.

        Parameters
        ----------
        confidence : float, default=0.95
            Of the interval.

        Returns
        -------
        estimate : MissedEstimate
        """
        with self._lock:
            total, variance, n_found, largest, n_hidden = self._gate.sums
            return missed_from_sums(
                total, variance, largest, n_found, self._gate.n_unreachable, confidence, n_hidden=n_hidden
            )

    def read_labels(self, y: Any) -> tuple[NDArray[np.int8], Any]:
        """+1 where a label is the positive one, -1 elsewhere; and the other label, if any was seen yet."""
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

    def remember(self, first: int, show: NDArray[np.bool_], told: NDArray[np.int8] | None = None) -> None:
        """Note which rounds from ``first`` on may get feedback; ``told``: the signs of those that had it."""
        status = np.where(show, _OPEN, _HIDDEN).astype(np.int8)
        if told is not None:
            status = np.where(told > 0, _TAUGHT_POSITIVE, np.where(told < 0, _TAUGHT_NEGATIVE, status))
        last = min(len(status), REMEMBERED)
        places = (first + np.arange(len(status) - last, len(status))) % REMEMBERED
        self._status[places] = status[-last:] if last else status

    def _check_shown(self, decision: Decision, signs: NDArray[np.int8]) -> None:
        number, oldest = decision.number, self.n_rounds - REMEMBERED
        for bad, why in (
            ((number < 0) | (number >= self.n_rounds), "was never decided about by this filter"),
            (number < oldest, f"is older than the last {REMEMBERED:,} rounds; its feedback has expired"),
            (
                self._status[number % REMEMBERED] == _HIDDEN,
                "was not shown, so its label cannot have come back. Leave decision out for labels from "
                "elsewhere",
            ),
        ):
            if bad.any():
                raise ValueError(f"item {number[bad][0]} {why}. Nothing was learned.")
        if len(np.unique(number)) < len(number):
            for repeated in np.unique(number):
                if len(np.unique(signs[number == repeated])) > 1:
                    raise ValueError(f"item {repeated} has both labels in one call. Nothing was learned.")

    def _settle(self, decision: Decision, i: int, sign: int, learn: Callable[[int], None]) -> None:
        place = int(decision.number[i]) % REMEMBERED
        settled = self._gate.settle(decision.item(i), sign, learn, _TAUGHT.get(int(self._status[place])))
        self._status[place] = _TAUGHT_POSITIVE if sign > 0 else _TAUGHT_NEGATIVE
        self.n_repeated += settled == "again"
        self.n_corrected += settled == "corrected"

    def __getstate__(self) -> dict[str, Any]:
        # Copies, taken while nobody else decides or learns: what is written later is of one moment.
        with self._lock:
            state = self.__dict__ | {"learner": deepcopy(self.learner), "_status": self._status.copy()}
            state["_gate"] = self._gate.state()
            state["_pupil"] = [self._pupil.taught[1], self._pupil.taught[-1]]
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        gate, taught = state.pop("_gate"), state.pop("_pupil")
        self.__dict__.update(state)
        self._lock = RLock()
        kind, parameter = check_explorer(self.explorer)
        self.only_finds = state.get("only_finds", False)  # filters saved before it was there
        self._gate = Gate(
            kind, parameter, float(self.bias), self.start == "wait", self.guard, 0, only_finds=self.only_finds
        )
        self._gate.restore(gate)
        self._pupil = Pupil(self.learner)
        positive, negative = (true_or_false("taught", each) for each in taught)
        self._pupil.taught = {1: positive, -1: negative}

    def _check_stored(self, lengths: Lengths) -> None:
        self._pupil.check_positive(self.pos_label)
