"""The rows that rules are for: those with one value of the labels."""

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._labels import is_missing_label
from lopsided.text._decode import clean_text

_LISTED = 5  # so many values does a message name
_LONGEST = 60  # characters of a value in a message
_SEPARATORS = ";|,"


class Wanted(NamedTuple):
    """The rows that have a label, and which of them have the wanted one.

    Examples
    --------
    >>> read_wanted(["ham", "spam", "ham", None]).rows.tolist()
    [0, 1, 2]
    """

    name: str
    """The wanted label."""
    rows: NDArray[np.intp]
    """Places of the rows with a label."""
    positive: NDArray[np.bool_]
    """Whether each of those rows has the wanted label."""
    chosen: str
    """How the label was chosen, or '' where it was named."""
    remark: str
    """How labels were read, where that is not plain."""


def read_wanted(labels: Sequence[Any], positive: Any = None) -> Wanted:
    """Return which rows have the wanted label, or the rarest one where none is named.

    Parameters
    ----------
    labels : sequence
        One label a row, or a list of them, which may be empty; None and NaN are missing.
    positive : scalar or None, default=None
        The wanted label, or its spelling.

    Returns
    -------
    wanted : Wanted

    Examples
    --------
    >>> wanted = read_wanted(["ham", "spam", "ham"])
    >>> wanted.name, wanted.positive.tolist(), wanted.chosen
    ('spam', [False, True, False], 'the rarest of 2 labels')
    >>> read_wanted(["grain;wheat", "grain", "gold"], "wheat").positive.tolist()
    [True, False, False]
    """
    cells = [_values(label) for label in labels]
    rows = np.array([i for i, values in enumerate(cells) if values is not None], dtype=np.intp)
    if not any(cells):
        raise ValueError(f"none of the {len(cells):,} rows has a label. Give others (in the shell: --label).")
    several = [cells[i] or () for i in rows]
    wanted = None if positive is None else spell(positive)
    several, separator = _split(wanted, several)
    remark = f"labels are taken for lists separated by '{separator}'" if separator else ""
    counts = _count(several)
    name = None if wanted is None else _find(wanted, counts)
    if wanted is not None and name is None:
        raise ValueError(_no_such_label(wanted, counts))
    if all(len(set(values)) == 1 for values in several) and len(counts) == 1:
        only = shorten(next(iter(counts)))
        raise ValueError(
            f"all {len(rows):,} rows with a label have the same, '{only}'; two at least are needed. Give "
            "others (in the shell: --label)."
        )
    chosen = ""
    if name is None:
        name, chosen = _rarest(counts, len(rows))
    mask = np.array([name in values for values in several])
    if mask.all():
        raise ValueError(
            f"all {len(rows):,} rows with a label have '{shorten(name)}', so there is nothing to tell them "
            "from. Name another as positive."
        )
    return Wanted(name, rows, mask, chosen, remark)


def count_labels(labels: Sequence[Any]) -> Counter[str]:
    """Return the number of rows with each label; a list counts for each label in it.

    Examples
    --------
    >>> sorted(count_labels(["grain;wheat", "grain", "wheat", None]).items())
    [('grain', 2), ('wheat', 2)]
    """
    several, _ = _split(None, [values for label in labels if (values := _values(label)) is not None])
    return _count(several)


def _split(wanted: str | None, several: list[tuple[str, ...]]) -> tuple[list[tuple[str, ...]], str | None]:
    """Return the labels of each row, and what separates them where cells hold several."""
    separator = _separator(wanted, several)
    if separator is None:
        return several, None
    parts = [
        tuple(part.strip() for value in values for part in value.split(separator) if part.strip())
        for values in several
    ]
    return parts, separator


def _count(several: Iterable[tuple[str, ...]]) -> Counter[str]:
    return Counter(value for values in several for value in dict.fromkeys(values))


def spell(value: Any) -> str:
    """Return a value as it is written; 1.0 is 1."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    return clean_text(str(value))[0].strip()


def shorten(text: str) -> str:
    """Return a value as text that fits on a line."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, or text with nothing in it."""
    if isinstance(value, str):
        return not value.strip()
    return not isinstance(value, list | tuple | set | dict) and is_missing_label(value)


def _values(label: Any) -> tuple[str, ...] | None:
    """Return the labels of a row, of which an empty list has none; None where they are missing."""
    if isinstance(label, list | tuple | set | frozenset | np.ndarray):
        return tuple(spell(value) for value in label if not is_missing(value))
    return None if is_missing(label) else (spell(label),)


def _find(wanted: str, known: Iterable[str]) -> str | None:
    """Return the label as rows spell it: exactly so, or the same number."""
    if wanted in known:
        return wanted
    number = _number(wanted)
    return None if number is None else next((v for v in sorted(known) if _number(v) == number), None)


def _separator(wanted: str | None, cells: Iterable[tuple[str, ...]]) -> str | None:
    """Return what separates labels in cells that hold several: half of them at least stand alone elsewhere.

    A label that is wanted and stands nowhere alone is looked for among several as well.
    """
    known = {value for values in cells for value in values}
    for separator in _SEPARATORS:
        parts = {part.strip() for value in known if separator in value for part in value.split(separator)}
        if parts and 2 * len(parts & known) >= len(parts):
            return separator
        if wanted in parts and wanted not in known:
            return separator
    return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _rarest(counts: Counter[str], n_rows: int) -> tuple[str, str]:
    """Return the rarest label, the first by name of several, and how that came."""
    if len(counts) == n_rows > 2:
        raise ValueError(
            f"each of the {n_rows:,} rows has a label of its own, so none can be learned. Give others (in "
            "the shell: --label), or name one as positive."
        )
    least = min(counts.values())
    rarest = sorted(value for value, n in counts.items() if n == least)
    if len(rarest) > 1:
        return rarest[0], f"the first by name of {len(rarest):,} labels that are equally rare"
    return rarest[0], f"the rarest of {len(counts):,} labels" if len(counts) > 1 else "the only label"


def _no_such_label(wanted: str, counts: Counter[str]) -> str:
    close = get_close_matches(wanted.lower(), [value.lower() for value in counts], n=1)
    if close:
        likely = next(value for value in counts if value.lower() == close[0])
        hint = f"Did you mean '{shorten(likely)}'?"
    else:
        most = [f"'{shorten(value)}'" for value, _ in counts.most_common(_LISTED)]
        more = f" and {len(counts) - len(most):,} more" if len(counts) > len(most) else ""
        hint = f"There are {', '.join(most)}{more}."
    return f"no row has the label '{shorten(wanted)}'. {hint}"
