import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score

from lopsided.metrics import RoundRobinFold, fold_fbeta_score, mean_fold_score


@given(st.lists(st.integers(0, 2), min_size=5, max_size=60), st.integers(2, 5), st.integers(0, 9))
def test_folds_are_a_fair_partition(y, n_splits, seed):
    y = np.array(y)
    folds = list(RoundRobinFold(n_splits, seed).split(y, y))
    assert len(folds) == n_splits
    tested = np.concatenate([test for _, test in folds])
    assert sorted(tested) == list(range(len(y)))
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(len(y)))
    for rows in [np.ones(len(y), bool), y == 0, y == 1, y == 2]:
        sizes = [rows[test].sum() for _, test in folds]
        assert max(sizes) - min(sizes) <= 1


def test_fewer_positives_than_folds():
    y = np.array([1] * 2 + [0] * 48)
    folds = list(RoundRobinFold(5, 0).split(y, y))
    assert sorted(int(y[test].sum()) for _, test in folds) == [0, 0, 0, 1, 1]
    assert all(y[train].sum() + y[test].sum() == 2 for train, test in folds)


def test_seed_decides_the_folds():
    y = np.repeat([0, 1], 20)

    def first(seed):
        return next(iter(RoundRobinFold(5, seed).split(y, y)))[1].tolist()

    assert first(0) == first(0)
    assert first(0) != first(1)
    assert first(np.random.RandomState(0)) == first(np.random.RandomState(0))


def test_inside_scikit_learn():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    y = np.array([1] * 3 + [0] * 57)
    X[:3] += 5
    folds = RoundRobinFold(5, random_state=0)
    scores = cross_val_score(LogisticRegression(), X, y, cv=folds, scoring=make_scorer(fold_fbeta_score))
    assert np.isnan(scores).sum() == 2  # the folds without a positive
    assert mean_fold_score(scores) == np.nanmean(scores) > 0
    search = GridSearchCV(DummyClassifier(), {"strategy": ["prior"]}, cv=folds).fit(X, np.where(y, "a", "b"))
    assert search.n_splits_ == 5


def test_fold_without_positive_cannot_tell():
    assert math.isnan(fold_fbeta_score([0, 0], [0, 0]))
    assert math.isnan(fold_fbeta_score([0, 0], [1, 0]))
    assert fold_fbeta_score([1, 0], [0, 0]) == 0
    assert fold_fbeta_score([1, 0, 0], [1, 1, 0]) == pytest.approx(2 / 3)
    assert mean_fold_score([math.nan, math.nan]) == 0


@pytest.mark.parametrize(
    ("n_splits", "y", "words"),
    [
        (1, [0, 1], "between 2 and the number of samples, 2; got 1"),
        (3, [0, 1], "got 3"),
        (2, [0, 1, None], "y contains NaN or None in 1 of 3"),
    ],
)
def test_bad_input(n_splits, y, words):
    with pytest.raises(ValueError, match=words):
        next(RoundRobinFold(n_splits).split(y, y))
