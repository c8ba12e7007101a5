"""Files that are either whole or not there, and files that their owner alone can read."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def write_atomically(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a binary file that appears under its name only once it is complete.

    What is written goes to a neighbour of ``path`` and is renamed at the end; an exception, a full disk
    or a killed process leaves the old file (or none) and never half of the new one.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = pathlib.Path(folder) / "answer.txt"
    ...     with write_atomically(target) as file:
    ...         _ = file.write(b"42")
    ...     target.read_bytes()
    b'42'
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(part)
        raise


def open_private(path: Path) -> IO[bytes]:
    """Open a new file for its owner alone, in place of what a killed process left; never through a link."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")
