"""Checks of a model that was read from a file, before anybody uses it.

A class says in ``_stored`` what its attributes are: a table of checks, as ``_parameter_constraints`` is one
for its parameters. `check_stored` holds a model against the tables of all classes in it. An attribute that no
table names is refused, and so is a fitted model that lacks one. Lengths go by names: an array of shape
("n_features",) must agree with all others of that length in the same estimator.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse

from lopsided._kernels.checks import (
    MOST_COLUMNS,
    array_of,
    check_numbers,
    real_number,
    true_or_false,
    whole_number,
)

Lengths = dict[str, int]
Check = Callable[[str, Any, Lengths], None]
Length = int | str | None

_SCALARS = (bool, int, float, str, bytes, np.number, np.bool_)
# Where in its block of random numbers a generator stands: NumPy reads there without looking.
_PLACES = {"MT19937": ("pos", 624), "Philox": ("buffer_pos", 4)}


def check_stored(model: Any) -> None:
    """Raise a ValueError if anything in a model is not as its class says."""
    _walk([model])


def optional(check: Check) -> Check:
    """Return a check for an attribute that not every fitted model has."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        check(name, value, lengths)

    checked.is_optional = True  # type: ignore[attr-defined]
    return checked


def or_none(check: Check) -> Check:
    """Return a check that takes None, or what another check wants."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        if value is not None:
            check(name, value, lengths)

    return checked


def length(of: str, low: int = 0) -> Check:
    """Return a check for a whole number that is a length of arrays."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        n = whole_number(name, value, low, MOST_COLUMNS)
        if lengths.setdefault(of, n) != n:
            raise ValueError(f"{name} is {n}, but other parts have {lengths[of]} {of}.")

    return checked


def whole(low: int = 0) -> Check:
    """Return a check for a whole number."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        whole_number(name, value, low)

    return checked


def index(among: str) -> Check:
    """Return a check for a whole number below a length."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        whole_number(name, value, 0, _length(among, lengths) - 1)

    return checked


def real(
    low: float = -np.inf, high: float = np.inf, *, above: float = -np.inf, or_not_finite: bool = False
) -> Check:
    """Return a check for a number; NaN and infinity pass where they mean something."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        if not (or_not_finite and isinstance(value, (float, np.floating)) and not np.isfinite(value)):
            real_number(name, value, low, high, above=above)

    return checked


def flag() -> Check:
    """Return a check for True or False."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        true_or_false(name, value)

    return checked


def text(*allowed: str) -> Check:
    """Return a check for a text, one of these if any are named."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        if not isinstance(value, str) or (allowed and value not in allowed):
            wanted = f"one of {', '.join(allowed)}" if allowed else "a text"
            raise ValueError(f"{name} must be {wanted}; got a {type(value).__name__}.")

    return checked


def numbers(
    *shape: Length, dtype: Any = np.float64, low: float | None = None, high: float | None = None
) -> Check:
    """Return a check for an array of finite numbers of one type; ``np.floating`` is float32 or float64."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        either = dtype is np.floating and getattr(value, "dtype", None) == np.float32  # or float64
        wanted = np.float32 if either else np.float64 if dtype is np.floating else dtype
        array_of(name, value, wanted, _known(shape, lengths), low, high)
        _learn_lengths(name, value, shape, lengths)

    return checked


def places(*shape: Length, among: str | None = None, low: int = 0) -> Check:
    """Return a check for an array of whole numbers from ``low`` on, below a length if one is named."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        if not isinstance(value, np.ndarray) or value.dtype.kind != "i":
            raise ValueError(f"{name} must be an array of whole numbers.")
        high = None if among is None else _length(among, lengths) - 1
        array_of(name, value, value.dtype, _known(shape, lengths), low, high)
        _learn_lengths(name, value, shape, lengths)

    return checked


def labels(n: Length = None) -> Check:
    """Return a check for an array of distinct class labels."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "biufUSO":
            raise ValueError(f"{name} must be a vector of labels.")
        if value.dtype.kind == "f":
            check_numbers(name, value)
        array_of_any(name, value, (n,), lengths)
        names = value.tolist()
        if not all(isinstance(name, _SCALARS) for name in names) or len(set(names)) < len(names):
            raise ValueError(f"{name} must hold distinct numbers or texts.")

    return checked


def label(name: str, value: Any, lengths: Lengths) -> None:
    """Check one class label."""
    if not isinstance(value, _SCALARS):
        raise ValueError(f"{name} must be a number or a text; got a {type(value).__name__}.")


def zero_and_one(name: str, value: Any, lengths: Lengths) -> None:
    """Check that the classes are 0 and 1."""
    array_of(name, value, np.array([0]).dtype, (2,))
    if value.tolist() != [0, 1]:
        raise ValueError(f"{name} must be 0 and 1; got {value.tolist()}.")


def feature_names(name: str, value: Any, lengths: Lengths) -> None:
    """Check the names of the features, as scikit-learn keeps them."""
    array_of_any(name, value, ("n_features",), lengths)
    if value.dtype != object or not all(isinstance(feature, str) for feature in value):
        raise ValueError(f"{name} must hold texts.")


def sparse_rows(*shape: Length, low: float | None = None) -> Check:
    """Check a CSR matrix of float64."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        if not (issparse(value) and value.format == "csr" and value.dtype == np.float64):
            raise ValueError(f"{name} must be a CSR matrix of float64.")
        _check_sparse(value)
        array_of_any(name, value, shape, lengths)
        check_numbers(name, value.data, low)

    return checked


def part(*classes: type | None) -> Check:
    """Return a check for an object of these classes, which has its own table and shares all lengths."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        if type(value) not in classes and not (value is None and None in classes):
            raise ValueError(f"{name} cannot be a {type(value).__name__}.")
        if value is not None:
            _check_object(value, lengths)

    return checked


def each(check: Check, of: type[list] | type[tuple] = list) -> Check:
    """Return a check for a list; lengths that an item brings along are its own."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        if not isinstance(value, of):
            raise ValueError(f"{name} must be a {of.__name__}; got a {type(value).__name__}.")
        for item in list(value):
            check(f"an item of {name}", item, dict(lengths))

    return checked


def by_text(check: Check) -> Check:
    """Return a check for a dict with texts for keys."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        if type(value) is not dict or not all(type(key) is str for key in value):
            raise ValueError(f"{name} must be a dict with texts for keys.")
        for item in value.values():
            check(f"an entry of {name}", item, lengths)

    return checked


def columns(name: str, value: Any, lengths: Lengths) -> None:
    """Refuse what is not a dict of equally long arrays of numbers or texts."""
    if type(value) is not dict or not all(type(key) is str for key in value):
        raise ValueError(f"{name} must be a dict with texts for keys.")
    if not all(_is_simple(column) and column.ndim == 1 for column in value.values()):
        raise ValueError(f"{name} must hold vectors of numbers or texts.")
    if len({len(column) for column in value.values()}) > 1:
        raise ValueError(f"{name} must hold vectors of one length.")


def plain(name: str, value: Any, lengths: Lengths) -> None:
    """Check what was noted on the way: numbers, texts, arrays of numbers, and lists and dicts of these."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if type(item) in (list, tuple):
            waiting.extend(item)
        elif type(item) is dict:
            waiting.extend(item.keys())
            waiting.extend(item.values())
        elif not (item is None or isinstance(item, _SCALARS) or _is_simple(item)):
            raise ValueError(f"{name} cannot hold a {type(item).__name__}.")


def anything(name: str, value: Any, lengths: Lengths) -> None:
    """Pass a value that somebody else answers for; objects of ours in it are checked all the same."""
    _walk([value])


def a_generator(name: str, value: Any, lengths: Lengths) -> None:
    """Check a random number generator of NumPy, whose state must be one that it can have."""
    if not isinstance(value, np.random.Generator):
        raise ValueError(f"{name} must be a Generator; got a {type(value).__name__}.")
    _check_generator(value.bit_generator.state)


def an_estimator(name: str, value: Any, lengths: Lengths) -> None:
    """Check that a value is an estimator, of any kind."""
    if not hasattr(value, "fit") or isinstance(value, type):
        raise ValueError(f"{name} must be an estimator; got a {type(value).__name__}.")
    _walk([value])


def made_again(*classes: type) -> Check:
    """Return a check for what the class has made itself from what was stored, and has looked at then."""

    def checked(name: str, value: Any, lengths: Lengths) -> None:
        if not isinstance(value, classes):
            raise ValueError(f"{name} cannot be a {type(value).__name__}.")

    return checked


FEATURES: dict[str, Check] = {
    "n_features_in_": length("n_features"),
    "feature_names_in_": optional(feature_names),
}


def array_of_any(name: str, value: Any, shape: tuple[Length, ...], lengths: Lengths) -> None:
    """Refuse what has another shape than it should."""
    wanted = _known(shape, lengths)
    found = getattr(value, "shape", ())
    if len(found) != len(wanted) or any(n is not None and n != m for n, m in zip(wanted, found, strict=True)):
        raise ValueError(f"{name} must be of shape {wanted}; got {found}.")
    _learn_lengths(name, value, shape, lengths)


def _known(shape: tuple[Length, ...], lengths: Lengths) -> tuple[int | None, ...]:
    return tuple(lengths.get(n) if isinstance(n, str) else n for n in shape)


def _length(name: str, lengths: Lengths) -> int:
    if name not in lengths:
        raise ValueError(f"it is a part of a model, whose {name} it does not say")
    return lengths[name]


def _learn_lengths(name: str, value: Any, shape: tuple[Length, ...], lengths: Lengths) -> None:
    for n, found in zip(shape, value.shape, strict=True):
        if isinstance(n, str) and lengths.setdefault(n, found) != found:  # twice in one shape
            raise ValueError(f"{name} must be of {lengths[n]} {n}; got {found}.")


def _is_simple(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biufUS"


def _walk(things: Iterable[Any]) -> None:
    """Look at every object of ours, wherever it is, and at whatever compiled code would read blindly."""
    waiting, seen = list(things), set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if type(thing).__module__.partition(".")[0] == "lopsided":
            _check_object(thing, {})
        elif issparse(thing):
            _check_sparse(thing)
        elif isinstance(thing, np.random.RandomState):
            _check_generator(thing.get_state(legacy=False))
        elif isinstance(thing, np.random.Generator):
            _check_generator(thing.bit_generator.state)
        elif isinstance(thing, dict):
            waiting.extend(thing.keys())
            waiting.extend(thing.values())
        elif isinstance(thing, (list, tuple, set, frozenset)):
            waiting.extend(thing)
        elif isinstance(thing, np.ndarray):
            if thing.dtype == object:
                waiting.extend(thing.flat)
        elif hasattr(thing, "__dict__") and not isinstance(thing, type):
            waiting.extend(vars(thing).values())


def _check_object(thing: Any, lengths: Lengths) -> None:
    """Refuse an object of ours whose attributes are not as its table says."""
    cls = type(thing)
    table = _table(cls)
    if table is None:
        raise ValueError(f"{cls.__name__} is not kept in files.")
    held: dict[str, Any] = thing._asdict() if issubclass(cls, tuple) else dict(vars(thing))
    if hasattr(cls, "_parameter_constraints"):
        _check_parameters(thing, held)
    held.pop("_sklearn_output_config", None)  # how a transformer's answers look
    strange = held.keys() - table.keys()
    if strange:
        raise ValueError(f"{cls.__name__} has no {', '.join(sorted(map(str, strange)))}.")
    missing = [name for name, check in table.items() if name not in held and not _is_optional(check)]
    if held and missing:
        raise ValueError(f"{cls.__name__} lacks {', '.join(missing)}.")
    for name, check in table.items():
        if name in held:
            check(f"{cls.__name__}.{name}", held[name], lengths)
    if hasattr(thing, "__post_init__"):
        thing.__post_init__()
    if hasattr(thing, "_check_stored"):
        thing._check_stored(lengths)


def _check_parameters(estimator: Any, held: dict[str, Any]) -> None:
    """Take the parameters out of what an estimator holds: they are as its constraints say."""
    names = type(estimator)._get_param_names()
    missing = [name for name in names if name not in held]
    if missing:
        raise ValueError(f"{type(estimator).__name__} lacks the parameter {', '.join(missing)}.")
    estimator._validate_params()
    _walk([held.pop(name) for name in names])


def _table(cls: type) -> dict[str, Check] | None:
    """Return the checks of a class and of all it inherits from; None for a class that has no table."""
    tables = [base.__dict__["_stored"] for base in reversed(cls.__mro__) if "_stored" in base.__dict__]
    if issubclass(cls, tuple):  # whose attributes are its fields: its table is what a function returns
        tables = [table.__func__() for table in tables]
    return {name: check for table in tables for name, check in table.items()} if tables else None


def _is_optional(check: Check) -> bool:
    return getattr(check, "is_optional", False)


def _check_sparse(matrix: Any) -> None:
    """Refuse a sparse matrix whose indices lead out of it: SciPy looks at that only when asked to."""
    if hasattr(matrix, "check_format"):  # CSR, CSC and BSR; COO and DIA were looked at when they were made
        matrix.check_format(full_check=True)


def _check_generator(state: Mapping[str, Any]) -> None:
    """Refuse a generator that would read beyond its memory."""
    name = state["bit_generator"]
    if name in _PLACES:
        place, most = _PLACES[name]
        whole_number(place, state["state"].get(place, state.get(place)), 0, most)
