"""The few names we need that scikit-learn keeps private, and what its supported versions do differently."""

from typing import Any

from scipy.sparse import csr_array, csr_matrix
from sklearn import get_config
from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

try:
    from sklearn.callback import CallbackSupportMixin  # since scikit-learn 1.9
except ImportError:
    # Stands in for the class of the same name, which mypy takes for a second definition.
    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: the estimators have no ``set_callbacks``."""


__all__ = [
    "CallbackSupportMixin",
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
    # Before scikit-learn 1.9 there is no choice, and rows are matrices.
    return matrix if get_config().get("sparse_interface") == "sparray" else csr_matrix(matrix)
