"""A whole stream at once: what a filter would have done; compiled where the learner is ours."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._kernels.online import replay
from lopsided._validation import check_same_length
from lopsided.feedback._decision import ItemDecision
from lopsided.feedback._filter import OneSidedFilter
from lopsided.feedback._input import as_messages, as_table, bad_document, number_of_items
from lopsided.feedback._replay import as_mask
from lopsided.feedback._report import StreamReport
from lopsided.online._rows import MeasuredRows
from lopsided.terminal import progress_bar

_CHUNK = 1024  # items between two moments at which Ctrl-C is heard and progress is shown
_MESSAGES = 64  # turned into features at a time: they are still near when they are scored


def run_stream(
    filter: OneSidedFilter,
    X: Any,
    y: ArrayLike,
    feedback: str | ArrayLike = "one-sided",
    progress: bool = False,
    *,
    vectorizer: Any = None,
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
    progress : bool, default=False
        Show a progress bar on a terminal.
    vectorizer : transformer, optional
        Such as ``ByteGramVectorizer(n_features=2**20)``: messages become features a few at a time, so that
        the matrix of all of them is never made.

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
    if vectorizer is None:
        X = as_table(X, "Pass vectorizer=ByteGramVectorizer().")
    else:
        X = as_messages(X, vectorizer)
    signs, other = np.empty(0, dtype=np.int8), None
    if len(np.atleast_1d(np.asarray(y))):
        signs, other = filter.read_labels(y)
    n = len(signs)
    revealed = as_mask(feedback, n)
    check_same_length(X=number_of_items(X), y=n)
    run = _Run(filter, signs, other, revealed)
    bar = progress_bar(progress, n)
    with bar as advance:
        try:
            for chunk in _chunks(filter, X, n, vectorizer):
                run.take(chunk)
                advance(run.n_done)
            run.remark()
        except BaseException as error:
            error.report = run.report()  # type: ignore[attr-defined]
            error.add_note(f"The report of the first {run.n_done:,} items is in the exception's .report")
            raise
    return run.report()


class _Chunk(NamedTuple):
    """Some items of the stream: ``n_rows`` rows of a table, from row ``first`` on."""

    table: Any
    rows: Any
    """The same as the learner reads them."""
    first: int
    n_rows: int


class _Run:
    """Room for what is decided, and the two ways of deciding."""

    def __init__(
        self,
        filter: OneSidedFilter,
        signs: NDArray[np.int8],
        other: Any,
        revealed: NDArray[np.bool_] | None,
    ) -> None:
        n = len(signs)
        self.filter, self.signs, self.other, self.revealed = filter, signs, other, revealed
        self.show, self.explored = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        self.score, self.probability = np.zeros(n), np.zeros(n)
        self.n_done = self.n_finished = 0
        self._n_lessons = 0
        self._updates_before = filter._pupil.n_updates or 0
        self._unfinished_before = filter._pupil.n_unfinished

    def take(self, chunk: _Chunk) -> None:
        """Decide about the next items, and learn."""
        with self.filter._lock:
            begin, round_before = self.n_done, self.filter._gate.n_rounds
            try:
                if not self._take_compiled(chunk, slice(begin, begin + chunk.n_rows)):
                    for i in range(chunk.first, chunk.first + chunk.n_rows):
                        self._take_one(chunk, i)
            finally:
                done = slice(begin, self.n_done)
                told = np.where(self._told(done), self.signs[done], 0).astype(np.int8)
                self.filter.remember(round_before, self.show[done], told)
                if self.n_finished:
                    self.filter._other = self.other

    def remark(self) -> None:
        """Let the learner say, once, what did not go as it should."""
        n_lessons = int(self._told(slice(0, self.n_done)).sum())
        self.filter._pupil.remark(self._unfinished_before, n_lessons)

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
            revealed=self._told(done),
            n_updates=self._n_lessons if updates is None else updates - self._updates_before,
        )

    def _told(self, which: slice) -> NDArray[np.bool_]:
        """Whose labels came back; not that of a lesson that raised, which can be given again."""
        told = (self.show if self.revealed is None else self.revealed)[which].copy()
        told[max(0, self.n_finished - which.start) :] = False
        return told

    def _take_compiled(self, chunk: _Chunk, where: slice) -> bool:
        """All at once; False, and nothing done, where that is not possible or not safe."""
        if not isinstance(chunk.rows, MeasuredRows):
            return False
        gate, learner = self.filter._gate, self.filter.learner
        with learner._lock:
            if not learner._reserve(chunk.rows, chunk.first, chunk.n_rows):
                return False
            try:
                replay(
                    learner._core,
                    gate,
                    chunk.rows,
                    chunk.first,
                    self.signs[where],
                    None if self.revealed is None else self.revealed[where].view(np.uint8),
                    self.show[where].view(np.uint8),
                    self.explored[where].view(np.uint8),
                    self.score[where],
                    self.probability[where],
                )
            finally:
                learner._knows_positives = learner._knows_positives or gate.started
                self.n_finished = self.n_done + gate.n_finished
                self.n_done += gate.n_done
        return True

    def _take_one(self, chunk: _Chunk, i: int) -> None:
        pupil, gate, k = self.filter._pupil, self.filter._gate, self.n_done
        row = chunk.table[i : i + 1]
        if pupil.is_ours:
            row = pupil.rows(row)
        scores = pupil.scores(row)
        norms = pupil.squared_norms(row) if gate.needs_norms else np.empty(0)
        show, explored, probability = gate.judge(scores, norms, self.revealed is None)
        self.show[k], self.explored[k] = show[0], explored[0]
        self.score[k], self.probability[k] = scores[0], probability[0]
        self.n_done = k + 1
        sign = int(self.signs[k])

        def learn(sign: int) -> None:
            pupil.teach(row, 0, sign)
            self._n_lessons += 1

        if show[0] if self.revealed is None else self.revealed[k]:
            decision = ItemDecision(bool(show[0]), bool(explored[0]), float(scores[0]), float(probability[0]))
            gate.settle(decision, sign, learn)
        self.n_finished = self.n_done


def _chunks(filter: OneSidedFilter, X: Any, n: int, vectorizer: Any) -> Iterator[_Chunk]:
    """The stream in pieces, between which Ctrl-C is heard."""
    if n == 0:
        return
    pupil = filter._pupil
    if vectorizer is None:
        with filter._lock:  # the first rows make the learner begin
            rows = pupil.rows(X)
        table = X if pupil.is_ours else rows
        most = getattr(filter.learner, "_rows_at_a_time", _CHUNK)
        for first in range(0, n, most):
            yield _Chunk(table, rows, first, min(most, n - first))
        return
    for first in range(0, n, _MESSAGES):
        messages = X[first : first + _MESSAGES]
        try:
            chunk = _vectorized(filter, messages, vectorizer)
        except (TypeError, ValueError) as error:
            place = bad_document(error)
            if place is None:
                raise
            if place:
                yield _vectorized(filter, messages[:place], vectorizer)  # those before it are in order
            raise type(error)(str(error).replace(str(place), str(first + place), 1)) from None
        yield chunk


def _vectorized(filter: OneSidedFilter, messages: Any, vectorizer: Any) -> _Chunk:
    n, pupil = number_of_items(messages), filter._pupil
    table = as_table(vectorizer.transform(messages))
    check_same_length(messages=n, rows=number_of_items(table))
    with filter._lock:
        rows = pupil.rows(table)
    return _Chunk(table if pupil.is_ours else rows, rows, 0, n)
