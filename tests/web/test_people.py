"""Accounts, tokens, agreement, conflicts and the audit log."""

import re

import pytest

from web.served import Browser, serving


@pytest.fixture
def team(project):
    """The project with two accounts, and a browser of each."""
    with serving(project, is_local=False, hosts=None) as app:
        store = app.app.state.desk.store
        for name, admin in (("Ada", True), ("Bob", False)):
            store.add_user(name, f"password of {name}", admin=admin)
        browsers = {}
        for name in ("Ada", "Bob"):
            browser = browsers[name] = Browser(app)
            browser.get("/login")
            assert (
                browser.post("/login", {"name": name, "password": f"password of {name}"}).status_code == 303
            )
            browser.get("/screen")
        yield app, browsers


def answer(browser, item, label, token):
    return browser.send("/api/answers", {"item": item, "label": label, "token": token})


def test_nobody_gets_in_without_a_login(project):
    with serving(project, is_local=False, hosts=None) as app:
        browser = Browser(app)
        assert browser.get("/screen").headers["location"] == "/login?next=/screen"
        assert browser.client.get("/api/next").status_code == 401
        app.app.state.desk.store.add_user("Ada", "correct horse")
        assert browser.client.get("/api/next").status_code == 401
        browser.get("/login")
        wrong = browser.post("/login", {"name": "Ada", "password": "wrong horse"})
        assert wrong.status_code == 401
        assert "name or the password is wrong" in wrong.text


def test_nobody_is_asked_for_a_password_that_nobody_has(browser):
    assert browser.get("/login").headers["location"] == "/"


def test_a_login_has_a_new_session_and_ends(team):
    app, browsers = team
    ada = browsers["Ada"]
    assert "Ada" in ada.get("/screen").text
    before = ada.client.cookies["lopsided"]
    other = Browser(app)
    other.get("/login")
    first = other.client.cookies["lopsided"]
    other.post("/login", {"name": "Bob", "password": "password of Bob"})
    assert other.client.cookies["lopsided"] not in (first, before)
    assert ada.post("/logout").status_code == 303
    assert ada.get("/screen").status_code == 303
    assert other.get("/screen").status_code == 200


@pytest.mark.parametrize("next", ["//evil.example", "https://evil.example", "/\\evil.example"])
def test_a_login_leads_nowhere_else(team, next):
    app, _ = team
    browser = Browser(app)
    browser.get("/login")
    answer = browser.post("/login", {"name": "Bob", "password": "password of Bob", "next": next})
    assert answer.headers["location"] == "/"


def test_the_first_account_closes_the_page_to_others(browser, app):
    assert browser.post("/people", {"name": "Ada", "password": "correct horse"}).status_code == 303
    assert browser.get("/people").status_code == 200  # whoever added it is logged in
    assert Browser(app).get("/screen").status_code == 303


def test_only_administrators_change_settings_and_accounts(team):
    _, browsers = team
    bob = browsers["Bob"]
    assert bob.post("/settings", {"name": "mine"}).status_code == 403
    assert bob.post("/people", {"name": "Eve", "password": "correct horse"}).status_code == 403
    assert browsers["Ada"].post("/people", {"name": "Eve", "password": "correct horse"}).status_code == 303


def test_a_token_stands_for_its_user(team):
    app, browsers = team
    page = browsers["Ada"].post("/people/token", {"name": "script"}).text
    token = page.split("<code>")[1].split("</code>")[0]
    program = Browser(app).client
    headers = {"authorization": f"Bearer {token}"}
    assert program.get("/api/session", headers=headers).json()["user"] == "Ada"
    sent = program.post("/api/answers", json={"item": 1, "label": 1, "token": "program-1"}, headers=headers)
    assert sent.status_code == 200
    assert program.get("/api/session", headers={"authorization": "Bearer x"}).status_code == 401
    store = app.app.state.desk.store
    mine = store.tokens(store.users()[1].id)[0].id
    browsers["Ada"].get("/people")
    assert browsers["Bob"].post(f"/people/token/{mine}").status_code == 404  # not his
    assert browsers["Ada"].post(f"/people/token/{mine}").status_code == 303
    assert program.get("/api/session", headers=headers).status_code == 401


def test_conflicts_are_shown_and_settled(team):
    app, browsers = team
    desk = app.app.state.desk
    desk.store.update_project(reviewers_per_item=2, blind=True)
    yes, no = (label.id for label in desk.store.labels())
    for item in (1, 2, 3):
        answer(browsers["Ada"], item, yes if item == 1 else no, f"ada-token-{item}")
        answer(browsers["Bob"], item, no, f"bob-token-{item}")
    page = browsers["Ada"].get("/people").text
    assert "Ada and Bob" in page
    assert "67 %" in page
    assert "0.00" in page  # kappa: one of them said no to all
    hidden = browsers["Bob"].get("/people").text
    assert "Ada and Bob" not in hidden
    assert "Bob: " not in hidden
    settled = {"item": "1", "label": str(no), "token": "settle-token"}
    assert browsers["Bob"].post("/people/resolve", settled).status_code == 403
    assert browsers["Ada"].post("/people/resolve", settled).status_code == 303
    assert desk.store.conflicts() == {}
    assert desk.session.n_found == 0


def test_the_audit_log_lists_everything(team):
    _, browsers = team
    answer(browsers["Ada"], 1, 1, "ada-token-1")
    browsers["Ada"].send("/api/undo", {"token": "undo-token-1"})
    page = browsers["Ada"].get("/audit").text
    assert "undo" in page
    assert "of no. 1" in page


def test_agreement_is_cohens_kappa(browser, desk):
    """By hand: of 10 items both say yes to 4, no to 3; 7 of 10 alike, by chance 0.5, so kappa is 0.4."""
    other = desk.store.add_user("Ada")
    mine, theirs = [1] * 6 + [2] * 4, [1] * 4 + [2] * 2 + [1] + [2] * 3
    for item, (one, two) in enumerate(zip(mine, theirs, strict=True), 1):
        for user, label in ((desk.local_user.id, one), (other.id, two)):
            token = f"token-{user}-{item}"
            desk.change(
                lambda item=item, user=user, label=label, token=token: desk.store.answer(
                    item, user, label, reason="most likely", token=token
                )
            )
    row = re.search(r"<tr>(?:(?!</tr>).)*you and Ada(.*?)</tr>", browser.get("/people").text, re.DOTALL)[1]
    assert re.findall(r">([\d.]+ ?%?)<", row) == ["10", "70 %", "0.40"]
