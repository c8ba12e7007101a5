import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lopsided.datasets._table import CsvTable


def test_toy():
    table = CsvTable(["n", "word"], ["3,b", "?,a", "3,b", "1,?"])
    assert len(table) == 4
    assert table.n_repeated == 1
    np.testing.assert_array_equal(table.numbers("n"), [3, np.nan, 3, 1])
    np.testing.assert_array_equal(table.codes("word", ["a", "b"]), [1, 0, 1, np.nan])
    assert table.text("word").tolist() == ["b", "a", "b", "?"]
    assert table.values("word") == {"a", "b"}
    assert table.has_missing().tolist() == [False, True, False, True]


@given(st.lists(st.tuples(st.integers(-5, 5), st.sampled_from("xyz"))))
def test_holding_distinct_lines_loses_nothing(rows):
    lines = [f"{number},{letter}" for number, letter in rows]
    table = CsvTable(["n", "l"], lines)
    assert list(table.lines()) == lines
    assert table.n_repeated == len(lines) - len(set(lines))
    if rows:
        assert table.numbers("n").tolist() == [number for number, _ in rows]


def test_no_rows():
    table = CsvTable(["n", "word"], [])
    assert len(table) == 0
    assert (
        table.text("word").tolist()
        == table.numbers("n").tolist()
        == table.codes("word", ["a"]).tolist()
        == []
    )
    assert table.values("n") == set()


def test_word_among_numbers_is_named():
    with pytest.raises(ValueError, match=r"expected numbers in the column 'n': .*'many'"):
        CsvTable(["n"], ["1", "many"]).numbers("n")


def test_row_of_another_length_is_named():
    with pytest.raises(ValueError, match="expected 2 columns, got 3 in the line '1,2,3'"):
        CsvTable(["a", "b"], ["1,2", "1,2,3"])
