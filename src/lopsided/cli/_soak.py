"""``lopsided bench soak``: the services of the mail filter under load and faults."""

import json
import math
import sys

import click

from lopsided.bench._soak import Served, Soaked, soak
from lopsided.terminal import echo, print_table


@click.command(name="soak")
@click.option(
    "--minutes",
    type=click.FloatRange(0.05, 1440),
    default=10.0,
    show_default=True,
    help="Minutes to run under load.",
)
@click.option(
    "--users",
    type=click.IntRange(1, 1000),
    default=50,
    show_default=True,
    help="Number of users who get mail.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(minutes: float, users: int, as_json: bool) -> None:
    """Run the services of the mail filter under load and faults, and count what is lost.

    Starts 'lopsided filter lmtp' and 'lopsided filter serve' on Unix sockets in a temporary folder and sends
    them messages and labels. Meanwhile it kills them, fills the disk, and connects clients that are silent,
    slow or never read. The exit code is 1 if anything that was acknowledged is lost.
    """
    if sys.platform == "win32":
        raise click.UsageError("the services use Unix sockets, which this system does not have.")
    found = soak(minutes, users)
    if as_json:
        click.echo(json.dumps(_plain(found), indent=2))
    else:
        _show(found)
    sys.exit(not found.nothing_lost)


def _plain(found: Soaked) -> dict[str, object]:
    services = {"lmtp": found.lmtp._asdict(), "serve": found.serve._asdict()}
    for figures in services.values():
        figures["p99"] = None if math.isnan(figures["p99"]) else figures["p99"]
    return found._asdict() | services


def _show(found: Soaked) -> None:
    columns = ["", "filter lmtp", "filter serve"]
    pairs = zip(_told(found.lmtp), _told(found.serve), strict=True)
    print_table(columns, [[name, one, other] for (name, one), (_, other) in pairs])
    echo(
        f"{found.minutes:g} minutes, {found.users} users; the disk was full {found.times_full} times: "
        f"{found.full_disk}."
    )


def _told(served: Served) -> list[tuple[str, str]]:
    return [
        ("acknowledged (messages, lessons)", f"{served.acknowledged:,}"),
        ("lost", f"{served.lost:,}"),
        ("delivered or learned twice", f"{served.twice:,}"),
        ("passed unfiltered", f"{served.unfiltered:,}"),
        ("attempts repeated", f"{served.retries:,}"),
        ("99th percentile of latency", f"{served.p99:.2f} s"),
        ("longest wait, repeats included", f"{served.longest:.1f} s"),
        ("killed", f"{served.kills:,} times"),
        ("peak memory", "not known" if served.peak is None else f"{served.peak / 1e6:,.0f} MB"),
    ]
