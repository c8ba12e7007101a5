"""Blocks as values that JSON can hold."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lopsided.report._blocks import Block


def plain_block(block: Block) -> dict[str, Any]:
    """Return the fields of a block, and its kind: "table", "plot", "bars" or "text"."""
    return {"kind": type(block).__name__.lower(), **plain(block)}


def plain(value: Any) -> Any:
    """Return dataclasses as dictionaries, sequences as lists, and NaN and infinity as None.

    Examples
    --------
    >>> plain({"scores": np.array([0.5, np.nan])})
    {'scores': [0.5, None]}
    """
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
