import mailbox
import re
from email.message import EmailMessage

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lopsided.datasets import fetch_spamassassin
from lopsided.text import mail_text, read_documents
from lopsided.text._html import strip_html
from lopsided.text._mail import parse_mail


def read(folder, name, content, **arguments):
    path = folder / name
    path.write_bytes(content)
    return read_documents(path, **arguments)


def problems(documents):
    return [(problem.id, problem.reason) for problem in documents.problems]


@pytest.fixture
def spamassassin(need):
    """Raw messages of the SpamAssassin corpus."""
    need("spamassassin")
    return fetch_spamassassin().data


# the words of one message


def test_subject_sender_and_text_parts():
    message = EmailMessage()
    message["Subject"] = "Caf\u00e9 at noon"
    message["From"] = "J\u00fcrgen <j@example.org>"
    message["To"] = "nobody@example.org"
    message.set_content("See you there, \u20ac5.\n")
    message.add_alternative("<p>See <b>you</b> there</p>", subtype="html")
    message.add_attachment(b"\x89PNG....", maintype="image", subtype="png", filename="x.png")
    text = mail_text(bytes(message))
    assert text.split("\n")[:3] == [
        "Caf\u00e9 at noon",
        "J\u00fcrgen <j@example.org>",
        "See you there, \u20ac5.",
    ]
    assert "See you there" in text.split("\n", 3)[3]
    assert "PNG" not in text
    assert "nobody" not in text


def test_a_forwarded_message_is_read_too():
    inner = EmailMessage()
    inner["Subject"] = "inner"
    inner.set_content("inside")
    outer = EmailMessage()
    outer["Subject"] = "outer"
    outer.set_content("see below")
    outer.add_attachment(inner)
    assert [word for word in ("outer", "see below", "inside") if word in mail_text(bytes(outer))] == [
        "outer",
        "see below",
        "inside",
    ]


@pytest.mark.parametrize(
    ("raw", "text", "repairs"),
    [
        (b"", "", []),
        (b"just a body without headers", "just a body without headers", ["missing header body separator"]),
        (b"Subject: caf\xe9\n\nb", "caf\u00e9\nb", []),
        (b"Subject: caf\xc3\xa9\n\nb", "caf\u00e9\nb", []),
        (b"Subject: =?utf-8?b?a?=\n\nb", "=?utf-8?b?a?=\nb", ["undecodable header"]),
        (b"Subject: =?nonsense?q?abc?=\n\nb", "=?nonsense?q?abc?=\nb", ["undecodable header"]),
        (b"Content-Type: text/plain; charset=nonsense\n\ncaf\xe9", "caf\u00e9", ["wrong charset"]),
        (b"Content-Type: text/plain; charset=utf-8\n\ncaf\xe9", "caf\u00e9", ["wrong charset"]),
        (b"Content-Type: text/plain; charset=koi8-r\n\n\xc1", "\u0430", []),
        (b"Subject: x\n\na\x00b", "x\na b", ["NUL bytes became spaces"]),
    ],
)
def test_odd_mail_by_hand(raw, text, repairs):
    assert parse_mail(raw) == (text, repairs)


def test_text_is_not_bytes():
    with pytest.raises(TypeError, match="expects bytes, got str"):
        mail_text("Subject: x")


def test_what_the_parser_cannot_take_is_read_raw(monkeypatch):
    def fail(raw, factory):
        raise AttributeError("inside the parser")

    monkeypatch.setattr("email.message_from_bytes", fail)
    assert parse_mail(b"Subject: caf\xe9") == (
        "Subject: caf\u00e9",
        ["not parsed as mail (AttributeError), raw text taken"],
    )


def nested(depth):
    return b"".join(b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (i, i) for i in range(depth))


def test_deep_nesting_is_read_as_text():
    assert parse_mail(nested(20) + b"\nhello") == ("hello", ["close boundary not found"])
    text, repairs = parse_mail(b"Subject: x\n" + nested(3000) + b"\nhello")
    assert text.startswith("x\n--20\nContent-Type: multipart/mixed")
    assert text.endswith("hello")
    assert repairs == ["close boundary not found", "nested too deep"]


def test_headers_longer_than_any_honest_one_are_cut():
    text, repairs = parse_mail(b"To: " + b"t" * 5000 + b"\nSubject: " + b"s" * 5000 + b"\n\nbody")
    assert text == "s" * 2000 + "\nbody"
    assert repairs == ["header cut"]
    assert parse_mail(b"To: " + b"t" * 5000 + b"\nSubject: " + b"s" * 2000 + b"\n\nbody")[1] == []


def test_codecs_of_python_are_no_charsets_of_mail():
    raw = b"Content-Type: text/plain; charset=punycode\n\nbcher-kva"
    assert parse_mail(raw) == ("bcher-kva", ["wrong charset"])


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                b"Content-Type: text/html; charset=",
                b"Content-Type: multipart/mixed; boundary=x\n",
                b"Content-Transfer-Encoding: base64\n",
                b"Content-Transfer-Encoding: x-uuencode\n",
                b"Subject: =?utf-8?b?",
                b"?=",
                b"--x\n",
                b"--x--\n",
                b"begin 644 a\n",
                b"<!--",
                b"utf-7",
                b"idna",
                b"\n",
                b"\n\n",
                b"\x00",
            ]
        )
        | st.binary(max_size=8)
    )
)
def test_any_bytes_are_mail(pieces):
    text = mail_text(b"".join(pieces))
    text.encode()
    assert "\x00" not in text


def test_every_spamassassin_message_has_words(spamassassin):
    assert len(spamassassin) == 6046
    unparsed = 0
    for raw in spamassassin:
        text, repairs = parse_mail(raw)
        text.encode()
        unparsed += any("not parsed" in repair for repair in repairs)
        assert text.strip()
    assert unparsed == 0


# HTML


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("<p>one</p><p>two</p>", ["one", "two"]),
        ("v<b></b>ia<!-- x -->gra", ["viagra"]),
        ("v<B CLASS=x>ia</B>gra", ["viagra"]),
        ("a<script>if (a<b) {x>y}</script>b<STYLE>p{}</STYLE >c", ["a", "b", "c"]),
        ("<!-- <b> --> shown <!-- never closed", ["shown"]),
        ("<!DOCTYPE html><?xml?><br/>x", ["x"]),
        ("1 < 2 &amp;&lt; 3", ["1", "<", "2", "&<", "3"]),
        ("<img alt=x", ["<img", "alt=x"]),
    ],
)
def test_html_by_hand(page, words):
    assert strip_html(page).split() == words


def test_numbers_of_no_character_are_replaced():
    assert strip_html("&#65;&#" + "9" * 5000 + ";&#0;&#66") == "A\ufffd\ufffdB"
    zeros = "0" * 5000
    assert (
        strip_html(f"&#0000000065;&#{zeros}66;&#{zeros}67 &#{zeros};&#{zeros}9999999999;")
        == "ABC \ufffd\ufffd"
    )


# mbox


def test_mbox_by_hand(tmp_path):
    content = (
        b"From a@example.org Mon Jan  1 00:00:00 2024\n"
        b"Subject: one\n\nFrom the first line of a body\nFrom a second line\n>From quoted\n\n"
        b"From b@example.org Mon Jan  1 00:00:00 2024\nSubject: two\n\nbody\n"
    )
    documents = read(tmp_path, "in.mbox", content)
    # "From " right after an empty line opens a message, as the format says; elsewhere it is text
    assert list(documents) == [
        b"Subject: one\n",
        b"From a second line\n>From quoted\n",
        b"Subject: two\n\nbody\n",
    ]
    assert documents.ids == ["in.mbox:1", "in.mbox:2", "in.mbox:3"]


def test_mbox_equals_the_standard_library(tmp_path):
    box = mailbox.mbox(tmp_path / "in.mbox")
    for i in range(20):
        message = EmailMessage()
        message["Subject"] = f"number {i}"
        message.set_content("\n" * (i % 3) + f"From here on {i}\n\nFrom there\n" + "\n" * (i % 4))
        box.add(message)
    box.flush()
    expected = [box.get_bytes(key) for key in range(20)]
    box.close()
    assert list(read_documents(tmp_path / "in.mbox")) == expected


def test_mbox_with_windows_line_ends(tmp_path):
    documents = read(
        tmp_path, "in.mbox", b"From a\r\nSubject: 1\r\n\r\nx\r\n\r\nFrom b\r\nSubject: 2\r\n\r\ny\r\n"
    )
    assert list(documents) == [b"Subject: 1\r\n\r\nx\r\n", b"Subject: 2\r\n\r\ny\r\n"]


def test_mbox_with_a_byte_order_mark(tmp_path):
    documents = read(tmp_path, "in.mbox", b"\xef\xbb\xbfFrom a\nSubject: 1\n")
    assert list(documents) == [b"Subject: 1\n"]
    assert documents.problems == []


def test_mbox_without_an_opening_line_loses_nothing(tmp_path):
    documents = read(tmp_path, "in.mbox", b"\nSubject: 1\n\nx\n\nFrom b\nSubject: 2\n\ny\n")
    assert list(documents) == [b"Subject: 1\n\nx\n", b"Subject: 2\n\ny\n"]
    assert problems(documents) == [("in.mbox:1", "no 'From ' line before the first message")]


def test_long_messages_are_cut_and_the_next_one_is_whole(tmp_path):
    long = b"x" * 200_000  # longer than the pieces in which a line is read
    content = b"From " + long + b"\nSubject: 1\n\n" + long + b"From inside a line\n\nFrom b\nSubject: 2\n"
    documents = read(tmp_path, "in.mbox", content, max_bytes=100_000)
    assert list(documents) == [b"Subject: 1\n\n" + long[: 100_000 - 12], b"Subject: 2\n"]
    assert problems(documents) == [("in.mbox:1", "cut to 100,000 bytes")]


def test_empty_messages(tmp_path):
    documents = read(tmp_path, "in.mbox", b"From a\n\nFrom b\n\n")
    assert list(documents) == [b"\n", b"\n"]
    assert problems(documents) == [("in.mbox:1", "empty"), ("in.mbox:2", "empty")]


def test_mbox_as_text_reports_malformed_mail(tmp_path):
    content = b"From a\nSubject: x\nContent-Type: multipart/mixed; boundary=q\n\nno boundary\n"
    documents = read(tmp_path, "in.mbox", content, mail="text")
    assert documents[0] == "x\nno boundary\n"
    assert ("in.mbox:1", "start boundary not found") in problems(documents)
    assert read_documents(tmp_path / "in.mbox").problems == []  # bytes are handed on unparsed


def split_mbox(content):
    """Slow twin of the mbox reader: the whole file in memory, line by line."""
    messages = []
    after_blank = True
    for line in re.findall(rb"[^\n]*\n|[^\n]+", content):
        if after_blank and line.startswith(b"From "):
            messages.append(b"")
        elif messages:
            messages[-1] += line
        elif line.strip():
            messages.append(line)
        if messages:
            after_blank = line in (b"\n", b"\r\n")
    return [re.sub(rb"(\r?\n)\1\Z", rb"\1", message) for message in messages]


@settings(deadline=None)
@given(st.lists(st.sampled_from([b"From ", b"\n", b"\n\n", b"\r\n", b">", b"x"]) | st.binary(max_size=9)))
@example([b"\n\r\n"])
def test_any_bytes_are_an_mbox_and_no_text_is_lost(tmp_path_factory, pieces):
    content = b"".join([b"\nx", *pieces])  # so that it does not start with a byte order mark
    folder = tmp_path_factory.getbasetemp()
    assert list(read(folder, "noise.mbox", content)) == split_mbox(content)
    read(folder, "noise.mbox", content, mail="text", max_bytes=20)


@settings(deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_are_one_message(tmp_path_factory, content):
    folder = tmp_path_factory.getbasetemp()
    assert list(read(folder, "noise.eml", content)) == [content]
    assert len(read(folder, "noise.eml", content, mail="text", max_bytes=20)) == 1


# Maildir


def test_maildir_in_order_of_arrival(tmp_path):
    box = mailbox.Maildir(tmp_path / "box")
    box.close()
    for part, name in (("cur", "3.host:2,S"), ("new", "1.host"), ("cur", "2.host:2,"), ("new", ".hidden")):
        (tmp_path / "box" / part / name).write_bytes(b"Subject: %s\n\n" % name.encode())
    (tmp_path / "box" / "cur" / "4.gone").symlink_to(tmp_path / "nowhere")
    documents = read_documents(tmp_path / "box")
    assert documents.ids == ["1.host", "2.host", "3.host"]
    assert list(documents) == [b"Subject: 1.host\n\n", b"Subject: 2.host:2,\n\n", b"Subject: 3.host:2,S\n\n"]
    assert problems(documents) == [("4.gone", "not a file")]
    assert read_documents(tmp_path / "box", mail="text")[0] == "1.host"


def test_labels_of_mail_are_refused(tmp_path):
    mailbox.Maildir(tmp_path / "box").close()
    with pytest.raises(ValueError, match="'box' is a Maildir, which has none"):
        read_documents(tmp_path / "box", label="y")
