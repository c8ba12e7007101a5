"""The command ``lopsided``: one command a file, each a thin layer over the library.

A user's mistake is one line on standard error that names the fix, and exit code 2.
"""

import re
import sys
import traceback
import warnings
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from lopsided.terminal import echo, say

# command -> what it does, in the words of the help screen. The command itself is `command` in
# `_<name>.py`; it is imported only when it is called, so that starting stays fast.
_COMMANDS = {
    "demo": "Take a tour: each kind of lopsided labels, on real text.",
    "data": "List, fetch and verify data sets.",
    "find": "Rank texts or rows by their similarity to known positives.",
    "unexpected": "Find new texts that belong to no known class.",
    "rules": "Learn a few rules for a rare class and test them.",
    "filter": "Filter mail and learn from the inbox alone.",
    "reproduce": "Reproduce five papers: published values beside ours.",
    "compare": "Compare our methods with installed peers on your data.",
    "label": "Label texts at the terminal, with advice when to stop.",
    "serve": "Screen documents in the browser.",
    "simulate": "Measure the work that screening would have saved.",
    "bench": "Measure speed and quality beside installed peers.",
}


class _Commands(click.Group):
    """The commands, loaded late, with a suggestion for a misspelt one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        return import_module(f"lopsided.cli._{cmd_name}").command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            close = get_close_matches(args[0], _COMMANDS, n=1)
            hint = f"Did you mean '{close[0]}'?" if close else "'lopsided --help' lists them."
            raise click.UsageError(f"no command '{args[0]}'. {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lopsided")
def command() -> None:
    """Learn from lopsided labels: rare positives, positives only, one-sided feedback, unexpected
    classes."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    argv = sys.argv[1:] if argv is None else argv
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: say(str(message))
        try:
            result: Any = command.main(args=argv, prog_name="lopsided", standalone_mode=False)
        except click.ClickException as error:
            if (code := _deliver(argv, error)) is not None:
                return code
            if isinstance(error, click.exceptions.NoArgsIsHelpError):
                click.echo(error.format_message())
                return 0
            return _fail(error.format_message())
        except (click.Abort, KeyboardInterrupt):
            say("interrupted")
            return 130
        except (ValueError, OSError, ImportError) as error:
            return _fail(str(error))
        except Exception:  # a defect of ours, but what it quotes may be data
            echo(traceback.format_exc(), err=True, nl=False)
            return 1
    return result if isinstance(result, int) else 0


def _deliver(argv: Sequence[str], error: click.ClickException) -> int | None:
    """Return an exit code if a mail system waits for its message, which must not be lost; None if not."""
    if not get_close_matches(argv[0] if argv else "", ["filter"]):
        return None
    from lopsided.mail._unparsed import is_delivery, pass_unfiltered

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error = click.UsageError("no command. 'lopsided filter run' filters one message.")
    return pass_unfiltered(argv, error) if is_delivery(argv) else None


def _fail(message: str) -> int:
    say(name_options(message))
    return 2


def name_options(message: str) -> str:
    """Return a message of the library with the options of a command in place of Python's arguments.

    Examples
    --------
    >>> name_options("no column 'a'. Name one with text= (in the shell: --text).")
    "no column 'a'. Name one with --text."
    >>> name_options("cannot write it. Name another file (in the shell: --out).")
    'cannot write it. Name another file with --out.'
    """
    message = re.sub(r"\b\w+=(?:'\w*')? \(in the shell: ([^)]+)\)", r"\1", message)
    return re.sub(r"\(in the shell: ([^)]+)\)", r"with \1", message)
