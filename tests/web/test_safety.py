"""What must not get in: other hosts, other sites, requests without a token of the page, too many bytes."""

import re

import pytest

from lopsided.web._shield import POLICY
from web.served import Browser, serving

ANSWER = {"item": 1, "label": 1, "token": "a-token-1"}


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "", "a b"]
)
def test_other_names_of_this_machine_are_refused(app, host):
    browser = Browser(app)
    answer = browser.client.get("/screen", headers={"host": host})
    assert answer.status_code == 421
    assert answer.json()["ok"] is False


@pytest.mark.parametrize("host", ["localhost", "localhost:8642", "127.0.0.1:1", "[::1]:8642", "LOCALHOST"])
def test_our_own_names_are_known(app, host):
    assert Browser(app).client.get("/screen", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("path", ["/screen", "/nothing", "/static/screen.js", "/api/next", "/login"])
def test_every_answer_carries_the_policy(browser, path):
    answer = browser.get(path)
    assert answer.headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/screen", "/import", "/settings", "/people", "/progress", "/why", "/inbox"]
)
def test_no_page_holds_a_script_or_a_style(browser, path):
    page = browser.get(path).text
    assert re.findall(r"<script(?! type=\"module\" src=\"/static/)", page) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:", page) == []
    assert re.findall(r"(?:src|action)=\"https?:|<link[^>]*https?:", page) == []


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_cannot_send(browser, desk, headers):
    headers = headers | {"x-csrf-token": browser.csrf}
    answer = browser.client.post("/api/answers", json=ANSWER, headers=headers)
    assert answer.status_code == 403
    assert desk.store.n_events == 0


def test_a_form_without_the_token_of_the_page_is_refused(browser, desk):
    page = browser.post("/settings", {"csrf": "0" * 64, "name": "mine"})
    assert page.status_code == 403
    assert "Reload it" in page.text
    assert browser.client.post("/settings", data={"name": "mine"}).status_code == 403
    assert desk.name == "ships"


def test_json_without_the_token_is_refused_from_browsers(browser, desk):
    assert browser.client.post("/api/answers", json=ANSWER).status_code == 403  # it has our cookie
    text = {"content-type": "text/plain"}
    body = '{"item": 1, "label": 1, "token": "a-token-1"}'
    assert browser.client.post("/api/answers", content=body, headers=text).status_code == 403
    assert desk.store.n_events == 0


def test_a_program_on_this_machine_may_send_json(app, desk):
    answer = Browser(app).client.post("/api/answers", json=ANSWER)
    assert answer.status_code == 200
    assert desk.store.n_events == 1


def test_a_link_from_elsewhere_is_followed_by_our_own_page(app):
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    answer = Browser(app).client.get("/screen", headers=headers)
    assert 'http-equiv="refresh"' in answer.text
    assert "set-cookie" not in answer.headers


def test_the_cookie_is_strict(app):
    told = Browser(app).client.get("/screen").headers["set-cookie"]
    assert "HttpOnly" in told
    assert "SameSite=Strict" in told


def test_too_many_bytes(project):
    with serving(project, max_bytes=1000, max_upload=2000) as app:
        browser = Browser(app)
        browser.get("/screen")
        big = browser.send("/api/search", {"words": "x" * 5000})
        assert big.status_code == 413
        assert big.json()["status"] == 413
        files = {"files": ("big.csv", b"x" * 5000)}
        page = browser.post("/import/upload", files=files)
        assert page.status_code == 413
        assert "Send it in parts" in page.text


@pytest.mark.parametrize(
    "path", ["/static/../_app.py", "/static/%2e%2e/_app.py", "/static/..%2f_app.py", "/static//etc/passwd"]
)
def test_no_file_of_ours_is_sent(browser, path):
    assert browser.get(path).status_code in (404, 421)


def test_text_is_escaped(tmp_path):
    from lopsided.store import open_store
    from lopsided.text import Record

    evil = "<script>alert(1)</script> \" onload=x ' {{ 7 * 7 }} \x1b[2J"
    with open_store(tmp_path / "evil.db") as store:
        with store.importing(evil) as batch:
            batch.add([Record(evil, evil, evil, {evil: evil, "url": "javascript:alert(1)"}, evil)])
        store.update_project(name=evil, question=evil, criteria=evil, highlights=[evil])
        store.add_tag(evil)
        store.add_label(evil, True)
    with serving(tmp_path / "evil.db") as app:
        browser = Browser(app)
        paths = "/screen /items?show=all /import /settings /people /progress /why /inbox /unexpected /audit"
        for path in paths.split():
            page = browser.get(path).text
            assert "<script>alert" not in page, path
            assert 'href="javascript' not in page, path
            assert "49" not in re.sub(r"\w{32,}", "", page), path
            assert "\x1b" not in page, path


def test_errors_have_one_shape(browser):
    for path, status in (("/api/nothing", 404), ("/api/items/x/note", 405), ("/api/answers", 405)):
        answer = browser.client.get(path)
        told = answer.json()
        assert (told["ok"], told["status"], answer.status_code) == (False, status, status)
        assert told["error"]
    broken = browser.client.post(
        "/api/answers",
        content="{",
        headers={"content-type": "application/json", "x-csrf-token": browser.csrf},
    )
    assert (broken.status_code, broken.json()["ok"]) == (422, False)


def test_numbers_that_nothing_has(browser):
    pages = "/screen?item={} /screen?note=found-{} /items?after={} /items?show={} /audit?before={}"
    for path in (*pages.split(), "/api/items/{}/evidence"):
        for number in (2**31, 10**30, -1, "\N{SUPERSCRIPT TWO}", "x"):
            assert browser.get(path.format(number)).status_code in (200, 404, 405, 422), (path, number)
    values = {"token": "a-token", "label": str(10**12), "active": "true", "retired": "true"}
    for path in ("/unexpected/{}/dismiss", "/inbox/{}", "/people/{}/active", "/settings/tag/{}"):
        for number in (10**12, 10**30):
            assert browser.post(path.format(number), values).status_code == 422, (path, number)
    answer = browser.post("/screen/answer", {"item": "1", "token": "a-token", "label": "\N{SUPERSCRIPT TWO}"})
    assert (answer.status_code, "names no label" in answer.text) == (422, True)


def test_error_pages_say_what_to_do(browser):
    page = browser.get("/no-such-page")
    assert page.status_code == 404
    assert "Go back, or continue screening" in page.text
    assert 'href="/screen"' in page.text
    assert "has no page" in browser.get("/people/resolve").text
    assert "No item 9999 in this project." in browser.get("/screen?item=9999").text


def test_paths_are_read_only_for_this_machine(project, tmp_path):
    with serving(project, is_local=False, hosts=None) as app:
        store = app.app.state.desk.store
        store.add_user("Ada", "correct horse", admin=True)
        browser = Browser(app)
        browser.get("/login")
        assert browser.post("/login", {"name": "Ada", "password": "correct horse"}).status_code == 303
        browser.get("/import")
        assert "on this machine" not in browser.get("/import").text
        assert browser.post("/import/path", {"path": str(tmp_path)}).status_code == 403
