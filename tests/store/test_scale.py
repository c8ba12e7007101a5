"""A large project: memory that does not grow with it, and counts and pages that do not read it."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

pytest.importorskip("sqlalchemy", reason="needs lopsided[web]")

from lopsided.text import Record

IMPORT = """
import resource, sys
from lopsided.store import open_store
from lopsided.text import Record
place, n = sys.argv[1], int(sys.argv[2])
body = "word " * 200
with open_store(place) as store:
    with store.importing("large") as batch:
        batch.add(Record(f"id {i * 7919 % 100000007}", f"Title {i}", f"{i} {body}") for i in range(n))
    assert store.n_items == n
    assert sum(len(text) > 1000 for _, _, text in store.texts()) == n
    assert [item.id for item in store.items(after=n - 1)] == [n]
if sys.platform == "linux":  # of this program alone: ru_maxrss counts what its parent had when it forked
    with open("/proc/self/status") as status:
        print(next(int(line.split()[1]) for line in status if line.startswith("VmHWM")))
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.parametrize("n", [60_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_memory_does_not_grow_with_the_project(tmp_path, n):
    run = [sys.executable, "-c", IMPORT, tmp_path / "project.db", str(n)]
    peak = int(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
    if sys.platform == "linux":  # in kilobytes there
        assert peak < 300_000


@pytest.mark.parametrize(
    "call",
    [
        lambda store: store.n_items,
        lambda store: store.n_events,
        lambda store: store.item(7),
        lambda store: store.find_items("r7"),
        lambda store: list(store.items(after=5000, limit=20)),
        lambda store: store.groups(),
        lambda store: store.members(7),
        lambda store: store.given_labels(),
        lambda store: store.current(),
        lambda store: store.counts(),
        lambda store: store.conflicts(),
        lambda store: list(store.answers(after=10)),
        lambda store: list(store.answers(item_id=10)),
        lambda store: store.waiting(),
        lambda store: store.undo(1, "u"),
        lambda store: store.answer(9, 1, 1, token="a"),
        lambda store: list(store.events(item_id=9)),
        lambda store: list(store.events(user_id=1)),
    ],
)
def test_nothing_reads_all_items_where_it_need_not(tmp_path, call):
    """SQLite says for each statement that was sent whether it would scan the items or the log."""
    from sqlalchemy import event

    from lopsided.store import open_store

    with open_store(tmp_path / "project.db") as store:
        with store.importing("some") as batch:
            batch.add(Record(f"r{i}", label="yes" * (i % 100 == 0)) for i in range(1000))
        store.add_user("Ada")
        store.answer(1, 1, 1, token="first")
        sent = []

        @event.listens_for(store.database.engine, "before_cursor_execute")
        def note(connection, cursor, statement, parameters, context, executemany):
            sent.append((statement, parameters))

        call(store)
    with closing(sqlite3.connect(tmp_path / "project.db")) as connection:
        plans = [
            row[3]
            for statement, parameters in sent
            for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]
    assert plans
    partial = ("INDEX items_by_given", "INDEX items_by_group")
    scans = [plan for plan in plans if plan.startswith(("SCAN items", "SCAN events"))]
    assert [plan for plan in scans if not any(index in plan for index in partial)] == []
