"""Tests of what UnexpectedDetector is made of: p-values, flags, neighbours, ridge, words, numbers."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from lopsided.unexpected._calibration import adjusted, cut, level_cut, null_share, pvalues, shares_unexpected
from lopsided.unexpected._forest import fit_forest
from lopsided.unexpected._looks import LENGTH, LIKE_FLAGGED, NEAR, NEAREST, OWN, UNSEEN
from lopsided.unexpected._memory import row_keys
from lopsided.unexpected._neighbours import nearest
from lopsided.unexpected._numbers import NumberEvidence
from lopsided.unexpected._ridge import fit_cross_ridge
from lopsided.unexpected._score import Score, Weights
from lopsided.unexpected._words import WordEvidence
from reference import unexpected as twin


@pytest.mark.parametrize("seed", range(5))
def test_pvalues_and_flags_are_those_of_the_twin(seed):
    rng = np.random.default_rng(seed)
    null = np.sort(rng.normal(size=80).round(1))  # with ties
    scores = np.concatenate([rng.normal(size=40), rng.normal(3, 1, 10)]).round(1)
    p = pvalues(scores, null)
    np.testing.assert_allclose(p, [twin.pvalue(s, null) for s in scores])
    for fdr in (0.1, 0.3, 0.5):
        flagged = twin.flagged(p, fdr)
        np.testing.assert_array_equal(adjusted(p) <= fdr, flagged)
        np.testing.assert_array_equal(scores > cut(scores, null, fdr, most=99.0), flagged)


def test_nothing_is_flagged_where_nothing_can_be():
    null = np.arange(10.0)
    assert cut(np.array([1.0, 2.0]), null, 0.01, most=50.0) == 50.0
    assert level_cut(null, 0.01, most=50.0) == 50.0


@pytest.mark.parametrize("level", [0.02, 0.1, 0.333, 0.9])
def test_the_level_cut_is_where_the_pvalue_says(level):
    rng = np.random.default_rng(0)
    null = np.sort(rng.normal(size=150).round(1))
    scores = rng.normal(1, 1, 300).round(1)
    threshold = level_cut(null, level, most=50.0)
    np.testing.assert_array_equal(scores > threshold, pvalues(scores, null) <= level)


def test_the_share_of_expected_rows_is_found():
    rng = np.random.default_rng(0)
    p = np.concatenate([rng.uniform(size=6000), rng.uniform(0, 0.01, 4000)])
    assert null_share(p) == pytest.approx(0.6, abs=0.03)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.5, 0.9])
def test_posteriors_add_up_to_the_share(share):
    """Scores with a known density ratio: two bells, one apart from the other by 3."""
    rng = np.random.default_rng(1)
    n = 20_000
    unexpected = rng.random(n) < share
    x = rng.normal(size=n) + 3 * unexpected
    log_odds = 3 * x - 4.5 + np.log(0.05 / 0.95)
    posterior = shares_unexpected(log_odds, 0.05)
    assert posterior.mean() == pytest.approx(share, abs=0.01)


def test_nearest_rows_but_never_itself():
    rows = np.array([[0.0], [1.0], [3.0], [7.0]])
    best, mean = nearest(rows, rows[:3], np.array([0, 1, 2, -1]), 2, lambda a, b: -np.abs(a - b.T))
    np.testing.assert_allclose(best, [-1, -1, -2, -4])
    np.testing.assert_allclose(mean, [-2, -1.5, -2.5, -5])


def test_neighbours_where_there_are_none():
    none = np.zeros((0, 1))
    best, mean = nearest(np.ones((2, 1)), none, np.array([-1, -1]), 3, lambda a, b: a @ b.T)
    assert (best == 0).all()
    assert (mean == 0).all()
    best, mean = nearest(np.ones((1, 1)), np.ones((1, 1)), np.array([0]), 3, lambda a, b: a @ b.T)
    assert best[0] == 0
    assert mean[0] == 0


def test_blocks_do_not_matter(monkeypatch):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 4))
    whole = nearest(rows, rows, np.arange(50), 7, lambda a, b: a @ b.T)
    monkeypatch.setattr("lopsided.unexpected._neighbours._ENTRIES", 120)
    for one, other in zip(whole, nearest(rows, rows, np.arange(50), 7, lambda a, b: a @ b.T), strict=True):
        np.testing.assert_allclose(one, other)


@pytest.mark.parametrize("sparse", [False, True])
def test_ridge_is_that_of_the_normal_equations(sparse):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(60, 12)) * (rng.random((60, 12)) < 0.5)
    targets = rng.normal(size=(60, 3))
    fold = np.arange(60) % 5
    model = fit_cross_ridge(csr_array(Z) if sparse else Z, targets, fold, 5, 1.0)
    expected = twin.cross_ridge(Z, targets, fold, 5, 1.0)
    got = model.left_out(csr_array(Z) if sparse else Z, fold)
    np.testing.assert_allclose(got, expected, atol=5e-3 * np.abs(expected).max())


def test_ridge_does_not_see_the_row_it_answers_for():
    rng = np.random.default_rng(0)
    Z, fold = rng.normal(size=(30, 5)), np.arange(30) % 3
    targets = rng.normal(size=(30, 1))
    before = fit_cross_ridge(Z, targets, fold, 3, 1.0).left_out(Z, fold)
    targets[0] = 1000.0
    after = fit_cross_ridge(Z, targets, fold, 3, 1.0).left_out(Z, fold)
    assert after[0] == before[0]
    assert after[1] != before[1]


def strange_corner(n=400, n_strange=30, seed=0):
    """Rows of one bell, the second half new, and among these some in a corner of their own."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 4))
    rows[n - n_strange :] = rng.normal([3, 3, 0, 0], 0.3, (n_strange, 4))
    return rows, np.arange(n) >= n // 2


def test_the_forest_in_arrays_answers_as_the_one_it_was_made_of(monkeypatch):
    rows, is_new = strange_corner()
    made = []
    fit = RandomForestClassifier.fit
    monkeypatch.setattr(
        RandomForestClassifier, "fit", lambda self, *args: made.append(fit(self, *args)) or made[-1]
    )
    forest = fit_forest(rows, is_new, 0)
    others = np.random.default_rng(1).normal(size=(300, 4))
    share = np.clip(made[0].predict_proba(others)[:, 1], 1e-3, 1 - 1e-3)
    np.testing.assert_allclose(forest.answer(others), np.log(share / (1 - share)), atol=1e-9)
    monkeypatch.setattr("lopsided.unexpected._forest._BLOCK", 7)
    np.testing.assert_allclose(forest.answer(others), np.log(share / (1 - share)), atol=1e-9)
    assert forest.answer(others[:0]).shape == (0,)


def test_the_forest_finds_a_corner_where_new_rows_alone_are():
    rows, is_new = strange_corner()
    odds = fit_forest(rows, is_new, 0).left_out
    assert odds[-30:].min() > np.quantile(odds[:-30], 0.95)


def test_the_forest_is_not_shown_the_row_it_answers_for():
    """Where nothing tells new rows from known ones, the new ones do not score higher."""
    rows, is_new = strange_corner(n=600, n_strange=0)
    odds = fit_forest(rows, is_new, 0).left_out
    assert abs(roc_auc_score(is_new, odds) - 0.5) < 0.08


def documents(n=40, n_words=60, seed=0):
    rng = np.random.default_rng(seed)
    return rng.poisson(0.15 / (1 + np.arange(n_words) / 20), (n, n_words))


def test_the_first_look_is_that_of_the_twin():
    X = documents()
    X[3] = 0
    rows = csr_array(X, dtype=float)
    index = np.array([0, 1] * 15 + [-1] * 10)
    evidence = WordEvidence(rows, index, np.arange(40), np.random.default_rng(0))
    look = evidence.first_look()
    measures, _ = evidence.measure(rows, look)
    expected = twin.first_look(X)
    np.testing.assert_allclose(measures[:, [NEAREST, NEAR, UNSEEN, LENGTH]], expected, atol=1e-12)
    assert (measures[:, LIKE_FLAGGED] == 0).all()


def test_a_new_row_is_measured_as_if_it_had_been_in_fit():
    """Neighbours, unseen words and length of a row, among the others, do not depend on when it came."""
    X = csr_array(documents(60), dtype=float)
    index = np.array([0, 1] * 25 + [-1] * 10)
    inside = WordEvidence(X, index, np.arange(60), np.random.default_rng(0))
    together, _ = inside.measure(X, inside.first_look())
    without = WordEvidence(X[:59], index[:59], np.arange(59), np.random.default_rng(0))
    alone = without.measure_new(X[59:], without.first_look())
    # The others' words weigh a little more where the row is not counted among the documents that have them.
    np.testing.assert_allclose(alone[0, [NEAREST, NEAR]], together[59, [NEAREST, NEAR]], atol=0.15)
    assert alone[0, UNSEEN] == together[59, UNSEEN]
    assert alone[0, LENGTH] == together[59, LENGTH]


def test_rows_found_unexpected_are_no_reference():
    X = documents(40)
    X[39, :] = 0
    X[38, :] = 0
    X[[38, 39], -1] = 5  # two rows with a word that nobody else has
    X[:38, -1] = 0
    rows = csr_array(X, dtype=float)
    index = np.array([0, 1] * 15 + [-1] * 10)
    evidence = WordEvidence(rows, index, np.arange(40), np.random.default_rng(0))
    taken, _ = evidence.measure(rows, evidence.first_look())
    unexpected = np.zeros(40)
    unexpected[38:] = 0.9
    left, _ = evidence.measure(rows, evidence.second_look(unexpected, np.maximum(index, 0)))
    assert (taken[38:, UNSEEN] == 0).all()
    assert (left[38:, UNSEEN] == 1).all()
    assert (left[38:, NEAREST] < taken[38:, NEAREST]).all()
    assert (left[38:, LIKE_FLAGGED] > np.median(left[:38, LIKE_FLAGGED])).all()


def test_numbers_out_of_range_and_distances():
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(size=(50, 3)), [[0.0, 0.0, 99.0]]])
    index = np.array([0] * 50 + [-1])
    evidence = NumberEvidence(rows, index, np.arange(51), np.random.default_rng(0))
    measures, _ = evidence.measure(rows, evidence.first_look())
    assert measures[50, UNSEEN] == pytest.approx(1 / 3)
    assert measures[50, NEAREST] < measures[:50, NEAREST].min()
    # Each end of a column belongs to a known row, which lies outside the range of the others.
    assert measures[:50, UNSEEN].sum() == pytest.approx(6 / 3)
    new = evidence.measure_new(rows[50:], evidence.first_look())
    np.testing.assert_allclose(new[0, [NEAREST, NEAR, UNSEEN]], measures[50, [NEAREST, NEAR, UNSEEN]])


def test_a_score_stays_within_its_bounds():
    weights = Weights((-1.0, 0.5, 0.2, -2.0, 0.3, 0.1), 0.4, -0.2, -7.0)
    rng = np.random.default_rng(0)
    score = Score.from_known(weights, rng.normal(size=(100, 6)))
    scores = score(rng.normal(0, 1e6, (1000, 6)))
    assert weights.least < scores.min() < scores.max() < weights.most
    assert weights.measures[OWN] == -2.0


def test_keys_tell_rows_apart():
    X = csr_array([[0, 1.0], [1.0, 0], [0, 1.0], [0, 0]])
    keys = row_keys(X)
    assert keys[0] == keys[2]
    assert len(set(keys)) == 3
    assert row_keys(np.array([[0.0]])) == row_keys(np.array([[-0.0]]))


def test_a_new_document_counts_among_those_that_have_its_words():
    X = csr_array([[2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    index = np.array([0, 0, -1])
    evidence = WordEvidence(X, index, np.arange(3), np.random.default_rng(0))
    weights = np.array([np.log(4 / 1.5), np.log(4 / 1.5) * (1 + np.log(3))])  # in 1 document, and now in 2
    shown = evidence.shown(csr_array([[1.0, 0.0, 3.0]])).toarray()[0, [0, 2]]
    np.testing.assert_allclose(shown, weights / np.sqrt((weights**2).sum()))
