"""A unit in a process of its own, which may die of it."""

import signal
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import perf_counter

from lopsided.runs._perform import perform
from lopsided.runs._results import Record
from lopsided.runs._unit import Unit


def do_alone(unit: Unit) -> Record:
    """Do a unit; where its process dies, the record says of what.

    Examples
    --------
    >>> do_alone(Unit("math", "sqrt", (16.0,))).text
    '4.0'
    """
    start = perf_counter()
    context = get_context("spawn")  # nothing of this process can be what kills it
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_do, args=(unit, sender), daemon=True)
    process.start()
    sender.close()
    try:
        record: Record = receiver.recv()
    except EOFError:
        process.join()
        record = Record("failed", _say_end(process.exitcode or 0), perf_counter() - start)
    finally:
        process.terminate()
        process.join()
        receiver.close()
    return record


def _do(unit: Unit, sender: Connection) -> None:
    sender.send(perform(unit))


def _say_end(code: int) -> str:
    if code >= 0:
        return f"the process that did it ended by itself, with exit code {code}."
    name = signal.Signals(-code).name if -code in {s.value for s in signal.Signals} else f"signal {-code}"
    memory = " Perhaps there was not enough memory." if name == "SIGKILL" else ""
    return f"the process that did it was killed by {name}.{memory}"
