"""The features that are kept of a message: the columns of its byte 4-grams. No text can be read from them.

The text itself is gone, but grams that are guessed can be looked for, as with any hash: a state is private.
"""

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.bytegrams import hashed_columns, packed_columns, unpacked_columns
from lopsided.mail._message import HEAD

GRAM = 4
Columns = NDArray[np.int32]


def columns_of(head: bytes, n_features: int) -> Columns:
    """Return the columns of a message's distinct grams, in order.

    Examples
    --------
    >>> len(columns_of(b"free money", 2**18))
    7
    """
    return hashed_columns([head[:HEAD]], GRAM, n_features)[0]


def pack(columns: Columns) -> bytes:
    """Return columns as gaps between them, seven bits a byte, the last byte of a gap below 128.

    Examples
    --------
    >>> pack(np.array([5, 6, 1000], np.int32)).hex()
    '0500e107'
    """
    return packed_columns(columns)


def unpack(packed: bytes, n_features: int) -> Columns:
    """Return the columns again; ValueError if these bytes are none.

    Examples
    --------
    >>> unpack(bytes.fromhex("0500e107"), 2**18)
    array([   5,    6, 1000], dtype=int32)
    """
    return unpacked_columns(packed, n_features)
