"""The tour that ``lopsided demo`` takes: every kind of lopsided labels on one corpus of real text.

One file a setting; each yields results of a plain scikit-learn baseline and of our own methods beside it.
"""

from collections.abc import Callable, Iterator

from lopsided.demo._corpus import Corpus, load_corpus
from lopsided.demo._one_sided import one_sided
from lopsided.demo._positive_unlabeled import positive_unlabeled
from lopsided.demo._rare import rare
from lopsided.demo._result import Result
from lopsided.demo._unexpected import unexpected

__all__ = ["SETTINGS", "Corpus", "Result", "load_corpus"]

# setting -> its results, in the order of the tour
SETTINGS: dict[str, Callable[[Corpus], Iterator[Result]]] = {
    "rare class": rare,
    "positive + unlabeled": positive_unlabeled,
    "one-sided stream": one_sided,
    "unexpected groups": unexpected,
}
