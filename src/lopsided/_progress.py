"""A progress bar on a terminal."""

from contextlib import nullcontext
from typing import Any


def progress_bar(wanted: bool, n: int, name: str = "items") -> Any:
    """A context that gives a function to tell how many of n are done; it shows nothing if not wanted.

    Examples
    --------
    >>> with progress_bar(False, 10) as tell:
    ...     tell(3)
    """
    return _Bar(n, name) if wanted else nullcontext(lambda done: None)


class _Bar:
    """Drawn by rich, and gone at the end."""

    def __init__(self, n: int, name: str) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._progress = Progress(console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(name, total=n)

    def __enter__(self) -> Any:
        self._progress.start()
        return lambda done: self._progress.update(self._task, completed=done)

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
