"""Where data sets are looked for: the user's folder, the cache, the public source; and how they are kept."""

import hashlib
import lzma
import os
import tarfile
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pooch

from lopsided._files import write_atomically
from lopsided.datasets._layout import Copy, DataSet, encode_file

# What reading or converting a damaged or foreign file may raise.
_BROKEN = (
    OSError,
    ValueError,
    LookupError,
    EOFError,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)


class DataUnavailable(OSError):  # noqa: N818 -- named for what the user is told
    """A data set is neither at hand nor to be had, or its file is damaged.

    Examples
    --------
    >>> raise DataUnavailable("trec07p is not here.")
    Traceback (most recent call last):
        ...
    lopsided.datasets._cache.DataUnavailable: trec07p is not here.
    """


class DamagedFile(DataUnavailable):
    """A file that is there but not whole; ``ours`` if it was put there by us and not by the user."""

    def __init__(self, path: Path, trouble: str, *, ours: bool) -> None:
        super().__init__(f"{path} {trouble}. Replace it by a whole copy or remove it.")
        self.path = path
        self.trouble = trouble
        self.ours = ours


@dataclass(frozen=True)
class Loaded:
    """The contents of a copy, and where it was found."""

    contents: tuple[Any, ...]
    copy: Copy
    where: str
    paths: tuple[Path, ...]


def places() -> Iterator[tuple[str, Path]]:
    """Give the folders that are searched, in order, each with its name.

    Examples
    --------
    >>> [name for name, _ in places()][-1]
    'cache'
    """
    named = os.environ.get("LOPSIDED_DATA")
    if named:
        if not Path(named).is_dir():
            raise DataUnavailable(
                f"LOPSIDED_DATA should name a folder of data sets; '{named}' is not a folder. "
                "Correct it or unset it."
            )
        yield "LOPSIDED_DATA", Path(named)
    yield "cache", cache_folder()


def cache_folder() -> Path:
    """Return the folder where fetched data sets are kept (it need not exist yet)."""
    return Path(pooch.os_cache("lopsided"))


def find(copies: Sequence[Copy]) -> tuple[Copy, str, tuple[Path, ...]] | None:
    """Find the first copy all of whose files are at hand; nothing is read."""
    for where, folder in places():
        for copy in copies:
            paths = tuple(folder / name for name in copy.files)
            if all(path.is_file() for path in paths):
                return copy, where, paths
    return None


def read_at_hand(copies: Sequence[Copy]) -> Loaded | None:
    """Read the first copy that is at hand; None if there is none, DamagedFile if it is not whole."""
    found = find(copies)
    if found is None:
        return None
    copy, where, paths = found
    return Loaded(tuple(_read(copy, path, where) for path in paths), copy, where, paths)


def load(data_set: DataSet, copies: Sequence[Copy] | None = None) -> Loaded:
    """Read a data set from the first place that has it; fetch it into the cache if none has."""
    copies = data_set.copies if copies is None else copies
    try:
        loaded = read_at_hand(copies)
    except DamagedFile as damaged:
        if not damaged.ours or all(copy.build is None for copy in copies):
            raise
        warnings.warn(f"{damaged.path} {damaged.trouble}. It is fetched again.", stacklevel=3)
        loaded = _fetch(data_set, copies)
        if damaged.path not in loaded.paths:  # another copy came in its stead
            damaged.path.unlink()
        return loaded
    return loaded if loaded is not None else _fetch(data_set, copies)


def disagreements(expected: Mapping[str, int], found: Mapping[str, int]) -> list[str]:
    """List the facts that do not hold, in words.

    Examples
    --------
    >>> disagreements({"rows": 3, "ones": 1}, {"rows": 3, "ones": 2})
    ['ones: expected 1, found 2']
    """
    return [
        f"{name}: expected {count:,}, found {found.get(name, 0):,}"
        for name, count in expected.items()
        if found.get(name) != count
    ]


def _read(copy: Copy, path: Path, where: str) -> Any:
    """Read a file, checking first that it is the one we wrote if we wrote it."""
    sidecar = _sidecar(path)
    ours = where == "cache" and sidecar.is_file()
    if ours:
        expected = sidecar.read_text(encoding="ascii", errors="replace").split()[:1]
        if expected != [hashlib.sha256(path.read_bytes()).hexdigest()]:
            raise DamagedFile(path, f"is damaged: its digest is not the one in {sidecar.name}", ours=True)
    try:
        return copy.read(path, copy.fields)
    except _BROKEN as error:
        raise DamagedFile(path, f"could not be read ({_reason(error)})", ours=ours) from error


def _fetch(data_set: DataSet, copies: Sequence[Copy]) -> Loaded:
    """Convert the first copy whose public source answers, and keep it in the cache."""
    reasons = []
    for copy in copies:
        if copy.build is None:
            continue
        try:
            contents = _build(copy)
        except _BROKEN as error:
            reasons.append(_reason(error))
        else:
            return Loaded(contents, copy, "public source", _keep(copy, contents))
    if reasons:
        trouble = f"could not be fetched from {data_set.source}: {'; then: '.join(reasons)}"
    else:
        trouble = f"is not at hand and is never downloaded ({data_set.source})"
    files = " or ".join(" and ".join(copy.files) for copy in copies)
    raise DataUnavailable(
        f"{data_set.name} {trouble}. To supply it by hand, put {files} into {cache_folder()} "
        "or into a folder named by LOPSIDED_DATA."
    )


def _build(copy: Copy) -> tuple[Any, ...]:
    assert copy.build is not None
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix=".fetching-", ignore_cleanup_errors=True) as work:
        contents = copy.build(Path(work))
    wrong = disagreements(copy.published, copy.count(*contents))
    if wrong:
        raise ValueError(f"what came is not the published set and is not kept ({wrong[0]})")
    return contents


def _keep(copy: Copy, contents: tuple[Any, ...]) -> tuple[Path, ...]:
    """Write the files and their digests; a failure leaves each file whole or not there."""
    paths = tuple(cache_folder() / name for name in copy.files)
    for path, content in zip(paths, contents, strict=True):
        encoded = encode_file(path, content)
        digest = hashlib.sha256(encoded).hexdigest()
        try:
            with write_atomically(path) as file:
                file.write(encoded)
            with write_atomically(_sidecar(path)) as file:
                file.write(f"{digest}  {path.name}\n".encode())  # the format of sha256sum -c
        except OSError as error:
            raise DataUnavailable(
                f"{path} could not be kept ({_reason(error)}); no part of it was left there. "
                "Make room or move the cache (XDG_CACHE_HOME), then fetch again."
            ) from error
    return paths


def _sidecar(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else text[:197] + "..."
