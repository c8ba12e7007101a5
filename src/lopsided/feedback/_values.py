"""One-sided feedback about values: what an item is worth is learned only if it was shown (Sculley 2007)."""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from lopsided._preparation import validate_table
from lopsided._stored import Check, numbers, real
from lopsided._validation import as_numbers, check_same_length, is_finite
from lopsided.feedback._adapter import refuse_class
from lopsided.feedback._base import HIDDEN, OPEN, REMEMBERED, GatedFilter
from lopsided.feedback._decision import Decision
from lopsided.feedback._explorers import Explorer, check_explorer
from lopsided.feedback._gate import Gate
from lopsided.feedback._input import as_table, number_of_items
from lopsided.feedback._replay import StreamLog, as_mask
from lopsided.feedback._value_report import ValueReport

_TAUGHT = OPEN + 1
_TOLD_AT_A_TIME = 256  # items between two moments at which progress is shown


class ValueFilter(GatedFilter):
    """Show what is likely to be worth a threshold, and learn what it was worth only if it was shown.

    The last section of [1]_ asks whether a whole function of values can be learned from feedback on examples
    predicted above a threshold only: what an advertisement brings in, how long an article is read. The
    protocol is that of `OneSidedFilter`, with a regressor for the learner:

        show  iff  predicted value + bias >= threshold,   or the explorer says so

    A value below what was predicted teaches to show less; if the learner once thinks too little of an item,
    it is not shown, and nothing corrects that. What helps: to begin with a high opinion of everything
    (``initial_value`` of `OnlineRegressor`), a ``bias``, an explorer. Until the first value is learned
    everything is shown.

    Parameters
    ----------
    learner : estimator
        A regressor with ``partial_fit`` and ``predict``, such as `OnlineRegressor`. It is used as it stands,
        not cloned; if it is fitted, showing begins with what it knows.
    threshold : float
        What an item must be worth to be shown: the price of showing it.
    explorer : AppleTasting, LabelEfficient, EpsilonGreedy, SoftmaxExplorer or None, default=None
        Who shows, now and then, what would be hidden. Its score is the predicted value minus the threshold,
        its positives are values of at least the threshold; so beta and temperature have the units of values.
    bias : float, default=0.0
        Show what is predicted to be worth threshold - bias or more; 0 or more.
    random_state : None, int, Generator or RandomState, default=None
        Of the exploration.

    Attributes
    ----------
    n_rounds, n_labels, n_explored : int
        Items decided about, values that came back, items shown by chance.
    n_repeated, n_corrected : int
        Values that came twice (and taught nothing the second time), and that contradicted an earlier one.

    Notes
    -----
    Beside the learner's, the memory of a filter is nine bytes for each of the last 100,000 rounds; feedback
    on older ones is refused.

    References
    ----------
    .. [1] D. Sculley, "Practical Learning from One-Sided Feedback", KDD 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided import EpsilonGreedy, OnlineRegressor, ValueFilter
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 3))
    >>> values = X @ [1, 2, 3] + rng.normal(size=1000)
    >>> learner = OnlineRegressor(eta0=0.1, initial_value=2.0)
    >>> clerk = ValueFilter(learner, threshold=2.0, explorer=EpsilonGreedy(), random_state=0)
    >>> for i in range(1000):
    ...     decision = clerk.decide(X[i : i + 1])
    ...     if decision.show[0]:
    ...         _ = clerk.learn(X[i : i + 1], values[i : i + 1], decision)  # now, or when the value is known
    >>> clerk.n_labels < 500, bool(abs(learner.coef_ - [1, 2, 3]).max() < 0.5)
    (True, True)
    """

    _answer = "value"
    _stored: ClassVar[dict[str, Check]] = {
        "threshold": real(),
        "bias": real(0),
        "_status": numbers(REMEMBERED, dtype=np.int8, low=HIDDEN, high=_TAUGHT),
        "_told": numbers(REMEMBERED),
    }

    def __init__(
        self,
        learner: Any,
        threshold: float,
        explorer: Explorer | None = None,
        bias: float = 0.0,
        random_state: Any = None,
    ) -> None:
        refuse_class(learner)
        for method in ("partial_fit", "predict"):
            if not hasattr(learner, method):
                raise ValueError(
                    f"{type(learner).__name__} has no {method}, so it cannot learn values item by item. "
                    "Use OnlineRegressor or SGDRegressor, say."
                )
        if not is_finite(threshold):
            raise ValueError(f"threshold must be a finite number; got {threshold!r}.")
        if not (is_finite(bias) and bias >= 0):
            raise ValueError(f"bias must be a finite number, 0 or more; got {bias!r}.")
        check_explorer(explorer)
        self.learner, self.threshold, self.explorer, self.bias = learner, threshold, explorer, bias
        self._told = np.zeros(REMEMBERED)
        self._begin_rounds(random_state, started=_is_fitted(learner))

    def __repr__(self) -> str:
        options = [repr(self.learner), f"threshold={self.threshold!r}"]
        if self.explorer is not None:
            options.append(f"explorer={self.explorer!r}")
        if self.bias:
            options.append(f"bias={self.bias!r}")
        return f"ValueFilter({', '.join(options)})"

    def decide(self, X: ArrayLike) -> Decision:
        """Decide about items, in order; the learner stays as it is.

        Parameters
        ----------
        X : array-like or CSR of shape (n_items, n_features)

        Returns
        -------
        decision : Decision
            Its ``score`` is the predicted value minus the threshold; 0 before anything was learned.
        """
        rows = _rows(X)
        with self._lock:
            return self._decide_and_remember(rows, explores=True)

    def learn(self, X: ArrayLike, values: ArrayLike, decision: Decision | None = None) -> Self:
        """Take in the values of items that were shown.

        A value that comes a second time teaches nothing more; another one is learned as a correction. Nothing
        is learned if anything is wrong with the call.

        Parameters
        ----------
        X : array-like or CSR of shape (n_items, n_features)
            The same items.
        values : array-like of shape (n_items,)
        decision : Decision, optional
            What was decided about these items: ``decision[decision.show]``, say. Without it the values come
            from elsewhere: they teach the learner, and say nothing about the filter.

        Returns
        -------
        self
        """
        if not self._check_decision(decision, values):
            return self
        rows, worth = _rows(X), _finite_values(values)
        check_same_length(X=rows.shape[0], values=len(worth))
        with self._lock:
            if decision is None:
                # In one call: a regressor may shuffle what it is given. The largest value can end the wait.
                self._gate.admit(float(worth.max()), lambda _: self.learner.partial_fit(rows, worth))
                return self
            check_same_length(X=rows.shape[0], decision=len(decision))
            self._check_shown(decision.number)
            _check_agreement(decision.number, worth)
            for i in range(len(worth)):
                self._settle(rows[i : i + 1], float(worth[i]), decision, i)
        return self

    def replay(self, row: Any, trace: StreamLog) -> None:
        """Decide about the next row of a stream, and learn its value if that comes back.

        `run_value_stream` does this with a whole stream.

        Parameters
        ----------
        row : array or CSR of shape (1, n_features)
        trace : Trace
            Values of the stream, and what was decided so far.
        """
        with self._lock:
            value = float(trace.answers[trace.n_done])
            decision = self._decide_and_remember(row, explores=trace.explores)
            if trace.note(decision.item(0)):
                self._settle(row, value, decision, 0)
            trace.n_finished = trace.n_done

    def _decide_and_remember(self, rows: Any, *, explores: bool) -> Decision:
        first = self.n_rounds
        decision = self._decide(rows, explores=explores)
        self._remember(first, np.where(decision.show, OPEN, HIDDEN))
        return decision

    def _scores(self, rows: Any) -> NDArray[np.float64]:
        if not self._gate.started:
            return np.zeros(rows.shape[0])
        predicted = np.asarray(self.learner.predict(rows), dtype=np.float64).reshape(-1)
        if len(predicted) != rows.shape[0] or not np.isfinite(predicted).all():
            raise ValueError(f"{type(self.learner).__name__} did not predict one finite number a row.")
        return predicted - self.threshold

    def _settle(self, row: Any, value: float, decision: Decision, i: int) -> None:
        def learn(value: float) -> None:
            self.learner.partial_fit(row, np.array([value]))

        place = int(decision.number[i]) % REMEMBERED
        before = float(self._told[place]) if self._status[place] == _TAUGHT else None
        self._count(self._gate.settle(decision.item(i), value, learn, before))
        self._status[place], self._told[place] = _TAUGHT, value

    def _make_gate(self, seed: int) -> Gate:
        return Gate(
            *check_explorer(self.explorer),
            bias=float(self.bias),
            waits=True,
            guards=False,
            seed=seed,
            any_teaches=True,
            threshold=float(self.threshold),
        )

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return super().__getstate__() | {"_told": self._told.copy()}


def run_value_stream(
    filter: ValueFilter,
    X: Any,
    values: ArrayLike,
    feedback: str | ArrayLike = "one-sided",
    progress: bool = False,
) -> ValueReport:
    """Let a filter decide about every item of a stream, and learn where a value comes back.

    The filter goes on from where it stands; the same as calling its ``decide`` and ``learn`` item by item.

    Parameters
    ----------
    filter : ValueFilter
    X : array-like or CSR of shape (n_items, n_features)
        The stream in order.
    values : array-like of shape (n_items,)
        What each item is worth; the filter sees only those values that come back.
    feedback : {"one-sided", "full"} or bool array of shape (n_items,), default="one-sided"
        Values come back for what is shown; for everything; or for the items marked, whatever was shown. There
        is exploration under one-sided feedback only.
    progress : bool, default=False
        Show a progress bar on a terminal.

    Returns
    -------
    report : ValueReport
        If anything raises on the way, the exception has the report so far in its attribute ``report``.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided import OnlineRegressor, ValueFilter, run_value_stream
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 3))
    >>> values = X @ [1, 2, 3] + rng.normal(size=1000)
    >>> hopeful, sceptical = (OnlineRegressor(eta0=0.3, initial_value=start) for start in (2.0, 0.0))
    >>> report = run_value_stream(ValueFilter(hopeful, threshold=2.0), X, values)
    >>> report.recall > 0.8, report.regret < 0.2 * (report.won + report.lost)
    (True, True)
    >>> run_value_stream(ValueFilter(sceptical, threshold=2.0), X, values).show.sum()
    np.int64(1)
    """
    if not isinstance(filter, ValueFilter):
        raise ValueError(
            f"filter must be a ValueFilter; got {type(filter).__name__}. Put a learner into one: "
            "ValueFilter(learner, threshold)."
        )
    worth = _finite_values(values)
    n = len(worth)
    rows = _rows(X) if n else np.empty((number_of_items(as_table(X)), 0))
    check_same_length(X=rows.shape[0], values=n)
    trace = StreamLog(worth, as_mask(feedback, n))

    def steps() -> Iterator[None]:
        for i in range(n):
            filter.replay(rows[i : i + 1], trace)
            if i % _TOLD_AT_A_TIME == 0:
                yield

    def report() -> ValueReport:
        done = slice(0, trace.n_done)
        show, explored, score, probability = trace.decided(done)
        return ValueReport(
            value=worth[done],
            show=show,
            explored=explored,
            predicted=score + filter.threshold,
            probability=probability,
            revealed=trace.told(done),
            threshold=float(filter.threshold),
        )

    return trace.run(steps(), report, progress)


def _rows(X: Any) -> Any:
    """Return rows as they are where the learner will look at them anyway."""
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float64 and X.size and np.isfinite(X).all():
        return X
    return validate_table(as_table(X))


def _finite_values(values: ArrayLike) -> NDArray[np.float64]:
    numbers = as_numbers(values, "values")
    if not np.isfinite(numbers).all():
        raise ValueError("values contain infinity; expected what each item is worth. Leave those items out.")
    return numbers


def _check_agreement(number: NDArray[np.int64], values: NDArray[np.float64]) -> None:
    """Raise a ValueError if an item has two values."""
    once, first = np.unique(number, return_index=True)
    unequal = values != values[first][np.searchsorted(once, number)]
    if unequal.any():
        raise ValueError(f"item {number[unequal][0]} has two values in one call. Nothing was learned.")


def _is_fitted(learner: Any) -> bool:
    try:
        check_is_fitted(learner)
    except (NotFittedError, TypeError):  # TypeError: no estimator of scikit-learn's; then nobody can say
        return False
    return True
