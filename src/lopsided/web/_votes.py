"""The labels that stand, and their meaning to the session: a fold over the log of the store."""

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple, get_args

from lopsided.screening import ScreeningSession
from lopsided.screening._record import Reason


class Votes:
    """The label of each reviewer for each item, and the one answer that the session knows.

    Where reviewers differ, an item is relevant to the session until somebody settles it: it is better read
    twice than lost.

    Parameters
    ----------
    labels : iterable of LabelKind
    """

    def __init__(self, labels: Iterable[Any]) -> None:
        self._relevant = {label.id: bool(label.relevant) for label in labels}
        self._of: dict[int, dict[int, int | None]] = {}  # item -> user -> label; None for a skip
        self._settled: dict[int, int] = {}
        self._reason: dict[int, str] = {}
        self._events: dict[int, Any] = {}  # answers that an undo may take back
        self._told: list[_Told] = []
        self._told_of: dict[int, list[bool | None]] = {}  # item -> what was told of it, in order

    def meanings(self) -> dict[int, bool]:
        """Return whether each labeled item is relevant."""
        found = {item: self.meaning(item) for item in list(self._of)}
        return {item: meaning for item, meaning in found.items() if meaning is not None}

    def kinds(self) -> dict[int, str]:
        """Return the label of each labeled item, as text: the one that settled it, else the first given."""
        found = {}
        for item, given in list(self._of.items()):
            labels = [label for label in given.values() if label is not None]
            if item in self._settled or labels:
                found[item] = str(self._settled.get(item) or labels[0])
        return found

    @property
    def n_labels(self) -> int:
        """The number of items that have a label."""
        return len(self.meanings())

    def add_label(self, label: Any) -> None:
        """Learn of a new label.

        Parameters
        ----------
        label : LabelKind
        """
        self._relevant[label.id] = bool(label.relevant)

    def of(self, item: int) -> dict[int, int | None]:
        """Return the label of each reviewer for an item."""
        return dict(self._of.get(item, {}))

    def asked(self, number: int) -> tuple[str, float | None]:
        """Return why the item of an answer was shown, and its probability at that time.

        Parameters
        ----------
        number : int
            Number of the answer in the log.
        """
        if number not in self._events:
            return "given", None  # a dismissal, or an answer that was taken back before
        answer = self._events[number][0]
        return answer.reason or "given", answer.score

    def reason(self, item: int) -> str:
        """Return why an item is shown to a second reviewer: as to the first, so that neither can tell."""
        return self._reason.get(item, "most likely")

    def meaning(self, item: int) -> bool | None:
        """Return whether an item is relevant; None without a label."""
        if item in self._settled:
            return self._relevant[self._settled[item]]
        found = [self._relevant[label] for label in self._of.get(item, {}).values() if label is not None]
        return any(found) if found else None

    def second_opinion(self, user: int, wanted: int, held: Collection[int]) -> int | None:
        """Return the first item that others have labeled, this reviewer has not, and that needs more labels.

        Parameters
        ----------
        user : int
        wanted : int
            How many labels each item should have.
        held : collection of int
            Items that other reviewers have before them.
        """
        for item, given in self._of.items():
            n = sum(label is not None for label in given.values())
            if 0 < n < wanted and user not in given and item not in held and item not in self._settled:
                return item
        return None

    def apply(self, event: Any, session: ScreeningSession) -> None:
        """Take in one event of the log.

        Parameters
        ----------
        event : Event
        session : ScreeningSession
            Is told where the meaning of an item changes.
        """
        if event.kind not in ("answer", "skip", "undo", "resolve"):
            return
        item = event.item_id
        if event.kind == "undo":
            self._take_back(event.undoes)
            self._rewind(event.undoes, session)
        elif event.kind == "resolve":
            self._events[event.id] = (event, self._settled.get(item))
            self._settled[item] = event.label_id
        else:
            given = self._of.setdefault(item, {})
            self._events[event.id] = (event, given.get(event.user_id, _NOTHING))
            given[event.user_id] = event.label_id
            self._reason.setdefault(item, event.reason)
        meaning = self.meaning(item)
        known = self._known(item)
        if meaning is not None and meaning is not known:
            self._tell(_Told(event.id, item, meaning, event.reason, event.score), session)
        elif meaning is None and (known is not None or event.kind == "skip"):
            self._tell(_Told(event.id, item, None, "given", None), session)

    def _take_back(self, number: int) -> None:
        if number not in self._events:
            return  # a dismissal, which is no label
        undone, earlier = self._events.pop(number)
        item = undone.item_id
        if undone.kind == "resolve":
            del self._settled[item]
            if earlier is not None:
                self._settled[item] = earlier
            return
        given = self._of[item]
        if earlier is _NOTHING:
            del given[undone.user_id]
        else:
            given[undone.user_id] = earlier
        if not given:
            del self._of[item], self._reason[item]

    def _known(self, item: int) -> bool | None:
        """Return the label that the session has for an item."""
        told = self._told_of.get(item)
        return told[-1] if told else None

    def _tell(self, told: "_Told", session: ScreeningSession) -> None:
        if told.relevant is None:
            session.skip(told.item - 1)
        else:
            reason = told.reason if told.reason in get_args(Reason) else "given"
            session.answer(told.item - 1, told.relevant, reason=reason, probability=told.probability)
        self._told.append(told)
        self._told_of.setdefault(told.item, []).append(told.relevant)

    def _rewind(self, number: int, session: ScreeningSession) -> None:
        """Take back what an event told the session: what came later is taken back too, and told again."""
        if all(told.event != number for told in self._told):
            return
        later = []
        while (told := self._take_last(session)).event != number:
            later.append(told)
        for told in reversed(later):
            self._tell(told, session)

    def _take_last(self, session: ScreeningSession) -> "_Told":
        session.undo()
        told = self._told.pop()
        self._told_of[told.item].pop()
        return told


class _Told(NamedTuple):
    """One answer as the session was told."""

    event: int
    item: int
    relevant: bool | None
    reason: str
    probability: float | None


_NOTHING = object()
