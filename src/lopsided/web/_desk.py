"""The desk: a project in the store, a session that chooses the next item, and threads that prepare it.

An answer is written to the store first, and then passed to the session. The session is rebuilt from the items
and the log of the store, in order, so that it is the same after a restart.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from lopsided.screening import ScreeningSession, judge_plan
from lopsided.store import StoreError
from lopsided.web._computed import Computer
from lopsided.web._errors import Trouble
from lopsided.web._following import Expected, FollowingSession
from lopsided.web._plan import stop_plan
from lopsided.web._repeating import RepeatingThread
from lopsided.web._shown import ModelStanding, ShownNow
from lopsided.web._votes import Votes

_LABELS = (("Relevant", True, "y"), ("Not relevant", False, "n"))
_HOLD = 30 * 60.0  # seconds for which an item stays with a reviewer who does not answer
_ANSWERED = (
    "You have already given this item another answer, perhaps in another window. That answer was kept."
)
_PREPARING = "The documents are being loaded. The first one appears in a moment."


class Desk:
    """One project while it is served.

    Parameters
    ----------
    store : Store
    local_name : str, default="you"
        Name of the one person of a project without accounts.
    """

    def __init__(self, store: Any, *, local_name: str = "you") -> None:
        self.store = store
        if not store.labels():
            for name, relevant, key in _LABELS:
                store.add_label(name, relevant, key)
        known = [user for user in store.users() if user.name == local_name]
        self.local_user = known[0] if known else store.add_user(local_name, admin=True)
        self._lock = threading.RLock()  # the order of the log is that of the session
        self._open: dict[int, ShownNow] = {}  # user -> what is before them
        self._following = FollowingSession(store)
        self._expected = Expected()
        self._standing: ModelStanding | None = None
        self._told: tuple[Any, ...] = ()  # events, items and plan that the standing was made of
        self._computers: dict[str, Computer] = {}
        self._name = store.project.name
        self._reader = RepeatingThread("reader", self._read_items)
        self._modeler = RepeatingThread("modeler", self._prepare)

    def start(self) -> None:
        """Start the threads that read the documents and prepare the next item."""
        self._reader.start()
        self._modeler.start()

    # what there is

    @property
    def name(self) -> str:
        """The name of the project."""
        return self.store.project.name

    @property
    def last_name(self) -> str:
        """The name of the project, or the last one that is known while its database cannot be reached."""
        with suppress(StoreError):
            self._name = self.name
        return self._name

    @property
    def is_ready(self) -> bool:
        """Whether the documents that were there at the start have been read."""
        return self._following.is_ready

    @property
    def is_behind(self) -> bool:
        """Whether the store has documents that have not been read yet."""
        return bool(self.store.n_items > self._following.n_items)

    @property
    def failure(self) -> str:
        """The reason that documents cannot be read or the next item prepared; "" if all is well."""
        return self._reader.failure or self._modeler.failure

    @property
    def session(self) -> ScreeningSession:
        """The session; raises an error while it is not ready."""
        following = self._following
        if not following.is_ready:
            raise Trouble(self.failure or _PREPARING, 503)
        return following.session

    @property
    def standing(self) -> ModelStanding | None:
        """The last state of the model; None until there is one."""
        return self._standing

    @property
    def votes(self) -> Votes:
        """The labels that stand."""
        return self._following.votes

    def computer(self, name: str, work: Callable[[], Any]) -> Computer:
        """Return what computes something slow for a page; made on first use.

        Parameters
        ----------
        name : str
        work : callable
        """
        with self._lock:
            return self._computers.setdefault(name, Computer(work))

    # one item at a time

    def next(self, user: int) -> ShownNow | None:
        """Return the item that a reviewer sees; the same one until it is answered.

        Parameters
        ----------
        user : int
        """
        with self._lock:
            if (shown := self._open.get(user)) is not None:
                return shown
            session = self.session
            held = self._held(user)
            wanted = self.store.project.reviewers_per_item
            if wanted > 1:
                item = self.votes.second_opinion(user, wanted, {row + 1 for row in held})
                if item is not None:
                    return self._show(user, item, self.votes.reason(item), None)
            question = session.ask(held=held)
            if question is None:
                return None
            shown = self._show(user, question.row + 1, question.reason, question.probability)
        self._modeler.wake()
        return shown

    def show(self, user: int, item_id: int) -> ShownNow:
        """Show a reviewer an item that they chose.

        Parameters
        ----------
        user : int
        item_id : int
        """
        self.store.item(item_id)
        with self._lock:
            return self._show(user, item_id, "given", None)

    def answer(
        self,
        user: int,
        item_id: int,
        label: int | None,
        *,
        reason: str,
        token: str,
        seconds: float | None = None,
    ) -> None:
        """Take an answer. It is on the disk when this returns.

        Parameters
        ----------
        user : int
        item_id : int
        label : int or None
            Number of the label; None skips.
        reason : str
            Why the item was shown.
        token : str
            An answer that comes twice under one token counts once.
        seconds : float or None, default=None
            How long it took.
        """
        _ = self.session  # nothing is stored before all documents have been read
        with self._lock:
            shown = self._open.get(user)
            probability = shown.probability if shown is not None and shown.item_id == item_id else None
            try:
                self.store.answer(
                    item_id, user, label, reason=reason, score=probability, token=token, seconds=seconds
                )
            except StoreError as error:
                raise (Trouble(_ANSWERED, 409) if error.kind == "conflict" else error) from error
            if shown is not None and shown.item_id == item_id:
                del self._open[user]
            self._read_events()

    def undo(self, user: int, token: str) -> int | None:
        """Take back the last answer of a reviewer, and show its item again.

        Parameters
        ----------
        user : int
        token : str

        Returns
        -------
        item : int or None
            None where there is nothing to take back.
        """
        _ = self.session
        with self._lock:
            event = self.store.undo(user, token)
            if event is None:
                return None
            reason, probability = self.votes.asked(event.undoes)
            self._read_events()
            self._show(user, event.item_id, reason, probability)
        self._modeler.wake()
        return int(event.item_id)

    def search(self, user: int, words: str) -> int:
        """Show items with these words first, and return how many there are.

        Parameters
        ----------
        user : int
        words : str
        """
        with self._lock:
            found = self.session.search(words)
            if len(found) or not words:
                self._open.pop(user, None)
        self._modeler.wake()
        return len(found)

    def change(self, work: Callable[[], Any]) -> Any:
        """Do something with the store that the session should know about.

        Parameters
        ----------
        work : callable
        """
        with self._lock:
            result = work()
            if self._following.is_ready:
                self._read_events()
        return result

    def add_label(self, name: str, relevant: bool, key: str = "") -> Any:
        """Add a label.

        Parameters
        ----------
        name : str
        relevant : bool
            Whether items with it are what is looked for.
        key : str, default=""
            The key that gives it.
        """
        with self._lock:
            label = self.store.add_label(name, relevant, key)
            self.votes.add_label(label)
        return label

    def read_again(self) -> None:
        """Read what has come into the store: items, their groups, events."""
        self._reader.wake()

    @contextmanager
    def expecting(self) -> Iterator[None]:
        """Read items as they come, as long as this is open; screening begins with the first of them."""
        with self._expected.expecting():
            self.read_again()
            yield
        self.read_again()

    def start_anew(self) -> None:
        """Build the session again, after its settings have changed."""
        with self._lock:
            self._following, self._standing, self._told = FollowingSession(self.store), None, ()
            self._open.clear()
        self.read_again()

    def close(self) -> None:
        """End the threads."""
        self._reader.close()
        self._modeler.close()

    # inside

    def _show(self, user: int, item_id: int, reason: str, probability: float | None) -> ShownNow:
        shown = ShownNow(item_id, reason, probability, secrets.token_hex(16), time.monotonic())
        self._open[user] = shown
        return shown

    def _held(self, user: int) -> list[int]:
        """Return the rows that others have before them."""
        late = time.monotonic() - _HOLD
        for other, shown in list(self._open.items()):
            if shown.since < late and other != user:
                del self._open[other]
        return [shown.item_id - 1 for other, shown in self._open.items() if other != user]

    def _read_events(self) -> None:
        self._following.read_events()
        self._modeler.wake()

    def _read_items(self, worker: RepeatingThread) -> None:
        """Bring items, their groups and events from the store to the session."""
        following = self._following
        try:
            following.read_items(
                self._expected, lambda: self._following is following and not worker.is_closed
            )
        except StoreError:
            raise  # the session has what was read before
        except BaseException:
            self.start_anew()  # who knows how many items it has
            raise
        with self._lock:
            if self._following is not following or worker.is_closed:
                return
            following.read_events()
            following.is_ready = True
        self._modeler.wake()
        if self.is_behind:
            worker.wake()

    def _prepare(self, worker: RepeatingThread) -> None:
        """Fit models ahead, and estimate: all that nobody should wait for."""
        following = self._following
        if following.is_ready and following.n_items:
            following.session.prepare()
            if not worker.is_wanted:
                self._tell(following)

    def _tell(self, following: FollowingSession) -> None:
        session, plan, before = following.session, stop_plan(self.store.project), self._standing
        state = following.n_events, session.n_items, plan
        if self._told == state:
            return
        self._standing = ModelStanding(
            following.n_events,
            session.estimate(),
            plan,
            judge_plan(session.screened(), plan, before.verdict if before and before.plan == plan else None),
            session.terms(n=20),
            session.curve(),
        )
        self._told = state
