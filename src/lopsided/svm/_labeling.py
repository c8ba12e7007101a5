"""Labelling with a person: which text comes next, what was answered, when to stop. Knows no terminal."""

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lopsided.svm._answers import AnswerFile
from lopsided.svm._learner import AnswerLearner
from lopsided.text import ByteGramVectorizer, StemmedVectorizer

Verdict = Literal["yes", "no", "skip"]
Reason = Literal["given", "find", "random", "border"]


class BorderQuestion(NamedTuple):
    """The text to ask about next.

    Examples
    --------
    >>> BorderQuestion(row=3, reason="border", distance=0.12).row
    3
    """

    row: int
    reason: Reason  # "find": it holds the words; "random": a yes or a no is not known yet; "border": closest
    distance: float | None  # from the border, in units of the margin; None without a model


class Progress(NamedTuple):
    """The progress of a session.

    Examples
    --------
    >>> Progress(n_labels=42, n_yes=7, n_skipped=3, n_left=455).n_yes
    7
    """

    n_labels: int
    n_yes: int
    n_skipped: int
    n_left: int  # texts not yet asked about
    n_support: int = 0
    n_guessed: int | None = None  # texts left that the model takes for a yes; None without a model
    in_margin: float | None = None  # share of the texts left that lie within the margin
    stop: str | None = None  # why one can stop: "settled", "margin" or "exhausted"


class _Event(NamedTuple):
    row: int
    verdict: Verdict
    reason: Reason


class LabelingSession:
    """Ask a person about the texts that teach most, and remember every answer.

    Texts are drawn at random until a yes and a no are known; then, of `pool_size` random ones, the closest
    to the border of a linear SVM is asked (see `LASVC`). One seed and the same answers lead to the
    same question, so that an interrupted session goes on where it was. Equal texts are asked once, empty
    ones never.

    Parameters
    ----------
    texts : sequence of str
        What to label.
    ids : sequence of str or None, default=None
        The name of each text in the file of answers; its number from 1 if not given.
    answers : path-like or None, default=None
        File to which each answer is appended before the next question, and out of which those of earlier
        sessions come. They belong to texts, not to rows: texts may be added, or change places.
    question : str or None, default=None
        What is asked; it may be told in a later session. A file with the answers to another question is
        refused.
    table : str, default="the table"
        What messages and the file call the source of the texts.
    features : {"stems", "bytes"}, default="stems"
        tf-idf of stemmed words; or byte grams, where words are not apart.
    pool_size : int, default=59
        Number of random texts to choose from.
    seed : int, default=0
        Decides the random draws.

    Attributes
    ----------
    question : str or None
        What is asked, now or in an earlier session.
    n_empty, n_copies : int
        Texts that are never asked about: empty, or equal to an earlier one, whose label they share.
    n_resumed : int
        Answers of earlier sessions.
    n_broken : int
        Lines left out of the file of answers.
    changed : bool
        Whether other texts were there when the last of those answers was given.

    Examples
    --------
    >>> texts = ["ship ahoy", "wheat grows", "a ship sinks", "corn and wheat", "the ship sails", "corn"]
    >>> session = LabelingSession(texts)
    >>> session.find("wheat")
    2
    >>> while session.progress().n_labels < 4:
    ...     question = session.ask()
    ...     session.answer(question.row, "yes" if "wheat" in texts[question.row] else "no")
    >>> session.progress().n_yes
    2
    """

    def __init__(
        self,
        texts: Sequence[str],
        *,
        ids: Sequence[str] | None = None,
        answers: str | os.PathLike[str] | None = None,
        question: str | None = None,
        table: str = "the table",
        features: Literal["stems", "bytes"] = "stems",
        pool_size: int = 59,
        seed: int = 0,
    ) -> None:
        self.texts = texts
        self.ids = [str(i + 1) for i in range(len(texts))] if ids is None else list(ids)
        self.question = question or None
        self.pool_size, self.seed = pool_size, seed
        self._table = table
        self._digests = [_digest(text) for text in texts]
        self._fingerprint = blake2b("".join(self._digests).encode(), digest_size=8).hexdigest()
        self._first: dict[str, int] = {}  # digest -> the first row with this text, which stands for all
        for i, digest in enumerate(self._digests):
            self._first.setdefault(digest, i)
        self._check_texts()
        self._vectorize(features)
        self._events: list[_Event] = []  # those that were not undone
        self._found: list[int] = []
        self._learner = AnswerLearner(self._X, self._askable)
        self._before: AnswerLearner | None = None  # one answer ago, so that an undo costs nothing
        self._learned: list[_Event] = []
        self._asked: str | None = None  # the question as the file has it
        self.n_resumed = self.n_broken = 0
        self.changed = False
        self._file = None if answers is None else AnswerFile(answers)
        try:
            self._resume()
        except BaseException:
            self.close()
            raise

    def ask(self) -> BorderQuestion | None:
        """Return the next text, the same one until it is answered; None when all were asked about."""
        self._learn()
        left = self._left()
        if len(left) == 0:
            return None
        if found := self._found_and_left():
            return BorderQuestion(found[0], "find", self._distance(found[0]))
        # A generator for each step: after a restart or an undo the question is the same.
        rng = np.random.default_rng([self.seed, len(self._events)])
        pool = rng.choice(left, size=min(self.pool_size, len(left)), replace=False)
        if self._learner.scores is None:
            return BorderQuestion(int(pool[0]), "random", None)
        row = self._learner.closest(pool)
        return BorderQuestion(row, "border", self._distance(row))

    def answer(self, row: int, verdict: Verdict, *, reason: Reason = "given") -> None:
        """Save an answer, which takes the place of an earlier one about the same text.

        Parameters
        ----------
        row : int
            Which text.
        verdict : {"yes", "no", "skip"}
            A text that is skipped is not asked about again and has no label.
        reason : {"given", "find", "random", "border"}, default="given"
            Why it was asked, as its question said. What lies at the border tells when to stop.
        """
        if verdict not in get_args(Verdict):
            raise ValueError(f"an answer is 'yes', 'no' or 'skip'; got {verdict!r}.")
        row = self._first[self._digests[row]]
        if not self._askable[row]:
            raise ValueError(f"the text of '{self.ids[row]}' is empty: there is nothing to answer about.")
        self._save(row, answer=verdict, reason=reason)
        self._events.append(_Event(row, verdict, reason))

    def undo(self) -> tuple[int, Verdict] | None:
        """Take back the last answer, of an earlier session too; returns its row and it, None without one."""
        if not self._events:
            return None
        last = self._events[-1]
        self._save(last.row, answer="undo")
        self._events.pop()
        return last.row, last.verdict

    def find(self, words: str, *, again: bool = False) -> int:
        """Ask first about the texts with any of these words until one is a yes; return how many there are.

        Parameters
        ----------
        words : str
            What to look for.
        again : bool, default=False
            Search even though a text with these words is known to be a yes.

        Returns
        -------
        n_texts : int
            Texts with any of the words that were not asked about yet.
        """
        matches = self._match(words)
        left = self._left()
        rows = left if again else np.flatnonzero(self._askable)
        rows = rows[matches[rows] > 0]
        self._found = rows[np.argsort(-matches[rows], kind="stable")].tolist()
        return int((matches[left] > 0).sum())

    def row(self, name: str) -> int:
        """Return the row with this id, or else with this number, counted from 1."""
        rows = [i for i, id in enumerate(self.ids) if id == name]
        if len(rows) == 1:
            return rows[0]
        if not rows and name.isdecimal() and 1 <= int(name) <= len(self.ids):
            return int(name) - 1
        raise ValueError(
            f"{len(rows) or 'no'} rows of {self._table} have the id '{name}'. Name one id, such as "
            f"'{self.ids[0]}', or a row from 1 to {len(self.ids)}."
        )

    def label(self, row: int) -> bool | None:
        """Return what was answered about this text; None if nothing, or if it was skipped."""
        return self._labels().get(self._first[self._digests[row]])

    def progress(self) -> Progress:
        """Return counts, what the model makes of the texts left, and whether one can stop."""
        self._learn()
        labels, left = self._labels(), self._left()
        known = len(labels), sum(labels.values()), len({e.row for e in self._events}) - len(labels), len(left)
        if self._learner.scores is None:
            return Progress(*known, stop=None if len(left) else "exhausted")
        scores = self._learner.scores[left]
        return Progress(
            *known,
            n_support=self._learner.n_support,
            n_guessed=int((scores > 0).sum()),
            in_margin=float((np.abs(scores) < 1).mean()) if len(left) else 0.0,
            stop=self._learner.reason_to_stop() if len(left) else "exhausted",
        )

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield for each row its id, text, label (1, 0 or None), score and predicted label.

        The last two are None without a model, and for an empty text, of which a model knows nothing.
        """
        self._learn()
        labels, scores = self._labels(), self._learner.scores
        for i, text in enumerate(self.texts):
            label = labels.get(self._first[self._digests[i]])
            score = None if scores is None or not text.strip() else float(scores[i])
            yield {
                "id": self.ids[i],
                "text": text,
                "label": None if label is None else int(label),
                "score": score,
                "predicted": None if score is None else int(score > 0),
            }

    def model(self) -> Pipeline | None:
        """Return a pipeline that scores texts, of which 1 is a yes; None until both answers are known."""
        self._learn()
        svm = self._learner.model
        return None if svm is None else Pipeline([("vectorizer", self._vectorizer), ("svm", svm)])

    def close(self) -> None:
        """Let go of the file of answers."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # the texts

    def _check_texts(self) -> None:
        n = len(self.texts)
        self._askable = np.zeros(n, dtype=bool)
        self._askable[[i for i in self._first.values() if self.texts[i].strip()]] = True
        self.n_empty = sum(not text.strip() for text in self.texts)
        self.n_copies = n - self.n_empty - int(self._askable.sum())
        if self._askable.sum() < 2:
            raise ValueError(
                f"two texts that differ are needed; {self._table} has {n:,} row{'' if n == 1 else 's'}, "
                f"{self.n_empty:,} empty and {self.n_copies:,} a copy. Name the column that holds the text "
                "(in the shell: --text)."
            )

    def _vectorize(self, features: str) -> None:
        if features not in ("stems", "bytes"):
            raise ValueError(f"features must be 'stems' or 'bytes'; got {features!r}.")
        self._vectorizer = StemmedVectorizer() if features == "stems" else ByteGramVectorizer()
        try:
            self._X = self._vectorizer.fit_transform(self.texts)
        except ValueError:
            raise ValueError(
                f"no words to learn from in {self._table}. "
                "Use features='bytes' (in the shell: --features bytes)."
            ) from None

    def _match(self, words: str) -> NDArray[np.float64]:
        """Return how well each text matches; 0 where it holds none of the words."""
        if isinstance(self._vectorizer, StemmedVectorizer):
            return (self._X @ self._vectorizer.transform([words]).T).toarray().ravel()
        wanted = words.casefold().split()
        return np.array([sum(word in text.casefold() for word in wanted) for text in self.texts], dtype=float)

    # the answers

    def _resume(self) -> None:
        """Take up the answers of earlier sessions, each by the digest of its text."""
        file = self._file
        if file is None or file.header is None:
            return
        stack: list[dict[str, Any]] = []
        self.n_broken = file.n_broken
        self._asked = file.header.get("question") or None
        for record in file.records:
            if record.get("answer") in get_args(Verdict) and isinstance(record.get("text"), str):
                stack.append(record)
            elif record.get("answer") == "undo" and stack:
                stack.pop()
            elif "answer" not in record and isinstance(record.get("question"), str):
                self._asked = record["question"]
            else:
                self.n_broken += 1
        if None not in (self.question, self._asked) and self.question != self._asked:
            raise ValueError(
                f"{file.path} answers {self._asked!r}, not {self.question!r}. "
                "Name another file (in the shell: --out)."
            )
        self.question = self.question or self._asked
        gone = [record for record in stack if record["text"] not in self._first]
        if gone:
            raise ValueError(
                f"{len(gone):,} of {len(stack):,} answers in {file.path} are about texts that {self._table} "
                f"does not hold (the first: {str(gone[0].get('id'))!r}): it has changed, or is another. "
                "Bring the old one back, or name another file (in the shell: --out)."
            )
        self._events = [
            _Event(self._first[record["text"]], record["answer"], record.get("reason", "given"))
            for record in stack
        ]
        self.n_resumed = len(stack)
        self.changed = bool(stack) and stack[-1].get("table") != self._fingerprint

    def _save(self, row: int, **what: str) -> None:
        if self._file is not None:
            where = {"row": row + 1, "id": self.ids[row]}
            marks = {"text": self._digests[row], "table": self._fingerprint}
            now = datetime.now(UTC).isoformat(timespec="seconds")
            header = {"table": self._table, "question": self.question}
            if self._file.header is not None and self.question != self._asked:  # told later than the header
                self._file.append({"question": self.question, "time": now}, header=header)
            self._file.append({**where, **what, **marks, "time": now}, header=header)
            self._asked = self.question

    def _labels(self) -> dict[int, bool]:
        """Return the answers that count, in the order in which they were given."""
        return {event.row: event.verdict == "yes" for event in self._lessons()}

    def _lessons(self) -> list[_Event]:
        """Return the last answer about each text that was not skipped."""
        last: dict[int, _Event] = {}
        for event in self._events:
            last.pop(event.row, None)
            last[event.row] = event
        return [event for event in last.values() if event.verdict != "skip"]

    def _left(self) -> NDArray[np.intp]:
        left = self._askable.copy()
        left[[event.row for event in self._events]] = False
        return np.flatnonzero(left)

    def _found_and_left(self) -> list[int]:
        verdicts = {event.row: event.verdict for event in self._events}
        if any(verdicts.get(row) == "yes" for row in self._found):
            return []
        return [row for row in self._found if row not in verdicts]

    # the model

    def _learn(self) -> None:
        """Teach what was not taught yet; after an undo on a copy of one answer ago, or from the start."""
        lessons = self._lessons()
        if lessons == self._learned:
            return
        states = [(self._learner, self._learned), (self._before, self._learned[:-1])]
        learner, n_known = AnswerLearner(self._X, self._askable), 0
        for state, taught in states:
            if state is not None and lessons[: len(taught)] == taught:
                learner, n_known = state, len(taught)
                break
        # If the lessons are interrupted, they begin anew.
        self._learner, self._before, self._learned = AnswerLearner(self._X, self._askable), None, []
        before = None
        for event in lessons[n_known:]:
            if event is lessons[-1]:
                before = learner.copy()
            learner.learn(event.row, event.verdict == "yes", at_border=event.reason == "border")
        self._learner, self._before, self._learned = learner, before, lessons

    def _distance(self, row: int) -> float | None:
        scores = self._learner.scores
        return None if scores is None else abs(float(scores[row]))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
