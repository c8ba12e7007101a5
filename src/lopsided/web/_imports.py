"""Imports: uploaded files, a preview of each, and one thread that reads them into the store."""

import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from lopsided.terminal import say
from lopsided.text import Preview, Problem, Record, Roles, iter_records, preview_records
from lopsided.web._copies import CopySearch
from lopsided.web._desk import Desk
from lopsided.web._errors import Trouble

_KEPT_PROBLEMS = 200
State = Literal["waiting", "queued", "reading", "looking for duplicates", "done", "interrupted", "failed"]


@dataclass
class Upload:
    """A file, or a folder on this machine, that is to be imported.

    Parameters
    ----------
    id : str
    name : str
        Name of the file, as its owner knows it.
    path : Path
    is_copy : bool
        Whether it lies in our folder and is removed after the import.
    preview : Preview or None
    state : str
    error : str
        Why it cannot be read.
    """

    id: str
    name: str
    path: Path
    is_copy: bool
    preview: Preview | None = None
    state: State = "waiting"
    error: str = ""
    n_read: int = 0
    n_bytes: int = 0
    n_bytes_read: int = 0
    is_stopped: bool = False
    n_new: int = 0
    n_known: int = 0
    n_copies: int = 0
    roles: Roles | None = None
    problems: list[Problem] = field(default_factory=list)

    @property
    def is_running(self) -> bool:
        """Whether it is being read, or will be."""
        return self.state in ("queued", "reading", "looking for duplicates")

    @property
    def share(self) -> float | None:
        """The share of the file that has been read, from 0 to 1; None if it is not known."""
        if not self.n_bytes or not self.n_bytes_read:
            return None
        return min(self.n_bytes_read / self.n_bytes, 1.0)

    def count_bytes(self, n: int) -> None:
        """Add to the bytes that were read.

        Parameters
        ----------
        n : int
        """
        self.n_bytes_read += n


class _StoppedError(Exception):
    """An import was stopped by a user."""


class Imports:
    """The imports of a served project.

    Parameters
    ----------
    desk : Desk
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._folder = tempfile.TemporaryDirectory(prefix="lopsided-")
        self._uploads: dict[str, Upload] = {}
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="lopsided-import")
        self._copies = CopySearch(desk.store)
        self._is_closed = False
        if self._copies.is_unfinished:  # the server was ended during the search
            self._thread.submit(self._go_on)

    def all(self) -> list[Upload]:
        """Return all uploads, newest first."""
        return list(self._uploads.values())[::-1]

    def get(self, id: str) -> Upload:
        """Return an upload by its id.

        Parameters
        ----------
        id : str
        """
        upload = self._uploads.get(id)
        if upload is None:
            raise Trouble("The server was restarted, and the uploaded file is gone. Upload it again.", 404)
        return upload

    def new_file(self) -> Path:
        """Return a path to which an uploaded file can be written."""
        return Path(self._folder.name) / secrets.token_hex(16)

    def add(self, path: Path, name: str, *, is_copy: bool) -> Upload:
        """Preview a file, and keep it until it is imported or dropped.

        Parameters
        ----------
        path : Path
        name : str
            Name of the file, as its owner knows it; its suffix tells the format.
        is_copy : bool
            Whether the file lies in our folder and may be removed.
        """
        upload = Upload(secrets.token_hex(8), name[:300], path, is_copy)
        try:
            upload.preview = preview_records(path, name=name if is_copy else None)
        except (ValueError, OSError, ImportError) as error:
            upload.state, upload.error = "failed", str(error)
        with self._lock:
            self._uploads[upload.id] = upload
        return upload

    def start(self, id: str, roles: Roles) -> None:
        """Queue a file to be read into the project.

        Parameters
        ----------
        id : str
        roles : Roles
        """
        upload = self.get(id)
        with self._lock:
            if upload.is_running or upload.state == "done" or upload.preview is None:
                return  # it was sent twice
            upload.state, upload.error, upload.is_stopped = "queued", "", False
            upload.roles, upload.n_read, upload.n_bytes_read = roles, 0, 0
        self._thread.submit(self._read, upload, roles)

    def stop(self, id: str) -> None:
        """Stop reading a file. Records that were read stay; a second import adds the rest.

        Parameters
        ----------
        id : str
        """
        self.get(id).is_stopped = True

    def drop(self, id: str) -> None:
        """Forget a file that is not being read.

        Parameters
        ----------
        id : str
        """
        upload = self.get(id)
        if not upload.is_running:
            del self._uploads[id]
            self._remove(upload)

    def close(self) -> None:
        """Stop the import that is running, and remove the uploaded files."""
        self._is_closed = True
        for upload in self.all():
            upload.is_stopped = True
        self._thread.shutdown(cancel_futures=True)
        self._folder.cleanup()

    def wait(self) -> None:
        """Wait until all imports that were started have ended."""
        self._thread.submit(lambda: None).result()

    def _read(self, upload: Upload, roles: Roles) -> None:
        store = self._desk.store
        preview = upload.preview
        assert preview is not None
        found: list[Problem] = []

        def counted() -> Iterator[Record]:
            name = upload.name if upload.is_copy else None
            for record in iter_records(
                upload.path,
                roles,
                format=preview.format,
                name=name,
                problems=found,
                progress=upload.count_bytes,
            ):
                if upload.is_stopped:
                    raise _StoppedError
                upload.n_read += 1
                yield record

        upload.state, upload.n_bytes = "reading", _size_of(upload.path)
        ends: State = "done"
        try:
            before = store.n_items
            self._copies.begin()
            with (
                self._desk.expecting(),
                store.importing(upload.name, preview.format, roles._asdict()) as batch,
            ):
                try:
                    batch.add(counted())
                finally:
                    upload.n_new, upload.n_known = batch.counts.n_new, batch.counts.n_known
        except _StoppedError:
            ends = "interrupted"
        except Exception as error:
            say(f"importing {upload.name} failed: {error}")
            ends, upload.error = "failed", _tell(error)
        upload.problems = found[:_KEPT_PROBLEMS]
        try:
            joined = self._join_copies(upload, before)
            ends = joined if ends == "done" else ends
        except Exception as error:
            say(f"looking for copies in {upload.name} failed: {error}")
            ends, upload.error = "failed", upload.error or _tell(error)
        upload.state = ends
        if ends == "done":
            self._remove(upload)
        self._desk.read_again()

    def _join_copies(self, upload: Upload, before: int) -> State:
        """Look for copies, and return how the import ends."""
        upload.state, upload.is_stopped = "looking for duplicates", False

        def is_wanted() -> bool:
            return not (upload.is_stopped or self._is_closed)

        upload.n_copies = self._search_copies(before, is_wanted)
        return "done" if is_wanted() else "interrupted"

    def _search_copies(self, before: int, is_wanted: Callable[[], bool]) -> int:
        desk = self._desk
        while desk.is_behind and not desk.failure and is_wanted():
            time.sleep(0.05)  # screening begins first
        return self._copies.run(before, is_wanted)

    def _go_on(self) -> None:
        """Finish the search for copies that an earlier server began."""
        try:
            self._search_copies(0, lambda: not self._is_closed)
        except Exception as error:
            say(f"looking for copies failed: {error}")
        self._desk.read_again()

    def _remove(self, upload: Upload) -> None:
        if upload.is_copy:
            shutil.rmtree(upload.path, ignore_errors=True)
            upload.path.unlink(missing_ok=True)


def _size_of(path: Path) -> int:
    """Return the size in bytes of a file, or of all files in a folder."""
    if not path.is_dir():
        return path.stat().st_size
    return sum((Path(folder) / name).lstat().st_size for folder, _, names in os.walk(path) for name in names)


def _tell(error: Exception) -> str:
    if isinstance(error, OSError):
        return (
            f"A file could not be read or written ({error.strerror or error}). Free some disk space if the "
            "disk is full, then import the file again."
        )
    return str(error)


def guess_meaning(value: str, labels: Any) -> int | None:
    """Return the label that a value in a file probably means; None if that is unclear.

    Parameters
    ----------
    value : str
    labels : list of LabelKind
    """
    word = value.strip().lower()
    for label in labels:
        if label.name.lower() == word:
            return int(label.id)
    for relevant, words in ((True, _YES), (False, _NO)):
        if word in words:
            return next((int(label.id) for label in labels if label.relevant is relevant), None)
    return None


_YES = frozenset(
    ("1", "1.0", "true", "yes", "y", "include", "included", "relevant", "positive", "pos", "wanted")
)
_NO = frozenset(
    (
        "0",
        "0.0",
        "-1",
        "false",
        "no",
        "n",
        "exclude",
        "excluded",
        "irrelevant",
        "not relevant",
        "negative",
        "neg",
    )
)
