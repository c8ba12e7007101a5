"""Between two mail servers: one decision a recipient, and no message is ever lost."""

import re
import signal
import smtplib
import socket
import socketserver
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lopsided.cli import main
from lopsided.mail import _lmtp, _places
from lopsided.mail._filter import MailFilter
from lopsided.mail._lmtp import serve_lmtp
from lopsided.mail._next import Next, host_and_port
from lopsided.mail._places import Places
from lopsided.mail._proxy import Proxy, user_of
from lopsided.mail._server import Users
from lopsided.mail._settings import Settings

NO_CHANCE = Settings.of(None, "none", guard=False)
MAIL = b"Subject: lunch\r\n\r\n.hidden dot\r\n..\r\n.\ttab\r\nend\r\n"


class Taken(socketserver.StreamRequestHandler):
    """The next server: keeps what it takes, and answers as the test says."""

    def handle(self):
        server, recipient, begun = self.server, None, False
        self.say("220 next")
        for line in self.rfile:
            verb, _, rest = line.decode().strip().partition(" ")
            server.commands.append(f"{verb} {rest}".strip())
            if verb == "MAIL" and begun:
                self.say("503 5.5.1 the last message has not ended")
                continue
            begun = (begun or verb == "MAIL") and verb not in ("RSET", "DATA")
            if verb.upper() in ("EHLO", "LHLO"):
                self.say("250-next\r\n250-8BITMIME\r\n250-SIZE 1000000\r\n250 SMTPUTF8")
            elif verb == "DATA" and server.answer("DATA") is None:
                self.say("354 go")
                message = b""
                while (line := self.rfile.readline()) not in (b".\r\n", b""):
                    message += line
                if server.hangs_up:
                    return
                if line:
                    answer = server.answer("END") or "250 2.0.0 taken"
                    if answer.startswith("2"):
                        server.taken.append((recipient, message))
                    self.say(answer)
            else:
                if verb == "RCPT":
                    recipient = re.search("<(.*)>", rest)[1]
                self.say(server.answer(f"{verb} {rest}") or "250 2.0.0 ok")
                if verb.upper() == "QUIT":
                    return

    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")


class NextServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Taken)
        self.taken, self.commands, self.answers = [], [], {}
        self.hangs_up = False

    def answer(self, what):
        return next((said for part, said in self.answers.items() if part in what), None)


@pytest.fixture
def following():
    with NextServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join(30)


@pytest.fixture
def proxy(tmp_path, following, monkeypatch):
    """A service in a thread, before the next server."""
    monkeypatch.setattr(_lmtp, "_ASKED", 0.02)
    place = Next("smtp", *following.server_address)
    proxy = Proxy(Users(tmp_path / "states", 2, NO_CHANCE), place, connections=6)
    begun, end = threading.Event(), threading.Event()

    def ready(place):
        proxy.place = host_and_port(place)
        begun.set()

    options = {"ready": ready, "stopped": end.is_set}
    thread = threading.Thread(target=serve_lmtp, args=("127.0.0.1:0", proxy), kwargs=options)
    thread.start()
    assert begun.wait(30)
    yield proxy
    end.set()
    thread.join(40)
    assert not thread.is_alive()


@pytest.fixture
def connect(proxy):
    """Return a function that connects as a mail server; all is closed at the end."""
    clients = []

    def connect():
        client = smtplib.LMTP(*proxy.place, local_hostname="localhost", timeout=30)
        clients.append(client)
        assert client.ehlo()[0] == 250  # LHLO, that is
        return client

    yield connect
    for client in clients:
        client.close()


def begin(client, *recipients, sender="<x@y.org>"):
    """All that comes before a message."""
    assert client.docmd(f"MAIL FROM:{sender}")[0] == 250
    for recipient in recipients:
        assert client.docmd(f"RCPT TO:<{recipient}>")[0] == 250
    assert client.docmd("DATA")[0] == 354


def wait_until(is_so):
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def send(client, *recipients, message=MAIL, sender="<x@y.org>"):
    """One message; the answers, one a recipient."""
    begin(client, *recipients, sender=sender)
    stuffed = re.sub(rb"(?m)^\.", b"..", message)
    client.sock.sendall(stuffed + b".\r\n")
    return [client.getreply() for _ in recipients]


def parted(message):
    header, _, rest = message.partition(b"\r\n")
    return header.decode(), rest


def test_each_recipient_gets_a_decision_and_the_message(proxy, connect, following):
    answers = send(connect(), "anna@example.org", "Bert+news@example.org")
    assert answers == [(250, b"2.0.0 taken")] * 2
    assert [recipient for recipient, _ in following.taken] == ["anna@example.org", "Bert+news@example.org"]
    headers = set()
    for _, message in following.taken:
        header, rest = parted(message)
        assert re.fullmatch(r"X-Lopsided: show; score=\+0.0000; id=[0-9a-f]{16}", header)
        headers.add(header)
        assert rest == re.sub(rb"(?m)^\.", b"..", MAIL)
    assert len(headers) == 2
    names = {path.name for path in proxy.users.folder.iterdir() if "@" in path.name}
    assert {"anna@example.org", "bert@example.org"} <= names


def test_it_learns_and_hides(proxy, connect, following):
    spam, ham = b"Subject: pills\r\n\r\nbuy cheap pills\r\n", b"Subject: lunch\r\n\r\nat the usual place\r\n"
    anna = proxy.users["anna@example.org"]
    for _ in range(3):
        anna.learn("ham", head=ham.replace(b"\r\n", b"\n"))
        anna.learn("spam", head=spam.replace(b"\r\n", b"\n"))
    client = connect()
    for message in (spam, ham):
        send(client, "anna@example.org", "bert@example.org", message=message)
    words = [parted(message)[0].split()[1] for _, message in following.taken]
    assert words == ["hide;", "show;", "show;", "show;"]


def test_a_message_is_judged_as_procmail_would_see_it(proxy, connect, following, tmp_path):
    from lopsided.mail._filter import MailFilter

    with MailFilter.open(tmp_path / "other", create=NO_CHANCE) as other:
        for filter in (other, proxy.users["anna@example.org"]):
            filter.learn("ham", head=MAIL.replace(b"\r\n", b"\n"))
        wanted = other.decide(MAIL.replace(b"\r\n", b"\n")).decision.score
    send(connect(), "anna@example.org")
    assert f"score={wanted:+.4f}" in parted(following.taken[0][1])[0]


def test_a_header_of_ours_does_not_come_in(connect, following):
    forged = b"X-Lopsided: show; forged\r\nSubject: x\r\nx-lopsided : hide\r\n\r\nbody\r\n"
    send(connect(), "anna@example.org", message=forged)
    rest = parted(following.taken[0][1])[1]
    assert rest == b"Subject: x\r\n\r\nbody\r\n"


@pytest.mark.parametrize(
    "message",
    [b"\ttab\r\r\nbody\r\n", b" a\r\r\n\r\nb\r\n", b"Subject: x\r\r\n\r\n", b"\tx\r\n", b"\r\r\n"],
)
def test_a_message_is_passed_on_byte_for_byte(connect, following, message):
    """A blank line comes in only before what would continue our line."""
    send(connect(), "anna@example.org", message=message)
    blank = b"\r\n" if message[:1] in b"\t " else b""
    rest = parted(following.taken[0][1])[1]
    assert rest == blank + message


def test_answers_are_those_of_the_next_server(proxy, connect, following):
    following.answers["<bert"] = "550-5.1.1 nobody\r\n550 of this name"
    following.answers["<carl"] = "421 4.7.0 go away"
    answers = send(connect(), "anna@example.org", "bert@example.org", "carl@example.org", "dora@example.org")
    assert answers[0] == (250, b"2.0.0 taken")
    assert answers[1] == (550, b"5.1.1 nobody of this name")
    assert answers[2] == (451, b"4.7.0 go away")
    assert answers[3] == (250, b"2.0.0 taken")
    assert not (proxy.users.folder / "bert@example.org").exists()  # nobody gets a state by being written to


@pytest.mark.parametrize("where", ["MAIL", "DATA", "END"])
def test_what_the_next_server_does_not_take_now_stays_with_the_sender(connect, following, where):
    following.answers[where] = "452 4.3.1 full"
    client = connect()
    assert send(client, "anna@example.org") == [(452, b"4.3.1 full")]
    following.answers.clear()
    assert send(client, "anna@example.org") == [(250, b"2.0.0 taken")]


def test_the_next_server_hangs_up(connect, following, capfd):
    following.hangs_up = True
    client = connect()
    assert (
        send(client, "anna@example.org", "bert@example.org")
        == [(451, b"4.4.1 not passed on, try again later")] * 2
    )
    assert following.taken == []
    following.hangs_up = False
    assert send(client, "anna@example.org") == [(250, b"2.0.0 taken")]
    assert "not passed on" in capfd.readouterr().err


def test_half_a_message_is_none(connect, following, monkeypatch, capfd):
    """What goes wrong in the middle of a message leaves it with the sender."""

    def half(self, out, *_):
        out.write(b"Subject: half\n" * 10_000)
        raise MemoryError

    client = connect()
    with monkeypatch.context() as patch:
        patch.setattr(_lmtp.Message, "copy", half)
        assert send(client, "anna@example.org") == [(451, b"4.4.1 not passed on, try again later")]
    assert send(client, "anna@example.org") == [(250, b"2.0.0 taken")]
    assert len(following.taken) == 1
    assert b"half" not in following.taken[0][1]
    capfd.readouterr()


def test_without_the_next_server_the_sender_is_sent_away(proxy, capfd):
    proxy.next = Next("smtp", "127.0.0.1", _free_port())
    with smtplib.LMTP(*proxy.place, local_hostname="localhost", timeout=30) as client:
        assert client.ehlo() == (421, b"4.4.1 the next server does not answer")
    assert "does not answer" in capfd.readouterr().err


def test_a_filter_that_fails_lets_the_message_pass(proxy, connect, following, capfd):
    (proxy.users.folder / "anna@example.org").mkdir(parents=True)
    assert send(connect(), "anna@example.org", "bert@example.org") == [(250, b"2.0.0 taken")] * 2
    header, rest = parted(following.taken[0][1])
    assert header.startswith("X-Lopsided: unfiltered; ")
    assert rest == re.sub(rb"(?m)^\.", b"..", MAIL)
    assert parted(following.taken[1][1])[0].startswith("X-Lopsided: show;")
    assert "passes unfiltered" in capfd.readouterr().err


def test_a_name_that_is_no_name_passes_unfiltered(proxy, connect, following, capfd):
    answers = send(connect(), "../../etc/x@example.org", '"a b>"@example.org')
    assert [code for code, _ in answers] == [250, 250]
    assert all(parted(message)[0].startswith("X-Lopsided: unfiltered") for _, message in following.taken)
    assert not proxy.users.folder.exists()
    capfd.readouterr()


def test_no_room_for_a_message(connect, following, monkeypatch, capfd):
    class Full(_lmtp.SpooledTemporaryFile):
        def write(self, *_):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(_lmtp, "SpooledTemporaryFile", Full)
    answers = send(connect(), "anna@example.org", "bert@example.org")
    assert [code for code, _ in answers] == [452, 452]
    assert following.taken == []
    capfd.readouterr()


def test_a_sender_that_goes_away_in_the_middle_sends_nothing(proxy, connect, following):
    client = connect()
    client.docmd("MAIL FROM:<>")
    client.docmd("RCPT TO:<anna@example.org>")
    client.docmd("DATA")
    client.sock.sendall(b"Subject: half")
    client.close()
    assert send(connect(), "bert@example.org") == [(250, b"2.0.0 taken")]
    assert [recipient for recipient, _ in following.taken] == ["bert@example.org"]
    with proxy.idle:
        assert proxy.idle.wait_for(lambda: proxy.busy == 0, timeout=30)


@pytest.mark.parametrize("end", [b"\n.\n", b"\n.\r\n", b"\r.\r", b"\r\n.\n", b"\r\n.\r", b"\r.\r\n"])
def test_no_message_is_smuggled_in(connect, following, end):
    inner = end + b"MAIL FROM:<a@b>\r\nRCPT TO:<bert@example.org>\r\nDATA\r\nSubject: forged\r\n"
    message = b"Subject: outer\r\n\r\nx" + inner
    client = connect()
    client.docmd("MAIL FROM:<>")
    client.docmd("RCPT TO:<anna@example.org>")
    client.docmd("DATA")
    client.sock.sendall(message + b"\r\n.\r\n")
    assert client.getreply()[0] == 250
    assert client.noop()[0] == 250
    assert [recipient for recipient, _ in following.taken] == ["anna@example.org"]
    received = following.taken[0][1]
    assert b"Subject: forged" in received
    assert not re.search(rb"\n\.\r?\n", received)


def test_an_end_of_line_at_the_border_of_two_pieces(connect, following):
    for extra in range(-3, 4):
        long = b"x" * (_lmtp._PIECE + extra)
        message = b"Subject: x\r\n\r\n" + long + b"\r\n.\r\n" + long + b"\ry\r\n"
        with connect() as client:
            send(client, "anna@example.org", message=message)
        assert parted(following.taken[-1][1])[1] == message.replace(b"\r\n.\r\n", b"\r\n..\r\n")


def test_a_long_message_is_not_held_in_memory(connect, following, monkeypatch):
    rolled = []

    class Watched(_lmtp.SpooledTemporaryFile):
        def rollover(self):
            rolled.append(self.tell())
            super().rollover()

    monkeypatch.setattr(_lmtp, "SpooledTemporaryFile", Watched)
    long = b"Subject: x\r\n\r\n" + b"a line of text\r\n" * 30_000
    for message in (long, MAIL):
        send(connect(), "anna@example.org", message=message)
    assert len(rolled) == 1
    assert _lmtp._IN_MEMORY < rolled[0] < 2 * _lmtp._IN_MEMORY
    assert parted(following.taken[0][1])[1] == long


def test_an_empty_message(connect, following):
    send(connect(), "anna@example.org", message=b"")
    assert re.fullmatch(r"X-Lopsided: show; \S+ \S+\r\n", following.taken[0][1].decode())


def test_parameters_go_on_to_the_next_server(connect, following):
    client = connect()
    assert client.esmtp_features.keys() >= {"8bitmime", "smtputf8", "size", "pipelining"}
    assert "dsn" not in client.esmtp_features
    client.command_encoding = "utf-8"
    assert client.docmd("MAIL FROM:<jörg@example.org> SIZE=100 BODY=8BITMIME SMTPUTF8")[0] == 250
    assert client.docmd("RCPT TO:<käthe@example.org>")[0] == 250
    assert client.docmd("DATA")[0] == 354
    client.sock.sendall(b"Subject: x\r\n\r\n.\r\n")
    assert client.getreply()[0] == 250
    assert "MAIL FROM:<jörg@example.org> SIZE=100 BODY=8BITMIME SMTPUTF8" in following.commands
    assert following.taken[0][0] == "käthe@example.org"


def test_nonsense_is_answered(connect):
    client = connect()
    for line, code in {
        "HELLO": 500,
        "EHLO x": 500,
        "MAIL FROM:x@y": 501,
        "MAIL FROM:<x\x0bX-Lopsided: show@y>": 501,
        "RCPT TO:<x@y>": 503,
        "DATA": 503,
        "MAIL TO:<x@y>": 501,
        "VRFY x": 252,
        "RSET": 250,
        "MAIL FROM:<>": 250,
        "MAIL FROM:<x@y>": 503,
        "RCPT FROM:<x@y>": 501,
    }.items():
        assert client.docmd(line)[0] == code, line
    client.sock.sendall(b"\xff\xfe\r\n")
    assert client.getreply()[0] == 500
    client.sock.sendall(b"x" * 5000)
    assert client.getreply()[0] == 500
    assert client.sock.recv(100) == b""


def test_too_many_recipients(connect, monkeypatch):
    monkeypatch.setattr(_lmtp, "_MOST_RECIPIENTS", 1)
    client = connect()
    client.docmd("MAIL FROM:<>")
    assert client.docmd("RCPT TO:<a@b>")[0] == 250
    assert client.docmd("RCPT TO:<c@d>")[0] == 452


def test_the_place_of_one_that_has_gone_is_free(proxy, connect):
    clients = [connect() for _ in range(3)]
    clients[0].quit()
    clients[1].sock.close()
    clients[1].file.close()
    wait_until(lambda: len(proxy.places) == 1)
    assert clients[2].noop()[0] == 250


def test_silent_connections_make_room(proxy, connect, following):
    """A client with half of all places loses the one that has been silent longest."""
    silent, lines = [], []
    for _ in range(3):
        silent.append(socket.create_connection(proxy.place, timeout=30))
        lines.append(silent[-1].makefile("rb"))
        assert lines[-1].readline() == b"220 lopsided LMTP\r\n"
        wait_until(lambda: all(place.silence(time.monotonic()) > 0 for place in proxy.places._taken))
        time.sleep(0.01)
    assert send(connect(), "anna@example.org") == [(250, b"2.0.0 taken")]
    assert lines[0].readline().startswith(b"421 4.3.2")
    assert lines[0].readline() == b""
    silent[2].sendall(b"NOOP\r\n")
    assert lines[2].readline().startswith(b"250")
    for peer in silent:
        peer.close()


def test_who_is_at_work_loses_no_place(proxy, connect, following):
    clients = [connect() for _ in range(3)]
    with MailFilter.open(proxy.users.folder / "anna", create=NO_CHANCE) as mine, mine.turn():
        proxy.domain, proxy.line = False, threading.BoundedSemaphore(3)
        for client in clients:
            begin(client, "anna@example.org")
            client.sock.sendall(MAIL + b".\r\n")
        wait_until(lambda: all(place.silence(0) == -1.0 for place in proxy.places._taken))
        with socket.create_connection(proxy.place, timeout=30) as peer:
            assert peer.makefile("rb").readline().startswith(b"421 4.3.2 too many")
    assert [client.getreply()[0] for client in clients] == [250] * 3
    assert len(following.taken) == 3


@pytest.mark.parametrize("drip", [b"", b"N", b"NOOP\r\n"])
def test_time_is_short_where_places_are(proxy, monkeypatch, drip):
    """Also for those who say something now and then, but send no message."""
    monkeypatch.setattr(_places, "_UNDER_LOAD", 0.3)
    proxy.places._most_per_client = 6
    few = [socket.create_connection(proxy.place, timeout=30) for _ in range(3)]
    time.sleep(0.5)
    assert len(proxy.places) == 3  # half of the places: all have five minutes
    many = [socket.create_connection(proxy.place, timeout=30) for _ in range(3)]

    def is_over():
        for peer in few:
            with suppress(OSError):
                peer.sendall(drip)
        return len(proxy.places) <= 3

    wait_until(is_over)
    for peer in few + many:
        peer.close()


def test_a_client_that_fetches_no_answers_loses_its_place(proxy, monkeypatch):
    monkeypatch.setattr(_places, "_PATIENCE", 0.3)
    with socket.create_connection(proxy.place, timeout=20) as peer:
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            peer.sendall(b"NOOP\r\n" * 10_000_000)
        wait_until(lambda: not len(proxy.places))


def test_a_long_message_has_more_time():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        places = Places(1)
        place = places.enter(ours)
        theirs.sendall(b"x" * 5000)
        with place.message():
            assert place.receive_into(bytearray(5000)) == 5000
            now = time.monotonic()
            with place.waiting():
                assert not place.is_late(now + 5.9, 1.0)
                assert place.is_late(now + 6.1, 1.0)
        theirs.sendall(b"x" * 5000)
        assert place.receive_into(bytearray(5000)) == 5000
        with place.waiting():
            assert place.is_late(now + 2, 1.0)
        assert not place.is_late(now + 100, 1.0)  # it does not wait for its client


def test_a_message_has_a_largest_size(proxy, connect, following):
    proxy.largest = len(MAIL)
    client = connect()
    assert client.esmtp_features["size"] == str(len(MAIL))
    assert client.docmd(f"MAIL FROM:<x@y> SIZE={len(MAIL) + 1}")[0] == 552
    assert client.docmd(f"MAIL FROM:<x@y> SIZE={len(MAIL)}")[0] == 250
    client.docmd("RSET")
    too_large = (552, b"5.3.4 message too large, %d bytes at most" % len(MAIL))
    assert send(client, "a@b", "c@d", message=MAIL + b"x\r\n") == [too_large] * 2
    assert following.taken == []
    assert send(client, "a@b") == [(250, b"2.0.0 taken")]
    begin(client, "a@b")
    client.sock.sendall(3 * MAIL)
    with suppress(ConnectionResetError):
        assert client.sock.recv(100) == b""
    assert len(following.taken) == 1


def test_the_size_of_the_next_server_counts_if_it_is_smaller(proxy, connect):
    assert connect().esmtp_features["size"] == "1000000"
    proxy.largest = 10**9
    assert connect().esmtp_features["size"] == "1000000"
    proxy.next = Next.of("maildir:/nowhere")
    assert connect().esmtp_features["size"] == str(10**9)


def test_a_state_in_use_delays_its_user_alone(proxy, connect, following):
    """Not even another recipient of the same message; and not all places wait."""
    late, second, other = connect(), connect(), connect()
    with MailFilter.open(proxy.users.folder / "anna@example.org", create=NO_CHANCE) as mine, mine.turn():
        begin(late, "anna@example.org", "bert@example.org")
        late.sock.sendall(MAIL + b".\r\n")
        wait_until(lambda: following.taken)
        assert following.taken[0][0] == "bert@example.org"
        assert send(other, "carl@example.org") == [(250, b"2.0.0 taken")]
        assert send(second, "anna@example.org", "dora@example.org") == [
            (451, b"4.3.0 the filter of this recipient is in use, try again later"),
            (250, b"2.0.0 taken"),
        ]
    assert [late.getreply() for _ in range(2)] == [(250, b"2.0.0 taken")] * 2
    recipients = [recipient for recipient, _ in following.taken]
    assert recipients == [f"{name}@example.org" for name in ("bert", "carl", "dora", "anna")]
    assert all(parted(message)[0].startswith("X-Lopsided: show;") for _, message in following.taken)


def test_a_state_in_use_for_very_long_lets_the_message_pass(proxy, connect, following, monkeypatch, capfd):
    monkeypatch.setattr(_lmtp, "_WAIT_FOR_STATE", 0.2)
    with MailFilter.open(proxy.users.folder / "anna@example.org", create=NO_CHANCE) as mine, mine.turn():
        assert send(connect(), "anna@example.org") == [(250, b"2.0.0 taken")]
    assert parted(following.taken[0][1])[0].startswith("X-Lopsided: unfiltered; TimeoutError")
    assert "kept the state to itself" in capfd.readouterr().err


def test_many_at_once_and_few_in_memory(proxy, connect, following):
    def work(client):
        for i in range(10):
            assert send(client, f"user{i}@example.org") == [(250, b"2.0.0 taken")]

    threads = [threading.Thread(target=work, args=(connect(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(following.taken) == 30
    assert all(parted(message)[0].startswith("X-Lopsided: show;") for _, message in following.taken)
    assert len(proxy.users) == 2


@pytest.mark.parametrize(
    ("address", "domain", "user"),
    [
        ("anna", True, "anna"),
        ("Anna@Example.Org", True, "anna@example.org"),
        ("anna+a+b@x", False, "anna"),
        ("anna@b@c", True, "anna@b@c"),
    ],
)
def test_users_by_address(address, domain, user):
    assert user_of(address, domain=domain) == user


@pytest.mark.parametrize(
    "address", ["", "@x", "+odd@x", "a b@x", ".x", "a/b@x", "anna-wal", "käthe@x", "\u212aurt@x"]
)
def test_addresses_without_a_filter(address):
    with pytest.raises(ValueError, match="no filter has the name"):
        user_of(address)


@given(st.text())
def test_no_address_leads_out_of_the_folder(address):
    try:
        user = user_of(address)
    except ValueError:
        return
    assert "/" not in user
    assert not user.startswith(".")


@pytest.mark.parametrize(
    "text", ["dovecot", "smtp:/path", "smtp:host", "lmtp:host:x", "http:a:1", "smtp::1:"]
)
def test_where_to_is_said_or_refused(text, tmp_path, capsys):
    options = ["--listen", "127.0.0.1:0", "--states", str(tmp_path), "--next", text]
    assert main(["filter", "lmtp", *options]) == 2
    assert "HOST:PORT" in capsys.readouterr().err
    assert Next.of("lmtp:[::1]:24") == Next("lmtp", "::1", 24)


def test_into_maildirs(proxy, connect, following, tmp_path):
    proxy.next = Next.of(f"maildir:{tmp_path}/mail")
    spam = b"Subject: pills\r\n\r\n.buy cheap pills\r\n"
    anna = proxy.users["anna@example.org"]
    for _ in range(3):
        anna.learn("ham", head=MAIL.replace(b"\r\n", b"\n"))
        anna.learn("spam", head=spam.replace(b"\r\n", b"\n"))
    client = connect()
    assert client.has_extn("smtputf8")
    box = tmp_path / "mail" / "anna@example.org"
    assert send(client, "Anna+x@example.org") == [(451, b"4.2.0 no Maildir of this recipient")]
    box.mkdir(parents=True)
    for message in (spam, MAIL):
        answers = send(client, "Anna+x@example.org", "bert@example.org", message=message)
        assert answers == [(250, b"2.0.0 stored"), (451, b"4.2.0 no Maildir of this recipient")]
    for folder, word, message in ((box / ".Junk", "hide", spam), (box, "show", MAIL)):
        (path,) = (folder / "new").iterdir()
        assert path.stat().st_mode & 0o777 == 0o600
        lines = path.read_bytes().split(b"\n", 3)
        assert lines[:2] == [b"Return-Path: <x@y.org>", b"Delivered-To: Anna+x@example.org"]
        assert lines[2].startswith(f"X-Lopsided: {word}; ".encode())
        assert lines[3] == message.replace(b"\r\n", b"\n")
        assert list((folder / "tmp").iterdir()) == []
    assert following.commands == []
    assert [path.name for path in (tmp_path / "mail").iterdir()] == ["anna@example.org"]
    assert not (proxy.users.folder / "bert@example.org").exists()


def test_a_maildir_that_cannot_be_written_keeps_the_message_with_the_sender(
    proxy, connect, tmp_path, monkeypatch, capfd
):
    proxy.next = Next.of(f"maildir:{tmp_path}/mail")
    later = (451, b"4.4.1 not passed on, try again later")

    def fail(*_):
        raise OSError(28, "No space left on device")

    box = tmp_path / "mail" / "anna@example.org"
    box.mkdir(parents=True)
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", fail)
        assert send(connect(), "anna@example.org") == [later]
    assert [list((box / part).iterdir()) for part in ("tmp", "new")] == [[], []]
    assert send(connect(), "anna@example.org", "a b@x") == [
        (250, b"2.0.0 stored"),
        (550, b"5.1.3 no Maildir has the name of this recipient"),
    ]
    capfd.readouterr()


@pytest.mark.parametrize("length", [4, 200])
def test_the_command_at_a_path_before_an_lmtp_server(tmp_path, short_path, following, length):
    """Killed with a message in hand, it has not said yes to it."""
    path, states = short_path / ("x" * length) / "lmtp", tmp_path / "states"
    path.parent.mkdir()
    to = "lmtp:{}:{}".format(*following.server_address)
    options = ["--listen", path, "--next", to, "--states", states, "--without-domain"]
    start = [sys.executable, "-m", "lopsided", "filter", "lmtp", *options]
    for last in (signal.SIGKILL, signal.SIGTERM):
        process = subprocess.Popen(start, stdout=subprocess.PIPE)
        try:
            assert process.stdout.readline() == f"listening: {path}\n".encode()
            assert path.stat().st_mode & 0o777 == 0o660
            with Next.of(f"lmtp:{path}").connect() as client:
                assert send(client, "anna@example.org") == [(250, b"2.0.0 taken")]
        finally:
            process.send_signal(last)
            process.communicate(timeout=60)
    assert process.returncode == 0
    assert not path.exists()
    assert "lhlo localhost" in following.commands
    assert len(following.taken) == 2
    assert [path.name for path in states.iterdir()] == ["anna"]


@pytest.mark.parametrize(
    "words",
    [
        ["serve", "--socket", "{}/missing/socket"],
        ["lmtp", "--listen", "{}/missing/socket", "--next", "lmtp:127.0.0.1:1"],
    ],
)
def test_a_service_that_cannot_begin_says_why_and_gives_the_signals_back(words, tmp_path, capsys):
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    words = [word.format(tmp_path) for word in words]
    assert main(["filter", *words, "--states", str(tmp_path / "states")]) == 2
    assert "missing" in capsys.readouterr().err
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == before


def _free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
