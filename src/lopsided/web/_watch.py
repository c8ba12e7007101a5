"""A folder whose new files go into the inbox."""

import threading
from itertools import islice
from pathlib import Path

from lopsided.terminal import say
from lopsided.text import iter_records
from lopsided.web._inbox import Inbox

_PAUSE = 2.0  # seconds between two looks
_BATCH = 200


class Watcher:
    """Look into a folder, and send the records of each new file to the inbox.

    A file is read once it has stopped growing. It stays where it is: records are known by their ids, so that
    after a restart none is taken twice.

    Parameters
    ----------
    folder : Path
    inbox : Inbox
    pause : float, default=2.0
        Seconds between two looks.
    """

    def __init__(self, folder: Path, inbox: Inbox, *, pause: float = _PAUSE) -> None:
        if not folder.is_dir():
            raise ValueError(f"there is no folder '{folder}' to watch. Create it, or name another.")
        self._folder, self._inbox, self._pause = folder, inbox, pause
        self._sizes: dict[Path, tuple[int, int]] = {}
        self._read: dict[Path, tuple[int, int]] = {}
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="lopsided-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._end.set()
        self._thread.join(10)

    def _watch(self) -> None:
        while not self._end.is_set():
            try:
                self._look()
            except OSError as error:
                say(f"{self._folder} cannot be read: {error.strerror or error}")
            self._end.wait(self._pause)

    def _look(self) -> None:
        for path in sorted(self._folder.iterdir()):
            if path.name.startswith(".") or not path.is_file():
                continue
            told = path.stat()
            size = told.st_size, told.st_mtime_ns
            if self._sizes.get(path) == size != self._read.get(path):
                self._take(path)
                self._read[path] = size
            self._sizes[path] = size

    def _take(self, path: Path) -> None:
        try:
            records = iter_records(path)
            while some := list(islice(records, _BATCH)):
                self._inbox.take(some)
        except (ValueError, ImportError) as error:
            say(f"{path.name} was left out: {error}")
