"""What a terminal shows while something is done: one line, so one spinner or one bar at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_spinner: Any = None  # the one that is shown, if any


@contextmanager
def status(text: str) -> Iterator[None]:
    """Show a spinner with a text on a terminal, nothing elsewhere; a progress bar takes its place.

    Examples
    --------
    >>> with status("counting ..."):
    ...     sum(range(4))
    6
    """
    from rich.console import Console

    global _spinner
    with Console(stderr=True).status(text) as _spinner:
        try:
            yield
        finally:
            _spinner = None


class ProgressBar:
    """What pooch expects of a progress bar, drawn by rich; a spinner rests until it is closed.

    Examples
    --------
    >>> bar = ProgressBar("mail.tar.gz")
    >>> bar.total = 100
    >>> bar.update(100)
    >>> bar.close()
    """

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            console=Console(stderr=True),
        )
        self._task = self._progress.add_task(name, total=None)
        self._spinner = _spinner
        if self._spinner is not None:
            self._spinner.stop()
        self._progress.start()
        self.total = 0  # set by pooch once the server has told it

    def update(self, n_bytes: int) -> None:
        """Say that some more bytes have come."""
        self._progress.update(self._task, total=self.total or None, advance=n_bytes)

    def reset(self) -> None:
        """Begin again."""
        self._progress.update(self._task, completed=0)

    def close(self) -> None:
        """Leave the bar as it is and let the spinner go on."""
        self._progress.stop()
        if self._spinner is not None:
            self._spinner.start()
