"""A server that is killed at random moments while two reviewers answer all the time."""

import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from lopsided.store import open_store, replay
from web.served import make_records, serving, wait_for

HERE = Path(__file__).parent


class Reviewer(threading.Thread):
    """A client that repeats each request until it is confirmed, whatever happens to the server."""

    def __init__(self, port, secret, seed, over):
        super().__init__(daemon=True)
        self.port, self.over, self.chance = port, over, random.Random(seed)
        self.headers = {"authorization": f"Bearer {secret}", "content-type": "application/json"}
        self.given, self.undone, self.n_repeated, self.trouble = {}, set(), 0, None

    def run(self):
        try:
            while not self.over.is_set():
                self.answer_one()
        except BaseException as error:
            self.trouble = error

    def answer_one(self):
        shown = self.ask("GET", "/api/next")
        token = shown["token"] or f"again-{self.chance.getrandbits(64):x}"
        item, label = shown["item"] or self.chance.randint(1, 500), self.chance.choice((1, 2, 2, None))
        self.ask("POST", "/api/answers", {"item": item, "label": label, "token": token})
        assert token not in self.given
        self.given[token] = (item, label)
        if self.chance.random() < 0.1:
            token = f"undo-{self.chance.getrandbits(64):x}"
            self.ask("POST", "/api/undo", {"token": token})
            self.undone.add(token)

    def ask(self, method, path, values=None):
        body, is_first = None if values is None else json.dumps(values), True
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                connection.request(method, path, body, self.headers)
                answer = connection.getresponse()
                told = json.loads(answer.read())
                if answer.status == 200:
                    return told
                assert answer.status == 503, told  # it still reads the documents
            except (OSError, http.client.HTTPException):
                self.n_repeated += is_first and method == "POST"
                is_first = False
            finally:
                connection.close()
            time.sleep(0.01)


def kill(project, n_kills, seed, longest):
    """Answer as two reviewers while the server is killed; return them by the number of their user."""
    with open_store(project) as store:
        users = [store.add_user(name) for name in ("Ada", "Bob")]
        secrets = {user.id: store.add_token(user.id) for user in users}
    path = os.pathsep.join([str(HERE.parent), *sys.path])
    process = subprocess.Popen(
        [sys.executable, HERE / "killed.py", project, str(n_kills), str(seed), str(longest)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    port, over = int(process.stdout.readline()), threading.Event()
    reviewers = {user: Reviewer(port, secret, user + seed, over) for user, secret in secrets.items()}
    for reviewer in reviewers.values():
        reviewer.start()
    assert process.stdout.readline() == "over\n"
    over.set()
    for reviewer in reviewers.values():
        reviewer.join(60)
        assert not reviewer.is_alive()
        assert reviewer.trouble is None
    process.communicate("")
    assert process.returncode == 0
    return reviewers


def check(project, reviewers, n_kills):
    """Compare what was confirmed with what is there."""
    with open_store(project) as store:
        events = list(store.events())
        assert set(Counter(event.token for event in events).values()) == {1}
        there = {
            (e.user_id, e.token): (e.item_id, e.label_id) for e in events if e.kind in ("answer", "skip")
        }
        given = {(user, token): what for user, one in reviewers.items() for token, what in one.given.items()}
        assert there == given  # none is lost, none is doubled, and there is none that nobody gave
        assert {e.token for e in events if e.kind == "undo"} <= set.union(
            *(r.undone for r in reviewers.values())
        )
        assert replay(events) == store.state()
        current = store.current()
    assert len(given) > n_kills
    with serving(project) as app:  # a new server knows the same
        desk = app.app.state.desk
        wait_for(lambda: set(desk.votes.meanings()) == set(current))
    return len(given), sum(one.n_repeated for one in reviewers.values())


@pytest.fixture
def reviews(tmp_path):
    path = tmp_path / "reviews.db"
    with open_store(path) as store, store.importing("a list") as batch:
        batch.add(make_records(500))
    return str(path)


def test_fifteen_kills_under_load_lose_and_double_nothing(reviews):
    n_given, n_repeated = check(reviews, kill(reviews, 15, 0, 0.35), 15)
    assert n_repeated > 0, "no kill hit a request: the test shows nothing"
    print(f"{n_given} answers confirmed, {n_repeated} of them or of undos sent again")


@pytest.mark.slow
def test_a_hundred_kills_under_load_lose_and_double_nothing(reviews):
    n_given, n_repeated = check(reviews, kill(reviews, 100, 1, 1.0), 100)
    print(f"{n_given} answers confirmed, {n_repeated} of them or of undos sent again")
