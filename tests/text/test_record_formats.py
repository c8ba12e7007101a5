"""Records of each format: what is read, and what happens with malformed samples."""

import functools
import io
import stat
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lopsided.text import Record, Roles, iter_records, preview_records

MAIL = b"Subject: =?utf-8?q?Caf=C3=A9?=\nFrom: anna@a\nDate: Mon, 1 Jan 2001\nMessage-ID: <1@a>\n\nHello\n"


def read(path, **arguments):
    problems = []
    records = list(iter_records(path, problems=problems, **arguments))
    return records, [(problem.id, problem.reason) for problem in problems]


def write(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# ---- RIS

RIS = """\
TY  - JOUR
TI  - Stemming of
  long titles
AU  - Doe, Jane
AU  - Roe, K
PY  - 2004
AB  - What an abstract says.
It goes on.
KW  - words
KW  - stems
DO  - 10.1/a
AN  - 17
T2  - Journal
ZZ  - unknown
N1  - ASReview_relevant
ER  - \n"""


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", [True, False])
def test_ris_has_readable_names(tmp_path, newline, mark, end):
    text = mark + (RIS if end else RIS.removesuffix("ER  - \n")).replace("\n", newline)
    ((record,), problems) = read(write(tmp_path, "refs.ris", text))
    assert record == Record(
        "17",
        "Stemming of long titles",
        "What an abstract says.\nIt goes on.",
        {
            "authors": "Doe, Jane; Roe, K",
            "year": "2004",
            "journal": "Journal",
            "doi": "10.1/a",
            "keywords": "words; stems",
            "notes": "ASReview_relevant",
            "type": "JOUR",
            "ZZ": "unknown",
        },
        "1",
    )
    assert [reason for _, reason in problems] == ([] if end else ["no ER line at the end of the record"])


def test_ris_by_its_first_line_and_in_latin_1(tmp_path):
    path = write(
        tmp_path, "citations.txt", b"\n TY  - JOUR\n\nTY - JOUR\nTI - caf\xe9\nER -\nTY - JOUR\nT1 - b"
    )
    assert preview_records(path).format == "ris"
    records, problems = read(path)
    assert [record.title for record in records] == ["café", "b"]
    assert [reason for _, reason in problems] == [
        "not UTF-8, read as Windows-1252",
        "no ER line at the end of the record",
        "1 lines outside any record",
    ]


def test_a_title_that_is_there_twice_is_kept_once(tmp_path):
    path = write(tmp_path, "a.ris", "TY  - JOUR\nT1  - A\nTI  - A\nT2  - J\nJF  - Journal\nER  - \n")
    assert read(path)[0][0].fields == {"journal": "Journal", "type": "JOUR", "T2": "J"}


# ---- BibTeX

BIBTEX = r"""% from a library
@string{nature = {Nature}}
@article{doe2004,
  title = {The {DNA} of caf\'e culture, 50% of it},
  author = {Doe, Jane and M{\"u}ller, K.},
  journal = nature,
  abstract = "What an abstract says.",
  year = 2004,
  url = {http://a.b/c_d~e%20f}
}
"""


def test_bibtex(tmp_path):
    pytest.importorskip("bibtexparser", reason="BibTeX needs bibtexparser")
    (record,), problems = read(write(tmp_path, "refs.bib", BIBTEX))
    assert record == Record(
        "doe2004",
        "The DNA of café culture, 50% of it",
        "What an abstract says.",
        {
            "type": "article",
            "authors": "Doe, Jane; Müller, K.",
            "journal": "Nature",
            "year": "2004",
            "url": "http://a.b/c_d~e%20f",
        },
    )
    assert problems == []


def test_broken_entries_of_bibtex_are_problems(tmp_path):
    pytest.importorskip("bibtexparser", reason="BibTeX needs bibtexparser")
    text = (
        "@article{a, title={never closed\n@article{b, title={second}}\n@article{title={no key}}\n"
        "@article{c, title={x}, title={twice}}\n@article{b, title={same key}}\njunk } @ {\n"
        "@book{d,title={last}}"
    )
    roles = Roles(title="title", id="citation key")
    records, problems = read(write(tmp_path, "refs.bib", text), roles=roles)
    assert [(record.id, record.title) for record in records] == [
        ("b", "second"),
        ("c", "x"),
        ("b#2", "same key"),
        ("d", "last"),
    ]
    assert [id for id, _ in problems] == ["refs.bib:1", "refs.bib:3", "refs.bib:4", "refs.bib:6", "b#2"]
    assert all(reason.isprintable() for _, reason in problems)


def test_many_entries_of_bibtex_by_place(tmp_path):
    pytest.importorskip("bibtexparser", reason="BibTeX needs bibtexparser")
    entry = "@article{{k{0},\n title = {{t{0}}},\n journal = jj\n}}\n"
    text = "@string{jj = {Journal}}\n" + "".join(entry.format(i) for i in range(180))
    records, problems = read(write(tmp_path, "refs.bib", text), roles=Roles(title="title"))
    assert [record.id for record in records] == [f"refs.bib:{2 + 4 * i}" for i in range(180)]
    assert {record.fields["journal"] for record in records} == {"Journal"}
    assert problems == []


# ---- XLSX


def workbook(tmp_path, rows, name="found.xlsx", **sheets):
    openpyxl = pytest.importorskip("openpyxl", reason="XLSX needs openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for title, more in sheets.items():
        sheet = book.create_sheet(title)
        for row in more:
            sheet.append(row)
    book.save(tmp_path / name)
    return tmp_path / name


def test_xlsx(tmp_path):
    import datetime

    rows = [
        ["ID", "Title", "Abstract", "Date", "Score", "ok", None],
        [17, "Ships", "A ship sank.\nTwice.", datetime.datetime(2004, 5, 1), 0.5, True],
        [],
        [18.0, "Wheat", None, datetime.datetime(2004, 5, 1, 12, 30), 3.0, False, "too long"],
        [None, " "],
    ]
    records, problems = read(workbook(tmp_path, rows, other=[["title"], ["x"]]))
    assert records == [
        Record("17", "Ships", "A ship sank.\nTwice.", {"Date": "2004-05-01", "Score": "0.5", "ok": "true"}),
        Record("18", "Wheat", "", {"Date": "2004-05-01 12:30:00", "Score": "3", "ok": "false"}),
    ]
    assert [reason for _, reason in problems] == [
        "only the first of 2 sheets is read (others: other)",
        "cells behind the last column of the header are left out",
    ]
    assert read(tmp_path / "found.xlsx", sheet="other")[0] == [Record("found.xlsx:2", "x")]
    with pytest.raises(ValueError, match=r"no sheet 'none' in found.xlsx \(sheets: Sheet, other\)"):
        read(tmp_path / "found.xlsx", sheet="none")


def rewritten(path, part, change):
    """Write a workbook again with one of its parts changed."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = change(parts[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize(
    "change",
    [
        lambda xml: xml[: len(xml) // 2],
        lambda _: b"",
        lambda xml: xml.replace(b't="inlineStr"', b't="s"').replace(b't="s"><v>', b't="s"><v>999'),
        lambda xml: (
            b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
            + b"".join(
                b'<!ENTITY a%d "%s">' % (i, b"&a%s;" % (str(i - 1).encode() if i else b"") * 10)
                for i in range(9)
            )
            + b"]>"
            + xml.replace(b"</t>", b"&a8;</t>")
        ),
    ],
)
def test_broken_workbooks_are_one_line(tmp_path, change):
    path = rewritten(workbook(tmp_path, [["title", "abstract"], ["a", "b"]]), SHEET, change)
    with pytest.raises(ValueError, match=r"found.xlsx") as error:
        read(path)
    assert "\n" not in str(error.value)


def test_a_row_far_down_takes_no_time(tmp_path):
    path = workbook(tmp_path, [["title"], ["a"]])
    rewritten(path, SHEET, lambda xml: xml.replace(b'<row r="2"', b'<row r="99999999999"'))
    with pytest.raises(ValueError, match="no records"):
        read(path)


def test_a_workbook_that_unpacks_to_too_much(tmp_path):
    path = rewritten(workbook(tmp_path, [["title"], ["a"]]), SHEET, lambda xml: xml + b" " * (100 * 2**20))
    with pytest.raises(ValueError, match=r"unpacks to .* Save it as CSV"):
        read(path)


# ---- mail, folders, archives


def test_mail_has_its_headers_as_fields(tmp_path):
    expected = Record("<1@a>", "Café", "Hello", {"from": "anna@a", "date": "Mon, 1 Jan 2001"})
    assert read(write(tmp_path, "one.eml", MAIL))[0] == [expected]
    mbox = b"From a\n" + MAIL + b"\nFrom b\nSubject: two\n\nBye\n"
    records, _ = read(write(tmp_path, "box.mbox", mbox))
    assert records == [expected, Record("box.mbox:2", "two", "Bye")]
    (tmp_path / "dir" / "cur").mkdir(parents=True)
    write(tmp_path, "dir/new/123.a", MAIL)
    assert read(tmp_path / "dir")[0] == [expected]
    assert preview_records(tmp_path / "dir").format == "maildir"


FILES = {
    "a/note.txt": b"Some words",
    "b/table.csv": b"title;abstract\nx;y\n",
    "c.eml": MAIL,
    "d/refs.ris": RIS.encode(),
    "e/README": b"no suffix",
    "f.bin.txt": b"\x00\x01\x02",
    "g.csv": b"a,b\n1,2\n",
}
TITLES = ["note.txt", "x", "Café", "Stemming of long titles", "README"]


def packed(files, **changes):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            if name in changes:
                info.external_attr = changes[name] << 16
            archive.writestr(info, content)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_many_files_each_as_what_it_is(tmp_path, kind):
    if kind == "zip":
        path = write(tmp_path, "all.zip", packed(FILES))
    else:
        path = tmp_path / "all"
        for name, content in FILES.items():
            write(path, name, content)
    before = "all.zip/" if kind == "zip" else ""
    records, problems = read(path)
    order = sorted(range(5), key=lambda i: list(FILES)[i]) if kind == "folder" else range(5)
    assert [record.title for record in records] == [TITLES[i] for i in order]
    assert records[0].id == f"{before}a/note.txt"
    assert [id for id, _ in problems] == [f"{before}f.bin.txt", f"{before}g.csv"]
    preview = preview_records(path)
    assert (preview.format, len(preview.rows)) == (kind, 5 + (kind == "folder" or 1))
    named, _ = read(path, roles=Roles(text=("b",)))
    assert "2" in [record.text for record in named]
    assert len(named) == 6


def test_files_of_an_archive_that_are_not_read(tmp_path):
    inner = packed({"x.txt": b"x"})
    files = {
        "ok.txt": b"words",
        "../up.txt": b"words",
        "/etc/passwd.txt": b"words",
        "C:\\windows\\x.txt": b"words",
        "a/../../b.txt": b"words",
        "inner.zip": inner,
        "inner2": inner,
        "t.csv.gz": b"words",
        "zero.txt": b"\x00" * (100 * 2**20),
        "link.txt": b"/etc/passwd",
        "__MACOSX/ok.txt": b"words",
        ".hidden.txt": b"words",
        "folder/": b"",
    }
    path = write(tmp_path, "all.zip", packed(files, **{"link.txt": stat.S_IFLNK | 0o777}))
    records, problems = read(path)
    assert [record.id for record in records] == ["all.zip/ok.txt"]
    assert len(problems) == 9
    assert sum("leads out" in reason for _, reason in problems) == 4
    assert sum("archive in the archive" in reason for _, reason in problems) == 3
    assert sorted(tmp_path.iterdir()) == [path]


def test_an_encrypted_member_is_a_problem(tmp_path):
    raw = bytearray(packed({"a.txt": b"words", "b.txt": b"more"}))
    place = raw.index(b"PK\x01\x02")
    raw[place + 8] |= 1
    records, problems = read(write(tmp_path, "all.zip", bytes(raw)))
    assert [record.title for record in records] == ["b.txt"]
    assert "encrypted" in problems[0][1]


def test_a_damaged_member_loses_no_other(tmp_path):
    table = "title,abstract\n" + "".join(f"{i},{i * i}\n" for i in range(50_000))
    raw = bytearray(packed({"a.csv": table.encode(), "b.txt": b"more"}))
    raw[len(raw) // 2] ^= 0xFF
    records, problems = read(write(tmp_path, "all.zip", bytes(raw)))
    assert records[-1].title == "b.txt"
    assert len(records) > 100
    assert problems


def test_workbooks_and_parquet_in_an_archive(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    import pyarrow.parquet

    path = workbook(tmp_path, [["title", "abstract"], ["a", "b"]])
    pyarrow.parquet.write_table(pa.table({"title": ["p"], "abstract": ["q"]}), tmp_path / "x.parquet")
    files = {"a.xlsx": path.read_bytes(), "b.parquet": (tmp_path / "x.parquet").read_bytes()}
    records, problems = read(write(tmp_path, "all.zip", packed(files)))
    assert [(record.title, record.text) for record in records] == [("a", "b"), ("p", "q")]
    assert problems == []


# ---- anything

SAMPLES = {
    "a.csv": b'title,abstract\n"a ""b""","c\nd"\n',
    "a.tsv": b"title\tabstract\na\tb\n",
    "a.jsonl": b'{"title": "a", "abstract": "b"}\n',
    "a.ris": RIS.encode(),
    "a.bib": BIBTEX.encode(),
    "a.mbox": b"From a\n" + MAIL,
    "a.eml": MAIL,
    "a.txt": b"words",
    "a.zip": packed({"a.csv": b"title\nx\n"}),
    "a.xlsx": b"",
    "a.parquet": b"PAR1",
}


@functools.cache
def small_workbook():
    with tempfile.TemporaryDirectory() as folder:
        return workbook(Path(folder), [["title", "abstract"], ["a", "b"]]).read_bytes()


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_bytes_do_more_than_raise_one_line(tmp_path_factory, name, data):
    folder = tmp_path_factory.mktemp("any")
    sample = SAMPLES[name]
    if name == "a.xlsx":
        sample = small_workbook()
    if data.draw(st.booleans()):
        content = data.draw(st.binary(max_size=200))
    else:  # a sample with some bytes changed
        content = bytearray(sample)
        for _ in range(data.draw(st.integers(1, 5))):
            place = data.draw(st.integers(0, max(len(content) - 1, 0)))
            content[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    path = write(folder, name, bytes(content))
    for work in (preview_records, lambda path: list(iter_records(path))):
        said = ""
        try:
            work(path)
        except ValueError as error:
            said = str(error)
        assert said.isprintable()
        assert len(said) < 3000
