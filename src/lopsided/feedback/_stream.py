"""A whole stream at once: what a filter would have done; compiled where the learner is ours."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._kernels.online import replay
from lopsided._kernels.rows import Rows
from lopsided._validation import check_same_length
from lopsided.feedback._filter import OneSidedFilter
from lopsided.feedback._replay import Bar, as_mask
from lopsided.feedback._report import StreamReport

_CHUNK = 1024  # items between two moments at which Ctrl-C is heard and progress is shown
_MESSAGES = 64  # turned into features at a time: they are still near when they are scored


def run_stream(
    filter: OneSidedFilter,
    X: Any,
    y: ArrayLike,
    feedback: str | ArrayLike = "one-sided",
    vectorizer: Any = None,
    progress: bool = False,
) -> StreamReport:
    """Let a filter decide about every item of a stream, and learn where a label comes back.

    The filter goes on from where it stands. The same as calling its ``decide`` and ``learn`` item by item,
    but much faster with our own learners.

    Parameters
    ----------
    filter : OneSidedFilter
    X : array-like or CSR of shape (n_items, n_features), or list of bytes
        The stream in order; raw messages need a ``vectorizer``.
    y : array-like of shape (n_items,)
        All labels; the filter sees only those that come back.
    feedback : {"one-sided", "full"} or bool array of shape (n_items,), default="one-sided"
        Labels come back for what is shown; for everything; or for the items marked, whatever was shown. There
        is exploration under one-sided feedback only.
    vectorizer : transformer, optional
        Such as ``ByteGramVectorizer(n_features=2**20)``: messages become features a few at a time, so that
        the matrix of all of them is never made.
    progress : bool, default=False
        Show a progress bar on a terminal.

    Returns
    -------
    report : StreamReport
        If anything raises on the way, the exception has the report so far in its attribute ``report``.

    Examples
    --------
    >>> from lopsided import AppleTasting, MarginPerceptron, OneSidedFilter, make_lopsided, run_stream
    >>> X, y = make_lopsided(n_samples=2000, positive_rate=0.3, random_state=0)
    >>> curious = OneSidedFilter(MarginPerceptron(), explorer=AppleTasting(), random_state=0)
    >>> report = run_stream(curious, X, y)
    >>> report.n_explored > 0
    True
    """
    if not isinstance(filter, OneSidedFilter):
        raise ValueError(
            f"filter must be a OneSidedFilter; got {type(filter).__name__}. Put a learner into one: "
            "OneSidedFilter(learner)."
        )
    if isinstance(X, tuple):
        X = list(X)
    signs = filter.signs(y) if len(np.atleast_1d(np.asarray(y))) else np.empty(0, dtype=np.int8)
    n = len(signs)
    revealed = as_mask(feedback, n)
    check_same_length(X=len(X) if vectorizer is not None or isinstance(X, list) else X.shape[0], y=n)
    run = _Run(filter, signs, revealed)
    bar: Any = Bar(n) if progress else nullcontext(lambda done: None)
    with bar as advance:
        try:
            for chunk in _chunks(filter, X, n, vectorizer):
                run.take(*chunk)
                advance(run.n_done)
        except BaseException as error:
            error.report = run.report()  # type: ignore[attr-defined]
            error.add_note(f"The report of the first {run.n_done:,} items is in the exception's .report")
            raise
    return run.report()


class _Run:
    """Room for what is decided, and the two ways of deciding."""

    def __init__(
        self, filter: OneSidedFilter, signs: NDArray[np.int8], revealed: NDArray[np.bool_] | None
    ) -> None:
        n = len(signs)
        self.filter, self.signs, self.revealed = filter, signs, revealed
        self.show, self.explored = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        self.score, self.probability = np.zeros(n), np.zeros(n)
        self.n_done = self.n_finished = 0
        self._n_lessons = 0
        self._updates_before = filter._pupil.n_updates or 0

    def take(self, rows: Any, first: int, count: int) -> None:
        """Decide about ``count`` rows, of which the first is row ``first`` of the matrix."""
        with self.filter._lock:
            self._take(rows, first, count)

    def _take(self, rows: Any, first: int, count: int) -> None:
        begin = self.n_done
        round_before = self.filter._gate.n_rounds
        try:
            if isinstance(rows, Rows):
                self._take_compiled(rows, first, slice(begin, begin + count))
            else:
                for k in range(count):
                    self._take_one(rows, first + k)
        finally:
            done = slice(begin, self.n_done)
            told = np.where(self._told(done), self.signs[done], 0).astype(np.int8)
            told[self.n_finished - begin :] = 0  # the lesson that raised can be given again
            self.filter.remember(round_before, self.show[done], told)

    def report(self) -> StreamReport:
        """Of what was decided so far."""
        done = slice(0, self.n_done)
        updates = self.filter._pupil.n_updates
        return StreamReport(
            y=self.signs[done] > 0,
            show=self.show[done],
            explored=self.explored[done],
            score=self.score[done],
            probability=self.probability[done],
            revealed=self._told(done).copy(),
            n_updates=self._n_lessons if updates is None else updates - self._updates_before,
        )

    def _told(self, which: slice) -> NDArray[np.bool_]:
        return self.show[which] if self.revealed is None else self.revealed[which]

    def _take_compiled(self, rows: Rows, first: int, where: slice) -> None:
        gate, learner = self.filter._gate, self.filter.learner
        learner._lock.acquire()
        try:
            replay(
                learner._core,
                gate,
                rows,
                first,
                self.signs[where],
                None if self.revealed is None else self.revealed[where].view(np.uint8),
                self.show[where].view(np.uint8),
                self.explored[where].view(np.uint8),
                self.score[where],
                self.probability[where],
            )
        finally:
            learner._lock.release()
            learner._knows_positives = learner._knows_positives or gate.started
            self.n_finished = self.n_done + gate.n_finished
            self.n_done += gate.n_done

    def _take_one(self, rows: Any, i: int) -> None:
        pupil, gate, k = self.filter._pupil, self.filter._gate, self.n_done
        row = rows[i : i + 1]
        scores = pupil.scores(row)
        norms = pupil.squared_norms(row) if gate.needs_norms else np.empty(0)
        show, explored, probability = gate.judge(scores, norms, self.revealed is None)
        self.show[k], self.explored[k] = show[0], explored[0]
        self.score[k], self.probability[k] = scores[0], probability[0]
        self.n_done = k + 1
        sign = int(self.signs[k])
        if self._told(slice(k, k + 1))[0]:
            if gate.started or sign > 0:
                pupil.teach(row, 0, sign)
                self._n_lessons += 1
            gate.take_in(float(scores[0]), sign, bool(explored[0]), float(probability[0]))
        self.n_finished = self.n_done


def _chunks(filter: OneSidedFilter, X: Any, n: int, vectorizer: Any) -> Iterator[tuple[Any, int, int]]:
    """Rows, the first of them to take, and how many."""
    if n == 0:
        return
    if vectorizer is None:
        rows = filter._pupil.rows(X)
        chunk = getattr(filter.learner, "_rows_at_a_time", _CHUNK)
        for first in range(0, n, chunk):
            yield rows, first, min(chunk, n - first)
        return
    for first in range(0, n, _MESSAGES):
        messages = X[first : first + _MESSAGES]
        yield filter._pupil.rows(vectorizer.transform(messages)), 0, len(messages)
