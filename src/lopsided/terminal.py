"""Output to a terminal: lines of text, tables, a status line, progress bars.

`echo`, `say` and `print_table` print text that may come from anywhere: control characters become visible, so
that no text drives the terminal. Status lines and bars go to standard error, and are drawn by rich, which is
imported when the first one is shown.
"""

import json
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from time import monotonic
from typing import Any, NamedTuple

from lopsided._wording import format_duration

_LONGEST = 60  # characters of a name in a line
_NARROWEST = 8  # characters of a column whose cells are cut

# ---- text


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text that may come from anywhere: control characters become visible.

    Parameters
    ----------
    text : str, default=""
    err : bool, default=False
        Print to standard error.
    nl : bool, default=True
        End with a new line.
    """
    stream = sys.stderr if err else sys.stdout
    line = escape(text, stream.encoding) + "\n" * nl
    print(line, file=stream, end="", flush=True)  # in one piece, for other threads print as well


def say(message: str) -> None:
    """Print one line for the user to standard error, if that is open, whatever the message looks like."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # it may be closed; a mail filter goes on all the same
            echo(f"lopsided: {one_line(message, sys.stderr.encoding)}", err=True)


def remark(text: str) -> None:
    """Print a remark about the output; where other programs read the output, to standard error."""
    echo(text, err=not sys.stdout.isatty())


def tell(found: dict[str, Any], as_json: bool) -> None:
    """Print values with their names, a line each, or as JSON; a dict among them is a list of such lines."""
    if as_json:
        echo(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        if isinstance(value, dict):
            echo(f"{name}:")
            for inner, one in value.items():
                echo(f"  {inner}: {one}")
        else:
            number = isinstance(value, int) and not isinstance(value, bool)
            echo(f"{name}: {value:,}" if number else f"{name}: {value}")


class _Escapes(dict[int, str]):
    """Table of the text to print for each character: an escape sequence for a control character."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category in ("Zl", "Zp"):
            character = "\n"
        elif category in ("Cc", "Cf", "Cs"):  # with those that turn the direction of writing
            character = character.encode("unicode_escape").decode()
        self[code] = character
        return character


_ESCAPES = _Escapes({ord("\n"): "\n", ord("\t"): "    "})
# Invisible and harmless: left out, or left in where scripts need them to join letters or turn direction.
_ESCAPES.update(dict.fromkeys(map(ord, "\xad\u200b\u2060\ufeff"), ""))
_ESCAPES.update({ord(c): c for c in "\u200c\u200d\u200e\u200f\u061c"})


def escape(text: str, encoding: str | None = None) -> str:
    r"""Return text with visible control characters, and with what an encoding lacks spelled out.

    Parameters
    ----------
    text : str
    encoding : str, optional
        That of the stream; None for that of standard output.

    Examples
    --------
    >>> print(escape("\x1b[2Jred alert\r\n"), end="")
    \x1b[2Jred alert
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_ESCAPES)
    encoding = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"  # it may be closed
    return text.encode(encoding, "backslashreplace").decode(encoding)


def one_line(text: str, encoding: str | None = None) -> str:
    r"""Return text on one line, with visible control characters.

    Examples
    --------
    >>> print(one_line("a\n b\x07"))
    a b\x07
    """
    return " ".join(escape(text, encoding).split())


def abbreviate(name: str) -> str:
    r"""Return a name that fits into a line.

    Examples
    --------
    >>> abbreviate("a\nb")
    'a b'
    """
    name = " ".join(name[:1000].split())
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 3]}..."


# ---- tables


class Styled(NamedTuple):
    """A cell with a style of rich, such as "green" or "dim"."""

    text: str
    style: str


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str | Styled]],
    *,
    right: Sequence[int] = (),
    title: str = "",
    boxed: bool = False,
    cut: Sequence[int] = (),
) -> None:
    """Print a table: drawn on a terminal, elsewhere a header and rows with tabs that other programs can cut.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : sequence of sequences of str or Styled
    right : sequence of int, default=()
        Columns that are aligned to the right.
    title : str, default=""
        Line above the table.
    boxed : bool, default=False
        Whether a terminal shows lines between the columns, for cells that need several lines.
    cut : sequence of int, default=()
        Columns that stay on one line on a terminal: what does not fit is replaced by an ellipsis.
    """
    cells = [[cell if isinstance(cell, Styled) else Styled(cell, "") for cell in row] for row in rows]
    if not sys.stdout.isatty():
        if title:
            echo(title)
        print("\t".join(one_line(name) for name in header), flush=True)
        for row in cells:  # not by `echo`, for which a tab is white space
            print("\t".join(one_line(cell.text) for cell in row), flush=True)
        return
    if not rows:
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    frame: dict[str, Any] = {} if boxed else {"box": None, "pad_edge": False}
    table = Table(*header, title=title or None, title_justify="left", **frame)
    for row in cells:
        table.add_row(*(Text(one_line(cell.text), cell.style) for cell in row))
    for column in right:
        table.columns[column].justify = "right"
        table.columns[column].no_wrap = True
    console = Console(highlight=False)
    for column in cut:  # they and the last column share what the numbers leave
        numbers = sum(2 + max(len(row[k].text) for row in cells) for k in right)
        table.columns[column].max_width = max(_NARROWEST, (console.width - numbers) // (len(cut) + 1) - 2)
        table.columns[column].no_wrap = True
    console.print(table)


def align(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return cells in columns of fixed width, to the right; to the left where the width is negative.

    Examples
    --------
    >>> align(["method", "F1"], [-8, 6]), align(["ours", "0.5"], [-8, 6])
    ('method      F1', 'ours       0.5')
    """
    pairs = zip(cells, widths, strict=True)
    return "".join(f"{cell:>{width}}" if width > 0 else f"{cell:<{-width}}" for cell, width in pairs)


# ---- status lines and progress bars

_spinner: Any = None  # the status line that is shown, if any


@contextmanager
def status(text: str) -> Iterator[None]:
    """Show a status line with a spinner on a terminal, nothing elsewhere; a progress bar takes its place.

    Examples
    --------
    >>> with status("counting ..."):
    ...     sum(range(4))
    6
    """
    from rich.console import Console
    from rich.text import Text

    global _spinner
    with Console(stderr=True).status(Text(one_line(text))) as _spinner:
        try:
            yield
        finally:
            _spinner = None


class _ProgressBar:
    """A progress bar of rich; the status line, if there is one, rests until the bar is closed."""

    def __init__(
        self, name: str, columns: Sequence[Any], *, total: int | None, done: int = 0, transient: bool
    ) -> None:
        from rich.console import Console
        from rich.progress import Progress, TextColumn

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            *columns,
            console=Console(stderr=True),
            transient=transient,
            speed_estimate_period=3600,  # seconds: what is counted may take minutes
        )
        self._task = self._progress.add_task(one_line(name), total=total, completed=done)
        self._spinner = _spinner
        if self._spinner is not None:
            self._spinner.stop()
        self._progress.start()

    def close(self) -> None:
        """End the bar, and let the status line go on."""
        self._progress.stop()
        if self._spinner is not None:
            self._spinner.start()


class _CountBar(_ProgressBar):
    """Items done of all items, and the time left; gone when it is closed."""

    def __init__(self, n: int, name: str, done: int = 0) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TaskProgressColumn, TimeRemainingColumn

        columns = [BarColumn(), MofNCompleteColumn(), TaskProgressColumn(), TimeRemainingColumn()]
        super().__init__(name, columns, total=n, done=done, transient=True)

    def update(self, done: int) -> None:
        """Show how many items are done."""
        self._progress.update(self._task, completed=done)


class DownloadBar(_ProgressBar):
    """Bytes that have come, and their speed, with the methods that pooch expects of a progress bar.

    Examples
    --------
    >>> bar = DownloadBar("mail.tar.gz")
    >>> bar.total = 100
    >>> bar.update(100)
    >>> bar.close()
    """

    def __init__(self, name: str) -> None:
        from rich.progress import BarColumn, DownloadColumn, TransferSpeedColumn

        columns = [BarColumn(), DownloadColumn(), TransferSpeedColumn()]
        super().__init__(name, columns, total=None, transient=False)
        self.total = 0  # set by pooch once the server has told it

    def update(self, n_bytes: int) -> None:
        """Show that some more bytes have come."""
        self._progress.update(self._task, total=self.total or None, advance=n_bytes)

    def reset(self) -> None:
        """Begin again."""
        self._progress.update(self._task, completed=0)


def progress_bar(wanted: bool, n: int, name: str = "items") -> AbstractContextManager[Callable[[int], None]]:
    """Return a context that gives a function to tell how many of n items are done.

    Nothing is shown if no bar is wanted.

    Examples
    --------
    >>> with progress_bar(False, 10) as tell:
    ...     tell(3)
    """
    return _show_bar(n, name) if wanted else nullcontext(lambda done: None)


@contextmanager
def _show_bar(n: int, name: str) -> Iterator[Callable[[int], None]]:
    bar = _CountBar(n, name)
    try:
        yield bar.update
    finally:
        bar.close()


class WorkProgress:
    """Progress of work in several parts: on a terminal a bar with the time left, elsewhere a line a minute.

    Examples
    --------
    >>> progress = WorkProgress()
    >>> progress.begin("table 1")
    >>> progress.tell(1, 1)
    >>> progress.end()
    """

    def __init__(self, *, seconds_a_line: float = 60.0) -> None:
        self._seconds_a_line = seconds_a_line
        self._bar: _CountBar | None = None
        self._n, self._done, self._first = -1, 0, 0
        self._name = ""

    def begin(self, name: str) -> None:
        """Begin a part."""
        self.end()
        self._name = name

    def tell(self, done: int, n: int) -> None:
        """Show that so many units are done of a lot of n; a part may have several lots, one by one."""
        if n != self._n or done < self._done:
            self.end()
            self._n, self._done, self._first = n, done, done
            self._start = self._told = monotonic()
            if sys.stderr.isatty() and done < n:
                self._bar = _CountBar(n, self._name, done)
        self._done = done
        if self._bar is not None:
            self._bar.update(done)
        elif done < n and monotonic() - self._told >= self._seconds_a_line:
            self._told = monotonic()
            echo(f"{self._name}: {done:,} of {n:,} units{self._left()}", err=True)

    def say(self, message: str) -> None:
        """Print one line for the user in place of the bar, which the next unit brings back."""
        self.end()
        say(message)

    def end(self) -> None:
        """Show nothing any more, so that something else can be printed."""
        if self._bar is not None:
            self._bar.close()
        self._bar, self._n, self._done = None, -1, 0

    def _left(self) -> str:
        done = self._done - self._first
        if not done:
            return ""
        seconds = (monotonic() - self._start) / done * (self._n - self._done)
        return f", about {format_duration(seconds)} left"
