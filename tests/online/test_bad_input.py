"""Bad input to a learner: a clear error or a sound answer, and what was learned is kept."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from lopsided.online import MarginPerceptron, OnlineSVM, RelaxedOnlineSVM, Winnow

LEARNERS = [
    MarginPerceptron(),
    MarginPerceptron(kernel="rbf", gamma=0.5),
    Winnow(threshold=2.0),
    OnlineSVM(C=1.0),
    RelaxedOnlineSVM(C=1.0, buffer_size=20),
]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=str)
FORMS = [np.asarray, sparse.csr_array]
every_form = pytest.mark.parametrize("form", FORMS)


def make_data(n=60, d=5):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((n, d)) < 0.6, rng.random((n, d)), 0.0)
    return X, (X[:, 0] > X[:, 1]).astype(int)


def goes_on(model, X, y, form, other):
    """Whether the model, after what it refused, learns like one that was never asked."""
    model.partial_fit(form(X), y)
    other.partial_fit(form(X), y)
    assert_array_equal(model.decision_function(form(X)), other.decision_function(form(X)))
    assert model.n_updates_ == other.n_updates_


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (MarginPerceptron(margin=-1.0), "'margin' parameter of MarginPerceptron"),
        (MarginPerceptron(margin=np.nan), "margin"),
        (MarginPerceptron(eta0=0.0), "'eta0' parameter"),
        (MarginPerceptron(eta0=np.inf), "eta0"),
        (MarginPerceptron(initial_bias=np.nan), "initial_bias"),
        (MarginPerceptron(fit_intercept="yes"), "'fit_intercept' parameter"),
        (MarginPerceptron(kernel="laplace"), "'kernel' parameter"),
        (MarginPerceptron(kernel="rbf", gamma=-1.0), "'gamma' parameter"),
        (MarginPerceptron(kernel="poly", degree=-1), "'degree' parameter"),
        (MarginPerceptron(class_weight="even"), "class_weight"),
        (MarginPerceptron(class_weight={0: 1, 1: -1}), "class_weight|weight"),
        (Winnow(factor=1.0), "'factor' parameter of Winnow"),
        (Winnow(factor=np.inf), "factor"),
        (Winnow(threshold=np.nan), "threshold"),
        (OnlineSVM(C=0.0), "'C' parameter of OnlineSVM"),
        (OnlineSVM(C=np.inf), "C"),
        (OnlineSVM(tol=0.0), "'tol' parameter"),
        (OnlineSVM(class_weight={0: 1, 1: -1}), "class_weight|weight"),
        (RelaxedOnlineSVM(random_state="now"), "random_state"),
        (RelaxedOnlineSVM(C=-1.0), "'C' parameter of RelaxedOnlineSVM"),
        (RelaxedOnlineSVM(buffer_size=1), "'buffer_size' parameter"),  # a machine needs one of each class
        (RelaxedOnlineSVM(buffer_size=2.5), "'buffer_size' parameter"),
        (RelaxedOnlineSVM(update_margin=0.0), "'update_margin' parameter"),
        (RelaxedOnlineSVM(update_margin=1.5), "'update_margin' parameter"),
        (RelaxedOnlineSVM(max_passes=0), "'max_passes' parameter"),
        (RelaxedOnlineSVM(max_passes=2**31), "'max_passes' parameter"),
        (RelaxedOnlineSVM(buffer_size=2**31), "'buffer_size' parameter"),
        (RelaxedOnlineSVM(C=1e300, class_weight={1: 1e300}), "C times class_weight must be finite"),
    ],
    ids=str,
)
def test_parameters(learner, words):
    X, y = make_data()
    with pytest.raises(ValueError, match=words):
        clone(learner).fit(X, y)
    with pytest.raises(ValueError, match=words):
        clone(learner).partial_fit(X, y, classes=[0, 1])


@every_learner
def test_balanced_weights_cannot_be_known_in_a_stream(learner):
    X, y = make_data()
    with pytest.raises(ValueError, match=r"balanced|Invalid parameter"):  # Winnow has no such parameter
        clone(learner).set_params(class_weight="balanced").partial_fit(X, y, classes=[0, 1])


@every_form
@every_learner
def test_rows_of_the_wrong_width(learner, form):
    X, y = make_data()
    model, other = (clone(learner).partial_fit(form(X[:30]), y[:30], classes=[0, 1]) for _ in range(2))
    for d in (4, 6):
        wrong = form(np.ones((3, d)))
        words = f"X has {d} features, but {type(learner).__name__} is expecting 5 features"
        with pytest.raises(ValueError, match=words):
            model.partial_fit(wrong, [0, 1, 0])
        for call in (model.decision_function, model.predict):
            with pytest.raises(ValueError, match=words):
                call(wrong)
    goes_on(model, X[30:], y[30:], form, other)


@every_form
@every_learner
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_no_numbers(learner, form, value):
    X, y = make_data()
    spoiled = X.copy()
    spoiled[17, 3] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        clone(learner).fit(form(spoiled), y)
    model, other = (clone(learner).partial_fit(form(X[:30]), y[:30], classes=[0, 1]) for _ in range(2))
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        model.partial_fit(form(spoiled), y)  # the good rows before row 17 are not learned either
    for call in (model.decision_function, model.predict):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            call(form(spoiled))
    goes_on(model, X[30:], y[30:], form, other)


@every_form
@every_learner
def test_a_stream_of_zeros(learner, form):
    X = np.zeros((30, 5))
    y = np.arange(30) % 2
    model = clone(learner).partial_fit(form(X), y, classes=[0, 1])
    assert np.isfinite(model.decision_function(form(X))).all()
    if getattr(learner, "kernel", None) is None:
        assert np.isfinite(model.coef_).all()


@every_form
@every_learner
def test_one_class_for_ever(learner, form):
    X, _ = make_data()
    for label in (0, 1):
        model = clone(learner)
        for t in range(len(X)):
            model.partial_fit(form(X[t : t + 1]), [label], classes=[0, 1])
        scores = model.decision_function(form(X))
        assert np.isfinite(scores).all()
        assert_array_equal(model.classes_, [0, 1])
        with pytest.raises(ValueError, match="class"):
            clone(learner).fit(form(X), np.full(len(X), label))


@every_learner
def test_labels_flipped_half_way(learner):
    X, y = make_data(200)
    y[100:] = 1 - y[100:]
    model = clone(learner).fit(X, y)
    scores = model.decision_function(X)
    assert np.isfinite(scores).all()
    assert model.n_updates_ > 20


@every_learner
def test_more_than_two_classes(learner):
    X, y = make_data()
    y[10] = 2
    with pytest.raises(ValueError, match="Only binary classification"):
        clone(learner).fit(X, y)
    with pytest.raises(ValueError, match="two labels"):
        clone(learner).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="class"):
        clone(learner).partial_fit(X[:5], y[:5], classes=[0])


@every_form
@every_learner
def test_a_label_that_was_not_announced(learner, form):
    X, y = make_data()
    model, other = (clone(learner).partial_fit(form(X[:30]), y[:30], classes=[0, 1]) for _ in range(2))
    for labels in ([0, 1, 2], ["ham", "spam", "ham"], [0.0, np.nan, 1.0], [0, 1]):
        with pytest.raises(ValueError, match=r"2|ham|NaN|label|class|inconsistent"):
            model.partial_fit(form(X[:3]), labels)
    with pytest.raises(ValueError, match="classes"):
        model.partial_fit(form(X[:2]), [0, 1], classes=[0, 7])
    goes_on(model, X[30:], y[30:], form, other)
    with pytest.raises(ValueError, match="class"):
        clone(learner).partial_fit(form(X[:1]), y[:1])  # the first call must name both


@every_learner
def test_not_yet_fitted(learner):
    X, _ = make_data()
    for call in (lambda m: m.predict(X), lambda m: m.decision_function(X)):
        with pytest.raises(NotFittedError):
            call(clone(learner))


@every_learner
def test_other_shapes(learner):
    X, y = make_data()
    with pytest.raises(ValueError, match="equal length"):
        clone(learner).fit(X, y[:-1])
    with pytest.raises(ValueError, match="0 sample"):
        clone(learner).fit(X[:0], y[:0])
    with pytest.raises(ValueError, match=r"(?i)expected 2D array"):
        clone(learner).fit(X[0], y[:1])


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda A, B: np.ones((len(A), len(B) + 1)), "shape"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "finite"),
        (lambda A, B: None, "kernel"),
        (lambda A, B: "much", "kernel"),
    ],
)
def test_a_callable_kernel_that_answers_nonsense(answer, words):
    X, y = make_data()
    with pytest.raises((ValueError, TypeError), match=words):
        MarginPerceptron(kernel=answer).fit(X, y)


def test_a_kernel_that_raises_loses_no_row_twice():
    X, y = make_data()
    calls = []

    def moody(A, B):
        calls.append(len(B))
        if len(calls) == 12:
            raise RuntimeError("not now")
        return A @ B.T

    model = MarginPerceptron(kernel=moody)
    failed = 0
    for t in range(len(y)):
        while True:
            try:
                model.partial_fit(X[t : t + 1], y[t : t + 1], classes=[0, 1])
                break
            except RuntimeError:  # the row it stumbled over was not learned
                failed += 1
    assert failed == 1
    expected = MarginPerceptron(kernel=lambda A, B: A @ B.T).fit(X, y)
    assert_array_equal(model.decision_function(X), expected.decision_function(X))
    assert model.n_updates_ == expected.n_updates_


@pytest.mark.parametrize("learner", LEARNERS[3:], ids=str)
def test_the_same_row_with_both_labels(learner):
    X = np.ones((20, 3))
    model = clone(learner).fit(X, np.arange(20) % 2)
    assert np.isfinite(model.decision_function(X)).all()
    assert abs(model.dual_coef_.sum()) <= 1e-9


@pytest.mark.parametrize("C", [1e-12, 1e12])
def test_extreme_costs(C):
    X, y = make_data()
    for model in (OnlineSVM(C=C), RelaxedOnlineSVM(C=C, buffer_size=10)):
        model.fit(X[:30], y[:30])
        alpha = np.abs(model.dual_coef_)
        assert np.isfinite(alpha).all()
        assert (alpha <= C * (1 + 1e-9)).all()
        if isinstance(model, OnlineSVM):  # of the other some have left
            assert abs(model.dual_coef_.sum()) <= 1e-9 * max(C, alpha.sum())


def strided(X):
    matrix = sparse.csr_array(X)
    matrix.data = np.repeat(matrix.data, 2)[::2]
    return matrix


def unpruned(X):
    matrix = sparse.csr_array(X)
    matrix.data, matrix.indices = np.append(matrix.data, 9.0), np.append(matrix.indices, np.int32(1))
    return matrix


OTHER_FORMS = {
    "big-endian": lambda X: X.astype(">f8"),
    "big-endian float32": lambda X: X.astype(">f4"),
    "strided CSR": strided,
    "unpruned CSR": unpruned,
    "Fortran": np.asfortranarray,
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "COO": sparse.coo_array,
    "DIA": sparse.dia_array,
    "BSR": sparse.bsr_array,
    "CSC": sparse.csc_array,
}


@pytest.mark.parametrize("form", OTHER_FORMS.values(), ids=OTHER_FORMS)
@every_learner
def test_a_matrix_in_another_form_is_the_same_matrix(learner, form):
    X, y = make_data()
    X = X.astype(np.float32).astype(np.float64)
    plain = clone(learner).fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    model = clone(learner).fit(form(X[:30]), y[:30]).partial_fit(form(X[30:]), y[30:])
    assert_allclose(model.decision_function(form(X)), plain.decision_function(X), rtol=1e-5, atol=1e-5)


@every_learner
@pytest.mark.parametrize(
    "y",
    [1, np.int64(1), None, "1", {0, 1}, (label for label in (0, 1))],
    ids=["int", "scalar", "None", "text", "set", "generator"],
)
def test_labels_that_are_no_list(learner, y):
    X, labels = make_data()
    model, other = (clone(learner).fit(X[:30], labels[:30]) for _ in range(2))
    with pytest.raises(ValueError, match="one label a sample"):
        model.partial_fit(X[:1], y)
    goes_on(model, X[30:], labels[30:], np.asarray, other)


@every_learner
def test_parameters_count_as_they_were_at_the_first_example(learner):
    """As the documentation of each class says: core and parameters are one until the next fit."""
    X, y = make_data()
    model, other = (clone(learner).fit(X[:30], y[:30]) for _ in range(2))
    name = {MarginPerceptron: "margin", Winnow: "threshold"}.get(type(learner), "C")
    assert "at the first example" in type(learner).__doc__
    model.set_params(**{name: 50.0})
    goes_on(model, X[30:], y[30:], np.asarray, other)
    fresh = clone(learner).set_params(**{name: 50.0}).fit(X, y)
    assert_array_equal(model.fit(X, y).decision_function(X), fresh.decision_function(X))


# Numbers that leave their range


@every_form
def test_a_row_that_leads_weights_out_of_float32_is_refused(form):
    X, y = make_data()
    rows = form(X[:30].astype(np.float32))
    model, other = (MarginPerceptron(fit_intercept=True).fit(rows, y[:30]) for _ in range(2))
    huge = form(np.full((1, 5), 1e39))
    with pytest.raises(ValueError, match=r"out of the range of float32\. Scale the features"):
        model.partial_fit(huge, 1 - model.predict(huge))
    goes_on(model, X[30:], y[30:], form, other)
    assert model.coef_.dtype == np.float32


def test_steps_that_add_up_are_refused_where_they_lead_out():
    row = np.full((1, 2), 2e38, dtype=np.float32)
    eager = MarginPerceptron(margin=1e300).partial_fit(row, [1], classes=[0, 1])
    with pytest.raises(ValueError, match="range of float32"):
        eager.partial_fit(row, [1])
    assert_array_equal(eager.coef_, row)
    assert_array_equal(eager.partial_fit(-row, [1]).coef_, 0 * row)  # back it may go
    wide = MarginPerceptron(margin=1e300, class_weight={1: 1e300})
    with pytest.raises(ValueError, match="range of float64"):
        wide.fit(np.full((2, 2), 1e10), [1, 0])


def test_steps_that_cancel_are_all_taken():
    signs = np.tile([1.0, -1.0], 500)
    X = (1e37 * signs[:, None]).astype(np.float32)
    model = MarginPerceptron(margin=1e300).partial_fit(X[:999], np.ones(999, int), classes=[0, 1])
    assert_array_equal(model.coef_, X[:1])
    assert model.n_updates_ == 999


@pytest.mark.parametrize(
    "parameters",
    [
        {"class_weight": {1: 1e39}},
        {"eta0": 1e39},
        {"eta0": 1e-50, "margin": 2e-50},
    ],
    ids=str,
)
def test_steps_beyond_float32_have_weights_in_float64(parameters):
    X, y = make_data()
    X = X.astype(np.float32)
    model = MarginPerceptron(**parameters).fit(X, y)
    assert model.coef_.dtype == np.float64
    assert_array_equal(model.coef_, MarginPerceptron(**parameters).fit(X.astype(np.float64), y).coef_)
    assert np.isfinite(model.coef_).all()
    assert model.coef_.any()


@every_form
@pytest.mark.parametrize("scale", [1e155, 1e300])
@pytest.mark.parametrize("learner", [MarginPerceptron(), MarginPerceptron(fit_intercept=True)], ids=str)
def test_scores_that_are_not_finite_are_refused(learner, scale, form):
    X, y = make_data()
    with pytest.raises(ValueError, match=r"scores are not finite.*Scale the features"):
        clone(learner).fit(form(X * scale), y)
    model = clone(learner).fit(form(X * 1e100), y)
    with pytest.raises(ValueError, match=r"scores are not finite.*Scale the features"):
        model.decision_function(form(X * 1e300))
    with pytest.raises(ValueError, match=r"scores are not finite.*Scale the features"):
        model.predict(form(X * 1e300))


@every_form
@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
def test_squares_that_overflow_are_refused(kernel, form):
    X, y = make_data()
    refused = pytest.raises(
        ValueError, match=r"X holds numbers above .*squares overflow\. Scale the features"
    )
    with refused:
        MarginPerceptron(kernel=kernel).fit(form(X * 1e155), y)
    model = MarginPerceptron(kernel=kernel).fit(form(X), y)
    with refused:
        model.decision_function(form(X * 1e155))
    with refused:
        model.partial_fit(form(X * 1e155), y)


@every_form
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_kernel_values_that_overflow_are_refused(kernel, form):
    X, y = make_data()
    model = MarginPerceptron(kernel=kernel, gamma=1.0).fit(form(X), y)
    with pytest.raises(ValueError, match=r"kernel values are not finite\. Scale the features"):
        model.decision_function(form(X * 1e45))
