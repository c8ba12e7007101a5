"""Chooses three of 576 readings of LGN on the tuning pairs, by the rule of ``readings.toml``, once more.

``python research/readings_check.py`` runs what has no result yet (9,216 units, about a quarter of an hour on
one core; it goes on where it was ended), prints the best readings, and says whether the chosen ones are those
of ``readings.toml``.
"""

from pathlib import Path

import click

from lopsided.experiments import Extent, seeds
from lopsided.papers.li_2007.data import READ, SMALL
from lopsided.papers.li_2007.readings import CHOSEN, SEARCH, SHARES, choose
from lopsided.papers.li_2007.units import measure_f
from lopsided.runs import Results, Runner

_N_SHOWN = 10


@click.command(help=__doc__)
@click.option("--out", type=click.Path(path_type=Path), default=Path("readings.sqlite"), show_default=True)
def main(out: Path) -> None:
    """Run all readings, and choose."""
    runner = Runner(Results(out))
    extent = Extent(seeds(READ["pairs"]["tuning_runs"]), quick=False)
    t = SEARCH.measure(extent, lambda units: runner.ask(units).results, measure_f)
    for shares in ((SMALL,), SHARES):
        means = t.only(share=shares).means("f", "protocol", "method")
        click.echo(f"mean F at {' and '.join(map(str, shares))} %:")
        for at in sorted(means, key=means.__getitem__, reverse=True)[:_N_SHOWN]:
            click.echo(f"  {means[at]:.1f}  {': '.join(at)}")
    chosen = choose(t)
    for at in chosen:
        click.echo(f"chosen: {': '.join(at)}")
    if chosen != CHOSEN:
        raise click.ClickException(f"readings.toml has others: {CHOSEN}")


if __name__ == "__main__":
    main()
