"""Real mail through the real command and the real service: the decisions of run_stream, bit for bit."""

import json
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager

import numpy as np
import pytest

from lopsided import run_stream
from lopsided.datasets import fetch_spamassassin, fetch_trec07p
from lopsided.mail._filter import FORGOTTEN, REMEMBERED, MailFilter
from lopsided.mail._settings import LEARNERS, Settings
from lopsided.mail._twin import filter_of, vectorizer_of

COMMAND = [sys.executable, "-m", "lopsided", "filter"]
FEW = 80  # messages through the command, which takes two processes for one that is shown


@pytest.fixture
def spamassassin(need):
    need("spamassassin")
    mail = fetch_spamassassin()
    return mail.data, mail.target


@pytest.fixture
def trec07p(need):
    need("trec07p")
    mail = fetch_trec07p()
    return mail.data, mail.target


@contextmanager
def service(path, states):
    """``lopsided filter serve`` in a process of its own; a connection to it."""
    arguments = [*COMMAND, "serve", "--socket", path, "--states", states]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline()  # it says where it is once it is ready
            with socket.socket(socket.AF_UNIX) as peer:
                peer.settimeout(60)
                peer.connect(str(path))
                yield peer
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def through_service(path, states, messages, y):
    """What it answers about each message; the label of what is shown comes before the next message."""
    answers, told = [], b""
    with service(path, states) as peer, peer.makefile("rb") as lines:
        for message, label in zip(messages, y, strict=True):
            head = message[:20_000]
            peer.sendall(told + b"check anna %d\n" % len(head) + head)
            if told:
                assert lines.readline() == b"learned\n"
            answers.append(lines.readline().decode().strip())
            told = b""
            if answers[-1].startswith("show;"):
                id = answers[-1].rpartition("id=")[2]
                told = f"learn anna {'ham' if label else 'spam'} {id}\n".encode()
        if told:
            peer.sendall(told)
            assert lines.readline() == b"learned\n"
    return answers


def check_same(answers, state, settings, messages, y):
    """Every decision, every score as it was printed, the last ones to the bit, and all that was learned."""
    filter = filter_of(settings, 7)
    report = run_stream(filter, messages, y, vectorizer=vectorizer_of(settings))
    np.testing.assert_array_equal([answer.startswith("show;") for answer in answers], report.show)
    np.testing.assert_array_equal(["explored" in answer for answer in answers], report.explored)
    said = [answer.partition("score=")[2].partition(";")[0] for answer in answers]
    assert said == [f"{score:+.4f}" for score in report.score]
    with closing(sqlite3.connect(state)) as db:
        kept = db.execute("SELECT score, probability FROM messages ORDER BY number").fetchall()
    assert min(len(y), REMEMBERED) <= len(kept) < REMEMBERED + FORGOTTEN
    np.testing.assert_array_equal(kept, np.c_[report.score, report.probability][-len(kept) :])
    with MailFilter.open(state) as mine:
        learned = mine.engine.learned()
        assert mine.engine.gate.n_labels == report.n_labels
    if settings.learner == "margin-perceptron":  # the SVM keeps its weights in a form of its own
        np.testing.assert_array_equal(learned["w"], filter.learner.coef_.ravel())
    assert min(report.fp, report.tn) > 0
    return report


def make(folder, settings=None):
    MailFilter.open(folder / "anna", create=settings or Settings(), seed=7).close()
    return settings or Settings()


def test_the_service_decides_about_spamassassin_as_run_stream_does(spamassassin, tmp_path, short_path):
    mail = tuple(part[:3000] for part in spamassassin)
    settings = make(tmp_path, Settings.of(None, "epsilon-greedy:0.05"))
    answers = through_service(short_path / "socket", tmp_path, *mail)
    report = check_same(answers, tmp_path / "anna", settings, *mail)
    assert report.explored.sum() > 20
    assert (tmp_path / "anna").stat().st_size < 10e6


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_service_decides_about_all_of_trec07p_as_run_stream_does(learner, trec07p, tmp_path, short_path):
    settings = make(tmp_path, Settings.of(learner))
    answers = through_service(short_path / "socket", tmp_path, *trec07p)
    check_same(answers, tmp_path / "anna", settings, *trec07p)


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["spamassassin", "trec07p"])
def test_the_command_decides_about_the_first_messages_as_run_stream_does(corpus, request, tmp_path):
    messages, y = (part[:FEW] for part in request.getfixturevalue(corpus))
    settings = make(tmp_path)
    state, found = tmp_path / "anna", []
    for message, label in zip(messages, y, strict=True):
        run = [*COMMAND, "run", "--state", state]
        out = subprocess.run(run, input=message, capture_output=True, check=True).stdout
        envelope = out.startswith(b"From ")
        header = out.split(b"\n")[1 if envelope else 0].decode()
        found.append(header.removeprefix("X-Lopsided: "))
        assert out.replace(header.encode() + b"\n", b"", 1) == message
        if found[-1].startswith("show;"):
            learn = [*COMMAND, "learn", "--ham" if label else "--spam", "-", "--state", state, "--json"]
            told = subprocess.run(learn, input=out, capture_output=True, check=True).stdout
            assert json.loads(told) == {f"{'ham' if label else 'spam'} learned": 1}
    check_same(found, state, settings, messages, y)
