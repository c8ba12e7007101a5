"""Imports: files that were brought, a preview of each, and one thread that reads them into the store."""

import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from lopsided.screening import DuplicateIndex
from lopsided.terminal import say
from lopsided.text import Preview, Problem, Record, Roles, iter_records, preview_records
from lopsided.web._desk import Desk
from lopsided.web._errors import Trouble

_KEPT_PROBLEMS = 200
_BATCH = 5000  # items after which the desk is told
_COMPARED = 1000  # items of which copies are looked for at once
State = Literal["waiting", "reading", "looking for duplicates", "done", "failed"]


@dataclass
class Upload:
    """A file, or a folder on this machine, that is to be imported.

    Parameters
    ----------
    id : str
    name : str
        What its owner calls it.
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
    n_new: int = 0
    n_known: int = 0
    n_copies: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def is_running(self) -> bool:
        """Whether it is being read."""
        return self.state in ("reading", "looking for duplicates")


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
        self._index: DuplicateIndex | None = None

    def all(self) -> list[Upload]:
        """Return all uploads, the latest first."""
        return list(self._uploads.values())[::-1]

    def get(self, id: str) -> Upload:
        """Return an upload by its id.

        Parameters
        ----------
        id : str
        """
        upload = self._uploads.get(id)
        if upload is None:
            raise Trouble("The file is no longer here: the server was started anew. Bring it again.", 404)
        return upload

    def new_file(self) -> Path:
        """Return where a file that is brought may be written; its name comes from us."""
        return Path(self._folder.name) / secrets.token_hex(16)

    def add(self, path: Path, name: str, *, is_copy: bool) -> Upload:
        """Look into a file, and keep it until somebody says what to do with it.

        Parameters
        ----------
        path : Path
        name : str
            What its owner calls it; its suffix tells the format.
        is_copy : bool
            Whether the file is ours, and may be removed.
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
        """Read a file into the project, after those before it.

        Parameters
        ----------
        id : str
        roles : Roles
        """
        upload = self.get(id)
        with self._lock:
            if upload.state not in ("waiting", "failed") or upload.preview is None:
                return  # it was sent twice
            upload.state, upload.error, upload.n_read = "reading", "", 0
        self._thread.submit(self._read, upload, roles)

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
        """Remove what was brought."""
        self._thread.shutdown(cancel_futures=True)
        self._folder.cleanup()

    def wait(self) -> None:
        """Wait until all that was started is read."""
        self._thread.submit(lambda: None).result()

    def _read(self, upload: Upload, roles: Roles) -> None:
        store = self._desk.store
        preview = upload.preview
        assert preview is not None
        found: list[Problem] = []

        def counted() -> Iterator[Record]:
            name = upload.name if upload.is_copy else None
            for record in iter_records(upload.path, roles, format=preview.format, name=name, problems=found):
                upload.n_read += 1
                if upload.n_read % _BATCH == 0:
                    self._desk.read_again()
                yield record

        try:
            before = store.n_items
            with (
                self._desk.expecting(),
                store.importing(upload.name, preview.format, roles._asdict()) as batch,
            ):
                counts = batch.add(counted())
            upload.n_new, upload.n_known = counts.n_new, counts.n_known
            upload.problems = found[:_KEPT_PROBLEMS]
            upload.state = "looking for duplicates"
            self._desk.read_again()
            self._desk.wait_until_read()  # screening begins first; copies are joined while it goes on
            upload.n_copies = self._group(before)
            if upload.n_copies:
                self._desk.group_again()
            upload.state = "done"
            self._remove(upload)
        except Exception as error:
            say(f"importing {upload.name} failed: {error}")
            upload.state, upload.error, upload.problems = "failed", str(error), found[:_KEPT_PROBLEMS]
        finally:
            self._desk.read_again()

    def _group(self, before: int) -> int:
        """Put copies among the items after a number into groups; return how many copies there are."""
        store = self._desk.store
        if self._index is None:
            self._index, before = DuplicateIndex(), 0
        index, n_copies = self._index, 0
        items = store.items(after=before)
        first = before + 1
        while batch := list(islice(items, _COMPARED)):
            begun = time.perf_counter()
            rows = index.add(Record(item.key, item.title, item.text, item.fields) for item in batch)
            groups = {first + i: int(row) + 1 for i, row in enumerate(rows) if int(row) + 1 != first + i}
            store.set_groups(groups)
            n_copies += len(groups)
            first += len(batch)
            time.sleep(time.perf_counter() - begun)  # half of the time is for those who screen meanwhile
        return n_copies

    def _remove(self, upload: Upload) -> None:
        if upload.is_copy:
            shutil.rmtree(upload.path, ignore_errors=True)
            upload.path.unlink(missing_ok=True)


def guess_meaning(value: str, labels: Any) -> int | None:
    """Return the label that a text of a file seems to stand for; None where nobody can tell.

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
