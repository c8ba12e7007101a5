"""Names of users, each of which is a file in the folder of a service."""

import re

_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@+-]{0,127}")
# Files that SQLite and we put beside the state of somebody else: mail to "anna-wal" must not touch anna's.
_BESIDE = re.compile(r".*(-wal|-shm|-journal|\.refused-[0-9]+)")


def is_user(name: str) -> bool:
    """Return whether a user can be called so.

    Examples
    --------
    >>> [is_user(name) for name in ("anna", "anna@example.org", "../anna", ".anna", "anna-wal")]
    [True, True, False, False, False]
    """
    return _USER.fullmatch(name) is not None and _BESIDE.fullmatch(name) is None
