"""The first look of Mapping Convergence: what it rejects, and that it loses no positive."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression

from lopsided import make_islands
from lopsided.pu._mappers import map_unlabeled, one_dnf
from reference import mapping_convergence as slow

FORMS = [np.asarray, sparse.csr_matrix, sparse.csr_array]


def mapped(X, y, mapper="osvm", kernel="rbf", kappa=1.0):
    """h_0 of every row, and the rows below 0."""
    _, strength = map_unlabeled(mapper, X, np.asarray(y) == 1, kernel, kappa, None)
    return strength, set(np.flatnonzero(strength < 0))


def make_words(seed=0, n=40, d=25):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.3, size=(n, d)).astype(float)
    y = rng.permutation(np.arange(n) < n // 4).astype(int)
    X[y == 1, :4] += rng.poisson(0.5, size=(y.sum(), 4))
    return X, y


# One-class SVM


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize(("n_positives", "kappa"), [(60, 1.0), (60, 0.0), (7, 2.5), (3, 1.0), (2, 0.5)])
def test_one_class_is_the_twins(form, kernel, n_positives, kappa):
    X, y, _ = make_islands(n_positives, 200, random_state=0)
    strength, _ = mapped(form(X), y, kernel=kernel, kappa=kappa)
    expected = slow.one_class(X, np.flatnonzero(y).tolist(), kappa, kernel)
    assert_allclose(strength, expected, atol=2e-6 * np.abs(expected).max())


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 30),
    kernel=st.sampled_from(["rbf", "linear"]),
    kappa=st.floats(0, 5),
)
@settings(max_examples=25)
def test_no_known_positive_is_below_zero(seed, n, kernel, kappa):
    X, y, _ = make_islands(n, 60, random_state=seed)
    strength, _ = mapped(X, y, kernel=kernel, kappa=kappa)
    assert (strength[y == 1] >= 0).all()
    assert np.isfinite(strength).all()


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_larger_kappa_rejects_less(kernel):
    X, y, _ = make_islands(random_state=1)
    X = X + [6.0, 6.0]  # so that a line can say something
    rejected = [mapped(X, y, kernel=kernel, kappa=kappa)[1] for kappa in (0.0, 0.5, 1.0, 2.0, 4.0)]
    for more, less in pairwise(rejected):
        assert more >= less
    assert len(rejected[0]) > len(rejected[-1])


@pytest.mark.parametrize("factor", [1e-4, 3.0, 1e4])
def test_scaling_all_features_rejects_the_same(factor):
    X, y, _ = make_islands(random_state=0)
    strength, rejected = mapped(X, y)
    scaled, the_same = mapped(factor * X, y)
    assert rejected == the_same
    assert_allclose(scaled, strength, atol=1e-6 * np.abs(strength).max())


def test_hidden_positives_survive_as_the_known_do():
    """In-sample, a one-class SVM of 60 rows puts its outermost at 0, and more of their like below."""
    lost = []
    for seed in range(10):
        X, y, truth = make_islands(random_state=seed)
        rejected = sorted(mapped(X, y)[1])
        lost.append(truth[rejected].sum())
        assert len(rejected) > 100
    assert sum(lost) == 0


class Recording(OutlierMixin, BaseEstimator):
    """Remembers what it was fitted to, and what it was asked."""

    seen = []

    def fit(self, X, y=None):
        self.shown = {tuple(row) for row in X}
        return self

    def decision_function(self, X):
        self.seen.append((self.shown, {tuple(row) for row in X}))
        return -np.abs(X).sum(axis=1)


class RecordingClassifier(ClassifierMixin, Recording):
    _estimator_type = "classifier"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        return tags

    def fit(self, X, y):
        self.n_rows = len(X)
        self.classes_ = np.unique(y)
        return super().fit(X[y == 1])


@pytest.mark.parametrize("mapper", [Recording(), RecordingClassifier()])
def test_each_positive_is_judged_by_a_mapper_that_was_not_shown_it(mapper):
    X, y, _ = make_islands(23, 100, random_state=0)
    Recording.seen.clear()
    strength, _ = mapped(X, y, mapper, kappa=0.5)
    known = {tuple(row) for row in X[y == 1]}
    held_out = [asked for _, asked in Recording.seen if len(asked) < len(X)]
    assert len(held_out) == 5
    assert set().union(*held_out) == known
    for shown, asked in Recording.seen:
        assert shown <= known
        assert len(asked) == len(X) or not shown & asked
    scores = -np.abs(X).sum(axis=1)
    threshold = scores[y == 1].min() - 0.5 * (np.median(scores[y == 1]) - scores[y == 1].min())
    assert_allclose(strength, scores - threshold)


def test_a_mapper_that_likes_its_own_examples_less_loses_none_of_them():
    class Humble(Recording):
        def decision_function(self, X):
            return np.full(len(X), -float(len(self.shown)))

    X, y, _ = make_islands(23, 100, random_state=0)
    strength, rejected = mapped(X, y, Humble())
    assert_array_equal(strength[y == 1], 0.0)
    assert rejected == set(np.flatnonzero(y == 0))  # 23 are shown in the end, 19 at most before


@pytest.mark.parametrize(
    "mapper", [IsolationForest(n_estimators=20, random_state=0), LogisticRegression()], ids=str
)
def test_foreign_scorers_lose_no_known_positive(mapper):
    X, y, _ = make_islands(random_state=0)
    strength, _ = mapped(X, y, mapper)
    assert (strength[y == 1] >= 0).all()
    assert not hasattr(mapper, "n_features_in_")


def test_one_positive_alone_sets_the_threshold():
    X, y, _ = make_islands(1, 50, random_state=0)
    X[-1] = X[0]
    strength, rejected = mapped(X, y)
    assert_allclose(strength[[0, -1]], 0, atol=1e-8)
    assert (strength[[0, -1]] > 0).all()
    assert rejected == set(range(1, 50))


# 1-DNF


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(4))
def test_one_dnf_is_the_twins(form, seed):
    X, y = make_words(seed)
    P = np.flatnonzero(y).tolist()
    strength, rejected = mapped(form(X), y, "1dnf")
    assert_array_equal(strength, slow.one_dnf(X, P))
    features = slow.positive_features(X, P)
    assert 0 < len(features) < X.shape[1]
    assert_array_equal(np.flatnonzero(one_dnf(form(X), y == 1).coef), features)
    assert rejected == {i for i, row in enumerate(X) if not any(row[features])}


def test_a_document_without_positive_words_is_rejected():
    """Words 0 and 1 are positive; the last document is empty."""
    X = np.array([[1, 1, 0, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 5, 0], [0, 0, 0, 0]])
    y = [1, 1, 0, 0, 0, 0]
    assert one_dnf(X, np.array(y) == 1).coef.tolist() == [1, 1, 0, 1]
    strength, rejected = mapped(X, y, "1dnf")
    assert rejected == {4, 5}
    assert strength.tolist() == [2.5, 1.5, 1.5, 0.5, -0.5, -0.5]


def test_without_positive_words_all_is_rejected():
    X, y = make_words()
    X[y == 0] = 1.0
    assert one_dnf(X, y == 1).coef.sum() == 0
    assert mapped(X, y, "1dnf")[1] == set(range(len(X)))


def test_equally_frequent_words_are_not_positive():
    X, y = np.array([[1, 1, 0], [0, 1, 1], [1, 1, 1], [0, 1, 0]]), np.array([1, 1, 0, 0])
    assert one_dnf(X, y == 1).coef.tolist() == [0, 0, 0]
    X[3, 2] = 1
    X[1, 0] = 1
    assert one_dnf(X, y == 1).coef.tolist() == [1, 0, 0]


@pytest.mark.parametrize("form", FORMS)
def test_copies_of_the_positives_change_nothing(form):
    X, y = make_words()
    coef = one_dnf(form(X), y == 1).coef
    twice = np.vstack([X, X[y == 1], X[y == 1]])
    assert_array_equal(one_dnf(form(twice), np.append(y, np.ones(2 * y.sum())) == 1).coef, coef)


def test_it_is_presence_that_counts():
    X, y = make_words()
    strength, _ = mapped(X, y, "1dnf")
    for other in (X * 7.5, -X, np.sign(X), X.astype(np.float32)):
        assert_array_equal(mapped(other, y, "1dnf")[0], strength)
    stored_zeros = sparse.csr_array(X + 1.0)
    stored_zeros.data -= 1.0
    assert stored_zeros.nnz == X.size
    assert_array_equal(mapped(stored_zeros, y, "1dnf")[0], strength)
