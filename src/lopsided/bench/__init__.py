"""The speed table: the same work done by us and by a peer, in one run, side by side.

Absolute times say little (machines are noisy); ratios from one run say much. Each file holds the rows of one
subject and a function ``rows()`` that yields them; `run` measures.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module

from lopsided._lazy import is_installed
from lopsided.bench._measure import Measured, Quality, Row, Skipped, Timed, measure

__all__ = ["SUBJECTS", "Measured", "Quality", "Row", "Skipped", "Timed", "measure", "run"]

# subject -> what it measures; its rows are in `_<subject>.py`
SUBJECTS = {
    "bytegrams": "byte 4-grams of mail against scikit-learn's character vectorizers (T1)",
    "imports": "starting up: importing lopsided, and filtering one message (T7b)",
    "mail": "the mail filter as a service: messages a second, with their labels (T7b)",
    "boosting": "boosting over words against scikit-learn and linprog (T9, T10)",
    "online": "one message at a time against river, scikit-learn and Vowpal Wabbit (T5 to T7c)",
    "positives": "positives and unlabeled data: SVMC against SMC and one SVM (T8, T8b)",
    "lasvm": "the online kernel SVM against LIBSVM, Vowpal Wabbit, full search and SMOTE (T2 to T4c)",
    "scale": "beyond memory: lopsided find in an archive, against reading alone (T13)",
    "screening": "labels to find 95 % of the relevant records, and the page, against ASReview (T11 to T11c)",
}


def run(subject: str, only: Sequence[str] = ()) -> Iterator[Measured | Skipped]:
    """Measure the rows of one subject, one at a time; all of them, or only those named.

    A name stands for every row whose name begins with that word: "T3c" for "T3c grain" and "T3c ship".

    Examples
    --------
    >>> from lopsided.bench import SUBJECTS
    >>> "bytegrams" in SUBJECTS
    True
    """
    if subject not in SUBJECTS:
        raise ValueError(f"no benchmark '{subject}'. There are: {', '.join(SUBJECTS)}.")
    rows = import_module(f"lopsided.bench._{subject}").rows()
    if only:
        rows = list(rows)
        for name in only:
            if not any(_is_called(row, name) for row in rows):
                there = ", ".join(row.name for row in rows)
                raise ValueError(f"no row '{name}' in {subject}. There are: {there}.")
    for row in rows:
        if not only or any(_is_called(row, name) for name in only):
            yield _measure_or_skip(row)


def _is_called(row: Row, name: str) -> bool:
    return name in (row.name, row.name.split()[0])


def _measure_or_skip(row: Row) -> Measured | Skipped:
    from lopsided.datasets import DataUnavailable  # late: the list of subjects is shown without it

    missing = [package for package in row.needs if not is_installed(package)]
    if missing:
        return Skipped(row, f"needs {', '.join(missing)}. Run: pip install 'lopsided[peers]'")
    try:
        return measure(row)
    except DataUnavailable as error:
        return Skipped(row, str(error))
