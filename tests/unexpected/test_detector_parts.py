"""Tests of what UnexpectedDetector is made of: p-values, flags, neighbours, ridge, words, numbers."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from lopsided.unexpected._calibration import adjusted, cut, level_cut, null_share, pvalues, shares_unexpected
from lopsided.unexpected._forest import fit_forest
from lopsided.unexpected._gram import Gram, class_noise, one_hot
from lopsided.unexpected._hiding import group_classes, learn_weights
from lopsided.unexpected._measures import (
    DOUBT,
    LENGTH,
    LIKE_FLAGGED,
    N_MEASURES,
    NEAR,
    NEAREST,
    OWN,
    UNSEEN,
)
from lopsided.unexpected._memory import row_keys
from lopsided.unexpected._neighbours import nearest
from lopsided.unexpected._numbers import NumberEvidence
from lopsided.unexpected._ridge import fit_cross_ridge
from lopsided.unexpected._score import Score, Weights
from lopsided.unexpected._words import WordEvidence, agreement
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
    forest, _ = fit_forest(rows, is_new, 0)
    others = np.random.default_rng(1).normal(size=(300, 4))
    share = np.clip(made[0].predict_proba(others)[:, 1], 1e-3, 1 - 1e-3)
    np.testing.assert_allclose(forest.answer(others), np.log(share / (1 - share)), atol=1e-9)
    monkeypatch.setattr("lopsided.unexpected._forest._BLOCK", 7)
    np.testing.assert_allclose(forest.answer(others), np.log(share / (1 - share)), atol=1e-9)
    assert forest.answer(others[:0]).shape == (0,)


def test_the_forest_finds_a_corner_where_new_rows_alone_are():
    rows, is_new = strange_corner()
    odds = fit_forest(rows, is_new, 0)[1]
    assert odds[-30:].min() > np.quantile(odds[:-30], 0.95)


def test_the_forest_is_not_shown_the_row_it_answers_for():
    """Where nothing tells new rows from known ones, the new ones do not score higher."""
    rows, is_new = strange_corner(n=600, n_strange=0)
    odds = fit_forest(rows, is_new, 0)[1]
    assert abs(roc_auc_score(is_new, odds) - 0.5) < 0.08


def documents(n=40, n_words=60, seed=0):
    rng = np.random.default_rng(seed)
    return rng.poisson(0.15 / (1 + np.arange(n_words) / 20), (n, n_words))


def made_evidence(X, index):
    return WordEvidence(csr_array(X, dtype=float), np.asarray(index), np.random.default_rng(0))


INDEX = np.array([0, 1, 0] * 10 + [-1] * 10)


def test_known_rows_are_measured_as_if_they_were_not_known():
    """Each by models that are fitted from scratch without it, as the slow twin does."""
    X = documents()
    evidence = made_evidence(X, INDEX)
    measures = evidence.measure_known(csr_array(X, dtype=float))
    Z, noise = twin.tfidf(X), twin.noise_of(INDEX[:30].tolist(), 1.0)
    for place, row in enumerate(evidence.taught):
        others = [j for j in range(30) if j != row]
        expected = twin.word_measures(Z, others, INDEX[others].tolist(), row, noise[others])
        np.testing.assert_allclose(measures[place, :LIKE_FLAGGED], expected, atol=1e-9)


def test_rows_to_be_judged_are_measured_against_known_rows_alone():
    X = documents()
    X[39] = X[38]  # two that are alike do not vouch for each other
    evidence = made_evidence(X, INDEX)
    measures = evidence.measure_judged(csr_array(X, dtype=float), np.arange(30, 40))
    Z, noise = twin.tfidf(X), twin.noise_of(INDEX[:30].tolist(), 1.0)
    for row in range(30, 40):
        expected = twin.word_measures(Z, list(range(30)), INDEX[:30].tolist(), row, noise)
        np.testing.assert_allclose(measures[row - 30, :LIKE_FLAGGED], expected, atol=1e-9)


def test_a_hidden_class_is_measured_by_models_that_never_saw_it():
    X, index = documents(), np.array([0, 1, 2] * 10 + [-1] * 10)
    evidence = made_evidence(X, index)
    rows = csr_array(X, dtype=float)
    found = list(evidence.hide_classes(rows, [np.array([c]) for c in range(3)]))
    assert len(found) == 3
    Z, noise = twin.tfidf(X), twin.noise_of(index[:30].tolist(), 1.0)
    rest = [j for j in range(30) if index[j] != 1]
    for row, measured in zip([j for j in evidence.taught if index[j] == 1], found[1][1], strict=True):
        expected = twin.word_measures(Z, rest, index[rest].tolist(), row, noise[rest])
        np.testing.assert_allclose(measured[:LIKE_FLAGGED], expected, atol=1e-9)
    row = next(j for j in evidence.taught if index[j] != 1)
    others = [j for j in rest if j != row]
    expected = twin.word_measures(Z, others, index[others].tolist(), row, noise[others])
    np.testing.assert_allclose(found[1][0][0, :LIKE_FLAGGED], expected, atol=1e-9)


def test_answers_left_out_and_without_some_rows_are_those_of_models_fitted_again():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(25, 6))
    classes = np.arange(25) % 3
    K, noise, targets = Z @ Z.T, class_noise(classes, 0.7), one_hot(classes, np.arange(3))
    gram = Gram.of(K, noise)
    np.testing.assert_allclose(gram.left_out(targets), twin.left_out(K, targets, noise), atol=1e-8)
    hidden = classes == 1
    np.testing.assert_allclose(
        gram.without(hidden).inverse,
        np.linalg.inv(K[np.ix_(~hidden, ~hidden)] + np.diag(noise[~hidden])),
        atol=1e-8,
    )
    np.testing.assert_allclose(noise, twin.noise_of(classes.tolist(), 0.7))


def test_distances_between_numbers():
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(size=(50, 3)), [[0.0, 0.0, 99.0]]])
    index = np.array([0] * 25 + [1] * 25 + [-1])
    evidence = NumberEvidence(rows, index, np.random.default_rng(0))
    known, new = evidence.measure_known(rows), evidence.measure_judged(rows, np.array([50]))
    for measure in (NEAREST, NEAR, OWN):
        assert new[0, measure] > known[:, measure].max()
    np.testing.assert_allclose(evidence.measure_new(rows[50:]), new)
    one = np.array([0] * 50 + [-1])
    alone = NumberEvidence(rows, one, np.random.default_rng(0)).measure_known(rows)
    assert (alone[:, DOUBT] == 0).all()  # there is no other class


def test_a_row_between_two_classes_is_in_doubt_and_one_outside_is_like_none():
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(size=(80, 2)) + [[-3, 0]], rng.normal(size=(80, 2)) + [[3, 0]]])
    rows = np.vstack([rows, [[0.0, 0.0], [-3.0, 9.0]]])
    index = np.repeat([0, 1, -1], [80, 80, 2])
    evidence = NumberEvidence(rows, index, np.random.default_rng(0))
    known = evidence.measure_known(rows)
    between, outside = evidence.measure_judged(rows, np.array([160, 161]))
    assert between[DOUBT] > np.quantile(known[:, DOUBT], 0.95)
    assert outside[OWN] > np.quantile(known[:, OWN], 0.95)


def test_surprises_are_those_of_the_twin():
    rng = np.random.default_rng(0)
    known, new = rng.normal(size=(40, N_MEASURES)).round(1), rng.normal(0.5, 2, (20, N_MEASURES)).round(1)
    score = Score.from_known(Weights((1.0,) * N_MEASURES, 0.0), known)
    for j in set(range(N_MEASURES)) - {LENGTH}:
        expected = [twin.surprise(value, known[:, j]) for value in new[:, j]]
        np.testing.assert_allclose(score.surprise(new)[:, j], expected)
        others = [np.delete(known[:, j], i) for i in range(40)]
        expected = [twin.surprise(value, rest) for value, rest in zip(known[:, j], others, strict=True)]
        np.testing.assert_allclose(score.surprise_known(known)[:, j], expected)


def hidings(telling, n=5, seed=0):
    """Measures of which one tells what is hidden."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        rest, hidden = rng.normal(size=(200, N_MEASURES)), rng.normal(size=(60, N_MEASURES))
        hidden[:, telling] += 3
        yield rest, hidden


EVEN = Weights((0.3, 0.3, 0.3, 0.3, 0.3, 0.0, 0.5), -2.0)


def test_the_weights_go_to_what_tells_hidden_classes():
    learned = np.array(learn_weights(EVEN, hidings(DOUBT)).measures)
    assert learned[DOUBT] > 0.5
    assert learned[[NEAREST, NEAR, OWN, UNSEEN]].max() < 0.3
    assert learned[[NEAREST, NEAR, OWN, UNSEEN]].min() >= 0  # what misleads is not turned round
    assert learned[LENGTH] == 0
    assert learned[LIKE_FLAGGED] == 0.5  # of which nothing was measured


def test_without_hidings_the_weights_stay():
    assert learn_weights(EVEN, []) == EVEN


def test_one_hiding_changes_less_than_ten():
    few, many = (learn_weights(EVEN, hidings(DOUBT, n)).measures[DOUBT] for n in (1, 10))
    assert EVEN.measures[DOUBT] < few < many


def test_many_classes_are_hidden_in_groups():
    groups = group_classes(37, np.random.default_rng(0))
    assert len(groups) == 10
    assert sorted(np.concatenate(groups).tolist()) == list(range(37))


def test_a_score_stays_within_its_bounds():
    weights = Weights((1.0, 0.5, 0.2, 2.0, 0.3, 0.1, -0.4), -3.0)
    rng = np.random.default_rng(0)
    score = Score.from_known(weights, rng.normal(size=(100, N_MEASURES)))
    scores = score(rng.normal(0, 1e6, (1000, N_MEASURES)))
    assert score.least < scores.min() < scores.max() < score.most


def test_keys_tell_rows_apart():
    X = csr_array([[0, 1.0], [1.0, 0], [0, 1.0], [0, 0]])
    keys = row_keys(X)
    assert keys[0] == keys[2]
    assert len(set(keys)) == 3
    assert row_keys(np.array([[0.0]])) == row_keys(np.array([[-0.0]]))


def test_a_new_document_counts_among_those_that_have_its_words():
    X = csr_array([[2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    index = np.array([0, 0, -1])
    evidence = WordEvidence(X, index, np.random.default_rng(0))
    weights = np.array([np.log(4 / 1.5), np.log(4 / 1.5) * (1 + np.log(3))])  # in 1 document, and now in 2
    shown = evidence.prepare_new(csr_array([[1.0, 0.0, 3.0]])).toarray()[0, [0, 2]]
    np.testing.assert_allclose(shown, weights / np.sqrt((weights**2).sum()))


def test_the_second_look_agrees_where_the_unexpected_are_of_one_kind():
    """Judged right, rows of one new topic are found among those not shown; rows of no topic are not."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(300, 0.05), 2)
    counts = rng.multinomial(40, topics[0], 260)
    counts[-60:-30] = rng.multinomial(40, topics[1], 30)
    index = np.repeat([0, 1, -1], [100, 100, 60])
    rows = csr_array(counts.astype(float))
    found = []
    for strange in (np.arange(60) < 30, rng.permutation(60) < 30):
        evidence = WordEvidence(rows, index, np.random.default_rng(0))

        def judge(known, others, strange=strange):
            return np.concatenate([np.zeros(len(others) - 60), strange])

        found.append(evidence.second_look(rows, index, judge).agreement)
    assert found[0] > 0.9
    assert found[1] < 0.5


def test_agreement_is_the_mean_correlation():
    rng = np.random.default_rng(0)
    answers = rng.normal(size=(50, 3))
    targets = answers + rng.normal(size=(50, 3))
    expected = np.mean([np.corrcoef(a, t)[0, 1] for a, t in zip(answers.T, targets.T, strict=True)])
    assert agreement(answers, targets) == pytest.approx(expected)
    assert agreement(answers, -targets) == 0
    assert agreement(answers, np.ones((50, 3))) == 0


def test_one_weight_is_scaled():
    weights = Weights((1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0), -1.0).scaled(LIKE_FLAGGED, 0.5)
    assert weights == Weights((1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 3.5), -1.0)
