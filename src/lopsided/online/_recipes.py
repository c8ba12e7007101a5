"""Recipes of compiled learners, as plain numbers; without scikit-learn, for the mail filter.

Defaults are those of the estimators. A test compares them.
"""

from typing import Any

from lopsided._kernels.online import AdaptivePerceptron, KernelPerceptron, Perceptron
from lopsided._kernels.rows import RowStore


def perceptron_rule(
    cost_negative: float = 1.0,
    cost_positive: float = 1.0,
    margin: float = 2.0,
    eta0: float = 1.0,
    fit_intercept: bool = False,
    initial_bias: float = 0.0,
) -> dict[str, Any]:
    """Return the rule by which a `MarginPerceptron` learns."""
    return {
        "margin": float(margin),
        "rate": float(eta0),
        "cost_positive": float(cost_positive),
        "cost_negative": float(cost_negative),
        "moves_b": bool(fit_intercept),
        "b": float(initial_bias),
    }


def make_perceptron(
    recipe: dict[str, Any], state: dict[str, Any] | None = None
) -> Perceptron | KernelPerceptron:
    """Return an empty perceptron, or one that goes on from a state.

    The recipe has the "rule", and either the "store" of a kernel or "n_columns" and "wide", for float64;
    "adaptive" there says that steps are as long as the margin asks for.
    """
    if "store" in recipe:
        return KernelPerceptron(RowStore(**recipe["store"]), **recipe["rule"], state=state)
    core = AdaptivePerceptron if recipe.get("adaptive") else Perceptron
    return core(recipe["n_columns"], recipe["wide"], **recipe["rule"], state=state)


def svm_recipe(
    n_columns: int,
    C_negative: float,
    C_positive: float,
    buffer_size: int = 1000,
    update_margin: float = 1.0,
    max_passes: int = 1,
    tol: float = 1e-3,
) -> dict[str, Any]:
    """Return the recipe of a `RelaxedOnlineSVM`; a ``buffer_size`` of 0 keeps every example."""
    return {
        "n_columns": n_columns,
        "C_positive": float(C_positive),
        "C_negative": float(C_negative),
        "tol": float(tol),
        "size": int(buffer_size),
        "margin": float(update_margin),
        "passes": int(max_passes),
    }


def make_svm(recipe: dict[str, Any], state: dict[str, Any] | None = None) -> Any:
    """Return an empty online SVM, or one that goes on from a state."""
    from lopsided._kernels.buffered_svm import BufferedSVM  # late: the mail filter may have a perceptron

    return BufferedSVM(**recipe, state=state)
