"""Labelling the texts of a table with a person: a screening session whose answers are kept in a file."""

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, Self, get_args

from sklearn.pipeline import Pipeline

from lopsided.screening._answer_file import AnswerFile
from lopsided.screening._classifier import Features, scores_of, train_classifier
from lopsided.screening._distinct import DistinctTexts
from lopsided.screening._evidence import RecordEvidence
from lopsided.screening._labels import YES_NO, make_choices
from lopsided.screening._question import Question
from lopsided.screening._record import Reason
from lopsided.screening._session import ScreeningSession
from lopsided.screening._standing import LabelingProgress, measure_progress
from lopsided.text._stemmed import WORD

_SATURATION = 50  # answers before the present one whose models the stopping rule of that name compares
_EARLIER = {"find": "search", "random": "first"}  # reasons as older files of answers have them
_LETTERS = str.maketrans("0123456789abcdef", "αβγδεζηθικλμνξοπ")


class _Event(NamedTuple):
    row: int
    answer: str


class LabelingSession:
    """Ask a person about the texts of a table, and remember every answer.

    A `ScreeningSession` chooses the texts. One seed and the same answers lead to the same question, so
    that an interrupted session goes on where it was. Equal texts are asked once, empty ones never.

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
        What is asked; texts with its words come first while no yes is known. It may be told in a later
        session. A file with the answers to another question is refused.
    labels : sequence of str, default=()
        Names of the labels, the first of which is what is looked for; yes and no if not given. A file with
        other labels is refused.
    table : str, default="the table"
        What messages and the file call the source of the texts.
    features : {"stems", "bytes"}, default="stems"
        Stemmed words; or byte grams, where words are not apart.
    strategy : str, default="mixed"
        Which text comes next, as in `ScreeningSession`.
    seed : int, default=0
        Decides the random draws.

    Attributes
    ----------
    question : str or None
        What is asked, now or in an earlier session.
    choices : tuple of LabelChoice
        The labels, with their keys.
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
        labels: Sequence[str] = (),
        table: str = "the table",
        features: Features = "stems",
        strategy: str = "mixed",
        seed: int = 0,
    ) -> None:
        if features not in get_args(Features):
            raise ValueError(f"features must be 'stems' or 'bytes'; got {features!r}.")
        self.texts = texts
        self.ids = [str(i + 1) for i in range(len(texts))] if ids is None else list(ids)
        self.question = question or None
        self.choices = make_choices(labels)
        self._table, self._features = table, features
        self._distinct = DistinctTexts(texts)
        self.n_empty, self.n_copies = self._distinct.n_empty, self._distinct.n_copies
        self._check_texts()
        self._events: list[_Event] = []  # those that were not undone
        self._asked: str | None = None  # the question as the file has it
        self.n_resumed = self.n_broken = 0
        self.changed = False
        self._file = None if answers is None else AnswerFile(answers)
        try:
            stack = self._read_answers()
            self._session = ScreeningSession(
                (self._as_words(texts[row]) for row in self._distinct.rows),
                strategy=strategy,
                question=self._as_words(self.question or ""),
                seed=seed,
            )
            self._replay(stack)
        except BaseException:
            self.close()
            raise

    @property
    def n_rows(self) -> int:
        """The number of texts."""
        return len(self.texts)

    def ask(self) -> Question | None:
        """Return the next text, the same one until it is answered; None when all were asked about."""
        question = self._session.ask()
        return None if question is None else question._replace(row=int(self._distinct.rows[question.row]))

    def answer(
        self, row: int, answer: str, *, reason: Reason = "given", probability: float | None = None
    ) -> None:
        """Save an answer, which takes the place of an earlier one about the same text.

        Parameters
        ----------
        row : int
            Which text.
        answer : str
            The name of a label; or "skip": the text is not asked about again and has no label.
        reason : str, default="given"
            Why it was asked, as its question said. Random checks tell how many are left.
        probability : float or None, default=None
            The probability that its question had.
        """
        names = [choice.name for choice in self.choices]
        if answer not in (*names, "skip"):
            raise ValueError(f"an answer is {', '.join(map(repr, names))} or 'skip'; got {answer!r}.")
        row = self._distinct.standing_for(row)
        if not self._distinct.askable[row]:
            raise ValueError(f"the text of '{self.ids[row]}' is empty: there is nothing to answer about.")
        self._save(row, answer=self._verdict(answer), **self._named(answer), reason=reason, p=probability)
        self._take(_Event(row, answer), reason, probability)

    def give(self, row: int) -> None:
        """Save that a text is a yes, unless it has a label."""
        if self.label(row) is None:
            self.answer(row, self.choices[0].name)

    def undo(self) -> tuple[int, str] | None:
        """Take back the last answer, of an earlier session too; returns its row and it, None without one."""
        if not self._events:
            return None
        last = self._events[-1]
        self._save(last.row, answer="undo")
        self._events.pop()
        self._session.undo()
        return last.row, last.answer

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
        return len(self._session.search(self._as_words(words), again=again))

    def evidence(self, row: int) -> RecordEvidence:
        """Return the words of a text that speak for and against a yes; none where bytes are learned from."""
        row = self._distinct.standing_for(row)
        if self._features == "bytes" or not self._distinct.askable[row]:
            return RecordEvidence((), ())
        return self._session.evidence(self._distinct.place(row))

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

    def name(self, row: int) -> str:
        """Return the id of a text."""
        return self.ids[row]

    def text(self, row: int) -> str:
        """Return a text."""
        return self.texts[row]

    def label(self, row: int) -> str | None:
        """Return what was answered about this text; None if nothing, or if it was skipped."""
        return self._labels().get(self._distinct.standing_for(row))

    def progress(self) -> LabelingProgress:
        """Return counts, what is left, and what the stopping rules say."""
        return measure_progress(self._session)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield for each row its id, text, label, score and predicted label.

        The label is 1, 0 or None, or its name where labels are named. The last two are None until a yes and
        a no are known, and for an empty text, of which a model knows nothing. They come from `model`.
        """
        labels, model = self._labels(), self.model()
        scores = None if model is None else scores_of(model, self.texts)
        for i, text in enumerate(self.texts):
            label: str | int | None = labels.get(self._distinct.standing_for(i))
            if label is not None and self.choices is YES_NO:
                label = int(label == "yes")
            score = None if scores is None or not text.strip() else float(scores[i])
            yield {
                "id": self.ids[i],
                "text": text,
                "label": label,
                "score": score,
                "predicted": None if score is None else int(score > 0),
            }

    def model(self) -> Pipeline | None:
        """Return a pipeline that scores texts, of which 1 is a yes; None until a yes and a no are known."""
        labels = self._labels()
        relevant = [self._is_relevant(name) for name in labels.values()]
        return train_classifier(self.texts, list(labels), relevant, features=self._features)

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
        if len(self._distinct.rows) < 2:
            raise ValueError(
                f"two texts that differ are needed; {self._table} has {n:,} row{'' if n == 1 else 's'}, "
                f"{self.n_empty:,} empty and {self.n_copies:,} a copy. Name the column that holds the text "
                "(in the shell: --text)."
            )
        if self._features == "stems" and not any(WORD.search(self.texts[row]) for row in self._distinct.rows):
            raise ValueError(
                f"no words to learn from in {self._table}. "
                "Use features='bytes' (in the shell: --features bytes)."
            )

    def _as_words(self, text: str) -> str:
        """Return what the session reads: the text, or each three bytes of a word spelled as one word."""
        if self._features == "stems":
            return text
        grams: list[str] = []
        for word in text.casefold().split():
            code = word.encode("utf-8", "surrogatepass").hex().translate(_LETTERS)
            grams.extend(code[i : i + 6] for i in range(0, max(len(code) - 4, 1), 2))
        return " ".join(grams)

    # the answers

    def _read_answers(self) -> list[dict[str, Any]]:
        """Return the answers of earlier sessions that were not undone, each with its row."""
        file = self._file
        if file is None or file.header is None:
            return []
        self._take_labels(file)
        stack: list[dict[str, Any]] = []
        self.n_broken = file.n_broken
        self._asked = file.header.get("question") or None
        for record in file.records:
            if self._answer_in(record) is not None and isinstance(record.get("text"), str):
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
        gone = [record for record in stack if record["text"] not in self._distinct.first]
        if gone:
            raise ValueError(
                f"{len(gone):,} of {len(stack):,} answers in {file.path} are about texts that {self._table} "
                f"does not hold (the first: {str(gone[0].get('id'))!r}): it has changed, or is another. "
                "Bring the old one back, or name another file (in the shell: --out)."
            )
        self.n_resumed = len(stack)
        self.changed = bool(stack) and stack[-1].get("table") != self._distinct.fingerprint
        return stack

    def _take_labels(self, file: AnswerFile) -> None:
        """Take the names of the labels from the file; refuse others."""
        kept = (file.header or {}).get("labels") or []
        known = make_choices(kept if isinstance(kept, list) else [])
        if self.choices is YES_NO:
            self.choices = known
        if self.choices != known:
            names = ", ".join(choice.name for choice in known)
            raise ValueError(
                f"the labels in {file.path} are {names}. Give the same, or name another file "
                "(in the shell: --out)."
            )

    def _answer_in(self, record: dict[str, Any]) -> str | None:
        """Return the answer of a line of the file; None where it is no answer."""
        if record.get("answer") == "skip":
            return "skip"
        named = record.get("label", record.get("answer"))
        names = [choice.name for choice in self.choices if self._verdict(choice.name) == record.get("answer")]
        return named if named in names else None

    def _replay(self, stack: list[dict[str, Any]]) -> None:
        """Tell the session what was answered, each by the digest of its text."""
        n_labels = sum(record["answer"] != "skip" for record in stack)
        n_compared = len(stack) - n_labels + max(_SATURATION, n_labels // 10) + 1
        for i, record in enumerate(stack):
            if i >= len(stack) - n_compared:
                self._session.ask()  # fits the model, whose support vectors a stopping rule counts
            reason = _EARLIER.get(record.get("reason", ""), record.get("reason", ""))
            p = record.get("p")
            answer = self._answer_in(record)
            assert answer is not None
            self._take(
                _Event(self._distinct.first[record["text"]], answer),
                reason if reason in get_args(Reason) else "given",
                float(p) if isinstance(p, int | float) else None,
            )

    def _take(self, event: _Event, reason: str, probability: float | None) -> None:
        self._events.append(event)
        place = self._distinct.place(event.row)
        if event.answer == "skip":
            self._session.skip(place)
        else:
            relevant = self._is_relevant(event.answer)
            self._session.answer(place, relevant, reason=reason, probability=probability)

    def _save(self, row: int, **what: Any) -> None:
        if self._file is None:
            return
        where = {"row": row + 1, "id": self.ids[row]}
        marks = {"text": self._distinct.digests[row], "table": self._distinct.fingerprint}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        header: dict[str, Any] = {"table": self._table, "question": self.question}
        if self.choices is not YES_NO:
            header["labels"] = [choice.name for choice in self.choices]
        if self._file.header is not None and self.question != self._asked:  # told later than the header
            self._file.append({"question": self.question, "time": now}, header=header)
        told = {name: value for name, value in what.items() if value is not None}
        self._file.append({**where, **told, **marks, "time": now}, header=header)
        self._asked = self.question

    def _labels(self) -> dict[int, str]:
        """Return the answers that count, in the order in which they were given."""
        last: dict[int, str] = {}
        for event in self._events:
            last.pop(event.row, None)
            last[event.row] = event.answer
        return {row: answer for row, answer in last.items() if answer != "skip"}

    def _is_relevant(self, name: str) -> bool:
        return name == self.choices[0].name

    def _verdict(self, answer: str) -> Literal["yes", "no", "skip"]:
        """Return what an answer means: yes, no or skip."""
        if answer == "skip":
            return "skip"
        return "yes" if self._is_relevant(answer) else "no"

    def _named(self, answer: str) -> dict[str, str]:
        return {} if self.choices is YES_NO or answer == "skip" else {"label": answer}
