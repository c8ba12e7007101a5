"""Whether two records are the same one, by their common words and by what they say of themselves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# What is kept of each record for comparison: words as numbers of `_shingles`, 0 for what is not there.
FACTS = np.dtype(
    [
        ("row", np.int32),
        ("offset", np.int64),  # of its word triples in the temporary file
        ("size", np.int32),  # number of different word triples
        ("digest", np.uint64),  # of all words
        ("title", np.uint64),  # digest of the title
        ("n_title", np.int32),  # words
        ("n_text", np.int32),
        ("numbers", np.uint64),  # sum over the words with a digit
        ("year", np.int16),
        ("authors", np.uint64),  # a bit for each name, of 64
        ("doi", np.uint64),
    ]
)
_SHORTEST_TITLE = 5  # words of a title that says which paper it is; "Letter to the editor" does not
_SHORTEST_CUT = 10  # word triples of a cut abstract
_CONTAINED = 0.9  # share of the shorter abstract that the longer one has to hold


def are_alike(
    left: NDArray[Any], right: NDArray[Any], n_common: NDArray[np.intp], threshold: float
) -> NDArray[np.float64]:
    """Return the similarity of each pair of records that are the same one, and 0 for the others."""
    similarity = n_common / np.maximum(left["size"] + right["size"] - n_common, 1)
    contradict = _contradict(left, right)
    both_have_text = (left["n_text"] > 0) & (right["n_text"] > 0)
    same_title = (left["title"] == right["title"]) & (left["n_title"] >= _SHORTEST_TITLE)
    exact = (left["digest"] == right["digest"]) & (left["digest"] != 0) & (both_have_text | ~contradict)
    edited = both_have_text & (similarity >= threshold) & (left["numbers"] == right["numbers"])
    shorter = np.minimum(left["size"], right["size"]) - left["n_title"]
    in_common = n_common - left["n_title"]
    cut = both_have_text & same_title & (shorter >= _SHORTEST_CUT) & (in_common >= _CONTAINED * shorter)
    bare = same_title & ~both_have_text
    alike = exact | edited | ((cut | bare) & ~contradict)
    return np.where(alike, np.maximum(similarity, 1e-9), 0.0)


def _contradict(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether what two records say of themselves cannot be said of one; what is missing says nothing.

    Years may differ by one: online first, then in print.
    """
    years = (left["year"] > 0) & (right["year"] > 0) & (np.abs(left["year"] - right["year"]) > 1)
    authors = (left["authors"] > 0) & (right["authors"] > 0) & (left["authors"] & right["authors"] == 0)
    dois = (left["doi"] > 0) & (right["doi"] > 0) & (left["doi"] != right["doi"])
    return years | authors | dois
