"""Trees and lists that grow, and the choice among them."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.tree import DecisionTreeClassifier

from lopsided.boosting._conditions import Condition, simplify
from lopsided.boosting._grow import grow
from lopsided.boosting._short_list import _best_threshold, learn_short_list
from lopsided.boosting._stumps import index_stumps
from reference.boosting import grow_slowly


def make_numbers(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, (X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=n)) > 1.5


@pytest.mark.parametrize("weight", [1.0, 4.0])
def test_a_tree_is_that_of_scikit_learn(weight):
    X, positive = make_numbers()
    weights = np.where(positive, weight, 1.0)
    for n, growth in enumerate(grow(index_stumps("threshold", X), positive, weights, "tree", 5), 1):
        tree = DecisionTreeClassifier(max_leaf_nodes=n + 1, random_state=0)
        tree.fit(X, positive, sample_weight=weights)
        np.testing.assert_allclose(growth.scores, tree.predict_proba(X)[:, 1], atol=1e-12)
    assert n == 5


@pytest.mark.parametrize("form", ["tree", "list"])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_slow_twin_grows_alike(form, sparse):
    rng = np.random.default_rng(1)
    X = (rng.random((80, 6)) < 0.4).astype(float)
    positive = (X[:, 0] * X[:, 1] > 0) | (rng.random(80) < 0.1)
    weights = np.where(rng.random(80) < 0.7, np.where(positive, 2.0, 1.0), 0.0)
    stumps = index_stumps("presence", csr_array(X) if sparse else X)
    scores = [growth.scores for growth in grow(stumps, positive, weights, form, 4)]
    slow = list(grow_slowly(X, positive, weights, form, 4))
    np.testing.assert_allclose(scores, slow, atol=1e-9)


def test_rows_of_no_weight_teach_nothing():
    X, positive = make_numbers()
    inside = np.arange(len(X)) < 200
    stumps = index_stumps("threshold", X)
    other = np.where(inside, positive, ~positive)
    for a, b in zip(
        grow(stumps, positive, inside * 1.0, "tree", 4),
        grow(stumps, other, inside * 1.0, "tree", 4),
        strict=True,
    ):
        np.testing.assert_array_equal(a.scores, b.scores)


def test_nothing_gains_anything():
    X = np.ones((10, 2))
    assert list(grow(index_stumps("threshold", X), np.arange(10) < 3, np.ones(10), "tree", 5)) == []
    short = learn_short_list(X, np.arange(10) < 3, "threshold", 5, 0)
    assert short.rules == []
    assert not short.decide(X).any()


def test_conditions_that_others_imply_go():
    x = [Condition(0, t, yes) for t, yes in ((1.0, True), (5.0, False), (3.0, True), (9.0, False))]
    assert simplify(x) == (Condition(0, 3.0, True), Condition(0, 5.0, False))
    words = [Condition(1, None, True), Condition(1, None, True), Condition(2, None, False)]
    assert simplify(words) == (words[0], words[2])


def test_the_best_threshold_by_hand():
    scores = np.array([0.1, 0.2, 0.2, 0.8, 0.9])
    assert _best_threshold(scores, np.array([0, 0, 1, 1, 1], dtype=bool)) == pytest.approx(0.15)
    assert _best_threshold(scores, np.array([0, 0, 0, 1, 1], dtype=bool)) == pytest.approx(0.5)
    assert _best_threshold(scores, np.array([1, 1, 1, 1, 1], dtype=bool)) == pytest.approx(0.15)


@pytest.mark.parametrize("n_rules", [1, 3, 5])
def test_the_list_decides_as_its_rules_say(n_rules):
    X, positive = make_numbers(seed=2)
    short = learn_short_list(X, positive, "threshold", n_rules, 0)
    assert 1 <= len(short.rules) <= n_rules
    assert (short.points > 0).all()
    total = np.zeros(len(X))
    for rule, points in zip(short.rules, short.points, strict=True):
        holds = np.ones(len(X), dtype=bool)
        for feature, threshold, yes in rule:
            holds &= (X[:, feature] > threshold) == yes
        total += points * holds
    np.testing.assert_array_equal(short.decide(X), total > short.bar + 1e-9)


def test_sparse_is_dense():
    rng = np.random.default_rng(5)
    X = (rng.random((300, 20)) < 0.3).astype(float)
    positive = (X[:, 3] * X[:, 4] > 0) | (X[:, 7] * X[:, 8] * X[:, 9] > 0)
    dense, sparse = (learn_short_list(rows, positive, "presence", 5, 0) for rows in (X, csr_array(X)))
    assert dense.rules == sparse.rules
    np.testing.assert_array_equal(dense.points, sparse.points)


def test_never_far_below_balanced_trees():
    """Rare positives in overlapping classes, which no list of the linear program found."""
    ours, trees = [], []
    for seed in range(3):
        X, y = make_numbers(2000, seed)
        y = y & (np.random.default_rng(seed).random(2000) < 0.4)
        short = learn_short_list(X[:1400], y[:1400], "threshold", 5, 0)
        tree = DecisionTreeClassifier(max_leaf_nodes=6, class_weight="balanced", random_state=0)
        tree.fit(X[:1400], y[:1400])
        for found, kept in ((short.decide(X[1400:]), ours), (tree.predict(X[1400:]), trees)):
            kept.append(2 * (found & y[1400:]).sum() / (found.sum() + y[1400:].sum()))
    assert np.mean(ours) > np.mean(trees) - 0.03


def test_rare_positives_keep_their_thresholds():
    """Quantiles of all rows would not tell the five positives apart."""
    rng = np.random.default_rng(0)
    X = rng.random((5000, 1))
    X[:5] += 1.0
    short = learn_short_list(X, np.arange(5000) < 5, "threshold", 5, 0)
    np.testing.assert_array_equal(short.decide(X), np.arange(5000) < 5)
