"""The engine decides as the library does, bit for bit."""

from functools import partial

import numpy as np
import pytest

from lopsided import make_topics, run_stream
from lopsided.mail._engine import Engine
from lopsided.mail._features import columns_of, pack, unpack
from lopsided.mail._settings import LEARNERS, Settings
from lopsided.mail._twin import filter_of, vectorizer_of

EXPLORERS = ["none", "epsilon-greedy:0.05", "label-efficient:0.001", "apple-tasting", "softmax:0.1"]


def mail(n=600):
    texts, topic = make_topics(n, random_state=0)
    return [b"", b"abc", *(text.encode() for text in texts[2:])], np.where(topic % 3 == 0, 1, -1)


@pytest.mark.parametrize("guard", [False, True])
@pytest.mark.parametrize("explorer", EXPLORERS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_decisions_are_those_of_run_stream(learner, explorer, guard):
    messages, y = mail()
    settings = Settings.of(learner, explorer, guard)
    report = run_stream(filter_of(settings, 3), messages, y, vectorizer=vectorizer_of(settings))
    engine = Engine(settings, int(np.random.default_rng(3).integers(2**63)))
    found = []
    for i, (message, sign) in enumerate(zip(messages, y.tolist(), strict=True)):
        columns = columns_of(message, settings.n_features)
        decision = engine.decide(columns)
        found.append(decision)
        if decision.show:
            engine.gate.settle(decision, sign, partial(engine.teach, columns))
        if i % 97 == 0:  # a process ends, and another goes on
            after = Engine(settings, 0)
            after.relearn(engine.learned())
            after.restore_gate(engine.gate_state())
            engine = after
    show, explored, score, probability = map(np.array, zip(*found, strict=True))
    np.testing.assert_array_equal(show, report.show)
    np.testing.assert_array_equal(explored, report.explored)
    np.testing.assert_array_equal(score, report.score)
    np.testing.assert_array_equal(probability, report.probability)
    assert 0 < report.show.sum() < len(y)
    assert report.explored.any() or explorer == "none"
    assert engine.n_updates == report.n_updates


@pytest.mark.parametrize("gaps", [[], [0], [127, 128, 16383, 16384], [2**18 - 1], [0, 0, 0, 2**20]])
def test_features_come_back(gaps):
    columns = (np.cumsum(np.array(gaps, np.int64) + 1) - 1).astype(np.int32)
    np.testing.assert_array_equal(unpack(pack(columns), 2**24), columns)
    assert unpack(pack(columns), 2**24).dtype == np.int32


@pytest.mark.parametrize("bad", [b"\x80", b"\xff" * 6 + b"\x01", b"\xff\xff\xff\x7f"])
def test_bytes_that_are_no_features_are_refused(bad):
    with pytest.raises(ValueError, match="features"):
        unpack(bad, 2**18)


def taught(learner):
    engine = Engine(Settings.of(learner), 0)
    for message, sign in zip(*(each[:60] for each in mail()), strict=True):
        engine.teach(columns_of(message, engine.settings.n_features), sign)
    return engine


def test_what_a_perceptron_has_learned_is_checked():
    engine = taught("margin-perceptron")
    learned = engine.learned()
    for name, value in {
        "w": np.full(2**18, np.nan, np.float32),
        "b": np.array(np.inf),
        "n_updates": np.array(-1),
    }.items():
        with pytest.raises(ValueError, match=f"{name} must"):
            engine.relearn(learned | {name: value})
    for w in (learned["w"][:-1], learned["w"].astype(np.float64)):
        with pytest.raises(ValueError, match="w must be an array of float32"):
            engine.relearn(learned | {"w": w})


def test_what_an_svm_has_learned_is_checked():
    engine = taught("relaxed-svm")
    learned = engine.learned()
    n = len(learned["alpha"])
    for name, value in {
        "alpha": np.full(n, 3.1),
        "signs": np.zeros(n, np.int8),
        "w": np.full(len(learned["w"]), 1e200),
        "columns": np.full_like(learned["columns"], 2**18),
        "places": np.zeros_like(learned["places"]),
        "g": np.full_like(learned["g"], np.inf),
        "K": -learned["K"],
        "known": np.full((n, 3), np.nan),
        "moved": np.array(-1.0),
        "saw": np.array([True]),
        "n_passes": np.array(-1),
    }.items():
        with pytest.raises(ValueError, match=r"must|column|alpha|place|kernel values|two classes"):
            engine.relearn(learned | {name: value})
    with pytest.raises(ValueError, match="wrong size"):
        engine.relearn(learned | {"row_bytes": np.array([3], np.int32)})
    before = engine.decide(columns_of(b"Subject: lunch?", 2**18))
    engine.relearn(learned)
    assert engine.decide(columns_of(b"Subject: lunch?", 2**18)) == before


def test_what_a_gate_has_counted_is_checked():
    engine = taught("margin-perceptron")
    state = engine.gate_state()
    with pytest.raises(ValueError, match="wrong size"):
        engine.restore_gate(state[:-8])
    numbers = np.frombuffer(state, "<f8")
    for place in range(len(numbers)):
        if place != 7:  # the seed, which may be anything
            spoilt = numbers.copy()
            spoilt[place] = np.nan  # a count that is huge
            with pytest.raises(ValueError, match=r"must|guard"):
                engine.restore_gate(spoilt.tobytes())
    engine.restore_gate(state)
    assert engine.gate_state() == state


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (("bayes", None), "no learner 'bayes'. There are: relaxed-svm"),
        ((None, "epsilon"), "no explorer 'epsilon'"),
        ((None, "epsilon-greedy:2"), "from 0 to 1; got 2.0"),
        ((None, "epsilon-greedy:x"), "behind the colon"),
        ((None, "label-efficient:0"), "above 0"),
        ((None, "none:1"), "takes no number"),
    ],
)
def test_settings_that_are_none(words, match):
    with pytest.raises(ValueError, match=match):
        Settings.of(*words)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_features", 4096.0),
        ("n_features", True),
        ("parameter", "x"),
        ("guard", "yes"),
        ("learner", ["svm"]),
    ],
)
def test_settings_of_another_type(name, value):
    with pytest.raises((TypeError, ValueError), match=r"must be|features|unhashable"):
        Settings(**{"explorer": "none", name: value})
