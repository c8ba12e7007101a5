"""Bring a file, look at it, read it; then more of them; and take the labels out again."""

import io
import re
import threading
import time
import zipfile
from pathlib import Path

import pytest

from lopsided.web._watch import Watcher
from web.served import Browser, make_records, serving, wait_for

TABLE = "pmid,title,abstract,included,journal\n" + "".join(
    f"{i},Title {i},Abstract {i} about {'ships at sea' if i % 5 == 0 else 'grain'}.,{int(i % 5 == 0)},Sea\n"
    for i in range(1, 31)
)


def bring(browser, content, name="found.csv", **more):
    files = [("files", (name, content))] + [("files", (n, c)) for n, c in more.items()]
    return browser.post("/import/upload", files=files)


def read(browser, app, where, **columns):
    values = {"title": "title", "text": ["abstract"], "key": "pmid", "label": "included"} | columns
    answer = browser.post(where, values)
    app.app.state.imports.wait()
    return answer


def test_a_table_is_looked_at_and_read(tmp_path):
    with serving(tmp_path / "new.db") as app:
        browser, desk = Browser(app), app.app.state.desk
        assert browser.get("/").headers["location"] == "/import"
        browser.get("/import")
        where = bring(browser, TABLE).headers["location"]
        page = browser.get(where).text
        assert "csv, 5 columns" in page
        assert '<option value="title" selected>' in page
        assert 'value="abstract" checked' in page
        assert '<option value="included" selected>' in page
        assert read(browser, app, where).headers["location"] == "/import"
        page = browser.get("/import").text
        assert "30 new" in page
        assert desk.store.n_items == 30
        assert desk.store.item(5).fields["journal"] == "Sea"
        wait_for(lambda: desk.session.n_items == 30)
        assert "item" in browser.client.get("/api/next").json()


def test_a_page_shows_one_moment_of_an_import(browser, app, monkeypatch):
    """Otherwise it would say that an import is done, and load itself again under the hands of a person."""
    browser.get("/import")
    where = bring(browser, TABLE).headers["location"]
    read(browser, app, where)
    upload = app.app.state.imports.get(where.rpartition("/")[2])
    upload.state = "reading"

    def ends_meanwhile(self):
        was_running, upload.state = self.state == "reading", "done"
        return was_running

    monkeypatch.setattr(type(upload), "is_running", property(ends_meanwhile))
    page = browser.get("/import").text
    assert 'http-equiv="refresh"' in page
    assert "30 records read" in page
    assert "30 new" not in page


def test_labels_of_a_file_are_kept_where_somebody_says_what_they_mean(tmp_path):
    with serving(tmp_path / "new.db") as app:
        browser, desk = Browser(app), app.app.state.desk
        browser.get("/import")
        read(browser, app, bring(browser, TABLE).headers["location"])
        wait_for(lambda: desk.session.n_items == 30)
        yes, no = (label.id for label in desk.store.labels())
        page = browser.get("/import").text
        assert f'<option value="{yes}" selected>' in page  # guessed from "1"
        assert desk.session.n_labels == 0
        browser.post("/import-labels", {"value": ["0", "1"], "label": ["", str(yes)]})
        assert desk.session.n_found == 6
        assert desk.session.n_labels == 6
        browser.post("/import-labels", {"value": ["0", "1"], "label": [str(no), str(yes)]})
        assert (desk.session.n_found, desk.session.n_labels) == (6, 30)


def test_more_files_come_into_a_running_project(browser, app, desk):
    yes = desk.store.labels()[0].id
    desk.answer(desk.local_user.id, 1, yes, reason="given", token="token-1")
    browser.get("/import")
    answer = bring(browser, TABLE, **{"more.csv": TABLE.replace("Title", "Other").replace(",Abs", ",An abs")})
    assert answer.headers["location"] == "/import"
    uploads = app.app.state.imports.all()
    assert [upload.name for upload in uploads] == ["more.csv", "found.csv"]
    for upload in uploads:
        read(browser, app, f"/import/{upload.id}")
    wait_for(lambda: desk.session.n_labels == 1 and desk.session.n_items > 60)
    assert desk.store.n_items == 120
    again = bring(browser, TABLE).headers["location"]
    read(browser, app, again)
    assert "30 already in the project" in browser.get("/import").text
    assert desk.store.n_items == 120


def test_copies_are_labeled_once(tmp_path):
    long = "A ship left the old port of Piraeus in the early morning with grain for the islands and was lost"
    rows = "".join(f"{i},A voyage {'!' * i},{long}{'.' * i},,Sea\n" for i in range(3))
    with serving(tmp_path / "new.db") as app:
        browser, desk = Browser(app), app.app.state.desk
        browser.get("/import")
        read(
            browser, app, bring(browser, "pmid,title,abstract,included,journal\n" + rows).headers["location"]
        )
        assert "2 of them duplicates" in browser.get("/import").text
        wait_for(lambda: desk.session.n_items == 1)


def test_a_file_that_is_none_is_refused_in_words(browser):
    browser.get("/import")
    assert bring(browser, b"", name="empty.csv").headers["location"] == "/import"
    assert 'class="problem"' in browser.get("/import").text
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("../../evil.csv", TABLE)
    bring(browser, archive.getvalue(), name="evil.zip")
    bring(browser, b"\x00\x01\x02PNG", name="picture.png")
    page = browser.get("/import").text
    assert page.count("failed</span>") >= 2


def test_columns_that_are_not_there_are_refused(browser, app):
    browser.get("/import")
    where = bring(browser, TABLE).headers["location"]
    assert browser.post(where, {"title": "nonsense"}).status_code == 422
    assert browser.post(where, {"title": ""}).status_code == 422
    assert browser.get("/import/nonsense").status_code == 404


def test_a_path_of_this_machine(browser, app, desk, tmp_path):
    path = tmp_path / "here.csv"
    path.write_text(TABLE)
    browser.get("/import")
    where = browser.post("/import/path", {"path": str(path)}).headers["location"]
    read(browser, app, where)
    assert desk.store.n_items == 90
    assert path.exists()
    assert browser.post("/import/path", {"path": str(tmp_path / "none")}).status_code == 404


def test_taking_a_file_off_the_list_removes_our_copy(browser, app):
    browser.get("/import")
    where = bring(browser, TABLE).headers["location"]
    path = app.app.state.imports.all()[0].path
    assert path.exists()
    browser.post(f"{where}/drop")
    assert not path.exists()


def test_the_inbox_takes_an_item_once(browser, desk):
    yes, no = (label.id for label in desk.store.labels())
    for item in range(1, 31):
        label = yes if item % 10 == 1 else no
        desk.answer(desk.local_user.id, item, label, reason="given", token=f"token-{item}")
    items = [{"id": f"new-{r.id}", "title": r.title, "text": r.text} for r in make_records(80)]
    first = browser.send("/api/items", {"items": items}).json()["items"]
    again = browser.send("/api/items", {"items": items[::-1]}).json()["items"][::-1]
    assert [one["is_new"] for one in first] == [True] * 80
    assert [one["is_new"] for one in again] == [False] * 80
    kept = ("item", "show", "explored", "score", "probability")
    assert [[one[name] for name in kept] for one in first] == [[one[name] for name in kept] for one in again]
    shown = [one for one in first if one["show"]]
    assert 8 <= len(shown) < 60
    ships = [one for i, one in enumerate(first) if i % 10 == 0]
    assert sum(one["show"] for one in ships) >= 7
    page = browser.get("/inbox").text
    assert "Waiting for a label" in page
    browser.post(f"/inbox/{shown[0]['item']}", {"label": str(yes), "token": "inbox-token"})
    report = browser.client.get("/api/inbox").json()
    assert (report["n_arrived"], report["n_shown"], report["n_labeled"]) == (80, len(shown), 1)
    assert report["missed"]["low"] <= report["missed"]["high"]
    wait_for(lambda: desk.session.n_items >= 60)


def test_what_is_unexpected_can_be_named_and_dismissed(browser, desk):
    yes = desk.store.labels()[0].id
    assert "This page needs 30 labels" in browser.get("/unexpected").text
    named = browser.post("/unexpected/7/name", {"name": "sugar", "token": "name-token"})
    assert named.status_code == 303
    assert desk.store.labels()[-1].name == "sugar"
    assert desk.session.label(6) is False
    browser.post("/unexpected/8/name", {"label": str(yes), "token": "name-token-2"})
    assert desk.session.label(7) is True
    browser.post("/unexpected/9/dismiss", {"token": "dismiss-token"})
    assert desk.store.dismissed() == {9}


def test_with_everything_labeled_nothing_is_unexpected(browser, desk):
    for item in range(1, 61):
        desk.answer(desk.local_user.id, item, 1, reason="given", token=f"token-{item}")
    wait_for(lambda: "Every item has a label" in browser.get("/unexpected").text)


def test_a_watched_folder_fills_the_inbox(browser, app, desk, tmp_path):
    folder = tmp_path / "new"
    folder.mkdir()
    watcher = Watcher(folder, app.app.state.inbox, pause=0.05)
    try:
        (folder / "first.csv").write_text(TABLE)
        wait_for(lambda: browser.client.get("/api/inbox").json()["n_arrived"] == 30)
        (folder / "second.jsonl").write_text('{"id": "x1", "text": "A ship."}\n')
        (folder / "broken.csv").write_text("")
        wait_for(lambda: browser.client.get("/api/inbox").json()["n_arrived"] == 31)
    finally:
        watcher.close()
    again = Watcher(folder, app.app.state.inbox, pause=0.05)
    try:
        (folder / "third.jsonl").write_text('{"id": "x2", "text": "Two ships."}\n')
        wait_for(lambda: browser.client.get("/api/inbox").json()["n_arrived"] == 32)
        assert desk.store.n_items == 60 + 32  # what was there is not taken twice
    finally:
        again.close()


def test_a_folder_that_is_not_there_cannot_be_watched(app, tmp_path):
    with pytest.raises(ValueError, match="no folder"):
        Watcher(tmp_path / "none", app.app.state.inbox)


@pytest.fixture
def halted(monkeypatch):
    """Reading that waits before record 4,500 until it is told to go on."""
    from lopsided.web import _imports

    on, there, whole = threading.Event(), threading.Event(), _imports.iter_records

    def iter_records(*arguments, **options):
        for i, record in enumerate(whole(*arguments, **options)):
            if i == 4500:
                there.set()
                on.wait(30)
            yield record

    monkeypatch.setattr(_imports, "iter_records", iter_records)
    yield there, on
    on.set()


LONG = "pmid,title,abstract,included,journal\n" + "".join(
    f"{i},Title {i},{'grain and sea ' * 8}{i % 4000}.,,Sea\n" for i in range(9000)
)


def test_an_import_shows_how_far_it_is_and_can_be_stopped(tmp_path, halted):
    there, on = halted
    with serving(tmp_path / "new.db") as app:
        browser, desk = Browser(app), app.app.state.desk
        browser.get("/import")
        where = bring(browser, LONG).headers["location"]
        columns = {"title": "title", "text": ["abstract"], "key": "pmid"}
        browser.post(where, columns)
        assert there.wait(30)
        page = browser.get("/import").text
        share = int(re.search(r"4,500 records read, (\d+) % of the file", page)[1])
        assert 45 <= share <= 65
        assert re.search(rf'max="100" value="{share}', page) or f'value="{share - 1}.' in page
        assert browser.get(where).headers["location"] == "/import"
        browser.post(f"{where}/drop")  # not while it is being read
        assert browser.post(f"{where}/stop").headers["location"] == "/import"
        on.set()
        app.app.state.imports.wait()
        page = browser.get("/import").text
        assert "Stopped after 4,500 records. 4,000 of them are in the project" in page
        assert "incomplete: import it again" in page
        wait_for(lambda: desk.is_ready and desk.session.n_items == 4000 - len(desk.store.groups()))
        assert "Check which column is which" in browser.get(where).text
        browser.post(where, columns)
        app.app.state.imports.wait()
        page = browser.get("/import").text
        assert "5,000 new, 4,000 already in the project" in page
        assert [item.key for item in desk.store.items()] == [str(i) for i in range(9000)]
        assert set(desk.store.groups().items()) >= {(4001 + i, 1 + i) for i in range(10)}


def test_the_search_for_copies_can_be_stopped_and_goes_on_later(tmp_path, monkeypatch):
    from lopsided.screening import DuplicateIndex

    searching, go_on, add = threading.Event(), threading.Event(), DuplicateIndex.add

    def slowly(index, records, **options):
        searching.set()
        assert go_on.wait(30)
        return add(index, records, **options)

    monkeypatch.setattr(DuplicateIndex, "add", slowly)
    with serving(tmp_path / "new.db") as app:
        browser, desk = Browser(app), app.app.state.desk
        browser.get("/import")
        where = bring(browser, LONG).headers["location"]
        columns = {"title": "title", "text": ["abstract"], "key": "pmid"}
        browser.post(where, columns)
        assert searching.wait(30)
        assert desk.session.n_items == 9000  # screening has begun
        browser.post(f"{where}/stop")
        go_on.set()
        app.app.state.imports.wait()
        n_found = len(desk.store.groups())
        assert app.app.state.imports.get(where.rpartition("/")[2]).state == "interrupted"
        browser.post(where, columns)
        app.app.state.imports.wait()
        groups = desk.store.groups()
        assert len(groups) > n_found
        assert set(groups.items()) >= {(4001 + i, 1 + i) for i in range(10)}
        wait_for(lambda: desk.session.n_items == 9000 - len(groups))


def test_a_search_for_copies_that_was_cut_off_goes_on_after_a_restart(tmp_path, monkeypatch):
    from lopsided.screening import DuplicateIndex

    searching, add = threading.Event(), DuplicateIndex.add

    def slowly(index, records, **options):
        searching.set()
        time.sleep(0.5)  # meanwhile the server is ended
        return add(index, records, **options)

    with monkeypatch.context() as patch, serving(tmp_path / "new.db") as app:
        patch.setattr(DuplicateIndex, "add", slowly)
        browser = Browser(app)
        browser.get("/import")
        where = bring(browser, LONG).headers["location"]
        browser.post(where, {"title": "title", "text": ["abstract"], "key": "pmid"})
        assert searching.wait(30)
    with serving(tmp_path / "new.db") as app:
        desk = app.app.state.desk
        app.app.state.imports.wait()
        groups = desk.store.groups()
        assert set(groups.items()) >= {(4001 + i, 1 + i) for i in range(10)}
        wait_for(lambda: desk.session.n_items == 9000 - len(groups))
    monkeypatch.setattr(DuplicateIndex, "add", None)  # whoever searches now fails
    monkeypatch.setattr(DuplicateIndex, "restore", None)
    with serving(tmp_path / "new.db") as app:
        app.app.state.imports.wait()
        assert app.app.state.desk.store.groups() == groups


def test_an_import_does_not_hold_up_the_end_of_the_server(tmp_path, halted):
    there, on = halted
    with serving(tmp_path / "new.db") as app:
        browser = Browser(app)
        browser.get("/import")
        browser.post(bring(browser, LONG).headers["location"], {"title": "title", "text": ["abstract"]})
        assert there.wait(30)
        imports = app.app.state.imports
        reading_goes_on = threading.Thread(target=lambda: (wait_for(lambda: imports._is_closed), on.set()))
        reading_goes_on.start()
    reading_goes_on.join()
    with serving(tmp_path / "new.db") as app:
        assert app.app.state.desk.store.n_items == 4000
        assert "incomplete: import it again" in Browser(app).get("/import").text


def test_copies_are_found_among_items_that_came_otherwise(tmp_path):
    """Items of the inbox come between two imports; the rows of the index are still those of the items."""
    long = "A ship left the old port of Piraeus in the early morning with grain for the islands and was lost"
    header = "pmid,title,abstract,included,journal\n"
    with serving(tmp_path / "new.db") as app:
        browser, desk = Browser(app), app.app.state.desk
        browser.get("/import")
        read(
            browser,
            app,
            bring(browser, header + f"1,A voyage,{long},,\n2,Prices,Wheat is dear.,,\n").headers["location"],
        )
        items = [{"id": f"new-{i}", "title": f"News {i}", "text": f"Item {i} of the day."} for i in range(3)]
        browser.send("/api/items", {"items": items})
        read(
            browser,
            app,
            bring(browser, header + f"3,Corn,Corn grows.,,\n4,A voyage,{long}!,,\n").headers["location"],
        )
        assert desk.store.groups() == {7: 1}


def test_what_was_compared_is_not_compared_again_after_a_restart(tmp_path, monkeypatch):
    from lopsided.screening import DuplicateIndex

    n_compared, add = [], DuplicateIndex.add

    def counted(index, records, **options):
        records = list(records)
        n_compared.append(len(records))
        return add(index, records, **options)

    monkeypatch.setattr(DuplicateIndex, "add", counted)
    columns = {"title": "title", "text": ["abstract"], "key": "pmid", "label": ""}
    more = LONG.partition("\n")[0] + "\n" + LONG.splitlines()[40].replace("39,", "new,", 1) + "\n"
    groups = []
    for table in (LONG, more):
        with serving(tmp_path / "new.db") as app:
            browser = Browser(app)
            browser.get("/import")
            read(browser, app, bring(browser, table).headers["location"], **columns)
            groups.append(app.app.state.desk.store.groups())
    assert n_compared == [1000] * 9 + [1]
    assert set(groups[1]) - set(groups[0]) == {9001}
    assert groups[1][9001] == groups[0].get(40, 40)


def test_the_inbox_is_one_source_a_day(browser, desk, monkeypatch):
    for i in (0, 1, 1, 2):
        browser.send("/api/items", {"items": [{"id": f"new-{i}", "text": f"Item {i}."}]})
    inbox = desk.store.sources()[1:]
    assert [(one.format, one.n_new, one.n_known) for one in inbox] == [("api", 3, 1)]
    assert inbox[0].finished is not None
    assert inbox[0].name in browser.get("/import").text


def test_a_full_disk_refuses_an_upload_and_leaves_nothing(browser, app, monkeypatch):
    import shutil

    def fail(source, target, length):
        target.write(b"x")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", fail)
    browser.client._transport.raise_server_exceptions = False
    browser.get("/import")
    page = bring(browser, TABLE)
    assert page.status_code == 507
    assert "No space left on device" in page.text
    assert "Free some disk space" in page.text
    assert list(Path(app.app.state.imports._folder.name).iterdir()) == []
