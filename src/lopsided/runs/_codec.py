"""Values as JSON text and back: plain ones, arrays, and records that a module declares.

Nothing is executed when a value is read: a record may only be a dataclass or a named tuple that can be found
under its name in the module the value belongs to.
"""

import dataclasses
import json
from importlib import import_module
from typing import Any

import numpy as np

_KIND, _VALUE = "~", "is"  # {"~": "Counts", "is": {...}} is a record; JSON's own kinds stand for themselves
_OWN_KINDS = ("tuple", "dict", "array")  # which a record may not be called
_ARRAYS = "biufU"  # truth values, numbers, text: those that lists hold without a loss


def to_text(value: Any) -> str:
    """A value as JSON.

    Examples
    --------
    >>> to_text((1, None, [0.5]))
    '{"~": "tuple", "is": [1, null, [0.5]]}'
    """
    return json.dumps(_encode(value))


def from_text(text: str, module: str) -> Any:
    """What `to_text` was given; records are looked up in the module.

    Examples
    --------
    >>> from_text('{"~": "tuple", "is": [1, null, [0.5]]}', "builtins")
    (1, None, [0.5])
    >>> from_text('{"~": "print", "is": {}}', "builtins")
    Traceback (most recent call last):
        ...
    ValueError: 'print' is no record of the module builtins.
    """
    try:
        return _decode(json.loads(text), module)
    except (LookupError, TypeError, AttributeError) as error:  # not what `to_text` writes, or of other fields
        raise ValueError(f"the text holds no value of the module {module}: {error}") from error


def _encode(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in _ARRAYS or value.dtype == np.longdouble:
            raise TypeError(f"a result may hold arrays of numbers and of text; got one of {value.dtype}.")
        return {_KIND: "array", _VALUE: [value.dtype.str, value.shape, value.ravel().tolist()]}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _encode_record(value, dict(zip(value._fields, value, strict=True)))
    if isinstance(value, tuple):
        return {_KIND: "tuple", _VALUE: [_encode(item) for item in value]}
    if isinstance(value, list):
        return [_encode(item) for item in value]
    if isinstance(value, dict):
        return {_KIND: "dict", _VALUE: [[_encode(key), _encode(item)] for key, item in value.items()]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _encode_record(
            value, {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        )
    raise TypeError(f"a result may hold numbers, text, arrays and records; got {type(value).__name__}.")


def _encode_record(record: Any, fields: dict[str, Any]) -> Any:
    name = type(record).__name__
    if name in _OWN_KINDS:
        raise TypeError(f"a record may not be called {name!r}.")
    return {_KIND: name, _VALUE: {field: _encode(item) for field, item in fields.items()}}


def _decode(value: Any, module: str) -> Any:
    if isinstance(value, list):
        return [_decode(item, module) for item in value]
    if not isinstance(value, dict):
        return value
    kind, content = value[_KIND], value[_VALUE]
    if kind == "tuple":
        return tuple(_decode(item, module) for item in content)
    if kind == "dict":
        return {_decode(key, module): _decode(item, module) for key, item in content}
    if kind == "array":
        dtype, shape, items = content
        return np.array(items, dtype=np.dtype(dtype)).reshape(shape)
    return _record(kind, module)(**{name: _decode(item, module) for name, item in content.items()})


def _record(name: str, module: str) -> Any:
    cls = getattr(import_module(module), name, None)
    is_record = isinstance(cls, type) and (
        dataclasses.is_dataclass(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields"))
    )
    if not is_record:
        raise ValueError(f"{name!r} is no record of the module {module}.")
    return cls
