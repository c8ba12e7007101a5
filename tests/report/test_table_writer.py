"""Tables and records come back as they were written, and no spreadsheet computes what was text."""

import csv
import io
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lopsided.report._table_writer import guard_cell, table_format, write_ris, write_table
from lopsided.text import Record, Roles, iter_records

HEADER = ["id", "title", "abstract", "note", "label"]
ROLES = Roles("title", ("abstract",), "id", "label")
FORMATS = ["csv", "tsv", "jsonl", "xlsx"]
# Readers take white space at the ends for nothing, and write lines end in one way.
CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")).map(
    str.strip
)


def write_and_read(folder, format, rows):
    if format == "xlsx":
        pytest.importorskip("openpyxl", reason="XLSX needs openpyxl")
    path = folder / f"out.{format}"
    assert write_table(path, HEADER, rows) == len(rows)
    return list(iter_records(path, ROLES))


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=30, deadline=None)
@given(rows=st.lists(st.tuples(CELLS.filter(bool), CELLS, CELLS, CELLS), min_size=1, max_size=5))
@example(rows=[("=1", "@a", "-b;=c", "+")])
@example(rows=[('"', "'=1", 'a"b, c;d\te|f', "sep=;")])
def test_records_come_back(tmp_path_factory, format, rows):
    rows = [
        (f"{i}{id}", title or "a title", text, note, "1") for i, (id, title, text, note) in enumerate(rows)
    ]
    found = write_and_read(tmp_path_factory.mktemp("out"), format, rows)
    guard = str if format == "jsonl" else guard_cell
    expected = [[" ".join(guard(cell).split()) for cell in row] for row in rows]
    assert [
        [r.id, r.title, " ".join(r.text.split()), " ".join(r.fields.get("note", "").split()), r.label]
        for r in found
    ] == expected


@pytest.mark.parametrize("format", FORMATS)
def test_types_of_cells(tmp_path, format):
    (record,) = write_and_read(tmp_path, format, [["a", None, ["x", "=y"], 0.25, True]])
    text = "x; =y" if format == "jsonl" else "x, =y"
    assert record == Record("a", "", text, {"note": "0.25"}, "true" if format == "jsonl" else "1")


@pytest.mark.parametrize("sign", "=+-@\t\r\uff1d\uff0b\uff0d\uff20")
def test_no_cell_begins_like_a_formula(sign):
    for text in (
        f"{sign}1+1",
        f"foo;{sign}1+1",
        f"foo; {sign}1",
        f"foo\n{sign}1",
        f"foo\t{sign}1",
        f" {sign}1",
    ):
        guarded = guard_cell(text)
        for cell in guarded.replace("\t", ";").replace("\n", ";").replace("\r", ";").split(";"):
            assert not cell.lstrip(" ").startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20"))
        assert guarded.replace("'", "") == text


def test_what_is_no_formula_stays():
    for text in ("a-b", "1-2", "x = y", "a, -5", "", "'tis", "e@f"):
        assert guard_cell(text) == text


def test_a_delimiter_that_was_not_meant(tmp_path):
    path = tmp_path / "out.csv"
    write_table(path, ["text"], [["foo;=1+1"], ["bar\n=2"]])
    for delimiter in ",;\t":
        for row in csv.reader(io.StringIO(path.read_text(), newline=""), delimiter=delimiter):
            assert not any(cell.startswith("=") for cell in row)


def test_a_workbook_holds_text_and_no_formula(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="XLSX needs openpyxl")
    path = tmp_path / "out.xlsx"
    write_table(
        path,
        ["text", "number"],
        [["=1+1", -1.5], ["#N/A", 2], ["a\x00\x1b\ud800b", None], ["x" * 40_000, True]],
    )
    rows = list(openpyxl.load_workbook(path).active.iter_rows())
    assert [cell.data_type for cell in rows[1]] == ["s", "n"]
    assert [cell.value for cell in rows[1]] == ["'=1+1", -1.5]
    assert (rows[2][0].value, rows[2][0].data_type) == ("#N/A", "s")
    assert rows[3][0].value == "ab"
    assert len(rows[4][0].value) == 32_767


def test_json_has_no_infinite_numbers(tmp_path):
    path = tmp_path / "out.jsonl"
    write_table(path, ["a", "b"], [[float("nan"), "=1"]])
    assert json.loads(path.read_text()) == {"a": None, "b": "=1"}


def test_a_failed_table_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")

    def rows():
        yield ["a"]
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        write_table(path, ["x"], rows())
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]


def test_unknown_formats():
    with pytest.raises(ValueError, match=r"cannot write 'out.doc' as a table. Known: .csv"):
        table_format("out.doc")
    with pytest.raises(ValueError, match="cannot write format 'pdf'"):
        table_format("out.csv", "pdf")


FIELDS = {
    "type": "JOUR",
    "authors": "Doe, J; Roe, K",
    "year": "2004",
    "keywords": "ships; wheat",
    "doi": "10.1/a",
    "C1": "a tag without a name",
}


def test_ris_comes_back(tmp_path):
    path = tmp_path / "out.ris"
    text = "One line.\nTY  - another\nER  - \nlast"
    records = [
        Record("17", "Ships", text, FIELDS, "relevant"),
        Record("18", "=Wheat", "", {"why": "a random check\nER  - ", "notes": "mine"}),
    ]
    assert write_ris(path, records) == 2
    problems = []
    first, second = iter_records(path, problems=problems)
    assert problems == []
    assert first == Record("17", "Ships", "One line.\nTY - another\nER -\nlast", FIELDS, "relevant")
    assert second == Record("18", "=Wheat", "", {"notes": "why: a random check ER -; mine", "type": "GEN"})


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(st.text(min_size=1), min_size=3, max_size=3))
@example(texts=["TY  - x\rER  - \x85AB  - y", "\x1b", "\ud800"])
def test_any_text_makes_one_record_of_ris(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("out") / "out.ris"
    id, title, text = texts
    assert write_ris(path, [Record(id, "t" + title, text, {"note": text, title: id}, id)] * 2) == 2
    first, second = iter_records(path)
    assert first.title.startswith("t")
    assert first._replace(id="") == second._replace(id="")
