"""What comes in as items: tables and messages in any form, and one clear line for everything else."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from lopsided.feedback import Decision, OneSidedFilter, ValueFilter, run_stream, run_value_stream
from lopsided.feedback._input import as_messages, as_table, bad_document, number_of_items
from lopsided.online import MarginPerceptron, OnlineRegressor
from lopsided.text import ByteGramVectorizer, StemmedVectorizer


def make_data(n=40):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] > 0).astype(int)


NO_TABLES = {
    "None": (None, "a table with one row an item; got None"),
    "generator": ((row for row in np.eye(3)), r"got a value of type generator\. Pass list\(X\)"),
    "text": ("mail", "got a value of type str"),
    "number": (3, "got a value of type int"),
    "scalar": (np.float64(3), "got a value of type float64"),
    "dict": ({"a": 1}, "got a value of type dict"),
    "set": ({1, 2}, "got a value of type set"),
    "messages": ([b"mail"] * 3, "X holds bytes, not rows of numbers"),
    "array of bytes": (np.array([b"mail"] * 3), "X holds bytes"),
    "array of objects": (np.array(["mail"] * 3, dtype=object), "X holds texts"),
    "texts": (("a", "b", "c"), "X holds texts"),
}


@pytest.mark.parametrize("name", NO_TABLES)
def test_what_is_no_table(name):
    X, words = NO_TABLES[name]
    filter, values = OneSidedFilter(MarginPerceptron()), ValueFilter(OnlineRegressor(), 0.0)
    y = [0, 1, 1]
    for call in (
        lambda: run_stream(filter, X, y),
        lambda: filter.decide(X),
        lambda: filter.learn(X, y),
        lambda: run_value_stream(values, X, y),
        lambda: values.decide(X),
        lambda: values.learn(X, y),
    ):
        with pytest.raises(ValueError, match=words) as caught:
            call()
        assert "\n" not in str(caught.value)
    assert filter.n_rounds == values.n_rounds == 0


@pytest.mark.parametrize("X", [[b"abcd"] * 3, ["abcd"] * 3])
def test_messages_without_a_vectorizer_are_told_of_it(X):
    with pytest.raises(ValueError, match=r"Pass vectorizer=ByteGramVectorizer\(\)"):
        run_stream(OneSidedFilter(MarginPerceptron()), X, [0, 1, 1])


@pytest.mark.parametrize("vectorizer", [ByteGramVectorizer, "bytes", 3])
def test_a_vectorizer_that_is_none(vectorizer):
    with pytest.raises(ValueError, match=r"vectorizer must have transform, as ByteGramVectorizer\(\) has"):
        run_stream(OneSidedFilter(MarginPerceptron()), [b"abcd"] * 3, [0, 1, 1], vectorizer=vectorizer)


@pytest.mark.parametrize(
    "X",
    [None, "abc", b"abc", 3, {"a": "b"}, (message for message in (b"a", b"b", b"c"))],
    ids=["None", "text", "bytes", "int", "dict", "generator"],
)
def test_messages_that_are_no_list(X):
    with pytest.raises(ValueError, match="X must be a list of messages; got"):
        run_stream(OneSidedFilter(MarginPerceptron()), X, [0, 1, 1], vectorizer=ByteGramVectorizer())


FORMS = {
    "coo": sparse.coo_matrix,
    "dia": sparse.dia_array,
    "bsr": sparse.bsr_array,
    "csc": sparse.csc_matrix,
    "lil": sparse.lil_matrix,
    "big-endian": lambda X: X.astype(">f8"),
    "tuple": lambda X: tuple(map(tuple, X.tolist())),
    "whole numbers": lambda X: X.astype(int),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_other_forms_of_a_table_are_the_same_table(form):
    X, y = make_data()
    X = np.round(4 * X)
    reports = []
    for rows in (X, form(X)):
        filter = OneSidedFilter(MarginPerceptron())
        decision = filter.decide(rows)
        filter.learn(rows, y, decision)
        reports.append(run_stream(filter, rows, y))
    assert_array_equal(reports[0].show, reports[1].show)
    assert_allclose(reports[0].score, reports[1].score)
    values = [run_value_stream(ValueFilter(OnlineRegressor(), 0.0), rows, X[:, 0]) for rows in (X, form(X))]
    assert_array_equal(values[0].show, values[1].show)


def test_a_csr_matrix_with_gaps_in_a_stream():
    X, y = make_data()
    gaps = sparse.csr_array(X)
    gaps.data = np.repeat(gaps.data, 2)[::2]
    reports = [run_stream(OneSidedFilter(MarginPerceptron()), rows, y) for rows in (X, gaps)]
    assert_array_equal(reports[0].show, reports[1].show)


@pytest.mark.parametrize("bad", [0, 3, 64, 100, 149])
@pytest.mark.parametrize("vectorizer", [ByteGramVectorizer(), StemmedVectorizer()], ids=str)
def test_a_bad_message_has_its_number_in_the_stream(vectorizer, bad):
    messages, y = [b"see you at noon", b"cheap pills now"] * 75, [1, 0] * 75
    vectorizer.fit(messages)
    whole = run_stream(OneSidedFilter(MarginPerceptron()), messages, y, vectorizer=vectorizer)
    messages[bad] = None
    with pytest.raises(TypeError, match=f"document {bad} is a NoneType") as caught:
        run_stream(OneSidedFilter(MarginPerceptron()), messages, y, vectorizer=vectorizer)
    report = caught.value.report
    assert len(report) == bad  # those before it were decided about
    assert_array_equal(report.score, whole.score[:bad])


def test_other_complaints_of_a_vectorizer_come_as_they_are():
    class Moody:
        def __init__(self, error):
            self.error = error

        def transform(self, X):
            raise self.error

    for error in (ValueError("document of 3 words"), KeyError("document 3 is odd"), ValueError("document")):
        with pytest.raises(type(error)) as caught:
            run_stream(OneSidedFilter(MarginPerceptron()), [b"a"], [1], vectorizer=Moody(error))
        assert caught.value is error
    with pytest.raises(ValueError, match="not fitted"):
        run_stream(
            OneSidedFilter(MarginPerceptron()), ["abcd"] * 3, [0, 1, 1], vectorizer=StemmedVectorizer()
        )


def test_a_vectorizer_that_loses_messages():
    class Lossy:
        def transform(self, X):
            return np.eye(len(X))[1:]

    with pytest.raises(ValueError, match="messages 3, rows 2"):
        run_stream(OneSidedFilter(MarginPerceptron()), [b"a"] * 3, [1, 0, 1], vectorizer=Lossy())


def test_small_parts():
    X, _ = make_data()
    assert as_table(X) is X
    assert as_table(sparse.csr_array(X)).format == "csr"
    assert as_messages(sparse.coo_array(X), ByteGramVectorizer()).format == "csr"
    assert number_of_items(X) == number_of_items(X.tolist()) == 40
    assert bad_document(ValueError("")) is None


def test_decisions_joined_from_anything():
    one = Decision([True], [False], [0.0], [1.0], [0])
    assert len(Decision.join(one for _ in range(3))) == 3
    with pytest.raises(ValueError, match="join takes several decisions; got one of type NoneType"):
        Decision.join([one, None])


def test_numbers_of_a_report():
    X, y = make_data()
    filter = OneSidedFilter(MarginPerceptron())
    report = run_stream(filter, X, y)
    for missed in (report.missed, filter.missed):
        with pytest.raises(ValueError, match=r"confidence must be between 0 and 1; got '0\.95'"):
            missed("0.95")
    for price in ("a", None, np.nan, np.inf, -1):
        with pytest.raises(ValueError, match="false_negative must be a finite price"):
            report.cost(1.0, price)
    for n_points in (-1, 2.5, "3"):
        with pytest.raises(ValueError, match="n_points must be a whole number"):
            report.curve(n_points)
