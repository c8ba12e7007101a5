"""Probabilities of LASVC: a sigmoid of the scores of held-out labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import brier_score_loss

from lopsided import LASVC, load, make_lopsided, save
from lopsided._probabilities import Sigmoids
from lopsided.metrics import RoundRobinFold

X_all, y_all = make_lopsided(4600, 4, 0.1, random_state=0)
X, X_test, y, y_test = X_all[:600], X_all[600:], y_all[:600], y_all[600:]


def test_the_slow_twin_holds_out_the_same_rows():
    model = LASVC(probability=True, selection="sequential", n_epochs="converge").fit(X, y)
    read = model.queried_
    scores = np.zeros(len(read))
    for train, test in RoundRobinFold(5, random_state=0).split(read, y[read]):
        machine = LASVC(selection="sequential", n_epochs="converge", gamma=model.gamma_)
        scores[test] = machine.fit(X[read[train]], y[read[train]]).decision_function(X[read[test]])
    expected = Sigmoids.fit(scores, y[read] == 1).probabilities(model.decision_function(X_test))
    assert_allclose(model.predict_proba(X_test), expected, atol=5e-3)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_they_are_calibrated_on_new_rows(class_weight):
    model = LASVC(probability=True, class_weight=class_weight, random_state=0).fit(X, y)
    p = model.predict_proba(X_test)[:, 1]
    assert p.mean() == pytest.approx(y_test.mean(), abs=0.02)
    assert brier_score_loss(y_test, p) < 0.6 * brier_score_loss(y_test, np.full(len(p), y.mean()))
    assert (np.diff(p[np.argsort(model.decision_function(X_test))]) >= 0).all()


def test_they_change_nothing_else():
    with_them = LASVC(probability=True, random_state=0).fit(X, y)
    assert_array_equal(
        with_them.decision_function(X_test), LASVC(random_state=0).fit(X, y).decision_function(X_test)
    )


def test_active_selection_holds_out_labels_that_were_asked_for():
    asked = []

    def oracle(rows):
        asked.extend(rows.tolist())
        return y[rows]

    model = LASVC(selection="active", probability=True, max_labels=100, random_state=0).fit(X, oracle)
    assert len(asked) == 100
    p = model.predict_proba(X[asked])[:, 1]
    assert p.mean() == pytest.approx(y[asked].mean(), abs=0.05)


def test_several_classes():
    labels = np.digitize(X_all[:, 0], [-0.5, 0.5])
    model = LASVC(probability=True, random_state=0, n_jobs=2).fit(X, labels[:600])
    p = model.predict_proba(X_test)
    assert p.shape == (len(X_test), 3)
    assert_allclose(p.sum(axis=1), 1)
    assert (p.argmax(axis=1) == labels[600:]).mean() > 0.85
    alone = LASVC(probability=True, random_state=0).fit(X, labels[:600])
    assert_array_equal(alone.predict_proba(X_test), p)


def test_rows_of_weight_zero_have_no_part():
    weights = np.ones(len(y))
    weights[400:] = 0
    kept = LASVC(probability=True, random_state=0, selection="sequential", gamma=0.3).fit(X, y, weights)
    alone = LASVC(probability=True, random_state=0, selection="sequential", gamma=0.3).fit(X[:400], y[:400])
    assert_allclose(kept.predict_proba(X_test), alone.predict_proba(X_test), atol=1e-6)


def test_a_class_of_one_row():
    labels = np.append(np.repeat([0, 1], 20), 2)
    rows = np.vstack([np.random.default_rng(0).normal(size=(40, 2)) + labels[:40, None] * 3, [[-9, 9]]])
    p = LASVC(probability=True, random_state=0).fit(rows, labels).predict_proba(rows)
    assert np.isfinite(p).all()
    assert_allclose(p.sum(axis=1), 1)


def test_a_kernel_matrix():
    K, K_test = X @ X.T, X_test @ X.T
    given = LASVC(kernel="precomputed", probability=True, random_state=0).fit(K, y)
    made = LASVC(kernel="linear", probability=True, random_state=0).fit(X, y)
    assert_allclose(given.predict_proba(K_test), made.predict_proba(X_test), atol=2e-2)


def test_without_them_the_method_is_not_there_and_the_error_names_the_fix():
    model = LASVC(random_state=0).fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as error:
        model.predict_proba(X)
    assert "probability=True" in str(error.value.__cause__)


def test_partial_fit_drops_them():
    model = LASVC(probability=True, random_state=0).fit(X, y).partial_fit(X_test[:10], y_test[:10])
    with pytest.raises(ValueError, match="not by partial_fit"):
        model.predict_proba(X)


def test_they_are_kept_in_a_file(tmp_path):
    model = LASVC(probability=True, random_state=0).fit(X, y)
    save(model, tmp_path / "model")
    assert_array_equal(load(tmp_path / "model").predict_proba(X_test), model.predict_proba(X_test))
