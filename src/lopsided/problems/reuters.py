"""Stories of Reuters-21578 in the ModApte split."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from lopsided.datasets import fetch_reuters21578
from lopsided.datasets._cache import load as load_records
from lopsided.datasets._reuters21578 import REUTERS
from lopsided.problems._records import Split, Texts, Topics
from lopsided.text import StemmedVectorizer


class TopicSplit(NamedTuple):
    """Stories to train on and stories to test on, by their words."""

    train: Topics
    test: Topics
    words: list[str]
    """The word of each column."""

    def one_topic(self, topic: str) -> Split:
        """Return the same rows with the label 1 for one topic and 0 for all others."""
        train, test = self.train, self.test
        return Split(train.documents, train.labels(topic), test.documents, test.labels(topic))


def read_stories() -> Topics:
    """Return the texts of all stories with all topics."""
    return _topics(fetch_reuters21578())


def read_single_topic_stories() -> Texts:
    """Return the texts of the stories that have exactly one topic."""
    stories = fetch_reuters21578()
    one = np.flatnonzero(np.diff(stories.target.indptr) == 1)
    target = stories.target.indices[stories.target.indptr[one]]
    return Texts([stories.data[i] for i in one], target, stories.target_names)


def read_stories_with_a_body() -> Topics:
    """Return the texts of the training stories with a word in their body, with the ten largest topics."""
    stories = fetch_reuters21578(subset="train", categories="top10")
    bodies = {record["newid"]: record["body"] for record in load_records(REUTERS).contents[0]}
    kept = [i for i, id_ in enumerate(stories.ids) if any(map(str.isalpha, bodies[id_]))]
    texts = [stories.data[i] for i in kept]
    return Topics(texts, stories.target.tocsr()[kept].tocsc(), stories.target_names)


@cache
def read_tfidf(dtype: type[np.floating[Any]] = np.float64) -> TopicSplit:
    """Return the stories of the 90-topic subset in rows of tf-idf of unit length."""
    train, test = (fetch_reuters21578(subset=side, categories="90") for side in ("train", "test"))
    # Words of five documents or more are 8,387, the nearest a plain cut comes to the 8,315 of Ertekin et al.
    return _vectorize(TfidfVectorizer(min_df=5, dtype=dtype), train, test)


@cache
def read_stems(weighting: str, norm: str | None, min_df: int = 4) -> TopicSplit:
    """Return all stories by their stems, with the sixteen topics of the paper on uneven boosting."""
    train, test = (fetch_reuters21578(subset=side, categories="boosting16") for side in ("train", "test"))
    return _vectorize(StemmedVectorizer(min_df=min_df, weighting=weighting, norm=norm), train, test)


def _vectorize(vectorizer: Any, train: Any, test: Any) -> TopicSplit:
    sides = _topics(train), _topics(test)
    rows = vectorizer.fit_transform(train.data), vectorizer.transform(test.data)
    known, new = (side._replace(documents=X) for side, X in zip(sides, rows, strict=True))
    return TopicSplit(known, new, vectorizer.get_feature_names_out().tolist())


def _topics(stories: Any) -> Topics:
    return Topics(stories.data, stories.target.tocsc(), stories.target_names)
