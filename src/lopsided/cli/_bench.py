"""``lopsided bench``: side by side with the peers."""

import json
from importlib.metadata import version
from typing import Any

import click

from lopsided.bench import SUBJECTS, Measured, run


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "listing", is_flag=True, help="Show what can be measured, and stop.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(names: tuple[str, ...], listing: bool, as_json: bool) -> None:
    """Measure our work and a peer's in turns, in one run, and print the ratio of the fastest runs.

    NAME is one of the subjects of --list; without one, all are measured.
    """
    for name in names:
        if name not in SUBJECTS:
            raise click.UsageError(f"no benchmark '{name}'. There are: {', '.join(SUBJECTS)}.")
    if listing:
        click.echo(json.dumps(SUBJECTS) if as_json else "\n".join(f"{k}  {v}" for k, v in SUBJECTS.items()))
        return
    measured = []
    for name in names or SUBJECTS:
        click.echo(f"measuring {name}: {SUBJECTS[name]}", err=True)
        measured += list(run(name))
    versions = {package: version(package) for package in ("lopsided", "scikit-learn", "numpy", "scipy")}
    if as_json:
        click.echo(json.dumps({"versions": versions, "rows": [_record(m) for m in measured]}, indent=2))
    else:
        _print_table(measured, versions)


def _record(m: Measured) -> dict[str, Any]:
    return {
        "row": m.row.name,
        "work": m.row.work,
        "against": m.row.against,
        "ours_seconds": m.ours,
        "peer_seconds": m.peer,
        "ratio": m.ratio,
        "must": m.row.must,
        "aim": m.row.aim,
        "verdict": m.verdict,
    }


def _print_table(measured: list[Measured], versions: dict[str, str]) -> None:
    click.echo(f"{'':12}{'ours':>12}{'peer':>14}{'times faster':>14}{'must':>7}{'aim':>6}")
    for m in measured:
        bars = ["" if bar is None else f"{bar:.3g}" for bar in (m.row.must, m.row.aim)]
        times = f"{m.ours * 1e3:9,.1f} ms{m.peer * 1e3:11,.1f} ms{m.ratio:13.3g}x"
        click.echo(f"{m.row.name:12}{times}{bars[0]:>7}{bars[1]:>6}  {m.verdict}")
        click.echo(f"  {m.row.work}, against {m.row.against}")
    click.echo(", ".join(f"{package} {number}" for package, number in versions.items()))
