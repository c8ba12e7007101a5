"""Dates in a table: numbers to compare, written as dates."""

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.boosting._wanted import is_missing

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = (1970, 1, 1, 0, 0, 0)  # what a date begins with, where it is not said


def as_dates(cells: Sequence[Any]) -> NDArray[np.float64] | None:
    """Return seconds since 1970, NaN where one is missing; None where a cell is no date, or none is.

    Dates are those of ISO 8601, such as 2024-02-29 or 2024-02-29T13:00; a time without a zone is in UTC.

    Examples
    --------
    >>> as_dates(["1970-01-02", "", "1970-01-01 00:01"])
    array([8.64e+04,      nan, 6.00e+01])
    >>> as_dates(["1970-01-02", "later"]) is None
    True
    """
    found = np.full(len(cells), math.nan)
    for i, cell in enumerate(cells):
        if is_missing(cell):
            continue
        seconds = _seconds(cell)
        if seconds is None:
            return None
        found[i] = seconds
    return None if np.isnan(found).all() else found


def date_between(low: float, high: float) -> tuple[float, str]:
    """Return the date t with low <= t < high that is shortest to say, as seconds and as it is written.

    Examples
    --------
    >>> day = 86_400.0
    >>> date_between(20 * day, 40 * day)
    (2678400.0, '1970-02-01')
    >>> date_between(0.0, 1.5)
    (0.0, '1970-01-01')
    >>> date_between(59.0, 61.0)[1]
    '1970-01-01 00:01:00'
    """
    above = _datetime(high).timetuple()[:6]
    for n_parts in (1, 2, 3, 4, 5):  # the year, the month, the day, the hour, the minute in which high is
        year, month, day, hour, minute, _ = (*above[:n_parts], *_FIRST[n_parts:])
        t = (datetime(year, month, day, hour, minute, tzinfo=UTC) - _EPOCH).total_seconds()
        if low <= t < high:
            return t, write_date(t)
    return low, write_date(low)


def write_date(seconds: float) -> str:
    """Return the day, and the time where there is one, as text."""
    moment = _datetime(seconds).replace(tzinfo=None)
    return moment.isoformat(sep=" ").removesuffix(" 00:00:00")


def _datetime(seconds: float) -> datetime:
    return _EPOCH + timedelta(seconds=seconds)


def _seconds(cell: Any) -> float | None:
    if isinstance(cell, str):
        try:
            cell = datetime.fromisoformat(cell.strip())
        except ValueError:
            return None
    elif isinstance(cell, np.datetime64):
        cell = cell.astype("datetime64[us]").item()
    elif isinstance(cell, date) and not isinstance(cell, datetime):
        cell = datetime(cell.year, cell.month, cell.day)
    if not isinstance(cell, datetime):
        return None
    if cell.tzinfo is None:
        cell = cell.replace(tzinfo=UTC)
    return (cell - _EPOCH).total_seconds()
