"""What the commands whose work can be ended and taken up again have to say about it."""

from importlib.metadata import version

import click

from lopsided._progress import WorkProgress
from lopsided.runs import Results


def say_what_was_there(results: Results) -> None:
    """Say where the file of results was damaged, or holds some of another version."""
    if results.path is None:
        return
    if results.moved_aside is not None:
        aside = results.moved_aside
        echo(f"{results.path} was damaged or not one of ours: moved to {aside}, begun anew")
    others = {name: n for name, n in results.versions.items() if name != version("lopsided")}
    for name, n in others.items():
        echo(f"{n:,} results in {results.path} are of lopsided {name}; give another --out to compute anew")


def say(progress: WorkProgress, line: str) -> None:
    """A line, in the place of a progress bar."""
    progress.end()
    echo(line)


def echo(line: str) -> None:
    """A line on standard error."""
    click.echo(f"lopsided: {line}", err=True)
