import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.metrics import geometric_mean_score as imblearn_geometric_mean
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score as sklearn_fbeta
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV

from lopsided.metrics import Counts, fbeta_score, geometric_mean_score, macro_fbeta, micro_fbeta

count = st.integers(0, 50)
counts = st.builds(Counts, tp=count, fp=count, fn=count, tn=count)
two_labels = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40)


@given(two_labels)
def test_counts_are_a_partition(pairs):
    y_true, y_pred = map(list, zip(*pairs, strict=True))
    c = Counts.from_predictions(y_true, y_pred)
    assert c.tp + c.fp + c.fn + c.tn == c.n == len(pairs)
    assert c.tp + c.fn == c.n_positive == sum(y_true)
    assert c.tp + c.fp == sum(y_pred)


def test_each_cell_by_hand():
    c = Counts.from_predictions([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 1, 1, 1, 0, 0, 0, 0])
    assert c == Counts(tp=1, fp=3, fn=2, tn=4)
    assert isinstance(c.tp, int)
    assert c.precision() == 1 / 4
    assert c.recall() == 1 / 3
    assert c.f() == 2 / 7
    assert c.f(beta=2) == 5 / (5 + 4 * 2 + 3)
    assert c.accuracy() == 0.5
    assert c.geometric_mean() == pytest.approx(math.sqrt(1 / 3 * 4 / 7))


# Section 1 of the specification: (counts, precision, recall, F1); None stands for 0/0.
EDGES = [
    (Counts(fn=3, tn=5), None, 0.0, 0.0),
    (Counts(fp=3, tn=5), 0.0, None, 0.0),
    (Counts(tn=5), None, None, None),
    (Counts(fp=2, fn=3, tn=5), 0.0, 0.0, 0.0),
]


@pytest.mark.parametrize(("undefined", "stand_in"), [("zero", 0.0), ("nan", math.nan), ("one", 1.0)])
@pytest.mark.parametrize("edge", EDGES)
def test_edge_cases(edge, undefined, stand_in):
    c, *expected = edge
    found = [c.precision(undefined), c.recall(undefined), c.f(undefined=undefined)]
    np.testing.assert_equal(found, [stand_in if e is None else e for e in expected])


@given(counts, st.sampled_from([0.5, 1.0, 2.0, 3.0, 4.0]))
def test_f_laws(c, beta):
    p, r, f = c.precision(), c.recall(), c.f(beta)
    if p + r > 0:
        assert f == pytest.approx((1 + beta**2) * p * r / (beta**2 * p + r))
    swapped = Counts(c.tp, c.fn, c.fp, c.tn)
    assert c.f() == swapped.f()  # F1 treats the two kinds of mistakes alike
    assert Counts(c.tp + 1, c.fp, c.fn, c.tn).f(beta) >= f
    low = min(p, r)
    assert c.f() <= 2 * low / (1 + low) + 1e-12


@given(two_labels, st.sampled_from([0.5, 1.0, 2.0]))
def test_fbeta_agrees_with_sklearn(pairs, beta):
    y_true, y_pred = map(list, zip(*pairs, strict=True))
    expected = sklearn_fbeta(y_true, y_pred, beta=beta, zero_division=0)
    assert fbeta_score(y_true, y_pred, beta=beta) == pytest.approx(expected)


@given(two_labels)
def test_geometric_mean_agrees_with_imblearn(pairs):
    y_true, y_pred = map(list, zip(*pairs, strict=True))
    if len(set(y_true)) == 2:
        expected = imblearn_geometric_mean(y_true, y_pred, average="binary")
        assert geometric_mean_score(y_true, y_pred) == pytest.approx(expected)


@pytest.mark.parametrize("n_negative", [1, 10, 100_000])
def test_geometric_mean_at_any_skew(n_negative):
    y = np.append(1, np.zeros(n_negative, int))
    assert geometric_mean_score(y, np.zeros_like(y)) == 0
    assert geometric_mean_score(y, y) == 1


@pytest.mark.parametrize("y", [[1, 1], [0, 0]])
def test_geometric_mean_of_one_class_is_nan_and_says_so(y):
    with pytest.warns(UndefinedMetricWarning, match="needs both classes"):
        assert math.isnan(geometric_mean_score(y, [1, 0]))


@given(two_labels, st.data())
def test_weight_two_is_twice_and_weight_zero_is_absent(pairs, data):
    y_true, y_pred = map(np.array, zip(*pairs, strict=True))
    weight = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(pairs), max_size=len(pairs))))
    if weight.any():
        weighted = Counts.from_predictions(y_true, y_pred, sample_weight=weight)
        repeated = Counts.from_predictions(np.repeat(y_true, weight), np.repeat(y_pred, weight))
        assert weighted == repeated


def test_averages():
    runs = [Counts(tp=8, fp=2), Counts(tp=1, fn=9)]
    first, second = 16 / 18, 2 / 11
    assert macro_fbeta(runs) == pytest.approx((first + second) / 2)
    assert micro_fbeta(runs) == pytest.approx(18 / (18 + 9 + 2))
    assert math.isnan(macro_fbeta([*runs, Counts(tn=1)], undefined="nan"))
    for average in (macro_fbeta, micro_fbeta):
        with pytest.raises(ValueError, match="at least one"):
            average([])


def test_as_scorer_in_grid_search():
    X, y = make_classification(120, weights=[0.8], random_state=0)
    scorer = make_scorer(geometric_mean_score)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, scoring=scorer, cv=3).fit(X, y)
    assert 0 < search.best_score_ <= 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Counts(tp=-1), "not negative"),
        (lambda: Counts(tp=math.nan), "finite"),
        (lambda: Counts().accuracy(), "at least one sample"),
        (lambda: Counts(tp=1).f(beta=-1), "beta must be"),
        (lambda: Counts(tp=1).f(undefined="two"), "'zero', 'nan' or 'one'; got 'two'"),
        (lambda: Counts.from_predictions([], []), "no labels"),
        (lambda: Counts.from_predictions([1, 0], [1]), "y_true 2, y_pred 1"),
        (lambda: Counts.from_predictions([1, 0], [1, 0], sample_weight=[1, -1]), "not negative"),
        (lambda: Counts.from_predictions([1, 0], [1, 0], sample_weight=[1]), "sample_weight 1"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()
