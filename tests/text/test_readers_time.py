"""Reading takes time in proportion to the length of a file, whatever is in it: nothing hangs."""

import faulthandler

import pytest

from lopsided.text import mail_text, read_documents
from lopsided.text._html import strip_html


@pytest.fixture(autouse=True)
def hang_guard():
    """A quadratic step would take hours on these inputs: minutes tell it apart without a stopwatch."""
    faulthandler.dump_traceback_later(300, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def repeat(start, piece, length):
    return start + piece * (length // len(piece))


@pytest.mark.parametrize("start", ["", "<", "<!", "&#", "<a b='"])
@pytest.mark.parametrize(
    "piece",
    ["<", "<!--", "<script>", "<script", "<a ", "</", "&", "<b>", "<!-- -->", "a", "0", "1", "'", "a='"],
)
def test_html(start, piece):
    strip_html(repeat(start, piece, 400_000))


HTML = b"Content-Type: text/html\n\n"
MULTIPART = b"Content-Type: multipart/mixed; boundary=x\n\n"


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (HTML + b"<", b"a"),
        (b"Subject: ", b"a"),
        (b"Subject: ", b"=?a?q?a"),
        (b"Subject: ", b"=?utf-8?q?a?= "),
        (b"Subject: a\n", b" =?utf-8?b?YQ==?=\n"),
        (b"Content-Type: text/plain", b";"),
        (b'Content-Type: multipart/mixed; a="', b";"),
        (b"Content-Type: multipart/mixed\n", b" ;\n"),
        (b"Content-Type: text/plain; charset=punycode\n\n", b"b9"),
        (b"Content-Transfer-Encoding: base64\n\n", b"a\n"),
        (b"Content-Type: message/delivery-status\n\n", b"a: b\n\n"),
        (b"", b"a: b\n"),
        (b"", b"\r"),
        (MULTIPART, b"--x\n"),
        (MULTIPART, b"--x\n\n"),
        (MULTIPART, b'--x\nContent-Type: multipart/mixed; a="' + b";" * 1900 + b"\n\n"),
        (b"", MULTIPART + b"--x\n"),
        (b"", b"Content-Type: message/rfc822\n\n"),
    ],
)
def test_mail(start, piece):
    mail_text(repeat(start, piece, 600_000))


@pytest.mark.parametrize(
    ("name", "start", "piece"),
    [
        ("a.csv", b'text,y\nfine,1\n"a', b'x","\n'),
        ("a.csv", b"text,y\nfine,1\n", b'"a\n'),
        ("a.csv", b"text,y\nfine,1\n", b'"\n'),
        ("a.csv", b'text,y\nfine,1\n"a', b',""\n'),
        ("a.csv", b'text,y\nfine,1\n"a', b"a,1\n"),
        ("a.csv", b'text,y\nfine,1\n"a', b'" ,"\n'),
        ("a.csv", b'text,y\nfine,1\n"a', b'" '),
        ("a.csv", b'text,y\nfine,1\n"a" ', b" "),
        ("a.csv", b"text,y\rfine,1\r", b"a,1\r"),
        ("a.jsonl", b'{"text": "fine"}\n{"text": ', b"["),
        ("a.jsonl", b'{"text": "fine"}\n{"text": ', b"1"),
        ("a.mbox", b"", b"From \n\n"),
        ("a.ris", b"TY  - A\nAB  - a\n", b"a\n"),
        ("a.ris", b"", b"TY  - A\n"),
    ],
)
def test_files(tmp_path, name, start, piece):
    (tmp_path / name).write_bytes(repeat(start, piece, 400_000))
    assert len(read_documents(tmp_path / name)) > 0
