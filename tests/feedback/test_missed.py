"""The number of hidden positives: right on average, and held by its interval as often as promised."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from lopsided.datasets import make_lopsided
from lopsided.feedback import AppleTasting, LabelEfficient, OneSidedFilter, SoftmaxExplorer, run_stream
from lopsided.feedback._missed import N_OCTAVES, MissedEstimate, missed_from_sums, missed_positives, octave_of
from lopsided.online import MarginPerceptron


def sums_of(p, explored, positive):
    """What a filter keeps of rejected items: one number each, no octaves."""
    found, reachable = p[explored & positive], p[p > 0]
    return {
        "total": np.sum(1 / found),
        "variance": np.sum((1 - found) / found**2),
        "largest": 1 / reachable.min() if len(reachable) else 1.0,
        "n_found": len(found),
        "n_unreachable": int(np.sum(p == 0)),
        "n_hidden": int(np.sum((p > 0) & ~explored)),
    }


def octaves_of(p, explored, positive):
    """The same, one entry an octave, item by item."""
    kept = {name: np.zeros(N_OCTAVES) for name in ("total", "variance", "n_found", "n_hidden")}
    kept["largest"] = np.ones(N_OCTAVES)
    kept["n_unreachable"] = 0
    for p_i, shown, yes in zip(p, explored, positive, strict=True):
        if p_i == 0:
            kept["n_unreachable"] += 1
            continue
        octave = octave_of(p_i)
        kept["largest"][octave] = max(kept["largest"][octave], 1 / p_i)
        kept["n_hidden"][octave] += not shown
        if shown and yes:
            kept["total"][octave] += 1 / p_i
            kept["variance"][octave] += (1 - p_i) / p_i**2
            kept["n_found"][octave] += 1
    return kept


# By hand


def test_two_finds():
    p = np.array([0.5, 0.25, 0.25, 1.0, 0.1])
    rejected = np.array([True, True, True, False, True])
    explored = np.array([True, True, False, False, False])
    positive = np.array([True, True, True, True, True])
    estimate = missed_positives(p, rejected, explored, positive)
    assert estimate.value == pytest.approx(1 + 3)
    assert (estimate.low, estimate.high) == (0, 2)  # no more than two are hidden


def test_nothing_found_is_nearly_the_exact_bound():
    for p in (0.001, 0.01, 0.05, 0.2, 0.5, 0.9, 0.99):
        exact = math.floor(math.log(0.05) / math.log1p(-p))  # half the chance that all go unseen is 0.025
        high = missed_from_sums(0, 0, 1 / p, 0, 0).high
        assert exact <= high <= exact + 2


@pytest.mark.parametrize("p", [0.01, 0.05, 0.2, 0.5, 0.8, 0.95])
def test_one_probability_for_all_is_nearly_the_mid_p_interval_of_a_binomial_sample(p):
    for n_found in (1, 2, 3, 10, 40):
        N = np.arange(n_found, int(40 * n_found / p) + 100)
        half = binom.pmf(n_found, N, p) / 2
        low = N[binom.sf(n_found, N, p) + half >= 0.025].min() - n_found
        high = N[binom.cdf(n_found, N, p) - half >= 0.025].max() - n_found
        estimate = missed_from_sums(n_found / p, n_found * (1 - p) / p**2, 1 / p, n_found, 0)
        assert low - 1 - 0.01 * low <= estimate.low <= low
        assert high <= estimate.high <= high + 2 + 0.02 * high


def test_everything_shown_leaves_nothing_to_guess():
    yes = np.ones(7, bool)
    assert missed_positives(np.ones(7), yes, yes, yes) == MissedEstimate(0.0, 0.0, 0.0, 0.95)
    p = np.array([1.0, 1.0, 0.5])
    estimate = missed_positives(p, np.array([True, True, False]), np.array([True, True, False]), p > 0)
    assert (estimate.value, estimate.low, estimate.high) == (0, 0, 0)  # what was not rejected is not hidden


def test_nothing_rejected():
    no = np.zeros(3, bool)
    assert missed_positives(np.ones(3), no, no, ~no) == MissedEstimate(0.0, 0.0, 0.0, 0.95)
    empty = np.zeros(0, bool)
    assert missed_positives([], empty, empty, empty) == MissedEstimate(0.0, 0.0, 0.0, 0.95)


def test_a_find_that_was_taken_back_leaves_nothing():
    for p in (0.3, 0.07, 0.9):
        total = 1 / 0.7 + 1 / p - 1 / 0.7 - 1 / p  # about 0, and perhaps below
        assert missed_from_sums(total, total, 10, 0, 0).low == 0
    assert missed_from_sums(-1e-16, -1e-15, 1, 0, 0) == MissedEstimate(0.0, 0.0, 0.0, 0.95)


# What could not have been shown


def test_without_exploration_any_number_may_be_hidden():
    rejected, none = np.ones(30, bool), np.zeros(30, bool)
    estimate = missed_positives(np.zeros(30), rejected, none, rejected)
    assert math.isnan(estimate.value)
    assert (estimate.low, estimate.high) == (0, 30)


def test_items_out_of_reach_are_added_to_the_upper_end():
    p = np.full(2000, 0.1)
    yes = np.ones(2000, bool)
    explored = np.arange(2000) % 10 == 0
    positive = np.arange(2000) < 300
    before = missed_positives(p, yes, explored, positive)
    p[-11:] = 0
    explored[-11:] = False
    after = missed_positives(p, yes, explored, positive)
    assert math.isnan(after.value)
    assert (after.low, after.high) == (before.low, before.high + 11)


@pytest.mark.parametrize("tiny", [1e-300, 5e-324, 1e-101, 1e-99, 1e-12])
def test_a_tiny_probability_neither_overflows_nor_widens_the_rest(tiny):
    p = np.full(2000, 0.1)
    p[-3:] = tiny
    yes, explored = np.ones(2000, bool), np.arange(2000) % 10 == 0
    explored[-3:] = False
    estimate = missed_positives(p, yes, explored, np.zeros(2000, bool))
    assert estimate.high == missed_from_sums(0, 0, 10, 0, 0).high + 3
    assert missed_from_sums(0, 0, 1e300, 0, 0).high < math.inf
    assert missed_from_sums(0, 0, 1e300, 0, 0, n_hidden=50).high == 50


# Laws


@pytest.mark.parametrize("seed", range(5))
def test_sums_say_the_same_as_arrays(seed):
    rng = np.random.default_rng(seed)
    p = np.clip(rng.beta(0.5, 4, 3000), 1e-6, 1)
    p[rng.random(3000) < 0.001 * seed] = 0
    explored, positive, yes = rng.random(3000) < p, rng.random(3000) < 0.05, np.ones(3000, bool)
    estimate = missed_positives(p, yes, explored, positive, 0.9)
    from_octaves = missed_from_sums(**octaves_of(p, explored, positive), confidence=0.9)
    np.testing.assert_allclose(vars_of(from_octaves), vars_of(estimate))
    from_sums = missed_from_sums(**sums_of(p, explored, positive), confidence=0.9)
    np.testing.assert_allclose([from_sums.value, from_sums.low], [estimate.value, estimate.low])
    assert from_sums.high >= estimate.high


def vars_of(estimate):
    return [estimate.value, estimate.low, estimate.high, estimate.confidence]


def test_with_one_octave_both_are_equal():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.03, 0.06, 3000)
    explored, positive, yes = rng.random(3000) < p, rng.random(3000) < 0.1, np.ones(3000, bool)
    sums = missed_from_sums(**sums_of(p, explored, positive))
    np.testing.assert_allclose(vars_of(missed_positives(p, yes, explored, positive)), vars_of(sums))


@pytest.mark.parametrize("explorer", [AppleTasting(), LabelEfficient(0.1), SoftmaxExplorer(0.5), None])
def test_filter_and_report_agree(explorer):
    X, y = make_lopsided(n_samples=1000, positive_rate=0.3, random_state=0)
    stream = OneSidedFilter(MarginPerceptron(margin=0), explorer=explorer, random_state=0)
    report = run_stream(stream, X, y)
    np.testing.assert_allclose(vars_of(stream.missed(0.9)), vars_of(report.missed(0.9)))
    assert stream.missed(0.9).high > 0


def test_labels_of_what_was_hidden_are_not_read():
    rng = np.random.default_rng(1)
    p, yes = rng.uniform(0.1, 0.9, 500), np.ones(500, bool)
    explored, positive = rng.random(500) < p, rng.random(500) < 0.5
    assert missed_positives(p, yes, explored, positive) == missed_positives(
        p, yes, explored, positive & explored
    )


def test_more_confidence_is_a_wider_interval():
    widths = []
    for confidence in (0.5, 0.8, 0.95, 0.99, 0.999):
        estimate = missed_from_sums(200, 1500, 20, 12, 0, confidence)
        assert estimate.value == 188
        assert estimate.confidence == confidence
        widths.append((-estimate.low, estimate.high))
    assert widths == sorted(widths)
    assert len(set(widths)) == 5


def test_octaves():
    p = 0.5 ** np.arange(40)
    np.testing.assert_array_equal(octave_of(p), np.minimum(np.arange(40), N_OCTAVES - 1))
    np.testing.assert_array_equal(octave_of([0.51, 0.75, 0.26]), [0, 0, 1])
    assert octave_of(0.3) == 1


# Streams with known truth. Each draws 1,000 rounds for all repetitions at once; `finds` counts what each
# repetition has found so far, so that probabilities, and which positives come, may depend on it.


def constant(p):
    return lambda i, finds, score, rng: np.full(len(finds), p)


def apple_tasting(i, finds, score, rng):
    return np.minimum(1, np.sqrt((1 + finds) / (i + 1)))


def label_efficient(beta):
    def probability(i, finds, score, rng):
        b = beta * np.sqrt(1 + finds)
        return b / (b + score)

    return probability


def softmax(i, finds, score, rng):
    return np.exp(-4 * score) / (1 + np.exp(-4 * score))


def falls_after_a_find(i, finds, score, rng):
    return np.where(finds == 0, 0.3, 0.02)


def rises_after_finds(i, finds, score, rng):
    return np.where(finds < 2, 0.05, 0.5)


def two_kinds(i, finds, score, rng):
    return np.where(rng.random(len(finds)) < 0.05, 0.02, 0.5)


def at_rate(rate, start=0):
    return lambda i, finds, rng: (rng.random(len(finds)) < rate) & (i >= start)


def none_after_a_find(i, finds, rng):
    return (rng.random(len(finds)) < 0.1) & (finds == 0)


def fewer_with_finds(i, finds, rng):
    return rng.random(len(finds)) < 0.05 / (1 + finds)


STREAMS = {
    "constant 0.01": (constant(0.01), at_rate(0.02)),
    "constant 0.03, rare": (constant(0.03), at_rate(0.001)),
    "constant 0.05": (constant(0.05), at_rate(0.1)),
    "constant 0.05, 3 hidden": (constant(0.05), at_rate(0.003)),
    "constant 0.05, 20 hidden": (constant(0.05), at_rate(0.02)),
    "constant 0.1, 6 hidden": (constant(0.1), at_rate(0.006)),
    "constant 0.2, 36 hidden": (constant(0.2), at_rate(0.044)),
    "constant 0.5": (constant(0.5), at_rate(0.05)),
    "constant 0.95": (constant(0.95), at_rate(0.05)),
    "apple tasting": (apple_tasting, at_rate(0.1)),
    "apple tasting, rare": (apple_tasting, at_rate(0.003)),
    "apple tasting, late": (apple_tasting, at_rate(0.1, start=900)),
    "apple tasting, many": (apple_tasting, at_rate(0.5)),
    "label efficient": (label_efficient(0.03), at_rate(0.05)),
    "label efficient, many": (label_efficient(0.01), at_rate(0.4)),
    "label efficient, rare": (label_efficient(0.1), at_rate(0.003)),
    "softmax": (softmax, at_rate(0.03)),
    "two kinds": (two_kinds, at_rate(0.05)),
    "falls after a find": (falls_after_a_find, at_rate(0.02)),
    "rises after finds": (rises_after_finds, at_rate(0.03)),
    "none after a find": (constant(0.03), none_after_a_find),
    "fewer with finds": (apple_tasting, fewer_with_finds),
}


def draw(probability, positive, n_rounds=1000, n_runs=400, seed=0):
    rng = np.random.default_rng(seed)
    finds = np.zeros(n_runs)
    p, explored, is_positive = np.ones((n_rounds, n_runs)), *np.zeros((2, n_rounds, n_runs), bool)
    for i in range(n_rounds):
        is_positive[i] = positive(i, finds, rng)
        score = rng.exponential(np.where(is_positive[i], 0.5, 1.0))  # positives lie nearer to the border
        p[i] = probability(i, finds, score, rng)
        explored[i] = rng.random(n_runs) < p[i]
        finds += explored[i] & is_positive[i]
    return p.T, explored.T, is_positive.T


@pytest.mark.parametrize("name", STREAMS)
def test_right_on_average_and_held_as_often_as_promised(name):
    streams = list(zip(*draw(*STREAMS[name]), strict=True))
    truth = np.array([np.sum(positive & ~explored) for _, explored, positive in streams])
    for confidence in (0.95, 0.8):
        estimates = [missed_positives(p, np.ones(len(p), bool), *draws, confidence) for p, *draws in streams]
        held = np.mean([e.low <= n <= e.high for e, n in zip(estimates, truth, strict=True)])
        # Two standard errors of 400 runs below the promise would be chance.
        assert held >= confidence - 2 * math.sqrt(confidence * (1 - confidence) / len(streams))
    error = np.array([e.value for e in estimates]) - truth
    assert abs(error.mean()) <= 3.5 * error.std() / math.sqrt(len(error)) + 1e-9


@pytest.mark.parametrize(("found", "width"), [(0, 58), (1, 96), (2, 123), (4, 164)])
def test_few_finds_at_one_in_twenty(found, width):
    """The exact interval of Clopper and Pearson is 71, 108, 135 and 178 wide."""
    estimate = missed_from_sums(20 * found, 380 * found, 20, found, 0)
    assert estimate.high - estimate.low <= width


@pytest.mark.parametrize("name", ["constant 0.05", "apple tasting, many", "constant 0.5"])
def test_the_interval_is_not_needlessly_wide(name):
    """With many finds it is about that of the normal distribution with the true variance."""
    p, explored, positive = draw(*STREAMS[name], n_rounds=4000, n_runs=60)
    ratios = []
    for p_r, explored_r, positive_r in zip(p, explored, positive, strict=True):
        estimate = missed_positives(p_r, np.ones(len(p_r), bool), explored_r, positive_r)
        normal = 2 * 1.96 * math.sqrt(np.sum((1 - p_r[positive_r]) / p_r[positive_r]))
        ratios.append((estimate.high - estimate.low) / normal)
    assert 0.95 < np.mean(ratios) < 1.25


# Bad input


def test_bad_input():
    yes, no = np.ones(3, bool), np.zeros(3, bool)
    with pytest.raises(ValueError, match=r"confidence must be between 0 and 1; got 95"):
        missed_positives(np.ones(3), yes, no, no, 95)
    with pytest.raises(ValueError, match="probability 3, rejected 3, explored 2"):
        missed_positives(np.ones(3), yes, no[:2], no)
    with pytest.raises(ValueError, match=r"between 0 and 1; got 1\.5 for a rejected item"):
        missed_positives([0.5, 1.5, 0.1], yes, no, no)
    with pytest.raises(ValueError, match="item 1 was explored, yet its probability is 0"):
        missed_positives([0.5, 0.0, 0.1], yes, yes, no)
    with pytest.raises(ValueError, match="item 0 was explored, yet was not rejected"):
        missed_positives([0.5, 0.5, 0.1], no, yes, no)
    with pytest.raises(ValueError, match="positive must be True or False for each item; got"):
        missed_positives([0.5, 0.5, 0.1], yes, yes, [1, 0, 0])
    with pytest.raises(ValueError, match="probability contains NaN"):
        missed_positives([0.5, math.nan, 0.1], yes, yes, no)


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (MissedEstimate(12.34, 3.0, 40.0, 0.9), "about 12.3 (3 to 40 at 90 % confidence)"),
        (MissedEstimate(12345.6, 3.0, 40000.0, 0.95), "about 12,346 (3 to 40,000 at 95 % confidence)"),
        (MissedEstimate(math.nan, 0.0, 70.0, 0.95), "unknown (0 to 70 at 95 % confidence)"),
        (MissedEstimate(0.0, 0.0, math.inf, 0.95), "about 0 (0 to any number at 95 % confidence)"),
    ],
)
def test_what_is_printed(estimate, text):
    assert str(estimate) == text
