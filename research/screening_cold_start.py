"""Which ranking is best where only positives are known: one, three or ten of them, the rest unlabeled.

Prints the mean average precision of the unlabeled records over the choosing reviews, topics and seeds. The
result stands in docs/screening.md.

    python research/screening_cold_start.py
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.svm import LinearSVC

from lopsided import SVMC, RocSVM
from lopsided.screening._features import Features
from screening_choose import CHOOSING_REVIEWS, CHOOSING_TOPICS, read_review, read_topics

N_KNOWN, N_SEEDS, N_BORROWED = (1, 3, 10), 3, 300

Rank = Callable[[Any, Any, Any, np.random.Generator], Any]


def svm(C: float, preference: float = 1.0) -> Rank:
    """Rank by an SVM of the positives, so many times as heavy, against some unlabeled records."""

    def rank(X: Any, known: Any, left: Any, rng: np.random.Generator) -> Any:
        borrowed = rng.choice(left, size=min(N_BORROWED, len(left)), replace=False)
        rows = np.concatenate([known, borrowed])
        y = np.isin(rows, known)
        weight = len(rows) / 2 / np.where(y, len(known) / preference, len(borrowed))
        model = LinearSVC(C=C, random_state=0).fit(X[rows], y, sample_weight=weight)
        return X @ model.coef_[0]

    return rank


def against_all(model: Any) -> Rank:
    """Rank by a linear model of the positives against all unlabeled records."""

    def rank(X: Any, known: Any, left: Any, rng: np.random.Generator) -> Any:
        return X @ model.fit(X, _marked(X, known)).coef_[0]

    return rank


def centroid(X: Any, known: Any, left: Any, rng: np.random.Generator) -> Any:
    """Rank by the product with the mean of the positives."""
    return X @ np.asarray(X[known].mean(axis=0)).ravel()


def of_library(estimator: Any) -> Rank:
    """Rank by a learner for positives and unlabeled rows."""

    def rank(X: Any, known: Any, left: Any, rng: np.random.Generator) -> Any:
        return estimator.fit(X, _marked(X, known)).decision_function(X)

    return rank


def _marked(X: Any, known: Any) -> Any:
    y = np.zeros(X.shape[0], dtype=int)
    y[known] = 1
    return y


METHODS = {
    "centroid": centroid,
    "SVM, C=0.2, against 300 unlabeled": svm(0.2),
    "SVM, C=0.02, against 300 unlabeled": svm(0.02),
    "SVM, C=0.002, against 300 unlabeled": svm(0.002),
    "SVM, C=0.02, 10 times, against 300 (shipped)": svm(0.02, 10),
    "SVM, C=0.2, against all unlabeled": against_all(
        LinearSVC(C=0.2, class_weight="balanced", random_state=0)
    ),
    "LogisticRegression against all unlabeled": against_all(LogisticRegression(class_weight="balanced")),
    "RocSVM": of_library(RocSVM()),
    "SVMC": of_library(SVMC()),
}


def main() -> None:
    """Print a line a method."""
    problems = [read_review(name) for name in CHOOSING_REVIEWS]
    records, labels = read_topics(CHOOSING_TOPICS)
    problems += [(records, relevant) for relevant in labels.values()]
    sums: dict[str, dict[int, list[float]]] = {name: {n: [] for n in N_KNOWN} for name in METHODS}
    matrices: dict[int, Any] = {}
    for records, relevant in problems:
        if id(records) not in matrices:
            features = Features()
            features.add(records)
            matrices[id(records)] = features.vectors.rows(np.arange(len(records))).astype(float)
        X = matrices[id(records)]
        for seed in range(N_SEEDS):
            positives = np.random.default_rng(seed).permutation(np.flatnonzero(relevant))
            for n in N_KNOWN:
                known = np.sort(positives[:n])
                left = np.setdiff1d(np.arange(len(records)), known)
                for name, rank in METHODS.items():
                    try:
                        with warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            scores = rank(X, known, left, np.random.default_rng(seed))
                        sums[name][n].append(average_precision_score(relevant[left], scores[left]))
                    except ValueError:  # too few positives for this method
                        sums[name][n].append(np.nan)
    print("known positives".ljust(44), *(f"{n:6d}" for n in N_KNOWN))
    for name, found in sums.items():
        cells = (f"{np.mean(found[n]):6.3f}" for n in N_KNOWN)
        print(name.ljust(44), *cells)


if __name__ == "__main__":
    main()
