"""``lopsided bench``: side by side with the peers."""

import json
from importlib.metadata import packages_distributions, version
from typing import Any

import click

from lopsided.bench import SUBJECTS, Measured, Skipped, run
from lopsided.cli._panel import command as panel
from lopsided.cli._soak import command as soak
from lopsided.terminal import align, echo

_WIDTHS = (-12, 12, 14, 16, 9, 9)


class _Bench(click.Group):
    """Subcommands, and the speed of the subjects where none is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["speed", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Bench, commands=[panel, soak])
def command() -> None:
    """Measure speed and quality beside the installed peers.

    \b
    lopsided bench               the speed of everything
    lopsided bench lasvm mail    the speed of some subjects; the same as: lopsided bench speed lasvm mail
    lopsided bench --list        the subjects whose speed can be measured
    lopsided bench panel         the quality of our defaults on a panel of data sets
    lopsided bench soak          the services of the mail filter under load and faults
    """


@command.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--only", metavar="ROW,...", help="Measure only these rows of the subject NAME, such as T2,T4.")
@click.option("--list", "listing", is_flag=True, help="List the subjects and exit.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def speed(names: tuple[str, ...], only: str | None, listing: bool, as_json: bool) -> None:
    """Time our code and a peer's in turns, in one run, and print the ratio of the fastest times.

    NAME is a subject of --list; without one, all subjects are measured.
    """
    for name in names:
        if name not in SUBJECTS:
            raise click.UsageError(f"no benchmark '{name}'. There are: {', '.join(SUBJECTS)}.")
    if only is not None and len(names) != 1:
        raise click.UsageError(f"--only chooses among the rows of one NAME; got {len(names)}. Pass one.")
    if listing:
        click.echo(json.dumps(SUBJECTS) if as_json else "\n".join(f"{k}  {v}" for k, v in SUBJECTS.items()))
        return
    chosen = [] if only is None else [row.strip() for row in only.split(",")]
    packages = ["lopsided", "scikit-learn", "numpy", "scipy"]
    records = []
    if not as_json:
        echo(align(["", "ours", "peer", "times faster", "must", "aim"], _WIDTHS))
    for name in names or SUBJECTS:
        echo(f"measuring {name}: {SUBJECTS[name]}", err=True)
        for result in run(name, chosen):
            if isinstance(result, Measured):
                packages += [package for package in result.row.needs if package not in packages]
            records.append(_record(result))
            if not as_json:
                _print_line(result)
    called = packages_distributions()  # argon2 is of argon2-cffi
    versions = {package: version(called.get(package, [package])[0]) for package in packages}
    if as_json:
        click.echo(json.dumps({"versions": versions, "rows": records}, indent=2))
    else:
        echo(", ".join(f"{package} {number}" for package, number in versions.items()))


def _record(result: Measured | Skipped) -> dict[str, Any]:
    row = result.row
    about = {"row": row.name, "work": row.work, "against": row.against}
    if isinstance(result, Skipped):
        return about | {"skipped": result.reason}
    return about | {
        "ours_seconds": result.ours,
        "peer_seconds": result.peer,
        "peer_was_stopped": result.stopped,
        "ratio": result.ratio,
        "must": row.must,
        "aim": row.aim,
        "quality": None if result.quality is None else result.quality.figures,
        "good": None if result.quality is None else result.quality.good,
        "verdict": result.verdict,
    }


def _print_line(result: Measured | Skipped) -> None:
    row = result.row
    if isinstance(result, Skipped):
        echo(f"{row.name:12}  skipped: {result.reason}")
        return
    bars = ["" if bar is None else f"{bar:.3g}" for bar in (row.must, row.aim)]
    ratio = f"{'over ' if result.stopped else ''}{result.ratio:.3g}x"
    times = [f"{seconds * 1e3:,.1f} ms" for seconds in (result.ours, result.peer)]
    echo(f"{align([row.name, *times, ratio, *bars], _WIDTHS)}  {result.verdict}")
    echo(f"  {row.work}, against {row.against}")
    if result.quality is not None:
        echo(f"  {result.quality.figures}")
