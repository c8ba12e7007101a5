"""With which probability each explorer shows what the hypothesis would hide."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lopsided.feedback import (
    AppleTasting,
    EpsilonGreedy,
    LabelEfficient,
    OneSidedFilter,
    SoftmaxExplorer,
    run_stream,
)
from lopsided.online import MarginPerceptron
from reference import online


def refusing():
    """A perceptron that scores -1 wherever the row is zero, whatever it is told."""
    return MarginPerceptron(margin=0.0, initial_bias=-1.0)


def cold(explorer, learner=None, random_state=0, **parameters):
    return OneSidedFilter(
        learner or refusing(), explorer, start="cold", random_state=random_state, **parameters
    )


def scoring(scores):
    """A perceptron that gives row i of the unit matrix score i of those given."""
    d = len(scores)
    learner = MarginPerceptron(margin=0.0)
    for x, s in zip(np.eye(d), scores, strict=True):
        learner.partial_fit((s * x)[None], [1], classes=[-1, 1])
    return learner


# Apple tasting


def test_apple_tasting_by_the_formula():
    decision = cold(AppleTasting()).decide(np.zeros((1000, 1)))
    assert decision.probability[0] == 1  # so the first is shown
    assert decision.show[0]
    assert_allclose(decision.probability, 1 / np.sqrt(np.arange(1, 1001)), rtol=1e-12)
    assert_array_equal(decision.score, -np.ones(1000))
    assert_array_equal(decision.show, decision.explored)
    uniform = online.SplitMix64(online.seed_of(0)).uniform
    assert_array_equal(decision.explored, [uniform() < p for p in decision.probability])


def test_apple_tasting_asks_as_often_as_expected():
    T = 10_000
    X, y = np.zeros((T, 1)), -np.ones(T, int)
    p = 1 / np.sqrt(np.arange(1, T + 1))
    assert p.sum() == pytest.approx(2 * np.sqrt(T) - 1.4603545 + 0.5 / np.sqrt(T), abs=1e-4)
    asked = [run_stream(cold(AppleTasting(), random_state=seed), X, y).n_explored for seed in range(200)]
    error = np.sqrt(np.sum(p * (1 - p)) / len(asked))
    assert abs(np.mean(asked) - 198.54) < 3 * error
    assert np.var(asked) == pytest.approx(np.sum(p * (1 - p)), rel=0.35)


def test_a_found_positive_raises_the_probability():
    filter, X, m = cold(AppleTasting()), np.zeros((1, 1)), 0
    for i in range(1, 400):
        decision = filter.decide(X)
        assert decision.probability[0] == pytest.approx(min(1.0, np.sqrt((1 + m) / i)), rel=1e-12)
        if decision.show[0]:
            positive = i % 3 == 0
            filter.learn(X, [1 if positive else -1], decision)
            if positive:
                after = np.sqrt((1 + m) / i) * np.sqrt((2 + m) / (1 + m)) * np.sqrt(i / (i + 1))
                m += 1
                assert np.sqrt((1 + m) / (i + 1)) == pytest.approx(after)
    assert m > 5


def test_a_positive_that_was_shown_anyway_changes_nothing():
    filter = cold(AppleTasting(), MarginPerceptron(margin=0.0))
    filter.learner.partial_fit([[5.0]], [1], classes=[-1, 1])
    for _ in range(50):
        decision = filter.decide([[1.0]])
        assert decision.show[0]
        assert not decision.explored[0]
        assert decision.probability[0] == 1
        filter.learn([[1.0]], [1], decision)
    assert filter.decide([[-1.0]]).probability[0] == pytest.approx(1 / np.sqrt(51))


# Label efficient


def test_label_efficient_by_the_formula():
    scores = np.array([-0.001, -0.1, -1.0, -3.0, -50.0])
    decision = cold(LabelEfficient(beta=0.3), scoring(scores)).decide(np.eye(5))
    assert_allclose(decision.score, scores, rtol=1e-12)
    assert_allclose(
        decision.probability, 0.3 / (0.3 - scores), rtol=1e-12
    )  # all norms are 1, no mistake known
    assert (np.diff(decision.probability) < 0).all()  # less where it is surer
    assert ((decision.probability > 0) & (decision.probability <= 1)).all()


def test_label_efficient_asks_more_after_known_mistakes():
    filter, K = cold(LabelEfficient(beta=0.3), scoring([-1.0, 4.0])), 0
    far, near = np.eye(2)[:1], np.eye(2)[1:]
    for t in range(6):
        probability = filter.decide(far).probability[0]
        b = 0.3 * np.sqrt(1 + K)
        assert probability == pytest.approx(b / (b + 1), rel=1e-12)
        decision = filter.decide(near)
        assert decision.show[0]
        mistaken = t % 2 == 0
        if decision.score[0] > 0:
            filter.learn(near, [-1 if mistaken else 1], decision)
            K += mistaken
    assert K >= 2


def test_label_efficient_counts_no_margin_updates_as_mistakes():
    learner = MarginPerceptron(margin=20.0)
    learner.partial_fit([[-1.0, 0.0], [0.0, 1.0]], [1, 1], classes=[-1, 1])
    filter = cold(LabelEfficient(beta=0.3), learner)
    near = np.array([[0.0, 1.0]])
    before = learner.n_updates_
    filter.learn(near, [1], filter.decide(near))  # f = 1 <= 10: an update, but no mistake
    assert learner.n_updates_ == before + 1
    assert filter.decide([[1.0, 0.0]]).probability[0] == pytest.approx(0.3 / (0.3 + 1))


def test_label_efficient_uses_the_largest_norm_so_far():
    filter = cold(LabelEfficient(beta=0.1), scoring([-1.0, 1.0]))
    rows = np.array([[0.5, 0.0], [2.0, 0.0], [0.5, 0.0], [0.0, 3.0], [0.5, 0.0]])  # the fourth is shown
    squares = np.array([0.25, 4.0, 4.0, 9.0, 9.0])
    decision = filter.decide(rows)
    b = 0.1 * squares
    expected = np.where(decision.score >= 0, 1, b / (b + np.abs(decision.score)))
    assert_allclose(decision.probability, expected, rtol=1e-12)


def make_stream(n=300, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) > 0, 1, -1)
    return X, np.where(rng.random(n) < 0.1, -y, y)


def test_label_efficient_with_a_large_beta_is_full_feedback():
    X, y = make_stream()
    asking, told = (cold(explorer, MarginPerceptron()) for explorer in (LabelEfficient(beta=1e12), None))
    report = run_stream(asking, X, y)
    full = run_stream(told, X, y, feedback="full")
    assert report.revealed.all()
    assert report.show.all()
    assert_array_equal(asking.learner.coef_, told.learner.coef_)
    assert report.n_updates == full.n_updates


def test_label_efficient_with_a_tiny_beta_does_not_explore():
    X, y = make_stream()
    asking, mute = (cold(explorer, MarginPerceptron()) for explorer in (LabelEfficient(beta=1e-300), None))
    report, plain = run_stream(asking, X, y), run_stream(mute, X, y)
    assert report.n_explored == 0
    assert_array_equal(report.show, plain.show)
    assert_array_equal(asking.learner.coef_, mute.learner.coef_)


def test_label_efficient_ignores_the_scale():
    """Rows k times as long make weights k times as large: score and squared norm grow by k^2 alike."""
    X, y = make_stream()
    reports = [
        run_stream(cold(LabelEfficient(beta=0.05), MarginPerceptron(margin=0.0)), k * X, y)
        for k in (1.0, 4.0)
    ]
    assert 0 < reports[0].n_explored < len(y)
    assert_allclose(reports[1].probability, reports[0].probability, rtol=1e-12)
    assert_array_equal(reports[1].show, reports[0].show)


# The others


def test_epsilon_greedy():
    decision = cold(EpsilonGreedy(epsilon=0.2)).decide(np.zeros((20_000, 1)))
    assert_array_equal(decision.probability, np.full(20_000, 0.2))
    assert abs(decision.explored.mean() - 0.2) < 3 * np.sqrt(0.2 * 0.8 / 20_000)
    assert not cold(EpsilonGreedy(epsilon=0.0)).decide(np.zeros((1000, 1))).explored.any()
    assert cold(EpsilonGreedy(epsilon=1.0)).decide(np.zeros((1000, 1))).explored.all()


def test_softmax():
    scores = np.array([-1e-9, -0.5, -2.0, -30.0])
    decision = cold(SoftmaxExplorer(temperature=2.0), scoring(scores)).decide(np.eye(4))
    assert_allclose(decision.probability, 1 / (1 + np.exp(-scores / 2.0)), rtol=1e-9)
    assert (decision.probability < 0.5).all()
    assert (np.diff(decision.probability) < 0).all()


def test_the_limits_of_softmax():
    frozen = cold(SoftmaxExplorer(temperature=1e-300), scoring([-0.5, -2.0])).decide(np.eye(2))
    assert_array_equal(frozen.probability, [0.0, 0.0])
    assert not frozen.show.any()
    hot = cold(SoftmaxExplorer(temperature=1e300), scoring([-0.5, -2.0])).decide(np.eye(2))
    assert_allclose(hot.probability, 0.5)


@pytest.mark.parametrize(
    "explorer", [AppleTasting(), LabelEfficient(), EpsilonGreedy(), SoftmaxExplorer()], ids=str
)
def test_explorers_hold_no_state(explorer):
    before = repr(explorer)
    X, y = make_stream()
    one = run_stream(cold(explorer, MarginPerceptron()), X, y)
    other = run_stream(cold(explorer, MarginPerceptron()), X, y)
    assert_array_equal(other.show, one.show)
    assert repr(explorer) == before
    assert explorer == type(explorer)(**vars(explorer))
    with pytest.raises(AttributeError):
        explorer.anything = 1


def test_runs_with_one_seed_stay_aligned():
    """One draw a predicted negative whatever its probability: who explores more explores a superset."""
    X = np.zeros((5000, 1))
    few, many, apples = (
        cold(explorer, random_state=3).decide(X)
        for explorer in (EpsilonGreedy(epsilon=0.05), EpsilonGreedy(epsilon=0.3), AppleTasting())
    )
    assert few.explored.sum() < many.explored.sum()
    assert (few.explored <= many.explored).all()
    rare = apples.probability < 0.05
    assert (apples.explored[rare] <= few.explored[rare]).all()


# Threshold bias


@pytest.mark.parametrize("explorer", [None, AppleTasting()], ids=str)
def test_bias_zero_is_none(explorer):
    X, y = make_stream()
    one, other = (
        run_stream(cold(explorer, MarginPerceptron(), **bias), X, y) for bias in ({}, {"bias": 0.0})
    )
    assert_array_equal(other.show, one.show)


def test_more_bias_shows_more():
    scores = np.array([-2.0, -1.0, -0.75, -0.1, 0.0, 0.3])
    shown = [cold(None, scoring(scores), bias=bias).decide(np.eye(6)) for bias in (0, 0.128, 0.75, 1, 5)]
    assert [int(decision.show.sum()) for decision in shown] == [2, 3, 4, 5, 6]
    for less, more in pairwise(shown):
        assert (less.show <= more.show).all()
        assert not more.explored.any()  # it is deterministic, no draw
        assert_array_equal(more.score, less.score)  # the scores are unbiased
        assert_array_equal(more.probability[more.show], np.ones(more.show.sum()))


def test_boundless_bias_is_full_feedback():
    X, y = make_stream()
    generous, told = cold(None, MarginPerceptron(), bias=np.inf), cold(None, MarginPerceptron())
    report = run_stream(generous, X, y)
    run_stream(told, X, y, feedback="full")
    assert report.show.all()
    assert_array_equal(generous.learner.coef_, told.learner.coef_)


def test_explorers_and_updates_use_the_unbiased_score():
    X, y = make_stream()
    fast = cold(LabelEfficient(beta=0.01), MarginPerceptron(), bias=0.75)
    report = run_stream(fast, X, y)
    slow = online.Filter(
        online.MarginPerceptron(5), online.LabelEfficient(0.01), 0.75, "cold", seed=online.seed_of(0)
    )
    expected = online.run(slow, X, y)
    assert_array_equal(report.show, expected["show"])
    assert_allclose(report.probability, expected["probability"], rtol=1e-9)
    assert_allclose(fast.learner.coef_[0], slow.learner.w, atol=1e-9)
