"""Archives of documents that are read a part at a time: files, or the partitions of a Dask bag."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from lopsided._blocks import in_one_line
from lopsided.text._bags import ArchivePart, iter_part
from lopsided.text._dask import partitions
from lopsided.text._decode import clean_text, decode_bytes
from lopsided.text._documents import Document, Problem

T = TypeVar("T")
Tell = Callable[[int, int], None]  # parts that are done, and all of them

_BATCH = 4096  # documents in memory at a time
_CHARACTERS = 2**23  # and so many characters of them, or one document


class Archive(ABC):
    """Documents that are not kept in memory: each pass reads them again, part by part.

    `count` must have been called before documents are asked for by their numbers.
    """

    def __init__(self) -> None:
        self.edges: NDArray[np.intp] = np.zeros(1, dtype=np.intp)  # documents up to the end of each part
        self.problems: tuple[Problem, ...] = ()  # what is skipped is not listed

    def __len__(self) -> int:
        return int(self.edges[-1])

    def summary(self) -> str:
        """Return how many documents there are."""
        return f"{len(self):,} documents"

    @abstractmethod
    def count(self, count: Callable[[list[Document]], T], tell: Tell) -> Iterator[T]:
        """Yield what ``count`` makes of each batch of documents, in their order."""

    def fetch(self, rows: Iterable[int]) -> dict[int, Document]:
        """Return the documents of these numbers; each part that holds one is read once."""
        wanted = np.unique(np.fromiter(rows, dtype=np.intp))
        ends = np.searchsorted(wanted, self.edges)
        found: dict[int, Document] = {}
        for part, first in enumerate(self.edges[:-1]):
            mine = wanted[ends[part] : ends[part + 1]]
            if len(mine):
                documents = self._pick(part, (mine - first).tolist())
                if len(documents) < len(mine):
                    raise OSError("the archive has changed since it was read. Search it again.")
                found |= zip(mine.tolist(), documents, strict=True)
        return found

    @abstractmethod
    def _pick(self, part: int, places: list[int]) -> list[Document]:
        """Return the documents at these places of a part."""


class FileArchive(Archive):
    """The documents of files, read by this process."""

    def __init__(self, parts: Sequence[ArchivePart], asked: dict[str, Any]) -> None:
        super().__init__()
        self._parts, self._asked = parts, asked

    def count(self, count: Callable[[list[Document]], T], tell: Tell) -> Iterator[T]:
        """Yield what ``count`` makes of each batch."""
        ends = [0]
        for done, part in enumerate(self._parts):
            tell(done, len(self._parts))
            ends.append(ends[-1])
            for batch in _batches(iter_part(part, self._asked)):
                ends[-1] += len(batch)
                yield count(batch)
        tell(len(self._parts), len(self._parts))
        self.edges = np.array(ends, dtype=np.intp)

    def _pick(self, part: int, places: list[int]) -> list[Document]:
        return _at_places(iter_part(self._parts[part], self._asked), places)


class BagArchive(Archive):
    """The documents of a Dask bag, read by its workers; documents may be texts without names."""

    def __init__(self, bag: Any) -> None:
        super().__init__()
        self._parts = partitions(bag)

    def count(self, count: Callable[[list[Document]], T], tell: Tell) -> Iterator[T]:
        """Yield what ``count`` makes of each partition; some partitions more than there are workers at once.

        A worker that is lost costs its partitions another try.
        """
        dask: Any = import_module("dask")
        work = dask.delayed(partial(_count_partition, count), pure=False, traverse=False)
        ends, n_parts = [0], len(self._parts)
        n_at_once = 4 * _n_workers()
        for first in range(0, n_parts, n_at_once):
            tell(first, n_parts)
            for n, found in _compute(work(part) for part in self._parts[first : first + n_at_once]):
                ends.append(ends[-1] + n)
                yield found
        tell(n_parts, n_parts)
        self.edges = np.array(ends, dtype=np.intp)

    def _pick(self, part: int, places: list[int]) -> list[Document]:
        dask: Any = import_module("dask")
        pick = dask.delayed(partial(_pick_from_partition, places), pure=False, traverse=False)
        documents: list[Document] = _compute([pick(self._parts[part])])[0]
        first = int(self.edges[part])
        return [
            document._replace(id=str(first + place + 1)) if document.id == "" else document
            for document, place in zip(documents, places, strict=False)  # `fetch` looks whether all are there
        ]


class Fetched:
    """Documents of an archive by their numbers; those that were fetched last are at hand."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._documents: dict[int, Document] = {}

    def fetch(self, rows: Iterable[int]) -> None:
        """Bring these documents into memory, in place of those that were."""
        self._documents = self.archive.fetch(rows)

    def __getitem__(self, row: int) -> Document:
        return self._documents.get(row) or self.archive.fetch([row])[row]


class FetchedColumn(Sequence[str]):
    """The texts or the ids of fetched documents."""

    def __init__(self, fetched: Fetched, name: Literal["text", "id"]) -> None:
        self._fetched, self._name = fetched, name

    def __len__(self) -> int:
        return len(self._fetched.archive)

    def __getitem__(self, row: Any) -> Any:
        document = self._fetched[row]
        return text_of(document) if self._name == "text" else clean_text(document.id)[0]


def text_of(document: Document) -> str:
    """Return the text of a document as str that can be encoded."""
    text = document.text
    if isinstance(text, bytes | bytearray):
        text = decode_bytes(bytes(text))[0]
    return clean_text(text)[0]


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.text)
        if len(batch) == _BATCH or size >= _CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _at_places(documents: Iterable[Document], places: list[int]) -> list[Document]:
    wanted, found = set(places), []
    for place, document in enumerate(documents):
        if place in wanted:
            found.append(document)
            if len(found) == len(wanted):
                break
    return found


def _as_document(item: Any, place: int) -> Document:
    if isinstance(item, Document):
        return item
    if isinstance(item, str | bytes | bytearray):
        return Document("", bytes(item) if isinstance(item, bytearray) else item)
    raise TypeError(
        f"unlabeled holds a {type(item).__name__} at place {place} of a partition; expected str or bytes. "
        "Drop missing values."
    )


def _count_partition(count: Callable[[list[Document]], T], items: Any) -> tuple[int, T]:
    """Run on a worker."""
    documents = [_as_document(item, place) for place, item in enumerate(items)]
    return len(documents), count(documents)


def _pick_from_partition(places: list[int], items: Any) -> list[Document]:
    return _at_places((_as_document(item, place) for place, item in enumerate(items)), places)


def _compute(tasks: Iterable[Any]) -> list[Any]:
    dask: Any = import_module("dask")
    try:
        return list(dask.compute(*tasks))
    except Exception as error:
        known = in_one_line(error)
        if known is None:
            raise
        raise known from error


def _n_workers() -> int:
    """Return the number of workers of the Dask cluster that is connected, or of processors."""
    try:
        distributed: Any = import_module("distributed")
        return max(1, len(distributed.get_client().scheduler_info(n_workers=-1)["workers"]))
    except (ImportError, ValueError):  # no cluster
        return int(import_module("joblib").cpu_count())
