"""Whether two records are the same one, by their common words and by what they say of themselves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# What is kept of each record for comparison: words as numbers of `_shingles`, 0 for what is not there.
SHORTEST_TEXT = 20  # words of a text that says which record it is; "No abstract available" does not
FACTS = np.dtype(
    [
        ("row", np.int32),
        ("offset", np.int64),  # of its word triples in the temporary file
        ("size", np.int32),  # number of different word triples and numbers
        ("n_numbers", np.int32),
        ("digest", np.uint64),  # of all words
        ("title", np.uint64),  # digest of the title
        ("n_title", np.int32),  # words
        ("n_text", np.int32),
        ("text", np.uint64),  # digest of the text, where it is long enough to tell
        ("year", np.int16),
        ("authors", np.uint64),  # a bit for each name, of 64
        ("doi", np.uint64),
    ]
)
_SHORTEST_TITLE = 5  # words of a title that says which paper it is; "Letter to the editor" does not
_SHORTEST_CUT = 10  # word triples of a cut abstract
_CLOSE = 0.9
_CONTAINED = 0.9  # share of the shorter abstract that the longer one has to hold


def are_alike(
    left: NDArray[Any],
    right: NDArray[Any],
    n_common: NDArray[np.intp],
    n_common_numbers: NDArray[np.intp],
    threshold: float,
) -> NDArray[np.float64]:
    """Return the similarity of each pair of records that are the same one, and 0 for the others.

    Parameters
    ----------
    left, right : structured arrays of dtype FACTS
    n_common, n_common_numbers : int arrays
        Number of word triples, and of words with a digit, that both have.
    threshold : float
        Smallest Jaccard similarity of the word triples.
    """
    n_left, n_right = left["size"] - left["n_numbers"], right["size"] - right["n_numbers"]
    similarity = n_common / np.maximum(n_left + n_right - n_common, 1)
    contradict = _contradict(left, right)
    both_have_text = (left["n_text"] > 0) & (right["n_text"] > 0)
    same_title = (
        (left["title"] == right["title"]) & (left["title"] != 0) & (left["n_title"] >= _SHORTEST_TITLE)
    )
    exact = (left["digest"] == right["digest"]) & (left["digest"] != 0) & (both_have_text | ~contradict)
    # Reports by one template differ in their numbers alone, so numbers have to agree. Where little else
    # differs, one of two may have some more.
    fewer = np.minimum(left["n_numbers"], right["n_numbers"])
    more = np.maximum(left["n_numbers"], right["n_numbers"])
    numbers_agree = n_common_numbers == np.where(similarity >= _CLOSE, fewer, more)
    edited = both_have_text & (similarity >= threshold) & numbers_agree
    edited |= (left["text"] == right["text"]) & (left["text"] != 0)
    shorter = np.minimum(n_left, n_right) - left["n_title"]
    in_common = n_common - left["n_title"]
    cut = both_have_text & same_title & (shorter >= _SHORTEST_CUT) & (in_common >= _CONTAINED * shorter)
    cut &= n_common_numbers == fewer
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
