"""A session of screening: what to show next, what was answered, what is left. No page, no database."""

from collections.abc import Callable, Collection, Iterable
from threading import Lock
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided.screening._answers import AnswerLog
from lopsided.screening._evidence import RecordEvidence, Term, evidence_of, strongest_terms
from lopsided.screening._features import Features
from lopsided.screening._model import Fitted
from lopsided.screening._progress import Curve, expected_labels_for_next, recall_curve
from lopsided.screening._question import Question, ask_about, first_left
from lopsided.screening._record import Reason, Screened
from lopsided.screening._remaining import Remaining, estimate_remaining
from lopsided.screening._state import ModelCache, SessionState
from lopsided.screening._stopping import StopReason, stop_reasons
from lopsided.screening._strategies import STRATEGIES
from lopsided.screening._words import ReadWords


class ScreeningSession:
    """Ask about one record after the other until the few relevant ones are found.

    What is asked depends on nothing but the records, the seed, the searches and the answers so far: the
    same answers, given again, lead to the same questions. All methods may be called from several threads.
    With more than 200,000 records a model follows the answers at a distance of five to nine, so that nobody
    waits for it.

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
        self._reading = Lock()  # one thread at a time reads records; answers do not wait for it
        self._features = Features()
        self._vectors = self._features.vectors  # of the records that the answers know of
        self._answers = AnswerLog()
        self._matched: tuple[Any, NDArray[np.float32]] = (None, np.zeros(0, dtype=np.float32))
        self._searched: list[int] = []
        self._is_searched: frozenset[int] = frozenset()
        self._names: tuple[int, NDArray[np.object_]] = (-1, np.zeros(0, dtype=object))
        self._n_changes = 0  # of the records and their groups
        self._models = ModelCache()
        self._stops: list[StopReason] = []  # as last told
        self.add(records, groups=groups)

    # counts

    @property
    def n_items(self) -> int:
        """The number of records; a group of copies counts once."""
        return self._answers.n_items

    @property
    def n_records(self) -> int:
        """The number of records, copies included."""
        return len(self._answers.firsts)

    @property
    def n_labels(self) -> int:
        """The number of records with a label."""
        return len(self._answers.labels)

    @property
    def n_found(self) -> int:
        """The number of relevant records found."""
        return self._answers.n_found

    @property
    def n_left(self) -> int:
        """The number of records that were neither labeled nor skipped."""
        return self._answers.n_left

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
            left = left[~np.isin(left, self._answers.firsts[list(held)])]
        if len(left) == 0:
            return None
        model = self._model(state)
        if (row := first_left(state.searched, left)) is not None:
            return ask_about(row, "search", model)
        # A generator for each step: after an undo the question is the same.
        rng = np.random.default_rng([self.seed, state.n_answers])
        if model is not None:
            return ask_about(*STRATEGIES[self.strategy](model, left, rng), model)
        matches = self._question_matches()[left]
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
            last = self._answers.undo()
        return None if last is None else (last.row, last.relevant)

    def prepare(self) -> None:
        """Fit the models for both answers to the open question, so that the next one comes at once.

        It changes no question. It may run in another thread: an answer never waits for it.
        """
        question = self.ask()
        if question is None:
            return
        with self._lock:
            state, n = self._state(), len(self._answers)
            if self._answers.n_learned(n + 1) == n + 1:
                to_come = [state.after(question.row, relevant) for relevant in (True, False)]
            else:
                to_come = [self._state(n + 1)]
        for state in to_come:
            self._model(state)

    def label(self, row: int) -> bool | None:
        """Return the label of a record, or of its copies; None without one."""
        return self._answers.labels.get(int(self._answers.firsts[row]))

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
        matches = self._features.matches(words)
        with self._lock:
            # records may have come since the look
            n = min(len(matches), len(self._answers.firsts))
            hits = np.flatnonzero((matches[:n] > 0) & self._answers.stands[:n])
            found = hits[np.argsort(-matches[hits], kind="stable")]
            rows = found[self._answers.is_left(found)]
            self._searched = (rows if again else found).tolist()
            self._is_searched = frozenset(self._searched)
            return rows

    def add(
        self,
        records: Iterable[Any],
        *,
        groups: ArrayLike | None = None,
        keep: Callable[[ReadWords], None] | None = None,
    ) -> None:
        """Append records that arrive later.

        Before the first answer this is the same as all of them at once. Questions and answers go on while the
        records are read.

        Parameters
        ----------
        records : iterable of Record, str or ReadWords
            The new records; their rows follow those that are there. `ReadWords` stand for several of them,
            whose words were read before.
        groups : array-like of int or None, default=None
            For each new record the row, among all records, of the first of its copies.
        keep : callable or None, default=None
            Gets the words of some thousand records at a time, as `ReadWords`: who keeps them need not have
            these records read again.
        """
        with self._reading:
            n_before = len(self._answers.firsts)
            self._features.add(records, keep=keep)
            rows = np.arange(n_before, self._features.n_rows)
            if len(rows):
                with self._lock:
                    self._vectors = self._features.vectors
                    self._group(np.concatenate([self._answers.firsts, rows]))
            if groups is not None:
                self.regroup(groups, after=n_before)

    def regroup(self, groups: ArrayLike, *, after: int = 0) -> None:
        """Say which records are copies, also when there are answers: these then count for all copies.

        Parameters
        ----------
        groups : array-like of int
            For each record the row of the first of its copies, as `group_duplicates` returns it.
        after : int, default=0
            The row of the first record that is named; those before it stay in their groups.
        """
        with self._lock:
            known = self._answers.firsts
            rows, first = np.arange(after, len(known)), np.asarray(groups, dtype=np.intp)
            if first.shape != rows.shape or (first < 0).any() or (first > rows).any():
                raise ValueError(
                    f"groups must name for each of {len(rows)} records the row of its first copy, which does "
                    "not come after it."
                )
            firsts = np.concatenate([known[:after], first])
            if (firsts[firsts] != firsts).any():
                raise ValueError("groups must name the first record of each group; got one that is a copy.")
            if not np.array_equal(firsts, known):
                self._group(firsts)

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
        return evidence_of(state.vectors, row, model.weights, self._column_names(state), n)

    def terms(self, *, n: int = 20) -> tuple[Term, ...]:
        """Return the words that speak most for relevant, over all records; empty without a model."""
        with self._lock:
            state = self._state()
        model = self._model(state)
        if model is None:
            return ()
        return strongest_terms(state.vectors, model.weights, self._column_names(state), n)

    # when to stop

    def screened(self) -> Screened:
        """Return the record of all answers, which estimates and stopping rules read."""
        with self._lock:
            state = self._state()
            answers = list({a.row: a for a in self._answers.all()}.values())
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
            self._answers.clear()
            self._searched, self._is_searched, self._stops = [], frozenset(), []
            self._models.clear()

    def representatives(self) -> NDArray[np.intp]:
        """Return the rows that are asked about: every record, but of a group of copies only the first."""
        return np.flatnonzero(self._answers.stands)

    # inside

    def _add_answer(self, row: int, relevant: bool | None, reason: str, probability: float | None) -> None:
        if reason not in get_args(Reason):
            raise ValueError(f"reason must be one of {', '.join(get_args(Reason))}; got {reason!r}.")
        with self._lock:
            answers = self._answers
            if not 0 <= row < len(answers.firsts):
                raise IndexError(f"there is no row {row}; rows are 0 to {len(answers.firsts) - 1}.")
            model = self._models.get(self._model_key(len(answers)))
            if probability is None:
                place = answers.firsts[[row]]
                probability = np.nan if model is None else float(model.probability(place)[0])
            answers.add(row, relevant, reason, probability, np.nan if model is None else model.n_support)

    def _group(self, firsts: NDArray[np.intp]) -> None:
        self._answers.group(firsts)
        self._n_changes += 1
        self._models.clear()

    def _model_key(self, n_answers: int) -> tuple[int, bytes]:
        """Return what stands for the model after so many answers."""
        return self._n_changes, self._answers.key(self._answers.n_learned(n_answers))

    def _state(self, n_answers: int | None = None) -> SessionState:
        """Return what the next question depends on, as it is now or, where that is known, after an answer."""
        answers = self._answers
        n_answers = len(answers) if n_answers is None else n_answers
        n_learned = answers.n_learned(n_answers)
        rows, relevant = answers.learned(n_learned)
        searched = self._searched
        if not self._is_searched.isdisjoint(row for row, label in answers.labels.items() if label):
            searched = []
        return SessionState(
            key=self._model_key(n_answers),
            vectors=self._vectors,
            rows=rows,
            relevant=relevant,
            unlabeled=answers.left_after(n_learned),
            left=answers.left_after(n_answers),
            n_answers=n_answers,
            searched=searched,
        )

    def _model(self, state: SessionState) -> Fitted | None:
        return self._models.fitted(state, self.seed)

    def _question_matches(self) -> NDArray[np.float32]:
        """Return how well each record matches the question; looked up once."""
        asked = self.question, len(self._answers.firsts)
        if self._matched[0] != asked:
            self._matched = asked, self._features.matches(self.question)
        return self._matched[1]

    def _column_names(self, state: SessionState) -> NDArray[np.object_]:
        known, names = self._names
        if known != state.key[0]:
            names = self._features.names()
            self._names = state.key[0], names
        return names
