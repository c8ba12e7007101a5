"""The data sets of the panel: which there are, and how each is read."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided import datasets
from lopsided.boosting._cells import sort_columns
from lopsided.boosting._columns import standardize
from lopsided.compare._data import ComparedRows, weigh_words
from lopsided.problems.mail import read_mail
from lopsided.problems.newsgroups import read_messages
from lopsided.problems.reuters import read_single_topic_stories, read_stories
from lopsided.problems.webkb import read_bodies

HALVES = ("tune", "test")
MOST_ROWS = 6000
_COLLECTIONS = {
    "mail": "mail: {}",
    "screening": "review of {}",
    "reuters": "Reuters: {}",
    "newsgroups": "newsgroups: {}",
    "webkb": "WebKB: {}",
}
_LEAST_WANTED = 150  # rows that the wanted class keeps where a set is cut, if it has so many


class WantedClassData(NamedTuple):
    """A data set in which one class is wanted."""

    rows: ComparedRows
    """Its labels are "wanted" and "other"."""
    columns: Mapping[str, Sequence[Any]] | None
    """The cells of a table as they are; None where there are texts."""

    @property
    def is_wanted(self) -> NDArray[np.bool_]:
        """Whether each row is of the wanted class."""
        return self.rows.labels == "wanted"


class Classes(NamedTuple):
    """A data set with known classes, and one or more that are hidden."""

    rows: ComparedRows
    hidden: Sequence[str]


@cache
def read_split() -> dict[str, dict[str, list[str]]]:
    """Return the names of the data sets: regime -> half -> names."""
    return {regime: {half: list(halves[half]) for half in HALVES} for regime, halves in _declared().items()}


def call_set(name: str) -> str:
    """Return what readers call a data set.

    Examples
    --------
    >>> call_set("uci/satimage:4"), call_set("newsgroups/sci.space@2")
    ('satimage: 4', 'newsgroups: sci.space, 2 % wanted')
    """
    source, _, share = name.partition("@")
    table, colon, wanted = source.partition(":")
    collection, slash, rest = source.partition("/")
    if colon:
        called = f"{table.rpartition('/')[2].replace('_', ' ')}: {wanted}"
    else:
        called = _COLLECTIONS[collection].format(rest) if slash else source
    return f"{called}, {share} % wanted" if share else called


@cache
def read_wanted(name: str) -> WantedClassData:
    """Return a data set of which one class is wanted, cut to 6,000 rows.

    The wanted class keeps its share, but 150 rows at least where it has so many.
    """
    source, _, share = name.partition("@")
    read = _read_table if ":" in source else _read_texts
    labels, values = read(source)
    kept = _thin(labels, float(share) / 100) if share else _cut(labels)
    names = np.where(labels[kept], "wanted", "other")
    if isinstance(values, Mapping):
        cells = {column: [cells[i] for i in kept] for column, cells in values.items()}
        return WantedClassData(
            ComparedRows(standardize(sort_columns(cells).usable), names, is_text=False), cells
        )
    return WantedClassData(_rows_of_texts([values[i] for i in kept], names), None)


@cache
def read_mail_as_bytes(name: str) -> tuple[list[bytes], NDArray[np.bool_]]:
    """Return messages in the order of arrival, as far as the mail filter reads them, and which are ham."""
    mail = read_mail(name.removeprefix("mail/"))
    return mail.heads, mail.y == 1


@cache
def read_classes(name: str) -> Classes:
    """Return a data set of several classes, those to hide among them, cut to 6,000 rows."""
    declared = {**_declared()["unexpected"]["tune"], **_declared()["unexpected"]["test"]}[name]
    source, hidden = declared["source"], declared["hidden"]
    if source == "screening":
        labels, values = _read_reviews([*declared["known"], *hidden])
    else:
        labels, values = _read_all_classes(source)
    among = np.flatnonzero(np.isin(labels, [*declared["known"], *hidden]))
    kept = np.sort(np.random.default_rng(0).permutation(among)[:MOST_ROWS])
    if isinstance(values, Mapping):
        cells = {column: [cells[i] for i in kept] for column, cells in values.items()}
        return Classes(
            ComparedRows(standardize(sort_columns(cells).usable), labels[kept], is_text=False), hidden
        )
    return Classes(_rows_of_texts([values[i] for i in kept], labels[kept]), hidden)


@cache
def _declared() -> dict[str, Any]:
    return tomllib.loads(files("lopsided.bench.panel").joinpath("sets.toml").read_text(encoding="utf-8"))


def _rows_of_texts(texts: list[Any], labels: NDArray[Any]) -> ComparedRows:
    return ComparedRows(weigh_words(texts), labels, is_text=True, texts=texts)


def _read_texts(source: str) -> tuple[NDArray[np.bool_], Sequence[Any]]:
    """Return whether each text is wanted, and the texts."""
    collection, _, name = source.partition("/")
    if collection == "reuters":
        stories = read_stories()
        return stories.labels(name) == 1, stories.documents
    if collection == "screening":
        review = datasets.fetch_screening(name)
        return review.target == 1, review.data
    labels, texts = _read_all_classes(collection)
    return labels == name, texts


def _read_table(source: str) -> tuple[NDArray[np.bool_], Mapping[str, Sequence[Any]]]:
    """Return whether each row of a table is wanted, and its columns."""
    table, _, name = source.partition(":")
    labels, columns = _read_all_classes(table)
    return labels == name, columns


def _read_all_classes(source: str) -> tuple[NDArray[np.str_], Any]:
    """Return the class of each row, and texts or columns."""
    if source == "newsgroups":
        messages = read_messages()
        return messages.groups, messages.texts
    if source == "reuters":
        stories = read_single_topic_stories()
        return stories.classes, stories.texts
    if source == "webkb":
        pages = read_bodies()
        return pages.classes, pages.texts
    collection, _, name = source.partition("/")
    fetch: dict[str, Callable[[], Any]] = {
        "uci": lambda: datasets.fetch_uci(name),
        "tables": lambda: datasets.fetch_table(name),
        "covtype": datasets.fetch_covtype,
        "kdd99": lambda: datasets.fetch_kdd99(subset="train"),
        "usps": datasets.fetch_usps,
    }
    return _as_columns(fetch[collection]())


def _read_reviews(names: Sequence[str]) -> tuple[NDArray[np.str_], list[str]]:
    """Return the name of the review of each text, and the texts."""
    reviews = [datasets.fetch_screening(name).data for name in names]
    return np.repeat(names, [len(review) for review in reviews]), [
        text for found in reviews for text in found
    ]


def _as_columns(table: Any) -> tuple[NDArray[np.str_], dict[str, Any]]:
    names = table.get("feature_names") or [f"pixel {k}" for k in range(table.data.shape[1])]
    columns: dict[str, Any] = {}
    for name, values in zip(names, np.asarray(table.data).T, strict=True):
        words = table.get("categories", {}).get(name)
        columns[name] = values if words is None else [None if v != v else words[int(v)] for v in values]
    if len(table.target_names) > 1:
        return np.array(table.target_names).astype(str)[table.target], columns
    return table.target.astype(str), columns  # a number, such as the rings of an abalone


def _cut(wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return 6,000 rows at most, drawn once for all."""
    if len(wanted) <= MOST_ROWS:
        return np.arange(len(wanted))
    rng = np.random.default_rng(0)
    n = min(int(wanted.sum()), max(round(wanted.mean() * MOST_ROWS), _LEAST_WANTED))
    yes, no = (rng.permutation(np.flatnonzero(side)) for side in (wanted, ~wanted))
    return np.sort(np.concatenate([yes[:n], no[: MOST_ROWS - n]]))


def _thin(wanted: NDArray[np.bool_], share: float) -> NDArray[np.intp]:
    """Return at most 6,000 rows of which this share is wanted."""
    yes, no = np.flatnonzero(wanted), np.flatnonzero(~wanted)
    n = int(min(MOST_ROWS, len(yes) / share, len(no) / (1 - share)))
    rng = np.random.default_rng(0)
    n_wanted = round(share * n)
    return np.sort(np.concatenate([rng.permutation(yes)[:n_wanted], rng.permutation(no)[: n - n_wanted]]))
