"""Messages on their way: their words, and the header that the filter puts before them."""

import email
import email.policy
import io
import re

from fuzz.target import Target, require_text
from lopsided.mail._message import HEAD, HEADER, Message, head_of
from lopsided.text import mail_text

_SAID = "show; score=+0.1000; id=0123456789abcdef"
_LONG = b"<64K>"  # stands for so many bytes: messages are read in pieces of 64 KiB
_BLANK = rb"(?:\A|\n)\r*\n"  # ends the headers
# A reader of mail may end a line at any of these.
_OURS = re.compile(rb"(?i)(?:\A|[\n\r\0\v\f])x-lopsided[ \t]*:")


def _check_words(data: bytes) -> None:
    require_text(mail_text(data))


def _check_header(data: bytes) -> None:
    data = data.replace(_LONG, b"a" * (1 << 16), 2)
    message = Message(io.BytesIO(data))
    assert len(message.head) <= HEAD
    assert message.head == head_of(data)
    out = io.BytesIO()
    message.copy(out, _SAID)
    passed = out.getvalue()
    _require_one_header(passed)
    assert passed.endswith(_body(data))


def _require_one_header(passed: bytes) -> None:
    headers = re.split(_BLANK, passed, maxsplit=1)[0]
    assert len(_OURS.findall(headers)) == 1, headers
    for policy in (email.policy.compat32, email.policy.default):
        found = email.message_from_bytes(passed, policy=policy).get_all(HEADER)
        assert [str(one).strip() for one in found] == [_SAID], found


def _body(data: bytes) -> bytes:
    parts = re.split(_BLANK, data, maxsplit=1)
    return parts[1] if len(parts) > 1 else b""


_MAIL = b"Received: here\r\nX-Lopsided: show; id=0123456789abcdef\r\n\ton\r\nSubject: x\r\n\r\nthe body\r\n"
_WORDS = (
    *(b"X-Lopsided:", b"x-lopsided :", b"\nX-Lopsided\n : show", b"\rX-Lopsided: show", b"\0", b"\v", b"\f"),
    *(b"From x\n", b"\r\n\r\n", b"\n ", b"\n\t", _LONG, b"\r", b"X-Lopsided-", b"\r\r\n", b"\xc2\x85"),
)
TARGETS = {
    "mail-words": Target(
        _check_words,
        lambda: [_MAIL, b"Content-Type: text/html; charset=utf-8\n\n<style>x</style><p>hello &amp; bye<!--"],
        (
            b"Content-Type: multipart/mixed; boundary=b\n",
            b"\n--b\n",
            b"charset=",
            b"=?utf-8?b?",
            b"<!--",
            b"&#",
        ),
    ),
    "header": Target(
        _check_header,
        lambda: [_MAIL, b"From x y\n" + _MAIL, b" \r\n" + _MAIL, b"A: " + _LONG + _MAIL],
        _WORDS,
    ),
}
