"""What every fitted LASVC must be, however its fit ended."""

import numpy as np

from lopsided import LASVC


def model(**parameters):
    return LASVC(**{"gamma": 0.2, "selection": "sequential", "random_state": 0, **parameters})


def check_sound(fitted, X, C=1.0):
    """Feasible alphas, finite scores, and a stream that can go on."""
    alpha = fitted.dual_coef_[0]
    assert np.isfinite(alpha).all()
    assert np.isfinite(fitted.intercept_).all()
    assert abs(alpha.sum()) <= 1e-9 * max(1, np.abs(alpha).sum())
    assert (np.abs(alpha) <= C * (1 + 1e-9)).all()
    assert len(fitted.support_) == len(alpha) == fitted.support_vectors_.shape[0] == fitted.n_support_.sum()
    assert np.isfinite(fitted.decision_function(X)).all()
    assert set(fitted.predict(X)) <= set(fitted.classes_)
    assert (
        {len(values) for values in fitted.history_.values()} == {fitted.n_labels_} == {len(fitted.queried_)}
    )
