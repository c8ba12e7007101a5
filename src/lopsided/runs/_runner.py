"""The runner: it does the units of work that have no result yet."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol, Self

from joblib import cpu_count

from lopsided.runs._alone import do_alone
from lopsided.runs._perform import perform
from lopsided.runs._pools import Cluster, Guarded, LocalPool, Pool, WorkersDied
from lopsided.runs._results import Results, UnitRecord
from lopsided.runs._unit import Unit
from lopsided.runs._version import code_version


@dataclass(frozen=True)
class Answers:
    """The results of units, in their order, without those that have none."""

    units: list[Unit]
    """The units that were done."""
    results: list[Any]
    failed: dict[str, str]
    """Key of each unit that failed -> traceback."""
    skipped: dict[str, str]
    """Key of each unit that was skipped -> what is missing, and how to supply it."""
    times: dict[str, float]
    """Key of each unit -> the seconds it took when it was computed."""
    versions: dict[str, str] = field(default_factory=dict)
    """Key of each unit that was done -> version and commit of the code that computed it."""


class ResultSource(Protocol):
    """A source of the results of units."""

    def ask(self, units: Sequence[Unit]) -> Answers:
        """Return the results of the units."""


class KeptResults:
    """Gives results that were computed before, and computes nothing: other units count as skipped.

    Parameters
    ----------
    results : Results

    Examples
    --------
    >>> KeptResults(Results()).ask([Unit("math", "sqrt", (16.0,))]).skipped
    {'math.sqrt {"~": "tuple", "is": [16.0]}': 'This unit has no kept result.'}
    """

    def __init__(self, results: Results) -> None:
        self._results = results

    def ask(self, units: Sequence[Unit]) -> Answers:
        """Return the results of the units that have one."""
        keys = [unit.key for unit in units]
        records = self._results.find(keys)
        values = {
            key: unit.read(records[key].text)
            for key, unit in zip(keys, units, strict=True)
            if key in records and records[key].status == "done"
        }
        for key in keys:
            records.setdefault(key, UnitRecord("skipped", "This unit has no kept result.", 0.0))
        return _answers(units, records, values, self._results.versions_of(keys))


class Runner:
    """Runner of units that have no result; it enters their results as they come.

    The results do not depend on the number of workers. What failed or was skipped is tried again by the next
    runner, and once only by this one. A unit that kills its process fails, and the others go on: with several
    workers now, with one when the run is started again.

    Parameters
    ----------
    results : Results
    n_jobs : int, default=1
        Processes at a time; -1: one a core. 1: this one. With ``joblib.parallel_config("threading")`` around
        `ask`, threads.
    dask : str, optional
        Address of a Dask scheduler whose workers are to do the work, in place of processes here.
    limit : float, optional
        Seconds that a unit may take. All units are then done in other processes, which are ended where it
        takes longer; such a unit has failed. A cluster knows no limit.
    tell : callable, optional
        Called with the number of units done so far and of all whenever one is done.
    say : callable, optional
        Called with a line where something is out of order.

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
        limit: float | None = None,
        tell: Callable[[int, int], None] = lambda done, n: None,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        if n_jobs == 0 or n_jobs < -1:
            raise ValueError(
                f"n_jobs must be at least 1, or -1 for one process a core. Got {n_jobs} instead."
            )
        self.tell, self.say = tell, say
        self._results, self._dask = results, dask
        self._n_jobs = int(cpu_count()) if n_jobs == -1 else n_jobs
        self._guarded = None if limit is None or dask else Guarded(self._n_jobs, limit)
        self._tried: set[str] = set()
        self._version = code_version()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._guarded is not None:
            self._guarded.close()

    def ask(self, units: Sequence[Unit]) -> Answers:
        """Do the units that are not done, and return the results of all."""
        by_key = {unit.key: unit for unit in units}
        records = self._results.find(by_key)
        values = self._read(by_key, records)
        missing = {
            key: unit
            for key, unit in by_key.items()
            if key not in values and (key not in self._tried or key not in records)
        }
        self._tried |= missing.keys()
        done = len(by_key) - len(missing)
        self.tell(done, len(by_key))
        with closing(self._do(missing)) as coming:  # whatever goes wrong here, nothing is left under way
            for key, record in coming:
                self._results.enter(key, record, version=self._version)
                records[key] = record
                done += 1
                self.tell(done, len(by_key))
        values |= self._read(missing, records)
        for key in missing.keys() - records.keys():
            records[key] = UnitRecord(
                "failed", "its result cannot be read: are all workers of one version?", 0.0
            )
        return _answers(units, records, values, self._results.versions_of(by_key))

    def _read(self, units: dict[str, Unit], records: dict[str, UnitRecord]) -> dict[str, Any]:
        """Return the results of the units that are done; a record that cannot be read counts as none."""
        values = {}
        for key, unit in units.items():
            if key in records and records[key].status == "done":
                try:
                    values[key] = unit.read(records[key].text)
                except ValueError as error:
                    self.say(f"the result of {key} cannot be read: {error}")
                    del records[key]
        return values

    def _do(self, units: dict[str, Unit]) -> Generator[tuple[str, UnitRecord]]:
        if not units:
            return
        if self._guarded is not None:
            yield from self._guarded.do(units)
        else:
            yield from self._here(units) if self._n_jobs == 1 and self._dask is None else self._away(units)

    def _here(self, units: dict[str, Unit]) -> Generator[tuple[str, UnitRecord]]:
        """Do units in this process; a unit at which it died before gets a process of its own."""
        suspects = self._results.begun & units.keys()
        if suspects:
            self.say(f"a run was killed at {_name(suspects)}: done in a process of its own")
        for key, unit in units.items():
            try:
                self._results.begin(key)
                record = do_alone(unit) if key in suspects else perform(unit)
            finally:
                try:
                    self._results.end(key)
                except KeyboardInterrupt:  # it came at this moment, and says nothing of the unit
                    self._results.end(key)
                    raise
            if key in suspects and record.status == "failed":
                self._results.begin(key)  # the next run has to take care, too
            yield key, record

    def _away(self, units: dict[str, Unit]) -> Generator[tuple[str, UnitRecord]]:
        """Do units by workers; where one dies, the units under way are done alone, to see which it was."""
        pool: Pool = LocalPool(self._n_jobs) if self._dask is None else Cluster(self._dask)
        left = dict(units)
        try:
            while left:
                try:
                    for key, record in pool.do(left.copy()):
                        del left[key]
                        yield key, record
                except WorkersDied as death:
                    suspects = list(islice(left, pool.n_ahead))
                    self.say(f"{death}: what may have killed it ({len(suspects):,} units) is done one by one")
                    for key in suspects:
                        yield key, pool.do_alone(left.pop(key))
        finally:
            pool.close()


def _name(keys: set[str]) -> str:
    first = min(keys)
    return first if len(keys) == 1 else f"{first} (or another of {len(keys):,})"


def _answers(
    units: Sequence[Unit], records: dict[str, UnitRecord], values: dict[str, Any], versions: dict[str, str]
) -> Answers:
    keys = [unit.key for unit in units]
    texts = {
        status: {key: records[key].text for key in keys if records[key].status == status}
        for status in ("failed", "skipped")
    }
    return Answers(
        [unit for unit, key in zip(units, keys, strict=True) if key in values],
        [values[key] for key in keys if key in values],
        texts["failed"],
        texts["skipped"],
        {key: records[key].seconds for key in keys},
        {key: versions[key] for key in keys if key in values},
    )
