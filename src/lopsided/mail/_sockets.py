"""Unix sockets at paths of any length."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LONGEST = 100  # bytes that an address holds on every system: 107 on Linux, 103 on macOS
_DESCRIPTORS = "/proc/self/fd"


@contextmanager
def address_of(path: str | Path) -> Iterator[str]:
    """Yield the address at which to bind or connect a socket at ``path``.

    Where the path is too long for an address, it leads through a descriptor of the folder. That needs Linux's
    /proc; elsewhere the socket module says that the path is too long.

    Examples
    --------
    >>> with address_of("/run/lopsided/socket") as address:
    ...     address
    '/run/lopsided/socket'
    """
    whole = os.fspath(path)
    if len(os.fsencode(whole)) <= _LONGEST or not os.path.isdir(_DESCRIPTORS):
        yield whole
        return
    folder, name = os.path.split(whole)
    # O_PATH asks for no right to list the folder, as little as a short path does.
    descriptor = os.open(folder or ".", os.O_DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY))
    try:
        yield f"{_DESCRIPTORS}/{descriptor}/{name}"
    finally:
        os.close(descriptor)
