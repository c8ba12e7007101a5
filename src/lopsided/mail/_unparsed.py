"""A command line that cannot be understood, in the middle of a delivery: the message passes all the same.

A mistake in a .procmailrc must not lose mail. What mail systems make of exit code 2 and no output: Postfix
bounces the message, maildrop defers it, and procmail delivers an empty one unless the recipe has the flag w.
"""

import json
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise

from lopsided.mail._pipe import in_words, pass_standard
from lopsided.terminal import say

_OTHERS = ("learn", "train", "set", "report", "inspect", "export", "import", "serve", "lmtp")


def is_delivery(argv: Sequence[str]) -> bool:
    """Return whether this may have been meant as `lopsided filter run` for a message on standard input.

    Examples
    --------
    >>> is_delivery(["filter", "run", "--stat", "x"]), is_delivery(["filtre", "rum"])
    (True, True)
    >>> is_delivery(["filter", "learn", "--hma", "-"]), is_delivery(["rules", "run"])
    (False, False)
    """
    words = [word for word in argv if not word.startswith("-")]
    if not get_close_matches(words[0] if words else "", ["filter"]) or (words[1:] and words[1] in _OTHERS):
        return False
    return not any(before == "run" and os.path.exists(word) for before, word in pairwise(argv))


def pass_unfiltered(argv: Sequence[str], error: Exception) -> int | None:
    """Pass on the message on standard input, say why, and return the exit code; None without a message."""
    try:
        # Standard input may be None or have no buffer: that is what is caught below.
        if sys.stdin.isatty() or not sys.stdin.buffer.peek(1):  # type: ignore[union-attr]
            return None
    except (AttributeError, OSError, ValueError):  # closed
        return None
    fails_open = "--temporary-failure" not in argv
    if fails_open and ("--json" in argv or "--exit-code" in argv):
        say(f"{in_words(error)} The message passes unfiltered.")
        if "--json" in argv:
            print(json.dumps({"decision": "show", "filtered": False}))
        while sys.stdin.buffer.read(1 << 16):
            pass  # the program at the other end of the pipe has more to say
        return 0

    def judge(head: bytes) -> str:
        raise error

    return pass_standard(judge, fails_open=fails_open)
