"""Answer until killed, again and again, and print what was sent and what was acknowledged.

    python killed.py PLACE N_KILLS SEED

One process loads the packages and forks; each child opens the project, sends again what was not acknowledged,
and goes on with new answers from two threads, until it is killed.
"""

import json
import os
import random
import signal
import sys
import threading
import time

import alembic.command  # noqa: F401  (loaded before the first fork)
import sqlalchemy.dialects.postgresql
import sqlalchemy.dialects.sqlite  # noqa: F401

from lopsided.store import open_store

N_THREADS = 2


def child(place, pipe, again, first_token, n_items):
    """Answer as fast as possible; each line of the pipe says that a token is sent or acknowledged."""
    lock = threading.Lock()

    def tell(what, token, number=0):
        os.write(pipe, f"{what} {token} {number}\n".encode())  # short: one write, never torn

    def send(store, number):
        tell("sent", number)
        undoes = number % 7 == 0
        event = (
            store.undo(1 + number % 2, token=f"t{number}")
            if undoes
            else store.answer(1 + number % n_items, 1 + number % 2, 1 + number % 3 % 2, token=f"t{number}")
        )
        tell("stored", number, event.id if event else 0)

    def work(store):
        while True:
            with lock:
                number = todo.pop(0) if todo else next(fresh)
            send(store, number)

    todo, fresh = list(again), iter(range(first_token, sys.maxsize))
    store = open_store(place, create=False)
    for _ in range(N_THREADS - 1):
        threading.Thread(target=work, args=(store,), daemon=True).start()
    work(store)


def main():
    place, n_kills, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    sent, stored, n_worked = set(), {}, 0
    for _ in range(n_kills):
        reading, writing = os.pipe()
        again = sorted(sent - stored.keys())
        pid = os.fork()
        if pid == 0:
            try:
                child(place, writing, again, max(sent, default=0) + 1, 50)
            finally:
                os._exit(1)
        os.close(writing)
        # A machine may be slow: one child in three is killed around its first answer, the others later.
        waits, said = chance.random() < 0.67, os.read(reading, 100)
        while waits and b"stored" not in said and (more := os.read(reading, 100)):
            said += more
        time.sleep(chance.uniform(0, 0.05))
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        assert os.WIFSIGNALED(status), "a child ended by itself"
        with os.fdopen(reading) as pipe:
            lines = [line.split() for line in (said.decode() + pipe.read()).splitlines()]
        for what, token, number in lines:
            sent.add(int(token))
            if what == "stored":
                stored.setdefault(int(token), set()).add(int(number))
        n_worked += any(line[0] == "stored" for line in lines)
    told = {token: sorted(numbers) for token, numbers in stored.items()}
    print(json.dumps({"sent": sorted(sent), "stored": told, "n_worked": n_worked}))


main()
