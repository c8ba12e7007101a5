import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from histories import steps
from lopsided import (
    AdaBoostStumps,
    AdaUBoostStumps,
    LPBoostStumps,
    LPUBoostStumps,
    LPUBoostStumpsCV,
    load,
    save,
)
from lopsided.boosting._stumps import PresenceStumps
from lopsided.boosting._training import boost_stumps

BOOSTERS = [
    AdaBoostStumps(n_rounds=20),
    AdaUBoostStumps(n_rounds=20),
    LPBoostStumps(0.2),
    LPUBoostStumps(nu=0.2, lower_bound_divisor=50),
]


def numbers(n=200, seed=0):
    """Three classes in the plane, and two columns of noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 4))
    X[:, :2] += 3 * np.array([[0, 0], [2, 0], [0, 2]])[y]
    return X, np.array(["a", "b", "c"])[y]


@pytest.fixture(params=BOOSTERS, ids=lambda model: type(model).__name__)
def booster(request):
    return clone(request.param)


@pytest.mark.parametrize("form", [csr_array, csc_array, csr_matrix])
def test_presence_is_the_same_for_sparse_and_dense(booster, form, words):
    X, y = words()
    X *= 2.5
    booster = clone(booster).set_params(stumps="presence")
    dense, sparse = clone(booster).fit(X, y), clone(booster).fit(form(X), y)
    assert dense.rules_ == sparse.rules_
    np.testing.assert_allclose(dense.decision_function(X), sparse.decision_function(form(X)), atol=1e-12)
    for F, G in zip(dense.staged_decision_function(X), sparse.staged_decision_function(form(X)), strict=True):
        np.testing.assert_array_equal(F, G)
    np.testing.assert_allclose(F, dense.decision_function(X), atol=1e-12)


def test_scores_are_the_sum_of_the_rules(booster, words):
    X, y = words()
    model = booster.fit(X, y)
    by_hand = [
        sum(rule.weight * (rule.present if row[rule.feature] else rule.absent) for rule in model.rules_)
        for row in X
    ]
    np.testing.assert_allclose(model.decision_function(X), by_hand, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), np.where(np.array(by_hand) > 0, 1, -1))


@pytest.mark.parametrize("learner", ["real.mh", "disc.u"])
def test_stumps_that_are_indexed_already_boost_as_fit_does(booster, learner, words):
    X, y = words()
    booster.set_params(weak_learner=learner)
    ensemble = boost_stumps(booster, PresenceStumps(X), y.astype(np.int8), np.ones(len(y)))
    model = clone(booster).fit(X, y)
    assert ensemble.rules() == model.rules_
    assert ensemble.converged == model.converged_
    assert not hasattr(booster, "classes_")


def test_a_score_of_zero_is_negative(words):
    X, y = words()
    model = AdaBoostStumps(n_rounds=1).fit(X, y)
    model.ensembles_[0].members[0] = model.ensembles_[0].members[0]._replace(alpha=0.0)
    assert (model.decision_function(X) == 0).all()
    assert (model.predict(X) == -1).all()


def test_numbers_are_cut_by_thresholds(booster):
    X, y = numbers()
    y = np.where(y == "b", "yes", "no")
    model = booster.set_params(stumps="threshold").fit(X, y)
    assert model.score(X, y) > 0.95
    assert all(rule.threshold is not None or rule.is_constant for rule in model.rules_)
    assert model.rules_[0].feature == 0
    sparse = clone(booster).fit(csr_array(X), y)
    assert sparse.rules_ == model.rules_
    # A scale that keeps the order of the numbers keeps the rules.
    again = clone(booster).fit(8 * X, y)
    assert [rule._replace(threshold=None) for rule in again.rules_] == [
        rule._replace(threshold=None) for rule in model.rules_
    ]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_more_classes_are_one_against_the_rest(booster, n_jobs):
    X, y = numbers()
    model = booster.set_params(stumps="threshold", n_jobs=n_jobs).fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == (len(y), 3)
    assert model.score(X, y) > 0.8
    assert list(model.rules_) == ["a", "b", "c"]
    for column, label in enumerate(model.classes_):
        alone = clone(booster).set_params(n_jobs=None).fit(X, y == label)
        assert alone.rules_ == model.rules_[label]
        assert steps(alone) == [step for step in steps(model) if step.pop("class") == label]
        np.testing.assert_array_equal(alone.decision_function(X), scores[:, column])
        assert alone.n_rounds_ == model.n_rounds_[column]
        assert alone.converged_ == model.converged_[column]
    stages = list(model.staged_decision_function(X))
    assert len(stages) == max(model.n_rounds_)
    np.testing.assert_allclose(stages[-1], scores, atol=1e-12)
    assert [table.label for table in model.explain()] == ["a", "b", "c"]


@pytest.mark.parametrize("form", [np.asarray, csr_array, csr_matrix, pd.DataFrame, np.ndarray.tolist])
def test_several_labels_a_row(booster, form, words):
    X, y = words()
    Y = np.column_stack([y > 0, X[:, 0] != 0, np.arange(len(y)) % 7 == 0]).astype(int)
    alone = clone(booster).fit(X, Y[:, 0])
    model = booster.set_params(n_jobs=2).fit(X, form(Y))
    assert model.predict(X).shape == Y.shape
    np.testing.assert_array_equal(model.predict(X)[:, :2], np.column_stack([alone.predict(X), Y[:, 1]]))
    np.testing.assert_array_equal(model.decision_function(X)[:, 0], alone.decision_function(X))
    assert len(model.explain()) == 3


def copies(X, y, weights):
    return X.repeat(weights.astype(int), axis=0), y.repeat(weights.astype(int))


def test_weights_of_zero_are_absent_and_whole_ones_are_copies(words):
    """Copies count as rows of their own in the smoothing of real answers, so signs are taken here."""
    X, y = words(150, 15, 20)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    for booster in (AdaBoostStumps, AdaUBoostStumps):
        model = booster(weak_learner="disc.mh", n_rounds=8)
        weighted = clone(model).fit(X, y, sample_weight=weights)
        for other in (clone(model).fit(*copies(X, y, weights)), clone(model).fit(X, y, 3.7 * weights)):
            np.testing.assert_allclose(weighted.decision_function(X), other.decision_function(X), atol=1e-8)
    for model in (LPBoostStumps(0.2, weak_learner="disc.lp"), LPUBoostStumps(2, 0.2, weak_learner="disc.lp")):
        weighted = clone(model).fit(X, y, sample_weight=weights)
        for other in (clone(model).fit(*copies(X, y, weights)), clone(model).fit(X, y, 3.7 * weights)):
            assert weighted.history_["bound"][-1] == pytest.approx(other.history_["bound"][-1], abs=2e-6)


def test_a_row_of_next_to_no_weight_changes_next_to_nothing(words):
    X, y = words(150, 15, 20)
    weights = np.ones(len(y))
    weights[0] = 1e-12
    light, without = (
        AdaBoostStumps(n_rounds=3).fit(X[part], y[part], weights[part])
        for part in (slice(None), slice(1, None))
    )
    np.testing.assert_allclose(light.decision_function(X), without.decision_function(X), rtol=1e-6)


def test_beta_is_a_weight_of_the_positives_for_the_bounds(words):
    """LPUBoost differs from LPBoost only by the bounds, so beta is a sample weight but for its scale nu."""
    X, y = words()
    weights = np.where(y > 0, 4.0, 1.0)
    uneven = LPUBoostStumps(4, 0.2, weak_learner="disc.lp").fit(X, y)
    weighted = LPBoostStumps(0.2 / weights.mean(), weak_learner="disc.lp").fit(X, y, sample_weight=weights)
    assert weighted.history_["bound"][-1] == pytest.approx(uneven.history_["bound"][-1], abs=2e-6)


def test_equal_columns_change_nothing(booster, words):
    X, y = words()
    once, twice = clone(booster).fit(X, y), clone(booster).fit(np.hstack([X, X]), y)
    assert once.rules_ == twice.rules_


def test_constant_columns_change_nothing(booster, words):
    X, y = words()
    constant = np.hstack([X, np.zeros((len(y), 1)), np.ones((len(y), 1))])
    np.testing.assert_allclose(
        clone(booster).fit(constant, y).decision_function(constant),
        clone(booster).fit(X, y).decision_function(X),
    )


def test_one_positive_is_enough(booster, words):
    X, y = words(100, 20, 1)
    X[0, -1], X[1:, -1] = 1, 0
    model = booster.fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert [rule.feature for rule in model.rules_] == [X.shape[1] - 1]


@pytest.mark.parametrize("weak_learner", ["real.mh", LogisticRegression()])
def test_what_was_saved_scores_the_same(booster, weak_learner, tmp_path, words):
    X, y = words()
    model = booster.set_params(weak_learner=weak_learner).fit(X, y)
    save(model, tmp_path / "model.skops")
    for again in (load(tmp_path / "model.skops"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
        assert again.rules_ == model.rules_
        assert steps(again) == steps(model)
        assert str(again.explain()) == str(model.explain())


def test_it_can_be_searched(words):
    X, y = words()
    search = GridSearchCV(LPUBoostStumps(nu=0.2), {"beta": [1, 4]}, scoring="f1", cv=3).fit(X, y)
    assert search.best_score_ > 0.5
    assert search.best_estimator_.rules_


def test_the_input_is_left_alone(booster, words):
    X, y = words()
    sparse, before = csr_array(X), X.copy()
    sparse.data.flags.writeable = X.flags.writeable = False
    booster.fit(sparse, y).predict(sparse)
    booster.fit(X, y).predict(X)
    np.testing.assert_array_equal(X, before)


def test_sparse_entries_that_stand_twice_are_added_up_and_the_users_rows_stay():
    data, rows, columns = [1.0, 1.0, 1.0, -1.0, 1.0, 1.0], [0, 0, 1, 1, 2, 3], [0, 0, 1, 1, 0, 1]
    twice = csr_array((data, (rows, columns)), shape=(6, 2))
    twice.has_canonical_format = False
    plain = twice.toarray()
    y = [1, 0, 1, 0, 0, 0]
    from_twice, from_plain = (
        AdaBoostStumps(n_rounds=3, stumps="presence").fit(twice, y),
        AdaBoostStumps(n_rounds=3, stumps="presence").fit(plain, y),
    )
    assert from_twice.rules_ == from_plain.rules_
    np.testing.assert_array_equal(from_twice.decision_function(twice), from_plain.decision_function(plain))
    zeros = csc_array(([0.0, 1.0, 1.0], ([0, 1, 2], [0, 0, 1])), shape=(6, 2))
    n_entries = zeros.nnz
    AdaBoostStumps(n_rounds=2).fit(zeros, y)
    assert zeros.nnz == n_entries


def test_rules_that_cancel_are_told():
    rng = np.random.default_rng(0)
    X = (rng.random((400, 15)) < 0.2).astype(float)
    y = (X[:, 0] * X[:, 1] > 0) | (rng.random(400) < 0.05)
    with pytest.warns(UserWarning, match="all rows get the same answer"):
        model = LPUBoostStumps(4, 0.1).fit(X, y)
    assert model.explain().rows == []


def test_huge_weights():
    X, y = np.eye(6)[:, :3], [1, 1, 1, 0, 0, 0]
    plain = AdaBoostStumps(n_rounds=3).fit(X, y)
    huge = AdaBoostStumps(n_rounds=3).fit(X, y, sample_weight=[1e308] * 6)
    np.testing.assert_allclose(huge.decision_function(X), plain.decision_function(X))


def test_numbers_are_asked_for_thresholds_by_default():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 1] > 0.5
    for model in (LPUBoostStumps(), LPUBoostStumpsCV(betas=(2,), nus=(0.1,), weak_learners=("real.lp",))):
        assert (model.fit(X, y).predict(X) == y).all()
        assert model.rules_[0].threshold is not None
        assert model.feature_importances_.tolist() == [0, 1, 0]
    counts = csr_array(np.array([[0, 3], [1, 0], [2, 0], [0, 1]] * 5))
    assert LPUBoostStumps().fit(counts, [0, 1, 1, 0] * 5).rules_[0].threshold is None


def test_importances_are_shares_of_the_points():
    X, y = np.eye(6)[:, :3], [0, 1, 2, 0, 1, 2]
    model = AdaBoostStumps(n_rounds=5).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1)
    by_hand = np.zeros(3)
    for rules in model.rules_.values():
        points = [abs(rule.weight * (rule.present - rule.absent)) for rule in rules]
        for rule, gain in zip(rules, points, strict=True):
            by_hand[rule.feature] += gain / sum(points) / 3
    np.testing.assert_allclose(model.feature_importances_, by_hand)
    trees = AdaBoostStumps(weak_learner=DecisionTreeClassifier(max_depth=1), n_rounds=2).fit(X, y)
    assert not hasattr(trees, "feature_importances_")
