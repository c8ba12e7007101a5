"""The service answers as the library decides, for many users, whatever comes in."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading

import numpy as np
import pytest

from lopsided import make_topics, run_stream
from lopsided.cli import main
from lopsided.mail import _sockets
from lopsided.mail._client import ask
from lopsided.mail._filter import MailFilter
from lopsided.mail._server import MOST_BYTES, Connection, Users, serve
from lopsided.mail._settings import Settings
from lopsided.mail._twin import filter_of, vectorizer_of

NO_CHANCE = Settings.of(None, "none", guard=False)


@pytest.fixture
def service(tmp_path, short_path):
    """A service in a thread: where it is, and its users."""
    path, users = short_path / "socket", Users(tmp_path / "states", 2, NO_CHANCE)
    begun, end = threading.Event(), threading.Event()
    thread = threading.Thread(
        target=serve, args=(path, users), kwargs={"ready": begun.set, "stopped": end.is_set}
    )
    thread.start()
    assert begun.wait(30)
    yield path, users
    end.set()
    thread.join(30)
    assert not thread.is_alive()
    assert not path.exists()


@pytest.fixture
def connect():
    """Return a function that connects to a service; all is closed at the end."""
    peers = []

    def connect(service):
        peers.append(Peer(service[0]))
        return peers[-1]

    yield connect
    for peer in peers:
        peer.close()


class Peer:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile("rb")

    def __call__(self, line, body=b""):
        self.socket.sendall(line.encode() + b"\n" + body)
        return self.lines.readline().decode().rstrip("\n")

    def close(self):
        self.lines.close()
        self.socket.close()

    def check(self, user, message):
        return self(f"check {user} {len(message)}", message)


def mail(n=200):
    texts, topic = make_topics(n, random_state=0)
    return [text.encode()[:3000] for text in texts], np.where(topic % 3 == 0, 1, 0)


def test_decisions_are_those_of_run_stream(service, connect):
    messages, y = mail()
    peer, shown = connect(service), []
    for message, label in zip(messages, y, strict=True):
        answer = peer.check("anna", message)
        shown.append(answer.startswith("show;"))
        if shown[-1]:
            id = re.search("id=(.*)", answer)[1]
            assert peer(f"learn anna {'ham' if label else 'spam'} {id}") == "learned"
    report = run_stream(filter_of(NO_CHANCE, 0), messages, y, vectorizer=vectorizer_of(NO_CHANCE))
    np.testing.assert_array_equal(shown, report.show)
    assert 0 < report.show.sum() < len(y)


def test_many_requests_at_once_are_answered_in_order(service, connect):
    messages, _ = mail(100)
    peer = connect(service)
    peer.socket.sendall(
        b"".join(b"check user%d %d\n" % (i % 3, len(m)) + m for i, m in enumerate(messages)) + b"ping\n"
    )
    answers = [peer.lines.readline() for _ in range(101)]
    assert all(answer.startswith(b"show; score=+0.0000; id=") for answer in answers[:-1])
    assert answers[-1] == b"pong\n"
    assert len(service[1]) == 2  # of three, the latest
    assert sorted(p.name for p in service[1].folder.iterdir() if "-" not in p.name) == [
        "user0",
        "user1",
        "user2",
    ]


def test_users_know_nothing_of_each_other(service, connect):
    peer = connect(service)
    id = re.search("id=(.*)", peer.check("anna", b"Subject: hello"))[1]
    assert peer(f"learn bert ham {id}") == "unknown"
    assert peer(f"learn anna ham {id}") == "learned"
    assert peer(f"learn anna ham {id}") == "again"
    assert peer(f"learn anna spam {id}") == "corrected"
    assert peer("teach bert ham 14", b"Subject: hello") == "learned"


@pytest.mark.parametrize(
    "user", ["../anna", ".hidden", "a/b", "", "x" * 200, "käthe", "a-wal", "a.refused-1"]
)
def test_a_name_leads_out_of_no_folder(service, connect, user):
    assert connect(service)(f"learn {user} ham 0123456789abcdef").startswith("error")
    folder = service[1].folder
    assert not folder.exists() or not list(folder.iterdir())


@pytest.mark.parametrize("line", ["check anna", "check anna -1", "check anna 99999999999", "x" * 2000])
def test_what_cannot_be_parted_ends_the_connection(service, connect, line):
    peer = connect(service)
    assert peer(line).startswith("error")
    assert peer.lines.readline() == b""
    assert connect(service)("ping") == "pong"


@pytest.mark.parametrize("line", ["", "hello", "learn anna perhaps 1", "ping pong", "learn anna ham"])
def test_other_nonsense_is_answered(service, connect, line):
    peer = connect(service)
    assert peer(line).startswith("error not a request")
    assert peer("ping") == "pong"


def test_half_a_request_and_away(service, connect):
    for data in (b"check anna 100\nhalf", b"chec", b""):
        peer = connect(service)
        peer.socket.sendall(data)
        peer.close()
    assert connect(service)("ping") == "pong"


def test_requests_of_many_connections_are_answered_each_in_its_order(service, connect):
    peers = [connect(service) for _ in range(10)]
    for round in range(5):
        for i, peer in enumerate(peers):
            peer.socket.sendall(b"check user%d 5\nhelloping\ncheck anna 3\nyou" % (i % 2))
        for peer in peers:
            answers = [peer.lines.readline() for _ in range(3)]
            assert [answer[:4] for answer in answers] == [b"show", b"pong", b"show"], round
    assert service[1]["anna"].engine.gate.n_rounds == 50


def test_the_one_silent_longest_makes_room_for_the_next(service, connect, monkeypatch):
    from lopsided.mail import _server

    monkeypatch.setattr(_server, "MOST_CONNECTIONS", 5)
    first, *others = [connect(service) for _ in range(5)]
    for peer in (first, *others):
        assert peer("ping") == "pong"
    for peer in others:
        peer.socket.sendall(b"a line that never")
    assert first("ping") == "pong"  # by now what the others sent has been read
    assert first("ping") == "pong"
    for _ in range(4):
        assert connect(service)("ping") == "pong"
    assert first("ping") == "pong"
    assert all(peer.lines.readline() == b"" for peer in others)


def test_answers_that_nobody_fetches_are_kept_within_bounds(service, connect, monkeypatch):
    from lopsided.mail import _server

    monkeypatch.setattr(_server, "_MOST_WAITING", 1000)
    peer, n = connect(service), 200_000
    sender = threading.Thread(target=peer.socket.sendall, args=(b"ping\n" * n,))
    sender.start()
    assert connect(service)("ping") == "pong"  # others are served meanwhile
    assert all(peer.lines.readline() == b"pong\n" for _ in range(n))
    sender.join(30)


def test_one_who_has_no_more_to_ask_gets_all_answers(service, connect):
    peer = connect(service)
    peer.socket.sendall(b"ping\n" * 10_000)
    peer.socket.shutdown(socket.SHUT_WR)
    assert peer.lines.read() == b"pong\n" * 10_000


@pytest.mark.parametrize("request_line", [b"ping\n", b"check anna 0\n"])
def test_a_client_that_never_reads_costs_bounded_memory_and_is_dropped(
    service, connect, monkeypatch, request_line
):
    from lopsided.mail import _server

    monkeypatch.setattr(_server, "_SLOW", 0.3)
    silent, other = connect(service), connect(service)
    most = []
    send = Connection.send

    def watched(self):
        send(self)
        most.append(len(self.incoming) + len(self.outgoing) + len(self.asked))

    monkeypatch.setattr(Connection, "send", watched)
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        silent.socket.sendall(request_line * (4_000_000 // len(request_line)))
    assert other("ping") == "pong"
    assert max(most) < _server._PIECE + 2 * _server._MOST_WAITING


def test_a_state_that_is_in_use_elsewhere_delays_its_user_alone(service, connect, monkeypatch):
    from lopsided.mail import _server

    monkeypatch.setattr(_server, "_WAIT", 60.0)
    anna, bert = connect(service), connect(service)
    assert anna.check("anna", b"Subject: hello").startswith("show;")
    with MailFilter.open(service[1].folder / "anna") as mine, mine.turn():
        anna.socket.sendall(b"check anna 5\nhelloping\n")
        for i in range(20):
            assert bert.check(f"bert{i}", b"Subject: hello").startswith("show;")
        anna.socket.settimeout(0.2)
        with pytest.raises(TimeoutError):
            anna.socket.recv(1)
    anna.socket.settimeout(30)
    assert anna.socket.recv(5) == b"show;"
    assert connect(service)("ping") == "pong"


def test_many_who_wait_for_a_state_are_told_to_try_again_and_others_are_served(service, connect, monkeypatch):
    from lopsided.mail import _server

    monkeypatch.setattr(_server, "_WAIT", 60.0)
    monkeypatch.setattr(_server, "_MOST_HELD", 3)
    connect(service).check("anna", b"Subject: hello")
    with MailFilter.open(service[1].folder / "anna") as mine, mine.turn():
        crowd = [connect(service) for _ in range(6)]
        for peer in crowd:
            peer.socket.sendall(b"check anna 5\nhello")
            assert connect(service).check("bert", b"x").startswith("show;")
        for peer in crowd[:3]:
            assert peer.lines.readline().startswith(b"error BusyError")
    for peer in crowd[3:]:
        assert peer.lines.readline().startswith(b"show;")


def test_a_client_asks_again_within_its_time(service, connect, monkeypatch):
    """The state is busy for longer than the service waits: the message is judged all the same."""
    from lopsided.mail import _client, _server

    monkeypatch.setattr(_server, "_WAIT", 0.05)
    connect(service).check("anna", b"Subject: hello")
    with MailFilter.open(service[1].folder / "anna") as mine:
        found = []
        with mine.turn():
            thread = threading.Thread(target=lambda: found.append(ask(str(service[0]), "anna", b"x")))
            thread.start()
            thread.join(0.6)
            assert thread.is_alive()
        thread.join(30)
        assert found[0].startswith("show;")
        monkeypatch.setattr(_client, "_WAIT", 0.3)
        with mine.turn(), pytest.raises(OSError, match="another process uses this user's state"):
            ask(str(service[0]), "anna", b"x")


def test_a_client_waits_where_the_queue_of_the_service_is_full(short_path):
    """As it is for a moment, when a hundred messages come at once."""
    path, queued = short_path / "socket", []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)
        while True:
            queued.append(socket.socket(socket.AF_UNIX))
            queued[-1].setblocking(False)
            if queued[-1].connect_ex(str(path)):
                break
        found = []
        thread = threading.Thread(target=lambda: found.append(ask(str(path), "anna", b"x")))
        thread.start()
        thread.join(0.3)
        assert thread.is_alive()
        for peer in queued:
            peer.close()
        listener.settimeout(30)
        while thread.is_alive():
            with listener.accept()[0] as peer:
                if peer.recv(100):
                    peer.sendall(b"show; id=1\n")
                    thread.join(30)
    assert found == ["show; id=1"]


def test_mail_to_a_name_like_that_of_a_companion_file_touches_nobody(service, connect):
    peer = connect(service)
    id = re.search("id=(.*)", peer.check("anna", b"Subject: hello"))[1]
    for name in ("anna-wal", "anna-shm", "anna-journal", "anna.refused-1"):
        assert peer.check(name, b"Subject: hello").startswith("error")
    assert peer(f"learn anna ham {id}") == "learned"
    assert sorted(path.name for path in service[1].folder.iterdir()) == ["anna", "anna-shm", "anna-wal"]


def test_a_damaged_state_is_set_aside(service, connect, capfd):
    peer = connect(service)
    folder = service[1].folder
    folder.mkdir()
    (folder / "anna").write_bytes(b"nonsense")
    assert peer.check("anna", b"Subject: x").startswith("show;")
    assert (folder / "anna.refused-1").read_bytes() == b"nonsense"
    assert capfd.readouterr().err.count("\n") == 1


def test_a_failure_is_an_answer_and_the_service_goes_on(service, connect):
    folder = service[1].folder
    (folder / "anna").mkdir(parents=True)
    peer = connect(service)
    assert peer.check("anna", b"Subject: x").startswith("error FileNotFoundError")
    with pytest.raises(OSError, match="the service says: error"):
        ask(str(service[0]), "anna", b"Subject: x")
    assert ask(str(service[0]), "bert", b"Subject: x").startswith("show;")


def test_a_process_may_change_a_state_meanwhile(service, connect):
    peer = connect(service)
    id = re.search("id=(.*)", peer.check("anna", b"Subject: hello"))[1]
    with MailFilter.open(service[1].folder / "anna") as mine:
        assert mine.learn("ham", id=id) == "learned"
    assert peer(f"learn anna ham {id}") == "again"
    with MailFilter.open(service[1].folder / "anna") as mine:
        mine.learn("spam", head=b"Subject: cheap pills")
    assert not peer.check("anna", b"Subject: hello").startswith("show; score=+0.0000")


def test_a_state_that_is_removed_meanwhile_begins_anew(service, connect):
    peer = connect(service)
    for i in range(3):
        id = re.search("id=(.*)", peer.check("anna", b"Subject: hello %d" % i))[1]
    (service[1].folder / "anna").unlink()
    assert peer(f"learn anna ham {id}") == "unknown"
    assert peer.check("anna", b"Subject: hello").startswith("show;")
    assert service[1]["anna"].engine.gate.n_rounds == 1


def test_a_state_that_is_in_use_elsewhere_does_not_hold_up_the_others_for_long(service, connect, monkeypatch):
    from lopsided.mail import _server

    monkeypatch.setattr(_server, "_WAIT", 0.1)
    peer = connect(service)
    assert peer.check("anna", b"Subject: hello").startswith("show;")
    with MailFilter.open(service[1].folder / "anna") as mine, mine.turn():
        assert peer.check("anna", b"Subject: hello").startswith("error BusyError")
        assert peer.check("bert", b"Subject: hello").startswith("show;")
    assert peer.check("anna", b"Subject: hello").startswith("show;")


def test_requests_come_in_any_pieces():
    whole = b"check a 5\n12345ping\nlearn a ham 1\ncheck b 0\n"
    connection, found = Connection(None), []
    for byte in whole:
        connection.incoming.append(byte)
        found += connection.requests()
    assert [request.words[0] for request in found] == ["check", "ping", "learn", "check"]
    assert found[0].body == b"12345"
    connection.incoming += b"check a %d\n" % (MOST_BYTES + 1)
    assert list(connection.requests()) == []
    assert connection.broken


@pytest.mark.slow
def test_killing_the_service_loses_nothing_that_was_answered(tmp_path, short_path):
    path, states, told, n = short_path / "socket", tmp_path / "states", [], 0
    start = [sys.executable, "-m", "lopsided", "filter", "serve", "--socket", path, "--states", states]
    rng = np.random.default_rng(0)
    for _ in range(12):
        process = subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout.readline().startswith(b"socket: ")  # in place of the one that was killed
        timer = threading.Timer(float(rng.uniform(0.05, 0.3)), process.kill)
        peer = Peer(path)
        timer.start()
        try:
            while True:
                peer.socket.sendall(b"".join(b"check anna 9\nhello %3d" % (n % 1000 + k) for k in range(5)))
                ids = []
                for _ in range(5):
                    if not (answer := peer.lines.readline()).endswith(b"\n"):
                        raise ConnectionResetError
                    n += 1
                    if answer.startswith(b"show;"):
                        ids.append(answer.rpartition(b"id=")[2].strip().decode())
                for id in ids:
                    if peer(f"learn anna {'ham' if n % 3 else 'spam'} {id}") != "learned":
                        raise ConnectionResetError
                    told.append(id)
        except (BrokenPipeError, ConnectionResetError):
            pass
        peer.close()
        timer.join()
        assert process.communicate()[1] == b""
        assert process.returncode == -signal.SIGKILL
    with MailFilter.open(states / "anna") as mine, mine.turn():
        assert len(told) > 30
        assert mine.engine.gate.n_rounds >= n
        assert all(mine.known(id).label for id in told)
        assert mine.state.rows("PRAGMA integrity_check") == [("ok",)]
    assert not list(states.glob("*.refused*"))


@pytest.mark.parametrize("depth", [0, 3])
def test_the_command_serves_and_ends(tmp_path, short_path, depth):
    """Also at a path that is longer than a socket's address."""
    path = short_path.joinpath(
        *["a folder with a long name, in which there is another one"] * depth, "socket"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "lopsided", "filter"]
    start = [*command, "serve", "--socket", path, "--states", tmp_path / "states"]
    process = subprocess.Popen(start, stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline().startswith(b"socket: ")
        assert path.stat().st_mode & 0o777 == 0o600
        raw = b"Subject: x\n\nbody"
        options = ["run", "--socket", path, "--user", "anna"]
        out = subprocess.run([*command, *options], input=raw, capture_output=True, check=True).stdout
        assert out.startswith(b"X-Lopsided: show; score=+0.0000; id=")
        assert out.endswith(raw)
        second = subprocess.run(
            [*command, "serve", "--socket", path, "--states", tmp_path], capture_output=True, check=False
        )
        assert second.returncode == 2
        assert b"somebody serves at" in second.stderr
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert not path.exists()
    gone = subprocess.run([*command, *options], input=raw, capture_output=True, check=True)
    assert gone.stdout.startswith(b"X-Lopsided: unfiltered; OSError")
    assert os.listdir(tmp_path / "states") == ["anna"]


@pytest.mark.parametrize("words", [["serve", "--socket"], ["lmtp", "--next", "maildir:/nowhere", "--listen"]])
def test_a_path_that_is_too_long_for_the_system_is_told(tmp_path, monkeypatch, capsys, words):
    monkeypatch.setattr(_sockets, "_DESCRIPTORS", "/nowhere")  # as where there is no /proc
    path = str(tmp_path / "long" / ("x" * 100))
    (tmp_path / "long").mkdir()
    assert main(["filter", *words, path, "--states", str(tmp_path / "states")]) == 2
    err = capsys.readouterr().err
    assert f"cannot listen at '{path}': AF_UNIX path too long. Name a short" in err
    assert err.count("\n") == 1
    with pytest.raises(OSError, match=r"no service answers at .* path too long"):
        ask(path, "anna", b"Subject: x")
