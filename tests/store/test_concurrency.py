"""Threads and processes that write at the same time, and readers that wait for none of them."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("sqlalchemy", reason="needs lopsided[web]")

from lopsided.store import open_store, replay
from lopsided.text import Record

PROCESS = """
import sys
from lopsided.store import open_store
place, user = sys.argv[1], int(sys.argv[2])
with open_store(place) as store:
    sys.stdin.readline()
    for i in range(100):
        store.answer(1 + i % 10, user, 1 + i % 2, token=f"{user}:{i}")
"""


def test_threads_and_processes_lose_nothing_to_each_other(ten, place):
    ten.add_user("Cid"), ten.add_user("Dan")
    processes = [
        subprocess.Popen([sys.executable, "-c", PROCESS, place, str(user)], stdin=subprocess.PIPE, text=True)
        for user in (1, 2)
    ]

    def work(user, stretch):
        for i in stretch:
            ten.answer(1 + i % 10, user, 1 + i % 2, token=f"{user}:{i}")

    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(work, user, range(s, 100, 2)) for user in (3, 4) for s in (0, 1)]
        for process in processes:
            process.communicate("go\n")
        for job in jobs:
            job.result()
    assert [process.returncode for process in processes] == [0, 0]
    assert sorted(event.token for event in ten.events()) == sorted(
        f"{user}:{i}" for user in (1, 2, 3, 4) for i in range(100)
    )
    assert [event.id for event in ten.events()] == list(range(1, 401))
    assert replay(ten.events()) == ten.state()


def test_one_token_sent_by_many_at_once_is_stored_once(ten):
    with ThreadPoolExecutor(8) as pool:
        for i in range(10):
            events = list(pool.map(lambda _, i=i: ten.answer(3, 1, 2, token=f"t{i}"), range(8)))
            assert len(set(events)) == 1
            undone = list(pool.map(lambda _, i=i: ten.undo(1, f"u{i}"), range(8)))
            assert len(set(undone)) == 1
    assert ten.n_events == 20
    assert ten.current() == {}


def test_records_added_by_many_at_once_are_there_once(store):
    def add(seed):
        with store.importing(f"list {seed}") as batch:
            batch.add(Record(f"r{(seed * 1000 + i) % 4000}") for i in range(3000))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(4)))
    assert store.n_items == 4000
    assert [item.id for item in store.items()] == list(range(1, 4001))
    assert len({item.key for item in store.items()}) == 4000
    assert sum(source.n_new for source in store.sources()) == 4000


def test_many_open_a_new_project_at_once(place):
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: open_store(place), range(6)))
    assert len({store.project for store in map(_without_options, stores)}) == 1
    for store in stores:
        store.close()


def _without_options(store):
    class Hashable:
        project = store.project._replace(options=None)

    return Hashable


def test_a_reader_sees_one_state_and_waits_for_nobody(ten):
    ten.answer(1, 1, 1, token="a")
    with ten.database.writing() as connection:
        from sqlalchemy import delete

        from lopsided.store._schema import standing

        connection.execute(delete(standing))
        began = time.monotonic()
        assert ten.current() == {1: {1: 1}}  # what is not committed is not seen
        assert [item.id for item in ten.items()] == list(range(1, 11))
        assert time.monotonic() - began < 5
    assert ten.current() == {}


def test_answers_go_on_while_records_are_imported(ten):
    over = threading.Event()

    def add():
        with ten.importing("many") as batch:
            for start in range(0, 10**9, 2000):
                if over.is_set():
                    return
                batch.add(Record(f"x{i}", text="word " * 50) for i in range(start, start + 2000))

    thread = threading.Thread(target=add)
    thread.start()
    try:
        for i in range(20):
            ten.answer(1 + i % 10, 1, 1, token=f"t{i}")
    finally:
        over.set()
        thread.join()
    assert ten.n_events == 20
