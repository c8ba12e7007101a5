"""One user's filter: decide about a message, take in what became of it, and keep both."""

import json
import math
import os
import re
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lopsided.feedback._decision import ItemDecision
from lopsided.feedback._gate import Settlement
from lopsided.mail._engine import Engine
from lopsided.mail._features import Columns, columns_of, pack, unpack
from lopsided.mail._settings import Settings
from lopsided.mail._state import WAIT, BusyError, DamagedError, State, set_aside
from lopsided.terminal import say

REMEMBERED = 20_000  # messages whose decision is kept, about 80 bytes each
WITH_FEATURES = 1_000  # the last of these, with their features, about 3 kB each
FORGOTTEN = 100  # at a time: one by one costs as much as what is new
SNAPSHOT = 1_000  # lessons between two snapshots of the learner, while one process has the state
AFFORDABLE = 50  # lessons that the next process may have to learn again
HAM, SPAM, OPEN = 1, -1, 0
_SPREAD = 0x9E3779B1  # odd, so that numbers below 2**32 are spread without two meeting
_ID = re.compile("[0-9a-f]{16}")
LABELS = {"ham": HAM, "spam": SPAM}


class Decided(NamedTuple):
    """A decision, and the name under which its feedback comes back."""

    id: str
    decision: ItemDecision

    @property
    def word(self) -> str:
        """Whether to "show" or to "hide" the message."""
        return "show" if self.decision.show else "hide"

    @property
    def header(self) -> str:
        """Value of the header that the message gets."""
        _, explored, score, probability = self.decision
        why = ""
        if explored:
            why = f" explored (one in {1 / probability:,.0f} of what looks like spam is shown);"
        return f"{self.word};{why} score={score:+.4f}; id={self.id}"


class Known(NamedTuple):
    """The decision and the label that are remembered of a message."""

    shown: bool
    label: int
    time: int
    number: int  # messages decided before it


class MailFilter:
    """A state and the engine it holds.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with MailFilter.open(Path(folder.name, "me"), create=Settings()) as mine:
    ...     decided = mine.decide(b"Subject: lunch?")
    ...     told = mine.learn("ham", id=decided.id)
    >>> decided.word, told
    ('show', 'learned')
    >>> folder.cleanup()
    """

    def __init__(self, state: State) -> None:
        self.state, self.settings = state, state.load_settings()
        self._engine: Engine | None = None
        self._changes, self.n_lessons = -1, 0  # lessons since the last snapshot
        self._turning = False
        self._moved = False  # whether a turn has to write the gate and the counts
        self._day, self._counts = 0, Counter[str]()  # of the present day
        self._oldest = math.inf  # message whose features a lesson needs

    @classmethod
    def open(
        cls,
        path: Path,
        create: Settings | None = None,
        seed: int | None = None,
        rescue: bool = False,
        wait: float = WAIT,
    ) -> "MailFilter":
        """Open a state, or make one by the settings ``create``.

        With ``rescue``, a file that cannot be used is set aside, a line about it goes to standard error,
        and a new one takes its place: mail must go on. ``wait`` is how many seconds another process may
        keep the state to itself.
        """
        for _ in range(3):
            if create is not None and not path.exists():
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with alone(path.parent, wait):
                    State.create(path, create, _draw(seed), int(time.time()))
            try:
                return cls._open_whole(path, wait)
            except DamagedError as error:
                if not rescue:
                    raise ValueError(f"'{path}' cannot be used: {error}. Move it away.") from None
            cls._rescue(path, wait)
        raise OSError(f"no state could be made at '{path}'.")

    @classmethod
    def import_state(cls, source: Path, path: Path) -> None:
        """Take a copy of a state, which is read only and checked first, as the state ``path``."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with State.copied(source, path) as part, cls.open(part) as filter, alone(path.parent):
            filter.state.export(path)

    @classmethod
    def _open_whole(cls, path: Path, wait: float = WAIT) -> "MailFilter":
        """Open a state and load all that is needed, so that a damage shows now."""
        opened = cls(State.open(path, wait))
        try:
            with opened.turn():
                return opened
        except BaseException:
            opened.close()
            raise

    @classmethod
    def _rescue(cls, path: Path, wait: float) -> None:
        """Set a damaged state aside; one process at a time, and never what another has begun anew."""
        with alone(path.parent, wait):
            try:
                cls._open_whole(path, wait).close()
            except FileNotFoundError:
                pass
            except DamagedError as error:
                aside = set_aside(path)
                remark = f"the state '{path}' cannot be used: {error}. Kept as '{aside.name}', begun anew."
                say(remark)

    def __enter__(self) -> "MailFilter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the state, and spare the next process from learning much of it again."""
        try:
            if self.n_lessons > AFFORDABLE and self._engine is not None:
                with suppress(OSError, ValueError), self.turn():  # the lessons are in the file in any case
                    self._save_snapshot()
        finally:
            self.state.close()

    @property
    def engine(self) -> Engine:
        """The learner and the gate as they were at the last turn."""
        assert self._engine is not None
        return self._engine

    @property
    def has_begun(self) -> bool:
        """Whether any ham was learned; until then everything is shown, and spam teaches nothing."""
        return self.engine.gate.started

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Take several decisions and lessons as one; a turn within a turn is part of it."""
        if self._turning:
            yield
            return
        try:
            with self.state.turn():
                self._turning = True
                self._refresh()
                yield
                if self._moved:
                    self.state.write(
                        "INSERT OR REPLACE INTO gate VALUES (1, ?, ?, ?)",
                        *(self.engine.gate_state(), self._day, json.dumps(self._counts)),
                    )
        except BaseException:
            if self._turning:
                self._engine = None  # it has seen what the file has not
            raise
        finally:
            self._turning = self._moved = False

    def change(self, settings: Settings) -> None:
        """Go on with another explorer or guard; what was learned and counted stays.

        The probability of each decision is kept with what was decided, so that the estimate of what is missed
        stays right over the change. The learner cannot be another one: what it has learned is its own.
        """
        if (settings.learner, settings.n_features) != (self.settings.learner, self.settings.n_features):
            raise ValueError(
                f"this state is of the learner '{self.settings.learner}', which cannot become "
                f"'{settings.learner}'. Make a new state with 'lopsided filter train --learner "
                f"{settings.learner} --state FILE'."
            )
        with self.turn():
            gate = self.engine.gate_state()
            engine = Engine(settings, self.state.seed)
            engine.relearn(self.engine.learned())
            engine.restore_gate(gate)
            if settings.guard and not self.settings.guard:
                engine.gate.forget_guard()  # while it was off it has counted hits, but no rounds
            self.state.save_settings(settings)
            self._engine, self.settings = engine, settings
            self._moved = True  # the guard's new beginning is written, too

    def decide(self, head: bytes) -> Decided:
        """Decide whether to show a message, given its first bytes."""
        with self.turn():
            columns = columns_of(head, self.settings.n_features)
            number = self.engine.gate.n_rounds
            self._moved = True
            decision = self.engine.decide(columns)
            id = _id_of(number)
            now = int(time.time())
            self.state.write(
                "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                *(number, id, now, *decision, OPEN),
            )
            if number - self._oldest >= WITH_FEATURES:
                self._save_snapshot()
            self.state.write(
                "INSERT INTO features VALUES (?, ?, ?) ON CONFLICT (place) DO UPDATE "
                "SET message = excluded.message, packed = excluded.packed",
                *(number % WITH_FEATURES, number, pack(columns)),
            )
            if number % FORGOTTEN == 0:
                self.state.write("DELETE FROM messages WHERE number <= ?", number - REMEMBERED)
            self._count("explored" if decision.explored else "shown" if decision.show else "hidden")
            return Decided(id, decision)

    def learn(self, label: str, id: str | None = None, head: bytes | None = None) -> str:
        """Take in what a message was: "learned", "again" (known already), "corrected", or "unknown".

        By its ``id``, if the filter still knows that; otherwise by the first bytes of it, as an example from
        elsewhere.
        """
        sign = LABELS[label]
        with self.turn():
            known = self.state.rows(
                "SELECT number, shown, explored, score, probability, label, packed FROM messages "
                "LEFT JOIN features ON place = number % ? AND message = number WHERE number = ? AND id = ?",
                *(WITH_FEATURES, _number_of(id), id),
            )
            if not known:
                if head is None:
                    return "unknown"
                columns = columns_of(head, self.settings.n_features)
                self.engine.gate.admit(sign, partial(self._teach, columns, None))
                self._count(label)
                return "learned"
            number, shown, explored, score, probability, before, packed = known[0]
            if packed is None and head is None and before != sign:
                return "unknown"  # nothing is left to learn from

            def learn(sign: int) -> None:
                if packed is None:
                    self._teach(columns_of(head or b"", self.settings.n_features), None, sign)
                else:
                    self._teach(self._unpacked(packed), number, sign)

            decision = ItemDecision(bool(shown), bool(explored), score, probability)
            gate, before = self.engine.gate, None if before == OPEN else before
            if decision.show:
                settled = gate.settle(decision, sign, learn, before)
            else:  # its label has not come back, but was found in the folder of hidden mail
                settled = gate.admit(sign, learn, before)
            if settled != "again":
                self.state.write("UPDATE messages SET label = ? WHERE number = ?", sign, number)
                self._count(_name_of(decision, settled, sign))
            return settled

    def known(self, id: str) -> "Known | None":
        """Return what is remembered of a message; None if it is not known, or not any more."""
        found = self.state.rows(
            "SELECT shown, label, time, number FROM messages WHERE number = ? AND id = ?", _number_of(id), id
        )
        return Known(bool(found[0][0]), *map(int, found[0][1:])) if found else None

    def _teach(self, columns: Columns, message: int | None, sign: int) -> None:
        """Let the engine learn; ``message`` is the number under which its features are kept, if they are."""
        self.engine.teach(columns, sign)
        self.state.write(
            "INSERT INTO lessons (sign, message, features) VALUES (?, ?, ?)",
            *(sign, message, pack(columns) if message is None else None),
        )
        self.n_lessons += 1
        if message is not None:
            self._oldest = min(self._oldest, message)
        if self.n_lessons >= SNAPSHOT:
            self._save_snapshot()

    def _save_snapshot(self) -> None:
        self.state.save_arrays(self.engine.learned())
        self.state.write("DELETE FROM lessons")
        self.n_lessons, self._oldest = 0, math.inf

    def _count(self, what: str) -> None:
        self._moved = True
        day = int(time.time()) // 86_400
        if day != self._day:
            for counted, n in self._counts.items():
                self.state.write(
                    "INSERT INTO days VALUES (?, ?, ?) "
                    "ON CONFLICT (day, what) DO UPDATE SET n = n + excluded.n",
                    *(self._day, counted, n),
                )
            self._day, self._counts = day, Counter()
        self._counts[what] += 1

    def counted(self) -> dict[int, dict[str, int]]:
        """Return how often each event happened, by day."""
        days: dict[int, dict[str, int]] = {}
        today = [(self._day, what, n) for what, n in self._counts.items()]
        for day, what, n in [*self.state.rows("SELECT day, what, n FROM days"), *today]:
            of_day = days.setdefault(day, {})
            of_day[what] = of_day.get(what, 0) + n
        return dict(sorted(days.items()))

    def _refresh(self) -> None:
        """Load the engine, if this was not done yet or another process has changed the state."""
        changes = self.state.changes_by_others
        if self._engine is not None and changes == self._changes:
            return
        self.settings = self.state.load_settings()  # another process may have changed them
        engine = Engine(self.settings, self.state.seed)
        try:
            if arrays := self.state.load_arrays():
                engine.relearn(arrays)
            lessons = self.state.rows(
                "SELECT sign, lessons.message, coalesce(lessons.features, packed) FROM lessons LEFT JOIN "
                "features ON place = lessons.message % ? AND features.message = lessons.message "
                "ORDER BY number",
                WITH_FEATURES,
            )
            for sign, message, packed in lessons:
                if sign not in (HAM, SPAM):
                    raise ValueError(f"a label of {sign}")
                if not isinstance(message, int | None):
                    raise ValueError(f"a lesson of the message {message!r}")
                engine.teach(self._unpacked(packed), sign)
            day, counts = 0, Counter[str]()
            for one, gate, when, told in self.state.rows("SELECT one, state, day, counts FROM gate"):
                if one != 1:
                    raise ValueError(f"a gate of the number {one}")
                engine.restore_gate(gate)
                day, counts = int(when), Counter(_counts_of(json.loads(told)))
            ((latest,),) = self.state.rows("SELECT max(number) FROM messages")
            if latest is not None and latest >= engine.gate.n_rounds:
                raise ValueError(f"the number {latest} of a message that is still to come")
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise DamagedError(f"what it has learned cannot be read ({error})") from None
        self._engine, self._changes, self.n_lessons = engine, changes, len(lessons)
        self._oldest = min((message for _, message, _ in lessons if message is not None), default=math.inf)
        self._day, self._counts = day, counts

    def _unpacked(self, packed: Any) -> Columns:
        try:
            return unpack(packed, self.settings.n_features)
        except (TypeError, ValueError) as error:
            raise DamagedError(f"its features cannot be read ({error})") from None


def _counts_of(told: dict[str, int]) -> dict[str, int]:
    """Return the counts of a day; ValueError unless they can be counted on and stored."""
    for what, n in told.items():
        if type(n) is not int or not 0 <= n < 2**53:
            raise ValueError(f"a count of {n!r} for '{what}'")
    return told


def _name_of(decision: ItemDecision, settled: Settlement, sign: int) -> str:
    """Return the name under which the report counts a label."""
    if settled == "corrected":
        return "changed mind"
    if not decision.show:
        return "rescued" if sign > 0 else "hidden spam"
    return ("explored " if decision.explored else "shown ") + ("ham" if sign > 0 else "spam")


def _id_of(number: int) -> str:
    """Return a name for the message of this number: it can be found by it, but not guessed."""
    return f"{number * _SPREAD % 2**32:08x}{secrets.token_hex(4)}"


def _number_of(id: str | None) -> int | None:
    """Return the number of the message of this name, if it is one of ours."""
    if id is None or not _ID.fullmatch(id):
        return None
    return int(id[:8], 16) * pow(_SPREAD, -1, 2**32) % 2**32


def _draw(seed: int | None) -> int:
    """Return the seed of the draws; that of a `OneSidedFilter` with the same random_state."""
    return secrets.randbits(63) if seed is None else int(np.random.default_rng(seed).integers(2**63))


@contextmanager
def alone(folder: Path, wait: float = WAIT) -> Iterator[None]:
    """Keep other processes that want the same out, where the system can; BusyError if one does not end."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        end = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise BusyError(
                        f"another process has kept '{folder}' locked for {wait:g} seconds"
                    ) from None
                time.sleep(0.05)
            except OSError:
                break  # a file system without locks
            else:
                break
        yield
    finally:
        os.close(number)
