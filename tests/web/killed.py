"""Serve a project, and be killed again and again at random moments; the address is the first line printed.

    python killed.py PROJECT N_KILLS SEED SECONDS

A child is killed within so many seconds after it has read the documents.

One process loads the packages, listens and forks; each child opens the project and serves it until it is
killed. The last child serves until this process is told to end.
"""

import os
import random
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path

import uvicorn
import uvicorn.lifespan.on
import uvicorn.protocols.http.auto

from lopsided.store import open_store
from lopsided.web._app import create_app
from lopsided.web._desk import Desk
from web.served import Browser, make_records, serving, wait_for


def serve(project, listener, pipe):
    """Serve until killed; a byte on the pipe says that the documents have been read."""
    desk = Desk(open_store(project, create=False))
    app = create_app(desk)
    wait_for(lambda: desk.is_ready)
    os.write(pipe, b"r")
    uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run(sockets=[listener])


def fork(project, listener):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            serve(project, listener, writing)
        finally:
            os._exit(1)
    os.close(writing)
    return pid, reading


def warm_up():
    """Load now what each child would load at its first request."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "warm.db"
        with open_store(path) as store, store.importing("a list") as batch:
            batch.add(make_records(30))
        with serving(path) as app:
            for item in (1, 2, 11):
                values = {"item": item, "label": 2 - item % 2, "token": f"a-token-{item}"}
                Browser(app).client.post("/api/answers", json=values)


def main():
    project, n_kills, chance = sys.argv[1], int(sys.argv[2]), random.Random(int(sys.argv[3]))
    longest = float(sys.argv[4])
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    warm_up()
    print(listener.getsockname()[1], flush=True)
    for _ in range(n_kills):
        pid, pipe = fork(project, listener)
        if chance.random() < 0.8:
            os.read(pipe, 1)  # else it is killed while it opens the project and reads the log
        time.sleep(chance.uniform(0, longest))
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        os.close(pipe)
        assert os.WIFSIGNALED(status), "a server ended by itself"
    pid, _ = fork(project, listener)
    print("over", flush=True)
    sys.stdin.read()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


main()
