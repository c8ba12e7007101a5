"""``lopsided find``: more like these."""

from pathlib import Path
from typing import Any

import click

from lopsided.cli._ranked import PATH, Comparison, ranked_options
from lopsided.pu._find import find_more
from lopsided.terminal import status


@click.command()
@click.argument("positives", type=PATH)
@click.argument("unlabeled", type=PATH)
@ranked_options
def command(positives: Path, unlabeled: Path, **asked: Any) -> None:
    """Rank the texts of UNLABELED by how much they are like those of POSITIVES.

    Each is a folder of texts, mail (mbox, Maildir), CSV, TSV, JSONL, Parquet or RIS. The list says which
    words speak for a text and which texts are over the line; how many there should be is estimated. With
    fewer than five positives there is no estimate, and no text is flagged. Where POSITIVES and UNLABELED
    need different columns or formats, give the option twice, in this order.
    """
    comparison = Comparison({"POSITIVES": positives, "UNLABELED": unlabeled}, **asked)
    known, others = comparison.read()
    with status(f"comparing {len(others):,} texts with {len(known):,} ..."):
        report = find_more(known, others)
    comparison.deliver(report, (known, others), title=f"More like {positives.resolve().name}")
