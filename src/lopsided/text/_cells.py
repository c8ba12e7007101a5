"""The text of a cell of any type: what a person would have typed."""

import json
import math
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from lopsided.text._decode import clean_text, decode_bytes


def write_cell(value: Any) -> str:
    """Return a cell as text: dates as ISO text, whole numbers without a fraction, lists joined by semicolons.

    Examples
    --------
    >>> from datetime import datetime
    >>> [write_cell(value) for value in (None, 2004.0, True, datetime(2004, 5, 1), ["a", "b"])]
    ['', '2004', 'true', '2004-05-01', 'a; b']
    """
    match value:
        case None:
            return ""
        case str():
            return value if value.isascii() and "\x00" not in value else clean_text(value)[0]
        case bool():
            return "true" if value else "false"
        case float():
            if math.isnan(value):
                return ""
            return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        case datetime() if value.time() == time() and value.tzinfo is None:
            return value.date().isoformat()
        case datetime():
            return value.isoformat(sep=" ")
        case date() | time():
            return value.isoformat()
        case int() | Decimal():
            return _write_number(value)
        case bytes():
            return decode_bytes(value)[0]
        case list() | tuple():
            return "; ".join(filter(None, map(write_cell, value)))
        case Mapping():
            return clean_text(json.dumps(value, ensure_ascii=False, default=str))[0]
        case _:
            return clean_text(str(value))[0]


def _write_number(value: int | Decimal) -> str:
    try:
        return str(value)
    except ValueError:  # Python writes no more than 4,300 digits
        return hex(int(value))
