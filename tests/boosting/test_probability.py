"""Probabilities of the boosters."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.metrics import brier_score_loss

from lopsided import AdaBoostStumps, AdaUBoostStumps, LPBoostStumps, LPUBoostStumps, LPUBoostStumpsCV

BOOSTERS = [
    AdaBoostStumps(n_rounds=10),
    AdaUBoostStumps(n_rounds=10),
    LPBoostStumps(nu=0.3),
    LPUBoostStumps(),
    LPUBoostStumpsCV(betas=(2,), nus=(0.3,), lower_bound_divisors=(None,), weak_learners=("disc.lp",), cv=2),
]


def make_rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = (rng.random((n, 6)) < 0.3).astype(float)
    return X, (X[:, 0] + X[:, 1] + rng.random(n) > 1.6).astype(int)


@pytest.mark.parametrize("booster", BOOSTERS, ids=lambda booster: type(booster).__name__)
def test_probabilities_are_those_of_held_out_rows(booster):
    X, y = make_rows()
    X_new, y_new = make_rows(seed=1)
    plain = booster.fit(X, y)
    scores = plain.decision_function(X_new)
    assert not hasattr(plain, "predict_proba")
    model = booster.set_params(probability=True).fit(X, y)
    booster.set_params(probability=False)
    np.testing.assert_array_equal(model.decision_function(X_new), scores)
    model.set_params(probability=True)
    found = model.predict_proba(X_new)
    assert found.shape == (400, 2)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (np.diff(found[np.argsort(scores, kind="stable"), 1]) >= 0).all()
    assert brier_score_loss(y_new, found[:, 1]) < 0.9 * y_new.mean() * (1 - y_new.mean())
    assert abs(found[:, 1].mean() - y_new.mean()) < 0.06
    np.testing.assert_array_equal(model.predict_proba(csr_array(X_new)), found)
    model.set_params(probability=False)


def test_without_the_parameter_the_remedy_is_named():
    X, y = make_rows()
    model = AdaBoostStumps(n_rounds=3).fit(X, y)
    with pytest.raises(AttributeError) as raised:
        model.predict_proba(X)
    assert "Set probability=True and fit again" in str(raised.value.__cause__)
    model.set_params(probability=True)
    with pytest.raises(NotFittedError, match="was fitted with probability=False"):
        model.predict_proba(X)
    model.fit(X, y)
    assert model.predict_proba(X).shape == (400, 2)
    model.set_params(probability=False).fit(X, y)
    assert "_sigmoids" not in vars(model)


def test_more_classes_and_more_labels():
    X, y = make_rows()
    y = y + (X[:, 2] > 0)
    found = AdaBoostStumps(n_rounds=10, probability=True).fit(X, y).predict_proba(X)
    assert found.shape == (400, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    labels = np.column_stack([X[:, 0] > 0, y == 1]).astype(int)
    several = AdaBoostStumps(n_rounds=10, probability=True).fit(X, labels).predict_proba(X)
    assert several.shape == (400, 2)
    assert ((several[:, 0] > 0.5) == (labels[:, 0] == 1)).all()


def test_one_row_of_a_class():
    X, y = np.eye(6)[:, :3], [1, 0, 0, 0, 0, 0]
    found = AdaBoostStumps(n_rounds=3, probability=True).fit(X, y).predict_proba(X)
    assert np.isfinite(found).all()
