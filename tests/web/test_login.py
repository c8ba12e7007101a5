"""Logins: wrong passwords have to wait, logins end, and no secret is ever told."""

import logging
from datetime import UTC, datetime, timedelta

import pytest

from lopsided.web._attempts import Attempts
from web.served import Browser, serving

PASSWORD, WRONG = "correct horse battery", "wrong horse battery"


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def guarded(project):
    """The project with the accounts Ada and Bob, and a clock that stands still."""
    with serving(project, is_local=False, hosts=None) as app:
        clock = Clock()
        app.app.state.attempts = Attempts(clock)
        for name in ("Ada", "Bob"):
            app.app.state.desk.store.add_user(name, PASSWORD, admin=True)
        yield app, clock


def log_in(browser, name="Ada", password=PASSWORD):
    browser.get("/login")
    return browser.post("/login", {"name": name, "password": password})


def test_the_wait_grows_and_ends():
    clock = Clock()
    attempts, waits = Attempts(clock), []
    for _ in range(14):
        assert attempts.begin("Ada", "1.2.3.4") == 0
        waits.append(attempts.begin("ada ", "1.2.3.4") if len(waits) >= 3 else 0)
        clock.now += waits[-1]
    assert waits[:9] == [0, 0, 0, 1, 2, 4, 8, 16, 32]
    assert set(waits[9:]) == {60}
    clock.now += 4000
    assert attempts.begin("Ada", "1.2.3.4") == attempts.begin("Ada", "1.2.3.4") == 0


def test_nobody_else_waits_and_memory_is_bounded():
    attempts = Attempts(Clock())
    for _ in range(9):
        attempts.begin("Ada", "1.2.3.4")
    assert attempts.begin("Ada", "1.2.3.4") > 0
    assert attempts.begin("Ada", "5.6.7.8") == attempts.begin("Bob", "1.2.3.4") == 0
    for i in range(12_000):
        attempts.begin(f"name {i}", "6.6.6.6")
    assert len(attempts._made) == 10_000


def test_many_wrong_passwords_have_to_wait(guarded):
    app, clock = guarded
    browser = Browser(app)
    assert [log_in(browser, password=WRONG).status_code for _ in range(6)] == [401] * 4 + [429] * 2
    refused = log_in(browser)  # the right one waits, too: else the wait would be no hindrance
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "1"
    assert "Try again in 1 second." in refused.text
    assert log_in(Browser(app), "Bob").status_code == 303
    assert log_in(Browser(app), "Nobody", WRONG).status_code == 401
    clock.now += 1.01
    assert log_in(browser).status_code == 303
    assert [log_in(browser, password=WRONG).status_code for _ in range(4)] == [401] * 4  # it begins anew


def test_a_login_ends_by_itself(guarded, monkeypatch):
    app, _ = guarded
    browser = Browser(app)
    log_in(browser)
    assert browser.get("/screen").status_code == 200
    late = (datetime.now(UTC) + timedelta(hours=12, minutes=1)).isoformat(timespec="microseconds")
    monkeypatch.setattr("lopsided.store._users.now", lambda: late)
    assert browser.get("/progress").headers["location"] == "/login?next=/progress"
    answer = browser.send("/api/answers", {"item": 1, "label": 1, "token": "a-token-1"})
    assert (answer.status_code, app.app.state.desk.store.n_events) == (401, 0)
    form = browser.post("/screen/answer", {"item": "1", "label": "1", "token": "a-token-1"})
    assert form.status_code == 401
    assert 'href="/login"' in form.text


def test_no_password_and_no_token_is_told(guarded, monkeypatch, capfd, caplog):
    """Neither in logs nor in errors, whatever goes wrong."""
    caplog.set_level(logging.DEBUG)
    app, _ = guarded
    store, seen = app.app.state.desk.store, []
    browser = Browser(app)
    browser.client._transport.raise_server_exceptions = False

    def post(path, data, **options):
        seen.append(browser.post(path, data, **options))

    log_in(browser)
    token = store.add_token(1, "script")
    session = browser.client.cookies["lopsided"]
    browser.get("/people")
    long = PASSWORD * 60
    post("/people", {"name": "Cid", "password": PASSWORD[:7]})
    post("/people", {"name": "Ada", "password": PASSWORD})
    post("/people", {"name": "Dan", "password": long})
    post("/people", {"name": PASSWORD * 20, "password": PASSWORD})
    post("/login", {"password": PASSWORD})
    post("/login", {"name": "Ada", "password": WRONG})
    post("/login", {"name": "Ada", "password": token + "x"})
    for header in (f"Bearer {token}x", f"Bearer {token} {PASSWORD}"):
        seen.append(browser.client.get("/api/next", headers={"authorization": header}))
    seen.append(browser.send("/api/answers", {"item": token, "label": PASSWORD, "token": session}))

    def fail(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(store, "check_password", fail)
    post("/login", {"name": "Ada", "password": PASSWORD})
    monkeypatch.setattr(store, "user_of_token", fail)
    seen.append(browser.client.get("/api/next", headers={"authorization": f"Bearer {token}"}))
    assert [answer.status_code for answer in seen[-2:]] == [500, 500]
    assert all(answer.status_code >= 400 for answer in seen)
    told = "".join([*(answer.text for answer in seen), *capfd.readouterr(), caplog.text])
    assert "broken" in told
    for secret in (PASSWORD, PASSWORD[:7], WRONG, token, session):
        assert secret not in told
