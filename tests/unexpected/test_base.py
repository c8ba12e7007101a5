import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, csr_matrix
from sklearn.exceptions import NotFittedError

from lopsided.unexpected._base import UnexpectedClassifier


class Near(UnexpectedClassifier):
    """Expected is what is not larger than the largest known row."""

    def fit(self, X, y):
        rows, index = self._read(X, y)
        self.seen_, self.index_ = rows, index
        self.largest_ = float(rows[index >= 0].sum(axis=1).max())
        return self

    def _scorer(self):
        return self._scores

    def _scores(self, X):
        return self.largest_ - np.asarray(X.sum(axis=1), dtype=np.float64).ravel()


class Counting(Near):
    _counts_only = True
    _needs_judged = True


X = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [9.0, 9.0]])


def test_a_tie_is_expected():
    model = Near().fit(X, ["a", "b", "b", None])
    scores = model.decision_function(X)
    assert_allclose(scores, [2, 1, 0, -15], atol=1e-300)
    assert scores[2] > 0  # while a score of 0 is negative everywhere
    answers = model.predict(X)
    assert_array_equal(answers, [1, 1, 1, 0])
    assert answers.dtype.kind == "i"
    assert_array_equal(model.classes_, [0, 1])
    assert_array_equal(model.known_classes_, ["a", "b"])
    assert_array_equal(model.index_, [0, 1, 1, -1])
    assert model.score(X, [1, 1, 0, 0]) == 0.75


@pytest.mark.filterwarnings("ignore:y holds only 0 and 1")
@pytest.mark.parametrize("y", [[1, 1, 1, 0], [1, 1, 1, -1], [1, 1, 1, np.nan], [5, 5, 5, None]])
def test_every_spelling_of_a_row_to_be_judged(y):
    model = Near().fit(X, y)
    assert_array_equal(model.index_, [0, 0, 0, -1])
    assert_array_equal(model.known_classes_, [y[0]])


@pytest.mark.parametrize("form", [csr_matrix, csr_array, np.asarray])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_dense_and_sparse(form, dtype):
    model = Near().fit(form(X.astype(dtype)), [1, 2, 2, -1])
    assert_array_equal(model.predict(form(X)), [1, 1, 1, 0])
    assert_array_equal(model.predict(X), [1, 1, 1, 0])
    assert model.n_features_in_ == 2


def test_whether_rows_to_be_judged_are_needed():
    assert_array_equal(Near().fit(X, list("aabb")).index_, [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"rows to be judged.*all 4 samples.*y == -1"):
        Counting().fit(X, list("aabb"))


def test_negative_features_where_they_make_no_sense():
    assert Near().fit(-X, [1, 1, 1, -1])
    with pytest.raises(ValueError, match="Negative values in data passed to Counting"):
        Counting().fit(-X, [1, 1, 1, -1])
    with pytest.raises(ValueError, match="Negative values"):
        Counting().fit(X, [1, 1, 1, -1]).predict(csr_array(-X))
    assert Counting().__sklearn_tags__().input_tags.positive_only
    assert not Near().__sklearn_tags__().input_tags.positive_only


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda X, y: (X, [-1] * 4), "at least one row of a known class; all 4 rows"),
        (lambda X, y: (X, y[:3]), "equal length"),
        (lambda X, y: (X * np.nan, y), "NaN"),
        (lambda X, y: (X, [1, None, -1, 1]), "one spelling"),
        (lambda X, y: (X, ["a", None, 1, "b"]), "mixes text with numbers"),
        (lambda X, y: (X[:0], y[:0]), "0 sample"),
        (lambda X, y: (X, None), "y"),
    ],
)
def test_bad_data(change, words):
    with pytest.raises(ValueError, match=words):
        Near().fit(*change(X, [1, 2, 2, -1]))


def test_bad_rows_to_judge():
    with pytest.raises(NotFittedError):
        Near().predict(X)
    model = Near().fit(X, [1, 1, 1, -1])
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :1])
    with pytest.raises(ValueError, match="NaN"):
        model.predict([[np.nan, 1.0]])
