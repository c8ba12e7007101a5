"""How the fixed weights of UnexpectedDetector were learned: by hiding classes of the panel's tune half.

Each data set of `lopsided bench panel unexpected --half tune` gives one example, its hidden classes among the
rows to be judged, and, where it has three known classes or more, one more for each class that is hidden. The
weights for one known class see all known classes as one. Nothing of the test half is read. Run

    python research/unexpected_weights.py
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.bench.panel._sets import read_classes, read_split
from lopsided.compare._unexpected import draw
from lopsided.unexpected._hiding import LEAST_CLASSES, group_classes, learn_weights
from lopsided.unexpected._measures import LENGTH, LIKE_FLAGGED, N_MEASURES, UNSEEN
from lopsided.unexpected._numbers import NumberEvidence
from lopsided.unexpected._score import Weights
from lopsided.unexpected._words import WordEvidence

_MOST_KNOWN = 1500
Hiding = tuple[NDArray[np.float64], NDArray[np.float64]]


def examples(name: str, one_class: bool) -> Iterator[Hiding]:
    """Yield the measures of known rows, left out, and those of rows of a hidden class."""
    data = read_classes(name)
    task, truth = draw(data.rows, np.isin(data.rows.labels, data.hidden), 0)
    order = np.random.default_rng(0).permutation(len(task.known))[:_MOST_KNOWN]
    index = np.zeros(len(order), dtype=np.intp) if one_class else task.classes[order].astype(np.intp)
    form: Any = data.rows.counts if data.rows.is_text else data.rows.X
    rows = form[np.concatenate([task.known[order], task.new])]
    index = np.concatenate([np.unique(index, return_inverse=True)[1], np.full(len(task.new), -1)])
    rng = np.random.default_rng(0)
    evidence = (WordEvidence if data.rows.is_text else NumberEvidence)(rows, index, rng)
    yield evidence.measure_known(rows), evidence.measure_judged(rows, len(order) + np.flatnonzero(truth))
    n_classes = int(index.max()) + 1
    if n_classes >= LEAST_CLASSES:
        yield from evidence.hide_classes(rows, group_classes(n_classes, rng))


def main() -> None:
    """Print the weights."""
    found: dict[tuple[bool, bool], list[Hiding]] = {}
    for name in read_split()["unexpected"]["tune"]:
        is_text = read_classes(name).rows.is_text
        for one_class in (False, True):
            found.setdefault((is_text, one_class), []).extend(examples(name, one_class))
    for (is_text, one_class), hidings in found.items():
        start = np.full(N_MEASURES, 0.25)
        start[LIKE_FLAGGED] = 1.0  # chosen by hand: nothing is flagged where a class is hidden
        if not is_text:
            start[[UNSEEN, LENGTH]] = 0.0
        weights = learn_weights(Weights(tuple(start.tolist()), -2.0), hidings)
        kind = f"{'words' if is_text else 'numbers'}{', one known class' if one_class else ''}"
        values = ", ".join(f"{value:.2f}" for value in weights.measures)
        print(f"{kind}: ({values}), {weights.constant:.2f} from {len(hidings)} hidings")


if __name__ == "__main__":
    main()
