"""The stopping rules of a project: chosen on one page, combined, and explained on another."""

import pytest

from lopsided.screening import StopPlan
from lopsided.web._plan import stop_plan
from web.served import answer_all, wait_for

SHIPS = range(1, 61, 10)
OTHERS = [item for item in range(1, 61) if item not in SHIPS]


def choose(browser, desk, rules, **more):
    answer = browser.post("/settings/stopping", {"rules": rules} | more)
    assert answer.headers["location"] == "/settings?saved=1#stopping"
    plan = stop_plan(desk.store.project)
    if desk.store.n_events:
        wait_for(lambda: desk.standing is not None and desk.standing.plan == plan)
    return plan


def test_a_new_project_has_the_default_plan(browser, desk):
    assert stop_plan(desk.store.project) == StopPlan()
    page = browser.get("/settings").text
    assert page.count('name="rules"') == 3
    assert 'value="target recall" checked' in page
    assert 'value="saturation" checked' not in page
    assert 'name="run_length" value="50"' in page


def test_a_plan_is_kept_with_the_other_options(browser, desk):
    desk.store.update_project(options={"accepted": {"1": 1}})
    plan = choose(
        browser,
        desk,
        ["saturation", "target recall"],
        combine="any",
        target="92.5",
        confidence="90",
        run_length="30",
    )
    assert plan == StopPlan(("target recall", "saturation"), "any", 0.925, 0.9, 30)
    assert desk.store.project.options["accepted"] == {"1": 1}
    page = browser.get("/settings").text
    assert 'name="target" value="92.5"' in page
    assert 'value="any" checked' in page


@pytest.mark.parametrize(
    "wrong",
    [
        {"rules": ["luck"]},
        {"combine": "none"},
        {"target": "0"},
        {"target": "nan"},
        {"confidence": "100"},
        {"run_length": "0"},
    ],
)
def test_numbers_that_make_no_sense_are_refused(browser, desk, wrong):
    answer = browser.post("/settings/stopping", wrong)
    assert answer.status_code == 422
    assert next(iter(wrong)).capitalize() in answer.text
    assert stop_plan(desk.store.project) == StopPlan()


def test_a_changed_plan_is_judged_without_a_new_answer(browser, desk):
    answer_all(desk, [(item, 1) for item in SHIPS] + [(item, 2) for item in OTHERS[:20]])
    assert "Go on." in browser.get("/progress").text
    choose(browser, desk, ["run of irrelevant"], run_length="15")
    page = browser.get("/progress").text
    assert "You can stop." in page
    assert "Your rules: 15 irrelevant answers in a row" in page
    assert "first said stop at 21 labels" in page
    assert "Your stopping rules say that you can stop" in browser.get("/screen").text
    choose(browser, desk, ["run of irrelevant", "target recall"], run_length="15")
    page = browser.get("/progress").text
    assert "1 of 2 rules says stop; all are needed." in page
    assert "your combination says go on" in browser.get("/screen").text
    choose(browser, desk, ["run of irrelevant", "target recall"], run_length="15", combine="any")
    assert "You can stop." in browser.get("/progress").text


def test_saturation_is_not_counted_where_it_does_not_apply(browser, desk):
    answer_all(desk, [(item, 1) for item in SHIPS] + [(item, 2) for item in OTHERS[:51]])
    choose(browser, desk, ["saturation"])
    page = browser.get("/progress").text
    assert "does not apply" in page
    assert "None of the chosen rules applies" in page
    choose(browser, desk, ["saturation", "run of irrelevant"])
    assert "You can stop." in browser.get("/progress").text


def test_programs_see_each_rule_and_the_combination(browser, desk):
    answer_all(desk, [(item, 1) for item in SHIPS] + [(item, 2) for item in OTHERS[:51]])
    rules = browser.client.get("/api/standing").json()["stop_reasons"]
    assert [one["rule"] for one in rules] == [
        "target recall",
        "run of irrelevant",
        "saturation",
        "combination",
    ]
    assert [one["applies"] for one in rules] == [True, True, False, True]
    assert rules[1]["since"] == 56


def test_only_administrators_choose_the_rules(browser, desk):
    desk.store.add_user("Ada", "correct horse", admin=True)
    desk.store.add_user("Bob", "battery staple")
    browser.get("/login")
    browser.post("/login", {"name": "Bob", "password": "battery staple"})
    browser.get("/settings")
    assert browser.post("/settings/stopping", {"rules": ["saturation"]}).status_code == 403
    assert stop_plan(desk.store.project) == StopPlan()
