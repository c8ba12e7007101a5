"""The failure cases of the paper: what fails on them fails, what is said to cure them cures."""

import numpy as np
import pytest

from lopsided.datasets._one_sided import make_one_sided
from lopsided.feedback import AppleTasting, EpsilonGreedy, LabelEfficient, OneSidedFilter, run_stream
from lopsided.online import MarginPerceptron

SEEDS = range(8)
CASES = ["separable", "gap", "stripe", "malicious", "overshoot", "overlap"]
MARGIN, PERCEPTRON = {}, {"margin": 0.0}
# What each case defeats.
FAILS = dict.fromkeys(CASES, MARGIN) | {"separable": PERCEPTRON, "overlap": PERCEPTRON}
# Case, the parameters of a learner, its explorer: the cures of the paper and of the generator's docstring.
TASTING, EFFICIENT = AppleTasting(), LabelEfficient(beta=0.01)
CURES = [
    ("separable", MARGIN, None),
    ("separable", PERCEPTRON, TASTING),
    ("separable", PERCEPTRON, EFFICIENT),
    ("gap", {"margin": 32.0}, None),
    ("gap", {"class_weight": {1: 16.0}}, None),
    ("gap", MARGIN, TASTING),
    ("gap", MARGIN, EFFICIENT),
    ("gap", PERCEPTRON, TASTING),
    ("stripe", {"margin": 100.0}, None),
    ("stripe", {"class_weight": {1: 256.0}}, None),
    ("stripe", {"kernel": "rbf", "gamma": 0.5}, None),
    ("stripe", MARGIN, TASTING),
    ("stripe", MARGIN, EFFICIENT),
    ("malicious", MARGIN, TASTING),
    ("malicious", MARGIN, EFFICIENT),
    ("malicious", MARGIN, EpsilonGreedy()),
    ("malicious", PERCEPTRON, TASTING),
    ("overshoot", {"eta0": 0.01}, None),
    ("overshoot", {"class_weight": {1: 16.0}}, None),
    ("overshoot", MARGIN, TASTING),
    ("overshoot", MARGIN, EFFICIENT),
    ("overlap", MARGIN, None),
    ("overlap", PERCEPTRON, TASTING),
    ("overlap", PERCEPTRON, EFFICIENT),
    ("overlap", MARGIN, TASTING),
]


def replay(case, parameters, explorer=None, seed=0):
    X, y = make_one_sided(case, random_state=seed)
    learner = MarginPerceptron(**parameters)
    return run_stream(OneSidedFilter(learner, explorer, random_state=seed), X, y)


def mean_scores(case, parameters, explorer=None):
    reports = [replay(case, parameters, explorer, seed) for seed in SEEDS]
    return np.mean([report.recall for report in reports]), np.mean([report.f1 for report in reports])


@pytest.fixture(scope="module")
def failure():
    return {case: mean_scores(case, parameters) for case, parameters in FAILS.items()}


@pytest.mark.parametrize(("case", "parameters", "explorer"), CURES, ids=str)
def test_what_fails_and_what_cures(case, parameters, explorer, failure):
    failed_recall, failed_f1 = failure[case]
    recall, f1 = mean_scores(case, parameters, explorer)
    assert failed_recall < recall / 2
    assert failed_f1 < f1
    assert recall > 0.6


def test_the_learner_that_fails_knows_better_with_full_feedback():
    """It is the feedback that is to blame: with all labels the same learner finds the positives."""
    for case, parameters in FAILS.items():
        X, y = make_one_sided(case, random_state=0)
        report = run_stream(OneSidedFilter(MarginPerceptron(**parameters)), X, y, feedback="full")
        assert report.recall > 0.6, case


@pytest.mark.parametrize("parameters", [MARGIN, {"margin": 100.0}, {"eta0": 0.01}, PERCEPTRON], ids=str)
def test_no_margin_survives_malice(parameters):
    recall, _ = mean_scores("malicious", parameters)
    assert recall < 0.01


def test_costs_do_not_survive_malice():
    assert mean_scores("malicious", {"class_weight": {1: 4.0}})[0] < 0.01


def test_at_the_gap_nothing_is_learned_after_the_first_two():
    for seed in range(50):
        X, y = make_one_sided("gap", random_state=seed)
        learner = MarginPerceptron()
        report = run_stream(OneSidedFilter(learner), X, y)
        assert report.n_updates == 2
        assert learner.coef_[0, 0] == 0
        assert not report.show[50:][(X[50:, 1] < 0)].any()


def test_at_the_stripe_a_kernel_shows_what_is_beyond_it_and_not_the_stripe():
    X, y = make_one_sided("stripe", random_state=0)
    report = run_stream(OneSidedFilter(MarginPerceptron(kernel="rbf", gamma=0.5)), X, y)
    late = np.arange(len(y)) >= 1000
    assert report.show[late & (y == 1)].mean() > 0.95
    assert report.show[late & (np.abs(X[:, 1]) < 0.5)].mean() < 0.2


def test_one_step_too_far_ends_everything():
    report = replay("overshoot", MARGIN)
    first_negative = int(np.argmin(report.y))
    assert report.show[: first_negative + 1].all()
    assert not report.show[first_negative + 1 :].any()


def test_each_negative_drives_the_perceptron_further_up():
    """On overlapping classes recall falls for ever; a margin keeps it."""
    X, y = make_one_sided("overlap", 20_000, random_state=0)
    found = {
        margin: run_stream(OneSidedFilter(MarginPerceptron(margin=margin)), X, y).show[y == 1]
        for margin in (0.0, 2.0)
    }
    n = len(found[0.0])
    assert found[0.0][n // 2 :].mean() < 0.02
    assert found[2.0][n // 2 :].mean() > 0.7


@pytest.mark.parametrize("case", CASES)
def test_a_stream_is_what_its_docstring_says(case):
    X, y = make_one_sided(case, 4000, random_state=0)
    assert X.shape == (4000, 3)
    assert y.dtype == np.int64
    assert set(y.tolist()) == {0, 1}
    assert y[0] == 1
    scale = 0.2 if case == "overlap" else 1.0
    constant, u, v = X.T / scale
    np.testing.assert_allclose(constant, 3.0)
    assert np.abs(v).max() <= 0.5
    assert y.mean() == pytest.approx(0.6 if case == "stripe" else 0.5, abs=0.03)
    if case in ("separable", "gap", "overshoot"):
        border = {"separable": -2.25, "gap": -2.5, "overshoot": -2.5}[case]
        np.testing.assert_array_equal(y == 1, u > border)
    if case == "gap":
        assert not ((u > -1) & (u < 1.5)).any()
        assert np.mean(u > 0) == pytest.approx(0.1, abs=0.02)
    if case == "stripe":
        stripe = np.abs(u) <= 0.5
        assert np.mean(stripe) == pytest.approx(0.05, abs=0.01)
        np.testing.assert_array_equal(y == 1, (u > -2.5) & ~stripe)
    if case == "malicious":
        np.testing.assert_array_equal(np.flatnonzero((y == 1) != (u > 0)), np.arange(1, 21))
    if case == "overshoot":
        assert y[:100].all()
    if case == "overlap":
        assert u[y == 1].mean() == pytest.approx(-1, abs=0.1)
        assert u[y == 0].mean() == pytest.approx(-3, abs=0.1)
        assert u[y == 1].std() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("case", CASES)
def test_equal_seeds_give_equal_streams(case):
    streams = [make_one_sided(case, 500, random_state=seed) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(streams[0][0], streams[1][0])
    np.testing.assert_array_equal(streams[0][1], streams[1][1])
    assert not np.array_equal(streams[0][0], streams[2][0])
    assert not np.array_equal(make_one_sided(case, 500)[0], make_one_sided(case, 500)[0])


def test_bad_parameters():
    with pytest.raises(ValueError, match=r"case must be one of 'separable', 'gap'.* Got 'hole'"):
        make_one_sided("hole")
    with pytest.raises(ValueError, match="at least 100; got 20"):
        make_one_sided("gap", 20)
    for n in ("200", 200.5, None):
        with pytest.raises(ValueError, match="n_samples must be a whole number, at least 100; got"):
            make_one_sided("gap", n)
