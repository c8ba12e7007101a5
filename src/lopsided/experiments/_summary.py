"""The summary at the top of a report: how many claims hold, and how the numbers were computed."""

import json
import os
import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Self

from lopsided._files import write_atomically
from lopsided.experiments._claims import FAILS, HOLDS, NOISE, STAND_IN, UNTESTED, VERDICTS, ClaimVerdict
from lopsided.experiments._paper import Paper
from lopsided.experiments._reproduction import ItemResult, Reproduction
from lopsided.runs import code_version


@dataclass(frozen=True)
class Facts:
    """The provenance of the numbers: command, date, versions and machine."""

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
class RunReport:
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
        return count(self.papers)

    @property
    def bases(self) -> dict[str, dict[str, int]]:
        """Number of claims by verdict: of all, on the papers' own data, with rules never changed."""
        return {ALL: self.counts, ON_OWN: count_on_own(self.papers), UNCHANGED: count_unchanged(self.papers)}

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
    def origins(self) -> list[str]:
        """A line for each version and commit that units were computed by, the one with most units first."""
        keys: dict[str, set[str]] = {}
        tables: dict[str, dict[str, list[str]]] = {}
        for paper in self.papers:
            for name, item in paper.items.items():
                for key, code in item.versions.items():
                    keys.setdefault(code, set()).add(key)
                    of_paper = tables.setdefault(code, {}).setdefault(paper.paper.id, [])
                    if name not in of_paper:
                        of_paper.append(name)
        return [
            _say_origin(code, len(keys[code]), tables[code])
            for code in sorted(keys, key=lambda code: (-len(keys[code]), code))
        ]

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
        counts = self.counts
        rest = [f"{counts[FAILS]} do not", f"{counts[NOISE]} are within noise"]
        rest.append(f"{counts[UNTESTED]} cannot be tested here")
        if self.n_unasked:
            rest.append(f"{self.n_unasked} were not asked about")
        return f"{counts[HOLDS]} of {self.n_claims} claims hold; {', '.join(rest)}."

    @property
    def other_heads(self) -> list[str]:
        """The same on the papers' own data alone, and with rules that were never changed, a line each."""
        return [
            f"{name[:1].upper()}{name[1:]}: {counts[HOLDS]} of {sum(counts.values())} hold; "
            f"{counts[FAILS]} do not, {counts[NOISE]} are within noise."
            for name, counts in self.bases.items()
            if name != ALL
        ]


def _say_origin(code: str, n: int, tables: Mapping[str, Iterable[str]]) -> str:
    """Return how many units are of a version and commit, and where a commit is known in which tables.

    Examples
    --------
    >>> _say_origin("0.1.0+g1a2b3c", 1200, {"yu-2003": ["table1", "priors"]})
    '1,200 units of lopsided 0.1.0+g1a2b3c: yu-2003 (table1, priors)'
    >>> _say_origin("0.1.0", 1, {"yu-2003": ["table1"]})
    '1 unit of lopsided 0.1.0, whose commit was not kept'
    """
    told = f"{n:,} unit{'s' if n > 1 else ''} of lopsided {code}"
    if "+" not in code:
        return f"{told}, whose commit was not kept"
    return f"{told}: " + "; ".join(f"{id_} ({', '.join(names)})" for id_, names in tables.items())


ALL, ON_OWN = "all claims", "on the papers' own data alone"
UNCHANGED = "with rules never changed after numbers were seen"


def count(papers: Iterable[Reproduction]) -> dict[str, int]:
    """Return the number of claims by verdict."""
    return _count(verdict.verdict for paper in papers for verdict in paper.verdicts)


def count_on_own(papers: Iterable[Reproduction]) -> dict[str, int]:
    """Return the number of claims by the verdict on the paper's own data, of those that these can test."""
    verdicts = [verdict.on_own[0] for paper in papers for verdict in paper.verdicts]
    return _count(verdict for verdict in verdicts if verdict != UNTESTED)


def count_unchanged(papers: Iterable[Reproduction]) -> dict[str, int]:
    """Return the number of claims by verdict, of those whose rule was never changed after a look."""
    return _count(
        verdict.verdict
        for paper in papers
        for verdict in paper.verdicts
        if not paper.paper.claims[verdict.id].changed
    )


def _count(verdicts: Iterable[str]) -> dict[str, int]:
    found = Counter(verdicts)
    return {name: found[name] for name in VERDICTS}


def say_basis(paper: Paper, verdict: ClaimVerdict) -> str:
    """Return on what data a verdict rests, and what those of the paper alone say; "" where there is none."""
    if verdict.basis != STAND_IN:
        is_conditional = verdict.basis and paper.conditional
        return (
            f"{verdict.basis}, conditional: see the head of the report" if is_conditional else verdict.basis
        )
    own, measured = verdict.on_own
    alone = "the paper's own data alone cannot test it"
    if own != UNTESTED:
        is_so = {HOLDS: "it holds", FAILS: "it does not hold", NOISE: "it is within noise"}[own]
        alone = f"on the paper's own data alone {is_so}: {measured}"
    return f"{STAND_IN} ({'; '.join(verdict.stand_ins)}); {alone}"


_OTHERS = ("numpy", "scipy", "scikit-learn", "highspy", "joblib")
_PEERS = ("imbalanced-learn", "pulearn", "pyod")  # in some tables, where they are installed


def facts_of(command: str, *, quick: bool, seeds: int | None = None) -> Facts:
    """Return the facts of a run on this machine that begins now."""
    versions = {"Python": platform.python_version(), "lopsided": code_version()}
    versions |= {name: version(name) for name in _OTHERS}
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
