import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lopsided.runs._codec import check_records, from_text, to_text
from runs.work import WORK, Counts, Pair

RECORDS = WORK.records

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda items: (
        st.lists(items)
        | st.lists(items).map(tuple)
        | st.dictionaries(st.text() | st.integers() | st.tuples(st.text(), st.integers()), items)
        | st.builds(Pair, st.text(), st.floats(allow_nan=False))
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_what_is_written_is_read_again(value):
    again = from_text(to_text(value, RECORDS), RECORDS)
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize("dtype", ["?", "u1", "<i8", ">i4", "<f2", "<f4", "<f8", "<U3"])
@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (2, 3)])
def test_arrays_keep_their_kind_shape_and_every_bit(dtype, shape):
    array = np.random.default_rng(0).normal(size=shape) * 1000
    array = np.asarray(array).astype(dtype)
    again = from_text(to_text(array))
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    assert again.tobytes() == array.tobytes()


def test_numbers_that_are_none_survive():
    values = from_text(to_text([math.inf, -math.inf, math.nan, -0.0]))
    assert values[:2] == [math.inf, -math.inf]
    assert math.isnan(values[2])
    assert math.copysign(1, values[3]) == -1


def test_numbers_of_numpy_become_plain_ones():
    assert to_text((np.float64(0.1), np.int32(3), np.bool_(True))) == to_text((0.1, 3, True))


def test_records_hold_arrays_and_records():
    record = Counts(3, np.array([1.5, 2.5]))
    again = from_text(to_text({"a": (record, Pair("x", 1.0))}, RECORDS), RECORDS)
    assert again["a"][1] == Pair("x", 1.0)
    assert isinstance(again["a"][0], Counts)
    np.testing.assert_array_equal(again["a"][0].misses, [1.5, 2.5])


@pytest.mark.parametrize(
    "value", [{1}, 1j, b"x", object(), np.array([None]), np.array([1j]), np.longdouble(1)]
)
def test_what_text_cannot_hold_is_refused(value):
    with pytest.raises(TypeError):
        to_text([value])


def test_a_record_that_is_not_registered_is_refused():
    with pytest.raises(TypeError, match="Pair is not among the registered records"):
        to_text(Pair("x", 1.0))


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ({"array": Pair}, "may not be called 'array'"),
        ({"number": int}, "a dataclass or a named tuple; got int"),
    ],
)
def test_what_cannot_be_a_record(records, words):
    with pytest.raises(ValueError, match=words):
        check_records(records)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a": 1}',
        '{"~": "Pair", "is": {"name": "x"}}',  # a field is missing
        '{"~": "Pair", "is": {"name": "x", "value": 1, "more": 2}}',
        '{"~": "Pair", "is": [1]}',
        '{"~": "Nobody", "is": {}}',
        '{"~": "unit", "is": {}}',  # a function of the module
        '{"~": "os", "is": {}}',
        '{"~": "array", "is": ["<f8", [3], [1.0]]}',
        '{"~": "array", "is": ["nonsense", [1], [1.0]]}',
        '{"~": "dict", "is": [[[1], 2]]}',
        '{"~": 3, "is": {}}',
    ],
)
def test_what_was_not_written_here_is_a_value_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 -- JSON's own is one
        from_text(text, RECORDS)


def test_text_is_ascii_so_that_any_file_can_hold_it():
    text = to_text("ä\ud800\0\n")
    assert text.isascii()
    assert json.loads(text) == from_text(text) == "ä\ud800\0\n"
