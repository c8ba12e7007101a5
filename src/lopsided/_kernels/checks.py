"""Checks of recipes and saved states: compiled code relies on their form, and a file may say anything."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_COLUMNS = 2**31 - 1  # columns are numbered in 32 bits
MOST_COUNTED = 2**53  # whole numbers up to here survive a trip through float64


def whole_number(name: str, value: Any, low: int = 0, high: int = MOST_COUNTED) -> int:
    """Return a whole number from ``low`` to ``high``; True and False are none.

    Examples
    --------
    >>> whole_number("size", 5)
    5
    >>> whole_number("size", -1)
    Traceback (most recent call last):
        ...
    ValueError: size must be a whole number from 0 to 9007199254740992; got -1.
    """
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not (is_whole and low <= value <= high):
        raise ValueError(f"{name} must be a whole number from {low} to {high}; got {_short(value)}.")
    return int(value)


def real_number(
    name: str, value: Any, low: float = -np.inf, high: float = np.inf, *, above: float = -np.inf
) -> float:
    """Return a finite number from ``low`` to ``high`` and above ``above``.

    Examples
    --------
    >>> real_number("tol", 1e-3, above=0)
    0.001
    >>> real_number("tol", float("nan"), above=0)
    Traceback (most recent call last):
        ...
    ValueError: tol must be a finite number above 0; got nan.
    """
    is_real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not (is_real and np.isfinite(value) and low <= value <= high and value > above):
        limits = [f"above {above:g}"] if above > -np.inf else []
        limits += [f"from {low:g}"] if low > -np.inf else []
        limits += [f"up to {high:g}"] if high < np.inf else []
        raise ValueError(f"{name} must be {' '.join(['a finite number', *limits])}; got {_short(value)}.")
    return float(value)


def true_or_false(name: str, value: Any) -> bool:
    """Return a bool.

    Examples
    --------
    >>> true_or_false("wide", np.True_)
    True
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False; got {_short(value)}.")
    return bool(value)


def array_of(
    name: str,
    value: Any,
    dtype: Any,
    shape: tuple[int | None, ...],
    low: float | None = None,
    high: float | None = None,
) -> NDArray[Any]:
    """Return a C-contiguous array of this type and shape (None: any length), finite and within the limits.

    Examples
    --------
    >>> array_of("alpha", np.array([0.0, 1.0]), np.float64, (2,), low=0)
    array([0., 1.])
    >>> array_of("alpha", np.array([0.0, 1.0]), np.float64, (3,))
    Traceback (most recent call last):
        ...
    ValueError: alpha must be an array of float64 of shape (3,); got float64 of shape (2,).
    """
    wanted = np.dtype(dtype)
    if not isinstance(value, np.ndarray) or value.dtype != wanted or not _fits(value.shape, shape):
        lengths = ", ".join("any" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "")
        got = f"{value.dtype} of shape {value.shape}" if isinstance(value, np.ndarray) else _short(value)
        raise ValueError(f"{name} must be an array of {wanted} of shape ({lengths}); got {got}.")
    check_numbers(name, value, low, high)
    return np.ascontiguousarray(value)


def check_numbers(
    name: str, values: NDArray[Any], low: float | None = None, high: float | None = None
) -> None:
    """Refuse an array with a number that is not finite or not within the limits.

    Examples
    --------
    >>> check_numbers("share", np.array([0.5, 2.0]), 0, 1)
    Traceback (most recent call last):
        ...
    ValueError: share must hold finite numbers from 0 to 1; got 0.5 to 2.0.
    """
    if values.size == 0 or values.dtype.kind == "b":
        return
    least, most = values.min(), values.max()  # NaN if any is
    is_low, is_high = low is not None and least < low, high is not None and most > high
    if not (np.isfinite(least) and np.isfinite(most)) or is_low or is_high:
        limits = "" if low is None and high is None else f" from {low} to {high}"
        if high is None and low is not None:
            limits = f" from {low} on"
        raise ValueError(f"{name} must hold finite numbers{limits}; got {least} to {most}.")


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    if len(shape) != len(wanted):
        return False
    return all(n is None or n == length for length, n in zip(shape, wanted, strict=True))


def _short(value: Any) -> str:
    """Return a value as part of a line: a file may hold a text of any length."""
    said = repr(value) if isinstance(value, (bool, int, float, str, np.generic)) or value is None else ""
    return said if 0 < len(said) <= 40 else f"a {type(value).__name__}"
