"""The perceptron with margins, against its slow twin and the laws of its specification."""

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.utils.fixes import parse_version

from lopsided.online import MarginPerceptron
from reference import lasvm, online

FORMS = [np.asarray, sparse.csr_array]
CLASSES = [-1, 1]


def make_data(n=120, d=6, seed=0, noise=0.1):
    """Rows of which about half the entries are 0, and labels of a plane with some of them flipped."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.5, rng.standard_normal((n, d)), 0.0)
    y = np.where(X @ rng.standard_normal(d) + 0.1 >= 0, 1, -1)
    return X, np.where(rng.random(n) < noise, -y, y)


def make_separable(n=60, d=4, seed=0, gap=0.3):
    """Rows of norm 1, labels by a plane through the origin, and the least distance to it."""
    rng = np.random.default_rng(seed)
    plane = rng.standard_normal(d)
    plane /= np.linalg.norm(plane)
    X = rng.standard_normal((20 * n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X = X[np.abs(X @ plane) >= gap][:n]
    return X, np.sign(X @ plane).astype(int), np.abs(X @ plane).min()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"margin": 0.0},
        {"margin": 5.0, "eta0": 0.3},
        {"fit_intercept": True},
        {"margin": 0.0, "fit_intercept": True, "initial_bias": 0.7},
        {"initial_bias": -2.0},
        {"class_weight": {-1: 0.5, 1: 7.0}, "fit_intercept": True},
    ],
    ids=str,
)
def test_each_step_is_the_twins(form, parameters):
    X, y = make_data()
    twin_parameters = {"eta" if name == "eta0" else name: value for name, value in parameters.items()}
    weights = twin_parameters.pop("class_weight", {-1: 1.0, 1: 1.0})
    slow = online.MarginPerceptron(X.shape[1], costs=(weights[-1], weights[1]), **twin_parameters)
    fast, n_updates = MarginPerceptron(**parameters), 0
    for x, label in zip(X, y, strict=True):
        s = slow.score(x)
        if n_updates:
            assert fast.decision_function(form(x[None]))[0] == pytest.approx(s, abs=1e-9)
        n_updates += slow.update(x, label, s)
        fast.partial_fit(form(x[None]), [label], classes=CLASSES)
        assert_allclose(fast.coef_, slow.w[None], atol=1e-9)
        assert_allclose(fast.intercept_, [slow.b], atol=1e-9)
        assert fast.n_updates_ == n_updates
    assert 0 < n_updates < len(y)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"fit_intercept": True},
        {"margin": 0.5, "eta0": 0.2, "fit_intercept": True, "initial_bias": -0.3},
        {"class_weight": {-1: 0.5, 1: 7.0}, "fit_intercept": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("positive_share", [0.5, 0.05])
def test_each_adaptive_step_is_the_twins(form, parameters, positive_share):
    X, y = make_data(200)
    keep = (y < 0) | (np.random.default_rng(1).random(len(y)) < positive_share)
    X, y = X[keep], y[keep]
    twin_parameters = {"eta" if name == "eta0" else name: value for name, value in parameters.items()}
    weights = twin_parameters.pop("class_weight", {-1: 1.0, 1: 1.0})
    slow = online.AdaptivePerceptron(X.shape[1], costs=(weights[-1], weights[1]), **twin_parameters)
    fast, n_updates = MarginPerceptron(step="adaptive", **parameters), 0
    for x, label in zip(X, y, strict=True):
        n_updates += slow.update(x, label, slow.score(x))
        fast.partial_fit(form(x[None]), [label], classes=CLASSES)
        assert_allclose(fast.coef_, slow.w[None], atol=1e-9)
        assert_allclose(fast.intercept_, [slow.b], atol=1e-9)
        assert fast.n_updates_ == n_updates
    assert 0 < n_updates < len(y)


def test_an_adaptive_toy_by_hand():
    X, y = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0]]), [1, -1, -1, -1]
    model = MarginPerceptron(step="adaptive").partial_fit(X[:1], y[:1], classes=CLASSES)
    assert_array_equal(model.coef_, [[0.5, 0.0]])  # loss 1, |x|^2 = 4: a quarter of the row
    model.partial_fit(X[1:2], y[1:2])
    assert_allclose(model.coef_, [[0.5, -0.4]])  # loss 1, but at most (1 + 1)^2 / (5 (1 + 1))
    model.partial_fit(X[2:3], y[2:3])
    assert_allclose(model.coef_, [[0.5, -0.4 - 4 / 15]])  # loss 0.6, at most (1 + 1)^2 / (5 (2 + 1))
    model.partial_fit(X[3:], y[3:])
    assert_allclose(model.coef_, [[0.5, -0.4 - 4 / 15]])  # a row of zeros divides by nothing
    model.partial_fit(X[:1], y[:1])
    assert model.n_updates_ == 5  # steps of length 0 are counted, as with constant steps
    slow = MarginPerceptron(step="adaptive", fit_intercept=True).partial_fit(X[:1], y[:1], classes=CLASSES)
    assert_allclose(slow.decision_function(X[:1]), [1.0])  # a step takes the row to the margin, b included
    assert_allclose(slow.intercept_, [1 / 51])


@pytest.mark.parametrize("k", [0.25, 8.0])
def test_adaptive_steps_do_not_depend_on_the_unit_of_the_features(k):
    X, y = make_data()
    one = MarginPerceptron(step="adaptive", fit_intercept=True).fit(X, y)
    other = MarginPerceptron(step="adaptive", fit_intercept=True, eta0=1 / k**2).fit(k * X, y)
    assert_allclose(other.decision_function(k * X), one.decision_function(X), rtol=1e-9, atol=1e-9)


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.8"),
    reason="before scikit-learn 1.8 eta0 does not set the length of these steps",
)
def test_with_positives_enough_adaptive_steps_are_those_of_scikit_learn():
    """PA-I of scikit-learn, which knows no count of positives; its intercept is left out."""
    X, y = make_data(300)
    ours = MarginPerceptron(step="adaptive", eta0=0.5)
    theirs = SGDClassifier(
        loss="hinge", learning_rate="pa1", eta0=0.5, penalty=None, fit_intercept=False, shuffle=False
    )
    order = np.argsort(-y[:100], kind="stable")  # first all positives of the first hundred
    X[:100], y[:100] = X[:100][order], y[:100][order]
    assert (y[:100] > 0).sum() > 30
    for x, label in zip(X, y, strict=True):
        ours.partial_fit(x[None], [label], classes=CLASSES)
        theirs.partial_fit(x[None], [label], classes=CLASSES)
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)


def test_adaptive_steps_need_no_kernel():
    with pytest.raises(ValueError, match="needs kernel=None"):
        MarginPerceptron(step="adaptive", kernel="rbf").fit(*make_data())


def test_a_toy_by_hand():
    X, y = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0], [1.0, -3.0]]), [1, -1, -1, 1]
    model = MarginPerceptron(margin=2.0).partial_fit(X[:1], y[:1], classes=CLASSES)
    assert_array_equal(model.coef_, [[1.0, 0.0]])  # f was 0 <= 1
    model.partial_fit(X[1:2], y[1:2])
    assert_array_equal(model.coef_, [[1.0, -2.0]])  # f was 0: -0 <= 1
    model.partial_fit(X[2:3], y[2:3])
    assert_array_equal(model.coef_, [[0.0, -3.0]])  # f was -1, y f = 1 <= 1: the margin belongs to the band
    model.partial_fit(X[3:], y[3:])
    assert_array_equal(model.coef_, [[0.0, -3.0]])  # f was 9
    assert model.n_updates_ == 3
    assert_array_equal(model.decision_function(X), [0.0, -6.0, -3.0, 9.0])
    assert_array_equal(model.predict(X), [-1, -1, -1, 1])  # a score of 0 is negative, as in scikit-learn


@pytest.mark.parametrize("form", FORMS)
def test_margin_zero_is_the_perceptron_of_scikit_learn(form):
    X, y = make_data()
    ours = MarginPerceptron(margin=0.0)
    theirs = Perceptron(fit_intercept=False, shuffle=False, max_iter=1, tol=None)
    for x, label in zip(X, y, strict=True):
        ours.partial_fit(form(x[None]), [label], classes=CLASSES)
        theirs.partial_fit(form(x[None]), [label], classes=CLASSES)
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)


@given(seed=st.integers(0, 2**32 - 1), gap=st.floats(0.1, 0.6))
@settings(max_examples=25)
def test_mistakes_on_separable_data_are_bounded(seed, gap):
    X, y, gamma = make_separable(seed=seed, gap=gap)
    model = MarginPerceptron(margin=0.0)
    for _ in range(200):
        before = getattr(model, "n_updates_", 0)
        model.partial_fit(X, y, classes=CLASSES)
        if model.n_updates_ == before:
            break
    assert model.n_updates_ == before  # it converged,
    assert model.n_updates_ <= 1 / gamma**2  # after at most (R / gamma)^2 mistakes (Novikoff)


@pytest.mark.parametrize("margin", [0.0, 0.5, 2.0, 10.0])
def test_after_convergence_every_row_is_outside_the_margin(margin):
    X, y, _ = make_separable()
    model = MarginPerceptron(margin=margin)
    for _ in range(2000):
        before = getattr(model, "n_updates_", 0)
        if model.partial_fit(X, y, classes=CLASSES).n_updates_ == before:
            break
    assert (y * model.decision_function(X) > margin / 2).all()


@pytest.mark.parametrize("k", [0.25, 8.0, 3.7])
def test_scaling_margin_and_rate_alike_scales_the_weights(k):
    X, y = make_data()
    small = MarginPerceptron(margin=2.0, eta0=1.0, fit_intercept=True).fit(X, y)
    large = MarginPerceptron(margin=2.0 * k, eta0=k, fit_intercept=True).fit(X, y)
    assert_allclose(large.coef_, k * small.coef_, rtol=1e-12, atol=1e-12)
    assert_allclose(large.intercept_, k * small.intercept_, rtol=1e-12)
    assert_array_equal(large.predict(X), small.predict(X))
    assert large.n_updates_ == small.n_updates_


def test_cost_two_is_the_step_made_twice():
    X, y = make_data()
    weighted, stepping = MarginPerceptron(class_weight={-1: 1.0, 1: 2.0}), np.zeros(X.shape[1])
    for x, label in zip(X, y, strict=True):
        weighted.partial_fit(x[None], [label], classes=CLASSES)
        if label * (stepping @ x) <= 1:
            for _ in range(2 if label == 1 else 1):
                stepping = stepping + label * x
        assert_allclose(weighted.coef_[0], stepping, atol=1e-9)


@pytest.mark.parametrize("weights", [{-1: 1.0, 1: 1000.0}, {-1: 1000.0, 1: 1.0}])
def test_one_to_a_thousand(weights):
    """Rare positives and costs as unequal: the dearer class is all found on data that overlap."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(1, 3004) % 1001 == 0, 1, -1)
    X = rng.standard_normal((len(y), 3)) + np.where(y > 0, 1.0, -1.0)[:, None]
    model = MarginPerceptron(class_weight=weights, fit_intercept=True).fit(X, y)
    slow = online.MarginPerceptron(3, costs=(weights[-1], weights[1]), fit_intercept=True)
    for x, label in zip(X, y, strict=True):
        slow.update(x, label, slow.score(x))
    assert_allclose(model.coef_[0], slow.w, rtol=1e-9, atol=1e-9)
    assert np.isfinite(model.decision_function(X)).all()


def test_swapping_the_classes_with_their_costs_flips_the_sign():
    X, y = make_data()
    for parameters in ({}, {"margin": 0.0}, {"fit_intercept": True}):
        one = MarginPerceptron(class_weight={-1: 1.0, 1: 5.0}, **parameters).fit(X, y)
        other = MarginPerceptron(class_weight={-1: 5.0, 1: 1.0}, **parameters).fit(X, -y)
        assert_array_equal(other.coef_, -one.coef_)
        assert_array_equal(other.intercept_, -one.intercept_)


# Kernels

KERNELS = [
    ("linear", {}),
    ("poly", {"gamma": 0.5, "degree": 2, "coef0": 1.0}),
    ("poly", {"gamma": 0.5, "degree": 3}),
    ("rbf", {"gamma": 0.3}),
    ("sigmoid", {"gamma": 0.2, "coef0": 0.1}),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("kernel", "parameters"), KERNELS)
def test_with_a_kernel_each_step_is_the_twins(form, kernel, parameters):
    X, y = make_data(80)
    rates = {"margin": 1.0, "fit_intercept": True, "initial_bias": 0.1}

    def kernel_of(x, z):
        return lasvm.KERNELS[kernel](x[None], z[None], **parameters)[0, 0]

    slow = online.KernelPerceptron(kernel_of, eta=0.5, costs=(1.0, 2.0), **rates)
    fast = MarginPerceptron(kernel=kernel, eta0=0.5, class_weight={-1: 1.0, 1: 2.0}, **rates, **parameters)
    n_updates = 0
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        s = slow.score(x)
        if t:
            assert fast.decision_function(form(x[None]))[0] == pytest.approx(s, rel=1e-5, abs=1e-5)
        n_updates += slow.update(x, label, s)
        fast.partial_fit(form(x[None]), [label], classes=CLASSES)
        assert fast.n_updates_ == n_updates
    assert_allclose(fast.intercept_, [slow.b], atol=1e-9)


def test_the_linear_kernel_is_no_kernel():
    X, y = make_data()
    plain, kernel = MarginPerceptron(), MarginPerceptron(kernel="linear")
    for model in (plain, kernel):
        model.fit(X, y)
    assert_allclose(kernel.decision_function(X), plain.decision_function(X), rtol=1e-5, atol=1e-5)
    assert kernel.n_updates_ == plain.n_updates_


def test_a_callable_kernel():
    X, y = make_data()
    named = MarginPerceptron(kernel="rbf", gamma=0.3).fit(X, y)
    called = MarginPerceptron(kernel=lambda A, B: lasvm.rbf(A, B, gamma=0.3)).fit(X, y)
    assert_allclose(called.decision_function(X), named.decision_function(X), rtol=1e-5, atol=1e-5)
    assert called.n_updates_ == named.n_updates_


def test_a_kernel_learns_what_no_plane_divides():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
    X = X[np.abs(X[:, 0] * X[:, 1]) > 0.05]
    y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
    model = MarginPerceptron(margin=1.0, kernel="rbf", gamma=2.0)
    for _ in range(20):
        model.partial_fit(X, y, classes=CLASSES)
    assert np.mean(model.predict(X) == y) > 0.97
    assert np.mean(MarginPerceptron().fit(X, y).predict(X) == y) < 0.8


# Reduction 1 and the bound of the greedy exploration


@given(seed=st.integers(0, 2**32 - 1), m=st.floats(0.1, 8.0), eta=st.floats(0.05, 3.0))
@settings(max_examples=40)
def test_a_margin_is_a_learner_that_asks_where_it_is_uncertain(seed, m, eta):
    """One-sided, margin m is margin m / 2 on a plane moved by m / 4 that asks where f' >= -m / 4."""
    X, y = make_data(60, seed=seed)
    model, active = MarginPerceptron(margin=m, eta0=eta), np.zeros(X.shape[1])
    model.partial_fit(X[:1], [1], classes=CLASSES)  # f = 0: both learners see and learn it
    active = active + eta * X[0]
    for x, label in zip(X[1:], y[1:], strict=True):
        f, f_moved = model.decision_function(x[None])[0], active @ x - m / 4
        if min(abs(f), abs(abs(f) - m / 2)) < 1e-9:
            continue  # on a plane rounding decides
        asks = f_moved >= -m / 4
        assert (f >= 0) == asks
        if not asks:
            continue
        before = model.n_updates_
        model.partial_fit(x[None], [label])
        updates = label * f_moved <= (m / 2) / 2
        assert (model.n_updates_ > before) == updates
        if updates:
            active = active + eta * label * x
        assert_allclose(model.coef_[0], active, atol=1e-9)


@given(seed=st.integers(0, 2**32 - 1), m=st.floats(0.1, 8.0), share=st.floats(0.01, 1.0))
@settings(max_examples=40)
def test_one_exploring_step_stays_before_the_negative_margin(seed, m, share):
    """With rows of norm at most 1 and eta <= m / 2, what a step begins to show had f >= -m / 2 before it."""
    X, y = make_data(80, seed=seed)
    X = X / np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    model = MarginPerceptron(margin=m, eta0=share * m / 2).partial_fit(X[:1], [1], classes=CLASSES)
    for x, label in zip(X[1:], y[1:], strict=True):
        before = model.decision_function(X)
        if model.decision_function(x[None])[0] >= 0:
            model.partial_fit(x[None], [label])
        assert (before[model.decision_function(X) >= 0] >= -m / 2 - 1e-9).all()


def test_two_exploring_steps_may_pass_the_negative_margin():
    """The paper's bound speaks of a plane that moves without turning; two steps apart can go further."""
    negative, first, second = [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
    beyond = np.array([[0.6, 0.6, np.sqrt(0.28)]])
    model = MarginPerceptron(margin=2.0, eta0=1.0)
    model.partial_fit(np.array([negative, negative]), [-1, -1], classes=CLASSES)
    assert model.decision_function(beyond)[0] < -1
    assert_array_equal(model.decision_function(np.array([first, second])), [0.0, 0.0])  # shown, in the band
    model.partial_fit(np.array([first, second]), [1, 1])
    assert model.decision_function(beyond)[0] > 0
