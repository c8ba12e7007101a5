import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from lopsided import LASVC
from lopsided.datasets import fetch_newsgroups
from lopsided.unexpected._artificial import ArtificialNegatives
from lopsided.unexpected._lgn import Contrast


def documents(seed=0):
    """Known documents of 40 words; new ones of the same and, one in five, of 20 others."""
    rng = np.random.default_rng(seed)
    known = rng.poisson(0.5, (100, 60)) * (np.arange(60) < 40)
    new = rng.poisson(0.5, (50, 60)) * np.where(np.arange(50)[:, None] < 40, np.arange(60) < 40, 1)
    return csr_array(np.vstack([known, new])), np.repeat([1, -1], [100, 50])


def clouds(n_new=200, n_strangers=40, seed=0, away=6.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500 + n_new + n_strangers, 3))
    X[500 + n_new :] = 0.5 * X[500 + n_new :] + away
    return X, np.repeat([1, -1], [500, n_new + n_strangers])


# Documents


def test_words_come_from_the_artificial_document():
    X, y = documents()
    made = ArtificialNegatives(random_state=0).fit(X, y)
    contrast = Contrast.between(X, y == -1, "counts")
    n_draws = contrast.n_draws
    assert made.kind_ == "counts"
    assert_allclose(made.word_probability_, n_draws / n_draws.sum())
    made.lengths_ = np.array([1])  # documents of one word show how likely each is
    rows = made.sample(20_000)
    assert issparse(rows)
    assert rows.shape == (20_000, 60)
    assert_array_equal(rows.data, np.floor(rows.data))
    share = np.bincount(rows.indices, minlength=60) / 20_000
    error = np.sqrt(made.word_probability_ / 20_000)
    assert (np.abs(share - made.word_probability_) <= 4.5 * error).all()
    # Occurrences add up to the artificial document of LGN, but for what is rounded.
    A = n_draws * contrast.use.mean
    totals = np.asarray(rows.sum(axis=0)).ravel()
    assert np.corrcoef(totals, A)[0, 1] > 0.95
    assert totals[40:].sum() / totals.sum() == pytest.approx(A[40:].sum() / A.sum(), rel=0.15)
    assert totals[40:].sum() / totals.sum() > 2 * X[y == -1][:, 40:].sum() / X[y == -1].sum()


def test_documents_are_as_long_as_the_new_ones():
    X, y = documents()
    made = ArtificialNegatives(random_state=0).fit(X, y)
    n_words = (X[y == -1].toarray() > 0).sum(axis=1)
    assert_array_equal(np.sort(made.lengths_), np.sort(n_words))
    drawn = np.diff(made.sample(4000).indptr)
    assert drawn.max() <= n_words.max()
    assert 0.7 * n_words.mean() < drawn.mean() < n_words.mean()  # a word that is drawn twice is there once


def test_frequencies_are_those_of_the_new_documents():
    """A word that is five or seven times wherever it occurs, and one that always is once."""
    X = np.array([[1, 0, 0]] * 9 + [[1, 5, 1]] * 4 + [[1, 7, 1]] * 4)
    made = ArtificialNegatives(kind="counts", random_state=0).fit(X, [1] * 9 + [-1] * 8)
    rows = made.sample(3000).toarray()
    some = rows[:, 1][rows[:, 1] > 0]
    assert (some.mean(), some.std()) == pytest.approx((6, 1.07), abs=0.1)
    assert set(rows[:, 2]) == {0, 1}


def test_documents_without_words_are_not_imitated():
    X, y = documents()
    dense = X.toarray()
    dense[100:110] = 0
    made = ArtificialNegatives(random_state=0, kind="counts").fit(dense, y)
    assert len(made.lengths_) == 40
    assert made.sample(500).sum(axis=1).min() > 0


# Numbers


def test_places_where_new_rows_are_denser():
    X, y = clouds()
    made = ArtificialNegatives(random_state=0).fit(X, y)
    assert made.kind_ == "numbers"
    assert made.excess_.shape == (240,)
    assert made.excess_[200:].min() > 0.5
    assert made.excess_[:200].mean() < 0.02
    rows = made.sample(1000)
    near = np.linalg.norm(rows - 6.0, axis=1) < 3
    assert near.mean() > 0.9
    # Between new rows: never outside the box around them.
    assert (rows >= X[500:].min(axis=0)).all()
    assert (rows <= X[500:].max(axis=0)).all()
    assert len(np.unique(rows, axis=0)) > 900


def test_excess_by_hand():
    """On a line: 4 known rows at 0 to 3, new ones at 0.5 and at 100, 101, 102; the two nearest say it."""
    X = np.array([0, 1, 2, 3, 0.5, 100, 101, 102])[:, None]
    made = ArtificialNegatives(n_neighbors=2, random_state=0).fit(X, [1] * 4 + [-1] * 4)
    assert_allclose(made.excess_, [0, 1, 1, 1])
    rows = made.sample(50)
    assert ((rows >= 100) & (rows <= 102)).all()
    # Two known for eight new rows: around a new one the two known explain eight, and there are seven.
    made = ArtificialNegatives(n_neighbors=9, random_state=0)
    with pytest.raises(ValueError, match="nothing in the rows to be judged differs enough"):
        made.fit(np.arange(10.0)[:, None], [1] * 2 + [-1] * 8)


def test_nothing_is_made_between_two_clouds():
    X, y = clouds(n_strangers=80)
    X[-40:] -= 12.0
    rows = ArtificialNegatives(random_state=0).fit(X, y).sample(1000)
    near = [np.linalg.norm(rows - place, axis=1) < 3 for place in (6.0, -6.0)]
    assert (near[0] | near[1]).mean() > 0.95
    assert min(part.mean() for part in near) > 0.3


def test_many_equal_rows():
    X = np.repeat([0.0, 1.0, 9.0], [40, 40, 30])[:, None]
    made = ArtificialNegatives(random_state=0).fit(X, np.repeat([1, -1], [60, 50]))
    assert_allclose(made.excess_[20:], 1)
    assert made.excess_[:20].max() < 1
    assert ((made.sample(100) >= 1) & (made.sample(100) <= 9)).all()


def test_a_column_of_any_unit():
    X, y = clouds()
    unit = np.array([1.0, 1e6, 1e-6])
    one, two = (ArtificialNegatives(random_state=0).fit(rows, y) for rows in (X, X * unit))
    assert_allclose(two.excess_, one.excess_)
    assert_allclose(two.sample(20), one.sample(20) * unit)
    assert ArtificialNegatives().fit(np.hstack([X, np.ones((len(X), 1))]), y)


@pytest.mark.parametrize("classifier", [SVC(), LASVC(random_state=0)], ids=str)
def test_machines_trained_against_them(classifier):
    X, y = clouds()
    rows, labels = ArtificialNegatives(random_state=0).fit_resample(X, y)
    answers = classifier.fit(rows, labels).predict(X[500:])
    assert f1_score(np.arange(240) >= 200, answers == 0) > 0.9


# Sampling


@pytest.mark.parametrize("make", [documents, clouds])
def test_what_is_learned_from(make):
    X, y = make()
    rows, labels = ArtificialNegatives(random_state=0).fit_resample(X, y)
    known = X[y == 1]
    assert type(rows) is (csr_matrix if issparse(X) else np.ndarray)
    assert_array_equal(labels, np.repeat([1, 0], np.array([1, 2]) * known.shape[0]))
    first = rows[: known.shape[0]]
    assert abs(first - known).max() == 0
    again, _ = ArtificialNegatives(random_state=0).fit_resample(X, y)
    assert abs(rows - again).max() == 0
    rows, labels = ArtificialNegatives(7, random_state=0).fit_resample(X, y)
    assert rows.shape[0] == known.shape[0] + 7 == len(labels)


@pytest.mark.parametrize("make", [documents, clouds])
def test_equal_seeds_give_equal_rows(make):
    X, y = make()
    made = ArtificialNegatives(random_state=0).fit(X, y)
    assert made.sample().shape[0] == 2 * (y == 1).sum()
    assert abs(made.sample(9) - made.sample(9)).max() == 0
    assert abs(made.sample(9) - made.sample(9, random_state=1)).max() > 0
    names = [None if label == -1 else "known" for label in y]
    assert abs(made.sample(9) - ArtificialNegatives(random_state=0).fit(X, names).sample(9)).max() == 0


def test_in_a_pipeline_of_imbalanced_learn():
    pipeline = pytest.importorskip("imblearn.pipeline")
    X, y = documents()
    steps = pipeline.make_pipeline(ArtificialNegatives(random_state=0), TfidfTransformer(), LinearSVC())
    answers = steps.fit(X, y).predict(X)
    assert set(answers) <= {0, 1}
    assert (answers[y == 1] == 1).all()
    assert (answers[-10:] == 0).mean() > 0.7


# Bad input


@pytest.mark.parametrize(
    ("X", "settings", "words"),
    [
        (0.5 * documents()[0], {}, "made of whole words.*after this step"),
        (-documents()[0], {}, "whole words"),
        (documents()[0], {"kind": "numbers"}, "takes dense rows"),
        (documents()[0] * 0, {}, "are zero"),
        (csr_array(np.ones((150, 4))), {}, "nothing in the rows to be judged differs enough"),
        (np.ones((150, 4)), {"kind": "numbers"}, "nothing in the rows to be judged differs enough"),
        (np.full((150, 4), np.nan), {}, "NaN"),
        (documents()[0], {"n_samples": 0}, "'n_samples' parameter"),
        (documents()[0], {"kind": "words"}, "'kind' parameter"),
    ],
)
def test_bad_data(X, settings, words):
    y = documents()[1]
    if X.shape[1] == 4:
        y = np.where(np.arange(150) % 2, 1, -1)  # halves, so that what is equal looks equal
    for call in ("fit", "fit_resample"):
        with pytest.raises(ValueError, match=words):
            getattr(ArtificialNegatives(**settings), call)(X, y)


def test_bad_labels_and_sizes():
    X, y = documents()
    with pytest.raises(ValueError, match="rows to be judged beside the known ones"):
        ArtificialNegatives().fit(X, np.ones(150))
    with pytest.raises(ValueError, match="at least one row of a known class"):
        ArtificialNegatives().fit(X, -np.ones(150))
    with pytest.raises(NotFittedError):
        ArtificialNegatives().sample(3)
    for n in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="n_samples must be a whole number"):
            ArtificialNegatives().fit(X, y).sample(n)


# Real text


def test_a_linear_svm_finds_strangers_in_newsgroups(need):
    """F of one pair of the paper at 5 % unexpected documents; all called unexpected has 0.09."""
    need("newsgroups")
    bunch = fetch_newsgroups()
    group, rng = np.array(bunch.target_names)[bunch.target], np.random.default_rng(0)
    is_known = np.isin(group, ["comp.graphics", "sci.crypt"])
    known = rng.permutation(np.flatnonzero(is_known))
    rows = np.concatenate([known, rng.permutation(np.flatnonzero(~is_known))[:30]])
    X = CountVectorizer(stop_words="english").fit_transform([bunch.data[i] for i in rows])
    y = np.where(np.arange(len(rows)) < 1400, bunch.target[rows], -1)
    machine = make_pipeline(TfidfTransformer(sublinear_tf=True), LinearSVC())
    machine.fit(*ArtificialNegatives(random_state=0).fit_resample(X, y))
    unexpected, scores = ~is_known[rows][y == -1], machine.decision_function(X[y == -1])
    assert f1_score(unexpected, scores < 0) > 0.2
    assert roc_auc_score(~unexpected, scores) > 0.8
