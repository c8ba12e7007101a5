"""State files of the mail filter: broken bytes, and good files with strange values in them."""

import json
import random
import sqlite3
from contextlib import closing, redirect_stderr, suppress
from functools import cache
from io import StringIO
from pathlib import Path

from fuzz.target import Target, scratch
from lopsided.mail._filter import MailFilter
from lopsided.mail._settings import Settings

_VALUES = (
    *(None, -1, 0, 1, 2, 2**31, 2**63 - 1, -(2**63), 0.5, 1e308, float("inf"), "", "x", b"", b"\xff" * 9),
    *(
        b"\0" * 8,
        "1e400",
        '{"shown": 1e400}',
        '{"shown": -1}',
        "[]",
        "null",
        '{"shown": "x"}',
        "[1, 2]",
        "[-1]",
    ),
    *(
        "float64",
        "int8",
        "float32",
        "[262144]",
        '{"learner": 5}',
        '{"n_features": 0}',
        "relaxed-svm",
        "9" * 5000,
    ),
)
_TABLES = ("facts", "gate", "arrays", "lessons", "messages", "features", "days")


@cache
def _states() -> tuple[bytes, ...]:
    return tuple(_made(learner) for learner in ("margin-perceptron", "relaxed-svm"))


def _made(learner: str) -> bytes:
    with scratch() as folder:
        path = folder / "anna"
        with MailFilter.open(path, create=Settings(learner=learner), seed=0) as filter:
            for number in range(80):
                decided = filter.decide(b"Subject: lunch %d?\n\nmoney" % (number % 7))
                filter.learn(("ham", "spam")[number % 3 == 0], id=decided.id)
            with filter.turn():
                filter._save_snapshot()
            filter.learn("spam", head=b"Subject: money")
            filter.state.export(folder / "copy")
        return (folder / "copy").read_bytes()


def _check(data: bytes) -> None:
    with scratch() as folder:
        path = folder / "anna"
        path.write_bytes(data)
        _use(path)


def _check_values(data: bytes) -> None:
    """The bytes choose the state and what is changed in it."""
    rng = random.Random(data)
    with scratch() as folder:
        path = folder / "anna"
        path.write_bytes(rng.choice(_states()))
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            for _ in range(rng.randint(1, 3)):
                _change(db, rng)
        _use(path)


def _change(db: sqlite3.Connection, rng: random.Random) -> None:
    table = rng.choice(_TABLES)
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    rows = db.execute(f"SELECT * FROM {table}").fetchall()
    if not rows:
        return
    row, place = rng.choice(rows), rng.randrange(len(columns))
    value = rng.choice(_VALUES)
    if isinstance(row[place], bytes) and rng.random() < 0.7:
        value = bytearray(row[place])
        for _ in range(rng.randint(1, 8)):
            begin = rng.randint(0, len(value))
            value[begin : begin + 8] = rng.choice((b"", b"\0" * 8, b"\xff" * 8, rng.randbytes(8)))
        value = bytes(value)
    elif isinstance(row[place], str) and row[place].startswith("{") and rng.random() < 0.7:
        found = json.loads(row[place])
        if found:
            found[rng.choice(list(found))] = rng.choice([v for v in _VALUES if not isinstance(v, bytes)])
        value = json.dumps(found)
    where = " AND ".join(f"{column} IS ?" for column in columns)
    with suppress(sqlite3.Error):  # the schema does not take everything
        db.execute(f"UPDATE {table} SET {columns[place]} = ? WHERE {where}", (value, *row))


def _use(path: Path) -> None:
    """As a service does: a file that is no state is set aside, and mail goes on."""
    with (
        redirect_stderr(StringIO()),
        MailFilter.open(path, create=Settings(), rescue=True, wait=1.0) as filter,
    ):
        for message in (b"Subject: lunch?", b"Subject: money"):
            decided = filter.decide(message)
            assert decided.word in ("show", "hide")
            assert filter.learn("ham", id=decided.id) in ("learned", "again")
            filter.known(decided.id)
        filter.learn("spam", head=b"Subject: money")
        filter.counted()
    with MailFilter.open(path, wait=1.0) as filter:  # what was written can be read again
        filter.decide(b"Subject: lunch?")


TARGETS = {
    "states": Target(_check, lambda: [*_states(), b""], (b"SQLite format 3\0", b"CREATE TABLE facts")),
    "state-values": Target(_check_values, lambda: [b"a", b"b", b"c"]),
}
