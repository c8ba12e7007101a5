"""Byte n-grams the slow way: one set a message."""

import numpy as np

GOLDEN = 0x9E3779B97F4A7C15


def grams(message, n, max_bytes):
    message = message[:max_bytes]
    return {message[i : i + n] for i in range(len(message) - n + 1)}


def hashed_column(gram, n_features):
    """Upper half of a 64-bit product, scaled to 0 .. n_features - 1."""
    product = (int.from_bytes(gram, "little") * (GOLDEN << (64 - 8 * len(gram)))) % 2**64
    return ((product >> 32) * n_features) >> 32


def hashed_matrix(messages, n, max_bytes, n_features):
    X = np.zeros((len(messages), n_features))
    for i, message in enumerate(messages):
        columns = sorted({hashed_column(gram, n_features) for gram in grams(message, n, max_bytes)})
        if columns:
            X[i, columns] = 1 / np.sqrt(len(columns))
    return X


def exact_matrix(messages, n, max_bytes, vocabulary):
    """Columns in the order in which the grams of ``vocabulary`` (a list of bytes) stand."""
    X = np.zeros((len(messages), len(vocabulary)))
    place = {gram: j for j, gram in enumerate(vocabulary)}
    for i, message in enumerate(messages):
        known = [place[gram] for gram in grams(message, n, max_bytes) if gram in place]
        if known:
            X[i, known] = 1 / np.sqrt(len(known))
    return X


def first_seen(messages, n, max_bytes):
    """The distinct grams in the order in which a reader meets them."""
    seen = {}
    for message in messages:
        cut = message[:max_bytes]
        for i in range(len(cut) - n + 1):
            seen.setdefault(cut[i : i + n])
    return list(seen)
