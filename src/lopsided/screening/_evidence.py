"""The words that speak for and against a record."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


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


def evidence_of(vector: Any, weights: NDArray[Any], names: NDArray[np.object_], n: int) -> RecordEvidence:
    """Return the words of one record, a CSR row, by what each adds to the score in all parts together."""
    stems, which = np.unique(vector.indices % max(len(names), 1), return_inverse=True)
    added = np.bincount(which, vector.data * weights[vector.indices], minlength=len(stems))
    order = np.argsort(-added, kind="stable")
    terms = [Term(str(names[stems[i]]), float(added[i])) for i in order]
    return RecordEvidence(
        wanted=tuple(term for term in terms if term.weight > 0)[:n],
        unwanted=tuple(term for term in reversed(terms) if term.weight < 0)[:n],
    )


def strongest_terms(weights: NDArray[Any], names: NDArray[np.object_], n: int) -> tuple[Term, ...]:
    """Return the words with the largest weights above 0, summed over the parts of a record."""
    sums = weights.reshape(-1, len(names)).sum(axis=0)
    order = np.argsort(-sums, kind="stable")[:n]
    return tuple(Term(str(names[j]), float(sums[j])) for j in order if sums[j] > 0)
