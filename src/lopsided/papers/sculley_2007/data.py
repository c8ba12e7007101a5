"""Streams of the paper: mail, and the ten largest topics of Reuters-21578."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.datasets import (
    DataUnavailable,
    fetch_reuters21578,
    fetch_spamassassin,
    fetch_trec05p,
    fetch_trec06p,
    fetch_trec07p,
)
from lopsided.datasets._cache import find
from lopsided.datasets._cache import load as load_records
from lopsided.datasets._registry import get
from lopsided.datasets._reuters21578 import REUTERS
from lopsided.experiments import Published
from lopsided.text import ByteGramVectorizer, StemmedVectorizer

PUBLISHED_SIZES = Published.read(__package__, "streams")
TOPICS = ("earn", "acq", "money-fx", "grain", "crude", "trade", "interest", "wheat", "ship", "corn")
ORIGINALS = ("trec05p-1", "trec06p")
MAIL, TUNING = "trec07p", "spamassassin"


@dataclass(frozen=True, eq=False)
class Stream:
    """Items in the order of arrival; 1 is the class that is to be shown."""

    name: str
    X: Any
    y: NDArray[Any]
    partial: NDArray[Any] | None = None
    """1 where TREC's task "partial" gives feedback."""


@lru_cache(maxsize=2)  # a stream of mail has a gigabyte
def load(name: str, n_items: int | None = None) -> Stream:
    """Read a stream of ``STREAMS``, or its first items; units that follow each other share it."""
    if name not in STREAMS:
        raise ValueError(f"no stream {name!r} in this paper. Choose one of {', '.join(STREAMS)}.")
    return STREAMS[name](n_items)


def corpora() -> tuple[str, ...]:
    """Return the paper's own mail corpora that are at hand; else the one that stands for them."""
    try:
        own = tuple(name for name in ORIGINALS if find(get(name).copies) is not None)
    except DataUnavailable:  # nothing can be looked for: the units will say why
        own = ()
    return own or (MAIL,)


def _mail(name: str, fetch: Callable[[], Any], n_items: int | None) -> Stream:
    mail = fetch()
    feedback = mail.get("partial")
    X = ByteGramVectorizer(n_features=2**20).transform(mail.data[:n_items])
    return Stream(name, X, mail.target[:n_items], None if feedback is None else feedback[:n_items])


@cache
def _reuters_words() -> tuple[Any, Any, list[str]]:
    """Return vectors, topics and names of topics of the training documents with a word in their body."""
    stories = fetch_reuters21578(subset="train", categories="top10")
    bodies = {record["newid"]: record["body"] for record in load_records(REUTERS).contents[0]}
    kept = [i for i, id_ in enumerate(stories.ids) if any(map(str.isalpha, bodies[id_]))]
    words = StemmedVectorizer(weighting="binary")
    X = words.fit_transform([stories.data[i] for i in kept])
    return X, stories.target.tocsr()[kept].tocsc(), stories.target_names


def _reuters(topic: str, n_items: int | None) -> Stream:
    X, topics, names = _reuters_words()
    y = topics[:, [names.index(topic)]].toarray().ravel()
    order = positive_first(y)[:n_items]
    return Stream(topic, X[order], y[order])


def positive_first(y: NDArray[Any]) -> NDArray[np.intp]:
    """Return an order that begins with the first positive and leaves the others as they are."""
    first = int(np.argmax(y))
    return np.concatenate([[first], np.delete(np.arange(len(y)), first)])


STREAMS: dict[str, Callable[[int | None], Stream]] = {
    "trec05p-1": partial(_mail, "trec05p-1", fetch_trec05p),
    "trec06p": partial(_mail, "trec06p", fetch_trec06p),
    MAIL: partial(_mail, MAIL, fetch_trec07p),
    TUNING: partial(_mail, TUNING, fetch_spamassassin),
    **{topic: partial(_reuters, topic) for topic in TOPICS},
}
