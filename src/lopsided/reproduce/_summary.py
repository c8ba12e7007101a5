"""What stands at the top of a report: how many claims hold, and how the numbers came about."""

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
from lopsided.experiments import UNTESTED, ClaimVerdict
from lopsided.reproduce._reproduction import N_CLAIMS, ItemResult, Reproduction

VERDICTS = ("holds", "does not hold", UNTESTED)


@dataclass(frozen=True)
class Facts:
    """How the numbers came about."""

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
                f"no kept results in '{folder}': {_FACTS} is missing. Name the folder of a run with --out, "
                "or leave out --report to compute one."
            ) from None
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"{path} does not describe a run ({error}). Run it again without --report."
            ) from error


_FACTS = "run.json"


@dataclass(frozen=True)
class Report:
    """Papers that were run, and how."""

    papers: Sequence[Reproduction]
    facts: Facts
    unfinished: str = ""
    """What is still to come, or what came in between; "" where nothing is."""

    @property
    def counts(self) -> dict[str, int]:
        """Claims by verdict, over all papers."""
        verdicts = [verdict.verdict for paper in self.papers for verdict in paper.verdicts]
        return {name: verdicts.count(name) for name in VERDICTS}

    @property
    def n_unasked(self) -> int:
        """Claims of the five papers that nobody asked about."""
        return max(0, N_CLAIMS - sum(self.counts.values()))

    @property
    def n_claims(self) -> int:
        """Claims of all papers."""
        return sum(self.counts.values()) + self.n_unasked

    @property
    def seconds(self) -> float:
        """That all units took; those of several tables count once."""
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
        """How many units failed or were skipped, once each; "" where none."""
        skipped = {key for paper in self.papers for item in paper.items.values() for key in item.skipped}
        return ", ".join(
            f"{len(k):,} units {how}" for k, how in ((self.failed, "failed"), (skipped, "skipped")) if k
        )

    @property
    def head(self) -> str:
        """The one line to remember."""
        holds, fails, untested = self.counts.values()
        rest = [f"{fails} do not", f"{untested} cannot be tested here"]
        if self.n_unasked:
            rest.append(f"{self.n_unasked} were not asked about")
        return f"{holds} of {self.n_claims} claims hold; {', '.join(rest)}."


_OURS = ("lopsided", "numpy", "scipy", "scikit-learn", "highspy", "joblib")
_PEERS = ("imbalanced-learn", "pulearn", "pyod")  # in some tables, where they are installed


def facts_of(command: str, *, quick: bool, seeds: int | None = None) -> Facts:
    """The facts of this machine, now."""
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
    """What a verdict had to do without; "" where nothing is missing."""
    parts = []
    for name in report.paper.claims[id_].items:
        if name in report.items:
            parts += [f"{n:,} {how} in {name}" for n, how in _losses(report.items[name]) if n]
    return ", ".join(parts)


def without(verdict: ClaimVerdict) -> str:
    """What is said before that."""
    return "missing:" if verdict.verdict == UNTESTED else "judged without"


def _losses(item: ItemResult) -> list[tuple[int, str]]:
    return [(len(item.failed), "failed"), (len(item.skipped), "skipped")]
