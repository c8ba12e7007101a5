"""A full disk and a lost database: each request says what to do, and nothing that was confirmed is lost."""

import pytest
from sqlalchemy import event

from lopsided.store import open_store
from web.served import Browser, wait_for


@pytest.fixture
def full(desk):
    """A function that lets the file grow no further, or again."""
    engine, limits = desk.store.database.engine, [2**30]

    @event.listens_for(engine, "connect")
    def limit(connection, _):
        connection.execute(f"PRAGMA max_page_count = {limits[-1]}")

    def fill(is_full=True):
        pages = desk.store.database.engine.raw_connection()
        limits.append(pages.cursor().execute("PRAGMA page_count").fetchone()[0] if is_full else 2**30)
        pages.close()
        engine.dispose()

    return fill


def answer(browser, item, token, **more):
    return browser.send("/api/answers", {"item": item, "label": 1, "token": token} | more)


def test_a_full_disk(browser, app, desk, full):
    assert answer(browser, 1, "before-it-is-full").status_code == 200
    full()
    confirmed, refused = {1}, None
    for item in range(2, 61):  # what is left of the last pages
        told = answer(browser, item, f"a-token-{item}", reason="x" * 40)
        if told.status_code != 200:
            refused = item
            break
        confirmed.add(item)
    assert (told.status_code, told.json()["status"], told.json()["ok"]) == (507, 507, False)
    assert "no space left for" in told.json()["error"]
    assert "Free some disk space and try again" in told.json()["error"]
    page = browser.post("/screen/answer", {"item": "60", "label": "1", "token": "a-token"})
    assert page.status_code == 507
    assert "No space left" in page.text
    assert browser.get("/screen").status_code == 200  # reading goes on
    table = "title,abstract\n" + "".join(f"Title {i},{'word ' * 90}{i}\n" for i in range(300))
    where = browser.post("/import/upload", files=[("files", ("more.csv", table))]).headers["location"]
    browser.post(where, {"title": "title", "text": ["abstract"]})
    app.app.state.imports.wait()
    assert "o space left for" in (page := browser.get("/import").text)
    assert "Try again" in page
    full(False)
    assert answer(browser, refused, f"a-token-{refused}", reason="x" * 40).status_code == 200
    assert set(desk.store.current()) == confirmed | {refused}
    assert desk.session.n_labels == len(confirmed) + 1
    browser.post(where, {"title": "title", "text": ["abstract"]})
    app.app.state.imports.wait()
    assert "300 new" in browser.get("/import").text


def test_a_file_that_is_taken_away(browser, desk, project):
    """SQLite itself would go on writing into a file that has no name any more."""
    assert answer(browser, 1, "a-token-1").status_code == 200
    aside = [(path, path.with_name("aside-" + path.name)) for path in project.parent.glob("ships.db*")]
    for path, other in aside:
        path.rename(other)
    told = answer(browser, 2, "a-token-2")
    assert told.status_code == 503
    assert "is no longer the file that was opened" in told.json()["error"]
    page = browser.get("/progress")
    assert page.status_code == 503
    assert "is no longer the file that was opened" in page.text
    assert "ships" in page.text  # the name of the project is still known
    assert not project.exists()  # and no empty one was made in its place
    for path, other in aside:
        other.rename(path)
    assert answer(browser, 2, "a-token-2").status_code == 200
    assert set(desk.store.current()) == {1, 2}


def test_another_file_in_its_place(browser, project, tmp_path):
    project.rename(tmp_path / "aside.db")
    with open_store(project):
        assert answer(browser, 1, "a-token-1").status_code == 503


def test_documents_are_read_once_the_database_is_back(project, monkeypatch):
    from lopsided.store import StoreError
    from lopsided.web import _repeating
    from lopsided.web._app import create_app
    from lopsided.web._desk import Desk

    monkeypatch.setattr(_repeating, "_PAUSE", 0.05)
    lost = [True]
    with open_store(project) as store:
        items = store.items

        def read(**bounds):
            for item in items(**bounds):
                if lost[0] and item.id > 30:
                    raise StoreError("no connection to it", "Check that the server runs.", "lost")
                yield item

        monkeypatch.setattr(store, "items", read)
        desk = Desk(store)
        app = create_app(desk)
        browser = Browser(app)
        wait_for(lambda: desk.failure)
        page = browser.get("/screen")
        assert page.status_code == 503
        assert "Check that the server runs." in page.text
        assert "no connection to it" in browser.client.get("/api/next").json()["error"]
        lost[0] = False
        wait_for(lambda: browser.get("/screen").status_code == 200)
        assert desk.session.n_items == 60  # none of the first 30 came twice
        desk.close()
        app.app.state.imports.close()
