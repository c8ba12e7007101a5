"""One user's filter: decide about a message, take in what became of it, and keep both."""

import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lopsided.mail._engine import Engine, Verdict
from lopsided.mail._features import Columns, columns_of, pack, unpack
from lopsided.mail._settings import Settings
from lopsided.mail._state import DamagedError, State, set_aside

REMEMBERED = 20_000  # messages whose decision is kept, about 80 bytes each
WITH_FEATURES = 1_000  # the last of these, with their features, about 3 kB each
_SNAPSHOT = 200  # lessons between two snapshots of the learner
HAM, SPAM, OPEN = 1, -1, 0
LABELS = {"ham": HAM, "spam": SPAM}


class Decided(NamedTuple):
    """A decision, and the name under which its feedback comes back."""

    id: str
    verdict: Verdict

    @property
    def word(self) -> str:
        """What to do with the message."""
        return "show" if self.verdict.show else "hide"

    @property
    def header(self) -> str:
        """The value of our header."""
        v = self.verdict
        why = (
            f" explored (one in {1 / v.probability:,.0f} of what looks like spam is shown);"
            if v.explored
            else ""
        )
        return f"{self.word};{why} score={v.score:+.4f}; id={self.id}"


class Known(NamedTuple):
    """What is remembered of a message."""

    shown: bool
    label: int
    time: int


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
        self.state, self.settings = state, state.settings
        self._engine: Engine | None = None
        self._changes, self._n_lessons = -1, 0
        self._turning = False

    @classmethod
    def open(
        cls, path: Path, create: Settings | None = None, seed: int | None = None, rescue: bool = False
    ) -> "MailFilter":
        """Open a state, or make one by the settings ``create``.

        With ``rescue``, a file that cannot be used is set aside, a line about it goes to standard error,
        and a new one takes its place: mail must go on.
        """
        for _ in range(3):
            if create is not None and not path.exists():
                drawn = (
                    secrets.randbits(63) if seed is None else int(np.random.default_rng(seed).integers(2**63))
                )
                State.create(path, create, drawn, int(time.time()))
            try:
                return cls._open_whole(path)
            except DamagedError as error:
                if not rescue:
                    raise ValueError(f"'{path}' cannot be used: {error}. Move it away.") from None
            cls._rescue(path)
        raise OSError(f"no state could be made at '{path}'.")

    @classmethod
    def _open_whole(cls, path: Path) -> "MailFilter":
        """Open a state and load all that is needed, so that a damage shows now."""
        opened = cls(State.open(path))
        try:
            with opened.turn():
                return opened
        except BaseException:
            opened.close()
            raise

    @classmethod
    def _rescue(cls, path: Path) -> None:
        """Set a damaged state aside; one process at a time, and never what another has begun anew."""
        with _alone(path.parent):
            try:
                cls._open_whole(path).close()
            except FileNotFoundError:
                pass
            except DamagedError as error:
                aside = set_aside(path)
                remark = f"the state '{path}' cannot be used: {error}. Kept as '{aside.name}', begun anew."
                print(f"lopsided: {remark}", file=sys.stderr)

    def __enter__(self) -> "MailFilter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the state."""
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
        """Several decisions and lessons as one; a turn within a turn is part of it."""
        if self._turning:
            yield
            return
        with self.state.turn():
            self._turning = True
            try:
                self._refresh()
                before = self.engine.gate_state()
                yield
                after = self.engine.gate_state()
                if after != before:
                    self.state.write("INSERT OR REPLACE INTO gate VALUES (1, ?)", after)
            except BaseException:
                self._engine = None  # it has seen what the file has not
                raise
            finally:
                self._turning = False

    def decide(self, head: bytes) -> Decided:
        """Show or hide a message, given its first bytes."""
        with self.turn():
            columns = columns_of(head, self.settings.n_features)
            number = self.engine.gate.n_rounds
            verdict = self.engine.decide(columns)
            id = secrets.token_hex(8)
            now = int(time.time())
            self.state.write(
                "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                *(number, id, now, verdict.show, verdict.explored, verdict.score, verdict.probability, OPEN),
            )
            self.state.write("INSERT INTO features VALUES (?, ?)", number, pack(columns))
            self.state.write("DELETE FROM features WHERE number = ?", number - WITH_FEATURES)
            self.state.write("DELETE FROM messages WHERE number = ?", number - REMEMBERED)
            self._count("explored" if verdict.explored else "shown" if verdict.show else "hidden")
            return Decided(id, verdict)

    def learn(self, label: str, id: str | None = None, head: bytes | None = None) -> str:
        """Take in what a message was: "learned", "again" (known already), "corrected", or "unknown".

        By its ``id``, if the filter still knows that; otherwise by the first bytes of it, as an example from
        elsewhere.
        """
        sign = LABELS[label]
        with self.turn():
            known = self.state.rows(
                "SELECT number, shown, explored, score, probability, label, packed FROM messages "
                "LEFT JOIN features USING (number) WHERE id = ?",
                id,
            )
            if not known:
                if head is None:
                    return "unknown"
                columns = columns_of(head, self.settings.n_features)
                self._teach(columns, pack(columns), sign)
                self._count(label)
                return "learned"
            number, shown, explored, score, probability, before, packed = known[0]
            if before == sign:
                return "again"
            if packed is None:
                if head is None:
                    return "unknown"
                packed = pack(columns_of(head, self.settings.n_features))
            columns = self._unpacked(packed)
            gate = self.engine.gate
            # As in OneSidedFilter: what was hidden is an example from elsewhere; spam teaches nothing before
            # the first ham, nor if it was explored; the learner comes before the gate.
            if not shown or gate.teaches(sign, bool(explored) and before == OPEN):
                self._teach(columns, packed, sign, elsewhere=not shown)
            if shown and before == OPEN:
                gate.take_in(score, sign, bool(explored), probability)
            elif shown:
                gate.correct(sign, bool(explored), probability)
                if sign > 0:
                    gate.begin()
            self.state.write("UPDATE messages SET label = ? WHERE number = ?", sign, number)
            self._count(_name_of(bool(shown), bool(explored), before, sign))
            return "learned" if before == OPEN else "corrected"

    def known(self, id: str) -> "Known | None":
        """What is remembered of a message; None if it is not known, or not any more."""
        found = self.state.rows("SELECT shown, label, time FROM messages WHERE id = ?", id)
        return Known(bool(found[0][0]), int(found[0][1]), int(found[0][2])) if found else None

    def _teach(self, columns: Columns, packed: bytes, sign: int, elsewhere: bool = True) -> None:
        self.engine.teach(columns, sign)
        if elsewhere and sign > 0:
            self.engine.gate.begin()
        self.state.write("INSERT INTO lessons (sign, features) VALUES (?, ?)", sign, packed)
        self._n_lessons += 1
        if self._n_lessons >= _SNAPSHOT:
            self.state.save_arrays(self.engine.learned())
            self.state.write("DELETE FROM lessons")
            self._n_lessons = 0

    def _count(self, what: str) -> None:
        self.state.write(
            "INSERT INTO days VALUES (?, ?, 1) ON CONFLICT (day, what) DO UPDATE SET n = n + 1",
            *(int(time.time()) // 86_400, what),
        )

    def _refresh(self) -> None:
        """Load the engine, if this was not done yet or another process has changed the state."""
        changes = self.state.changes_by_others
        if self._engine is not None and changes == self._changes:
            return
        engine = Engine(self.settings, self.state.seed)
        try:
            if arrays := self.state.load_arrays():
                engine.relearn(arrays)
            lessons = self.state.rows("SELECT sign, features FROM lessons ORDER BY number")
            for sign, packed in lessons:
                if sign not in (HAM, SPAM):
                    raise ValueError(f"a label of {sign}")
                engine.teach(self._unpacked(packed), sign)
            for (gate,) in self.state.rows("SELECT state FROM gate"):
                engine.restore_gate(gate)
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError(f"what it has learned cannot be read ({error})") from None
        self._engine, self._changes, self._n_lessons = engine, changes, len(lessons)

    def _unpacked(self, packed: Any) -> Columns:
        try:
            return unpack(packed, self.settings.n_features)
        except (TypeError, ValueError) as error:
            raise DamagedError(f"its features cannot be read ({error})") from None


def _name_of(shown: bool, explored: bool, before: int, sign: int) -> str:
    """What a label is counted as, for the report."""
    if before != OPEN:
        return "changed mind"
    if not shown:
        return "rescued" if sign > 0 else "hidden spam"
    return ("explored " if explored else "shown ") + ("ham" if sign > 0 else "spam")


def _draw(seed: int | None) -> int:
    """The seed of the draws; that of a `OneSidedFilter` with the same random_state."""
    return secrets.randbits(63) if seed is None else int(np.random.default_rng(seed).integers(2**63))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes that want the same out, where the system can."""
    try:
        import fcntl
        import os
    except ImportError:  # not on Windows
        yield
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)
