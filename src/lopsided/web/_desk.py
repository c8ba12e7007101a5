"""The desk: a project in the store, a session that says what comes next, and threads that prepare it.

An answer goes to the store first, where it is safe, and then to the session. The session is nothing but the
items and the log of the store, read in order: after a restart it is the same.
"""

import secrets
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from lopsided.screening import ScreeningSession
from lopsided.terminal import say
from lopsided.web._computed import Computer
from lopsided.web._errors import Trouble
from lopsided.web._incoming import Incoming
from lopsided.web._votes import Votes

_LABELS = (("Relevant", True, "y"), ("Not relevant", False, "n"))
_HOLD = 30 * 60.0  # seconds for which an item stays with a reviewer who does not answer
_PREPARING = "The documents are being read. The first one comes in a moment."


class ShownNow(NamedTuple):
    """An item before a reviewer.

    Parameters
    ----------
    item_id : int
    reason : str
        Why it is shown.
    probability : float or None
        Of being relevant, as the model had it.
    token : str
        What comes back with the answer, so that it counts once.
    since : float
        When it was shown.
    """

    item_id: int
    reason: str
    probability: float | None
    token: str
    since: float


class ModelStanding(NamedTuple):
    """The state of the model at some number of labels.

    Parameters
    ----------
    n_events : int
        How many events of the log it knows.
    estimate : Estimate
    stop_reasons : list of StopReason
    terms : tuple of Term
    curve : Curve
    """

    n_events: int
    estimate: Any
    stop_reasons: list[Any]
    terms: tuple[Any, ...]
    curve: Any


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
        self._session: ScreeningSession | None = None
        self._votes = Votes(store.labels())
        self._n_items = self._n_events = self._round = 0
        self._standing: ModelStanding | None = None
        self._computers: dict[str, Computer] = {}
        self._changed = threading.Condition()
        self._wanted = self._unread = True
        self._regrouped = self._closed = False
        self._incoming = Incoming(store)
        self.failure = ""
        works = {"model": self._work, "reader": self._read}
        self._threads = [
            threading.Thread(target=work, name=f"lopsided-{name}", daemon=True)
            for name, work in works.items()
        ]
        for thread in self._threads:
            thread.start()

    # what there is

    @property
    def name(self) -> str:
        """The name of the project."""
        return self.store.project.name

    @property
    def is_ready(self) -> bool:
        """Whether documents have been read, if there are any."""
        return self._session is not None and (self._n_items > 0 or not self.store.n_items)

    @property
    def session(self) -> ScreeningSession:
        """The session; raises where it is not there yet."""
        session = self._session
        if session is None or not self.is_ready:
            raise Trouble(self.failure or _PREPARING, 503)
        return session

    @property
    def standing(self) -> ModelStanding | None:
        """The last state of the model; None before there is one."""
        return self._standing

    @property
    def votes(self) -> Votes:
        """The labels that stand."""
        return self._votes

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
        """Return what a reviewer has before them; the same until it is answered.

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
                item = self._votes.second_opinion(user, wanted, {row + 1 for row in held})
                if item is not None:
                    return self._show(user, item, self._votes.reason(item), None)
            question = session.ask(held=held)
            if question is None:
                return None
            shown = self._show(user, question.row + 1, question.reason, question.probability)
        self._wake()
        return shown

    def show(self, user: int, item_id: int) -> ShownNow:
        """Put an item that somebody chose before a reviewer.

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
            self.store.answer(
                item_id, user, label, reason=reason, score=probability, token=token, seconds=seconds
            )
            if shown is not None and shown.item_id == item_id:
                del self._open[user]
            self._catch_up()

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
            self._catch_up()
            self._show(user, event.item_id, self._votes.shown_for(event.item_id) or "given", None)
        self._wake()
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
        self._wake()
        return len(found)

    def change(self, work: Callable[[], Any]) -> Any:
        """Do something with the store that the session should know about.

        Parameters
        ----------
        work : callable
        """
        with self._lock:
            result = work()
            if self._session is not None:
                self._catch_up()
        self._wake()
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
            self._votes.add_label(label)
        return label

    def read_again(self) -> None:
        """Read what has come into the store: items, events."""
        with self._changed:
            self._unread = True
            self._changed.notify_all()
        self._incoming.notify()

    def expecting(self) -> AbstractContextManager[None]:
        """Wait, as long as this is open, for more items; screening begins with some of them."""
        return self._incoming.expecting()

    def wait_until_read(self) -> None:
        """Wait until all items of the store have been read, or cannot be."""
        with self._changed:
            while self._n_items < self.store.n_items and not self._closed and not self.failure:
                self._changed.wait(1.0)

    def group_again(self) -> None:
        """Learn of copies that were found among items that have been read."""
        self._regrouped = True
        self.read_again()

    def start_anew(self) -> None:
        """Build the session again, after its settings have changed."""
        with self._lock:
            self._round += 1
            self._session, self._standing, self._n_items, self._n_events = None, None, 0, 0
            self._votes = Votes(self.store.labels())
            self._open.clear()
        self.read_again()

    def close(self) -> None:
        """End the threads."""
        self._closed = True
        self._wake()
        self.read_again()
        for thread in self._threads:
            thread.join(10)

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

    def _catch_up(self) -> None:
        """Tell the session what happened in the store since it was told last."""
        session = self._session
        assert session is not None
        for event in self.store.events(after=self._n_events):
            if event.item_id > self._n_items:
                break  # the session learns of this item first, and of what came after
            self._votes.apply(event, session)
            self._n_events = event.id
        self._wake()

    def _wake(self) -> None:
        with self._changed:
            self._wanted = True
            self._changed.notify_all()

    def _work(self) -> None:
        """Fit models ahead, and estimate: all that nobody should wait for."""
        while True:
            with self._changed:
                while not self._wanted and not self._closed:
                    self._changed.wait()
                self._wanted = False
            session = self._session
            if self._closed:
                return
            if session is None or not self._n_items:
                continue
            try:
                session.prepare()
                if not self._wanted:
                    self._tell(session)
                self.failure = ""
            except Exception as error:
                self._fail(error)

    def _read(self) -> None:
        """Read documents as they come."""
        while True:
            with self._changed:
                while not self._unread and not self._closed:
                    self._changed.wait()
                self._unread = False
            if self._closed:
                return
            try:
                self._read_items()
                self.failure = ""
            except Exception as error:
                self._fail(error)
            with self._changed:
                self._changed.notify_all()
            self._wake()

    def _fail(self, error: Exception) -> None:
        self.failure = f"The next item cannot be prepared: {error}"
        say(self.failure)

    def _read_items(self) -> None:
        """Build the session, or add items that came later."""
        with self._lock:
            round, session, n = self._round, self._session, self._n_items
        is_new = session is None
        if session is None:
            project = self.store.project
            session = ScreeningSession(
                (), strategy=project.strategy, question=project.question, seed=project.seed
            )
        elif self._regrouped:
            self._regrouped = False
            session.regroup(self._incoming.groups(n))
        if self.store.n_items > n:
            n = self._incoming.bring(session, n, lambda: self._round == round and not self._closed)
        elif not is_new:
            return
        with self._lock:
            if self._round != round:
                return  # the settings have changed meanwhile; the next round knows them
            self._session, self._n_items = session, n
            self._catch_up()
        if self.store.n_items > n:
            self._unread = True

    def _tell(self, session: ScreeningSession) -> None:
        n_events = self._n_events
        if self._standing is not None and self._standing.n_events == n_events:
            return
        self._standing = ModelStanding(
            n_events,
            session.estimate(),
            session.stop_reasons(),
            session.terms(n=20),
            session.curve(),
        )
