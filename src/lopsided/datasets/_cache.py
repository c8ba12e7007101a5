"""The search for data sets in the user's folder, the cache and the public source, and their storage."""

import hashlib
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lopsided._files import write_atomically
from lopsided.datasets._layout import Copy, Counts, DataSet, encode_file

_FETCHING = ".fetching-"
_DAY = 24 * 60 * 60  # seconds
_PAUSE = 60.0  # seconds in which a public source that failed is left alone, where it is asked rarely
_rarely: ContextVar[bool] = ContextVar("rarely", default=False)
_failed: dict[tuple[str, ...], tuple[float, list[str]]] = {}  # files -> when their source failed, and why


class DataUnavailable(OSError):  # noqa: N818 -- named for what the user is told
    """A data set is neither at hand nor to be had, or its file is damaged.

    Examples
    --------
    >>> raise DataUnavailable("trec07p is not here.")
    Traceback (most recent call last):
        ...
    lopsided.datasets._cache.DataUnavailable: trec07p is not here.
    """


@dataclass(frozen=True)
class Found:
    """A copy that is at hand, and where."""

    copy: Copy
    where: str
    paths: tuple[Path, ...]

    def sidecars(self) -> list[Path]:
        """Return the digests beside the files; there are some if we wrote the files, and only then."""
        if self.where == "LOPSIDED_DATA":
            return []
        return [_sidecar(path) for path in self.paths if _sidecar(path).is_file()]


@dataclass(frozen=True)
class Loaded(Found):
    """A copy with its contents and what was counted in them."""

    contents: tuple[Any, ...]
    facts: Counts


class DamagedFile(DataUnavailable):
    """Files that are there but do not hold what they should."""

    def __init__(self, found: Found, trouble: str) -> None:
        self.found = found
        self.trouble = f"{' and '.join(map(str, found.paths))} {trouble}"
        sidecars = " and ".join(path.name for path in found.sidecars())
        if sidecars:  # a copy put there by hand has another digest
            advice = f"Remove it and {sidecars}, then fetch it again or put a whole copy there."
        else:
            advice = "Replace it by a whole copy or remove it."
        super().__init__(f"{self.trouble}. {advice}")


def places() -> Iterator[tuple[str, Path]]:
    """Yield the folders that are searched, in order, each with its name.

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
    import pooch  # late: models are fitted without it

    return Path(pooch.os_cache("lopsided"))


def find(copies: Sequence[Copy]) -> Found | None:
    """Return the first copy all of whose files are at hand, or None; nothing is read."""
    for where, folder in places():
        for copy in copies:
            paths = tuple(folder / name for name in copy.files)
            if all(path.is_file() for path in paths):
                return Found(copy, where, paths)
    return None


def read_at_hand(copies: Sequence[Copy]) -> Loaded | None:
    """Read and count the first copy at hand; None if there is none, DamagedFile if that cannot be done."""
    found = find(copies)
    if found is None:
        return None
    contents = tuple(_read(replace(found, paths=(path,))) for path in found.paths)
    with blaming(found):
        facts = found.copy.count(*contents)
    return Loaded(found.copy, found.where, found.paths, contents, facts)


def load(data_set: DataSet, copies: Sequence[Copy] | None = None) -> Loaded:
    """Read a data set from the first place that has it; fetch it into the cache if none has."""
    copies = data_set.copies if copies is None else copies
    try:
        loaded = read_at_hand(copies)
        if loaded is not None:
            _check_published(loaded)
            return loaded
    except DamagedFile as damaged:
        if not damaged.found.sidecars():
            raise
        names = " and ".join(_set_aside(path).name for path in damaged.found.paths)
        warnings.warn(
            f"{damaged.trouble}. It is set aside as {names} and fetched again. "
            "If you put it there by hand, give it its name back and remove the .sha256 file beside it.",
            stacklevel=3,
        )
    return _fetch(data_set, copies)


@contextmanager
def asking_rarely() -> Iterator[None]:
    """Leave a public source that failed alone for a minute, within this context.

    A run of thousands of units that all want one missing data set would wait for each of them.

    Examples
    --------
    >>> with asking_rarely():
    ...     _rarely.get()
    True
    """
    token = _rarely.set(True)
    try:
        yield
    finally:
        _rarely.reset(token)


@contextmanager
def blaming(found: Found) -> Iterator[None]:
    """Name the files where what they hold cannot be read, counted or converted.

    Examples
    --------
    >>> toy = Found(Copy(files=(), fields=(), count=dict, published={}), "cache", (Path("toy.csv"),))
    >>> with blaming(toy):
    ...     [1, 2].index(3)
    Traceback (most recent call last):
        ...
    lopsided.datasets._cache.DamagedFile: toy.csv could not be read (3 is not in list). Replace it by a \
whole copy or remove it.
    """
    try:
        yield
    except Exception as error:  # the file may hold anything, so anything may be raised
        raise DamagedFile(found, f"could not be read ({_reason(error)})") from error


def disagreements(expected: Mapping[str, int], found: Mapping[str, int]) -> list[str]:
    """Return the facts that do not hold, in words.

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


def _read(found: Found) -> Any:
    """Read a single file, checking first that it is the one we wrote if we wrote it."""
    (path,) = found.paths
    for sidecar in found.sidecars():
        expected = sidecar.read_text(encoding="ascii", errors="replace").split()[:1]
        if expected != [hashlib.sha256(path.read_bytes()).hexdigest()]:
            raise DamagedFile(found, f"is damaged: its digest is not the one in {sidecar.name}")
    with blaming(found):
        return found.copy.read(path, found.copy.fields)


def _check_published(loaded: Loaded) -> None:
    wrong = disagreements(loaded.copy.published, loaded.facts)
    if wrong:
        raise DamagedFile(loaded, f"does not hold the published set ({wrong[0]})")


def _set_aside(path: Path) -> Path:
    """Rename a file instead of overwriting it: the user may have put it there."""
    return path.replace(path.with_name(path.name + ".damaged"))


def _fetch(data_set: DataSet, copies: Sequence[Copy]) -> Loaded:
    """Convert the first copy whose public source answers, and keep it in the cache."""
    _forget_missing(copies)
    wanted = tuple(name for copy in copies for name in copy.files)
    reasons = _failed_lately(wanted)
    for copy in () if reasons else copies:
        if copy.build is None:
            continue
        try:
            contents, facts = _build(copy)
        except Exception as error:  # so may what a public source answers with
            reasons.append(_reason(error))
            _failed[wanted] = time.monotonic(), reasons
        else:
            return Loaded(copy, "public source", _keep(copy, contents), contents, facts)
    if reasons:
        trouble = f"could not be fetched from {data_set.source}: {'; then: '.join(reasons)}"
    else:
        trouble = f"is not at hand and is never downloaded ({data_set.source})"
    part = find([copy for copy in data_set.copies if copy.part])
    hint = f" At hand is {part.copy.part}." if part else ""
    files = " or ".join(" and ".join(copy.files) for copy in copies)
    raise DataUnavailable(
        f"{data_set.name} {trouble}.{hint} To supply it by hand, put {files} into {cache_folder()} "
        "or into a folder named by LOPSIDED_DATA."
    )


def _failed_lately(wanted: tuple[str, ...]) -> list[str]:
    """Return why their source failed, where it is not to be asked again so soon."""
    when, reasons = _failed.get(wanted, (0.0, []))
    return list(reasons) if _rarely.get() and time.monotonic() - when < _PAUSE else []


def _build(copy: Copy) -> tuple[tuple[Any, ...], Counts]:
    assert copy.build is not None
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    _sweep(cache)
    with tempfile.TemporaryDirectory(dir=cache, prefix=_FETCHING, ignore_cleanup_errors=True) as work:
        contents = copy.build(Path(work))
    facts = copy.count(*contents)
    wrong = disagreements(copy.published, facts)
    if wrong:
        raise ValueError(f"what came is not the published set and is not kept ({wrong[0]})")
    return contents, facts


def _sweep(cache: Path) -> None:
    """Remove what killed fetches left; one that is younger than a day may still be running."""
    for folder in cache.glob(f"{_FETCHING}*"):
        with suppress(OSError):  # another fetch may have swept it
            if time.time() - folder.stat().st_mtime > _DAY:
                shutil.rmtree(folder)


def _forget_missing(copies: Sequence[Copy]) -> None:
    """Remove the digests of files that are gone: what may be put there by hand has another."""
    for name in (name for copy in copies for name in copy.files):
        path = cache_folder() / name
        if not path.is_file():
            _sidecar(path).unlink(missing_ok=True)


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
                "Make room for it, then fetch again."
            ) from error
    return paths


def _sidecar(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, KeyError):  # its text is the bare key
        text = f"{text} is not known"
    return text if len(text) <= 200 else f"{text[:97]}...{text[-100:]}"  # the end may name a file
