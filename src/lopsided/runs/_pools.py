"""Pools that do units: processes or threads of this machine, or the workers of a Dask cluster."""

import os
import signal
import socket
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, closing, nullcontext
from importlib import import_module
from itertools import islice
from multiprocessing import resource_tracker
from queue import SimpleQueue
from threading import Thread
from time import sleep
from typing import Any, Protocol
from uuid import uuid4

from joblib import Parallel, delayed, parallel_config
from joblib.parallel import LokyBackend, get_active_backend

from lopsided.runs._alone import Worker, do_alone
from lopsided.runs._perform import perform
from lopsided.runs._results import UnitRecord
from lopsided.runs._unit import Unit

_DAY = 86_400  # seconds that a worker waits for more to do
_HANDING_OUT = 0.1  # seconds, far more than it takes to pass a unit on to a worker
_DASK_PORT = 8786  # of a scheduler, unless somebody says otherwise
_KNOCK = 10.0  # seconds until an address counts as nobody's
PATIENCE = "20s"  # with a cluster that does not answer, or has no workers yet


class WorkersDied(Exception):  # noqa: N818 -- never leaves the runner
    """Raised where a worker was killed, by its unit or from outside."""


class Pool(Protocol):
    """Workers that do units."""

    @property
    def n_ahead(self) -> int:
        """Number of units that may be under way at once."""

    def do(self, units: Mapping[str, Unit]) -> Iterator[tuple[str, UnitRecord]]:
        """Yield records as they come; raise WorkersDied where some cannot come any more."""

    def do_alone(self, unit: Unit) -> UnitRecord:
        """Do a unit that may have killed its worker, and return its record."""

    def close(self) -> None:
        """Release what was held."""


def knock(address: str) -> None:
    """Raise OSError where no scheduler is: a client would find out, too, and then print what it tried."""
    addressing = import_module("distributed.comm.addressing")
    scheme, place = addressing.parse_address(address)
    if scheme in ("tcp", "tls"):
        with closing(socket.create_connection(addressing.parse_host_port(place, _DASK_PORT), _KNOCK)):
            pass


class LocalPool:
    """Processes of this machine, or threads where joblib's `parallel_config` asks for them."""

    def __init__(self, n_jobs: int) -> None:
        self._n_jobs = n_jobs
        self.n_ahead = 2 * n_jobs

    def do(self, units: Mapping[str, Unit]) -> Iterator[tuple[str, UnitRecord]]:
        """Yield records as they come."""
        with warnings.catch_warnings(), _processes_or_threads():
            # A worker that has come to hold much is replaced by a fresh one, and that is all right. Made an
            # error by whoever is strict, this warning ends the thread that hands out the work.
            warnings.filterwarnings("ignore", message="A worker stopped while some jobs")
            # Work that is given up says so by an error of its own.
            warnings.filterwarnings("ignore", message=".*tasks which were still being processed")
            try:
                yield from _in_parallel(units, self._n_jobs, self.n_ahead)
            except BrokenExecutor as error:
                raise WorkersDied("a worker process died") from error

    def do_alone(self, unit: Unit) -> UnitRecord:
        """Do a unit in a process of its own, and return its record."""
        return do_alone(unit)

    def close(self) -> None:
        """Do nothing: joblib keeps its workers for whoever comes next."""


def _processes_or_threads() -> AbstractContextManager[Any]:
    backend, _ = get_active_backend()
    if getattr(backend, "supports_sharedmem", False):  # threads: whoever set them up has said all
        return nullcontext()
    processes = _Processes(idle_worker_timeout=_DAY, initializer=_end_with, initargs=(os.getpid(),))
    return parallel_config(processes, inner_max_num_threads=1)


class _Processes(LokyBackend):
    """Joblib's own pool, whose workers end quietly when work is abandoned."""

    def submit(self, func: Any, callback: Any = None) -> Any:
        """Hand out a unit, and start workers where some are missing.

        A terminal sends Ctrl-C to the workers as well. They inherit that it is blocked: one that is still
        loading its libraries would die of it with a traceback. The parent ends them.
        """
        if not hasattr(signal, "pthread_sigmask"):
            return super().submit(func, callback)
        resource_tracker.ensure_running()  # which unblocks it where it is the first to need this process
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(func, callback)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """End the workers, but not while a unit is on its way to one.

        The thread that hands it out would then look for it in vain, and die of that with a traceback.
        """
        sleep(_HANDING_OUT)
        super().abort_everything(ensure_ready)


class Guarded:
    """Worker processes of this machine that are ended where a unit takes too long, and print nothing.

    They outlive a call of `do`, and so does what they have loaded.
    """

    def __init__(self, n_jobs: int, limit: float) -> None:
        self._limit = limit
        self._workers = [Worker(quiet=True) for _ in range(n_jobs)]

    def do(self, units: Mapping[str, Unit]) -> Iterator[tuple[str, UnitRecord]]:
        """Yield records as they come; a unit that dies or is too slow has failed."""
        idle: SimpleQueue[Worker] = SimpleQueue()
        for worker in self._workers:
            idle.put(worker)

        def do(key: str, unit: Unit) -> tuple[str, UnitRecord]:
            worker = idle.get()
            try:
                return key, worker.do(unit, self._limit)
            finally:
                idle.put(worker)

        with ThreadPoolExecutor(len(self._workers)) as threads:
            futures = [threads.submit(do, key, unit) for key, unit in units.items()]
            try:
                for future in as_completed(futures):
                    yield future.result()
            except BaseException:  # Ctrl-C, or nobody wants the rest: those under way must not be waited for
                for future in futures:
                    future.cancel()
                for worker in self._workers:
                    worker.kill()
                raise

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.end()


class Cluster:
    """The workers of a Dask cluster.

    Asked directly and not by way of joblib, which does all work in this process while a cluster has a single
    thread, and waits for ever for a task that killed its workers.
    """

    def __init__(self, address: str) -> None:
        try:
            self._distributed: Any = import_module("distributed")
        except ImportError:
            raise ImportError(
                "a Dask cluster needs distributed, which is not installed. Run: pip install 'lopsided[dask]'"
            ) from None
        self._address = address
        try:
            knock(address)
            self._client = self._distributed.Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise OSError(
                f"no Dask scheduler at {address}: {error}. Start one with: dask scheduler"
            ) from error
        try:
            self._wait_for_workers()
        except BaseException:
            self._client.close()
            raise

    @property
    def n_ahead(self) -> int:
        """Twice the number of threads of all workers that are there now."""
        return 2 * max(1, sum(self._client.nthreads().values()))

    def do(self, units: Mapping[str, Unit]) -> Iterator[tuple[str, UnitRecord]]:
        """Yield records as they come; the units of a lost worker are done by another."""
        self._wait_for_workers()
        waiting = iter(units.items())
        under_way: dict[str, str] = {}
        killed = 0
        completed = self._distributed.as_completed(loop=self._client.loop)
        while True:
            for key, unit in islice(waiting, max(0, self.n_ahead - len(under_way))):
                future = self._client.submit(perform, unit, key=f"lopsided-{uuid4().hex}", pure=False)
                under_way[future.key] = key
                completed.add(future)
            if not under_way:
                break
            future = next(completed)
            key = under_way.pop(future.key)
            record = self._record(future)
            killed += record is None
            if record is not None:
                yield key, record
        if killed:
            raise WorkersDied("workers of the Dask cluster died")

    def _record(self, future: Any) -> UnitRecord | None:
        """Return the record of a unit; None where it, or another at the same time, killed its workers."""
        try:
            record: UnitRecord = future.result()
            return record
        except self._distributed.KilledWorker:
            return None
        except CancelledError as error:
            raise OSError(f"the Dask scheduler at {self._address} is gone. Start it again.") from error
        except Exception as error:  # a unit's own are records: this one comes from between
            raise OSError(
                f"the workers of {self._address} cannot do it: {type(error).__name__}: {error}. Is the same "
                "version of lopsided installed there?"
            ) from error

    def do_alone(self, unit: Unit) -> UnitRecord:
        """Do a unit while the cluster does nothing else, and return its record."""
        try:
            return dict(self.do({"": unit}))[""]
        except WorkersDied as error:
            return UnitRecord("failed", f"the workers that did it died, one after the other: {error}.", 0.0)

    def close(self) -> None:
        """Leave the cluster; it goes on without us."""
        self._client.close()

    def _wait_for_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise OSError(
                f"the Dask cluster at {self._address} has no workers. Start one with: "
                f"dask worker {self._address}"
            ) from None


def _in_parallel(units: Mapping[str, Unit], n_jobs: int, n_ahead: int) -> Iterator[tuple[str, UnitRecord]]:
    # A generator: a result is there to be kept as soon as it is.
    parallel: Any = Parallel(
        n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=n_ahead
    )
    yield from parallel(delayed(_perform)(key, unit) for key, unit in units.items())


def _perform(key: str, unit: Unit) -> tuple[str, UnitRecord]:
    return key, perform(unit)


def _end_with(parent: int) -> None:
    """See to it that this worker ends when its parent was killed: it would wait for work for a day."""
    Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:  # whose children are another's once it is gone
        sleep(1)
    os._exit(1)
