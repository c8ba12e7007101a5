from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import f1_score

from lopsided import make_topics
from lopsided.bench import SUBJECTS, Skipped, _online, measure, run
from lopsided.problems.mail import Mail


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Little made-up mail in place of both corpora."""
    texts, topics = make_topics(n_samples=400, random_state=0)
    mail = Mail([text.encode() for text in texts], (topics < np.median(topics)).astype(np.intp))
    monkeypatch.setattr(_online, "_spamassassin", lambda: mail)
    monkeypatch.setattr(_online, "_trec07p", lambda: mail)
    monkeypatch.setattr(_online, "_FEW", 150)
    monkeypatch.setattr(_online, "_BUFFER", 100)
    cached = (_online._matrix, _online._few, _online._few_rows, _online._dictionaries, _online._lines)
    for function in cached:
        function.cache_clear()
    yield mail
    for function in cached:
        function.cache_clear()


NAMES = [
    *("T5 river", "T5 rows", "T5 batch"),
    *("T6 river", "T6 vw text", "T6 vw parsed"),
    *("T7 rows", "T7 river", "T7 vw", "T7", "T7c"),
]


def test_the_rows_of_the_table_are_there():
    assert [row.name for row in _online.rows()] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_row_runs_on_little_data(name):
    (row,) = (row for row in _online.rows() if row.name == name)
    for package in row.needs:
        pytest.importorskip(package)
    measured = measure(replace(row, repeats=1))
    assert measured.ratio > 0
    assert any(character.isdigit() for character in measured.quality.figures)


def test_both_replays_and_the_peers_are_the_same_learner():
    ours = _online._replay_rows()
    np.testing.assert_array_equal(_online._replay_bytes(), ours)
    y = _online._labels()
    np.testing.assert_array_equal(_online._sgd_row_by_row(_online._few_rows(), y).result, ours)
    assert f1_score(y, ours) > 0.5


@pytest.mark.parametrize("parsed", [True, False])
def test_vowpal_wabbit_is_the_same_learner_too(parsed):
    pytest.importorskip("vowpalwabbit")
    ours, peer = _online._replay_rows(), _online._vowpal_wabbit(parsed=parsed).result
    assert np.mean(ours == peer) > 0.99  # it counts in float32


def test_river_reads_the_same_rows():
    pytest.importorskip("river")
    assert len(_online._river().result) == 150


def test_the_same_rows_in_other_words(small):
    x = _online._few_rows()[3]
    assert _online._dictionaries()[3] == dict(zip(x.indices.tolist(), x.data.tolist(), strict=True))
    label, pairs = _online._lines()[3].split(" | ")
    assert int(label) == 2 * small.y[3] - 1
    columns, values = zip(*(pair.split(":") for pair in pairs.split()), strict=True)
    np.testing.assert_array_equal(np.array(columns, dtype=int), x.indices)
    np.testing.assert_array_equal(np.array(values, dtype=np.float32), x.data)


def test_the_time_of_an_update_is_that_of_all_divided(monkeypatch):
    clock = iter([10.0, 16.0])
    monkeypatch.setattr(_online, "perf_counter", lambda: next(clock))
    timed = _online._time_of_updates()
    assert 0 < timed.result <= 150 - 100
    assert timed.seconds == 6.0 / timed.result


def test_the_peer_of_the_long_row_is_scaled(monkeypatch, small):
    monkeypatch.setattr(_online, "_trec07p", lambda: Mail(small.messages * 4, np.tile(small.y, 4)))
    monkeypatch.setattr(_online, "_sgd_row_by_row", lambda X, y: SimpleNamespace(seconds=2.0 * len(X)))
    assert _online._sgd_scaled().seconds == 2.0 * 4 * 400


@pytest.mark.parametrize(("area", "good"), [(0.99992, True), (0.99990, False)])
def test_the_area_on_trec07p_has_a_bar(area, good):
    quality = _online._area_on_trec07p((SimpleNamespace(roc_auc=area, f1=0.998), 25_000.0), None)
    assert quality.good is good
    assert "25,000 messages a second" in quality.figures


def test_the_area_on_spamassassin_has_a_bar(monkeypatch):
    for area, good in ((0.9991, True), (0.998, False)):
        monkeypatch.setattr(_online, "_replay", lambda *_, area=area: SimpleNamespace(roc_auc=area))
        assert _online._area_on_spamassassin(7, None).good is good


def test_a_lower_f1_is_worse():
    y = _online._labels()
    assert _online._f1_of_both(y > 0, y > 0).good
    assert not _online._f1_of_both(y == 0, y > 0).good


def test_rows_without_their_peer_are_skipped(monkeypatch):
    monkeypatch.setitem(SUBJECTS, "online", "")
    monkeypatch.setattr("lopsided.bench.is_installed", lambda package: False)
    results = list(run("online", ["T5 river", "T6"]))
    assert len(results) == 4
    assert all(isinstance(result, Skipped) for result in results)
