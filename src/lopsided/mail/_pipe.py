"""One message in, the same message out: whatever goes wrong, it is not lost."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import IO

from lopsided.mail._message import Message
from lopsided.terminal import say

TEMPORARY = 75  # EX_TEMPFAIL of sysexits.h: try again later


def pass_on(
    source: IO[bytes], out: IO[bytes], judge: Callable[[bytes], str], *, fails_open: bool = True
) -> int:
    r"""Copy a message with our header before it, and return the exit code.

    ``judge`` makes the header of the message's first bytes. If it fails, the message goes out with a header
    that says so, or, without ``fails_open``, stays where it is and the code asks to try again. So it does
    if the message cannot be read or written.

    Examples
    --------
    >>> import io
    >>> out = io.BytesIO()
    >>> pass_on(io.BytesIO(b"Subject: hello\n\n"), out, lambda head: "show")
    0
    >>> out.getvalue()
    b'X-Lopsided: show\nSubject: hello\n\n'
    """
    try:
        message = Message(source)
    except Exception as error:
        return _give_up(f"the message could not be read ({error})")
    try:
        header = judge(message.head)
    except Exception as error:
        if not fails_open:
            return _give_up(f"{in_words(error)} Not delivered: try again")
        say(f"{in_words(error)} The message passes unfiltered.")
        header = f"unfiltered; {type(error).__name__}, see the log"
    try:
        message.copy(out, header)
        out.flush()
    except Exception as error:
        with suppress(OSError):
            out.close()  # or it would be tried again at the end
        return _give_up(f"the message could not be written ({error})")
    return 0


def pass_standard(judge: Callable[[bytes], str], *, fails_open: bool = True) -> int:
    """Run `pass_on` from standard input to standard output, either of which may be closed."""
    if sys.stdin is None:
        return _give_up("there is no message: standard input is closed")
    try:
        out = os.fdopen(os.dup(1), "wb")  # another one: a message that fails to be written is not tried again
    except OSError as error:
        return _give_up(f"the message could not be written ({error})")
    with out:
        return pass_on(sys.stdin.buffer, out, judge, fails_open=fails_open)


def in_words(error: Exception) -> str:
    """Return what went wrong as a sentence."""
    told = getattr(error, "format_message", error.__str__)  # of click: with a hint
    text = " ".join(told().split()) or type(error).__name__
    return text if text.endswith((".", "?")) else f"{text}."


def _give_up(why: str) -> int:
    say(f"{why}.")
    return TEMPORARY
