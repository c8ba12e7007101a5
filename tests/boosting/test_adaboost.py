import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.tree import DecisionTreeClassifier

from histories import steps
from lopsided import AdaBoostStumps, AdaUBoostStumps
from reference import boosting as twin

NAMES = twin.LEARNERS


@pytest.mark.parametrize("beta", [1, 3])
@pytest.mark.parametrize("name", NAMES)
def test_as_the_slow_twin(name, beta, words):
    X, y = words(120, 15, 15)
    model = AdaUBoostStumps(beta=beta, weak_learner=name, n_rounds=12).fit(X, y)
    _, scores, losses = twin.adaboost((X != 0).T, y, name, beta, 12)
    assert model.n_rounds_ == 12
    np.testing.assert_allclose(model.history_["Z"], losses, rtol=1e-9)
    np.testing.assert_allclose(list(model.staged_decision_function(X)), scores, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.decision_function(X), scores[-1], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_at_even_costs_the_uneven_one_is_adaboost_to_the_last_bit(name, words):
    X, y = words()
    even = AdaBoostStumps(weak_learner=name, n_rounds=30).fit(X, y)
    uneven = AdaUBoostStumps(beta=1, weak_learner=name, n_rounds=30).fit(X, y)
    assert even.rules_ == uneven.rules_
    assert steps(even) == steps(uneven)


@pytest.mark.parametrize("beta", [1, 2, 8])
@pytest.mark.parametrize("name", NAMES)
def test_the_training_error_is_below_the_product_of_losses(name, beta, words):
    """sum_i D1_i [y_i F(x_i) <= 0] <= prod Z_t after each round."""
    X, y = words()
    start = np.where(y > 0, float(beta), 1.0)
    start /= start.sum()
    assert start[y > 0].sum() / start[y < 0].sum() == pytest.approx(beta * (y > 0).sum() / (y < 0).sum())
    model = AdaUBoostStumps(beta=beta, weak_learner=name, n_rounds=40).fit(X, y)
    bound = np.cumprod(model.history_["Z"])
    for F, most in zip(model.staged_decision_function(X), bound, strict=True):
        assert start[y * F <= 0].sum() <= most + 1e-12


def test_uneven_costs_find_more_of_the_rare_class(words):
    """The smoke test of the specification, smaller; what the figures of the paper rest on."""
    X, y = words(1500, 300, 60, seed=0)
    X_test, y_test = words(1500, 300, 60, seed=1)
    even = AdaBoostStumps(n_rounds=50).fit(X, y).predict(X_test)
    uneven = AdaUBoostStumps(beta=2, n_rounds=50).fit(X, y).predict(X_test)
    assert (uneven[y_test > 0] > 0).sum() > (even[y_test > 0] > 0).sum()


@pytest.mark.parametrize("beta", [1, 4])
def test_shallow_trees_boost_too(beta, words):
    X, y = words()
    X[:, 0] = np.logical_xor(X[:, 40], X[:, 41])  # which no sum of stumps sees at once
    y = np.where(np.logical_xor(X[:, 2], X[:, 3]), 1, -1)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    stumps = AdaUBoostStumps(beta, n_rounds=15).fit(X[:, 1:], y)
    trees = AdaUBoostStumps(beta, weak_learner=tree, n_rounds=15).fit(X[:, 1:], y)
    assert trees.score(X[:, 1:], y) == 1.0 > stumps.score(X[:, 1:], y)
    assert trees.rules_ == []
    sparse = csr_array(X[:, 1:])
    for F, G in zip(
        trees.staged_decision_function(X[:, 1:]), trees.staged_decision_function(sparse), strict=True
    ):
        np.testing.assert_allclose(F, G)
    np.testing.assert_allclose(F, trees.decision_function(X[:, 1:]))


def test_it_ends_where_nothing_is_gained():
    X, y = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]]), np.array([1, -1, 1, -1])
    with pytest.warns(UserWarning, match="no question about a column gains anything"):
        model = AdaBoostStumps(weak_learner="disc.mh").fit(X, y)
    assert model.converged_
    assert model.n_rounds_ == 1
