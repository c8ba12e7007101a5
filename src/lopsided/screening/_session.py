"""A session of screening: what to show next, what was answered, what is left. No page, no database."""

from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b
from threading import Lock
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided.screening._evidence import RecordEvidence, Term, evidence_of, strongest_terms
from lopsided.screening._features import Features, Vectors
from lopsided.screening._model import Fitted, fit
from lopsided.screening._progress import expected_labels_for_next, recall_curve
from lopsided.screening._record import Reason, Screened
from lopsided.screening._remaining import Remaining, estimate_remaining
from lopsided.screening._stopping import StopReason, stop_reasons
from lopsided.screening._strategies import STRATEGIES

_KEPT_MODELS = 6  # of the present, of one answer ago, and of the answers to come


class Question(NamedTuple):
    """The record to show next.

    Examples
    --------
    >>> Question(row=3, reason="first", score=None, probability=None).row
    3
    """

    row: int
    reason: Reason
    """Why it is shown: "search": it holds the words that were looked for; "first": any one, because no
    relevant record is known; "most likely"; "border": its label teaches most; "random check": any one of
    those left, which keeps estimates honest."""
    score: float | None
    """Signed distance to the border of the model; None without a model."""
    probability: float | None
    """Rough probability that it is relevant; None without a model."""


class Curve(NamedTuple):
    """Relevant records found against labels spent."""

    n_labels: NDArray[np.intp]
    """1, 2, 3, ..."""
    n_found: NDArray[np.intp]
    """How many relevant records were known after so many labels."""
    recall: NDArray[np.float64]
    """The share of all relevant records that this is, by the present estimate; NaN where it cannot tell."""
    low: NDArray[np.float64]
    """The lower end of the band around `recall`."""
    high: NDArray[np.float64]
    """The upper end of the band around `recall`."""
    labels_to_next: float | None
    """About how many labels the next relevant record will cost; None where it cannot be told."""


class _Answer(NamedTuple):
    row: int
    relevant: bool | None  # None: skipped
    reason: str
    probability: float
    n_unlabelled: int
    n_support: float
    key: bytes  # stands for all answers up to this one


class ScreeningSession:
    """Ask about one record after the other until the few relevant ones are found.

    What is asked depends on nothing but the records, the seed, the searches and the answers so far: the
    same answers, given again, lead to the same questions. All methods may be called from several threads.

    Parameters
    ----------
    records : sequence of Record or str
        What to screen: titles, texts and keywords are read. They are not kept.
    strategy : {"mixed", "most likely", "border", "random"}, default="mixed"
        Which record comes next once a relevant one is known. "mixed" shows the most likely one and, now
        and then, a random check.
    question : str, default=""
        What is looked for, in words. While no relevant record is known, those that match best come first.
    groups : array-like of int or None, default=None
        For each record the row of the first of its copies, as `group_duplicates` returns it. Copies are
        labeled once.
    seed : int, default=0
        Decides the random draws.

    Examples
    --------
    >>> texts = ["ship ahoy", "wheat grows", "a ship sinks", "corn and wheat", "the ship sails", "corn"]
    >>> session = ScreeningSession(texts, question="wheat")
    >>> while session.n_labels < 4:
    ...     asked = session.ask()
    ...     session.answer(asked.row, "wheat" in texts[asked.row], reason=asked.reason)
    >>> session.n_found
    2
    """

    def __init__(
        self,
        records: Iterable[Any],
        *,
        strategy: str = "mixed",
        question: str = "",
        groups: ArrayLike | None = None,
        seed: int = 0,
    ) -> None:
        if strategy not in STRATEGIES:
            raise ValueError(f"strategy must be one of {', '.join(STRATEGIES)}; got {strategy!r}.")
        self.strategy, self.question, self.seed = strategy, question, seed
        self._lock = Lock()
        self._features = Features()
        self._first = np.zeros(0, dtype=np.intp)  # of each row: the row that stands for its group
        self._answers: list[_Answer] = []
        self._labels: dict[int, bool] = {}  # in the order of the answers
        self._searched: list[int] = []
        self._names: NDArray[np.object_] | None = None
        self._models: dict[tuple[int, bytes], Fitted | None] = {}
        self._stops: list[StopReason] = []  # as last told
        self.add(records, groups=groups)

    # counts

    @property
    def n_items(self) -> int:
        """The number of records; a group of copies counts once."""
        return int(self._stands.sum())

    @property
    def n_labels(self) -> int:
        """The number of records with a label."""
        return len(self._labels)

    @property
    def n_found(self) -> int:
        """The number of relevant records found."""
        return sum(self._labels.values())

    @property
    def n_left(self) -> int:
        """The number of records that were neither labeled nor skipped."""
        return len(self._left())

    # questions and answers

    def ask(self, *, held: Collection[int] = ()) -> Question | None:
        """Return the record to show next; the same one until it is answered.

        Parameters
        ----------
        held : collection of int, default=()
            Rows that other reviewers have before them: another record is chosen.

        Returns
        -------
        question : Question or None
            None when nothing is left.
        """
        with self._lock:
            state = self._state()
        left = state.left
        if held:
            left = left[~np.isin(left, self._first[list(held)])]
        if len(left) == 0:
            return None
        model = self._model(state)
        for row in state.searched:
            if row in left:
                return _question(row, "search", model)
        # A generator for each step: after an undo the question is the same.
        rng = np.random.default_rng([self.seed, state.n_answers])
        if model is not None:
            return _question(*STRATEGIES[self.strategy](model, left, rng), model)
        matches = self._matches(self.question)[left]
        if matches.any():
            return Question(int(left[matches.argmax()]), "search", None, None)
        return Question(int(rng.choice(left)), "first", None, None)

    def answer(
        self, row: int, relevant: bool, *, reason: str = "given", probability: float | None = None
    ) -> None:
        """Take a label, which replaces an earlier one of the same record.

        Parameters
        ----------
        row : int
            Which record; the label counts for its whole group of copies.
        relevant : bool
            Whether it is what is looked for.
        reason : str, default="given"
            Why it was shown, as its question said.
        probability : float or None, default=None
            The probability that its question had, where answers are given again. None: what the model says,
            if it has been fitted.
        """
        self._add_answer(row, bool(relevant), reason, probability)

    def skip(self, row: int) -> None:
        """Leave a record without a label; it is not asked about again."""
        self._add_answer(row, None, "given", None)

    def undo(self) -> tuple[int, bool | None] | None:
        """Take back the last answer.

        Returns
        -------
        last : tuple of int and bool or None, or None
            The row and its label, None for one that was skipped; None where there was no answer.
        """
        with self._lock:
            if not self._answers:
                return None
            last = self._answers.pop()
            self._labels = {}
            for answer in self._answers:
                self._label(answer)
            return last.row, last.relevant

    def prepare(self) -> None:
        """Fit the models for both answers to the open question, so that the next one comes at once.

        It changes no question. It may run in another thread: an answer never waits for it.
        """
        question = self.ask()
        if question is None:
            return
        with self._lock:
            state = self._state()
        for relevant in (True, False):
            self._model(state.after(question.row, relevant))

    def label(self, row: int) -> bool | None:
        """Return the label of a record, or of its copies; None without one."""
        return self._labels.get(int(self._first[row]))

    # looking for words

    def search(self, words: str, *, again: bool = True) -> NDArray[np.intp]:
        """Look for words, and ask about the records that hold any of them until one of these is relevant.

        Parameters
        ----------
        words : str
            What to look for. The empty string ends an earlier search.
        again : bool, default=True
            Search even though a record with these words is known to be relevant.

        Returns
        -------
        rows : array of int
            The records that match and have no label, best match first.
        """
        with self._lock:
            matches = self._matches(words)
            order = np.argsort(-matches, kind="stable")
            found = order[(matches[order] > 0) & self._stands[order]]
            left = np.zeros(len(matches), dtype=bool)
            left[self._left()] = True
            rows = found[left[found]]
            self._searched = (rows if again else found).tolist()
            return rows

    def add(self, records: Iterable[Any], *, groups: ArrayLike | None = None) -> None:
        """Append records that arrive later.

        Before the first answer this is the same as all of them at once.

        Parameters
        ----------
        records : sequence of Record or str
            The new records; their rows follow those that are there.
        groups : array-like of int or None, default=None
            For each new record the row, among all records, of the first of its copies.
        """
        with self._lock:
            n_before = self._features.n_rows
            self._features.add(records)
            rows = np.arange(n_before, self._features.n_rows)
            first = rows if groups is None else np.asarray(groups, dtype=np.intp)
            if first.shape != rows.shape or (first < 0).any() or (first > rows).any():
                raise ValueError(
                    f"groups must name for each of {len(rows)} records the row of its first copy, which does "
                    "not come after it."
                )
            self._first = np.concatenate([self._first, first])
            self._stands = self._first == np.arange(len(self._first))
            if not self._stands[first].all():
                raise ValueError("groups must name the first record of each group; got one that is a copy.")
            self._models.clear()
            self._names = None

    # what the model says

    def scores(self) -> NDArray[np.float32] | None:
        """Return the score of every record, larger is more likely relevant; None without a model."""
        with self._lock:
            state = self._state()
        model = self._model(state)
        return None if model is None else model.ranking

    def evidence(self, row: int, *, n: int = 8) -> RecordEvidence:
        """Return the words of a record that speak for and against it.

        Parameters
        ----------
        row : int
            Which record.
        n : int, default=8
            How many words at most on either side.

        Returns
        -------
        evidence : RecordEvidence
            Empty without a model.
        """
        with self._lock:
            state = self._state()
        model = self._model(state)
        if model is None:
            return RecordEvidence((), ())
        return evidence_of(state.vectors, row, model.weights, self._column_names(), n)

    def terms(self, *, n: int = 20) -> tuple[Term, ...]:
        """Return the words that speak most for relevant, over all records; empty without a model."""
        with self._lock:
            state = self._state()
        model = self._model(state)
        return () if model is None else strongest_terms(state.vectors, model.weights, self._column_names(), n)

    # when to stop

    def screened(self) -> Screened:
        """Return the record of all answers, which estimates and stopping rules read."""
        with self._lock:
            state = self._state()
            answers = list({a.row: a for a in self._answers}.values())
            labels = [answer for answer in answers if answer.relevant is not None]
        model = self._model(state)
        return Screened(
            rows=np.array([answer.row for answer in labels], dtype=np.intp),
            relevant=np.array([answer.relevant for answer in labels], dtype=bool),
            reasons=[answer.reason for answer in labels],
            probability=np.array([answer.probability for answer in labels], dtype=float),
            n_unlabelled=np.array([answer.n_unlabelled for answer in labels], dtype=np.intp),
            n_items=len(labels) + len(state.left),
            left_scores=None if model is None else model.ranking[state.left].astype(float),
            left_probability=None if model is None else model.probability(state.left),
            n_support=np.array([answer.n_support for answer in labels], dtype=float),
        )

    def estimate(self, *, confidence: float = 0.95) -> Remaining:
        """Estimate how many relevant records are left, with an interval.

        Parameters
        ----------
        confidence : float, default=0.95
            Probability that the interval holds the true number.

        Returns
        -------
        estimate : Remaining
            Numbers, and whether they can be told at all.
        """
        return estimate_remaining(self.screened(), confidence=confidence)

    def stop_reasons(self) -> list[StopReason]:
        """Return each stopping rule: whether it fires, since when, and why."""
        screened = self.screened()
        # after an undo a rule may not have fired yet
        earlier = [stop for stop in self._stops if stop.since is None or stop.since <= len(screened.rows)]
        self._stops = stop_reasons(screened, earlier=earlier)
        return self._stops

    def curve(self, *, confidence: float = 0.95) -> Curve:
        """Return how many relevant records were found after each label, and what the next one will cost."""
        screened = self.screened()
        curve = recall_curve(screened, confidence=confidence)
        return Curve(*curve, labels_to_next=expected_labels_for_next(screened))

    # again

    def restart(self, *, strategy: str | None = None, seed: int | None = None) -> None:
        """Forget all answers and searches; the words are not read again."""
        with self._lock:
            self.strategy = strategy or self.strategy
            self.seed = self.seed if seed is None else seed
            self._answers, self._labels, self._searched, self._stops = [], {}, [], []
            self._models.clear()

    def representatives(self) -> NDArray[np.intp]:
        """Return the rows that are asked about: every record, but of a group of copies only the first."""
        return np.flatnonzero(self._stands)

    # inside

    def _add_answer(self, row: int, relevant: bool | None, reason: str, probability: float | None) -> None:
        if reason not in get_args(Reason):
            raise ValueError(f"reason must be one of {', '.join(get_args(Reason))}; got {reason!r}.")
        if not 0 <= row < len(self._first):
            raise IndexError(f"there is no row {row}; rows are 0 to {len(self._first) - 1}.")
        with self._lock:
            row = int(self._first[row])
            state = self._state()
            model = self._models.get(state.key)
            if probability is None:
                probability = np.nan if model is None else float(model.probability(np.array([row]))[0])
            answer = _Answer(
                row=row,
                relevant=relevant,
                reason=reason,
                probability=probability,
                n_unlabelled=len(state.left),
                n_support=np.nan if model is None else model.n_support,
                key=_next_key(state.key[1], row, relevant),
            )
            self._answers.append(answer)
            self._label(answer)

    def _label(self, answer: _Answer) -> None:
        self._labels.pop(answer.row, None)
        if answer.relevant is not None:
            self._labels[answer.row] = answer.relevant

    def _left(self) -> NDArray[np.intp]:
        left = self._stands.copy()
        left[[answer.row for answer in self._answers]] = False
        return np.flatnonzero(left)

    def _state(self) -> "_State":
        """Return what the next question depends on, as it is now."""
        labels = self._labels
        searched = self._searched
        if any(labels.get(row) for row in searched):
            searched = []
        return _State(
            key=(self._features.n_rows, self._answers[-1].key if self._answers else b""),
            vectors=self._features.vectors,
            rows=np.fromiter(labels, np.intp, len(labels)),
            relevant=np.fromiter(labels.values(), bool, len(labels)),
            left=self._left(),
            n_answers=len(self._answers),
            searched=searched,
        )

    def _model(self, state: "_State") -> Fitted | None:
        """Return the model of a state; it is fitted once."""
        with self._lock:
            if state.key in self._models:
                return self._models[state.key]
        model = fit(state.vectors, state.rows, state.relevant, left=state.left, seed=self.seed)
        with self._lock:
            while len(self._models) >= _KEPT_MODELS:
                del self._models[next(iter(self._models))]  # the oldest
            self._models[state.key] = model
        return model

    def _matches(self, words: str) -> NDArray[np.float32]:
        return self._features.matches(words)

    def _column_names(self) -> NDArray[np.object_]:
        if self._names is None:
            self._names = self._features.names()
        return self._names


class _State(NamedTuple):
    """The state on which the next question depends. Its key is the answers so far, in their order."""

    key: tuple[int, bytes]
    vectors: Vectors
    rows: NDArray[np.intp]
    relevant: NDArray[np.bool_]
    left: NDArray[np.intp]
    n_answers: int
    searched: Sequence[int]

    def after(self, row: int, relevant: bool) -> "_State":
        """Return the state after one more answer, about a record without a label."""
        return self._replace(
            key=(self.key[0], _next_key(self.key[1], row, relevant)),
            rows=np.append(self.rows, row),
            relevant=np.append(self.relevant, relevant),
            left=self.left[self.left != row],
            n_answers=self.n_answers + 1,
        )


def _next_key(key: bytes, row: int, relevant: bool | None) -> bytes:
    return blake2b(key + repr((row, relevant)).encode(), digest_size=16).digest()


def _question(row: int, reason: Reason, model: Fitted | None) -> Question:
    if model is None:
        return Question(int(row), reason, None, None)
    probability = float(model.probability(np.array([row]))[0])
    return Question(int(row), reason, float(model.scores[row]), probability)
