"""Streams of the paper: mail, and the ten largest topics of Reuters-21578."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.datasets import DataUnavailable
from lopsided.datasets._cache import find
from lopsided.datasets._registry import get
from lopsided.experiments import Published, check_name
from lopsided.problems import Topics
from lopsided.problems.mail import read_mail
from lopsided.problems.reuters import read_stories_with_a_body
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
    check_name("stream", name, STREAMS)
    return STREAMS[name](n_items)


def corpora() -> tuple[str, ...]:
    """Return the paper's own mail corpora that are at hand; else the one that stands for them."""
    try:
        own = tuple(name for name in ORIGINALS if find(get(name).copies) is not None)
    except DataUnavailable:  # nothing can be looked for: the units will say why
        own = ()
    return own or (MAIL,)


def _mail(name: str, n_items: int | None) -> Stream:
    mail = read_mail(name)
    X = ByteGramVectorizer(n_features=2**20).transform(mail.messages[:n_items])
    return Stream(name, X, mail.y[:n_items], None if mail.partial is None else mail.partial[:n_items])


@cache
def _reuters_words() -> Topics:
    stories = read_stories_with_a_body()
    X = StemmedVectorizer(weighting="binary").fit_transform(stories.documents)
    return stories._replace(documents=X)


def _reuters(topic: str, n_items: int | None) -> Stream:
    stories = _reuters_words()
    y = stories.labels(topic)
    order = positive_first(y)[:n_items]
    return Stream(topic, stories.documents[order], y[order])


def positive_first(y: NDArray[Any]) -> NDArray[np.intp]:
    """Return an order that begins with the first positive and leaves the others as they are."""
    first = int(np.argmax(y))
    return np.concatenate([[first], np.delete(np.arange(len(y)), first)])


STREAMS: dict[str, Callable[[int | None], Stream]] = {
    **{corpus: partial(_mail, corpus) for corpus in (*ORIGINALS, MAIL, TUNING)},
    **{topic: partial(_reuters, topic) for topic in TOPICS},
}
