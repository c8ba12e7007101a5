"""Screening in the page: answers are kept, count once, can be undone, and survive the server."""

import pytest

from web.served import Browser, make_records, serving, wait_for


def answer_next(browser, label, **changes):
    shown = browser.client.get("/api/next").json()
    values = {name: shown[name] for name in ("item", "token", "reason")} | {"label": label} | changes
    return shown, browser.send("/api/answers", values).json()


def is_ship(shown):
    return "Ships" in shown["html"]


def labels_of(desk):
    return {label.name: label.id for label in desk.store.labels()}


def test_the_first_page_leads_to_the_work(browser):
    assert browser.get("/").headers["location"] == "/screen"
    page = browser.get("/screen")
    assert page.status_code == 200
    assert 'id="item"' in page.text
    assert "of 60" in page.text


def test_an_answer_is_kept_and_the_next_item_comes(browser, desk):
    yes, _ = (label.id for label in desk.store.labels())
    shown, following = answer_next(browser, yes)
    assert following["item"] != shown["item"]
    assert desk.store.current() == {shown["item"]: {desk.local_user.id: yes}}
    assert desk.session.n_labels == 1
    assert "of 60" in following["standing"]


def test_the_same_item_comes_until_it_is_answered(browser):
    first = browser.client.get("/api/next").json()
    assert browser.client.get("/api/next").json()["token"] == first["token"]


def test_an_answer_that_is_sent_twice_counts_once(browser, desk):
    yes, no = (label.id for label in desk.store.labels())
    shown = browser.client.get("/api/next").json()
    values = {"item": shown["item"], "token": shown["token"], "reason": shown["reason"], "label": yes}
    first, second = (browser.send("/api/answers", values).json() for _ in range(2))
    assert first["item"] == second["item"]
    assert desk.store.n_events == desk.session.n_labels == 1
    contradiction = browser.send("/api/answers", values | {"label": no})
    assert contradiction.status_code == 409
    assert "perhaps in another window" in contradiction.json()["error"]
    assert values["token"] not in contradiction.text


def test_undo_brings_the_item_back(browser, desk):
    yes, no = (label.id for label in desk.store.labels())
    shown, _ = answer_next(browser, yes)
    second, _ = answer_next(browser, no)
    undone = browser.send("/api/undo", {"token": "undo-number-1"}).json()
    assert undone["item"] == second["item"]
    assert undone["reason"] == second["reason"] != "given"
    assert list(desk.store.current()) == [shown["item"]]
    assert (desk.session.n_labels, desk.session.n_found) == (1, 1)
    browser.send("/api/undo", {"token": "undo-number-2"})
    nothing = browser.send("/api/undo", {"token": "undo-number-3"}).json()
    assert "nothing to undo" in nothing["note"]
    assert desk.session.n_labels == 0


def test_skipped_items_are_listed_and_do_not_come_back(browser, desk):
    shown, following = answer_next(browser, None)
    assert following["item"] != shown["item"]
    assert f"/screen?item={shown['item']}" in browser.get("/items?show=skipped").text
    assert desk.session.n_labels == 0


def test_without_a_script_forms_do_the_same(browser, desk):
    page = browser.get("/screen").text
    shown = browser.client.get("/api/next").json()
    assert shown["token"] in page
    yes = desk.store.labels()[0].id
    values = {"item": shown["item"], "token": shown["token"], "reason": shown["reason"], "label": str(yes)}
    assert browser.post("/screen/answer", values).headers["location"] == "/screen"
    assert desk.session.n_labels == 1
    back = browser.post("/screen/answer", {"label": "undo", "token": "a-token"})
    assert back.headers["location"] == "/screen?note=undone"
    assert desk.session.n_labels == 0


def test_search_comes_first(browser):
    found = browser.send("/api/search", {"words": "coffee"}).json()
    assert found["reason"] == "search"
    assert "Coffee" in found["html"]
    assert "items with these words" in found["note"]
    nothing = browser.send("/api/search", {"words": "zeppelin"}).json()
    assert "No remaining item" in nothing["note"]


def test_a_chosen_item_is_shown(browser):
    assert browser.get("/screen?item=11").headers["location"] == "/screen"
    assert browser.client.get("/api/next").json()["item"] == 11
    assert browser.get("/screen?item=9999").status_code == 404


def test_everything_can_be_screened(browser, desk):
    yes, no = (label.id for label in desk.store.labels())
    while (shown := browser.client.get("/api/next").json())["item"] is not None:
        values = {name: shown[name] for name in ("item", "token", "reason")}
        browser.send("/api/answers", values | {"label": yes if is_ship(shown) else no})
    assert "Everything has been screened" in browser.get("/screen").text
    assert desk.session.n_found == 6
    wait_for(lambda: desk.standing is not None and desk.standing.n_events == 60)
    progress = browser.get("/progress").text
    assert desk.standing.estimate.left == 0
    assert desk.standing.estimate.sentence in progress
    assert "<polyline" in progress


@pytest.mark.parametrize("n_answers", [1, 7])
def test_a_restart_goes_on_as_if_nothing_had_happened(project, n_answers):
    """Answer, stop, start again: the session knows the same, and asks what it would have asked."""
    with serving(project) as app:
        browser, desk = Browser(app), app.app.state.desk
        browser.get("/screen")
        yes, no = (label.id for label in desk.store.labels())
        for _ in range(n_answers):
            shown = browser.client.get("/api/next").json()
            values = {name: shown[name] for name in ("item", "token", "reason")}
            following = browser.send("/api/answers", values | {"label": yes if is_ship(shown) else no}).json()
        before = following["item"], following["reason"], desk.session.screened().rows.tolist()
    with serving(project) as app:
        browser, desk = Browser(app), app.app.state.desk
        following = browser.client.get("/api/next").json()
        assert (following["item"], following["reason"], desk.session.screened().rows.tolist()) == before


def test_notes_tags_and_words(browser, desk):
    shown = browser.client.get("/api/next").json()
    item = shown["item"]
    made = browser.send("/api/tags", {"name": "read <again>"}).json()
    assert "read &lt;again&gt;" in made["html"]
    assert browser.send(f"/api/items/{item}/tags/{made['id']}", {"token": "tag-token"}, "PUT").json()["ok"]
    assert browser.send(f"/api/items/{item}/note", {"text": "odd", "token": "note-token"}, "PUT").json()["ok"]
    shown = browser.client.get("/api/next").json()
    assert (shown["tags"], shown["remark"]) == ([made["id"]], "odd")
    browser.send(f"/api/items/{item}/tags/{made['id']}", {"token": "tag-token-2"}, "DELETE")
    assert browser.client.get("/api/next").json()["tags"] == []
    marked = browser.send("/api/words", {"words": "many, number"}, "PUT").json()
    assert '<mark class="own">many</mark>' in marked["html"]


def test_a_label_beside_the_two(browser, desk):
    assert (
        browser.post("/settings/label", {"name": "maybe", "relevant": "true", "key": "b"}).status_code == 303
    )
    assert "<kbd>b</kbd>" in browser.get("/screen").text
    answer_next(browser, labels_of(desk)["maybe"])
    assert desk.session.n_found == 1
    taken = browser.post("/settings/label", {"name": "so-so", "key": "s"})
    assert taken.status_code == 409
    assert "already in use" in taken.text


def test_evidence_speaks_of_the_item(browser, desk):
    yes, no = (label.id for label in desk.store.labels())
    for item, label in ((1, yes), (11, yes), (2, no), (3, no), (4, no)):
        desk.answer(desk.local_user.id, item, label, reason="given", token=f"token-{item}")
    found = browser.send("/api/items/21/evidence", {}).json()
    assert "ship" in " ".join(term["word"] for term in found["words_for"])
    assert "For" in found["html"]


def test_two_reviewers_each_label_every_item(project):
    with serving(project) as app:
        desk = app.app.state.desk
        desk.store.update_project(reviewers_per_item=2, blind=True)
        ada, bob = desk.store.add_user("Ada"), desk.store.add_user("Bob")
        yes, no = (label.id for label in desk.store.labels())
        one, other = desk.next(ada.id), desk.next(bob.id)
        assert one.item_id != other.item_id  # nobody waits for the other
        desk.answer(ada.id, one.item_id, yes, reason=one.reason, token="ada-1-token")
        desk.answer(bob.id, other.item_id, no, reason=other.reason, token="bob-1-token")
        second = desk.next(bob.id)
        assert (second.item_id, second.reason) == (one.item_id, one.reason)  # and cannot tell
        desk.answer(bob.id, second.item_id, no, reason=second.reason, token="bob-2-token")
        assert desk.store.conflicts() == {one.item_id: {ada.id: yes, bob.id: no}}
        assert desk.session.n_found == 1  # read twice rather than lost
        desk.change(lambda: desk.store.resolve(one.item_id, ada.id, no, "resolve-token"))
        assert desk.session.n_found == 0


def test_undo_of_one_reviewer_leaves_the_other(project):
    with serving(project) as app:
        desk = app.app.state.desk
        ada, bob = desk.store.add_user("Ada"), desk.store.add_user("Bob")
        yes, no = (label.id for label in desk.store.labels())
        for user, item, label in ((ada, 1, yes), (bob, 2, no), (bob, 3, yes)):
            desk.answer(user.id, item, label, reason="given", token=f"token-{item}")
        desk.undo(ada.id, "undo-token")
        assert desk.session.screened().rows.tolist() == [1, 2]
        assert desk.session.label(0) is None


def test_the_labels_can_be_replayed(browser, desk):
    yes, no = (label.id for label in desk.store.labels())
    assert "A simulation needs at least" in browser.get("/simulate").text
    for item in range(1, 41):
        label = yes if item % 3 == 0 else no
        desk.answer(desk.local_user.id, item, label, reason="given", token=f"token-{item}")
    browser.get("/simulate")
    assert browser.post("/simulate").status_code == 303
    wait_for(lambda: "<polyline" in browser.get("/simulate").text, 120)
    page = browser.get("/simulate").text
    assert "Most likely" in page
    assert "13 of them relevant" in page


def test_rules_are_learned_from_the_labels(browser, desk):
    yes, no = (label.id for label in desk.store.labels())
    assert "Rules need at least" in browser.get("/why").text
    for item in range(1, 61):
        label = yes if item % 10 == 1 else no
        desk.answer(desk.local_user.id, item, label, reason="given", token=f"token-{item}")
    wait_for(lambda: "If the text contains" in browser.get("/why").text, 60)
    assert "ship" in browser.get("/why").text.lower()


def test_new_documents_that_are_not_read_yet_are_not_all_screened(tmp_path, monkeypatch):
    with serving(tmp_path / "new.db") as app:
        browser, desk = Browser(app), app.app.state.desk
        assert "Nothing to screen yet" in browser.get("/screen").text
        with monkeypatch.context() as slow:
            slow.setattr(desk, "_read_items", lambda: None)
            with desk.store.importing("a list") as batch:
                batch.add(make_records(5))
            page = browser.get("/screen")
            assert page.status_code == 503
            assert "Reading 5 documents" in page.text
            assert "Reading new documents" in browser.client.get("/api/next").json()["html"]
        desk.read_again()
        wait_for(lambda: browser.get("/screen").status_code == 200)
        assert "Everything has been screened" not in browser.get("/screen").text
