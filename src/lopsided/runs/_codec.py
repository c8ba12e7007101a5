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
    return _decode(json.loads(text), module)


def _encode(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {_KIND: "array", _VALUE: [value.dtype.str, value.shape, value.ravel().tolist()]}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        fields = {name: _encode(item) for name, item in zip(value._fields, value, strict=True)}
        return {_KIND: type(value).__name__, _VALUE: fields}
    if isinstance(value, tuple):
        return {_KIND: "tuple", _VALUE: [_encode(item) for item in value]}
    if isinstance(value, list):
        return [_encode(item) for item in value]
    if isinstance(value, dict):
        return {_KIND: "dict", _VALUE: [[_encode(key), _encode(item)] for key, item in value.items()]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {_KIND: type(value).__name__, _VALUE: fields}
    raise TypeError(f"a result may hold numbers, text, arrays and records; got {type(value).__name__}.")


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
