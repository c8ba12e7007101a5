"""Tests of UnexpectedDetector: what it finds, that its p-values and its rate of mistakes hold, odd input."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from scipy.stats import kstest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from lopsided import load, save
from lopsided.unexpected._detector import UnexpectedDetector

N_WORDS = 2000


def topics(n, rng):
    """Distributions of words with a long tail, each topic with three hundred words of its own."""
    base = 1 / (np.arange(N_WORDS) + 50.0)
    out = []
    for _ in range(n):
        weights = base.copy()
        weights[rng.choice(N_WORDS, 300, replace=False)] *= 15
        out.append(weights / weights.sum())
    return out


def corpus(seed=0, n_known=150, n_new=100, n_unexpected=10, n_classes=2, length=60):
    """Rows, their classes (None: to be judged), and which of those to be judged are unexpected."""
    rng = np.random.default_rng(seed)
    shares = topics(n_classes + 4, rng)
    known = np.arange(n_known) % n_classes
    new = np.concatenate([np.arange(n_new) % n_classes, n_classes + np.arange(n_unexpected) % 4])
    rows = [rng.multinomial(rng.poisson(length) + 5, shares[t]) for t in np.concatenate([known, new])]
    y = [f"class {t}" for t in known] + [None] * len(new)
    return csr_array(np.array(rows, dtype=float)), np.array(y, dtype=object), new >= n_classes


def judged(y):
    return np.array([label is None for label in y])


@pytest.mark.parametrize("n_classes", [1, 2, 4])
def test_it_finds_documents_of_other_topics(n_classes):
    X, y, truth = corpus(n_known=300, n_new=200, n_classes=n_classes)
    detector = UnexpectedDetector(random_state=0).fit(X, y)
    new = X[judged(y)]
    assert roc_auc_score(truth, -detector.decision_function(new)) > (0.97 if n_classes > 1 else 0.9)
    assert (detector.predict(new)[truth] == 0).mean() >= (0.7 if n_classes > 1 else 0.4)
    assert (detector.predict(new)[~truth] == 0).mean() < 0.1
    assert len(detector.known_classes_) == n_classes


def test_answers_agree_with_each_other():
    X, y, _ = corpus()
    detector = UnexpectedDetector(random_state=0).fit(X, y)
    scores = detector.decision_function(X)
    np.testing.assert_array_equal(detector.predict(X), (scores >= 0).astype(int))
    p = detector.pvalues(X)
    order = np.argsort(scores)
    assert (np.diff(p[order]) >= 0).all()  # the less expected, the smaller
    assert p.min() >= 1 / (1 + len(detector.null_scores_))
    assert p.max() <= 1


def test_labels_of_the_unexpected_cannot_reach_it():
    """A row to be judged has no label; any spelling of that gives the same answers."""
    X, y, _ = corpus()
    first = UnexpectedDetector(random_state=0).fit(X, y).decision_function(X)
    index = np.array([-1 if label is None else int(label[-1]) + 5 for label in y])
    second = UnexpectedDetector(random_state=0).fit(X, index).decision_function(X)
    np.testing.assert_array_equal(first, second)


def test_equal_seeds_equal_answers_and_the_input_stays_as_it_was():
    X, y, _ = corpus()
    before = X.copy()
    one = UnexpectedDetector(random_state=3).fit(X, y).decision_function(X)
    two = UnexpectedDetector(random_state=3).fit(X, y).decision_function(X)
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(X.toarray(), before.toarray())


def test_the_order_of_rows_to_be_judged_in_predict_does_not_matter():
    X, y, _ = corpus()
    detector = UnexpectedDetector(random_state=0).fit(X, y)
    scores = detector.decision_function(X)
    shuffled = np.random.default_rng(0).permutation(X.shape[0])
    np.testing.assert_allclose(detector.decision_function(X[shuffled]), scores[shuffled])
    np.testing.assert_allclose(detector.decision_function(X[160:163]), scores[160:163])


def test_rows_judged_in_fit_are_known_again():
    """Otherwise each would find itself among those it is compared with, and look expected."""
    X, y, _ = corpus()
    detector = UnexpectedDetector(random_state=0).fit(X, y)
    new = X[judged(y)]
    flagged = detector.predict(new) == 0
    assert flagged.sum() > 0
    assert (detector.predict(csr_matrix(new)) == 0).tolist() == flagged.tolist()
    assert (detector.predict(new.astype(np.float32)) == 0).tolist() == flagged.tolist()


def test_without_rows_to_judge_in_fit_others_are_judged_later():
    X, y, truth = corpus(n_known=600, n_new=400, n_unexpected=40)
    known = ~judged(y)
    detector = UnexpectedDetector(random_state=0).fit(X[known], y[known])
    new = X[~known]
    assert np.isnan(detector.share_unexpected_)
    np.testing.assert_array_equal(detector.predict(new) == 0, detector.pvalues(new) <= 0.3 / 20)
    assert roc_auc_score(truth, -detector.decision_function(new)) > 0.95
    np.testing.assert_allclose(detector.decision_function(new[:5]), detector.decision_function(new)[:5])


def test_pvalues_are_uniform_on_known_topics():
    p = []
    for seed in range(12):
        X, y, _ = corpus(seed, n_known=300, n_new=100, n_unexpected=0)
        p.append(UnexpectedDetector(random_state=0).fit(X, y).pvalues(X[judged(y)]))
    # The null of one fit is shared by its hundred rows, so that the rows of one fit count for fewer.
    assert kstest(np.concatenate(p), "uniform").statistic < 0.06


def test_the_rate_of_false_discoveries_holds():
    shares = []
    for seed in range(50):
        X, y, truth = corpus(seed, n_known=200, n_new=100, n_unexpected=10)
        flagged = UnexpectedDetector(fdr=0.3, random_state=0).fit(X, y).predict(X[judged(y)]) == 0
        shares.append((flagged & ~truth).sum() / max(1, flagged.sum()))
    assert np.mean(shares) < 0.3 + 2.5 * np.std(shares) / np.sqrt(len(shares))


def test_a_smaller_rate_flags_no_more():
    X, y, _ = corpus()
    new = X[judged(y)]
    counts = [
        (UnexpectedDetector(fdr=q, random_state=0).fit(X, y).predict(new) == 0).sum()
        for q in (0.05, 0.1, 0.3, 0.6)
    ]
    assert counts == sorted(counts)


def test_all_unexpected():
    X, y, _ = corpus(n_known=300, n_new=0, n_unexpected=200)
    flagged = UnexpectedDetector(random_state=0).fit(X, y).predict(X[judged(y)]) == 0
    assert flagged.mean() > 0.8


def test_new_rows_equal_to_the_known():
    X, y, _ = corpus(n_new=0, n_unexpected=0)
    both = csr_array(np.vstack([X.toarray(), X.toarray()]))
    detector = UnexpectedDetector(random_state=0).fit(both, np.concatenate([y, [None] * len(y)]))
    assert (detector.predict(X) == 0).mean() < 0.05


def test_an_empty_document_is_expected():
    X, y, _ = corpus()
    empty = csr_array((1, N_WORDS))
    detector = UnexpectedDetector(random_state=0).fit(
        csr_array(np.vstack([X.toarray(), empty.toarray()])), [*y, None]
    )
    assert detector.pvalues(empty).tolist() == [1.0]
    assert detector.predict(empty).tolist() == [1]


def test_too_few_known_rows_are_ranked_and_not_flagged():
    X, y, truth = corpus(n_known=20, n_new=30, n_unexpected=10)
    with pytest.warns(UserWarning, match="needs 50 known rows or more for p-values; got 20"):
        detector = UnexpectedDetector(fdr=0.9, random_state=0).fit(X, y)
    assert not detector.calibrated_
    assert (detector.predict(X) == 1).all()
    assert roc_auc_score(truth, -detector.decision_function(X[judged(y)])) > 0.6


def test_one_known_row():
    X, y, _ = corpus(n_known=1, n_new=5, n_unexpected=0, n_classes=1)
    with pytest.warns(UserWarning, match="got 1"):
        assert (UnexpectedDetector(random_state=0).fit(X, y).predict(X) == 1).all()


def test_nothing_in_common():
    X = np.zeros((80, 200))
    X[np.arange(60), np.arange(60)] = 1
    X[np.arange(60), 190] = 1
    X[60 + np.arange(20), 100 + np.arange(20)] = 1
    detector = UnexpectedDetector(random_state=0).fit(csr_array(X), [1] * 60 + [-1] * 20)
    assert np.isfinite(detector.decision_function(csr_array(X))).all()
    assert (detector.predict(csr_array(X[60:])) == 0).all()


def test_a_word_list_and_a_corpus_say_which_columns_are_words():
    X, y, _ = corpus()
    listed = np.arange(N_WORDS) < 1500
    plain = (
        UnexpectedDetector(random_state=0)
        .fit(csr_array(X.toarray() * listed), y)
        .decision_function(X.multiply(listed))
    )
    with_list = UnexpectedDetector(background=listed, random_state=0).fit(X, y).decision_function(X)
    np.testing.assert_allclose(with_list, plain)
    documents = csr_array(np.tile(np.arange(N_WORDS) < 3, (3, 1)).astype(float))
    kept = (X.toarray() > 0).sum(axis=0) + 3 * (np.arange(N_WORDS) < 3) >= 3
    with_corpus = UnexpectedDetector(background=documents, random_state=0).fit(X, y).decision_function(X)
    np.testing.assert_allclose(
        with_corpus, UnexpectedDetector(background=kept, random_state=0).fit(X, y).decision_function(X)
    )


@pytest.mark.parametrize("background", [np.ones(3, dtype=bool), csr_array((2, 3)), np.ones(N_WORDS)])
def test_a_background_of_another_shape_is_refused(background):
    X, y, _ = corpus()
    with pytest.raises(ValueError, match=f"background must be a bool array of shape \\({N_WORDS},\\)"):
        UnexpectedDetector(background=background, random_state=0).fit(X, y)


def test_a_background_of_numbers_is_refused():
    with pytest.raises(ValueError, match="background is for documents"):
        UnexpectedDetector(background=np.array([True]), random_state=0).fit(np.ones((3, 1)), [1, 1, -1])


def test_the_words_that_gave_a_document_away():
    X, y, truth = corpus(n_known=300, n_new=200)
    rows = X.toarray()
    new = np.flatnonzero(judged(y))
    stranger = new[truth][0]
    rows[:, -1] = 0
    rows[stranger, -1] = 4  # a word of its own, repeated
    X = csr_array(rows)
    evidence = UnexpectedDetector(random_state=0).fit(X, y).evidence(X)
    assert evidence.shape == X.shape
    assert evidence[[stranger]].toarray().argmax() == N_WORDS - 1
    # What the classes have speaks against, so that strangers have more in favour.
    totals = np.asarray(evidence.sum(axis=1)).ravel()[new]
    assert roc_auc_score(truth, totals) > 0.9


def test_tfidf_rows_are_taken_as_they_are():
    X, y, truth = corpus(n_known=300, n_new=200)
    weights = X.copy()
    weights.data = np.sqrt(weights.data) * 0.37
    detector = UnexpectedDetector(random_state=0).fit(weights, y)
    assert roc_auc_score(truth, -detector.decision_function(weights[judged(y)])) > 0.9


def blobs(seed=0, n_known=300, n_new=200, n_unexpected=20):
    rng = np.random.default_rng(seed)
    known = rng.normal(size=(n_known, 5)) + 6 * (np.arange(n_known) % 2)[:, None]
    new = rng.normal(size=(n_new, 5)) + 6 * (np.arange(n_new) % 2)[:, None]
    unexpected = rng.normal(size=(n_unexpected, 5)) + [6, -6, 6, -6, 0]
    X = np.vstack([known, new, unexpected]) * [1, 10, 100, 1e3, 1e4]
    y = np.array([*(np.arange(n_known) % 2 + 1), *[-1] * (n_new + n_unexpected)])
    return X, y, np.arange(n_new + n_unexpected) >= n_new


@pytest.mark.parametrize("one_class", [False, True])
def test_numeric_rows(one_class):
    X, y, truth = blobs()
    detector = UnexpectedDetector(random_state=0).fit(X, np.where(y > 0, 1, y) if one_class else y)
    new = X[y < 0]
    assert roc_auc_score(truth, -detector.decision_function(new)) > 0.98
    assert (detector.predict(new)[truth] == 0).mean() > 0.8
    assert (detector.predict(new)[~truth] == 0).mean() < 0.1
    assert detector.evidence(new).shape == new.shape


def test_numeric_pvalues_hold(monkeypatch):
    monkeypatch.setattr("lopsided.unexpected._forest._N_TREES", 40)  # as true of few trees, and sooner known
    p, shares = [], []
    for seed in range(50):
        X, y, truth = blobs(seed)
        detector = UnexpectedDetector(random_state=0).fit(X, y)
        p.append(detector.pvalues(X[y < 0])[~truth])
        flagged = detector.predict(X[y < 0]) == 0
        shares.append((flagged & ~truth).sum() / max(1, flagged.sum()))
    assert kstest(np.concatenate(p), "uniform").statistic < 0.06
    assert np.mean(shares) < 0.3 + 2.5 * np.std(shares) / np.sqrt(len(shares))


def test_many_rows_of_one_new_kind_do_not_hide_each_other():
    X, y, truth = blobs(n_new=200, n_unexpected=150)
    detector = UnexpectedDetector(random_state=0).fit(X, y)
    assert (detector.predict(X[y < 0])[truth] == 0).mean() > 0.9


@pytest.mark.parametrize(("n_known", "n_new", "n_strange"), [(60, 900, 0), (900, 60, 15), (900, 25, 8)])
def test_many_more_of_one_side(n_known, n_new, n_strange):
    """Few known rows do not make all others strange, and few new ones are found all the same."""
    X, y, truth = blobs(n_known=n_known, n_new=n_new, n_unexpected=n_strange)
    flagged = UnexpectedDetector(random_state=0).fit(X, y).predict(X[y < 0]) == 0
    assert flagged[~truth].mean() < 0.15
    assert n_strange == 0 or flagged[truth].mean() > 0.7


def test_a_new_kind_inside_the_range_of_the_known():
    """No number of its own is strange, and each row has known neighbours: they are too many in one place."""
    rng = np.random.default_rng(0)
    known, expected = rng.uniform(-1, 1, (600, 3)), rng.uniform(-1, 1, (300, 3))
    X = np.vstack([known, expected, rng.normal(0, 0.03, (30, 3))])
    y = np.array([1] * 600 + [-1] * 330)
    detector = UnexpectedDetector(random_state=0).fit(X, y)
    assert (detector.predict(X[-30:]) == 0).mean() > 0.8


def test_rows_may_be_sparse_in_fit_and_dense_later_and_the_other_way_round():
    X, y, _ = corpus(n_known=100, n_new=50)
    documents = UnexpectedDetector(random_state=0).fit(X, y)
    np.testing.assert_array_equal(documents.pvalues(X.toarray()), documents.pvalues(X))
    Z, z, _ = blobs(n_known=100, n_new=50, n_unexpected=5)
    numbers = UnexpectedDetector(random_state=0).fit(Z, z)
    np.testing.assert_array_equal(numbers.pvalues(csr_array(Z)), numbers.pvalues(Z))
    assert numbers.evidence(csr_array(Z)).shape == Z.shape


def test_numeric_judges_can_be_saved(tmp_path):
    pytest.importorskip("skops")
    X, y, _ = blobs()
    detector = UnexpectedDetector(random_state=0).fit(X, y)
    save(detector, tmp_path / "judge.skops")
    again = load(tmp_path / "judge.skops")
    others = X + 0.01
    np.testing.assert_array_equal(again.decision_function(others), detector.decision_function(others))


def test_constant_columns_and_repeated_rows():
    X = np.ones((100, 3))
    detector = UnexpectedDetector(random_state=0).fit(X, [1] * 80 + [-1] * 20)
    assert np.isfinite(detector.decision_function(X)).all()
    assert (detector.predict(X) == 1).all()


def test_missing_values_are_refused():
    X = np.ones((60, 2))
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        UnexpectedDetector(random_state=0).fit(X, [1] * 50 + [-1] * 10)


@pytest.mark.parametrize("fdr", [0, 1, -0.1, 1.5, "0.3"])
def test_a_rate_outside_its_range_is_refused(fdr):
    X, y, _ = corpus()
    with pytest.raises(ValueError, match="'fdr' parameter of UnexpectedDetector"):
        UnexpectedDetector(fdr=fdr, random_state=0).fit(X, y)


def test_it_can_be_cloned_and_saved():
    X, y, _ = corpus()
    detector = clone(UnexpectedDetector(fdr=0.2, random_state=0)).fit(X, y)
    again = pickle.loads(pickle.dumps(detector))
    np.testing.assert_array_equal(again.decision_function(X), detector.decision_function(X))


def test_more_rows_than_are_compared(monkeypatch):
    monkeypatch.setattr("lopsided.unexpected._measures._MOST_REFERENCES", 200)
    monkeypatch.setattr("lopsided.unexpected._measures._MOST_TAUGHT", 120)
    monkeypatch.setattr("lopsided.unexpected._words._MOST_DRAWN", 100)
    X, y, truth = corpus(n_known=400, n_new=200, n_unexpected=20)
    detector = UnexpectedDetector(random_state=0).fit(X, y)
    assert len(detector.null_scores_) == 120
    assert roc_auc_score(truth, -detector.decision_function(X[judged(y)])) > 0.9
