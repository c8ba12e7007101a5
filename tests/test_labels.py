import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

from lopsided._labels import (
    as_labels,
    encode_against,
    encode_known_classes,
    encode_positive_unlabeled,
    encode_two_classes,
)


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 1],
        [-1, 1, 1],
        [1, 2, 2],
        [False, True, True],
        ["ham", "spam", "spam"],
        [b"ham", b"spam", b"spam"],
        [0.5, 1.5, 1.5],
        np.array([0, 1, 1], dtype=np.uint8),
        np.array(["ham", "spam", "spam"], dtype=object),
        pd.Series([0, 1, 1], index=[7, 8, 9]),
        pd.Series([0, 1, 1], dtype="Int64"),
        pd.Series([False, True, True], dtype="boolean"),
        pd.Series(["ham", "spam", "spam"]),
        pd.Series(["ham", "spam", "spam"], dtype="category"),
        pl.Series([0, 1, 1]),
        pl.Series(["ham", "spam", "spam"]),
        pl.Series(["ham", "spam", "spam"], dtype=pl.Categorical),
    ],
)
def test_two_classes(y):
    signs, classes = encode_two_classes(y)
    assert signs.dtype == np.int8
    assert signs.tolist() == [-1, 1, 1]
    assert classes.tolist() == sorted(set(y))


def test_two_classes_of_a_stream():
    signs, classes = encode_two_classes(["b", "b"], classes=["b", "a"])
    assert signs.tolist() == [1, 1]
    assert classes.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("y", "classes", "words"),
    [
        ([1, 1], None, "needs two classes in y; got only 1 among 2 samples"),
        (
            [0, 1, 2],
            None,
            r"Only binary classification is supported.*multiclass: y holds 3 values \(0, 1, 2\)",
        ),
        (np.linspace(0, 1, 9), None, r"continuous.*9 values \(0.0, 0.125, 0.25, 0.375, 0.5, ...\)"),
        ([0, 1, np.nan], None, "y contains NaN or None in 1 of 3"),
        (["a", "b", None], None, "y contains NaN or None in 1 of 3"),
        (["a", "b", np.nan], None, "y contains NaN or None in 1 of 3"),
        ([0, np.inf], None, "y contains infinity"),
        (["a", 1], None, "mixes text with numbers"),
        ([], None, "y holds no labels"),
        (np.zeros((2, 2)), None, r"shape \(2, 2\)"),
        ([0, 2], [0, 1], "y holds 0, 2, but classes are 0, 1"),
        (["0"], [0, 1], "y holds '0', but classes are 0, 1"),
        ([0], [0, 1, 2], "classes must name two labels; got 0, 1, 2"),
    ],
)
def test_two_classes_errors(y, classes, words):
    with pytest.raises(ValueError, match=words) as caught:
        encode_two_classes(y, classes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "y",
    [
        [1, 0, 0],
        [1, -1, -1],
        [True, False, False],
        [1, None, None],
        [1, np.nan, None],
        [1.0, np.nan, np.nan],
        [True, None, None],
        np.array([1, None, None], dtype=object),
        np.array([1.0, np.nan, np.nan], dtype=np.float32),
        pd.Series([1, pd.NA, pd.NA], dtype="Int64"),
        pd.Series([True, pd.NA, pd.NA], dtype="boolean"),
        pd.Series([1, pd.NA, None], dtype=object),
        pl.Series([1, None, None]),
        pl.Series([True, None, None]),
        pl.Series([1.0, float("nan"), None]),
    ],
)
def test_positive_unlabeled(y):
    codes = encode_positive_unlabeled(y)
    assert codes.dtype == np.int8
    assert codes.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([1, 0, -1], "unlabeled as 0 and as -1; expected one spelling"),
        ([1, 0, None], "unlabeled as 0 and as NaN or None"),
        ([1, -1, np.nan], "unlabeled as -1 and as NaN or None"),
        ([1, 0, 2, 3], "got also 2, 3"),
        ([1, 0.5], "got also 0.5"),
        (["1", "0"], "got also '0', '1'"),
        ([0] * 250, r"fit needs at least one labeled positive \(y == 1\); got 0 among 250 samples\.$"),
        ([None, None], "got 0 among 2"),
        ([], "y holds no labels"),
    ],
)
def test_positive_unlabeled_errors(y, words):
    with pytest.raises(ValueError, match=words) as caught:
        encode_positive_unlabeled(y)
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore:y holds only 0 and 1")
@pytest.mark.parametrize(
    ("y", "index", "classes"),
    [
        (["b", "a", None], [1, 0, -1], ["a", "b"]),
        (["b", "a", np.nan], [1, 0, -1], ["a", "b"]),
        (["b", "a", -1], [1, 0, -1], ["a", "b"]),
        ([3, 7, -1], [0, 1, -1], [3, 7]),
        ([3.0, 7.0, np.nan], [0, 1, -1], [3, 7]),
        ([1, 1, -1], [0, 0, -1], [1]),
        ([1, 1, None], [0, 0, -1], [1]),
        ([1, 0, 0], [0, -1, -1], [1]),  # exactly 0 and 1, nothing missing: 0 is to be judged
        ([True, False, False], [0, -1, -1], [True]),
        ([1, 0, None], [1, 0, -1], [0, 1]),  # something is missing: 0 is a class
        ([1, 0, -1], [1, 0, -1], [0, 1]),
        ([0, 1, 2], [0, 1, 2], [0, 1, 2]),  # a third class: 0 is one too, and nothing is to be judged
        ([0, 0, 0], [0, 0, 0], [0]),
        (pd.Series(["b", "a", None]), [1, 0, -1], ["a", "b"]),
        (pd.Series([3, 7, pd.NA], dtype="Int64"), [0, 1, -1], [3, 7]),
        (pl.Series(["b", "a", None]), [1, 0, -1], ["a", "b"]),
    ],
)
def test_known_classes(y, index, classes):
    found_index, found_classes = encode_known_classes(y)
    assert found_index.tolist() == index
    assert found_classes.tolist() == classes


def test_labels_that_are_only_0_and_1_are_read_with_a_warning():
    with pytest.warns(UserWarning, match="rows with y == 0 are taken as rows to be judged"):
        encode_known_classes([1, 0, 0])


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([3, -1, None], "by -1 and by NaN or None"),
        ([None, None], "at least one row of a known class; all 2 rows"),
        ([-1, -1], "at least one row of a known class"),
        (["a", 3, None], "mixes text with numbers"),
        (np.array(["a", "-1"]), "the text '-1'"),  # what NumPy makes of ["a", -1]
        (np.array(["a", "nan"]), "the text 'nan'"),
        ([1.0, float("inf"), None], "an infinite label"),
    ],
)
def test_known_classes_errors(y, words):
    with pytest.raises(ValueError, match=words) as caught:
        encode_known_classes(y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("pos_label", "y", "signs"),
    [
        (1, [1, 0], [1, -1]),
        (1, [1, -1], [1, -1]),
        (1, [True, False], [1, -1]),
        (True, [1, 0], [1, -1]),
        (0, [1, 0], [-1, 1]),
        (1, [0, 0], [-1, -1]),
        (2, [1, 2], [-1, 1]),
        ("ham", ["ham", "spam"], [1, -1]),
        ("ham", pl.Series(["ham", "spam"]), [1, -1]),
        ("ham", pd.Series(["ham", "spam"], dtype="category"), [1, -1]),
        (1, [[1], [0]], [1, -1]),
    ],
)
def test_against(pos_label, y, signs):
    (found,) = encode_against(pos_label, y=y)
    assert found.dtype == np.int8
    assert found.tolist() == signs


@pytest.mark.parametrize(
    ("pos_label", "y_true", "y_pred", "words"),
    [
        (1, [1, 0], [1, -1], r"one other label in y_true and y_pred; got 3 labels \(-1, 0, 1\)"),
        (1, [1, 0, 2], [1, 0, 0], "got 3 labels"),
        (1, ["ham", "spam"], ["ham", "ham"], r"pos_label=1 is not a label.*'ham', 'spam'"),
        (1, ["ham"], ["ham"], "pos_label=1 is not a label"),
        ("ham", [1], [0], "pos_label='ham' is not a label"),
        (3, [1, 0], [1, 0], "pos_label=3 is not a label"),
        (1, [1, 0], ["1", "0"], "mix text with numbers"),
        (1, [1, None], [1, 0], "y_true contains NaN or None in 1 of 2"),
        (1, [1, 0], [1, np.nan], "y_pred contains NaN or None in 1 of 2"),
    ],
)
def test_against_errors(pos_label, y_true, y_pred, words):
    with pytest.raises(ValueError, match=words) as caught:
        encode_against(pos_label, y_true=y_true, y_pred=y_pred)
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore:y holds only 0 and 1")
@pytest.mark.parametrize("encode", [encode_two_classes, encode_positive_unlabeled, encode_known_classes])
def test_a_column_is_taken_with_the_warning_estimators_give(encode):
    y = np.array([1, 0, 0])
    with pytest.warns(
        DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"
    ):
        found = encode(y[:, None])
    np.testing.assert_equal(found, encode(y))


@given(st.lists(st.sampled_from("abc"), min_size=1))
def test_as_labels_keeps_labels(y):
    assert as_labels(y).tolist() == y


@given(st.lists(st.booleans(), min_size=1, max_size=20).filter(any))
def test_spelling_does_not_matter(positive):
    spelled = [[1 if p else unlabeled for p in positive] for unlabeled in (0, -1, None, np.nan, False)]
    codes = [encode_positive_unlabeled(y).tolist() for y in spelled]
    assert all(code == codes[0] for code in codes)
    assert codes[0] == [int(p) for p in positive]


def test_input_is_left_alone():
    y = np.array([1, None, 1], dtype=object)
    encode_positive_unlabeled(y)
    assert y.tolist() == [1, None, 1]


def test_a_class_may_be_called_none_in_a_list():
    # only an array of text can have turned None into "None"
    index, classes = encode_known_classes(["a", "None", None])
    assert index.tolist() == [1, 0, -1]
    assert classes.tolist() == ["None", "a"]
