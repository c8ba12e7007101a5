import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from lopsided import LGN, ArtificialNegatives, OpenSetClassifier, UnexpectedDetector, load, save

X = csr_array(np.random.default_rng(0).poisson(0.3, size=(200, 50)).astype(float))
y = ["a"] * 80 + ["b"] * 70 + [None] * 50


@pytest.mark.parametrize("form", [csr_array, lambda rows: rows.toarray()], ids=["sparse", "dense"])
@pytest.mark.parametrize(
    "model",
    [LGN(random_state=0), UnexpectedDetector(random_state=0), OpenSetClassifier(LinearSVC())],
    ids=str,
)
def test_what_comes_back_answers_the_same(model, form, tmp_path):
    rows = form(X)
    model.fit(rows, y)
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    new = form(X[::-1] * 2)
    for asked in (rows, new):
        assert_array_equal(again.predict(asked), model.predict(asked))
        if hasattr(model, "decision_function"):
            assert_array_equal(again.decision_function(asked), model.decision_function(asked))


def test_artificial_negatives_come_back(tmp_path):
    model = ArtificialNegatives(random_state=0).fit(X, y)
    save(model, tmp_path / "model.skops")
    assert_array_equal(load(tmp_path / "model.skops").sample(5).toarray(), model.sample(5).toarray())
