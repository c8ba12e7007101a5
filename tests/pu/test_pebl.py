"""PEBL, against its slow twin and the properties of its specification."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score

from histories import notes, steps
from lopsided import PEBL, load, make_topics, save
from lopsided.text import StemmedVectorizer
from reference import mapping_convergence as slow

FORMS = [np.asarray, sparse.csr_matrix, sparse.csr_array]
COMPARED = ("n_training_negatives", "n_new_negatives", "n_remaining", "rejected_positives")


def make_pages(seed=0, n_positive=20, n_hidden=15, n_negative=60, d=30, *, mixed=0.2, length=4):
    """Short pages: the first ten words are of the positives, most of the others are not."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([True, False], [n_positive + n_hidden, n_negative])
    own = np.where(np.arange(d) < 10, 1 - mixed, mixed)
    shares = np.where(truth[:, None], own, 1 - own)
    X = np.array([rng.multinomial(1 + rng.poisson(length), p / p.sum()) for p in shares]).astype(float)
    y = np.repeat([1, 0], [n_positive, n_hidden + n_negative])
    order = rng.permutation(len(y))
    return (X / np.linalg.norm(X, axis=1, keepdims=True))[order], y[order], truth[order]


def facts(model):
    history = [{k: v for k, v in r.items() if not k.startswith("seconds")} for r in steps(model)]
    return history, model.strong_negatives_.tolist(), model.negatives_.tolist()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("parameters", "data"),
    [
        ({}, {}),
        ({}, {"seed": 1, "mixed": 0.1}),
        ({"C": 10.0}, {"seed": 2, "mixed": 0.3}),
        ({"C": 0.1}, {"seed": 3}),
        ({"max_iter": 1}, {"seed": 4}),
        ({}, {"seed": 5, "n_positive": 1}),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_each_iteration_is_the_twins(form, parameters, data):
    X, y, _ = make_pages(**data)
    model = PEBL(**parameters).fit(form(X), y)
    strong, history = slow.pebl(X, np.flatnonzero(y).tolist(), **parameters)
    assert model.strong_negatives_.tolist() == strong
    assert [[r[n] for n in COMPARED] for r in steps(model)[1:]] == [[r[n] for n in COMPARED] for r in history]
    assert_allclose(model.decision_function(form(X)), history[-1]["scores"], atol=0.01)
    assert_allclose(model.coef_[0] @ X.T + model.intercept_[0], model.decision_function(form(X)))
    assert set(model.negatives_) == set(strong).union(*(set(r["new"]) for r in history))
    assert model.n_iter_ == len(history)


def test_pages_without_positive_words_are_the_first_negatives(solved):
    X, y, _ = make_pages()
    model = PEBL().fit(X, y)
    features = slow.positive_features(X, np.flatnonzero(y).tolist())
    without = [i for i in np.flatnonzero(y == 0) if not X[i, features].any()]
    assert model.strong_negatives_.tolist() == without
    chosen, signs, n_left_out, _ = solved[0]
    assert sorted(chosen[signs < 0]) == without
    assert sorted(chosen[signs > 0]) == np.flatnonzero(y).tolist()
    assert n_left_out == 0


@pytest.mark.parametrize("seed", range(3))
def test_negatives_grow_until_nothing_more_is_rejected(seed, solved):
    X, y, _ = make_pages(seed, n_negative=150, mixed=0.3)
    model = PEBL().fit(X, y)
    negatives = [set(chosen[signs < 0]) for chosen, signs, _, _ in solved]
    assert len(negatives) > 1
    for fewer, more in pairwise(negatives):
        assert fewer < more
    assert_array_equal(model.coef_[0], solved[-1][3].model.coef)  # the last, however many positives it loses
    remaining = np.setdiff1d(np.flatnonzero(y == 0), model.negatives_)
    assert (model.predict(X[remaining]) == 1).all()


def test_without_positive_words_the_whole_heap_is_negative():
    X, y, _ = make_pages()
    X[y == 0] = 1.0
    model = PEBL().fit(X, y)
    assert_array_equal(model.strong_negatives_, np.flatnonzero(y == 0))
    assert model.n_iter_ == 1


def test_copies_of_the_positives_leave_the_first_negatives_as_they_are():
    X, y, _ = make_pages()
    strong = PEBL().fit(X, y).strong_negatives_
    more = PEBL().fit(np.vstack([X, X[y == 1], X[y == 1]]), np.append(y, np.ones(2 * y.sum())))
    assert_array_equal(more.strong_negatives_, strong)


def test_where_every_page_has_a_positive_word_all_are_positive():
    """The weakness of 1-DNF with many words; no error, but on record."""
    X, y, _ = make_pages()
    X = np.hstack([X, np.where(y == 1, 1.0, 0.0)[:, None]])
    X[np.flatnonzero(y == 0)[1:], -1] = 1.0  # in all but one of the heap, and that one has another
    X[np.flatnonzero(y == 0)[0], slow.positive_features(X, np.flatnonzero(y).tolist())[0]] = 0.5
    model = PEBL().fit(X, y)
    assert model.strong_negatives_.size == model.negatives_.size == 0
    assert_array_equal(model.decision_function(-X), 1.0)
    assert_array_equal(model.predict(X), 1)
    assert model.n_iter_ == 0
    assert notes(model)


def test_too_few_iterations_are_told():
    X, y, _ = make_pages(n_negative=150, mixed=0.3)
    assert PEBL().fit(X, y).n_iter_ > 1
    with pytest.warns(
        ConvergenceWarning, match=r"PEBL: no end after 1 iterations\. Raise max_iter"
    ) as caught:
        PEBL(max_iter=1).fit(X, y)
    assert caught[0].filename == __file__


# Laws


def test_nothing_is_random_and_order_does_not_matter():
    X, y, _ = make_pages()
    one, two = (PEBL().fit(X, y) for _ in range(2))
    assert facts(one) == facts(two)
    assert_array_equal(one.coef_, two.coef_)
    order = np.random.default_rng(0).permutation(len(y))
    other = PEBL().fit(X[order], y[order])
    assert_array_equal(np.sort(order[other.negatives_]), one.negatives_)
    assert_allclose(other.coef_, one.coef_, atol=5e-3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_and_dense_agree(dtype):
    X, y, _ = make_pages()
    models = [PEBL().fit(form(X.astype(dtype)), y) for form in FORMS]
    for form, model in zip(FORMS, models, strict=True):
        assert facts(model) == facts(models[0])
        assert_allclose(model.coef_, models[0].coef_, atol=1e-3)
        assert_allclose(model.decision_function(form(X)), model.decision_function(X), atol=1e-6)


def test_words_never_used_change_nothing():
    X, y, _ = make_pages()
    one = PEBL().fit(X, y)
    two = PEBL().fit(np.hstack([X, np.zeros((len(X), 5))]), y)
    assert facts(one) == facts(two)
    assert_array_equal(two.coef_[:, X.shape[1] :], 0.0)


@pytest.mark.parametrize("form", FORMS)
def test_pickles_and_files(tmp_path, form):
    X, y, _ = make_pages()
    model = PEBL(C=2.0).fit(form(X), y)
    save(model, tmp_path / "model.skops")
    for again in (pickle.loads(pickle.dumps(model)), load(tmp_path / "model.skops")):
        assert_array_equal(again.predict(form(X)), model.predict(form(X)))
        assert again.get_params() == clone(model).get_params()


@pytest.mark.parametrize("parameters", [{"C": 0.0}, {"max_iter": 0}, {"max_iter": 1.5}], ids=str)
def test_bad_parameters(parameters):
    X, y, _ = make_pages()
    (name,) = parameters
    with pytest.raises(ValueError, match=f"'{name}' parameter of PEBL"):
        PEBL(**parameters).fit(X, y)


def test_a_topic_of_short_documents():
    texts, topic = make_topics(1500, n_topics=6, random_state=0)
    X, truth = StemmedVectorizer().fit_transform([" ".join(text.split()[:12]) for text in texts]), topic == 0
    y = truth & (np.cumsum(truth) % 2 == 0)
    model = PEBL().fit(X, y)
    assert f1_score(truth[~y], model.predict(X[~y])) > 0.4 > 2 * f1_score(truth[~y], np.ones((~y).sum()))
    assert truth[model.strong_negatives_].mean() < 0.04


def test_who_gives_up_the_positives_says_so():
    X = np.random.default_rng(0).normal(size=(400, 20)) * np.logspace(0, 5, 20)
    y = (np.arange(400) < 40).astype(int)
    with pytest.warns(ConvergenceWarning, match=r"PEBL: \d+% of the labeled positives are called negative"):
        model = PEBL().fit(X, y)
    assert "Scale rows to length 1" in steps(model)[-1]["notes"]
