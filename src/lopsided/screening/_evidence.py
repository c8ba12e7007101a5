"""The words that speak for and against a record."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.screening._features import Vectors


class Term(NamedTuple):
    """A word and how much it speaks for relevant; below 0 it speaks against."""

    word: str
    weight: float


class RecordEvidence(NamedTuple):
    """The words of a record that move its score most.

    Examples
    --------
    >>> RecordEvidence(wanted=(Term("ship", 0.8),), unwanted=()).wanted[0].word
    'ship'
    """

    wanted: tuple[Term, ...]
    """Words that speak for it, strongest first."""
    unwanted: tuple[Term, ...]
    """Words that speak against it, strongest first."""


def evidence_of(
    vectors: Vectors, row: int, weights: NDArray[Any], names: NDArray[np.object_], n: int
) -> RecordEvidence:
    """Return the words of one record by what each adds to its score in all parts together."""
    vector = vectors.rows([row])
    added = np.zeros(vectors.n_columns)
    added[vector.indices] = vector.data * weights[vector.indices]
    sums = vectors.by_stem(added)
    stems = np.flatnonzero(sums)
    order = stems[np.argsort(-sums[stems], kind="stable")]
    terms = [Term(str(names[j]), float(sums[j])) for j in order]
    return RecordEvidence(
        wanted=tuple(term for term in terms if term.weight > 0)[:n],
        unwanted=tuple(term for term in reversed(terms) if term.weight < 0)[:n],
    )


def strongest_terms(
    vectors: Vectors, weights: NDArray[Any], names: NDArray[np.object_], n: int
) -> tuple[Term, ...]:
    """Return the words with the largest weights above 0, summed over the parts of a record."""
    sums = vectors.by_stem(weights)
    order = np.argsort(-sums, kind="stable")[:n]
    return tuple(Term(str(names[j]), float(sums[j])) for j in order if sums[j] > 0)
