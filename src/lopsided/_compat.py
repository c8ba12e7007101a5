"""The few names we need that scikit-learn keeps private, and a setting it gives no helper for."""

from typing import Any

from scipy.sparse import csr_array, csr_matrix
from sklearn import get_config
from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

__all__ = [
    "HasMethods",
    "Interval",
    "RealNotInt",
    "StrOptions",
    "begin_callbacks",
    "chosen_sparse",
    "fit_context",
]


def begin_callbacks(estimator: Any, n_tasks: int) -> Any:
    """Return the context in which an estimator's callbacks see a fit of so many tasks, or None."""
    if not getattr(estimator, "_skl_callbacks", None):
        return None
    return estimator._init_callback_context(max_subtasks=n_tasks)


def chosen_sparse(matrix: csr_array) -> csr_array | csr_matrix:
    """Return the rows as a sparse array or a sparse matrix, as scikit-learn's ``sparse_interface`` asks."""
    return matrix if get_config()["sparse_interface"] == "sparray" else csr_matrix(matrix)
