import gzip
import json
import re

import pytest

from lopsided.text._whole import read_table


def test_csv_cells_are_text_or_none(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes('\ufeffa,b,c\r\n1,"x\r\ny",3\r\n,,\r\n2\r\n'.encode())
    table = read_table(path)
    assert table.columns == {"a": ["1", None], "b": ["x\r\ny", None], "c": ["3", None]}
    assert table.ids == ["x.csv:2", "x.csv:4"]
    assert table.summary() == "2 rows, 1 skipped (1 with 1 fields where the header has 3)"
    assert len(table) == 2


def test_names_come_in_their_order_and_the_ids_are_no_column(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text("z\tkey\ta\n1\tk1\t2\n3\t\t4\n")
    table = read_table(path, id="key", label="a")
    assert list(table.columns) == ["z", "a"]
    assert table.ids == ["k1", "x.tsv:3"]


def test_json_lines_may_lack_fields(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n\n{"b": [1]}\nnot json\n[1]\n{"a": true, "b": null}\n')
    table = read_table(path)
    assert table.columns == {"a": [1, None, True], "b": [None, [1], None]}
    assert table.ids == ["x.jsonl:1", "x.jsonl:3", "x.jsonl:6"]
    assert table.summary().startswith("3 rows, 2 skipped")


def test_parquet(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": [1.5, None], "b": ["é", None], "c": pandas.Categorical(["x", "y"])})
    frame.to_parquet(tmp_path / "x.parquet")
    table = read_table(tmp_path / "x.parquet", label="c")
    assert table.columns == {"a": [1.5, None], "b": ["é", None], "c": ["x", "y"]}


def test_compressed_and_named_formats(tmp_path):
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert read_table(tmp_path / "x.csv.gz").columns == {"a": ["1"], "b": ["2"]}
    (tmp_path / "data").write_text(json.dumps({"a": 1}) + "\n")
    assert read_table(tmp_path / "data", format="jsonl").columns == {"a": [1]}


@pytest.mark.parametrize(
    ("name", "content", "options", "words"),
    [
        ("x.csv", "", {}, "no rows in"),
        ("x.csv", "a,b\n", {}, "no rows in"),
        ("x.csv", "a,b\n1\n", {}, "1 skipped (1 with 1 fields where the header has 2)"),
        ("x.jsonl", "\n", {}, "no rows in"),
        (
            "x.csv",
            "a,b\n1,2\n",
            {"label": "c"},
            "no column 'c' in x.csv (columns: a, b). Name one with label=",
        ),
        ("x.jsonl", '{"a": 1}\n', {"id": "c"}, "no column 'c' in x.jsonl (columns: a). Name one with id="),
        ("x.txt", "hello", {}, "is no table by its name (known: csv, tsv, jsonl, parquet, xlsx)"),
        ("x.parquet", "hello", {}, "is not a whole Parquet file"),
    ],
)
def test_mistakes(tmp_path, name, content, options, words):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=re.escape(words)):
        read_table(tmp_path / name, **options)


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="Check the path"):
        read_table(tmp_path / "nothing.csv")
