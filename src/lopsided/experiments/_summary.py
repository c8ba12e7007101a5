"""The summary at the top of a report: how many claims hold, and how the numbers were computed."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Self

from lopsided._files import write_atomically
from lopsided.experiments._claims import UNTESTED, ClaimVerdict
from lopsided.experiments._reproduction import ItemResult, Reproduction

VERDICTS = ("holds", "does not hold", UNTESTED)


@dataclass(frozen=True)
class Facts:
    """How the numbers were computed: command, date, versions and machine."""

    command: str
    quick: bool
    date: str
    versions: Mapping[str, str]
    machine: str
    seeds: int | None = None
    """Number of runs that was asked for; None: as many as each paper has."""

    def write(self, folder: Path) -> None:
        """Keep the facts beside the results, for a report that is written later."""
        with write_atomically(folder / _FACTS) as file:
            file.write(json.dumps(asdict(self), indent=2).encode() + b"\n")

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the facts of the run whose results are in a folder."""
        path = folder / _FACTS
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            return cls(**values)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"no kept results in '{folder}': {_FACTS} is missing. Name the folder of a run, or leave "
                "out --report to compute one."
            ) from None
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"{path} does not describe a run ({error}). Run it again without --report."
            ) from error


_FACTS = "run.json"


@dataclass(frozen=True)
class Report:
    """The papers that were run, and how they were run."""

    papers: Sequence[Reproduction]
    facts: Facts
    collection: Mapping[str, int]
    """All papers there are, in the order of the report, and the number of claims of each."""
    unfinished: str = ""
    """A sentence about what is still to come; "" where the run is complete."""

    @property
    def counts(self) -> dict[str, int]:
        """Number of claims by verdict, over all papers."""
        verdicts = [verdict.verdict for paper in self.papers for verdict in paper.verdicts]
        return {name: verdicts.count(name) for name in VERDICTS}

    @property
    def n_unasked(self) -> int:
        """Number of claims of the collection that were not judged."""
        return max(0, sum(self.collection.values()) - sum(self.counts.values()))

    @property
    def n_claims(self) -> int:
        """Number of claims of all papers."""
        return sum(self.counts.values()) + self.n_unasked

    @property
    def seconds(self) -> float:
        """Seconds that all units took; a unit of several tables counts once."""
        times: dict[str, float] = {}
        for paper in self.papers:
            for item in paper.items.values():
                times |= item.times
        return sum(times.values())

    @property
    def failed(self) -> set[str]:
        """Keys of the units that failed."""
        return {key for paper in self.papers for item in paper.items.values() for key in item.failed}

    @property
    def losses(self) -> str:
        """The number of units that failed or were skipped, in words; "" where there are none."""
        skipped = {key for paper in self.papers for item in paper.items.values() for key in item.skipped}
        return ", ".join(
            f"{len(k):,} units {how}" for k, how in ((self.failed, "failed"), (skipped, "skipped")) if k
        )

    @property
    def head(self) -> str:
        """The summary in one line."""
        holds, fails, untested = self.counts.values()
        rest = [f"{fails} do not", f"{untested} cannot be tested here"]
        if self.n_unasked:
            rest.append(f"{self.n_unasked} were not asked about")
        return f"{holds} of {self.n_claims} claims hold; {', '.join(rest)}."


_OURS = ("lopsided", "numpy", "scipy", "scikit-learn", "highspy", "joblib")
_PEERS = ("imbalanced-learn", "pulearn", "pyod")  # in some tables, where they are installed


def facts_of(command: str, *, quick: bool, seeds: int | None = None) -> Facts:
    """Return the facts of a run on this machine that begins now."""
    versions = {"Python": platform.python_version(), **{name: version(name) for name in _OURS}}
    for name in _PEERS:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Facts(command, quick, now, versions, _machine(), seeds)


def _machine() -> str:
    n = os.cpu_count() or 1
    parts = [f"{n} core{'s' if n > 1 else ''}"]
    try:
        n_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        parts.append(f"{n_bytes / 2**30:.0f} GB of memory")
    except (AttributeError, ValueError, OSError):  # not every system says
        pass
    return ", ".join([*parts, f"{platform.system()} {platform.machine()}".strip()])


def missing_of(report: Reproduction, id_: str) -> str:
    """Return which units the verdict on a claim lacks, in words; "" where none are missing."""
    parts = []
    for name in report.paper.claims[id_].items:
        if name in report.items:
            parts += [f"{n:,} {how} in {name}" for n, how in _losses(report.items[name]) if n]
    return ", ".join(parts)


def without(verdict: ClaimVerdict) -> str:
    """Return the words that introduce the missing units of a verdict."""
    return "missing:" if verdict.verdict == UNTESTED else "judged without"


def _losses(item: ItemResult) -> list[tuple[int, str]]:
    return [(len(item.failed), "failed"), (len(item.skipped), "skipped")]
