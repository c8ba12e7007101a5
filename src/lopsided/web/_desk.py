"""The desk: a project in the store, a session that says what comes next, and a thread that prepares it.

An answer goes to the store first, where it is safe, and then to the session. The session is nothing but the
items and the log of the store, read in order: after a restart it is the same.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from lopsided.screening import ScreeningSession, judge_plan
from lopsided.store import StoreError
from lopsided.terminal import say
from lopsided.web._computed import Computer
from lopsided.web._errors import Trouble
from lopsided.web._plan import stop_plan
from lopsided.web._shown import ModelStanding, ShownNow
from lopsided.web._votes import Votes

_LABELS = (("Relevant", True, "y"), ("Not relevant", False, "n"))
_PAUSE = 3.0  # seconds after which the thread tries again what failed
_HOLD = 30 * 60.0  # seconds for which an item stays with a reviewer who does not answer
_ANSWERED = "You answered this item otherwise, perhaps in another window. That answer stands."
_PREPARING = "The documents are being read. The first one comes in a moment."


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
        self._wanted = True
        self._closed = False
        self.failure = ""
        self._name = store.project.name
        self._thread = threading.Thread(target=self._work, name="lopsided-desk", daemon=True)

    def start(self) -> None:
        """Start the thread that reads the documents and prepares the next item."""
        self._thread.start()

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
        """Whether all documents have been read."""
        return self._session is not None

    @property
    def is_behind(self) -> bool:
        """Whether documents have come that have not been read yet."""
        return bool(self.store.n_items > self._n_items)

    @property
    def session(self) -> ScreeningSession:
        """The session; raises where it is not there yet."""
        if self._session is None:
            raise Trouble(self.failure or _PREPARING, 503)
        return self._session

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
            try:
                self.store.answer(
                    item_id, user, label, reason=reason, score=probability, token=token, seconds=seconds
                )
            except StoreError as error:
                raise (Trouble(_ANSWERED, 409) if error.kind == "conflict" else error) from error
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
        """Read what has come into the store: items, events, settings."""
        self._wake()

    def start_anew(self) -> None:
        """Build the session again, after its settings have changed."""
        with self._lock:
            self._round += 1
            self._session, self._standing, self._n_items, self._n_events = None, None, 0, 0
            self._votes = Votes(self.store.labels())
            self._open.clear()
        self._wake()

    def close(self) -> None:
        """End the thread."""
        self._closed = True
        self._wake()
        if self._thread.is_alive():
            self._thread.join(10)

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

    def _catch_up(self, session: ScreeningSession | None = None) -> None:
        """Tell the session what happened in the store since it was told last."""
        session = session or self.session
        for event in self.store.events(after=self._n_events):
            if event.item_id > self._n_items:
                break  # the session learns of this item first, and of what came after
            self._votes.apply(event, session)
            self._n_events = event.id
        self._wake()

    def _wake(self) -> None:
        with self._changed:
            self._wanted = True
            self._changed.notify()

    def _work(self) -> None:
        """Read documents, fit models ahead, and estimate: all that nobody should wait for."""
        while True:
            with self._changed:
                while not self._wanted and not self._closed:
                    self._changed.wait()
                self._wanted = False
            if self._closed:
                return
            try:
                self._read_items()
                if self._session is not None and self._n_items:
                    self._session.prepare()
                    if not self._wanted:
                        self._tell(self._session)
                self.failure = ""
            except Exception as error:
                failure = f"The next item cannot be prepared: {error}"
                if failure != self.failure:
                    say(failure)
                self.failure = failure
                self._try_again()

    def _try_again(self) -> None:
        """Wait a little: a database that is lost may come back without anybody asking."""
        with self._changed:
            if not self._closed:
                self._changed.wait(_PAUSE)
            self._wanted = True

    def _read_items(self) -> None:
        """Build the session, or add items that came later."""
        with self._lock:
            round, session = self._round, self._session
        n = self.store.n_items
        if session is not None and n == self._n_items:
            return
        groups = self._groups(self._n_items if session else 0, n)
        is_new = session is None
        if session is None:
            project = self.store.project
            session = ScreeningSession(
                self._texts(0, n),
                strategy=project.strategy,
                question=project.question,
                groups=groups,
                seed=project.seed,
            )
        else:
            try:
                session.add(self._texts(self._n_items, n), groups=groups)
            except BaseException:
                self.start_anew()  # who knows how many of them it has
                raise
        with self._lock:
            if self._round != round:
                return  # the settings have changed meanwhile; the next round knows them
            if is_new:  # an attempt before may have got half way
                self._votes, self._n_events = Votes(self.store.labels()), 0
            self._n_items = n
            self._catch_up(session)
            self._session = session

    def _texts(self, after: int, last: int) -> Iterator[Any]:
        for item in self.store.items(after=after):
            if item.id > last:
                return
            yield item

    def _groups(self, after: int, last: int) -> list[int]:
        known = self.store.groups()
        return [known.get(item, item) - 1 for item in range(after + 1, last + 1)]

    def _tell(self, session: ScreeningSession) -> None:
        n_events, plan, before = self._n_events, stop_plan(self.store.project), self._standing
        is_same = before is not None and before.plan == plan
        if before is not None and is_same and before.n_events == n_events:
            return
        self._standing = ModelStanding(
            n_events,
            session.estimate(),
            plan,
            judge_plan(session.screened(), plan, before.verdict if before is not None and is_same else None),
            session.terms(n=20),
            session.curve(),
        )
