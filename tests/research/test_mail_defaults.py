"""How the defaults of the mail filter were chosen: streams are what they are called, and prices add up."""

import numpy as np
import pytest
from click.testing import CliRunner

import mail_defaults
from lopsided import EpsilonGreedy, MarginPerceptron, RelaxedOnlineSVM, make_topics, run_stream
from lopsided.mail._settings import Settings
from lopsided.mail._twin import filter_of, vectorizer_of
from lopsided.problems.mail import Mail
from mail_defaults import (
    CANDIDATES,
    CHOSEN,
    PERCEPTRON,
    Candidate,
    Stream,
    price,
    streams,
    try_out,
)


def test_what_was_chosen_is_the_default():
    assert repr(CHOSEN.make(0)) == repr(filter_of(Settings(), 0))
    assert CHOSEN in CANDIDATES
    assert repr(Candidate(PERCEPTRON).make(0)) == repr(filter_of(Settings.of("margin-perceptron"), 0))


def test_streams_are_what_they_are_called():
    rng = np.random.default_rng(0)
    y = (rng.random(4000) < 0.7).astype(np.intp)
    is_late = rng.random(4000) < 0.2
    by_kind = {}
    for stream in streams(y, is_late):
        by_kind.setdefault(stream.kind, []).append(stream)
        assert len(np.unique(stream.order)) == len(stream.order) == len(stream.told)
        if stream.kind != "2 % wrong labels":
            np.testing.assert_array_equal(stream.told, y[stream.order])
    whole, first, second = by_kind["as it came, halves"]
    np.testing.assert_array_equal(np.r_[first.order, second.order], whole.order)
    (late,) = by_kind["new kinds late"]
    assert (np.diff(is_late[late.order].astype(int)) >= 0).all()
    for stream in by_kind["2 % wrong labels"]:
        assert 0.01 < np.mean(stream.told != y[stream.order]) < 0.03
    for stream in by_kind["one ham in ten"]:
        assert 0.08 < stream.told.mean() < 0.13


def mail(n=400):
    texts, topic = make_topics(n, random_state=0)
    rows = vectorizer_of(Settings()).transform([text.encode() for text in texts])
    return rows, (topic % 3 == 0).astype(np.intp)


def test_lost_and_shown_are_by_what_mail_is_not_by_what_was_said_of_it():
    X, y = mail()
    everything, told = np.arange(len(y)), y.copy()
    told[::20] = 1 - told[::20]
    parts = [
        Stream("wrong", everything, told),
        Stream("right", everything, y),
        Stream("right", everything, y),
    ]
    found = try_out(CHOSEN, X, y, parts, seeds=1)
    wrong, right = (run_stream(CHOSEN.make(0), X, labels) for labels in (told, y))
    hidden = ~wrong.show
    assert found["wrong"].tolist() == [np.sum(hidden & (y == 1)), np.sum(~hidden & (y == 0))]
    assert found["right"].tolist() == [2 * right.fn, 2 * right.fp]
    lost, shown = found["wrong"] + found["right"]
    assert price(found) == 10 * lost + shown


@pytest.mark.parametrize(
    ("candidate", "words"),
    [
        (Candidate(MarginPerceptron(), explorer=None), "MarginPerceptron(), no explorer, guard"),
        (
            Candidate(RelaxedOnlineSVM(C=3.0), bias=0.3, explorer=None, guard=False),
            "RelaxedOnlineSVM(C=3.0), bias 0.3, no explorer",
        ),
        (
            Candidate(MarginPerceptron(), explorer=EpsilonGreedy(0.01), only_finds=False),
            "MarginPerceptron(), EpsilonGreedy(epsilon=0.01), guard, explored spam teaches",
        ),
    ],
)
def test_candidates_in_words(candidate, words):
    assert str(candidate) == words


def test_the_table(monkeypatch):
    texts, topic = make_topics(300, random_state=0)

    y, folders = (topic % 3 == 0).astype(np.intp), np.where(topic == 1, "hard_ham", "easy_ham")
    corpora = {"spamassassin": Mail([text.encode() for text in texts], y, folders=folders)}
    monkeypatch.setattr(mail_defaults, "read_mail", corpora.get)
    monkeypatch.setattr(
        mail_defaults, "CANDIDATES", (Candidate(MarginPerceptron(), explorer=None, guard=False), CHOSEN)
    )
    result = CliRunner().invoke(mail_defaults.main, ["--seeds", "1"])
    assert result.exit_code == 0, result.output
    head, plain, chosen = result.output.splitlines()
    assert head.split()[0] == "price"
    assert plain.startswith("MarginPerceptron(), no explorer  ")
    assert chosen.endswith("  chosen")
    corpora["trec07p"] = corpora["spamassassin"]
    monkeypatch.setattr(mail_defaults, "TESTED", (CHOSEN,))
    result = CliRunner().invoke(mail_defaults.main, ["--test"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith(str(CHOSEN))
