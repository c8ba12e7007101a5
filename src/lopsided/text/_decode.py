"""Bytes to text, whatever the bytes are."""

import codecs
import re

_BYTE_ORDER_MARKS = (
    # the mark of UTF-32-LE begins with that of UTF-16-LE, so the longer ones are tried first
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def decode_bytes(raw: bytes, *, cut: bool = False) -> tuple[str, list[str]]:
    """Return the text of bytes that may be anything, and what had to be repaired; never raise.

    A byte order mark decides; without one the bytes are UTF-8 if they can be, else latin-1, which maps
    every byte to a character.

    Parameters
    ----------
    raw : bytes
        What was read.
    cut : bool, default=False
        Whether ``raw`` is only the beginning of something, so that half a character at its end is no error.

    Returns
    -------
    text : str
        The text, free of NUL characters and lone surrogates.
    repairs : list of str
        What had to be repaired, in words; empty for clean text.

    Examples
    --------
    >>> decode_bytes("naïve".encode())
    ('naïve', [])
    >>> decode_bytes("naïve".encode("latin-1"))
    ('naïve', ['not UTF-8, read as latin-1'])
    """
    encoding = marked_encoding(raw) or "utf-8"
    try:
        text = codecs.getincrementaldecoder(encoding)("strict").decode(raw, final=not cut)
        decoding = []
    except UnicodeDecodeError:
        if encoding in ("utf-8", "utf-8-sig"):
            text, decoding = raw.decode("latin-1"), ["not UTF-8, read as latin-1"]
        else:
            text, decoding = raw.decode(encoding, "replace"), [f"not {encoding.upper()} throughout"]
    text, cleaning = clean_text(text)
    return text, decoding + cleaning


def marked_encoding(raw: bytes) -> str | None:
    """Return the encoding that a byte order mark at the start announces, or None.

    Examples
    --------
    >>> marked_encoding("a".encode("utf-16"))
    'utf-16'
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return encoding
    return None


def clean_text(text: str) -> tuple[str, list[str]]:
    r"""Return a text without what UTF-8 cannot store or what ends a C string, and what was replaced.

    Examples
    --------
    >>> clean_text("a\x00b")
    ('a b', ['NUL bytes became spaces'])
    """
    repairs = []
    if "\x00" in text:
        text = text.replace("\x00", " ")
        repairs.append("NUL bytes became spaces")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:  # JSON may spell half a surrogate pair
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            repairs.append("lone surrogates replaced")
    return text, repairs


def printable(name: str) -> str:
    r"""Return a file name that can be printed and stored, whatever bytes and control characters it has.

    Examples
    --------
    >>> printable(b"na\xefve".decode("utf-8", "surrogateescape")) == "na\N{REPLACEMENT CHARACTER}ve"
    True
    >>> print(printable("red\x1b[31m.csv"))
    red\x1b[31m.csv
    """
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
