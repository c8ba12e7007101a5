"""A simulated screening costs what its order of labels says, and starts where it is told."""

import numpy as np
import pytest

from lopsided import make_topics, work_saved_over_sampling
from lopsided.screening import ScreeningSession, StopPlan, simulate


@pytest.fixture(scope="module")
def corpus():
    texts, topics = make_topics(n_samples=300, random_state=1)
    texts = [text.decode() if isinstance(text, bytes) else text for text in texts]
    return texts, np.asarray(topics) == 0


@pytest.fixture(scope="module")
def simulation(corpus):
    return simulate(*corpus, strategies=["mixed", "random"], seeds=2)


def test_work_saved_is_that_of_the_order(corpus, simulation):
    _, relevant = corpus
    for run in simulation.runs:
        position = np.full(len(relevant), len(relevant))
        position[run.rows] = np.arange(len(run.rows))
        assert run.work_saved() == pytest.approx(work_saved_over_sampling(relevant, -position))
        n_labels = run.labels_to(0.95)
        assert run.recall()[n_labels - 1] >= 0.95 > run.recall()[n_labels - 2]
        assert run.work_saved() == pytest.approx(1 - n_labels / len(relevant) - 0.05)


def test_a_session_that_is_asked_the_same_gives_the_same_order(corpus, simulation):
    texts, relevant = corpus
    run = simulation.runs[0]
    session = ScreeningSession(texts, seed=run.seed)
    for row in run.rows[:2].tolist():
        session.answer(row, bool(relevant[row]))
    for row in run.rows[2:40].tolist():
        question = session.ask()
        assert question.row == row
        session.answer(row, bool(relevant[row]), reason=question.reason)


def test_it_saves_work_against_random_order(simulation):
    saved = simulation.work_saved_at_95()
    assert np.mean(saved["mixed"]) > np.mean(saved["random"]) + 0.3


def test_stops_and_estimates_are_recorded(simulation):
    run = simulation.of("mixed")[0]
    assert {stop.rule for stop in run.stops} <= {"target recall", "run of irrelevant", "combination"}
    for stop in run.stops:
        assert stop.recall == pytest.approx(run.recall()[stop.n_labels - 1])
    assert all(c.left == run.n_relevant - run.relevant[: c.n_labels].sum() for c in run.checkpoints)


def test_the_combination_fires_where_its_rules_do(corpus):
    alone, either = (
        simulate(*corpus, seeds=1, plan=StopPlan(("run of irrelevant",), combine, run_length=20)).runs[0]
        for combine in ("all", "any")
    )
    for run in (alone, either):
        stops = {stop.rule: stop.n_labels for stop in run.stops}
        assert stops["combination"] == stops["run of irrelevant"]


def test_no_support_vectors_are_counted_where_the_border_is_not_asked_about(simulation):
    assert all(stop.rule != "saturation" for run in simulation.runs for stop in run.stops)


@pytest.mark.parametrize(("start", "n"), [("both", 2), ("relevant", 1), ("nothing", 0)])
def test_starts(corpus, start, n):
    simulation = simulate(*corpus, seeds=[3], start=start, until="recall", max_labels=n)
    run = simulation.runs[0]
    assert run.relevant.tolist() == [True, False][:n]


def test_each_seed_starts_elsewhere(corpus):
    runs = simulate(*corpus, seeds=4, max_labels=2).runs
    assert len({run.rows[0] for run in runs}) > 1


def test_copies_are_labeled_once():
    texts = ["ship sea", "ship sea", "corn field", "wheat field", "ship sails", "corn"] * 2
    groups = [0, 0, 2, 3, 4, 5, 0, 0, 2, 3, 4, 5]
    relevant = ["ship" in text for text in texts]
    run = simulate(texts, relevant, seeds=1, groups=groups, until="all").runs[0]
    assert sorted(run.rows) == [0, 2, 3, 4, 5]
    assert (run.n_items, run.n_relevant) == (5, 2)


def test_progress_is_told(corpus):
    told = []
    simulate(*corpus, seeds=2, max_labels=3, tell=lambda done, n: told.append((done, n)))
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_a_run_that_was_cut_short_saved_an_unknown_amount(corpus):
    run = simulate(*corpus, seeds=1, max_labels=3).runs[0]
    assert run.labels_to() is None
    assert np.isnan(run.work_saved())


def test_bad_arguments(corpus):
    texts, relevant = corpus
    with pytest.raises(ValueError, match="300 records, 299 labels"):
        simulate(texts, relevant[1:])
    with pytest.raises(ValueError, match="got 0 relevant of 300"):
        simulate(texts, np.zeros(300))
    with pytest.raises(ValueError, match="strategy must be one of"):
        simulate(texts, relevant, strategies=["best"])
    with pytest.raises(ValueError, match="start must be"):
        simulate(texts, relevant, start="late")
