"""Real mail through the real command and the real service: the decisions of run_stream, bit for bit."""

import json
import subprocess
import sys

import numpy as np
import pytest

from lopsided import ByteGramVectorizer, EpsilonGreedy, MarginPerceptron, OneSidedFilter, run_stream
from lopsided.datasets import fetch_spamassassin
from lopsided.mail._filter import MailFilter
from lopsided.mail._server import Request, Users
from lopsided.mail._settings import Settings


def reference(messages, y):
    filter = OneSidedFilter(MarginPerceptron(), EpsilonGreedy(0.01), guard=True, random_state=7)
    return run_stream(filter, messages, y, vectorizer=ByteGramVectorizer(n_features=2**18))


@pytest.fixture
def spamassassin(need):
    need("spamassassin")
    mail = fetch_spamassassin()
    return mail.data, mail.target


def test_the_service_decides_about_spamassassin_as_run_stream_does(spamassassin, tmp_path):
    messages, y = spamassassin
    MailFilter.open(tmp_path / "anna", create=Settings(), seed=7).close()
    users, answers = Users(tmp_path, 1), []
    for message, label in zip(messages, y, strict=True):
        head = message[:20_000]
        (answer,) = users.answer([Request(("check", "anna", str(len(head))), head)])
        answers.append(answer)
        if answer.startswith("show;"):
            told = ("learn", "anna", "ham" if label else "spam", answer.rpartition("id=")[2])
            assert users.answer([Request(told)]) == ["learned"]
    users.close()
    report = reference(messages, y)
    np.testing.assert_array_equal([answer.startswith("show;") for answer in answers], report.show)
    np.testing.assert_array_equal(["explored" in answer for answer in answers], report.explored)
    said = [answer.partition("score=")[2].partition(";")[0] for answer in answers]
    assert said == [f"{score:+.4f}" for score in report.score]
    assert report.explored.sum() > 5
    assert (tmp_path / "anna").stat().st_size < 8e6


@pytest.mark.slow
def test_the_command_decides_about_spamassassin_as_run_stream_does(spamassassin, tmp_path):
    messages, y = (part[:150] for part in spamassassin)
    state = tmp_path / "me"
    MailFilter.open(state, create=Settings(), seed=7).close()
    command = [sys.executable, "-m", "lopsided", "filter"]
    found = []
    for message, label in zip(messages, y, strict=True):
        run = [*command, "run", "--state", state]
        out = subprocess.run(run, input=message, capture_output=True, check=True).stdout
        envelope = out.startswith(b"From ")
        header = out.split(b"\n")[1 if envelope else 0].decode()
        found.append(header)
        assert out.replace(header.encode() + b"\n", b"", 1) == message
        if header.startswith("X-Lopsided: show"):
            learn = [*command, "learn", "--ham" if label else "--spam", "-", "--state", state, "--json"]
            told = subprocess.run(learn, input=out, capture_output=True, check=True).stdout
            assert json.loads(told) == {f"{'ham' if label else 'spam'} learned": 1}
    report = reference(messages, y)
    np.testing.assert_array_equal([header.startswith("X-Lopsided: show") for header in found], report.show)
    said = [header.partition("score=")[2].partition(";")[0] for header in found]
    assert said == [f"{score:+.4f}" for score in report.score]
