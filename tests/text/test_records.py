"""Records and previews of tables, and what all formats share."""

import gzip
import json
import zipfile

import pytest

from lopsided.text import Preview, Record, Roles, iter_records, preview_records

TABLE = "PMID,Title,Abstract,Year,label_included\n17,Ships,A ship sank.,2004,1\n18,Wheat,It grew.,2005,0\n"


def write(tmp_path, content, name="found.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(tmp_path, content, name="found.csv", **arguments):
    problems = []
    records = list(iter_records(write(tmp_path, content, name), problems=problems, **arguments))
    return records, [(problem.id, problem.reason) for problem in problems]


def test_a_table_by_the_names_of_its_columns(tmp_path):
    records, problems = read(tmp_path, TABLE)
    assert records == [
        Record("17", "Ships", "A ship sank.", {"Year": "2004"}, "1"),
        Record("18", "Wheat", "It grew.", {"Year": "2005"}, "0"),
    ]
    assert problems == []


def test_a_preview_says_what_is_there(tmp_path):
    preview = preview_records(write(tmp_path, TABLE))
    assert preview == Preview(
        "csv",
        ("PMID", "Title", "Abstract", "Year", "label_included"),
        Roles("Title", ("Abstract",), "PMID", "label_included"),
        (
            {
                "PMID": "17",
                "Title": "Ships",
                "Abstract": "A ship sank.",
                "Year": "2004",
                "label_included": "1",
            },
            {"PMID": "18", "Title": "Wheat", "Abstract": "It grew.", "Year": "2005", "label_included": "0"},
        ),
        (),
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("first", ["", "sep={}\r\n", "\ufeff", "\ufeffsep={}\n", "\n\n"])
def test_the_delimiter_is_told_from_the_header(tmp_path, delimiter, first):
    table = '"id, with; all\t of | them"{0}title{0}abstract\n1{0}a{0}"b, c; d\te|f"\n'
    records, _ = read(tmp_path, first.format(delimiter) + table.format(delimiter))
    assert records == [
        Record(
            "found.csv:3" if "sep" in first else records[0].id,
            "a",
            "b, c; d\te|f",
            {"id, with; all of | them": "1"},
        )
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_encodings(tmp_path, encoding):
    records, problems = read(tmp_path, "title;abstract\ncafé;“naïve”\n".encode(encoding))
    assert (records[0].title, records[0].text) == ("café", "“naïve”")
    assert [reason for _, reason in problems] == (
        ["not UTF-8, read as Windows-1252"] if encoding == "cp1252" else []
    )


def test_named_roles_win(tmp_path):
    roles = Roles(title="Year", text=("Title", "Abstract"), label="PMID")
    records, _ = read(tmp_path, TABLE, roles=roles)
    assert records[0] == Record("found.csv:2", "2004", "Ships\nA ship sank.", {"label_included": "1"}, "17")


def test_a_missing_column_is_one_line_that_lists_the_others(tmp_path):
    with pytest.raises(ValueError, match=r"no column 'Body' in found.csv \(columns: PMID, Title.*text="):
        read(tmp_path, TABLE, roles=Roles(text=("Body",)))
    with pytest.raises(ValueError, match=r"no column 'Body' in found.jsonl \(columns: title\)"):
        read(tmp_path, '{"title": "a"}\n', "found.jsonl", roles=Roles(text=("Body",)))


def test_no_column_that_could_be_a_text(tmp_path):
    with pytest.raises(
        ValueError, match=r"no column of found.csv .* \(columns: a, b\)\. Name one with text="
    ):
        read(tmp_path, "a,b\n1,2\n")


@pytest.mark.parametrize(
    ("content", "name", "needed"),
    [
        (b"", "a.csv", "A table needs a header and a row below it."),
        (b"title,abstract\n", "a.csv", "A table needs a header and a row below it."),
        (b"\n\n", "a.jsonl", "A file of JSON lines needs an object in braces on each line."),
        (b"", "a.ris", "In a RIS file a record begins with a line 'TY  - '."),
        (b"", "a.bib", "In a BibTeX file a record begins with its type, such as @article{."),
        (b"", "a.mbox", "In an mbox file a message begins with a line 'From '."),
    ],
)
def test_an_empty_file_is_one_line(tmp_path, content, name, needed):
    pytest.importorskip("bibtexparser", reason="BibTeX needs bibtexparser")
    with pytest.raises(ValueError, match="no records in 'a") as error:
        read(tmp_path, content, name)
    assert "\n" not in str(error.value)
    assert str(error.value).endswith(needed)
    with pytest.raises(ValueError, match="no records in 'a") as error:
        preview_records(tmp_path / name)
    assert str(error.value).endswith(needed)


def test_an_id_that_is_there_already_gets_a_number(tmp_path):
    roles = Roles(title="title", id="id")
    records, problems = read(tmp_path, "id,title\na,1\na,2\na#2,3\na,4\n,5\n", roles=roles)
    assert [record.id for record in records] == ["a", "a#2", "a#2#2", "a#3", "found.csv:6"]
    assert [id for id, _ in problems] == ["a#2", "a#2#2", "a#3"]


def test_columns_of_one_name_and_of_none(tmp_path):
    records, _ = read(tmp_path, "title,note,note,,note (2)\nx,1,2,3,4\n")
    assert records[0].fields == {"note": "1", "note (2)": "2", "column 4": "3", "note (2) (2)": "4"}


def test_ten_thousand_columns(tmp_path):
    names = ["title", *(f"c{i}" for i in range(10_000)), "abstract"]
    content = ",".join(names) + "\n" + ",".join(["x"] * len(names)) + "\n"
    records, problems = read(tmp_path, content)
    assert len(records[0].fields) == 200
    assert records[0].text == "x"
    assert len(problems) == 1
    assert "200 columns" in problems[0][1]
    preview = preview_records(tmp_path / "found.csv")
    assert len(preview.columns) == 201
    assert preview.columns[-1] == "abstract"
    assert "10,002 columns" in preview.problems[0].reason


def test_values_of_json_become_text(tmp_path):
    row = {
        "title": "a",
        "year": 2004,
        "score": 0.5,
        "tags": ["x", "y"],
        "deep": {"k": [1]},
        "ok": True,
        "no": None,
    }
    records, _ = read(tmp_path, json.dumps(row), "found.jsonl")
    assert records[0].fields == {
        "year": "2004",
        "score": "0.5",
        "tags": "x; y",
        "deep": '{"k": [1]}',
        "ok": "true",
    }


def test_compressed_tables(tmp_path):
    records, _ = read(tmp_path, gzip.compress(TABLE.encode()), "found.csv.gz")
    assert [record.id for record in records] == ["17", "18"]


def test_an_upload_keeps_its_name(tmp_path):
    path = write(tmp_path, "title,abstract\na,b\n", "upload-1")
    assert preview_records(path, name="mine.csv").format == "csv"
    assert next(iter_records(path, name="mine.csv")).id == "mine.csv:2"


def test_problems_are_listed_up_to_a_number(tmp_path):
    _, problems = read(tmp_path, "title,abstract\na,b\n" + "x\n" * 20_000)
    assert len(problems) == 10_001
    assert problems[-1][1] == "more problems are not listed"


def test_blank_rows_are_no_records_and_bare_ones_are_noted(tmp_path):
    records, problems = read(tmp_path, "title,abstract,year\n,,\n , ,\n,,2004\na,,\n")
    assert [record.title for record in records] == ["", "a"]
    assert problems == [("found.csv:4", "neither a title nor a text")]


def test_names_of_columns_cannot_drive_a_terminal(tmp_path):
    with pytest.raises(ValueError, match="no column") as error:
        read(tmp_path, "\x1b[2Jred\u202e,b\n1,2\n")
    assert str(error.value).isprintable()
    assert "x1b[2Jred" in str(error.value)


def test_what_is_no_source(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        preview_records(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="unknown format 'doc'"):
        preview_records(write(tmp_path, TABLE), format="doc")
    with pytest.raises(ValueError, match="cannot tell the format of 'found"):
        preview_records(write(tmp_path, TABLE, "found.data"))
    with pytest.raises(ValueError, match="old Excel file"):
        preview_records(write(tmp_path, b"\xd0\xcf\x11\xe0\xa1\xb1", "found.xls"))


def test_progress_counts_the_bytes_of_the_disk(tmp_path):
    table = tmp_path / "found.csv"
    table.write_text("title,abstract\n" + "".join(f"Title {i},{'word ' * 40}\n" for i in range(2000)))
    told = []
    n = sum(1 for _ in iter_records(table, progress=told.append))
    size = table.stat().st_size
    assert n == 2000
    assert size <= sum(told) < size + 200_000  # the first bytes are read again, to tell format and columns
    assert len(told) > 4
    archive = tmp_path / "found.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(table, "found.csv")
    told.clear()
    assert sum(1 for _ in iter_records(archive, progress=told.append)) == 2000
    assert sum(told) >= archive.stat().st_size
