"""Values as JSON text and back: plain ones, arrays, and records that are registered under a name.

Nothing is executed when a value is read but the constructors of the registered records, which are dataclasses
and named tuples.
"""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

Records = Mapping[str, type]
"""Names that stand in the text, and the classes of the records."""

_NO_RECORDS: Records = {}
_KIND, _VALUE = "~", "is"  # {"~": "Counts", "is": {...}} is a record; JSON's own kinds stand for themselves
_OWN_KINDS = ("tuple", "dict", "array")  # which a record may not be called
_ARRAYS = "biufU"  # truth values, numbers, text: those that lists hold without a loss


def to_text(value: Any, records: Records = _NO_RECORDS) -> str:
    """Return a value as JSON.

    Examples
    --------
    >>> to_text((1, None, [0.5]))
    '{"~": "tuple", "is": [1, null, [0.5]]}'
    """
    return json.dumps(_encode(value, {cls: name for name, cls in records.items()}))


def from_text(text: str, records: Records = _NO_RECORDS) -> Any:
    """Return what `to_text` was given.

    Examples
    --------
    >>> from_text('{"~": "tuple", "is": [1, null, [0.5]]}')
    (1, None, [0.5])
    >>> from_text('{"~": "print", "is": {}}')
    Traceback (most recent call last):
        ...
    ValueError: the text holds a 'print', which is not among the registered records.
    """
    try:
        return _decode(json.loads(text), records)
    except (LookupError, TypeError, AttributeError) as error:  # not what `to_text` writes, or of other fields
        raise ValueError(f"the text holds no value: {error}") from error


def check_records(records: Records) -> None:
    """Refuse records that could not be written or read back."""
    for name, cls in records.items():
        if name in _OWN_KINDS:
            raise ValueError(f"a record may not be called {name!r}.")
        if not (dataclasses.is_dataclass(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields"))):
            raise ValueError(f"a record must be a dataclass or a named tuple; got {cls.__name__}.")


def _encode(value: Any, names: Mapping[type, str]) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in _ARRAYS or value.dtype == np.longdouble:
            raise TypeError(f"a result may hold arrays of numbers and of text; got one of {value.dtype}.")
        return {_KIND: "array", _VALUE: [value.dtype.str, value.shape, value.ravel().tolist()]}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _encode_record(value, dict(zip(value._fields, value, strict=True)), names)
    if isinstance(value, tuple):
        return {_KIND: "tuple", _VALUE: [_encode(item, names) for item in value]}
    if isinstance(value, list):
        return [_encode(item, names) for item in value]
    if isinstance(value, dict):
        return {
            _KIND: "dict",
            _VALUE: [[_encode(key, names), _encode(item, names)] for key, item in value.items()],
        }
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _encode_record(
            value, {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}, names
        )
    raise TypeError(f"a result may hold numbers, text, arrays and records; got {type(value).__name__}.")


def _encode_record(record: Any, fields: dict[str, Any], names: Mapping[type, str]) -> Any:
    name = names.get(type(record))
    if name is None:
        raise TypeError(f"{type(record).__name__} is not among the registered records.")
    return {_KIND: name, _VALUE: {field: _encode(item, names) for field, item in fields.items()}}


def _decode(value: Any, records: Records) -> Any:
    if isinstance(value, list):
        return [_decode(item, records) for item in value]
    if not isinstance(value, dict):
        return value
    kind, content = value[_KIND], value[_VALUE]
    if kind == "tuple":
        return tuple(_decode(item, records) for item in content)
    if kind == "dict":
        return {_decode(key, records): _decode(item, records) for key, item in content}
    if kind == "array":
        dtype, shape, items = content
        return np.array(items, dtype=np.dtype(dtype)).reshape(shape)
    if kind not in records:
        raise ValueError(f"the text holds a {kind!r}, which is not among the registered records.")
    return records[kind](**{name: _decode(item, records) for name, item in content.items()})
