"""The simulation page: strategies side by side, ASReview beside them, and the combination of the rules."""

import pytest

from asreview_stand_in import make_asreview
from lopsided.screening._asreview import find_asreview
from web.served import Browser, answer_all, serving, wait_for


def replay(browser):
    browser.get("/simulate")
    assert browser.post("/simulate").status_code == 303
    wait_for(lambda: "Replaying" not in browser.get("/simulate").text, 120)
    return browser.get("/simulate").text


def answer_forty(app):
    answer_all(app.app.state.desk, [(item, 1 if item % 3 == 0 else 2) for item in range(1, 41)])


def test_asreview_stands_beside_ours(project, tmp_path):
    python = make_asreview(tmp_path)
    with serving(project, asreview=find_asreview(python)) as app:
        browser = Browser(app)
        answer_forty(app)
        page = replay(browser)
        assert '<th scope="row">ASReview</th>' in page
        assert "ASReview 3.0.99 runs with its default settings" in page
        assert page.count("<polyline") == 5
        assert "--asreview PYTHON" not in page


def test_the_combination_is_that_of_the_project(browser, app):
    browser.post("/settings/stopping", {"rules": ["run of irrelevant"], "run_length": "5"})
    answer_forty(app)
    page = replay(browser)
    assert "run of irrelevant: " in page
    assert "combination: " in page
    assert "5 irrelevant answers in a row" in page


def test_an_asreview_that_fails_is_told(project, tmp_path):
    python = make_asreview(tmp_path)
    (tmp_path / "packages" / "asreview" / "simulation" / "simulate.py").write_text(
        "raise MemoryError('no room')"
    )
    with serving(project, asreview=(python, "3.0.99")) as app:
        answer_forty(app)
        assert "MemoryError: no room" in replay(Browser(app))


@pytest.mark.parametrize("form", [{"asreview": "/bin/false"}, {"python": "/bin/false"}])
def test_no_form_names_the_program(browser, app, form):
    answer_forty(app)
    assert browser.post("/simulate", form).status_code == 303
    assert app.app.state.asreview is None
    wait_for(lambda: "Replaying" not in browser.get("/simulate").text, 120)
    assert "/bin/false" not in browser.get("/simulate").text
