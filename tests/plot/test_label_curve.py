import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.class_weight import compute_class_weight

from lopsided import LASVC
from lopsided.metrics import geometric_mean_score, prbep_score
from lopsided.plot import LabelCurve, label_curve, mean_label_curve
from lopsided.plot._label_curve import SCORES, _checkpoints, _score


def make_curve(n_labels, values, name="a", stopped_at=None):
    return LabelCurve(name, n_labels, *[values] * 5, stopped_at=stopped_at)


def test_every_point_is_a_model_of_the_first_labels_in_the_order_they_were_asked_for(fake, four_parts):
    X, y, X_test, y_test = four_parts
    model = fake(selection="active", stopping="saturation", random_state=3)
    curve = label_curve(model, X, y, X_test, y_test, 8)
    order = fake(selection="active", random_state=3).fit(X, y).queried_
    for point, n in enumerate(curve.n_labels):
        expected = [0.0, np.mean(y_test), 0, 0, 0]  # of f = 0 everywhere
        rows = order[:n]
        if len(np.unique(y[rows])) == 2:
            batch = SVC(kernel="linear").fit(X[rows], y[rows])
            n_negative, n_positive = batch.n_support_
            g_mean = geometric_mean_score(y_test, batch.predict(X_test))
            prbep = prbep_score(y_test, batch.decision_function(X_test))
            expected = [g_mean, prbep, n_negative + n_positive, n_positive, n_negative]
        np.testing.assert_allclose([getattr(curve, score)[point] for score in SCORES], expected)
    assert curve.name == "FakeLearner, active"
    assert curve.n_support.dtype.kind == "i"
    assert not hasattr(model, "queried_")  # only clones were fitted


def test_before_the_second_class_is_seen_everything_is_called_negative(fake, four_parts):
    X, _, X_test, y_test = four_parts
    late = np.zeros(300, int)
    late[np.random.default_rng(1).permutation(300)[-20:]] = 1  # the last twenty to be asked about
    curve = label_curve(fake(random_state=1), X, late, X_test, y_test, 3)
    assert curve.g_mean[0] == 0
    assert curve.prbep[0] == pytest.approx(np.mean(y_test))
    assert curve.n_support[0] == 0 < curve.n_support[-1]


def test_where_it_stops(fake, four_parts):
    assert label_curve(fake(random_state=0), *four_parts, 4).stopped_at is None
    by_rule = label_curve(fake(stopping="saturation", random_state=0), *four_parts, 4)
    by_budget = label_curve(fake(max_labels=77, random_state=0), *four_parts, 4)
    assert (by_rule.stopped_at, by_budget.stopped_at) == (100, 77)
    for curve in (by_rule, by_budget):
        assert curve.stopped_at in curve.n_labels
        assert curve.n_labels[-1] == 300  # learning goes on behind the stop
    assert label_curve(fake(max_labels=300, random_state=0), *four_parts, 4).stopped_at is None


@pytest.mark.parametrize(("max_labels", "end"), [(200, 200), (50, 100), (10**6, 300)])
def test_the_curve_can_end_early_but_not_before_the_stop(fake, four_parts, max_labels, end):
    model = fake(stopping="saturation", random_state=0)
    curve = label_curve(model, *four_parts, 4, max_labels=max_labels)
    replay = fake.calls[-1][0]
    assert curve.n_labels[-1] == sum(n for learner, n, _ in fake.calls if learner is replay) == end


def test_a_score_of_zero_is_called_negative():
    class Finished:
        n_support_ = (1, 1)

        def decision_function(self, X):
            return np.array([0.0, 0.5])

    assert _score(Finished(), None, np.array([-1, 1], dtype=np.int8))[0] == 1


def test_what_the_clones_are_told(fake, four_parts):
    X, y, *_ = four_parts
    model = fake(stopping="saturation", max_labels=150, class_weight="balanced", n_epochs=7)
    label_curve(model, *four_parts, 4)
    stopped, whole, replay = dict.fromkeys(learner for learner, _, _ in fake.calls)
    assert (stopped.stopping, stopped.max_labels) == ("saturation", 150)
    # one label short of all, so that no class is favoured at the beginning
    assert (whole.stopping, whole.max_labels) == (None, 299)
    assert (replay.stopping, replay.max_labels) == (None, None)
    assert stopped.random_state == whole.random_state is not None
    np.testing.assert_array_equal(stopped.queried_, whole.queried_[:100])
    assert (whole.gamma, replay.gamma) == ("scale", 1 / (5 * X.var()))  # the scale of all of X
    weights = compute_class_weight("balanced", classes=np.array([0, 1]), y=y)
    assert replay.class_weight == pytest.approx(dict(enumerate(weights)))  # of all labels, too
    assert all(learner.n_epochs == 1 for learner in (stopped, whole, replay))
    assert (model.class_weight, model.n_epochs, model.random_state) == ("balanced", 7, None)
    chunks = [n for learner, n, _ in fake.calls if learner is replay]
    assert sum(chunks) == 300
    assert len(chunks) == 5
    assert all(list(classes) == [0, 1] for _, _, classes in fake.calls)


def test_spelling_of_labels_and_tables_makes_no_difference(fake, four_parts):
    X, y, X_test, y_test = four_parts
    plain = label_curve(fake(random_state=0), *four_parts, 4)
    words = np.array(["ham", "spam"])
    tables = (pd.DataFrame(X), pd.Series(words[y]), pd.DataFrame(X_test), words[y_test].tolist())
    other = label_curve(fake(random_state=0), *tables, 4, name="b")
    assert other.name == "b"
    for column in ("n_labels", *SCORES):
        np.testing.assert_array_equal(getattr(plain, column), getattr(other, column))


@pytest.mark.parametrize("n_labels", [1, 9, 10, 11, 1000])
@pytest.mark.parametrize("stopped_at", [None, 1])
def test_checkpoints_grow_and_end_with_all(n_labels, stopped_at):
    found = _checkpoints(n_labels, 30, stopped_at)
    assert found == sorted(set(found))
    assert found[-1] == n_labels
    assert found[0] == (stopped_at or min(10, n_labels))
    assert len(found) <= 31
    if n_labels == 1000:
        gaps = np.diff(found[-30:])
        assert len(found) == 30 + (stopped_at is not None)
        assert (np.diff(gaps) >= -1).all()  # closer at the beginning, up to rounding


def test_mean_by_hand():
    runs = [make_curve([10, 20, 40], [0.0, 0.4, 0.8], stopped_at=20), make_curve([15, 30], [0.2, 1.0])]
    mean = mean_label_curve(runs)
    np.testing.assert_array_equal(mean.n_labels, [15, 20, 30])
    np.testing.assert_allclose(mean.g_mean, [(0.2 + 0.2) / 2, (0.4 + 0.2 + 0.8 / 3) / 2, (0.6 + 1.0) / 2])
    assert mean.stopped_at == 20
    assert mean_label_curve(runs[1:]).stopped_at is None
    assert mean_label_curve([*runs, make_curve([10, 40], [0, 1], stopped_at=31)]).stopped_at == 25.5


def test_mean_of_one_is_itself():
    curve = make_curve([10, 20, 40], [0.0, 0.4, 0.8], stopped_at=20)
    mean = mean_label_curve([curve])
    for column in ("n_labels", *SCORES):
        np.testing.assert_array_equal(getattr(mean, column), getattr(curve, column))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: make_curve([10, 10], [0, 1]), r"'a' must grow from point to point; got \[10, 10\]"),
        (lambda: make_curve([], []), "must grow"),
        (lambda: make_curve([10, 20], [0]), "n_labels 2, g_mean 1"),
        (lambda: mean_label_curve([]), "at least one curve"),
        (
            lambda: mean_label_curve([make_curve([1, 2], [0, 0]), make_curve([3, 4], [0, 0])]),
            "no number of labels in common: one starts at 3, one ends at 2",
        ),
    ],
)
def test_bad_curves(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_bad_input(fake, four_parts):
    X, y, X_test, y_test = four_parts
    model = fake(random_state=0)
    with pytest.raises(ValueError, match="n_points must be 2 or more; got 1"):
        label_curve(model, *four_parts, 1)
    with pytest.raises(ValueError, match="y_test holds only one class among 300 samples"):
        label_curve(model, X, y, X_test, np.zeros_like(y_test))
    with pytest.raises(ValueError, match="Only binary classification"):
        label_curve(model, X, np.arange(300) % 3, X_test, y_test)
    with pytest.raises(ValueError, match="X 299, y 300"):
        label_curve(model, X[1:], y, X_test, y_test)
    with pytest.raises(ValueError, match="X_test 299, y_test 300"):
        label_curve(model, X, y, X_test[1:], y_test)
    with pytest.raises(TypeError, match=r"Pipeline has no .*partial_fit.*Transform X first"):
        label_curve(make_pipeline(SVC()), *four_parts)
    model.kernel = "precomputed"
    with pytest.raises(ValueError, match=r"precomputed kernel .* Pass the kernel by name"):
        label_curve(model, *four_parts)


@pytest.mark.parametrize(
    "params",
    [
        {"selection": "active", "stopping": "saturation"},
        {"selection": "active", "stopping": "margin", "kernel": "linear"},
        {"selection": "exhaustive", "max_labels": 50, "kernel": "linear"},
        {"selection": "random", "class_weight": "balanced"},
        {"selection": "sequential"},
    ],
    ids=lambda params: "-".join(str(value) for value in params.values()),
)
def test_with_the_online_svm(four_parts, params):
    """The replay ends, and stops, with the models that fit makes."""
    X, y, X_test, y_test = four_parts
    curve = label_curve(LASVC(**params, random_state=4), *four_parts, 6)
    stopped = LASVC(**params, random_state=4).fit(X, y)
    whole = LASVC(**{**params, "stopping": None, "max_labels": None}, random_state=4).fit(X, y)
    assert (curve.stopped_at or 300) == stopped.n_labels_
    for model, n_labels in ((stopped, stopped.n_labels_), (whole, 300)):
        (point,) = np.flatnonzero(curve.n_labels == n_labels)
        # Rounding depends on how rows are cut into chunks, so the models agree within tol, not bit by bit.
        found = [curve.n_support_negative[point], curve.n_support_positive[point]]
        np.testing.assert_allclose(found, model.n_support_, atol=2)
        g_mean = geometric_mean_score(y_test, model.predict(X_test))
        # fit begins with five of each class where it reads all in order, the curve does not
        near = 0.01 if params.get("selection") == "active" else 0.03
        assert curve.g_mean[point] == pytest.approx(g_mean, abs=near)
        prbep = prbep_score(y_test, model.decision_function(X_test))
        assert curve.prbep[point] == pytest.approx(prbep, abs=0.04)  # one positive more or less of 29


def test_sparse_rows_and_numbers_of_another_size(four_parts):
    X, y, X_test, y_test = four_parts
    model = LASVC(selection="active", random_state=0)
    dense = label_curve(model, X, y, X_test, y_test, 4)
    sparse = label_curve(model, csr_array(X), y, csr_array(X_test), y_test, 4)
    single = label_curve(model, X.astype("f4"), y, X_test.astype("f4"), y_test, 4)
    for curve in (sparse, single):
        np.testing.assert_allclose(curve.g_mean, dense.g_mean, atol=0.1)
        np.testing.assert_array_equal(curve.n_labels, dense.n_labels)
