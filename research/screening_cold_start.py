"""Which ranking is best where only positives are known: one, three or ten of them, the rest unlabeled.

Prints the mean average precision of the unlabeled records over reviews, topics and seeds. The result stands in
docs/screening.md. Run: python research/screening_cold_start.py
"""

import warnings

import numpy as np
from screening_choose import CHOOSING_REVIEWS, CHOOSING_TOPICS, read_review, read_topics
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.svm import LinearSVC

from lopsided import SVMC, RocSVM
from lopsided.screening._features import Features

N_KNOWN, N_SEEDS, N_BORROWED = (1, 3, 10), 3, 300


def svm(X, known, left, rng):
    borrowed = rng.choice(left, size=min(N_BORROWED, len(left)), replace=False)
    rows = np.concatenate([known, borrowed])
    model = LinearSVC(C=0.2, class_weight="balanced", random_state=0).fit(X[rows], np.isin(rows, known))
    return X @ model.coef_[0]


def svm_against_all(X, known, left, rng):
    y = np.zeros(X.shape[0], dtype=bool)
    y[known] = True
    return X @ LinearSVC(C=0.2, class_weight="balanced", random_state=0).fit(X, y).coef_[0]


def logistic(X, known, left, rng):
    y = np.zeros(X.shape[0], dtype=bool)
    y[known] = True
    return X @ LogisticRegression(C=1.0, class_weight="balanced").fit(X, y).coef_[0]


def centroid(X, known, left, rng):
    return X @ np.asarray(X[known].mean(axis=0)).ravel()


def of_library(estimator):
    def rank(X, known, left, rng):
        y = np.zeros(X.shape[0], dtype=int)
        y[known] = 1
        return estimator.fit(X, y).decision_function(X)

    return rank


METHODS = {
    "centroid": centroid,
    f"SVM against {N_BORROWED} unlabeled": svm,
    "SVM against all unlabeled": svm_against_all,
    "LogisticRegression against all unlabeled": logistic,
    "RocSVM": of_library(RocSVM()),
    "SVMC": of_library(SVMC()),
}


def main():
    problems = [read_review(name) for name in CHOOSING_REVIEWS]
    records, labels = read_topics(CHOOSING_TOPICS)
    problems += [(records, relevant) for relevant in labels.values()]
    sums = {name: {n: [] for n in N_KNOWN} for name in METHODS}
    matrices = {}
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
