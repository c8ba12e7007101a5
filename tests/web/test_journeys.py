"""Whole pieces of work in a real browser: when to stop, why, the unexpected, the inbox, several people."""

import json
import urllib.request

import pytest

from web.served import answer_all, make_records, wait_for

pytest.importorskip("playwright", reason="browser tests need playwright")
SHIPS = range(1, 61, 10)  # the items of the project that are about ships


def labels_up_to(last):
    return [(item, 1 if item in SHIPS else 2) for item in range(1, last + 1)]


def tab_to(page, selector):
    """Press the tabulator until something has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached by keyboard")


def test_advice_to_stop(page, desk):
    others = [item for item in range(1, 61) if item not in SHIPS]
    page.goto("/screen")
    assert "too early to tell" in page.locator("#numbers").inner_text()
    assert page.locator(".advice").count() == 0
    answer_all(desk, [(item, 1) for item in SHIPS] + [(item, 2) for item in others[:51]])
    page.goto("/screen")
    advice = page.locator(".advice")
    assert "1 stopping rule would stop here" in advice.inner_text()
    advice.get_by_role("link").click()
    page.wait_for_url("**/progress")
    row = page.locator("#rules > li", has_text="Run of irrelevant")
    assert row.locator(".state.yes").inner_text() == "stop"
    assert "56 labels" in row.inner_text()  # six ships, and fifty others
    assert "6" in page.locator(".facts").inner_text()
    assert page.locator(".curve .line").count() == 1
    assert page.locator(".curve .stop").count() == 1
    assert "Go on." in page.locator("#plan").inner_text()
    page.get_by_role("link", name="Change the rules").click()
    page.get_by_label("Target recall", exact=False).first.uncheck()
    page.get_by_label("Irrelevant in a row").fill("40")
    page.get_by_role("button", name="Save the rules").click()
    page.wait_for_selector("text=Saved.")
    wait_for(lambda: desk.standing.plan.run_length == 40)
    page.goto("/progress")
    assert "You can stop." in (told := page.locator("#plan").inner_text())
    assert "40 irrelevant answers in a row" in told
    assert "first said stop at 46 labels" in told
    assert page.locator(".curve .stop").count() == 2  # the rule and, at the same place, the combination


def test_rules_and_words(page, desk):
    page.goto("/why")
    assert "Rules need at least" in page.locator("main").inner_text()
    answer_all(desk, labels_up_to(60))
    page.goto("/why")
    page.wait_for_selector("th:has-text('If the text contains')")
    assert "ship" in page.locator("tbody").inner_text().lower()
    assert "ship" in page.locator(".weights").inner_text().lower()


def test_the_shelf_of_the_unexpected(page, desk):
    answer_all(desk, [(item, label) for item, label in labels_up_to(60) if item % 5])  # without coffee
    page.goto("/unexpected")
    page.wait_for_selector(".entries h2")
    first, second = (page.locator(".entries > li").nth(i) for i in (0, 1))
    named, dismissed = (
        int(one.locator("h2 a").get_attribute("href").rpartition("=")[2]) for one in (first, second)
    )
    first.locator("input[name=name]").fill("groceries")
    first.get_by_role("button", name="Label it").click()
    page.wait_for_load_state()
    page.locator(f"form[action='/unexpected/{dismissed}/dismiss'] button").click()
    page.wait_for_load_state()
    assert page.locator(f"a[href='/screen?item={dismissed}']").count() == 0
    assert desk.store.dismissed() == {dismissed}
    new = desk.store.labels()[-1]
    assert (new.name, new.relevant) == ("groceries", False)
    assert desk.store.current()[named] == {desk.local_user.id: new.id}
    page.goto("/screen")
    assert page.locator("#answers button", has_text="groceries").count() == 1


def test_simulation(page, desk):
    page.goto("/simulate")
    assert "needs at least 10 relevant" in page.locator("main").inner_text()
    answer_all(desk, [(item, 1 if item % 3 == 0 else 2) for item in range(1, 41)])
    page.goto("/simulate")
    page.get_by_role("button", name="Replay 40 labels").click()
    page.wait_for_selector("figure", timeout=120_000)
    assert page.locator("polyline").count() == 4
    assert "13 of them relevant" in page.locator("figcaption").inner_text()
    assert page.locator("tbody th").all_inner_texts() == ["Mixed", "Most likely", "Border", "Random"]
    assert "lopsided serve PROJECT --asreview PYTHON" in page.locator("main").inner_text()


def test_the_inbox(page, desk, address):
    page.goto("/inbox")
    assert "/api/items" in page.locator("pre").inner_text()
    answer_all(desk, labels_up_to(40))
    records = [{"id": f"new-{one.id}", "title": one.title, "text": one.text} for one in make_records(30)]
    request = urllib.request.Request(
        f"{address}/api/items", json.dumps({"items": records}).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        shown = [one["item"] for one in json.load(answer)["items"] if one["show"]]
    assert shown
    page.goto("/inbox")
    assert page.locator(".entries > li").count() == min(len(shown), 25)
    entry = page.locator(".entries > li").first
    assert "Ships" in entry.inner_text()  # the first that came
    entry.get_by_role("button", name="relevant", exact=True).click()
    page.wait_for_load_state()
    assert page.locator(".entries > li").count() == min(len(shown) - 1, 25)
    assert desk.store.current()[shown[0]] == {desk.local_user.id: 1}


def test_two_reviewers_and_a_conflict(page, open_page, desk):
    def answer(page, key):
        item = page.locator("#item").get_attribute("data-item")
        page.keyboard.press(key)
        page.wait_for_selector(f'#item:not([data-item="{item}"])')
        return item

    page.goto("/people")
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector(".who:has-text('Ada')")
    page.get_by_label("Name").fill("Bob")
    page.get_by_label("Password").fill("battery staple")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector("th:has-text('Bob')")
    page.goto("/settings")
    page.locator("[name=reviewers_per_item]").fill("2")
    page.get_by_label("Blind").check()
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_selector("text=Saved.")
    page.goto("/screen")
    item = answer(page, "y")
    bob = open_page()
    bob.goto("/screen")
    bob.get_by_label("Name").fill("Bob")
    bob.get_by_label("Password or token").fill("battery staple")
    bob.keyboard.press("Enter")
    bob.wait_for_selector("article#item")
    bob.wait_for_load_state()  # keys are heard once the script has run
    assert "conflict" not in bob.locator("#item .why").inner_text()  # he cannot tell that it has a label
    assert answer(bob, "n") == item
    bob.goto("/people")
    assert "Ada: " not in bob.locator("main").inner_text()
    page.goto("/people")
    conflict = page.locator("#conflicts ~ .entries > li")
    assert sorted(conflict.locator(".words span").all_inner_texts()) == ["Ada: relevant", "Bob: not relevant"]
    conflict.get_by_role("button", name="not relevant").click()
    page.wait_for_load_state()
    assert page.locator("#conflicts ~ .entries").count() == 0
    assert desk.store.resolved() == {int(item): 2}
    assert desk.session.n_found == 0
    ada, bob = (next(one.id for one in desk.store.users() if one.name == name) for name in ("Ada", "Bob"))
    others = [other for other in range(1, 61) if other != int(item)][:9]
    for other, hers, his in zip(others, [1] * 4 + [2] * 5, [1] * 6 + [2] * 3, strict=True):
        desk.answer(ada, other, hers, reason="most likely", token=f"of-ada-{other}")
        desk.answer(bob, other, his, reason="most likely", token=f"of-bob-{other}")
    page.goto("/people")
    row = page.locator("tr", has_text="Ada and Bob")
    assert row.locator("td").all_inner_texts() == ["10", "70 %", "0.40"]  # 0.5 would agree by chance


def test_an_import_without_a_mouse(page, desk, tmp_path):
    table = tmp_path / "more.csv"
    table.write_text("title,abstract\n" + "".join(f"New {i},Text number {i} of the file\n" for i in range(9)))
    # The browser takes this up a moment after it is asked: ask before the page is loaded.
    with page.expect_file_chooser(timeout=60_000) as chooser:
        page.goto("/import")
        tab_to(page, "#files")
        page.keyboard.press("Enter")
    chooser.value.set_files(str(table))
    page.wait_for_url("**/import/*")
    tab_to(page, "button.primary")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=9 new", timeout=60_000)  # once no page reloads itself any more
    tab_to(page, "input[name=path]")
    page.keyboard.type(str(table))
    page.keyboard.press("Enter")
    page.wait_for_url("**/import/*")
    tab_to(page, "button.primary")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=9 already in the project", timeout=60_000)
    tab_to(page, "a.button.primary[href='/screen']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/screen")
    wait_for(lambda: desk.session.n_items > 60)
    assert desk.store.n_items == 69
