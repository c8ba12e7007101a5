"""Work for the tests of the runner: found by workers under ``runs.work``."""

import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lopsided.datasets import DataUnavailable
from lopsided.runs import Unit, Work


class Pair(NamedTuple):
    name: str
    value: float


@dataclass(frozen=True)
class Counts:
    hits: int
    misses: np.ndarray


WORK = Work("runs.work", {"Pair": Pair, "Counts": Counts})


def unit(function, *arguments):
    return Unit("runs.work", function, arguments)


def draw(seed, n):
    """Numbers that are the same wherever they are drawn."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    return Pair(f"seed {seed}", float(np.linalg.norm(A @ A.T, "nuc")))


def logged(log, seed, seconds):
    """Draw, and leave a line in a file: how often this was done."""
    time.sleep(seconds)
    result = draw(seed, 20)
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"{seed} {os.getpid()}\n")
    return result


def gated(log, seed, gate):
    """Draw and leave a line, once the number in the file ``gate`` is above the seed."""
    while int(Path(gate).read_text(encoding="utf-8")) <= seed:
        time.sleep(0.01)
    return logged(log, seed, 0)


def blocked(log, seed):
    """Leave a line and stay for ever."""
    logged(log, seed, 0)
    time.sleep(600)


_MEETING = threading.Barrier(2)


def meet(seed):
    """Draw once another thread of the same process is here as well."""
    _MEETING.wait(60)
    return draw(seed, 8)


def fail(text):
    raise ZeroDivisionError(text)


def miss(name):
    raise DataUnavailable(f"{name} is not here. Put it into the folder LOPSIDED_DATA.")


def die(how):
    if how == "exit":
        os._exit(3)
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def die_once(folder):
    """Die the first time."""
    mark = Path(folder) / "died"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 1


def strange(kind):
    """Results that cannot be kept."""
    hidden = dataclass(type("Hidden", (), {"__annotations__": {"x": int}}))
    return {"set": {1}, "hidden": hidden(3), "object": np.array([None]), "complex": 1j}[kind]


def holds_back_ctrl_c(seed):
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def sleep(seconds):
    time.sleep(seconds)


def chatter(word):
    """Print by both roads, from Python and from below it; the process that did."""
    print(word)
    os.write(2, word.encode())
    return os.getpid()
