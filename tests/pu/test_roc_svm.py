"""Roc-SVM, against its slow twin and the properties of its specification."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score

from histories import notes, steps
from lopsided import RocSVM, fetch_newsgroups, load, make_topics, save
from lopsided.pu._roc_svm import rocchio
from reference import mapping_convergence as slow

FORMS = [np.asarray, sparse.csr_matrix, sparse.csr_array]
COMPARED = ("n_training_negatives", "n_new_negatives", "n_remaining", "rejected_positives")


def make_heap(seed=0, n_positive=20, n_hidden=15, n_negative=60, d=25, *, overlap=0.7, length=15):
    """Rows of length 1 of two classes whose words overlap; y is 1 for the labeled, truth for all of them."""
    rng = np.random.default_rng(seed)
    common, first, second = rng.dirichlet(np.full(d, 0.5), 3)
    truth = np.repeat([True, False], [n_positive + n_hidden, n_negative])
    shares = np.where(truth[:, None], first, second) * (1 - overlap) + overlap * common
    X = np.array([rng.multinomial(1 + rng.poisson(length), p) for p in shares]).astype(float)
    y = np.repeat([1, 0], [n_positive, n_hidden + n_negative])
    order = rng.permutation(len(y))
    return (X / np.linalg.norm(X, axis=1, keepdims=True))[order], y[order], truth[order]


def facts(model):
    history = [{k: v for k, v in r.items() if not k.startswith("seconds")} for r in steps(model)]
    return history, model.strong_negatives_.tolist(), model.negatives_.tolist(), model.caught_


# The twin


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("parameters", "data"),
    [
        ({}, {}),
        ({}, {"seed": 1, "overlap": 0.4}),
        ({"catch": 0.0}, {"seed": 2}),
        ({"catch": 1.0}, {"seed": 3, "overlap": 0.9}),
        ({"alpha": 4.0, "beta": 16.0, "C": 10.0}, {"seed": 4}),
        ({"alpha": 1.0, "beta": 0.0, "C": 0.1}, {"seed": 5}),
        ({"max_iter": 1}, {"seed": 6}),
        ({}, {"seed": 7, "n_positive": 1}),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_each_iteration_is_the_twins(form, parameters, data):
    X, y, _ = make_heap(**data)
    model = RocSVM(**parameters).fit(form(X), y)
    reliable, history, taken = slow.roc_svm(X, np.flatnonzero(y).tolist(), **parameters)
    assert model.strong_negatives_.tolist() == reliable
    assert [[r[n] for n in COMPARED] for r in steps(model)[1:]] == [[r[n] for n in COMPARED] for r in history]
    assert model.caught_ == (history[-1]["rejected_positives"] > model.catch)
    assert_allclose(model.decision_function(form(X)), history[taken]["scores"], atol=0.01)
    assert_allclose(model.coef_[0] @ X.T + model.intercept_[0], model.decision_function(form(X)))
    assert set(model.negatives_) == set(reliable).union(*(set(r["new"]) for r in history))


@given(seed=st.integers(0, 2**32 - 1), alpha=st.floats(0, 20), beta=st.floats(0, 20))
@settings(max_examples=15)
def test_rocchio_is_the_twins(seed, alpha, beta):
    X, y, _ = make_heap(seed, 6, 4, 10, 8)
    X[3] = 0.0  # a document without words has no direction
    expected = slow.rocchio(X, np.flatnonzero(y).tolist(), alpha, beta)
    for form in FORMS:
        assert_allclose(rocchio(form(X), y == 1, alpha, beta), expected, atol=1e-12)
        assert rocchio(form(X), y == 1, alpha, beta)[3] == 0


def test_rocchio_by_hand():
    """P = {(1, 0)}, U = {(1, 0), (0, 1)}: c+ = 16 P - 4 U is (14, -2), c- = (4, 8)."""
    X, positive = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([True, False, False])
    wanted, other = np.array([14.0, -2.0]) / np.sqrt(200), np.array([4.0, 8.0]) / np.sqrt(80)
    assert_allclose(rocchio(X, positive, 16.0, 4.0), X @ (wanted - other))
    X = np.array([[1.0, 0.0], [2.0, 0.0]])  # 2 P - U is nothing, and has no direction
    assert_allclose(rocchio(X, np.array([True, False]), 2.0, 1.0), [-1.0, -1.0])


# Laws


@pytest.mark.parametrize("seed", range(3))
def test_reliable_negatives_grow_and_the_rest_shrinks(seed, solved):
    X, y, _ = make_heap(seed, n_negative=200)
    model = RocSVM().fit(X, y)
    assert 2 <= len(steps(model)[1:]) <= (y == 0).sum()
    negatives = [set(chosen[signs < 0]) for chosen, signs, _, _ in solved]
    assert negatives[0] == set(model.strong_negatives_)
    for fewer, more in pairwise(negatives):
        assert fewer < more
    remaining = [r["n_remaining"] for r in steps(model)[1:]]
    assert remaining == sorted(remaining, reverse=True)
    assert steps(model)[-1]["n_new_negatives"] == 0
    assert len(negatives[-1]) + remaining[-1] == (y == 0).sum()
    assert set(model.negatives_) == negatives[-1]


@pytest.mark.parametrize("scale", [1e-3, 1.0, 16.0, 1e3])
def test_where_alpha_is_beta_only_their_ratio_counts(scale):
    X, y, _ = make_heap()
    reliable = RocSVM(alpha=1.0, beta=1.0).fit(X, y).strong_negatives_
    assert 0 < len(reliable) < (y == 0).sum()
    assert_array_equal(RocSVM(alpha=scale, beta=scale).fit(X, y).strong_negatives_, reliable)


def test_rows_without_words_are_reliable_negatives():
    X, y, _ = make_heap()
    empty = np.flatnonzero(y == 0)[:3]
    X[empty] = 0.0
    assert set(empty) <= set(RocSVM().fit(X, y).strong_negatives_)
    X[y == 1] = 0.0  # all of P are
    model = RocSVM().fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


def test_the_length_of_a_document_does_not_matter_to_rocchio():
    X, y, _ = make_heap()
    heap = np.flatnonzero(y == 0)
    longer = np.vstack([X, 5.0 * X[heap[:1]]])
    nearness = rocchio(longer, np.append(y, 0) == 1, 16.0, 4.0)
    assert_allclose(nearness[-1], nearness[heap[0]])


@pytest.mark.parametrize("seed", [3, 5])
@pytest.mark.filterwarnings("ignore:RocSVM.*labeled positives are called negative")
def test_too_many_lost_positives_bring_the_first_svm_back(seed, solved):
    """The last SVM calls a fifth and more of P negative: the first one is taken, with its errors."""
    X, y, _ = make_heap(seed, 30, 40, 150, overlap=0.9)
    for catch in (0.08, 0.999):
        solved.clear()
        model = RocSVM(catch=catch).fit(X, y)
        first, last = solved[0][3].model, solved[-1][3].model
        lost = [np.mean(m.scores(X[y == 1]) < 0) for m in (first, last)]
        assert len(solved) > 1
        assert lost[1] > 0.2
        assert steps(model)[-1]["rejected_positives"] == lost[1]
        assert model.caught_ == (catch < lost[1])
        taken = first if model.caught_ else last
        assert_array_equal(model.coef_[0], taken.coef)
        assert_array_equal(model.decision_function(X), taken.scores(X))
    assert lost[0] < lost[1]
    assert not RocSVM(catch=lost[1]).fit(X, y).caught_  # more than, not as many as
    assert RocSVM(catch=np.nextafter(lost[1], 0)).fit(X, y).caught_


def test_nothing_is_random_and_order_does_not_matter():
    X, y, _ = make_heap()
    one, two = (RocSVM().fit(X, y) for _ in range(2))
    assert facts(one) == facts(two)
    assert_array_equal(one.coef_, two.coef_)
    order = np.random.default_rng(0).permutation(len(y))
    other = RocSVM().fit(X[order], y[order])
    assert_array_equal(np.sort(order[other.negatives_]), one.negatives_)
    assert_allclose(other.coef_, one.coef_, atol=5e-3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_and_dense_agree(dtype):
    X, y, _ = make_heap()
    models = [RocSVM().fit(form(X.astype(dtype)), y) for form in FORMS]
    for form, model in zip(FORMS, models, strict=True):
        assert facts(model) == facts(models[0])
        assert_allclose(model.coef_, models[0].coef_, atol=1e-3)
        assert_allclose(model.decision_function(form(X)), model.decision_function(X), atol=1e-6)


def test_every_spelling_of_unlabeled_is_the_same():
    X, y, _ = make_heap()
    expected = RocSVM().fit(X, y)
    for unlabeled in (-1, np.nan, None):
        model = RocSVM().fit(X, [1 if label else unlabeled for label in y])
        assert_array_equal(model.coef_, expected.coef_)
        assert model.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("form", FORMS)
def test_pickles_and_files(tmp_path, form):
    X, y, _ = make_heap()
    model = RocSVM(C=2.0).fit(form(X), y)
    save(model, tmp_path / "model.skops")
    for again in (pickle.loads(pickle.dumps(model)), load(tmp_path / "model.skops")):
        assert_array_equal(again.predict(form(X)), model.predict(form(X)))
        assert again.get_params() == clone(model).get_params()


# Where there is little to go by


def test_without_reliable_negatives_all_are_positive():
    """The one row of the heap is nearer to the mean of P than to itself less some of P."""
    X, y = np.array([[0.36, 0.08], [0.69, 1.33], [1.25, 0.15], [0.35, 0.1]]), [1, 1, 1, 0]
    model = RocSVM().fit(X, y)
    assert model.strong_negatives_.size == model.negatives_.size == 0
    assert_array_equal(model.decision_function(-9 * X), 1.0)
    assert_array_equal(model.predict(X), 1)
    assert model.n_iter_ == 0
    assert not model.caught_
    assert notes(model)


def test_too_few_iterations_are_told():
    X, y, _ = make_heap(n_negative=200)
    assert RocSVM().fit(X, y).n_iter_ > 2
    with pytest.warns(
        ConvergenceWarning, match=r"RocSVM: no end after 2 iterations\. Raise max_iter"
    ) as caught:
        model = RocSVM(max_iter=2).fit(X, y)
    assert caught[0].filename == __file__
    assert model.n_iter_ == 2


@pytest.mark.parametrize(
    "parameters",
    [{"alpha": -1.0}, {"beta": np.nan}, {"C": 0.0}, {"catch": 1.5}, {"max_iter": 0}, {"max_iter": 1.5}],
    ids=str,
)
def test_bad_parameters(parameters):
    X, y, _ = make_heap()
    (name,) = parameters
    with pytest.raises(ValueError, match=f"'{name}' parameter of RocSVM"):
        RocSVM(**parameters).fit(X, y)


# Real text


def test_half_of_a_topic():
    texts, topic = make_topics(1500, random_state=0)
    X, truth = TfidfVectorizer().fit_transform(texts), topic == 0
    y = truth & (np.cumsum(truth) % 2 == 0)
    model = RocSVM().fit(X, y)
    assert f1_score(truth[~y], model.predict(X[~y])) > 0.8
    assert truth[model.strong_negatives_].mean() < 0.02


def test_half_of_a_newsgroup_known(need):
    """A third of five groups, of which four are about computers: one in ten of the heap is wanted."""
    need("newsgroups")
    bunch = fetch_newsgroups()
    some = np.flatnonzero(bunch.target < 5)[::3]
    truth = bunch.target[some] == bunch.target_names.index("alt.atheism")
    X = TfidfVectorizer(stop_words="english", min_df=3).fit_transform([bunch.data[i] for i in some])
    y = truth & (np.cumsum(truth) % 2 == 0)
    model = RocSVM().fit(X, y)
    assert f1_score(truth[~y], model.predict(X[~y])) > 0.85
    assert truth[model.strong_negatives_].mean() < 0.01
