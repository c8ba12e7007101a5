"""The items of a project at the terminal: the desk of the triage page, without the page."""

import secrets
import time
from collections.abc import Iterator
from typing import Any, Self

from sklearn.pipeline import Pipeline

from lopsided.cli._label_faces import RESERVED
from lopsided.screening import Question, Reason, RecordEvidence
from lopsided.screening._classifier import scores_of, train_classifier
from lopsided.screening._labels import LabelChoice
from lopsided.screening._standing import LabelingProgress, measure_progress
from lopsided.store import Store, StoredItem, open_store
from lopsided.web._desk import Desk

LOCAL_NAME = "you"  # as the page calls the one person of a project without accounts


class ProjectLabeling:
    """Ask one reviewer about the items of a project, and store every answer in it.

    `lopsided serve` may have the same project open.

    Parameters
    ----------
    place : str
        File or address of the project, which must be there.
    user : str or None, default=None
        Name of the reviewer; None for the one person of a project without accounts.

    Attributes
    ----------
    place : str
        The same place, without a password.
    question : str or None
        What is asked.
    choices : tuple of LabelChoice
        The labels, with their keys.
    n_rows, n_resumed : int
        Items, and how many of them have a label.
    changed : bool
        False: items are only added.
    """

    def __init__(self, place: str, *, user: str | None = None) -> None:
        self._store = open_store(place, create=False)
        place = self.place = self._store.database.place  # without a password
        self._desk: Desk | None = None
        try:
            if not self._store.n_items:
                raise ValueError(f"{place} has no documents. Import some on the page: lopsided serve {place}")
            name = _reviewer(self._store, place, user)
            self._desk = Desk(self._store, local_name=name)
            self._user = self._desk.local_user.id
            self._desk.start()
            while not self.desk.is_ready:
                if self.desk.failure:
                    raise ValueError(self.desk.failure)
                time.sleep(0.01)
        except BaseException:
            self.close()
            raise
        self._labels = self._store.labels()
        self.choices = _choices(self._labels)
        self.question = self._store.project.question or None
        self.n_rows = self._store.n_items
        self.n_resumed = self.desk.votes.n_labels
        self.changed = False  # items are only added
        self._token = ""

    @property
    def desk(self) -> Desk:
        """The desk of the project."""
        assert self._desk is not None, "the desk is made with the session"
        return self._desk

    def ask(self) -> Question | None:
        """Return the next item as a row from 0, the same one until it is answered; None when none is left."""
        shown = self.desk.next(self._user)
        if shown is None:
            return None
        self._token = shown.token
        reason: Any = shown.reason or "given"
        return Question(shown.item_id - 1, reason, None, shown.probability)

    def answer(
        self, row: int, answer: str, *, reason: Reason = "given", probability: float | None = None
    ) -> None:
        """Store the name of a label, or "skip"; it is on the disk when this returns.

        Parameters
        ----------
        row : int
        answer : str
        reason : str, default="given"
            Why the item was shown.
        probability : float or None, default=None
            The desk knows it.
        """
        label = next((label.id for label in self._labels if label.name == answer), None)
        self.desk.answer(self._user, row + 1, label, reason=reason, token=self._token)

    def undo(self) -> tuple[int, str] | None:
        """Take back the last answer of this reviewer; returns its row and label, None without one."""
        given = {label.id: label.name for label in self._labels}
        before = self._store.n_events
        item = self.desk.undo(self._user, secrets.token_hex(16))
        if item is None:
            return None
        undo = next(event for event in self._store.events(before) if event.kind == "undo")
        return item - 1, given.get(undo.label_id or 0, "skipped")

    def find(self, words: str, *, again: bool = False) -> int:
        """Ask first about items with any of these words; return how many there are.

        Parameters
        ----------
        words : str
        again : bool, default=False
            The same either way: who opens a project with words wants to see what is left of them.
        """
        return self.desk.search(self._user, words)

    def evidence(self, row: int) -> RecordEvidence:
        """Return the words of an item that speak for and against a yes."""
        return self.desk.session.evidence(row)

    def row(self, name: str) -> int:
        """Return the row with this id, or else with this number, counted from 1."""
        found = self._store.find_items(name)
        if len(found) == 1:
            return found[0].id - 1
        if not found and name.isdecimal() and 1 <= int(name) <= self.n_rows:
            return int(name) - 1
        raise ValueError(
            f"{len(found) or 'no'} items of the project have the id '{name}'. Name one id, or a number "
            f"from 1 to {self.n_rows:,}."
        )

    def give(self, row: int) -> None:
        """Store that an item is a yes, unless this reviewer has labeled it."""
        if self.desk.votes.of(row + 1).get(self._user) is not None:
            return
        self._token = self.desk.show(self._user, row + 1).token
        self.answer(row, next(choice.name for choice in self.choices if choice.relevant))

    def name(self, row: int) -> str:
        """Return the id of an item in its source."""
        return self._store.item(row + 1).key

    def text(self, row: int) -> str:
        """Return title, text and fields of an item."""
        item = self._store.item(row + 1)
        fields = "\n".join(f"{name}: {value}" for name, value in item.fields.items() if value)
        return "\n\n".join(part for part in (_words_of(item), fields) if part)

    def progress(self) -> LabelingProgress:
        """Return counts, what is left, and what the stopping rules say; of all reviewers together."""
        return measure_progress(self.desk.session)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield for each item its id, text, label, score and predicted label, as for a table."""
        model = self.model()
        names = {str(label.id): label.name for label in self._labels}
        firsts = self._store.groups()
        kinds = {firsts.get(item, item): names[kind] for item, kind in self.desk.votes.kinds().items()}
        for item in self._store.items():
            text = _words_of(item)
            score = None if model is None or not text.strip() else float(scores_of(model, [text])[0])
            yield {
                "id": item.key,
                "text": text,
                "label": kinds.get(item.group),
                "score": score,
                "predicted": None if score is None else int(score > 0),
            }

    def model(self) -> Pipeline | None:
        """Return a pipeline that scores texts, of which 1 is a yes; None until a yes and a no are known."""
        meanings = self.desk.votes.meanings()
        if len(set(meanings.values())) < 2:
            return None
        texts = [_words_of(item) for item in self._store.items()]
        return train_classifier(texts, [item - 1 for item in meanings], list(meanings.values()))

    def close(self) -> None:
        """Let go of the project."""
        if self._desk is not None:
            self._desk.close()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _reviewer(store: Store, place: str, user: str | None) -> str:
    """Return the name of the reviewer, or say which ones there are."""
    active = [one for one in store.users() if one.active]
    names = ", ".join(one.name for one in active)
    if user is None:
        if any(one.has_password for one in active):
            raise ValueError(f"{place} has accounts ({names}). Say who you are: --user NAME")
        return LOCAL_NAME
    if user not in [one.name for one in active] and user != LOCAL_NAME:
        raise ValueError(
            f"no reviewer '{user}' in {place} (reviewers: {names or 'none'}). Add one: lopsided serve "
            f"{place} --add-user '{user}'"
        )
    return user


def _choices(labels: list[Any]) -> tuple[LabelChoice, ...]:
    """Return the labels with the keys of the page, or with their number where a key is taken."""
    choices: list[LabelChoice] = []
    taken = set(RESERVED)
    for number, label in enumerate(labels, 1):
        key = label.key.lower()
        key = key if len(key) == 1 and key not in taken else str(number)
        taken.add(key)
        choices.append(LabelChoice(key, label.name, label.relevant))
    return tuple(choices)


def _words_of(item: StoredItem) -> str:
    return "\n\n".join(part for part in (item.title, item.text) if part)
