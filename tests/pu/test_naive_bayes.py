"""Naive Bayes with soft memberships: its slow twin, scikit-learn's, and the laws of its specification."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB

from lopsided.pu._naive_bayes import NaiveBayes, as_counts, log_word_shares, normalized, words_in
from reference import naive_bayes as slow

FORMS = [np.asarray, sparse.csr_matrix, sparse.csr_array]


def make_counts(seed=0, n=12, d=8, *, real=False, n_unused=2):
    """Rows of counts, the first without any, and columns that no row uses."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(rng.uniform(0.1, 2.0, d), (n, d)).astype(float)
    if real:
        X *= rng.uniform(0.1, 3.0, X.shape)
    X[0] = 0.0
    X[1, 0] = 1.0
    if n_unused:
        X[:, -n_unused:] = 0.0
    return X


def make_memberships(n, k, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(k, 0.5), n)


def test_by_hand():
    X = as_counts([[2, 1, 0], [1, 1, 0], [1, 1, 0], [0, 0, 2]])  # aab, ab against ab, cc
    model = NaiveBayes.from_memberships(X, np.array([[0, 1], [0, 1], [1, 0], [1, 0]]))
    assert_allclose(np.exp(model.log_word), [[2 / 7, 2 / 7, 3 / 7], [4 / 8, 3 / 8, 1 / 8]])
    assert_allclose(np.exp(model.log_prior), [0.5, 0.5])
    assert_allclose(model.log_odds(X)[3], 2 * np.log((1 / 8) / (3 / 7)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("smoothing", [1.0, 0.1, 2.5])
@pytest.mark.parametrize("k", [2, 3])
def test_equals_the_twin(form, real, smoothing, k):
    X, R = make_counts(real=real), make_memberships(12, k)
    twin = slow.NaiveBayes(X.tolist(), R.tolist(), slow.vocabulary_of(X.tolist()), smoothing)
    rows = as_counts(form(X))
    model = NaiveBayes.from_memberships(rows, R, smoothing=smoothing)
    assert_allclose(np.exp(model.log_prior), twin.prior, rtol=1e-12)
    assert_allclose(
        np.exp(model.log_word[:, words_in(rows)]), [list(c.values()) for c in twin.word], rtol=1e-12
    )
    joint = model.log_joint(rows)
    assert_allclose(joint, [twin.log_joint(d) for d in X], rtol=1e-12, atol=1e-12)
    posterior, evidence = normalized(joint)
    assert_allclose(posterior, [twin.posterior(d) for d in X], rtol=1e-10)
    assert_allclose(evidence, [slow.log_sum_exp(twin.log_joint(d)) for d in X], rtol=1e-12, atol=1e-12)
    if k == 2:
        assert_allclose(model.log_odds(rows), [twin.log_odds(d) for d in X], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("smoothing", [1.0, 0.3])
def test_hard_memberships_are_scikit_learns(real, smoothing):
    X, y = make_counts(n=40, real=real, n_unused=0), np.arange(40) % 3
    theirs = MultinomialNB(alpha=smoothing).fit(X, y)
    model = NaiveBayes.from_memberships(as_counts(X), np.eye(3)[y], smoothing=smoothing)
    assert_allclose(model.log_word, theirs.feature_log_prob_, rtol=1e-12)
    assert_allclose(model.log_prior, theirs.class_log_prior_, rtol=1e-12)
    new = make_counts(seed=1, n_unused=0)
    assert_allclose(normalized(model.log_joint(as_counts(new)))[0], theirs.predict_proba(new), rtol=1e-9)


def test_soft_memberships_are_scikit_learns_weights():
    X, R = make_counts(n=40, n_unused=0), make_memberships(40, 2)
    twice, y = np.vstack([X, X]), np.repeat([0, 1], 40)
    theirs = MultinomialNB().fit(twice, y, sample_weight=R.T.ravel())
    model = NaiveBayes.from_memberships(as_counts(X), R)
    assert_allclose(model.log_word, theirs.feature_log_prob_, rtol=1e-12)
    assert_allclose(model.log_prior, theirs.class_log_prior_, rtol=1e-12)


@given(
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(1, 4),
    smoothing=st.floats(1e-3, 1e3),
    real=st.booleans(),
    n_unused=st.integers(0, 7),
)
def test_words_of_a_class_add_up_to_one(seed, k, smoothing, real, n_unused):
    X = as_counts(make_counts(seed, real=real, n_unused=n_unused))
    model = NaiveBayes.from_memberships(X, make_memberships(12, k, seed), smoothing=smoothing)
    assert_allclose(np.exp(model.log_word[:, words_in(X)]).sum(axis=1), 1.0)
    assert_allclose(np.exp(model.log_prior).sum(), 1.0)


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 3))
def test_a_row_twice_is_a_membership_doubled(seed, k):
    X, R = make_counts(seed), make_memberships(12, k, seed)
    times = np.random.default_rng(seed).integers(0, 3, 12)
    times[1] = 1  # someone must be there
    copies = NaiveBayes.from_memberships(
        as_counts(np.repeat(X, times, axis=0)), np.repeat(R, times, axis=0), words=words_in(as_counts(X))
    )
    weighted = NaiveBayes.from_memberships(as_counts(X), R * times[:, None])
    assert_allclose(copies.log_word, weighted.log_word, rtol=1e-10, atol=1e-12)
    assert_allclose(copies.log_prior, weighted.log_prior, rtol=1e-10, atol=1e-12)


def test_an_empty_row_is_judged_by_the_prior():
    X, R = make_counts(), make_memberships(12, 3)
    model = NaiveBayes.from_memberships(as_counts(X), R)
    posterior, _ = normalized(model.log_joint(as_counts(np.zeros((1, 8)))))
    assert_allclose(posterior[0], R.mean(axis=0))


def test_a_word_outside_the_vocabulary_says_nothing():
    X, R = as_counts(make_counts(n_unused=2)), make_memberships(12, 2)
    model = NaiveBayes.from_memberships(X, R)
    strange = make_counts(n_unused=2)
    strange[:, -2:] = 7.0
    assert_array_equal(model.log_odds(as_counts(strange)), model.log_odds(X))


def test_unused_columns_are_not_in_the_vocabulary():
    """They would take part of the smoothing otherwise; a zero that is stored is no use."""
    X, R = make_counts(n_unused=0), make_memberships(12, 2)
    wide = sparse.csr_array(np.hstack([X, np.ones((12, 3))]))
    wide.data[wide.indices >= 8] = 0.0
    assert wide.nnz > np.count_nonzero(X)
    narrow = NaiveBayes.from_memberships(as_counts(X), R)
    model = NaiveBayes.from_memberships(as_counts(wide), R)
    assert_array_equal(words_in(as_counts(wide)), [True] * 8 + [False] * 3)
    assert_array_equal(model.log_word[:, :8], narrow.log_word)
    given = NaiveBayes.from_memberships(as_counts(wide), R, words=np.ones(11, bool))
    assert (given.log_word[:, :8] < narrow.log_word).all()


def test_odds_of_long_rows_are_not_cut_off():
    model = NaiveBayes(np.log([0.5, 0.5]), np.log([[0.9, 0.1], [0.1, 0.9]]))
    rows = as_counts([[0, 1000], [0, 2000], [2000, 0]])
    assert_array_equal(normalized(model.log_joint(rows))[0][:, 1], [1, 1, 0])
    assert_allclose(model.log_odds(rows), np.log(9) * np.array([1000, 2000, -2000]))


def test_a_class_without_rows_keeps_the_order_of_the_others():
    X = as_counts(make_counts())
    odds = NaiveBayes.from_memberships(X, np.tile([0.0, 1.0], (12, 1))).log_odds(X)
    assert np.isfinite(odds).all()
    assert len(np.unique(odds)) > 5


def test_rows_without_membership_take_no_part():
    X, R = make_counts(), make_memberships(12, 2)
    R[6:] = 0.0
    words = words_in(as_counts(X))
    some = NaiveBayes.from_memberships(as_counts(X[:6]), R[:6], words=words)
    all_rows = NaiveBayes.from_memberships(as_counts(X), R, words=words)
    assert_allclose(all_rows.log_word, some.log_word, rtol=1e-12)
    assert_allclose(all_rows.log_prior, some.log_prior, rtol=1e-12)


def test_word_shares_of_a_vector_of_real_counts():
    """One class may be a single artificial document."""
    shares = np.exp(log_word_shares(np.array([[0.5, 0.0, 2.5, 0.0]]), np.array([True, True, True, False])))
    assert_allclose(shares, [[1.5 / 6, 1 / 6, 3.5 / 6, 1.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.float64])
def test_sparse_and_dense_agree_to_the_last_digit(dtype):
    X, R = make_counts().astype(dtype), make_memberships(12, 2)
    models = [NaiveBayes.from_memberships(as_counts(form(X)), R) for form in FORMS]
    for model in models[1:]:
        assert_array_equal(model.log_word, models[0].log_word)
    assert models[0].log_word.dtype == np.float64
