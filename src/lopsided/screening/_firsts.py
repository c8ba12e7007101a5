"""The first records of groups as bytes: what is known of each, and its word triples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.screening._alike import FACTS
from lopsided.screening._sealed import seal, unseal

_VERSION = f"copies 1\n{FACTS.descr}"
_SIZES = np.dtype("<u8")
_NUMBER = np.dtype("<u4")


def pack(n_before: int, n_records: int, facts: NDArray[Any], values: NDArray[np.uint32]) -> bytes:
    """Return bytes for the first records among some that were compared.

    Parameters
    ----------
    n_before, n_records : int
        How many records came before these, and how many these are.
    facts : structured array
        Of the first records.
    values : array of uint32
        Their word triples, one record after the other.
    """
    sizes = np.array([n_before, n_records, len(facts)], dtype=_SIZES)
    return seal(b"".join((sizes.tobytes(), facts.tobytes(), values.astype(_NUMBER).tobytes())), _VERSION)


def unpack(content: bytes, n_before: int) -> tuple[int, NDArray[Any], NDArray[np.uint32]]:
    """Return the number of records, the facts of the first ones and their word triples.

    Parameters
    ----------
    content : bytes
        What `pack` returned.
    n_before : int
        How many records have to come before these.
    """
    rest = unseal(content, _VERSION)
    begin = 3 * _SIZES.itemsize
    if len(rest) < begin:
        raise ValueError("records that were compared have no sizes.")
    before, n_records, n_facts = np.frombuffer(rest, _SIZES, 3).tolist()
    if before != n_before:
        raise ValueError(f"records behind {before} others cannot follow on {n_before}.")
    end = begin + n_facts * FACTS.itemsize
    if n_facts > n_records or end > len(rest) or (len(rest) - end) % _NUMBER.itemsize:
        raise ValueError("records that were compared are cut off.")
    facts = np.frombuffer(rest, FACTS, n_facts, begin).copy()
    values = np.frombuffer(rest, _NUMBER, -1, end).astype(np.uint32)
    rows, steps = facts["row"] - n_before, np.diff(facts["row"])
    is_sound = (rows >= 0).all() and (rows < n_records).all() and (steps > 0).all()
    if not is_sound or (facts["size"] < 0).any() or facts["size"].sum() != len(values):
        raise ValueError("records that were compared have numbers that do not fit together.")
    return n_records, facts, values
