"""Cold starts beside bogofilter: the protocol with a program that only notes how it was called."""

import shlex
import shutil
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import bogofilter
import cold_start
from cold_start import Curve, Point, Stretch, at_equal_spam, stretches
from lopsided import make_topics, run_stream
from lopsided.datasets import DataUnavailable
from lopsided.mail._settings import Settings
from lopsided.mail._twin import filter_of, vectorizer_of
from lopsided.problems.mail import Mail

# Judges by the word in the message, and notes its options; as without a word list, what is no lesson fails
# until there was one.
FAKE = """
import pathlib, sys
message, options = sys.stdin.buffer.read().decode(), sys.argv[1:]
log = pathlib.Path("{log}")
begun = log.exists() and log.read_text()
kind = next((o for o in options if o in ("-n", "-s", "-Ns")), "judge -u" if "-u" in options else "judge")
if kind == "judge" and not begun:
    sys.exit("no word list")
with log.open("a") as file:
    file.write(kind + " " + message + "\\n")
if kind.startswith("judge"):
    assert options[options.index("-o") + 1] == "0.9,0.45"
    sys.exit(0 if "looks-spam" in message else 1 if "looks-ham" in message else 2)
"""


def program(path, code):
    """Make a program of lines of Python. A shell starts it: the first line of a script takes no long path."""
    words = shlex.join([sys.executable, "-c", code])
    path.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    path.chmod(0o700)
    return str(path)


@pytest.fixture
def fake(tmp_path):
    """A stand-in for bogofilter, and what it was asked."""
    log = tmp_path / "log"
    return program(tmp_path / "fake", FAKE.format(log=log)), lambda: log.read_text(
        encoding="utf-8"
    ).splitlines()


MESSAGES = [b"unclear ham", b"looks-ham ham", b"looks-ham spam", b"looks-spam ham", b"unclear spam"]
Y = np.array([1, 1, 0, 1, 0])


def test_bogofilter_learns_its_own_decisions_and_what_the_user_says(fake):
    program, asked = fake
    show = bogofilter.replay(MESSAGES, Y, 0.9, True, program)
    assert show.tolist() == [True, True, True, False, True]
    assert asked() == [
        "judge -u unclear ham",
        "-n unclear ham",
        "judge -u looks-ham ham",  # registered by itself, and rightly
        "judge -u looks-ham spam",
        "-Ns looks-ham spam",  # registered by itself, and taken back
        "judge -u looks-spam ham",  # hidden: nobody hears of it
        "judge -u unclear spam",
        "-s unclear spam",
    ]


def test_bogofilter_that_is_told_only(fake):
    program, asked = fake
    show = bogofilter.replay(MESSAGES, Y, 0.9, False, program)
    assert show.tolist() == [True, True, True, False, True]
    assert asked() == [
        "-n unclear ham",  # shown unseen: there is no word list yet
        "judge looks-ham ham",
        "-n looks-ham ham",
        "judge looks-ham spam",
        "-s looks-ham spam",
        "judge looks-spam ham",
        "judge unclear spam",
        "-s unclear spam",
    ]


def test_a_failure_is_no_verdict(tmp_path):
    broken = program(tmp_path / "broken", "import sys\nprint('no room', file=sys.stderr)\nsys.exit(3)")
    with pytest.raises(RuntimeError, match="broken failed: no room"):
        bogofilter.replay([b"x"], [1], 0.9, True, broken)


@pytest.mark.skipif(shutil.which("bogofilter") is None, reason="bogofilter is not installed")
def test_the_real_one_learns():
    ham, spam = b"Subject: lunch\n\nat the usual place\n", b"Subject: pills\n\ncheap watches for all\n"
    n = 40
    show = bogofilter.replay([ham, spam] * n, [1, 0] * n, 0.9)
    assert show[::2].all()
    assert not show[-9::2].any()
    assert bogofilter.installed().startswith("bogofilter")


def test_the_curve_of_bogofilter_sums_over_stretches(fake):
    program, _ = fake
    curve = cold_start.theirs("it", [Stretch(MESSAGES, Y)] * 2, [0.9], True, program)
    assert curve == Curve("it", (Point("cutoff 0.9", 2, 4, False),))


def mail(n=300):
    texts, topic = make_topics(n, random_state=0)
    return [text.encode() for text in texts], (topic % 3 == 0).astype(np.intp)


def test_our_curve_is_what_lopsided_filter_does():
    messages, y = mail()
    settings = Settings.of("margin-perceptron")
    rows = vectorizer_of(settings).transform(messages)
    curve = cold_start.ours("margin-perceptron", [Stretch(messages, y)], [rows], [0.0, 2.0], seeds=2)
    reports = [run_stream(filter_of(settings, seed), rows, y) for seed in range(2)]
    default, careful = curve.points
    assert default[1:] == (np.mean([r.fn for r in reports]), np.mean([r.fp for r in reports]), True)
    assert careful.ham_lost <= default.ham_lost
    assert careful.spam_shown > default.spam_shown


def test_other_explorers_are_named():
    messages, y = mail(60)
    rows = vectorizer_of(Settings()).transform(messages)
    curve = cold_start.other_explorers("margin-perceptron", [Stretch(messages, y)], [rows], seeds=1)
    assert [point.threshold.partition(",")[0].partition(":")[0] for point in curve.points] == list(
        cold_start.OTHERS
    )


def test_curves_meet_at_equal_spam():
    theirs = Curve("theirs", (Point("a", 5, 10), Point("b", 6, 20), Point("c", 1, 40)))
    ours = Curve("ours", (Point("a", 3, 15), Point("b", 0, 41)))
    assert list(at_equal_spam(theirs, [ours])) == [(10, [5, None]), (20, [5, 3]), (40, [1, 3])]


@pytest.mark.parametrize(
    ("length", "n", "starts"), [(4, 1, [0]), (4, 2, [0, 6]), (3, 3, [0, 3, 7]), (0, 1, [0]), (99, 1, [0])]
)
def test_stretches_lie_evenly(length, n, starts):
    numbers = [b"%d" % i for i in range(10)]
    found = stretches(numbers, np.arange(10), length, n)
    assert [int(part.messages[0]) for part in found] == starts
    assert {len(part.messages) for part in found} == {10 if length in (0, 99) else length}
    assert all([int(m) for m in part.messages] == part.y.tolist() for part in found)


def run(monkeypatch, *arguments):
    messages, y = mail(80)
    monkeypatch.setattr(cold_start, "DATA", ("spamassassin",))
    monkeypatch.setattr(cold_start, "read_mail", lambda corpus: Mail(messages, y))
    options = ["--messages", "40", "--starts", "2", "--seeds", "1", "--learner", "margin-perceptron"]
    result = CliRunner().invoke(cold_start.main, [*options, *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_without_bogofilter_a_line_says_so(monkeypatch):
    monkeypatch.setattr(bogofilter, "installed", lambda: None)
    output = run(monkeypatch)
    assert "spamassassin: 80 messages in 2 starts" in output
    assert "bogofilter is not installed and left out" in output
    assert output.count("default") == 1


def test_the_table_compares(monkeypatch):
    def replay(messages, y, cutoff, updates, program):
        return np.ones(len(messages), dtype=bool)  # shows everything

    monkeypatch.setattr(bogofilter, "installed", lambda: "bogofilter version 0")
    monkeypatch.setattr(bogofilter, "replay", replay)
    output = run(monkeypatch, "--cutoff", "0.99")
    assert output.startswith("bogofilter version 0\n")
    assert "ham lost at no more spam shown than by bogofilter, told only" in output
    n_spam = 80 - int(mail(80)[1].sum())
    assert output.splitlines()[-1].split() == [str(n_spam), "0.0", "0.0"]


def test_without_the_data_a_line_says_so(monkeypatch):
    def missing(corpus):
        raise DataUnavailable("set LOPSIDED_DATA")

    monkeypatch.setattr(cold_start, "DATA", ("spamassassin",))
    monkeypatch.setattr(cold_start, "read_mail", missing)
    result = CliRunner().invoke(cold_start.main, [])
    assert result.exit_code == 0
    assert "spamassassin is left out: set LOPSIDED_DATA" in result.output
