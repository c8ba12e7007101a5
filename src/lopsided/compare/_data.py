"""The user's rows in the forms that methods take."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

from lopsided._wording import pluralize
from lopsided.boosting._cells import Sorted, sort_columns
from lopsided.boosting._columns import standardize
from lopsided.boosting._wanted import Wanted, is_missing, read_wanted, spell
from lopsided.text import StemmedVectorizer, read_documents
from lopsided.text._readers import format_of_name
from lopsided.text._whole import TABLES, read_table

FEWEST = 4  # rows of the class that is looked for: one judges, the others are learned from
_N_DIRECTIONS = 50  # for methods that take only dense rows


class DataSource(NamedTuple):
    """The place of the rows; a unit of work is called with it."""

    path: str
    label: str
    text: str | None
    """The column whose words are learned from; None: all columns of a table."""
    format: str | None
    stamp: str
    """A digest of the content, so that results of other content are not mistaken for its own."""

    @property
    def is_folder(self) -> bool:
        """Whether the rows are files, which have no order."""
        return Path(self.path).is_dir()


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """Rows and labels, in the order of the source."""

    X: Any
    """tf-idf rows of unit length, or numbers of mean 0 and deviation 1."""
    labels: NDArray[np.str_]
    is_text: bool
    texts: Sequence[str] = ()
    notes: Sequence[str] = ()
    """Sentences that say which parts of the source are not used."""

    @cached_property
    def presence(self) -> csr_matrix:
        """Rows with 1 where a stem occurs."""
        return weigh_words(self.texts, weighting="binary", norm=None)

    @cached_property
    def counts(self) -> csr_matrix:
        """Rows with the number of times that each stem occurs."""
        return weigh_words(self.texts, weighting="counts", norm=None)

    @cached_property
    def dense(self) -> NDArray[np.float64]:
        """Dense rows: numbers as they are; for words their main directions, of unit length."""
        if not issparse(self.X):
            return np.asarray(self.X)
        n = min(_N_DIRECTIONS, min(self.X.shape) - 1)
        return np.asarray(normalize(TruncatedSVD(n, random_state=0).fit_transform(self.X)))


def find_source(
    path: str | os.PathLike[str], *, label: str | None, text: str | None = None, format: str | None = None
) -> DataSource:
    """Check what can be checked without reading all rows."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no file or folder '{path}'. Check the path.")
    if path.is_dir():
        if label is not None:
            raise ValueError(
                f"label names a column, and '{path}' is a folder: its sub-folders are the classes."
            )
        label = "folder"
    elif label is None:
        raise ValueError("which column holds the classes? Name it with label= (in the shell: --label).")
    return DataSource(str(path.resolve()), label, text, format, _stamp(path))


@cache
def load(source: DataSource) -> ComparedRows:
    """Return the rows that have a label; a process reads them once."""
    path = Path(source.path)
    known: Any = source.format or (None if path.is_dir() else format_of_name(path))
    if source.text is None and known in TABLES:
        return _load_table(path, source.label, known)
    documents = read_documents(path, text=source.text, label=source.label, format=known, mail="text")
    labels = documents.labels or []
    kept = _labelled(labels)
    texts = [str(documents[i]) for i in kept]
    notes = _say_unlabeled(len(labels) - len(kept))
    return ComparedRows(weigh_words(texts), _spelled(labels, kept), is_text=True, texts=texts, notes=notes)


def _load_table(path: Path, label: str, format: Any) -> ComparedRows:
    """Return numbers, dates and categories, or the words of a table that has none of these."""
    table = read_table(path, label=label, format=format)
    labels = table.columns[label]
    kept = _labelled(labels)
    columns = {name: cells for name, cells in table.columns.items() if name != label}
    found = sort_columns(columns, kept) if kept else Sorted([], [], {})
    notes = _say_unlabeled(len(labels) - len(kept))
    reasons = {**found.left_out, **{name: f"words, for --text {name}" for name in found.texts}}
    if not found.usable and not found.texts:
        raise ValueError(f"'{path}' has no column to learn from but '{label}'. Name another table.")
    texts: list[str] = []
    if not found.usable:
        cells = columns[found.texts[0]]
        texts = ["" if cells[i] is None else str(cells[i]) for i in kept]
        del reasons[found.texts[0]]
        notes += [f"The words are those of {found.texts[0]}."]
    if reasons:
        notes += [f"Not looked at: {'; '.join(f'{name} ({why})' for name, why in reasons.items())}."]
    X = weigh_words(texts) if texts else standardize(found.usable)
    return ComparedRows(X, _spelled(labels, kept), is_text=bool(texts), texts=texts, notes=notes)


def find_wanted(labels: NDArray[np.str_], positive: str | None) -> Wanted:
    """Return the class that is looked for, the one named or the rarest, and which rows have it.

    Labels such as ``cpi;gnp`` are lists where their parts are labels of other rows.

    Examples
    --------
    >>> find_wanted(np.array(["ham", "spam", "ham"]), None).name
    'spam'
    >>> find_wanted(np.array(["cpi", "cpi;gnp", "gnp"]), "cpi").positive.tolist()
    [True, True, False]
    """
    return read_wanted(labels.tolist(), positive)


def check_size(wanted: Wanted) -> None:
    """Refuse a class of too few rows."""
    n = int(wanted.positive.sum())
    if n < FEWEST:
        raise ValueError(
            f"{wanted.name!r} has {pluralize(n, 'row')}; at least {FEWEST} are needed to compare. Name "
            "another class with positive= (in the shell: --positive)."
        )


def weigh_words(texts: Sequence[str], **settings: Any) -> csr_matrix:
    """Return texts as rows of weighted stems that two texts share at least."""
    return StemmedVectorizer(min_df=2, **settings).fit_transform(texts)


def _say_unlabeled(n: int) -> list[str]:
    return [f"Left out: {pluralize(n, 'row')} without a label."] if n else []


def _labelled(labels: Sequence[Any]) -> list[int]:
    return [i for i, label in enumerate(labels) if not is_missing(label)]


def _spelled(labels: Sequence[Any], kept: Sequence[int]) -> NDArray[np.str_]:
    return np.array([spell(labels[i]) for i in kept])


def _stamp(path: Path) -> str:
    """Return a digest of a file's content, or of the names and contents of all files in a folder."""
    digest = hashlib.blake2b(digest_size=12)
    files = sorted(inner for inner in path.rglob("*") if inner.is_file()) if path.is_dir() else [path]
    for inner in files:
        if inner != path:
            digest.update(f"{inner.relative_to(path)} {inner.stat().st_size}\n".encode())
        with inner.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    return digest.hexdigest()
