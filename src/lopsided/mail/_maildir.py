"""A Maildir rewritten by what was decided about its messages, and new messages delivered to one."""

import errno
import os
import re
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lopsided._files import open_private
from lopsided.mail._filter import alone
from lopsided.mail._message import Judge, Message

_UNFINISHED = ".lopsided"  # in tmp of a Maildir, while a message gets our header; one at a time, under a lock
_WITHOUT_LINKS = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)


def filter_maildir(inbox: Path, hidden: Path, judge: Judge) -> dict[str, int]:
    """Judge the messages in ``new``: move the hidden ones to another Maildir, and give the others our header.

    A message is in one of the two at every moment, whole. Killed in between, both may have it. No message
    ever replaces another one, whatever their names are.
    """
    for part in ("cur", "new", "tmp"):
        (hidden / part).mkdir(mode=0o700, parents=True, exist_ok=True)
    counts = {"show": 0, "hide": 0, "left": 0}
    with alone(inbox / "new"):  # a second one would judge everything again
        names = {box: {"", *_names_in(box)} for box in (inbox, hidden)}
        for path in sorted((inbox / "new").iterdir()):
            if path.name.startswith(".") or not path.is_file():
                continue
            try:
                with path.open("rb") as file:
                    message = Message(file)
                    judged = judge(message)
                    if judged is not None:
                        box = hidden if judged.word == "hide" else inbox
                        _put(message, judged.header, file, path, box, names[box])
                    counts["left" if judged is None else judged.word] += 1
            except FileNotFoundError:
                continue  # a mail program took it meanwhile
    return counts


def _put(message: Message, header: str, file: IO[bytes], path: Path, box: Path, names: set[str]) -> None:
    """Put a message with our header into a Maildir, in place of the one without.

    ``names`` holds the names in use in that Maildir, without flags.
    """
    before = os.fstat(file.fileno())
    whole = box / "tmp" / _UNFINISHED
    try:
        with open_private(whole) as out:
            os.fchmod(out.fileno(), before.st_mode & 0o777)
            message.copy(out, header)
            out.flush()
            os.fsync(out.fileno())
        os.utime(whole, ns=(before.st_atime_ns, before.st_mtime_ns))  # when it came, for mail programs
        _check_unmoved(path, before)
        name = _without_sizes(path.name)
        if box / "new" / name == path:
            os.replace(whole, path)
            return
        if _without_flags(name) in names:
            name = _new_name()
        names.add(_without_flags(name))
        _publish(whole, box, name)
    except BaseException:
        whole.unlink(missing_ok=True)
        raise
    _check_unmoved(path, before)
    path.unlink()


def _check_unmoved(path: Path, before: os.stat_result) -> None:
    """Raise FileNotFoundError unless a file is still where it was."""
    if not os.path.samestat(path.stat(), before):
        raise FileNotFoundError(f"'{path}' is another file now.")


def _publish(whole: Path, box: Path, name: str) -> None:
    """Move a message to ``new`` of a Maildir, under another name if this one is taken."""
    while not _move_if_free(whole, box / "new" / name):
        name = _new_name()
    folder = os.open(box / "new", os.O_RDONLY)
    try:
        os.fsync(folder)  # from here on it survives a power failure
    finally:
        os.close(folder)


def _move_if_free(path: Path, place: Path) -> bool:
    """Move a file unless there is one at its new place, which a rename would write over."""
    try:
        os.link(path, place)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _WITHOUT_LINKS:
            raise
        try:  # an empty file reserves the place, and is the only one that the rename can replace
            os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        os.replace(path, place)
    else:
        path.unlink()
    return True


def _new_name() -> str:
    """Return a name that no message in any Maildir has."""
    now = time.time_ns()
    return f"{now // 10**9}.M{now // 1000 % 10**6}P{os.getpid()}R{secrets.token_hex(8)}.{_host()}"


def _host() -> str:
    """Return this machine's name, as names of files in a Maildir have it."""
    return socket.gethostname().replace("/", "\\057").replace(":", "\\072")


def _names_in(box: Path) -> set[str]:
    """Return the names in use in a Maildir, without flags.

    Names in ``cur`` count, because a mail program that moves a new message there replaces a message that
    has the same name.
    """
    return {_without_flags(name) for part in ("cur", "new") for name in os.listdir(box / part)}


def _without_flags(name: str) -> str:
    return name.partition(":")[0]


def _without_sizes(name: str) -> str:
    """Return a name without the sizes that Dovecot adds, which are those of a message without our header."""
    unique, colon, flags = name.partition(":")
    return re.sub(r",[SW]=[0-9]+(?=,|$)", "", unique) + colon + flags


@contextmanager
def delivery(box: Path) -> Iterator[IO[bytes]]:
    """Deliver a new message to a Maildir, made if need be: it is there when it is whole and on the disk."""
    for part in ("cur", "new", "tmp"):
        (box / part).mkdir(mode=0o700, parents=True, exist_ok=True)
    name = _new_name()
    whole = box / "tmp" / name
    try:
        with whole.open("xb") as file:
            os.fchmod(file.fileno(), 0o600)
            yield file
            file.flush()
            os.fsync(file.fileno())
        _publish(whole, box, name)
    except BaseException:
        whole.unlink(missing_ok=True)
        raise
