import sys
from types import ModuleType

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_array, csr_array
from sklearn.base import BaseEstimator
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC, OneClassSVM
from sklearn.utils import get_tags

from lopsided.datasets import make_topics
from lopsided.unexpected._lgn import LGN
from lopsided.unexpected._open_set import OpenSetClassifier


class Below(BaseEstimator):
    """A detector that expects what is below 10, and remembers what it was shown."""

    def fit(self, X, y):
        self.X_, self.y_ = X, y
        return self

    def predict(self, X):
        return (np.asarray(X)[:, 0] < 10).astype(int)


X = np.array([[1.0], [2.0], [8.0], [9.0], [50.0], [3.0]])
NEW = np.array([[0.0], [9.5], [99.0]])


def test_detector_first_classifier_second():
    model = OpenSetClassifier(LogisticRegression(), Below()).fit(X, ["a", "a", "b", "b", None, None])
    assert_array_equal(model.predict(NEW), ["a", "b", "unexpected"])
    assert_array_equal(model.classes_, ["a", "b", "unexpected"])
    assert_array_equal(model.known_classes_, ["a", "b"])
    assert model.score(NEW, ["a", "b", "unexpected"]) == 1
    assert model.score(NEW, ["a", "a", "unexpected"], sample_weight=[1, 2, 1]) == 0.5
    assert model.detector_.X_.shape == (6, 1)  # it sees the rows to be judged
    assert model.classifier_.n_features_in_ == 1
    assert not hasattr(model.detector, "X_")  # what was given is left as it was
    assert not hasattr(model.classifier, "classes_")
    assert model.predict(NEW[2:]).tolist() == ["unexpected"]


@pytest.mark.filterwarnings("ignore:y holds only 0 and 1")
@pytest.mark.parametrize(
    ("y", "label", "answers", "kind"),
    [
        ([3, 3, 5, 5, -1, -1], "unexpected", [3, 5, "unexpected"], "O"),
        ([3, 3, 5, 5, -1, -1], -1, [3, 5, -1], "i"),
        ([3.0, 3.0, 5.0, 5.0, np.nan, np.nan], 0, [3, 5, 0], "f"),
        (
            ["a", "a", "b", "b", None, None],
            "a longer name than those",
            ["a", "b", "a longer name than those"],
            "U",
        ),
        (["a", "a", "b", "b", None, None], -1, ["a", "b", -1], "O"),
        ([1, 1, 1, 1, 0, 0], "new", [1, 1, "new"], "O"),
    ],
)
def test_labels(y, label, answers, kind):
    model = OpenSetClassifier(LogisticRegression(), Below(), label).fit(X, y)
    found = model.predict(NEW)
    assert found.tolist() == answers
    assert found.dtype.kind == kind
    assert model.classes_.tolist()[-1] == label
    assert model.score(NEW, answers) == 1


def test_one_known_class_needs_no_classifier():
    model = OpenSetClassifier(LinearSVC(), Below()).fit(X, ["a"] * 4 + [None] * 2)
    assert model.classifier_ is None
    assert model.predict(NEW).tolist() == ["a", "a", "unexpected"]


def test_outlier_detectors_see_the_known_rows_alone():
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 8, np.full((40, 2), 30.0)])
    y = np.repeat([0, 7, -1], [60, 60, 40])
    for detector in (IsolationForest(random_state=0), make_pipeline(OneClassSVM(nu=0.05, gamma=0.2))):
        model = OpenSetClassifier(LogisticRegression(), detector).fit(rows, y)
        answers = model.predict(rows)
        assert set(answers[120:]) == {"unexpected"}
        assert (answers[:60] == 0).mean() > 0.6
        assert (answers[60:120] == 7).mean() > 0.6


def topics():
    documents, topic = make_topics(600, random_state=0)
    rows = np.flatnonzero((topic < 2) | (np.cumsum(topic >= 2) <= 10))
    is_new = (rows % 4 == 0) | (topic[rows] >= 2)
    texts = [documents[i] for i in rows]
    y = [None if new else "ab"[topic[i]] for i, new in zip(rows, is_new, strict=True)]
    return texts, y, is_new, topic[rows]


@pytest.mark.parametrize("as_texts", [True, False])
def test_documents(as_texts):
    """Texts with a vectorizer in each, or counts for both."""
    rows, y, is_new, topic = topics()
    classifier, detector = MultinomialNB(), LGN(random_state=0)
    if as_texts:
        classifier = make_pipeline(TfidfVectorizer(stop_words="english"), classifier)
        detector = make_pipeline(CountVectorizer(stop_words="english"), detector)
    else:
        rows = CountVectorizer(stop_words="english").fit_transform(rows)
    model = OpenSetClassifier(classifier, detector).fit(rows, y)
    answers = model.predict(rows)
    assert (answers[~is_new] == np.array(["a", "b"])[topic[~is_new]]).mean() > 0.9
    assert (answers[topic >= 2] == "unexpected").mean() > 0.6
    assert (answers[is_new & (topic < 2)] != "unexpected").mean() > 0.7


def test_sparse_rows_of_any_format():
    model = OpenSetClassifier(LinearSVC(), LGN()).fit(coo_array(X), ["a", "a", "b", "b", None, None])
    assert_array_equal(model.predict(coo_array(X)), model.predict(csr_array(X)))


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["x"], index=list("uvwxyz"))
    model = OpenSetClassifier(LogisticRegression(), Below()).fit(frame, ["a", "a", "b", "b", None, None])
    assert model.predict(frame).tolist() == ["a", "a", "b", "b", "unexpected", "a"]


def test_parameters_of_the_parts_can_be_searched():
    rows, y = np.vstack([X[:4]] * 6), np.tile(["a", "a", "b", "b"], 6)
    search = GridSearchCV(
        OpenSetClassifier(LogisticRegression(), Below()), {"classifier__C": [0.1, 10]}, cv=2
    )
    assert search.fit(rows, y).best_score_ == 1


def test_tags_come_from_the_parts():
    tags = OpenSetClassifier(LinearSVC(), LGN()).__sklearn_tags__()
    # LinearSVC of scikit-learn 1.6.0 takes sparse rows, but its tags do not say so.
    assert tags.input_tags.sparse == get_tags(LinearSVC()).input_tags.sparse
    assert tags.input_tags.positive_only
    assert not OpenSetClassifier(LinearSVC(), Below()).__sklearn_tags__().input_tags.sparse


def test_the_default_detector(monkeypatch):
    module = ModuleType("lopsided.unexpected._detector")
    module.UnexpectedDetector = lambda random_state: Below()
    monkeypatch.setitem(sys.modules, module.__name__, module)
    model = OpenSetClassifier(LogisticRegression()).fit(X, ["a", "a", "b", "b", None, None])
    assert isinstance(model.detector_, Below)
    assert model.detector is None


@pytest.mark.parametrize(
    ("model", "y", "words"),
    [
        (
            OpenSetClassifier(LinearSVC(), Below(), "a"),
            ["a", "a", "b", "b", None, None],
            "'a' is one of the known",
        ),
        (OpenSetClassifier(LinearSVC(), Below()), [None] * 6, "at least one row of a known class"),
        (OpenSetClassifier(LinearSVC(), Below()), ["a"] * 5, "equal length"),
        (OpenSetClassifier(LinearSVC(), Below()), None, "requires y"),
        (OpenSetClassifier("svm", Below()), ["a"] * 6, "'classifier' parameter of OpenSetClassifier"),
        (OpenSetClassifier(LinearSVC(), 3), ["a"] * 6, "'detector' parameter of OpenSetClassifier"),
        (OpenSetClassifier(LinearSVC(), LGN()), ["a"] * 3 + ["b"] * 3, "rows to be judged beside"),
    ],
)
def test_bad_input(model, y, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)


def test_not_fitted():
    with pytest.raises(NotFittedError):
        OpenSetClassifier(LinearSVC(), Below()).predict(X)
    model = OpenSetClassifier(LinearSVC(), LGN()).fit(csr_array(X), ["a", "a", "b", "b", None, None])
    with pytest.raises(ValueError, match="features"):
        model.predict(np.ones((2, 3)))
