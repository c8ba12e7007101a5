"""Made-up texts of some topics, where a topic has words of its own that no other uses."""

import numpy as np

_SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
N_COMMON, N_OWN, LENGTH = 400, 300, 60


def word(i):
    """The i-th of 343,000 words that no language has."""
    parts = []
    for _ in range(3):
        i, k = divmod(i, len(_SYLLABLES))
        parts.append(_SYLLABLES[k])
    return "".join(parts)


def make_texts(topic, n, rng):
    """N texts of about 60 words, half of them of the topic, frequent ones and rare ones."""
    texts = []
    for _ in range(n):
        length = rng.poisson(LENGTH) + 10
        own = rng.random(length) < 0.5
        place = np.where(own, N_OWN, N_COMMON) * rng.random(length) ** 3
        number = place.astype(int) + np.where(own, N_COMMON + N_OWN * topic, 0)
        texts.append(" ".join(word(17 * i + 5) for i in number))
    return texts
