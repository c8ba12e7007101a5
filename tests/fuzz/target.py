"""What a fuzz target is, and what the code under test may do with strange bytes."""

import random
import shutil
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Target(NamedTuple):
    """A way into the library for bytes from outside."""

    check: Callable[[bytes], None]
    """Raises if the library does anything but accept the bytes or refuse them as documented."""
    seeds: Callable[[], list[bytes]]
    """Good inputs, from which the others are made."""
    words: tuple[bytes, ...] = ()
    """Pieces that mean something in the format."""


@contextmanager
def may_refuse() -> Iterator[None]:
    """Accept a `ValueError` of one plain line. Its subclasses are what another library has let through."""
    try:
        yield
    except ValueError as error:
        if type(error) is not ValueError and not type(error).__module__.startswith("lopsided"):
            raise
        require_plain(str(error))


def require_plain(text: str) -> None:
    """Fail unless the text is one line that can be stored and cannot drive a terminal."""
    found = [letter for letter in text if unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp")]
    assert not found, f"{found[:5]} in {text!r}"


def require_text(text: str) -> None:
    """Fail unless the text can be stored as UTF-8 and as a C string."""
    assert "\0" not in text
    text.encode()


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a folder of its own, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="lopsided-fuzz-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def mutate(data: bytes, words: tuple[bytes, ...], rng: random.Random) -> bytes:
    """Return the bytes with a few things changed."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        begin = rng.randint(0, len(out))
        end = min(len(out), begin + rng.choice((1, 1, 2, 4, 16, 256)))
        match rng.randrange(5):
            case 0:
                del out[begin:end]
            case 1:
                out[begin:end] = out[begin:end] * rng.choice((2, 3, 50))
            case 2:
                out[begin:end] = rng.randbytes(end - begin)
            case 3:
                out[begin:begin] = rng.choice(words or (b"\0",))
            case 4:
                out[begin:end] = rng.choice((*words, b"\xff", b"\x1b[31m", b"\r", b"\n", b"9" * 400))
    return bytes(out)
