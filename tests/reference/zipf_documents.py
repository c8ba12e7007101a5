"""Random documents whose words follow Zipf's law, some words five times as likely in one class."""

import numpy as np
from scipy import sparse

N_WORDS, N_COMMON, N_DRAWS, FACTOR = 3000, 20, 60, 5.0


def make_stream(n=6000, prevalence=0.45, noise=0.0, seed=0, first=1):
    """Sparse rows of Euclidean norm 1 and labels +1, -1; a share ``noise`` of the labels is flipped.

    The first example with the label ``first`` is moved to the front.
    """
    rng = np.random.default_rng(seed)
    base = 1 / np.arange(1, N_WORDS + 1)
    half = rng.permutation(np.arange(N_WORDS - N_COMMON) % 2 == 0)  # words from rank 20 on, in two halves
    y = np.where(rng.random(n) < prevalence, 1, -1)
    words = np.empty((n, N_DRAWS), dtype=int)
    for label, favoured in ((1, half), (-1, ~half)):
        p = base.copy()
        p[N_COMMON:][favoured] *= FACTOR
        rows = y == label
        words[rows] = rng.choice(N_WORDS, size=(rows.sum(), N_DRAWS), p=p / p.sum())
    rows = np.repeat(np.arange(n), N_DRAWS)
    X = sparse.csr_array(
        (np.ones(n * N_DRAWS), (rows, words.ravel())), shape=(n, N_WORDS)
    )  # sums repetitions
    X.data = 1 / np.sqrt(np.repeat(np.diff(X.indptr), np.diff(X.indptr)))
    y = np.where(rng.random(n) < noise, -y, y)
    front = int(np.argmax(y == first))
    order = np.r_[front, np.delete(np.arange(n), front)]
    return X[order], y[order]
