"""Our checks on top of NumPy's: scores, weights, equal lengths, random numbers."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def as_numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Turn one number a sample into a float64 vector; NaN is an error, infinity is not.

    Examples
    --------
    >>> as_numbers([1, 2], "y_score")
    array([1., 2.])
    """
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers; got {_first_non_number(values)!r}.") from None
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers.ravel()
    if numbers.ndim != 1:
        raise ValueError(
            f"{name} must be one number a sample; got an array of shape {numbers.shape}. Pass one column."
        )
    n_missing = int(np.isnan(numbers).sum())
    if n_missing:
        raise ValueError(
            f"{name} contains NaN in {n_missing} of {len(numbers)} places; expected numbers. "
            "Drop those samples."
        )
    return numbers


def as_weights(sample_weight: ArrayLike | None, n_samples: int) -> NDArray[np.float64] | None:
    """Turn weights into a float64 vector of finite numbers, none negative, one a sample.

    Examples
    --------
    >>> as_weights([1, 0], 2)
    array([1., 0.])
    """
    if sample_weight is None:
        return None
    weights = as_numbers(sample_weight, "sample_weight")
    check_same_length(y_true=n_samples, sample_weight=len(weights))
    if np.isinf(weights).any() or (weights < 0).any():
        raise ValueError(
            f"sample_weight must be finite and not negative; got {weights.min()} to {weights.max()}."
        )
    return weights


def is_whole(value: Any) -> bool:
    """Return whether this is an integer; True and False are none.

    Examples
    --------
    >>> is_whole(5), is_whole(5.0), is_whole(True), is_whole(None)
    (True, False, False, False)
    """
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Return whether this is a number, and not infinite.

    Examples
    --------
    >>> is_finite(1.5), is_finite("1.5"), is_finite(float("nan"))
    (True, False, False)
    """
    return isinstance(value, (int, float, np.number)) and bool(np.isfinite(value))


def check_same_length(**lengths: int) -> None:
    """Refuse vectors of unequal length, given as name=length.

    Examples
    --------
    >>> check_same_length(y_true=3, y_pred=3)
    """
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ValueError(f"Expected vectors of equal length; got {found}. Pass one entry a sample in each.")


def as_generator(random_state: Any) -> np.random.Generator:
    """Return one generator from None, an int, a Generator or a RandomState; never the global one.

    Examples
    --------
    >>> bool(as_generator(0).random() == as_generator(0).random())
    True
    """
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**32, dtype=np.uint32)
    elif not (random_state is None or isinstance(random_state, (int, np.integer, np.random.Generator))):
        raise ValueError(
            f"random_state must be None, an int, a Generator or a RandomState; got {random_state!r}."
        )
    return np.random.default_rng(random_state)


def _first_non_number(values: Any) -> Any:
    for value in np.asarray(values, dtype=object).ravel():
        try:
            float(value)
        except (TypeError, ValueError):
            return value
    return values
