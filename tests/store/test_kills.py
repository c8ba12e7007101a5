"""Whatever is killed at whatever moment: no acknowledged answer is lost, and none is stored twice."""

import json
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs lopsided[web]")

from lopsided.store import StoreError, open_store, replay
from lopsided.text import Record


def kill(place, n_kills, seed=0):
    """Kill a process so often while it answers; return what it sent, and what was acknowledged."""
    command = [sys.executable, Path(__file__).with_name("killed.py"), place, str(n_kills), str(seed)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def check(place, told, others=0):
    """Compare what was acknowledged with what is there."""
    with open_store(place) as store:
        there = Counter(event.token for event in store.events())
        numbers = {event.token: event.id for event in store.events()}
        assert set(there.values()) <= {1}
        for token, events in told["stored"].items():
            if events == [0]:
                continue  # an undo that found nothing
            assert len(set(events) - {0}) == 1, "an event was acknowledged under two numbers"
            assert numbers[f"t{token}"] in events
        assert {token for token in there if token.startswith("t")} <= {f"t{token}" for token in told["sent"]}
        assert replay(store.events()) == store.state()
        assert [event.id for event in store.events()] == list(range(1, store.n_events + 1))
        assert store.n_events == len(there)


def prepare(place):
    with open_store(place) as store:
        with store.importing("fifty") as batch:
            batch.add(Record(f"r{i}") for i in range(50))
        for name in ("Ada", "Bob", "Cid"):
            store.add_user(name)


def test_a_hundred_kills_lose_and_double_nothing(place):
    """While another process writes all the time. With a server, which takes longer, thirty."""
    n_kills = 30 if "://" in place else 100
    prepare(place)
    over, stored = threading.Event(), []

    def load():
        with open_store(place) as store:
            while not over.is_set():
                stored.append(store.answer(1 + len(stored) % 50, 3, 1, token=f"load{len(stored)}").id)

    thread = threading.Thread(target=load)
    thread.start()
    try:
        told = kill(place, n_kills)
    finally:
        over.set()
        thread.join()
    assert told["n_worked"] > n_kills / 3  # most kills hit while it was at work
    check(place, told)
    with open_store(place) as store:
        assert [event.id for event in store.events(user_id=3)] == stored


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_thousand_kills(place, seed):
    prepare(place)
    check(place, kill(place, 200, seed))


def test_an_import_that_is_killed_can_be_repeated(place):
    code = (
        "import sys\nfrom lopsided.store import open_store\nfrom lopsided.text import Record\n"
        "store = open_store(sys.argv[1])\n"
        "with store.importing('big') as batch:\n"
        "    for i in range(1000):\n"
        "        batch.add(Record(f'r{i}', text='word ' * 20) for i in range(1000 * i, 1000 * i + 1000))\n"
        "        print(store.n_items, flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, place], stdout=subprocess.PIPE, text=True)
    for _ in range(3):
        acknowledged = int(process.stdout.readline())
    process.kill()
    acknowledged = max([acknowledged, *map(int, process.stdout.read().split())])
    process.wait()
    process.stdout.close()
    with open_store(place) as store:
        assert acknowledged <= store.n_items <= acknowledged + 1000
        assert [item.key for item in store.items()] == [f"r{i}" for i in range(store.n_items)]
        assert store.sources()[0].finished is None
        assert store.sources()[0].n_new == store.n_items
        n_there = store.n_items
        with store.importing("big") as batch:
            assert batch.add(Record(f"r{i}", text="word " * 20) for i in range(n_there + 10)) == (10, n_there)


def test_a_server_that_is_killed_and_comes_back(server):
    url = server.empty()
    prepare(url)
    with open_store(url) as store:
        store.answer(1, 1, 1, token="a")
        server.stop("immediate")
        with pytest.raises(StoreError, match=r"no connection to postgresql://tester@.*Check that") as error:
            store.answer(2, 1, 1, token="b")
        assert error.value.kind == "lost"
        assert "\n" not in str(error.value)
        with pytest.raises(StoreError, match="no connection to"):
            store.current()
        with pytest.raises(StoreError, match="no connection to"):
            open_store(url)
        server.start()
        assert store.current() == {1: {1: 1}}
        assert store.answer(2, 1, 1, token="b").id == 2


def test_a_server_that_is_killed_while_everybody_writes(server):
    url = server.empty()
    prepare(url)
    stored = []
    with open_store(url) as store:

        def work(user):
            for i in range(300):
                token = f"{user}:{i}"
                while True:  # the client sends again until it gets a reply
                    try:
                        stored.append((token, store.answer(1 + i % 50, user, 1, token=token).id))
                        break
                    except StoreError as error:
                        if error.kind != "lost":
                            raise

        threads = [threading.Thread(target=work, args=(user,)) for user in (1, 2, 3)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            threads[0].join(timeout=0.4)
            server.stop("immediate")
            server.start()
        for thread in threads:
            thread.join()
        assert {event.token: event.id for event in store.events()} == dict(stored)
        assert store.n_events == len(stored) == 900
        assert replay(store.events()) == store.state()
