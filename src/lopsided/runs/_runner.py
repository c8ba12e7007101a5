"""What does units of work that have no result yet."""

import sqlite3
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from time import perf_counter
from typing import Any

from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits

from lopsided.datasets import DataUnavailable
from lopsided.runs._results import Record, Results
from lopsided.runs._unit import Unit


@dataclass(frozen=True)
class Answers:
    """The results of units, in their order, without those that have none."""

    units: list[Unit]
    """Those that were done."""
    results: list[Any]
    failed: dict[str, str]
    """Key -> traceback."""
    skipped: dict[str, str]
    """Key -> what is missing, and how to supply it."""
    seconds: float
    """That the units took, whenever they were done."""


class Runner:
    """Does units that have no result, and enters their results as they come.

    The results do not depend on the number of workers. What failed or was skipped is tried again by the next
    runner, and once only by this one.

    Parameters
    ----------
    results : Results
    n_jobs : int, default=1
        Processes at a time.
    dask : str, optional
        Address of a Dask scheduler whose workers are to do the work, in place of processes here.
    tell : callable, optional
        Called with the number of units done so far and of all whenever one is done.

    Examples
    --------
    >>> runner = Runner(Results())
    >>> runner.ask([Unit("math", "sqrt", (16.0,)), Unit("math", "sqrt", (-1.0,))]).results
    [4.0]
    """

    def __init__(
        self,
        results: Results,
        *,
        n_jobs: int = 1,
        dask: str | None = None,
        tell: Callable[[int, int], None] = lambda done, n: None,
    ) -> None:
        self.tell = tell
        self._results, self._n_jobs, self._dask = results, n_jobs, dask
        self._tried: set[str] = set()

    def ask(self, units: Sequence[Unit]) -> Answers:
        """Do what is not done, and give the results of all."""
        by_key = {unit.key: unit for unit in units}
        records = self._results.find(by_key)
        missing = [
            key
            for key in by_key
            if key not in records or (records[key].status != "done" and key not in self._tried)
        ]
        self._tried |= set(missing)
        self.tell(len(by_key) - len(missing), len(by_key))
        done = len(by_key) - len(missing)
        for key, record in self._do([(key, by_key[key]) for key in missing]):
            self._enter(key, record)
            records[key] = record
            done += 1
            self.tell(done, len(by_key))
        return _answers(units, records)

    def _do(self, work: list[tuple[str, Unit]]) -> Any:
        if not work:
            return []
        n_jobs = self._n_jobs if self._dask is None else -1
        with self._where():
            # A generator: a result is kept as soon as it is there.
            done = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)(
                delayed(_perform)(key, unit) for key, unit in work
            )
            yield from done

    def _where(self) -> AbstractContextManager[Any]:
        if self._dask is None:
            return parallel_config("loky", inner_max_num_threads=1) if self._n_jobs != 1 else nullcontext()
        try:
            Client = import_module("distributed").Client
        except ImportError:
            raise ImportError(
                "a Dask cluster needs distributed, which is not installed. Run: pip install 'lopsided[dask]'"
            ) from None
        return _Cluster(Client(self._dask, timeout="20s"))

    def _enter(self, key: str, record: Record) -> None:
        try:
            self._results.enter(key, record, version=version("lopsided"))
        except sqlite3.OperationalError as error:
            raise OSError(
                f"cannot write to {self._results.path}: {error}. What was done before is kept; make room and "
                "run it again to go on."
            ) from error


class _Cluster(AbstractContextManager[None]):
    """joblib's work goes to a Dask cluster."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._config: Any = None

    def __enter__(self) -> None:
        self._config = parallel_config("dask", client=self._client)
        self._config.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._config.__exit__(*error)
        self._client.close()


def _perform(key: str, unit: Unit) -> tuple[str, Record]:
    """Do a unit, wherever this is called; what goes wrong is a result, too."""
    start = perf_counter()
    try:
        with threadpool_limits(1), warnings.catch_warnings():  # sums do not depend on the machine's cores
            warnings.simplefilter("ignore")
            text = unit.write(unit.do())
        record = Record("done", text, perf_counter() - start)
    except DataUnavailable as error:
        record = Record("skipped", str(error), perf_counter() - start)
    except Exception:
        record = Record("failed", traceback.format_exc(), perf_counter() - start)
    return key, record


def _answers(units: Sequence[Unit], records: dict[str, Record]) -> Answers:
    keys = [unit.key for unit in units]
    done = [(unit, key) for unit, key in zip(units, keys, strict=True) if records[key].status == "done"]
    texts = {
        status: {key: records[key].text for key in keys if records[key].status == status}
        for status in ("failed", "skipped")
    }
    return Answers(
        [unit for unit, _ in done],
        [unit.read(records[key].text) for unit, key in done],
        texts["failed"],
        texts["skipped"],
        sum(records[key].seconds for key in dict.fromkeys(keys)),
    )
