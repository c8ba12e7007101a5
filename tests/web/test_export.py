"""What goes out: labels with who, when, why and how likely; and nothing that a spreadsheet would compute."""

import csv
import io
import json

import pytest

from lopsided.store import open_store
from lopsided.text import Record
from web.served import Browser, serving


@pytest.fixture
def labeled(browser, desk):
    yes, no = (label.id for label in desk.store.labels())
    for item, label in ((1, yes), (2, no), (3, None)):
        desk.answer(desk.local_user.id, item, label, reason="most likely", token=f"token-{item}")
    desk.store.note(1, desk.local_user.id, "odd; =1+1", token="note-token")
    tag = desk.store.add_tag("read again")
    desk.store.tag(1, desk.local_user.id, tag.id, token="tag-token")
    return browser


def read_csv(browser, which="labeled"):
    answer = browser.get(f"/export/labels.csv?which={which}")
    assert answer.status_code == 200
    assert 'filename="ships.csv"' in answer.headers["content-disposition"]
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_labels_as_csv(labeled):
    rows = read_csv(labeled)
    assert [row["label"] for row in rows] == ["relevant", "not relevant", "skipped"]
    first = rows[0]
    assert (first["id"], first["relevant"], first["who"], first["why"]) == ("r0", "yes", "you", "most likely")
    assert first["when"].startswith("20")
    assert first["tags"] == "read again"
    assert first["authors"] == "Author 0"
    assert first["note"] == "odd; '=1+1"


def test_which_items(labeled):
    assert [row["id"] for row in read_csv(labeled, "relevant")] == ["r0"]
    assert len(read_csv(labeled, "all")) == 60


def test_other_formats(labeled):
    lines = labeled.get("/export/labels.jsonl").text.splitlines()
    assert json.loads(lines[0])["label"] == "relevant"
    ris = labeled.get("/export/labels.ris?which=relevant").text
    assert ris.count("ER  -") == 1
    assert "Ships 0" in ris
    openpyxl = pytest.importorskip("openpyxl", reason="XLSX needs openpyxl")
    sheet = openpyxl.load_workbook(io.BytesIO(labeled.get("/export/labels.xlsx").content)).active
    assert sheet.max_row == 4
    assert labeled.get("/export/labels.exe").status_code == 422


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_no_cell_is_a_formula(tmp_path, start):
    evil = f"{start}cmd|' /C calc'!A0"
    with open_store(tmp_path / "ships.db") as store, store.importing("a list") as batch:
        batch.add([Record("1", evil, evil, {"authors": evil})])
    with serving(tmp_path / "ships.db") as app:
        browser = Browser(app)
        browser.get("/export")
        row = read_csv(browser, "all")[0]
        assert [row[name][0] for name in ("title", "text", "authors")] == ["'"] * 3


def test_the_page_offers_every_format(labeled):
    page = labeled.get("/export").text
    assert all(f"/export/labels.{name}?which=relevant" in page for name in ("csv", "xlsx", "jsonl", "ris"))
