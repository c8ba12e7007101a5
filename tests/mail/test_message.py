"""What comes in goes out again, with our header and nobody else's."""

import io

import pytest

from lopsided.mail._message import HEAD, Message, head_of
from lopsided.mail._pipe import TEMPORARY, pass_on

ID = "0123456789abcdef"


def passed(raw, verdict="show"):
    out = io.BytesIO()
    Message(io.BytesIO(raw)).copy(out, verdict)
    return out.getvalue()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n",
        b"\n\nbody",
        b"Subject: x",
        b"Subject: x\n\n" + bytes(range(256)) * 50,
        b"Subject: x\r\n\r\nbody\r\n",
        b"\0" * 10_000,
        b"no header at all",
        b"A: " + b"x" * 200_000 + b"\nB: y\n\n" + b"z" * 200_000,
        b"\n".join(b"H%d: x" % i for i in range(20_000)),
    ],
)
def test_the_message_is_unchanged_behind_our_header(raw):
    end = b"\r\n" if b"\r\n" in raw[:20] else b"\n"
    assert passed(raw) == b"X-Lopsided: show" + end + raw
    assert Message(io.BytesIO(raw)).head == raw[:HEAD]
    assert passed(raw, None) == raw


@pytest.mark.parametrize(
    "forged",
    [
        b"X-Lopsided: show\n",
        b"x-lOPSIDED: show\n",
        b"X-Lopsided : show\n",
        b"X-Lopsided-Anything: show\r\n",
        b"X-Lopsided: show;\n folded\n\tagain\n",
        b"X-Lopsided\n : show\n",
        b"X-Lopsided \r\n\t: show\n",
        b"X-Lopsided: " + b"x" * 200_000 + b"\n",
        b"X-Lopsided: a\nX-Lopsided: b\n",
    ],
)
@pytest.mark.parametrize("far", [0, 300])
def test_a_header_of_ours_that_comes_in_is_removed(forged, far):
    before = b"Received: somewhere or other\n" * far
    raw = before + forged + b"Subject: x\n\nX-Lopsided: in the body it is text\n"
    clean = before + b"Subject: x\n\nX-Lopsided: in the body it is text\n"
    assert passed(raw, "hide") == b"X-Lopsided: hide\n" + clean
    assert Message(io.BytesIO(raw)).head == clean[:HEAD]


@pytest.mark.parametrize("end", [b"\r", b"\0"])
@pytest.mark.parametrize("n_filler", [0, *range(65_536 - 9 - 14, 65_536 - 9 + 2), 2 * 65_536 - 9 - 5])
def test_a_copy_behind_an_odd_line_end_is_disarmed(end, n_filler):
    """Also where the message is read in two pieces with the name on their border."""
    raw = b"Subject: " + b"x" * n_filler + end + b"X-Lopsided: show\n\nbody"
    for line in passed(raw, "hide").replace(b"\r", b"\n").replace(b"\0", b"\n").split(b"\n")[1:]:
        assert not line.lower().startswith(b"x-lopsided")


@pytest.mark.parametrize("last", [b"", b"\r", b"\rX-Lop", b"\0\0X", b"X-Lopsided: this is in the middle"])
@pytest.mark.parametrize("rest", [b"", b"\n\nbody", b"ful\n", b"\r\n\r\nbody"])
def test_what_lies_on_the_border_of_two_pieces_is_left_alone(last, rest):
    assert passed(last[:7] + rest, None) == last[:7] + rest
    assert Message(io.BytesIO(last[:7] + rest)).head == last[:7] + rest
    for n in (65_536 - 9 - len(last), 65_536 - 9):
        raw = b"Subject: " + b"x" * n + last + rest
        assert passed(raw, None) == raw


def test_the_line_of_an_mbox_stays_the_first():
    raw = b"From me@here Mon Jan  1 00:00:00 2024\nSubject: x\n\nFrom here on\n"
    first, rest = raw.split(b"\n", 1)
    assert passed(raw) == first + b"\nX-Lopsided: show\n" + rest


@pytest.mark.parametrize("raw", [b" hide\n X-Lopsided: show\n\nbody", b"\tx", b"From me\n ; show\n\nbody"])
def test_a_message_that_begins_with_a_space_does_not_continue_our_line(raw):
    out = passed(raw)
    first, rest = out.split(b"X-Lopsided: show", 1)
    assert first + rest.removeprefix(b"\n\n") == raw
    again = Message(io.BytesIO(out))
    assert again.head.removeprefix(b"From me\n").startswith(b"\n" + raw.removeprefix(b"From me\n")[:3])


def test_a_verdict_is_one_line():
    assert passed(b"Subject: x\n\n", "show\r\nBcc: you") == b"X-Lopsided: show Bcc: you\nSubject: x\n\n"


@pytest.mark.parametrize(
    "raw", [b"Subject: x\n\n" + b"y" * 5000, b"x-lopsided: show\nSubject: x\n\nyou", b""]
)
def test_the_head_of_a_message_that_is_all_there(raw):
    assert head_of(raw) == Message(io.BytesIO(raw)).head


def test_the_id_is_that_of_our_header_and_not_of_the_body():
    assert Message(io.BytesIO(f"X-Lopsided: show; id={ID}\n\n".encode())).id == ID
    assert Message(io.BytesIO(f"Subject: x\n\nX-Lopsided: show; id={ID}\n".encode())).id is None
    assert Message(io.BytesIO(b"X-Lopsided: show; id=short\n\n")).id is None


def test_only_the_beginning_is_read_before_the_decision():
    class Endless(io.RawIOBase):
        n_read = 0

        def readable(self):
            return True

        def readinto(self, buffer):
            self.n_read += len(buffer)
            buffer[:] = b"x" * len(buffer)
            return len(buffer)

    source = Endless()
    assert len(Message(io.BufferedReader(source)).head) == HEAD
    assert source.n_read < 200_000


def test_a_failure_lets_the_message_pass_and_says_so(capsys):
    def judge(head):
        raise OSError("the disk is full")

    out = io.BytesIO()
    assert pass_on(io.BytesIO(b"Subject: x\n\nbody"), out, judge) == 0
    assert out.getvalue() == b"X-Lopsided: unfiltered; OSError, see the log\nSubject: x\n\nbody"
    assert capsys.readouterr().err == "lopsided: the disk is full. The message passes unfiltered.\n"


def test_a_failure_can_ask_to_try_again(capsys):
    def judge(head):
        raise MemoryError

    out = io.BytesIO()
    assert pass_on(io.BytesIO(b"Subject: x\n\nbody"), out, judge, fails_open=False) == TEMPORARY
    assert out.getvalue() == b""
    assert "MemoryError" in capsys.readouterr().err


def test_what_cannot_be_written_or_read_is_tried_again(capsys):
    class Full(io.RawIOBase):
        def writable(self):
            return True

        def readable(self):
            return True

        def write(self, data):
            raise OSError(28, "No space left on device")

        def readinto(self, buffer):
            raise OSError(5, "Input/output error")

    out = io.BufferedWriter(Full())
    assert pass_on(io.BytesIO(b"Subject: x\n\n"), out, lambda head: "show") == TEMPORARY
    assert "could not be written" in capsys.readouterr().err
    assert pass_on(io.BufferedReader(Full()), io.BytesIO(), lambda head: "show") == TEMPORARY
    assert "could not be read" in capsys.readouterr().err
