import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score

from lopsided.metrics import lee_liu_score, lee_liu_scorer
from lopsided.pu import SVMC, PositiveUnlabeledFold, SpyEM


@given(st.integers(2, 12), st.integers(2, 40), st.integers(2, 6), st.integers(0, 9))
def test_folds_are_a_fair_partition(n_positive, n_unlabeled, n_splits, seed):
    y = np.random.default_rng(seed).permutation([1] * n_positive + [0] * n_unlabeled)
    folds = PositiveUnlabeledFold(n_splits, seed)
    if n_splits > min(n_positive, n_unlabeled):
        with pytest.raises(ValueError, match=f"{n_positive} labeled positives and {n_unlabeled} unlabeled"):
            next(folds.split(y, y))
        return
    pairs = list(folds.split(y, y))
    assert len(pairs) == folds.get_n_splits() == n_splits
    assert sorted(np.concatenate([test for _, test in pairs])) == list(range(len(y)))
    for train, test in pairs:
        assert sorted([*train, *test]) == list(range(len(y)))
        assert set(y[test]) == set(y[train]) == {0, 1}
    for kind in (0, 1):
        sizes = [(y[test] == kind).sum() for _, test in pairs]
        assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("unlabeled", [0, -1, None, np.nan, False])
def test_spellings_give_the_same_folds(unlabeled):
    plain = [1, 0, 0, 1, 0, 1, 0, 0]
    spelled = [1 if label else unlabeled for label in plain]
    for ours, theirs in zip(
        PositiveUnlabeledFold(3, 0).split(plain, spelled),
        PositiveUnlabeledFold(3, 0).split(plain, plain),
        strict=True,
    ):
        assert ours[1].tolist() == theirs[1].tolist()


def test_seed_decides_the_folds():
    y = np.repeat([0, 1], 20)

    def first(seed):
        return next(PositiveUnlabeledFold(5, seed).split(y, y))[1].tolist()

    assert first(0) == first(0)
    assert first(0) != first(1)
    assert first(np.random.RandomState(0)) == first(np.random.RandomState(0))


@pytest.mark.parametrize(
    ("n_splits", "y", "words"),
    [
        (1, [0, 0, 1, 1], "n_splits=1 asks for at least 2 folds"),
        (3, [1, 1, 0, 0, 0], "2 labeled positives and 3 unlabeled rows"),
        (3, [1, 1, 1, 0, 0], "3 labeled positives and 2 unlabeled rows"),
        (2, [1, 1, 1], "3 labeled positives and 0 unlabeled rows"),
        (2, [0, 0, 0], "at least one labeled positive"),
        (2, [0, -1, 1, 1], "one spelling"),
        (2, [0, 2, 1, 1], "got also 2"),
    ],
)
def test_bad_input(n_splits, y, words):
    with pytest.raises(ValueError, match=words):
        next(PositiveUnlabeledFold(n_splits).split(y, y))


def blobs(seed=0, n_labeled=30, n_hidden=30, n_negative=240):
    """Positives around (2, 2), negatives around (-2, -2) and (-2, 2)."""
    generator = np.random.default_rng(seed)
    X = generator.normal(scale=0.7, size=(n_labeled + n_hidden + n_negative, 2))
    X[: n_labeled + n_hidden] += [2, 2]
    X[n_labeled + n_hidden :] += np.where(generator.random((n_negative, 1)) < 0.5, [-2, -2], [-2, 2])
    y = (np.arange(len(X)) < n_labeled).astype(int)
    truth = np.arange(len(X)) < n_labeled + n_hidden
    order = generator.permutation(len(X))
    return X[order], y[order], truth[order]


def test_scorer_is_the_score_of_the_predictions():
    X, y, _ = blobs()
    model = LogisticRegression().fit(X, y)
    assert lee_liu_scorer(model, X, y) == lee_liu_score(y, model.predict(X)) > 0


@pytest.mark.parametrize("unlabeled", [0, -1])
def test_grid_search_from_ones_and_zeros(unlabeled):
    """The grid holds a model that rejects everything and one that is sound; nobody names a negative."""
    X, y, truth = blobs()
    spelled = np.where(y == 1, 1, unlabeled)
    search = GridSearchCV(
        SVMC(), {"gamma": [1e-3, 0.3, 1e4]}, scoring=lee_liu_scorer, cv=PositiveUnlabeledFold(5, 0)
    ).fit(X, spelled)
    assert search.n_splits_ == 5
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_params_["gamma"] != 1e4  # each row its own island: nothing new is found
    assert np.mean((search.predict(X) == 1) == truth) > 0.95


def test_sparse_rows_in_a_search():
    generator = np.random.default_rng(0)
    rates = np.where(np.arange(20) < 10, 1.0, 0.2)
    X = np.vstack([generator.poisson(rates, size=(60, 20)), generator.poisson(rates[::-1], size=(200, 20))])
    y = (np.arange(260) < 30).astype(int)
    search = GridSearchCV(
        SpyEM(random_state=0),
        {"smoothing": [0.1, 1.0]},
        scoring=lee_liu_scorer,
        cv=PositiveUnlabeledFold(3, 0),
    ).fit(csr_matrix(X, dtype=float), y)
    assert search.best_score_ > 1  # all labeled found, about an eighth of the heap predicted


def test_cross_validation_helpers_take_it():
    X, y, _ = blobs()
    folds = PositiveUnlabeledFold(4, random_state=0)
    assert len(cross_val_score(LogisticRegression(), X, y, scoring=lee_liu_scorer, cv=folds)) == 4
    scores = cross_val_predict(LogisticRegression(), X, y, cv=folds, method="decision_function")
    assert scores[y == 1].mean() > scores[y == 0].mean()
