"""``lopsided find``: more texts or rows like these."""

from pathlib import Path
from typing import Any

import click

from lopsided.cli._cluster import dask_option, open_cluster
from lopsided.cli._ranked import PATH, RankedInputs, ranked_options
from lopsided.pu._archives import Archive
from lopsided.pu._find import find_more
from lopsided.pu._find_archive import find_in_archive
from lopsided.terminal import WorkProgress, status
from lopsided.text import Documents


@click.command()
@click.argument("positives", type=PATH)
@click.argument("unlabeled", type=PATH)
@dask_option
@ranked_options
def command(positives: Path, unlabeled: Path, dask: str | None, **asked: Any) -> None:
    """Rank the texts or rows of UNLABELED by their similarity to those of POSITIVES.

    Each is a folder of texts, a mailbox (mbox, Maildir), or a CSV, TSV, XLSX, JSONL, Parquet or RIS file. Two
    tables without a column 'text' are compared by the columns they share (numbers, dates and categories),
    unless --text names one. The list shows the words or cells that raise the score of each item. The number
    of positives is estimated and sets the threshold. With fewer than five positives there is no estimate, and
    nothing is flagged. If POSITIVES and UNLABELED need different columns or formats, give the option twice,
    in this order.

    From 256 MB on, and with --dask, UNLABELED is not kept in memory; its folders may hold tables and
    mailboxes, too. The models then learn from 50,000 of its texts, and all are ranked.

    \b
    lopsided find wanted/ all/
    lopsided find ships.csv news.jsonl --text body --top 50
    lopsided find customers-won.csv customers.parquet --id number --out found.html
    lopsided find wanted/ archive/ --dask local[4]
    """
    comparison = RankedInputs({"POSITIVES": positives, "UNLABELED": unlabeled}, **asked)
    title = f"More like {positives.resolve().name}"
    with open_cluster(dask):
        if opened := comparison.open_archive(always=dask is not None):
            _search(comparison, *opened, title)
            return
    if tables := comparison.read_tables():
        wanted, others = tables
        with status(f"comparing {len(others):,} rows with {len(wanted):,} ..."):
            report = find_more(wanted.columns, others.columns, ids=others.ids)
        comparison.deliver(report, tables, title=title, item="row")
        return
    known, texts = comparison.read()
    with status(f"comparing {len(texts):,} texts with {len(known):,} ..."):
        report = find_more(known, texts)
    comparison.deliver(report, (known, texts), title=title)


def _search(comparison: RankedInputs, known: Documents, archive: Archive, title: str) -> None:
    """Rank the texts of an archive that is read in parts."""
    progress = WorkProgress()
    progress.begin("reading")
    try:
        report = find_in_archive(known, archive, progress.tell)
    finally:
        progress.end()
    comparison.deliver(report, (known, archive), title=title)
