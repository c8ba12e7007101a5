"""The methods that the paper compares: each is LASVC on a training set or with costs of its own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.experiments import check_name, import_peer, timed
from lopsided.problems.rare import RareProblem
from lopsided.svm import LASVC

# What each method asks of LASVC beyond the problem's C and gamma. Those of the last three lines change the
# training set or the costs first.
METHODS: dict[str, dict[str, Any]] = {
    "batch": {"selection": "random"},
    "active": {"selection": "active", "stopping": "saturation"},
    "active-all": {"selection": "active"},
    "exhaustive": {"selection": "exhaustive", "stopping": "saturation"},
    "random-stopped": {"selection": "random"},
    "undersampling": {"selection": "random"},
    "smote": {"selection": "random"},
    "costs": {"selection": "random"},
}
BOTH = ("batch", "active")  # the columns of Table 1
COMPARED = ("batch", "undersampling", "smote", "costs", "active")  # the columns of Tables 3 and 4
_AFTER_ACTIVE = ("random-stopped", "undersampling")  # these ask where active learning stopped


def prepare(
    problem: RareProblem, method: str, seed: int, *, stopped: LASVC | None = None
) -> tuple[LASVC, Any, NDArray[Any]]:
    """Return the machine of a method, not yet trained, and the training set it is to see.

    ``stopped`` is the machine of "active" with the same seed: it says where "random-stopped" stops and how
    far "undersampling" goes. Where it is not at hand, it is trained here.
    """
    check_name("method", method, METHODS)
    machine = LASVC(C=problem.C, gamma=problem.gamma, random_state=seed, **METHODS[method])
    X, y = problem.X_train, problem.y_train
    if method in _AFTER_ACTIVE:
        stopped = train(problem, "active", seed)[0] if stopped is None else stopped
        if method == "undersampling":
            X, y = undersample(X, y, stopped.n_support_, seed)
        else:
            machine.set_params(max_labels=stopped.n_labels_)
    elif method == "smote":
        X, y = oversample(X, y, seed)
    elif method == "costs":
        machine.set_params(class_weight={0: 1.0, 1: problem.ratio})
    return machine, X, y


def train(problem: RareProblem, method: str, seed: int) -> tuple[LASVC, float]:
    """Return the trained machine of a method and the seconds it took; changes of the training set count."""
    # To find the stop of active learning, or to import SMOTE, is not part of a method's time.
    stopped = train(problem, "active", seed)[0] if method in _AFTER_ACTIVE else None
    if method == "smote":
        import_peer(*_SMOTE)

    def learn() -> LASVC:
        machine, X, y = prepare(problem, method, seed, stopped=stopped)
        return machine.fit(X, y)

    return timed(learn)


def undersample(X: Any, y: NDArray[Any], n_support: NDArray[Any], seed: int) -> tuple[Any, NDArray[Any]]:
    """Return all positives, and for each as many negatives as active learning kept as support vectors."""
    positive, negative = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    wanted = round(len(positive) * n_support[0] / max(1, n_support[1]))
    n_negative = min(max(wanted, 1), len(negative))
    kept = np.random.default_rng(seed).choice(negative, n_negative, replace=False)
    rows = np.sort(np.concatenate([positive, kept]))
    return X[rows], y[rows]


_SMOTE = ("imblearn.over_sampling", "SMOTE")


def oversample(X: Any, y: NDArray[Any], seed: int) -> tuple[Any, NDArray[Any]]:
    """Return the training set with positives made between neighbours (SMOTE) until the classes are equal."""
    n_neighbors = min(5, int(y.sum()) - 1)
    return import_peer(*_SMOTE)(k_neighbors=n_neighbors, random_state=seed).fit_resample(X, y)
