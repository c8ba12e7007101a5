"""A whole stream at once: what a filter would have done; compiled where the learner is ours."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lopsided._validation import check_same_length
from lopsided.feedback._filter import Chunk, OneSidedFilter
from lopsided.feedback._input import as_messages, as_table, bad_document, number_of_items
from lopsided.feedback._replay import StreamLog, as_mask
from lopsided.feedback._report import StreamReport
from lopsided.online import MeasuredRows

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
    trace = StreamLog(signs, as_mask(feedback, n))
    check_same_length(X=number_of_items(X), y=n)
    learner = filter.adapted
    updates_before, unfinished_before = getattr(learner, "n_updates_", 0), learner.n_unfinished

    def steps() -> Iterator[None]:
        for chunk in _chunks(filter, X, n, vectorizer):
            filter.replay(chunk, trace, other)
            yield
        learner.warn_unfinished(unfinished_before, int(trace.told(slice(0, n)).sum()))

    def report() -> StreamReport:
        done = slice(0, trace.n_done)
        show, explored, score, probability = trace.decided(done)
        return StreamReport(
            y=trace.answers[done] > 0,
            show=show,
            explored=explored,
            score=score,
            probability=probability,
            revealed=trace.told(done),
            n_updates=getattr(learner, "n_updates_", 0) - updates_before,
        )

    return trace.run(steps(), report, progress)


def _chunks(filter: OneSidedFilter, X: Any, n: int, vectorizer: Any) -> Iterator[Chunk]:
    """Yield the stream in pieces, between which Ctrl-C is heard."""
    if n == 0:
        return
    if vectorizer is None:
        whole, most = _chunk(filter, X), filter.adapted.rows_at_a_time
        for first in range(0, n, most):
            yield whole._replace(first=first, n_rows=min(most, n - first))
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


def _vectorized(filter: OneSidedFilter, messages: Any, vectorizer: Any) -> Chunk:
    table = as_table(vectorizer.transform(messages))
    check_same_length(messages=number_of_items(messages), rows=number_of_items(table))
    return _chunk(filter, table)


def _chunk(filter: OneSidedFilter, table: Any) -> Chunk:
    rows = filter.rows(table)
    # Rows of a foreign learner are a table, which was checked and can be cut.
    return Chunk(table if isinstance(rows, MeasuredRows) else rows, rows, 0, number_of_items(table))
