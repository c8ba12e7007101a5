"""The text of the tour: 20 Newsgroups, or made-up topics where it cannot be had."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from lopsided.datasets import DataUnavailable, make_topics
from lopsided.problems.newsgroups import read_messages
from lopsided.text import StemmedVectorizer


@dataclass(frozen=True)
class Corpus:
    """Documents as tf-idf rows of length 1, their group, and the older part to learn from."""

    name: str
    notice: str  # where the text is from, and what the reader of the table must know about it
    X: csr_matrix
    words: np.ndarray  # the stem of each column
    group: np.ndarray  # name of each document's group
    is_train: np.ndarray


def load_corpus() -> Corpus:
    """Return 20 Newsgroups where it can be had; otherwise `make_topics`, and the notice says so."""
    try:
        messages = read_messages()
    except DataUnavailable as error:
        texts, topic = make_topics(n_samples=6_000, n_topics=20, random_state=0)
        name, notice = (
            "MADE-UP TEXT",
            f"NOTICE: 20 Newsgroups could not be had, so this text is made up. {error}",
        )
        group = np.array([f"topic {t:02d}" for t in topic])
        is_train = np.arange(len(texts)) < 3_600
    else:
        texts, name, notice = messages.texts, "20 Newsgroups", messages.origin
        group, is_train = messages.groups, messages.is_train
    vectorizer = StemmedVectorizer(min_df=3).fit(
        [text for text, old in zip(texts, is_train, strict=True) if old]
    )
    return Corpus(
        name, notice, vectorizer.transform(texts), vectorizer.get_feature_names_out(), group, is_train
    )
