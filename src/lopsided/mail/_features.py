"""What is kept of a message: the columns of its byte 4-grams, as few bytes. No text can be read from them.

The text itself is gone, but grams that are guessed can be looked for, as with any hash: a state is private.
"""

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.bytegrams import hashed_columns
from lopsided.mail._message import HEAD

GRAM = 4
Columns = NDArray[np.int32]


def columns_of(head: bytes, n_features: int) -> Columns:
    """The columns of a message's distinct grams, in order.

    Examples
    --------
    >>> len(columns_of(b"free money", 2**18))
    7
    """
    return hashed_columns([head[:HEAD]], GRAM, n_features)[0]


def pack(columns: Columns) -> bytes:
    """Columns as gaps between them, seven bits a byte, the last byte of a gap below 128.

    Examples
    --------
    >>> pack(np.array([5, 6, 1000], np.int32)).hex()
    '0500e107'
    """
    gaps = np.empty_like(columns)
    gaps[:1] = columns[:1]
    gaps[1:] = columns[1:] - columns[:-1] - 1
    most = 1 if len(gaps) == 0 else max(1, -(-int(gaps.max()).bit_length() // 7))  # bytes of a gap
    sevens = np.empty((len(gaps), most), np.uint8)
    needed = np.empty((len(gaps), most), np.bool_)
    needed[:, 0] = True
    for k in range(most):
        sevens[:, k] = gaps & 127
        gaps >>= 7
        if k + 1 < most:
            needed[:, k + 1] = gaps > 0
    sevens[:, :-1][needed[:, 1:]] |= 128
    return sevens[needed].tobytes()


def unpack(packed: bytes, n_features: int) -> Columns:
    """The columns again; ValueError if these bytes are none.

    Examples
    --------
    >>> unpack(bytes.fromhex("0500e107"), 2**18)
    array([   5,    6, 1000], dtype=int32)
    """
    data = np.frombuffer(packed, np.uint8)
    last = data < 128
    if not len(data):
        return np.empty(0, np.int32)
    if not last[-1]:
        raise ValueError("features end in the middle of a number")
    starts = np.append(0, np.flatnonzero(last)[:-1] + 1)
    place = np.arange(len(data)) - np.repeat(starts, np.diff(np.append(starts, len(data))))
    if place.max() > 4:
        raise ValueError("features with a number that is too long")
    gaps = np.add.reduceat((data & 127).astype(np.int64) << (7 * place), starts)
    columns = np.cumsum(gaps + 1) - 1
    if columns[-1] >= n_features:
        raise ValueError("features out of range")
    return columns.astype(np.int32)
