"""Files in a real browser: import by drop and path, labels that come along, stopping, exports, a folder."""

import csv
import io
import json
import threading

import pytest

from lopsided.text import Roles, iter_records
from lopsided.web import _imports
from lopsided.web._watch import Watcher
from web.served import answer_all, listening, serving, wait_for

pytest.importorskip("playwright", reason="browser tests need playwright")
SHIPS = range(1, 61, 10)
TABLE = "pmid,name,summary,included,journal\n" + "".join(
    f"{i},Voyage {i},{'Grain and prices' if i % 4 else 'Ships and ports'} number {i}.,{int(i % 4 == 0)},Sea\n"
    for i in range(1, 21)
)
DROP = """([name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name, { type: 'text/csv' }));
  for (const kind of ['dragenter', 'dragover', 'drop'])
    document.getElementById('drop').dispatchEvent(
      new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def empty(tmp_path):
    """An application with a new project, and its address."""
    with serving(tmp_path / "new.db") as app, listening(app) as address:
        yield app, address


def choose_columns(page):
    page.locator("select[name=title]").select_option("name")
    page.locator("select[name=key]").select_option("pmid")
    for name in ("pmid", "name", "included", "journal"):
        page.locator(f"input[name=text][value={name}]").uncheck()
    page.locator("input[name=text][value=summary]").check()


def test_from_a_dropped_file_to_the_first_answers(chromium, empty):
    """Drop, preview, columns, labels that are there already, the question, and the first item."""
    app, address = empty
    desk = app.app.state.desk
    page = chromium.new_context(base_url=address).new_page()
    page.set_default_timeout(15_000)
    page.goto("/")
    page.wait_for_url("**/import")
    page.evaluate(DROP, ["found.csv", TABLE])
    page.wait_for_url("**/import/*")
    assert "Voyage 1" in page.locator("table").inner_text()
    choose_columns(page)
    page.locator("select[name=label]").select_option("included")
    page.get_by_role("button", name="Import the file").click()
    page.wait_for_selector("text=20 new")
    assert desk.store.item(4).title == "Voyage 4"
    assert desk.store.item(4).text == "Ships and ports number 4."
    assert desk.store.item(4).fields == {"journal": "Sea"}
    page.get_by_label("Meaning of 0").select_option("")
    page.get_by_label("Meaning of 1").select_option(label="relevant")
    page.get_by_role("button", name="Keep these labels").click()
    page.wait_for_selector(".state:has-text('kept')")
    assert desk.session.n_found == desk.session.n_labels == 5
    page.locator("#lead a").click()
    page.wait_for_url("**/settings")
    page.get_by_label("What are you looking for?").fill("ships in ports")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_selector("text=Saved.")
    page.goto("/import")
    assert page.locator("#lead").count() == 0  # it has been said
    page.get_by_role("link", name="Start screening").click()
    page.wait_for_url("**/screen")
    page.wait_for_selector("article#item")  # from positives alone: the model ranks what is left
    assert page.locator("#item .badge").inner_text() in ("most likely", "random check")
    assert "ships in ports" in page.locator("#criteria").inner_text()
    page.context.close()


def test_a_question_comes_first_and_then_chance(page, desk):
    """Cold start: with a question the items that match it, without one any item, until one is relevant."""
    page.goto("/screen")
    assert page.locator("#item .badge").inner_text() == "at random"
    assert "no relevant item is known yet" in page.locator("#item .why").inner_text()
    page.goto("/settings")
    page.get_by_label("What are you looking for?").fill("Which ships sank?")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_selector("text=Saved.")
    wait_for(lambda: desk.is_ready)
    page.goto("/screen")
    assert page.locator("#item .badge").inner_text() == "search"
    assert "sank" in page.locator("#item").inner_text()
    item = page.locator("#item").get_attribute("data-item")
    page.keyboard.press("y")
    page.wait_for_selector(f'#item:not([data-item="{item}"])')
    assert page.locator("#item .badge").inner_text() in ("most likely", "random check")
    assert "ship" in page.locator("#item").inner_text().lower()


def test_a_path_on_this_machine(page, desk, tmp_path):
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "one.csv").write_text(TABLE)
    page.goto("/import")
    page.get_by_label("Or a file or folder on this computer").fill(str(folder / "none.csv"))
    page.get_by_role("button", name="Look inside").click()
    page.wait_for_selector("text=There is no file or folder")
    page.troubles.clear()  # the browser has told of the status 404
    page.goto("/import")
    page.get_by_label("Or a file or folder on this computer").fill(str(folder))
    page.get_by_role("button", name="Look inside").click()
    page.wait_for_url("**/import/*")
    page.locator("select[name=title]").select_option("name")
    page.get_by_role("button", name="Import the file").click()
    page.wait_for_selector("text=20 new")
    assert desk.store.n_items == 80
    assert (folder / "one.csv").exists()


def test_an_import_can_be_stopped_and_finished(page, desk, monkeypatch):
    there, on, whole = threading.Event(), threading.Event(), _imports.iter_records

    def iter_records(*arguments, **options):
        for i, record in enumerate(whole(*arguments, **options)):
            if i == 12 and not on.is_set():
                there.set()
                on.wait(30)
            yield record

    monkeypatch.setattr(_imports, "iter_records", iter_records)
    page.goto("/import")
    page.evaluate(DROP, ["found.csv", TABLE])
    page.wait_for_url("**/import/*")
    page.locator("select[name=title]").select_option("name")
    page.get_by_role("button", name="Import the file").click()
    assert there.wait(30)
    page.goto("/import")
    page.wait_for_selector("text=12 records read")
    page.get_by_role("button", name="Stop", exact=True).click()
    on.set()
    page.wait_for_selector("text=Stopped after 12 records")
    page.get_by_role("link", name="Import the rest").click()
    page.get_by_role("button", name="Import the file").click()
    page.wait_for_selector(".state:has-text('done')")
    assert desk.store.n_items == 80
    assert len({item.key for item in desk.store.items()}) == 80


def test_every_export_can_be_read_back(page, desk, tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="XLSX needs openpyxl")
    answer_all(desk, [(item, 1 if item in SHIPS else 2) for item in range(1, 13)])
    page.goto("/export")
    saved = {}
    for name in ("csv", "xlsx", "jsonl", "ris"):
        with page.expect_download() as download:
            page.locator(f"a[href='/export/labels.{name}?which=labeled']").click()
        assert download.value.suggested_filename == f"ships.{name}"
        saved[name] = tmp_path / f"saved.{name}"
        download.value.save_as(saved[name])
    rows = list(csv.DictReader(io.StringIO(saved["csv"].read_text("utf-8-sig"))))
    sheet = openpyxl.load_workbook(saved["xlsx"]).active.values
    header = next(sheet)
    cells = [dict(zip(header, row, strict=True)) for row in sheet]
    lines = [json.loads(line) for line in saved["jsonl"].read_text().splitlines()]
    for table in (rows, cells, lines):
        assert [one["label"] for one in table] == [
            "relevant",
            *["not relevant"] * 9,
            "relevant",
            "not relevant",
        ]
        assert {one["who"] for one in table} == {"you"}
        assert {one["why"] for one in table} == {"most likely"}
        assert [one["title"] for one in table] == [desk.store.item(i).title for i in range(1, 13)]
    records = list(iter_records(saved["ris"], Roles("title", ("abstract",), "id", None)))
    assert [record.title for record in records] == [one["title"] for one in rows]
    with page.expect_download() as download:
        page.get_by_role("link", name="Save relevant as CSV").click()
    assert download.value.path().read_text("utf-8-sig").count("\n") == 3


def test_a_watched_folder(page, app, desk, tmp_path):
    answer_all(desk, [(item, 1 if item in SHIPS else 2) for item in range(1, 41)])
    folder = tmp_path / "new"
    folder.mkdir()
    watcher = Watcher(folder, app.app.state.inbox, pause=0.05)
    try:
        page.goto("/inbox")
        assert "--watch FOLDER" in page.locator("main").inner_text()
        lines = [{"id": f"x{i}", "title": f"Ships {i}", "text": f"A ship left port {i}."} for i in range(5)]
        (folder / "first.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        wait_for(lambda: desk.store.n_items == 65)
        wait_for(lambda: app.app.state.inbox.report().n_arrived == 5)
        page.reload()
        assert "5" in page.locator(".facts").inner_text()
        entry = page.locator(".entries > li").first
        assert "A ship left port" in entry.inner_text()
        entry.get_by_role("button", name="relevant", exact=True).click()
        wait_for(lambda: app.app.state.inbox.report().n_labeled == 1)
    finally:
        watcher.close()
