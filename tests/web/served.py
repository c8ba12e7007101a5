"""Projects of a few records, served in process, and clients that ask as a browser would."""

import re
import threading
import time
from contextlib import contextmanager

from starlette.testclient import TestClient

from lopsided.store import open_store
from lopsided.text import Record
from lopsided.web._app import create_app
from lopsided.web._desk import Desk

SHIPS = [
    "A ship left the port.",
    "The ship and its crew.",
    "Two ships sank at sea.",
    "A captain and his ship.",
]
OTHERS = ["Wheat prices rose.", "Corn grows slowly.", "Gold fell again.", "Oil is dear.", "Coffee and sugar."]


def make_records(n):
    """Return records of which every tenth is about ships."""
    return [
        Record(
            f"r{i}",
            f"{'Ships' if i % 10 == 0 else 'Prices'} {i}",
            (SHIPS[i % 4] if i % 10 == 0 else OTHERS[i % 5]) + f" Number {i} of many.",
            {"authors": f"Author {i}", "year": "1993", "doi": f"10.1000/{i}"},
        )
        for i in range(n)
    ]


def wait_for(condition, seconds=30.0):
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


class Browser:
    """A client that keeps its cookie, and sends what a form of the page would."""

    def __init__(self, app, base_url="http://localhost"):
        self.client = TestClient(app, base_url=base_url, follow_redirects=False)
        self.csrf = ""

    def get(self, path, **options):
        headers = {"accept": "text/html"} | options.pop("headers", {})
        page = self.client.get(path, headers=headers, **options)
        found = re.search(r'name="csrf" content="(\w+)"', page.text)
        self.csrf = found[1] if found else self.csrf
        return page

    def post(self, path, data=None, **options):
        headers = {"accept": "text/html"} | options.pop("headers", {})
        return self.client.post(path, data={"csrf": self.csrf} | (data or {}), headers=headers, **options)

    def send(self, path, values, method="POST"):
        headers = {"x-csrf-token": self.csrf, "accept": "application/json"}
        return self.client.request(method, path, json=values, headers=headers)


@contextmanager
def serving(path, **options):
    """Open a project and yield its application, ready to be asked."""
    with open_store(path) as store:
        desk = Desk(store)
        try:
            app = create_app(desk, **options)
            wait_for(lambda: desk.is_ready)
            yield app
        finally:
            desk.close()
            app.app.state.imports.close()


@contextmanager
def listening(app):
    """Serve an application to real browsers, and yield its address."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_for(lambda: server.started)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


def answer_all(desk, labels):
    """Give items their labels, as the one person of the project, and wait until the model knows them."""
    for item, label in labels:
        desk.answer(desk.local_user.id, item, label, reason="most likely", token=f"token-{item}")
    wait_for(lambda: desk.standing is not None and desk.standing.n_events == desk.store.n_events)
