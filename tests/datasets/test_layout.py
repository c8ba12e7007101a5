import lzma

import numpy as np
import pytest

from lopsided.datasets._layout import encode_file, read_file
from lopsided.datasets._table import CsvTable


def test_jsonl_comes_back_whatever_the_text(tmp_path):
    # The separators of Unicode and a lone CR end a line for str.splitlines but not in this format.
    records = [{"id": 1, "raw": "a\x85\u2028b\r\n\x00é"}, {"id": 2, "raw": ""}]
    path = tmp_path / "x.jsonl.xz"
    path.write_bytes(encode_file(path, records))
    assert read_file(path, ("id", "raw")) == records


def test_csv_comes_back(tmp_path):
    path = tmp_path / "x.csv.xz"
    path.write_bytes(encode_file(path, CsvTable(["a", "b"], ["1,x", "2,y", "1,x"])))
    table = read_file(path, ("a", "b"))
    assert table.names == ("a", "b")
    assert list(table.lines()) == ["1,x", "2,y", "1,x"]


def test_npz_comes_back(tmp_path):
    path = tmp_path / "x.npz"
    path.write_bytes(encode_file(path, {"X": np.eye(2), "y": np.array([0, 1])}))
    np.testing.assert_array_equal(read_file(path, ("X", "y"))["X"], np.eye(2))


@pytest.mark.parametrize(
    ("name", "content"),
    [("x.jsonl.xz", [{"id": 1}]), ("x.csv.xz", CsvTable(["id"], ["1"])), ("x.npz", {"id": np.array([1])})],
)
def test_missing_field_is_named(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(encode_file(path, content))
    with pytest.raises(ValueError, match="'raw' is not there"):
        read_file(path, ("id", "raw"))


def test_arrays_that_would_run_code_are_refused(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, X=np.array([print], dtype=object))
    with pytest.raises(ValueError, match="not of plain numbers or text"):
        read_file(path, ("X",))


@pytest.mark.parametrize("content", [b"", b"damaged", b"\x80\x04N.", b"\x93NUMPY\x01\x00"])
def test_no_archive_is_said_in_our_words(tmp_path, content):
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"^it is no \.npz archive$"):
        read_file(path, ("X",))


@pytest.mark.parametrize("line", ["null", "3", '["id"]', '"id"'])
def test_line_that_is_no_record(tmp_path, line):
    path = tmp_path / "x.jsonl.xz"
    path.write_bytes(lzma.compress(f'{{"id": 1}}\n{line}\n'.encode()))
    with pytest.raises(ValueError, match="expected an object with fields on each line, got "):
        read_file(path, ("id",))


def test_file_is_plain_xz(tmp_path):
    path = tmp_path / "x.jsonl.xz"
    path.write_bytes(encode_file(path, [{"a": "é"}]))
    assert lzma.decompress(path.read_bytes()).decode("utf-8") == '{"a": "é"}\n'
