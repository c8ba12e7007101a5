"""A report as JSON can hold it."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lopsided.experiments import Paper
from lopsided.report import Block
from lopsided.reproduce._reproduction import ItemResult, Reproduction
from lopsided.reproduce._summary import Report, missing_of


def plain_record(report: Report, page: Path | None) -> dict[str, Any]:
    """All of it: the counts, the facts, and for each paper its tables, figures and verdicts."""
    return {
        "claims": {**report.counts, "not asked": report.n_unasked, "all": report.n_claims},
        "report": None if page is None else str(page),
        **dataclasses.asdict(report.facts),
        "papers": [_paper(paper) for paper in report.papers],
    }


def _paper(paper: Reproduction) -> dict[str, Any]:
    return {
        "paper": paper.paper.id,
        "title": paper.paper.title,
        "quick": paper.extent.quick,
        "runs": len(paper.extent.seeds),
        "deviations": paper.paper.general_deviations,
        "claims": [
            {
                "id": verdict.id,
                "claim": paper.paper.claims[verdict.id].text,
                "verdict": verdict.verdict,
                "measured": verdict.measured,
                "asked": verdict.why,
                "without": missing_of(paper, verdict.id),
            }
            for verdict in paper.verdicts
        ],
        "items": [_item(paper.paper, item, paper.extent.quick) for item in paper.items.values()],
    }


def _item(about: Paper, item: ItemResult, quick: bool) -> dict[str, Any]:
    return {
        "name": item.name,
        "caption": item.item.caption,
        "deviations": about.deviations_of(item.name),
        "left out": item.item.left_out if quick else "",
        "tried": item.item.tried,
        "units": item.n_units,
        "seconds": round(item.seconds, 3),
        "failed": item.failed,
        "skipped": item.skipped,
        "shown": [_block(block) for block in item.blocks],
    }


def _block(block: Block) -> dict[str, Any]:
    return {"kind": type(block).__name__.lower(), **_plain(block)}


def _plain(value: Any) -> Any:
    """Records as dictionaries, whatever is listed as lists, and a number that is none as null."""
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence | np.ndarray):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
