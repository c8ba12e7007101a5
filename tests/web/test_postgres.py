"""The page on PostgreSQL: the same work, and a server that is stopped and comes back."""

import pytest

from store.postgres_server import Server, find_programs
from web.served import Browser, serving, wait_for

TABLE = "pmid,title,abstract,included\n" + "".join(
    f"{i},{what} {i},Item {i} of {what.lower()},{int(i < 4)}\n"
    for i in range(60)
    for what in ["Corn" if i % 10 else "Ships"]
)


@pytest.fixture(scope="module")
def server():
    pytest.importorskip("psycopg", reason="needs lopsided[postgres]")
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql")
    server = Server(programs)
    yield server
    server.close()


def answer_next(browser, label=None):
    shown = browser.client.get("/api/next").json()
    label = label or (1 if "Ships" in shown["html"] else 2)
    values = {name: shown[name] for name in ("item", "token", "reason")} | {"label": label}
    return values, browser.send("/api/answers", values)


def test_import_answer_undo_and_restart(server):
    url = server.empty()
    with serving(url) as app:
        browser, desk = Browser(app), app.app.state.desk
        browser.get("/import")
        where = browser.post("/import/upload", files=[("files", ("found.csv", TABLE))]).headers["location"]
        columns = {"title": "title", "text": ["abstract"], "key": "pmid", "label": "included"}
        browser.post(where, columns)
        app.app.state.imports.wait()
        assert "60 new" in browser.get("/import").text
        wait_for(lambda: desk.session.n_items == 60)
        browser.post("/import-labels", {"value": ["1"], "label": ["1"]})
        assert desk.session.n_found == 4
        for _ in range(8):
            values, told = answer_next(browser)
            assert told.status_code == 200
        again = browser.send("/api/answers", values)
        assert again.json()["item"] == told.json()["item"]
        undone = browser.send("/api/undo", {"token": "undo-number-1"}).json()
        assert undone["item"] == values["item"]
        assert desk.session.n_labels == 11
        for path in ("/screen", "/progress", "/items", "/people", "/audit", "/export/labels.csv"):
            assert browser.get(path).status_code == 200, path
        browser.get("/screen")
        sent = browser.send("/api/items", {"items": [{"id": "x1", "text": "A ship."}]}).json()
        assert sent["items"][0]["item"] == 61
        values, _ = answer_next(browser)
        wait_for(lambda: desk.session.n_items == 61)
        before = desk.session.screened().rows.tolist()
    with serving(url) as app:
        assert app.app.state.desk.session.screened().rows.tolist() == before
        browser = Browser(app)
        browser.get("/screen")
        assert answer_next(browser, 2)[1].status_code == 200
        assert app.app.state.desk.session.n_labels == 13


def test_a_server_that_stops_and_comes_back(server):
    url = server.empty()
    with serving(url) as app:
        browser, desk = Browser(app), app.app.state.desk
        browser.get("/import")
        where = browser.post("/import/upload", files=[("files", ("found.csv", TABLE))]).headers["location"]
        browser.post(where, {"title": "title", "text": ["abstract"], "key": "pmid"})
        app.app.state.imports.wait()
        wait_for(lambda: desk.session.n_items == 60)
        browser.get("/screen")
        values, told = answer_next(browser)
        assert told.status_code == 200
        shown = browser.client.get("/api/next").json()
        server.stop("immediate")
        try:
            lost = {"item": shown["item"], "label": 2, "token": shown["token"], "reason": shown["reason"]}
            told = browser.send("/api/answers", lost)
            assert (told.status_code, told.json()["ok"]) == (503, False)
            assert "Check that the server runs" in told.json()["error"]
            page = browser.get("/progress")
            assert page.status_code == 503
            assert "Check that the server runs" in page.text
            assert "\n" not in told.json()["error"]
            assert browser.get("/static/screen.js").status_code == 200
        finally:
            server.start()
        assert browser.send("/api/answers", lost).status_code == 200
        assert set(desk.store.current()) == {values["item"], lost["item"]}
        assert desk.store.n_events == 2
