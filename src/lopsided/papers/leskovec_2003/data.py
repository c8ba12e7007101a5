"""Reuters-21578 as the paper has it, and the documents that a category is learned from."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lopsided.boosting._stumps import PresenceStumps
from lopsided.experiments import Published, check_name, read_texts, seeds
from lopsided.metrics import RoundRobinFold
from lopsided.problems.reuters import TopicSplit, read_stems

FACTS = Published.read(__package__, "text")
LARGE, SMALL = map(tuple, read_texts(__package__, "names.toml")["categories"].values())
CATEGORIES = (*LARGE, *SMALL)
RARE = CATEGORIES[4:]  # at most 3 in 100 documents are positive
QUICK_CATEGORIES = ("gnp", "cotton", "platinum")
N_FOLDS = 5


Form = tuple[str, str | None]
"""How stems are weighted, and what the length of a row is."""
PRESENCE: Form = ("binary", None)
TFIDF: Form = ("tfidf", "l2")  # for the SVM


def load(form: Form = PRESENCE) -> TopicSplit:
    """Return Reuters-21578 by its stems; a process reads and stems it once."""
    return read_stems(*form, int(FACTS["least_document_frequency"]))


Part = tuple[str | int, ...]
"""Which training documents are learned from: see `rows_of`."""
ALL: Part = ("all",)


def rows_of(category: str, part: Part) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the documents to train on and those held out to validate on.

    A part is ("all",), ("fold", k), or ("positives", n, draw): n of the positives, and all negatives.
    """
    has = load().train.labels(category) > 0
    everything = np.arange(len(has))
    if part[0] == "fold":
        folds = RoundRobinFold(N_FOLDS, random_state=0).split(has, has.astype(int))
        return list(folds)[int(part[1])]
    if part[0] == "positives":
        n_kept, draw = int(part[1]), int(part[2])
        kept = np.random.default_rng(seeds(draw + 1)[draw]).permutation(np.flatnonzero(has))[:n_kept]
        everything = np.sort(np.concatenate([np.flatnonzero(~has), kept]))
    return everything, np.empty(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class CategoryTask:
    """One category against the rest on some of the training documents."""

    rows: NDArray[np.intp]
    held_out: NDArray[np.intp]
    """Rows to validate on; often none."""
    signs: NDArray[np.int8]
    """Label of each of the rows, 1 or -1."""
    stumps: PresenceStumps
    """Words of the rows, indexed once for all settings."""


@lru_cache(maxsize=8)
def draw(category: str, part: Part) -> CategoryTask:
    """Return a task; the settings that follow each other share it."""
    check_name("category", category, CATEGORIES)
    X, y, *_ = load().one_topic(category)
    rows, held_out = rows_of(category, part)
    signs = np.where(y[rows] > 0, 1, -1).astype(np.int8)
    return CategoryTask(rows, held_out, signs, PresenceStumps(X[rows]))
