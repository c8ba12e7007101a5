"""A report as JSON can hold it."""

import dataclasses
from pathlib import Path
from typing import Any

from lopsided.experiments._claims import ClaimVerdict
from lopsided.experiments._paper import Paper
from lopsided.experiments._reproduction import ItemResult, Reproduction
from lopsided.experiments._summary import Report, missing_of, say_basis
from lopsided.report._json import plain_block


def plain_record(report: Report, page: Path | None) -> dict[str, Any]:
    """Return the counts, the facts, and for each paper its tables, figures and verdicts, as plain values."""
    return {
        "claims": {**report.counts, "not asked": report.n_unasked, "all": report.n_claims},
        "bases": report.bases,
        "report": None if page is None else str(page),
        **dataclasses.asdict(report.facts),
        "results": report.origins,
        "papers": [_paper(paper) for paper in report.papers],
    }


def _paper(paper: Reproduction) -> dict[str, Any]:
    return {
        "paper": paper.paper.id,
        "title": paper.paper.title,
        "quick": paper.extent.quick,
        "runs": len(paper.extent.seeds),
        "deviations": paper.paper.general_deviations,
        "conditional": paper.paper.conditional,
        "claims": [_claim(paper, verdict) for verdict in paper.verdicts],
        "items": [_item(paper.paper, item, paper.extent.quick) for item in paper.items.values()],
    }


def _claim(paper: Reproduction, verdict: ClaimVerdict) -> dict[str, Any]:
    claim = paper.paper.claims[verdict.id]
    return {
        "id": verdict.id,
        "where": claim.where,
        "claim": claim.text,
        "verdict": verdict.verdict,
        "measured": verdict.measured,
        "asked": verdict.asked,
        "why": verdict.why,
        "basis": verdict.basis,
        "told basis": say_basis(paper.paper, verdict),
        "on own data": verdict.on_own[0],
        "changed": [dataclasses.asdict(change) for change in claim.changed],
        "without": missing_of(paper, verdict.id),
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
        "shown": [plain_block(block) for block in item.blocks],
    }
