"""Helpers of the commands whose work can be ended and taken up again."""

from pathlib import Path

import click
from click.core import ParameterSource

from lopsided.runs import Results, code_version, read_archive
from lopsided.terminal import say

RESULTS = "results.sqlite"  # in the folder of a run
ARCHIVE = "units"  # in its place where results are kept under version control


def open_kept(folder: Path) -> Results:
    """Open the results of an earlier run, or the archive that stands in for them."""
    path = folder / RESULTS
    return Results(path) if path.exists() else read_archive(folder / ARCHIVE)


def refuse_with_report(*names: str) -> None:
    """Refuse options that say how to compute."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") == ParameterSource.COMMANDLINE
        if given and parameter.name in names:
            options = "/".join([*parameter.opts, *parameter.secondary_opts])
            raise click.UsageError(f"--report computes nothing, so it takes no {options}.")


def say_what_was_there(results: Results) -> None:
    """Say where the file of results was damaged, or holds results of another version or commit."""
    if results.path is None:
        return
    if results.moved_aside is not None:
        aside = results.moved_aside
        say(f"{results.path} was damaged or not one of ours: moved to {aside}, begun anew")
    others = {name: n for name, n in results.versions.items() if name != code_version()}
    for name, n in others.items():
        say(f"{n:,} results in {results.path} are of lopsided {name}; give another --out to compute anew")
