"""The speed table: the same work done by us and by a peer, in one run, side by side.

Absolute times say little (machines are noisy); ratios from one run say much. Each file holds the rows of one
subject and a function ``rows()`` that yields them; `run` measures.
"""

from collections.abc import Iterator
from importlib import import_module

from lopsided.bench._measure import Measured, Row, measure

__all__ = ["SUBJECTS", "Measured", "Row", "measure", "run"]

# subject -> what it measures; its rows are in `_<subject>.py`
SUBJECTS = {
    "bytegrams": "byte 4-grams of mail against scikit-learn's character vectorizers (T1)",
    "imports": "the time to import lopsided against importing numpy",
}


def run(subject: str) -> Iterator[Measured]:
    """Measure the rows of one subject, one at a time.

    Examples
    --------
    >>> from lopsided.bench import SUBJECTS
    >>> "bytegrams" in SUBJECTS
    True
    """
    if subject not in SUBJECTS:
        raise ValueError(f"no benchmark '{subject}'. There are: {', '.join(SUBJECTS)}.")
    for row in import_module(f"lopsided.bench._{subject}").rows():
        yield measure(row)
