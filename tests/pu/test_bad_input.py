"""What classifiers from positives and unlabeled rows do with data that make little sense.

A clear error, or an answer that is a number, with what was done about it in ``history_``.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from histories import notes, steps
from lopsided import PEBL, SMC, SVMC, MappingConvergence, RocSVM, make_islands

FORMS = [np.asarray, sparse.csr_array]
MODELS = [
    SVMC(),
    SMC(),
    SVMC(kernel="rbf"),
    SVMC(kernel="linear"),
    SVMC(solver="lasvm"),
    MappingConvergence(mapper="1dnf", solver="linear"),
    SVMC(mapper="1dnf"),
    RocSVM(),
    PEBL(),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=str)
each_form = pytest.mark.parametrize("form", FORMS)


def answers(model, form, X, y):
    """Scores, after the checks that hold whatever was learned."""
    model.fit(form(X), y)
    scores = model.decision_function(form(X))
    assert scores.shape == (len(X),)
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(model.predict(form(X)), model.classes_[(scores > 0).astype(int)])
    assert len(steps(model)) >= model.n_iter_
    assert (np.asarray(y)[model.negatives_] != 1).all()
    return scores


# Errors


@each_model
@each_form
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda X, y: (X, np.zeros_like(y)), "at least one labeled positive"),
        (lambda X, y: (X, np.ones_like(y)), "unlabeled rows beside the positives"),
        (lambda X, y: (X[:1], [1]), "unlabeled rows beside the positives"),
        (lambda X, y: (X * np.nan, y), "NaN"),
        (lambda X, y: (np.abs(X) / (np.arange(60) > 0)[:, None], y), "infinity"),
        (lambda X, y: (np.abs(X) * 1e80, y), "numbers above 1e\\+18.*Scale the features"),
        (lambda X, y: (X, y + 2 * (np.arange(60) == 59)), "may hold 1.*got also 2"),
        (lambda X, y: (X, np.where(np.arange(60) % 2, y, -1)), "spells unlabeled as 0 and as -1"),
        (
            lambda X, y: (X, [None if i % 2 else v for i, v in enumerate(y)]),
            "spells unlabeled as 0 and as NaN",
        ),
        (lambda X, y: (X, np.where(y, "yes", "no")), "may hold 1"),
        (lambda X, y: (X, y * 0.5), "may hold 1"),
        (lambda X, y: (X, y[:-1]), "equal length"),
        (lambda X, y: (X, np.column_stack([y, y])), "one label a sample"),
        (lambda X, y: (X[:0], y[:0]), "0 sample"),
        (lambda X, y: (X[:, :0], y), "0 feature"),
        (lambda X, y: (X, None), "y"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero encountered:RuntimeWarning")
def test_errors(model, form, change, words):
    X, y = change(*make_islands(20, 40, random_state=0)[:2])
    with pytest.raises(ValueError, match=words):
        model.fit(form(X), y)


@each_model
def test_what_is_no_matrix_of_numbers(model):
    X, y, _ = make_islands(20, 40, random_state=0)
    with pytest.raises(ValueError, match="convert string to float"):
        model.fit([["some", "words"]] * 60, y)
    with pytest.raises(ValueError, match="Expected 2D array"):
        model.fit(X[:, 0], y)
    with pytest.raises(ValueError, match="Complex data not supported"):
        model.fit(X + 1j, y)


@each_model
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_bad_rows_to_judge(model):
    X, y, _ = make_islands(20, 40, random_state=0)
    with pytest.raises(NotFittedError):
        type(model)().predict(X)
    model.fit(X, y)
    for method in (model.predict, model.decision_function):
        with pytest.raises(ValueError, match=r"X has 1 features, but .* is expecting 2 features"):
            method(X[:, :1])
        with pytest.raises(ValueError, match="NaN"):
            method(X * np.nan)
        with pytest.raises(ValueError, match="0 sample"):
            method(X[:0])


# Answers


@each_model
@each_form
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_positive", [1, 2, 3])
def test_few_positives(model, form, n_positive):
    X, y, _ = make_islands(n_positive, 100, random_state=0)
    answers(model, form, X, y)


@pytest.mark.parametrize("model", [SVMC(), SMC()], ids=str)
def test_one_positive_is_positive(model):
    X, y, _ = make_islands(1, 100, random_state=0)
    scores = answers(model, np.asarray, X, y)
    assert scores[0] > 0
    distance = np.linalg.norm(X - X[0], axis=1)
    assert distance[scores > 0].max() < np.median(distance)
    assert notes(model)


@each_model
@each_form
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_unlabeled", [1, 2])
def test_few_unlabeled(model, form, n_unlabeled):
    X, y, _ = make_islands(50, n_unlabeled, random_state=1)
    answers(model, form, X, y)


@pytest.mark.parametrize("model", [SVMC(), SMC(), SVMC(solver="lasvm")], ids=str)
def test_one_unlabeled_row_that_lies_apart_is_negative(model):
    X, y, _ = make_islands(50, 1, random_state=1)
    X[-1] = 5.0
    scores = answers(model, np.asarray, X, y)
    assert scores[-1] < 0 < scores[:-1].min()


@each_model
@each_form
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_positives_and_unlabeled_are_the_same_rows(model, form):
    P = make_islands(40, 1, random_state=0)[0][:40]
    answers(model, form, np.vstack([P, P]), np.repeat([1, 0], 40))
    if isinstance(model, MappingConvergence) and model.mapper == "osvm":
        assert "fallback: the mapper rejected" in notes(model)[0]


@pytest.mark.parametrize("model", [SVMC(), SMC()], ids=str)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_where_the_heap_is_like_the_positives_most_of_it_is_accepted(model):
    X, y, truth = make_islands(60, 3000, random_state=0)
    X, y = X[truth == 1], y[truth == 1]
    scores = answers(model, np.asarray, X, y)
    assert np.mean(scores[y == 0] > 0) > 0.5


@each_model
@each_form
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("value", [0.0, 1.0, -3.0])
def test_one_row_again_and_again(model, form, value):
    """Nothing can be told apart: all rows have one score."""
    scores = answers(model, form, np.full((30, 3), value), np.repeat([1, 0], [10, 20]))
    assert np.ptp(scores) == 0


@each_model
@each_form
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_two_rows_again_and_again(model, form):
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 25, axis=0)
    scores = answers(model, form, X, np.repeat([1, 0], 25))
    assert (scores[:25] > 0).all()
    assert (scores[25:] < 0).all()
    scores = answers(model, form, X, np.repeat([1, 0, 0], [20, 5, 25]))  # some of the heap are copies of P
    assert len(set(scores[:25])) == 1


@each_model
@each_form
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rows_without_anything_in_them(model, form):
    X, y, _ = make_islands(20, 60, random_state=0)
    X[np.flatnonzero(y)[:3]] = 0.0
    X[-5:] = 0.0
    answers(model, form, X, y)
    X[y == 1] = 0.0
    answers(model, form, X, y)


@each_model
@each_form
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_columns_that_say_nothing(model, form):
    X, y, _ = make_islands(20, 60, random_state=0)
    answers(model, form, np.hstack([X, np.zeros((80, 2)), np.ones((80, 1))]), y)
    answers(model, form, X[:, :1], y)
    answers(model, form, np.hstack([X, X]), y)


@each_model
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_rows_of_any_kind(model, form):
    """Indices of 64 bits, columns twice or out of order, zeros that are stored."""
    X, y, _ = make_islands(20, 60, random_state=0)
    expected = answers(model, form, X, y)
    odd = form(np.hstack([X[:, ::-1] / 2, X[:, ::-1] / 2]))
    odd = form((odd.data, 1 - odd.indices % 2, odd.indptr), shape=(80, 2))
    odd.indices, odd.indptr = odd.indices.astype(np.int64), odd.indptr.astype(np.int64)
    before = odd.data.copy()
    np.testing.assert_allclose(
        model.fit(odd, y).decision_function(form(X)), expected, atol=2e-3 * np.abs(expected).max()
    )
    np.testing.assert_array_equal(odd.data, before)  # the caller's matrix is as it was


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each_model
def test_nullable_labels_of_pandas(model):
    pd = pytest.importorskip("pandas")
    X, y, _ = make_islands(20, 60, random_state=0)
    labels = pd.Series([1 if label else None for label in y], dtype="Int64")
    model.fit(X, y)
    expected = model.decision_function(X)
    np.testing.assert_array_equal(model.fit(X, labels).decision_function(X), expected)
    assert model.classes_.tolist() == [0, 1]
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert model.fit(frame, y).feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(model.decision_function(frame), expected)


@each_model
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_nothing_that_was_passed_is_changed(model):
    X, y, _ = make_islands(20, 60, random_state=0)
    for form in FORMS:
        rows, labels = form(X.copy()), y.copy()
        parameters = model.get_params()
        model.fit(rows, labels).predict(rows)
        np.testing.assert_array_equal(rows.toarray() if sparse.issparse(rows) else rows, X)
        np.testing.assert_array_equal(labels, y)
        assert model.get_params() == parameters
