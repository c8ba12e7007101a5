"""Limits of a zip archive, checked before anything is unpacked.

The zipfile module reads no more of a member than the directory of the archive announces, so that what is
announced is a limit.
"""

import struct
import zipfile
from typing import IO

from lopsided.terminal import one_line

_LARGEST_DIRECTORY = 64 * 2**20  # bytes; an entry takes ten times as much in memory
_HARMLESS = 64 * 2**20  # bytes that may be unpacked from whatever little
_LARGEST_RATIO = 200  # text shrinks to a third or a tenth, a table that repeats itself to a fiftieth
_END = struct.Struct("<4s4H2LH")
_MARK = b"PK\x05\x06"


def open_zip(file: IO[bytes], name: str) -> zipfile.ZipFile:
    """Open an archive, unless its directory alone would fill the memory."""
    file.seek(0, 2)
    size = file.tell()
    file.seek(max(0, size - 2**16 - _END.size))
    tail = file.read()
    place = tail.rfind(_MARK)
    if 0 <= place <= len(tail) - _END.size:
        directory = _END.unpack_from(tail, place)[5]
        if directory > _LARGEST_DIRECTORY:
            raise ValueError(f"'{name}' holds too many files. Unpack it and name the folder.")
    file.seek(0)
    try:
        return zipfile.ZipFile(file)
    except Exception as error:  # zipfile raises whatever broken bytes lead to
        raise ValueError(
            f"'{name}' is not a whole zip archive ({one_line(str(error)[:200], 'utf-8')}). Write it again."
        ) from None


def is_bomb(size: int, packed: int) -> bool:
    """Return whether something unpacks to many times its size.

    Examples
    --------
    >>> is_bomb(10**6, 10), is_bomb(10**10, 10**6)
    (False, True)
    """
    return size > max(_HARMLESS, _LARGEST_RATIO * packed)
