import csv
import io

import numpy as np
import pytest

from lopsided.report._blocks import Cell, Table
from lopsided.report._csv import write_blocks, write_records


def test_values_come_back():
    row = {"a": "x, y", "b": 0.1234567, "c": True, "d": None, "e": ["p", "q"], "f": 1200, "g": -2.5}
    (read,) = csv.DictReader(io.StringIO(write_records(list(row), [row], ",")))
    assert read == {"a": "x, y", "b": "0.123457", "c": "1", "d": "", "e": "p, q", "f": "1200", "g": "-2.5"}


def test_columns_are_those_asked_for():
    assert write_records(["b", "a"], [{"a": "1", "b": "2", "c": "3"}], "\t").splitlines() == ["b\ta", "2\t1"]
    assert write_records(["b"], [], ",").splitlines() == ["b"]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r"])
def test_what_a_spreadsheet_would_compute_is_text(sign):
    table = write_records(["a", "b"], [{"a": f"{sign}1", "b": [f"{sign}x", "y"]}], ",")
    (read,) = csv.DictReader(io.StringIO(table, newline=""))
    assert read == {"a": f"'{sign}1", "b": f"'{sign}x, y"}


def test_no_name_in_a_table_is_a_formula():
    table = Table(("=F1", "b;=2"), [("=1+1", [Cell(-0.5), "@note"])])
    lines = write_blocks([table], "scores")["scores-1"].splitlines()
    assert lines[1:] == ["'=1+1,'=F1,-0.5,,,", "'=1+1,b;'=2,,,,'@note"]


def test_numbers_of_blocks_are_written_in_full_and_those_of_numpy_stay_numbers():
    table = Table(("F1",), [("ours", [Cell(-1 / 3, np.int64(-2), np.float32(-0.5))])])
    lines = write_blocks([table], "scores")["scores-1"].splitlines()
    assert lines[1] == f"ours,F1,{-1 / 3!r},-0.5,-2,"
    records = write_records(["a", "b"], [{"a": np.int64(-2), "b": np.float32(-0.5)}], ",")
    assert records.splitlines()[1] == "-2,-0.5"
