"""LASVCCV: the settings and the threshold that it chooses, against slow and plain counterparts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from tests.reference.thresholds import slow_balanced_threshold

from lopsided import LASVC, LASVCCV, geometric_mean_score, load, make_lopsided, save
from lopsided.metrics import RoundRobinFold
from lopsided.svm import _threshold
from lopsided.svm._threshold import balanced_threshold, best_threshold_for, recalls

X_all, y_all = make_lopsided(4600, 4, 0.1, random_state=0)
X, X_test, y, y_test = X_all[:600], X_all[600:], y_all[:600], y_all[600:]
TWO = {"kernel": ["linear", "rbf"]}


def overlapping(seed, n=200, share=0.1):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < share
    return np.round(rng.normal(size=n) + 1.5 * positive, 2), positive


@pytest.mark.parametrize("seed", range(5))
def test_the_slow_twin_finds_the_same_threshold(seed):
    scores, positive = overlapping(seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(scores))
    found = balanced_threshold(scores, positive, weights)
    assert_allclose(found, slow_balanced_threshold(scores, positive, weights), atol=1e-5)


def test_the_threshold_is_nearly_the_best_there_is():
    scores, positive = overlapping(0, n=2000)
    weights = np.ones(len(scores))

    def g(threshold):
        return np.sqrt(np.prod(recalls(scores, positive, weights, threshold)))

    best = max(g(t) for t in scores)
    assert g(balanced_threshold(scores, positive, weights)) > best - 0.02
    assert g(0.0) < best - 0.1 or g(np.inf) == 0


def test_the_threshold_moves_with_the_scores():
    scores, positive = overlapping(1)
    weights = np.ones(len(scores))
    first = balanced_threshold(scores, positive, weights)
    assert_allclose(balanced_threshold(100 * scores + 7, positive, weights), 100 * first + 7, rtol=1e-6)


def test_weight_two_is_a_row_twice_for_the_threshold():
    scores, positive = overlapping(2)
    weights = np.random.default_rng(0).integers(1, 3, len(scores)).astype(float)
    twice = np.repeat(np.arange(len(scores)), weights.astype(int))
    assert_allclose(
        balanced_threshold(scores, positive, weights),
        balanced_threshold(scores[twice], positive[twice], np.ones(len(twice))),
        atol=1e-6,
    )


@pytest.mark.parametrize("scores", [np.zeros(6), np.array([1.0, 1, 1, -1, -1, -1])])
def test_scores_that_are_equal_or_upside_down_give_a_finite_threshold(scores):
    assert np.isfinite(balanced_threshold(scores, np.arange(6) > 2, np.ones(6)))


def test_a_scorer_gets_the_threshold_that_it_likes_best():
    scores, positive = overlapping(3)
    classes = np.array(["no", "yes"])
    scorer = "f1_macro"
    threshold, value = best_threshold_for(scorer, scores, positive, classes, np.ones(len(scores)))
    truth = classes[positive.astype(int)]

    def f1(t):
        return f1_score(truth, classes[(scores > t).astype(int)], average="macro")

    assert value == pytest.approx(f1(threshold))
    assert value >= max(f1(t) for t in np.unique(scores)) - 0.01


def test_a_scorer_without_a_threshold_leaves_it_balanced():
    scores, positive = overlapping(3)
    weights = np.ones(len(scores))
    threshold, value = best_threshold_for("roc_auc", scores, positive, np.array([0, 1]), weights)
    assert threshold == balanced_threshold(scores, positive, weights)
    assert value == pytest.approx(roc_auc_score(positive, scores))


def test_scores_are_those_of_plain_cross_validation():
    """The slow twin: the same folds, one LASVC after the other."""
    model = LASVCCV(TWO, cv=StratifiedKFold(4), random_state=np.random.default_rng(0)).fit(X, y)
    seed = int(np.random.default_rng(0).integers(2**32))
    for number, kernel in enumerate(TWO["kernel"]):
        scores = np.zeros(len(y))
        for train, test in StratifiedKFold(4).split(X, y):
            machine = LASVC(kernel=kernel, class_weight="balanced", n_epochs=2, random_state=seed)
            scores[test] = machine.fit(X[train], y[train]).decision_function(X[test])
        threshold = balanced_threshold(scores, y == 1, np.ones(len(y)))
        assert model.cv_results_["threshold"][number] == pytest.approx(threshold)
        expected = geometric_mean_score(y, (scores > threshold).astype(int))
        assert model.cv_results_["test_score"][number] == pytest.approx(expected)
    assert model.best_index_ == np.argmax(model.cv_results_["test_score"])
    assert model.best_params_ == {"kernel": TWO["kernel"][model.best_index_]}
    assert model.best_score_ == model.cv_results_["test_score"][model.best_index_]
    again = LASVC(**model.best_params_, class_weight="balanced", n_epochs=2, random_state=seed).fit(X, y)
    assert_array_equal(model.decision_function(X_test), again.decision_function(X_test) - model.threshold_)


def test_it_beats_its_best_machine_with_the_threshold_at_zero():
    rng = np.random.default_rng(0)
    gains = []
    for seed in range(5):
        X, y = make_lopsided(400, 20, 0.05, random_state=seed)
        X, X_new, y, y_new = X[:200], X[200:], y[:200], y[200:]
        noise, noise_new = rng.normal(size=(200, 20)), rng.normal(size=(200, 20))
        X, X_new = np.hstack([X, noise]), np.hstack([X_new, noise_new])
        model = LASVCCV(random_state=0).fit(X, y)
        plain = model.best_estimator_
        gains.append(
            geometric_mean_score(y_new, model.predict(X_new))
            - geometric_mean_score(y_new, plain.predict(X_new))
        )
    assert np.mean(gains) > 0.02


def test_probabilities_come_from_the_same_folds():
    model = LASVCCV(random_state=0).fit(X, y)
    p = model.predict_proba(X_test)
    assert p.shape == (len(X_test), 2)
    assert_allclose(p.sum(axis=1), 1)
    assert p[:, 1].mean() == pytest.approx(y_test.mean(), abs=0.02)
    assert_array_equal(
        np.argsort(p[:, 1], kind="stable"), np.argsort(model.decision_function(X_test), kind="stable")
    )


def test_equal_seeds_give_equal_results_whatever_the_number_of_workers():
    one = LASVCCV(random_state=3).fit(X, y)
    many = LASVCCV(random_state=3, n_jobs=2).fit(X, y)
    assert one.best_params_ == many.best_params_
    assert_array_equal(one.cv_results_["test_score"], many.cv_results_["test_score"])
    assert_array_equal(one.decision_function(X_test), many.decision_function(X_test))


def test_sparse_rows_are_as_good_as_dense_ones():
    dense = LASVCCV(TWO, random_state=0).fit(X, y)
    sparse = LASVCCV(TWO, random_state=0).fit(csr_array(X), y)
    assert_allclose(sparse.decision_function(csr_array(X_test)), dense.decision_function(X_test), atol=1e-3)


def test_sparse_rows_have_a_grid_of_their_own():
    model = LASVCCV(random_state=0).fit(csr_array(X), y)
    assert len(model.cv_results_["params"]) == 2


def test_rows_of_weight_zero_are_absent():
    weights = np.ones(len(y))
    weights[::7] = 0
    weights[y == 1] = 1
    kept = weights > 0
    with_all = LASVCCV(TWO, cv=StratifiedKFold(3), random_state=0).fit(X, y, weights)
    assert with_all.best_estimator_.n_labels_ == kept.sum()
    assert np.isfinite(with_all.threshold_)


def test_names_are_predicted_as_names():
    names = np.where(y == 1, "rare", "common")
    model = LASVCCV(TWO, random_state=0).fit(X, names)
    assert set(model.predict(X_test)) == {"rare", "common"}
    assert model.classes_.tolist() == ["common", "rare"]


def test_it_is_kept_in_a_file(tmp_path):
    model = LASVCCV(TWO, random_state=0).fit(X, y)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert_array_equal(again.predict_proba(X_test), model.predict_proba(X_test))
    assert again.threshold_ == model.threshold_


def test_of_several_classes_each_against_the_rest():
    labels = np.where(y == 1, 2, (X[:, 0] > 0).astype(int))
    with pytest.raises(ValueError, match=r"two classes apart; got 3\. Use OneVsRestClassifier"):
        LASVCCV(TWO).fit(X, labels)
    model = OneVsRestClassifier(LASVCCV(TWO, random_state=0)).fit(X, labels)
    assert (model.predict(X) == labels).mean() > 0.8


def test_few_rows_of_a_class():
    labels = np.zeros(len(y), dtype=int)
    labels[:3] = 1
    with pytest.warns(UserWarning, match="3 folds in place of cv=5") as warned:
        LASVCCV(TWO).fit(X, labels)
    assert warned[0].filename == __file__  # the call of fit, not a line of ours
    labels[1:3] = 0
    with pytest.raises(ValueError, match="at least 2 rows of each class"):
        LASVCCV(TWO).fit(X, labels)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LASVCCV({"kernel": []}), "kernel"),
        (LASVCCV([]), "names no setting"),
        (LASVCCV({"colour": [1]}), "colour"),
        (LASVCCV(cv=ShuffleSplit(2)), "test every row once"),
        (LASVCCV(cv=1), "cv"),
        (LASVCCV(scoring="no such score"), "no such score"),
    ],
)
def test_what_cannot_be_searched(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_an_interrupted_search_leaves_the_earlier_fit(monkeypatch):
    model = LASVCCV(TWO, random_state=0).fit(X, y)
    before = model.decision_function(X_test)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_threshold, "balanced_threshold", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:300], y[:300])
    assert_array_equal(model.decision_function(X_test), before)
    fresh = clone(model)
    with pytest.raises(KeyboardInterrupt):
        fresh.fit(X, y)
    assert not hasattr(fresh, "classes_")


def test_folds_hold_their_share_of_both_classes():
    folds = LASVCCV(cv=5)._folds(y, np.random.default_rng(0))
    expected = list(RoundRobinFold(5, random_state=np.random.default_rng(0)).split(y, y))
    for (train, test), (train_too, test_too) in zip(folds, expected, strict=True):
        assert_array_equal(train, train_too)
        assert_array_equal(test, test_too)
        assert abs(y[test].sum() - y.sum() / 5) < 1


def test_labels_are_asked_for():
    asked = []

    def oracle(rows):
        asked.extend(rows.tolist())
        return y_all[rows]

    first = [int(np.flatnonzero(y_all == label)[0]) for label in (0, 1)]
    model = LASVCCV(max_labels=80, random_state=0).fit(X_all, oracle, first=first)
    assert asked[:2] == first
    rest = np.setdiff1d(np.arange(len(y_all)), first)
    rng = np.random.default_rng(0)
    rng.integers(2**32)
    assert asked[2:18] == rng.permutation(rest)[:16].tolist()  # a fifth of the labels
    assert model.queried_.tolist() == asked
    assert len(set(asked)) == 80 == model.best_estimator_.n_labels_
    assert geometric_mean_score(y_all, model.predict(X_all)) > 0.85
    at_hand = LASVCCV(max_labels=80, random_state=0).fit(X_all, y_all, first=first)
    assert_array_equal(at_hand.decision_function(X_all), model.decision_function(X_all))


def test_the_threshold_counts_rows_without_a_label_to_the_common_class():
    """The slow twin: held-out scores of the labels read, and scores of all other rows."""
    grid = {"kernel": ["linear"]}
    model = LASVCCV(grid, max_labels=60, cv=StratifiedKFold(3), random_state=np.random.default_rng(0))
    model.fit(X, y, first=[int(np.argmax(y)), int(np.argmin(y))])
    seed = int(np.random.default_rng(0).integers(2**32))
    read, scores = model.queried_, np.zeros(len(y))
    truth = np.zeros(len(y), dtype=bool)
    truth[read] = y[read] == 1

    def learn(rows):
        machine = LASVC(kernel="linear", class_weight="balanced", n_epochs="converge", random_state=seed)
        return machine.fit(X[rows], y[rows])

    for train, test in StratifiedKFold(3).split(read, y[read]):
        scores[read[test]] = learn(read[train]).decision_function(X[read[test]])
    others = np.setdiff1d(np.arange(len(y)), read)
    scores[others] = learn(read).decision_function(X[others])
    assert model.threshold_ == pytest.approx(balanced_threshold(scores, truth, np.ones(len(y))), abs=1e-9)


def test_the_common_class_may_be_the_second():
    model = LASVCCV(max_labels=80, random_state=0).fit(X_all, 1 - y_all)
    assert geometric_mean_score(1 - y_all, model.predict(X_all)) > 0.85


def test_labels_of_one_class_alone_are_given_back():
    with pytest.warns(UserWarning, match="of one class"):
        model = LASVCCV(max_labels=10, random_state=0).fit(X, lambda rows: ["no"])
    assert set(model.predict(X)) == {"no"}
    assert len(model.queried_) == 10
    assert model.best_params_ == {}


def test_one_label_of_the_rarer_class_leaves_no_choice():
    labels = np.zeros(len(y), dtype=int)
    labels[5] = 1
    model = LASVCCV(max_labels=10, random_state=0).fit(X, lambda rows: labels[rows], first=[5])
    assert isinstance(model.best_estimator_, LASVC)
    assert model.classes_.tolist() == [0, 1]
    assert np.isfinite(model.decision_function(X)).all()


def test_an_oracle_that_gives_up_leaves_what_has_asked():
    n = 0

    def oracle(rows):
        nonlocal n
        n += 1
        if n > 40:
            raise KeyboardInterrupt
        return y_all[rows]

    model = LASVCCV(max_labels=100, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X_all, oracle, first=[int(np.argmax(y_all)), int(np.argmin(y_all))])
    assert len(model.queried_) == 40
    assert geometric_mean_score(y_all, model.predict(X_all)) > 0.5


@pytest.mark.parametrize("arguments", [{"first": [0]}, {}])
def test_an_oracle_needs_a_number_of_labels(arguments):
    with pytest.raises(ValueError, match="need max_labels"):
        LASVCCV().fit(X, y if arguments else (lambda rows: y[rows]), **arguments)
