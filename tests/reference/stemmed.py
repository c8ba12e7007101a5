"""Slow twin of StemmedVectorizer: one word at a time, plain dictionaries, a dense array."""

import math

import numpy as np
from snowballstemmer.porter_stemmer import PorterStemmer


def _stems_of(document, stop_words):
    stemmer = PorterStemmer()
    words, word = [], ""
    for character in document.lower() + " ":
        if character.isalnum() and not character.isdecimal():
            word += character
        else:
            words.append(word)
            word = ""
    return [stemmer.stemWord(word) for word in words if len(word) >= 2 and word not in stop_words]


def stemmed_vectors(fitted, documents, *, stop_words=(), min_df=1, weighting="tfidf", norm="l2"):
    """Names of the columns learned from `fitted` and the vectors of `documents`."""
    frequency = {}
    for document in fitted:
        for stem in set(_stems_of(document, stop_words)):
            frequency[stem] = frequency.get(stem, 0) + 1
    if isinstance(min_df, float):
        min_df = min_df * len(fitted)
    names = sorted(stem for stem, df in frequency.items() if df >= min_df)
    vectors = np.zeros((len(documents), len(names)))
    for i, document in enumerate(documents):
        stems = _stems_of(document, stop_words)
        for j, name in enumerate(names):
            tf = stems.count(name)
            if weighting == "binary":
                vectors[i, j] = 1.0 if tf else 0.0
            elif weighting == "counts":
                vectors[i, j] = tf
            else:
                vectors[i, j] = tf * math.log(len(fitted) / frequency[name])
        length = math.sqrt(sum(value * value for value in vectors[i]))
        if norm == "l2" and length > 0:
            vectors[i] /= length
    return names, vectors
