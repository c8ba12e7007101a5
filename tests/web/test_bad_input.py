"""Files that are not what they should be: the page says what is wrong, and nothing else is lost."""

import io
import sqlite3
import zipfile

import pytest

from lopsided.cli import main
from lopsided.store import open_store

GOOD = "id,title,abstract\ng1,A good one,Ships at sea\n"


def bring(browser, content, name):
    return browser.post("/import/upload", files=[("files", (name, content))]).headers["location"]


@pytest.fixture
def read(browser, app):
    """A function that imports a file through the page; returns the texts of the preview and of the list."""
    browser.get("/import")

    def read(content, name="file.csv", **columns):
        where = bring(browser, content, name)
        assert where != "/import", browser.get("/import").text
        preview = browser.get(where).text
        answer = browser.post(where, {"title": "title", "text": ["abstract"], "key": "id"} | columns)
        assert answer.status_code == 303, answer.text
        app.app.state.imports.wait()
        return preview, browser.get("/import").text

    return read


def added(desk):
    return {item.key: item for item in desk.store.items(after=60)}


def test_broken_quoting(read, desk):
    preview, page = read('id,title,abstract\n1,A,"never closed\n2,B,fine\n3,C,"x"y" z\n4,D,also fine\n')
    for told in (preview, page):
        assert "file.csv:2: not CSV (a stray quote)" in told
    assert {"2", "4"} <= set(added(desk))
    assert added(desk)["2"].text == "fine"


def test_rows_of_other_lengths(read, desk):
    _, page = read("id,title,abstract\n1,A,one\n2,B\n3,C,three,four\n")
    assert "file.csv:3: with 2 fields where the header has 3" in page
    assert "file.csv:4: with 4 fields where the header has 3" in page
    assert added(desk)["1"].text == "one"


def test_mixed_encodings(read, desk):
    lines = ["id,title,abstract\n", "m1,Größe,naïve\n", "m2,Größe,naïve\n", "m3,\x00NUL,\x00\n"]
    content = b"".join(line.encode("latin-1" if "m2" in line else "utf-8") for line in lines)
    preview, page = read(content)
    for told in (preview, page):
        assert "file.csv:3: not UTF-8, read as Windows-1252" in told
        assert "file.csv:4: NUL bytes became spaces" in told
    found = added(desk)
    assert (found["m1"].title, found["m2"].title) == ("Größe", "Größe")
    assert found["m3"].title.strip() == "NUL"


def test_ten_thousand_columns(browser, read, desk):
    header = ",".join(["id", *(f"c{i}" for i in range(10_000)), "title", "abstract"])
    rows = "".join(f"w{j},{'1,' * 10_000}Wide {j},Text {j}\n" for j in range(3))
    preview, page = read(f"{header}\n{rows}")
    assert '<option value="title" selected>' in preview  # the last but one is found
    assert "more than 200 columns" in preview + page
    assert [(item.title, item.text) for item in added(desk).values()] == [
        (f"Wide {j}", f"Text {j}") for j in range(3)
    ]
    assert len(added(desk)["w0"].fields) == 200
    assert browser.get("/screen?item=61").status_code == 303
    assert "Wide 0" in browser.get("/screen").text
    assert browser.get("/export/labels.csv?which=all").status_code == 200


def test_a_table_without_a_text_column(browser, desk):
    browser.get("/import")
    where = bring(browser, "a,b\n1,2\n3,4\n", "numbers.csv")
    page = browser.get(where).text
    assert "Title" in page
    answer = browser.post(where, {"title": "", "text": []})
    assert answer.status_code == 422
    assert "No title or text column was chosen. Choose at least one." in answer.text
    assert browser.post(where, {"title": "title"}).status_code == 422  # it has none
    assert desk.store.n_items == 60
    assert browser.get(where).status_code == 200  # and one can still choose


def test_duplicate_ids(read, desk):
    _, page = read("id,title,abstract\nd1,A,first\nd1,B,second\nd2,C,third\n")
    assert "3 new" in page
    assert "d1#2: its id is there already" in page
    assert [item.text for item in added(desk).values()] == ["first", "second", "third"]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.csv", b"", "No records in &#39;empty.csv&#39;"),
        ("header.csv", b"id,title\n", "needs a header and a row below it"),
        ("empty.ris", b"", "No records in &#39;empty.ris&#39;. In a RIS file a record begins with a line"),
        ("broken.jsonl", b"{bad json\n", "not JSON"),
        ("broken.xlsx", b"PK\x03\x04broken", "is not a whole zip archive"),
        ("broken.zip", b"PK\x03\x04broken", "is not a whole zip archive"),
        ("broken.bib", b"@article{a, title={no end", "not BibTeX"),
        ("broken.parquet", b"PAR1xxxx", "is not a whole Parquet file"),
        ("nothing.zip", None, "nothing.zip"),
    ],
)
def test_files_that_cannot_be_read(browser, desk, name, content, told):
    if content is None:
        archive = io.BytesIO()
        zipfile.ZipFile(archive, "w").close()
        content = archive.getvalue()
    browser.get("/import")
    assert bring(browser, content, name) == "/import"
    page = browser.get("/import").text
    assert "failed</span>" in page
    assert told in page
    assert desk.store.n_items == 60


def test_a_bad_file_does_not_hinder_a_good_one(browser, app, desk):
    browser.get("/import")
    files = [("files", ("bad.csv", b"")), ("files", ("good.csv", GOOD.encode()))]
    assert browser.post("/import/upload", files=files).headers["location"] == "/import"
    page = browser.get("/import").text
    assert "failed</span>" in page
    good = app.app.state.imports.all()[0]
    browser.post(f"/import/{good.id}", {"title": "title", "text": ["abstract"], "key": "id"})
    app.app.state.imports.wait()
    assert added(desk)["g1"].title == "A good one"


def test_a_project_of_a_newer_version_stays_as_it_is(tmp_path, capsys):
    path = tmp_path / "newer.db"
    with open_store(path) as store, store.importing("a list") as batch:
        batch.add([])
    with sqlite3.connect(path) as connection:
        connection.execute("update lopsided_version set version_num = '9999'")
    connection.close()
    before = path.read_bytes()
    assert main(["serve", str(path), "--port", "0"]) == 2
    line = capsys.readouterr().err.strip()
    assert "is of a newer lopsided (format 9999;" in line
    assert "Upgrade" in line
    assert "\n" not in line
    assert path.read_bytes() == before
