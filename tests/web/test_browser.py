"""The page in a real browser: by keyboard, on a phone, by night, and for screen readers."""

from importlib.resources import files

import pytest

from lopsided.store import open_store
from lopsided.text import Record, Roles
from web.served import Browser, answer_all, listening, make_records, serving, wait_for

pytest.importorskip("playwright", reason="browser tests need playwright")
PAGES = ["/screen", "/progress", "/why", "/import", "/export", "/people", "/settings", "/inbox", "/items"]
PAGES += ["/unexpected", "/simulate", "/audit", "/nothing"]
PREVIEW = ["/import/none"]  # its address is known when the project is served


@pytest.fixture(scope="module")
def labeled(tmp_path_factory):
    """The address of a project in the middle of its work, which the tests only look at."""
    folder = tmp_path_factory.mktemp("labeled")
    with open_store(folder / "ships.db") as store, store.importing("a list") as batch:
        batch.add(make_records(60))
        store.update_project(question="ships", criteria="Ships, not prices.", highlights=["captain"])
        store.add_tag("read again")
        store.add_tag("off topic", "exclusion reason")
    with serving(folder / "ships.db") as app:
        desk, imports = app.app.state.desk, app.app.state.imports
        answer_all(desk, [(item, 1 if item % 3 == 1 else 2) for item in range(1, 41)])
        other = desk.store.add_user("Ada")
        desk.change(lambda: desk.store.answer(2, other.id, 1, reason="most likely", token="other-token-2"))
        desk.change(lambda: desk.store.answer(3, other.id, 2, reason="most likely", token="other-token-3"))
        desk.store.add_token(desk.local_user.id, "a program")
        records = [Record(f"new-{i}", f"News {i}", "A ship left the port.", {}) for i in range(30)]
        app.app.state.inbox.take(records)
        (folder / "empty.csv").write_text("")
        (folder / "more.csv").write_text("title,abstract,included\nOne,A text,1\nTwo,Another,0\n")
        for name in ("empty.csv", "more.csv"):
            imports.add(folder / name, name, is_copy=False)
        waiting = imports.all()[0]
        third = imports.add(folder / "more.csv", "again.csv", is_copy=False)
        imports.start(third.id, Roles("title", ("abstract",), None, "included"))
        imports.wait()
        browser = Browser(app)
        browser.get("/simulate")
        browser.post("/simulate")
        for path in ("/simulate", "/why", "/unexpected"):
            wait_for(lambda path=path: "<progress" not in browser.get(path).text, 120)
        PREVIEW[0] = f"/import/{waiting.id}"
        with listening(app) as address:
            yield address


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """The address of a project with an account, which asks for a login."""
    path = tmp_path_factory.mktemp("guarded") / "ships.db"
    with open_store(path) as store:
        store.add_user("Ada", "correct horse", admin=True)
    with serving(path) as app, listening(app) as address:
        yield address


def shown(page):
    return page.locator("#item").get_attribute("data-item")


def press(page, key):
    before = shown(page)
    page.keyboard.press(key)
    page.wait_for_selector(f'#item:not([data-item="{before}"])')  # a function would be refused as a script


def test_screening_by_keyboard(page, desk):
    yes, no = (label.id for label in desk.store.labels())
    page.goto("/screen")
    first = shown(page)
    press(page, "y")
    second = shown(page)
    press(page, "2")  # the second label
    press(page, "s")
    assert {item: next(iter(vote.values())) for item, vote in desk.store.current().items()} == {
        int(first): yes,
        int(second): no,
    }
    assert "2" in page.locator("#numbers dd").first.inner_text()
    press(page, "u")
    press(page, "u")
    assert shown(page) == second
    assert len(desk.store.current()) == 1


def test_search_note_tag_and_keys(page, desk):
    page.goto("/screen")
    page.keyboard.press("/")
    page.keyboard.type("coffee")
    page.keyboard.press("Enter")
    page.wait_for_selector("#item .badge.search")
    assert "Coffee" in page.locator("#item").inner_text()
    item = int(shown(page))
    page.keyboard.press("o")
    page.keyboard.type("yes, no, n")  # letters in a note are no answers
    page.keyboard.press("Escape")
    wait_for(lambda: desk.store.notes(item) == {desk.local_user.id: "yes, no, n"})
    page.keyboard.press("t")
    page.keyboard.type("odd")
    page.keyboard.press("Enter")
    wait_for(lambda: desk.store.tags_of(item))
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("y")  # nothing is answered behind the list of keys
    page.keyboard.press("Escape")
    assert desk.store.current() == {}


def test_evidence_is_hidden_until_it_is_asked_for(page, desk):
    yes, no = (label.id for label in desk.store.labels())
    for item, label in ((1, yes), (11, yes), (2, no), (3, no), (4, no)):
        desk.answer(desk.local_user.id, item, label, reason="given", token=f"token-{item}")
    page.goto("/screen?item=21")
    assert not page.locator("#evidence").is_visible()
    page.keyboard.press("e")
    page.wait_for_selector("#evidence:visible")
    assert "ship" in page.locator("#evidence").inner_text().lower()


def test_a_reload_shows_the_same_item(page):
    page.goto("/screen")
    press(page, "n")
    item = shown(page)
    page.reload()
    assert shown(page) == item


def test_two_windows_on_one_item(page, desk):
    no = desk.store.labels()[1].id
    page.goto("/screen")
    other = page.context.new_page()
    other.goto("/screen")
    item = int(shown(page))
    press(page, "n")
    press(other, "y")  # too late, and said so
    assert "perhaps in another window" in other.locator("#toast").inner_text()
    assert shown(other) == shown(page)
    assert desk.store.current() == {item: {desk.local_user.id: no}}
    press(other, "y")
    page.reload()
    assert shown(page) == shown(other)


def test_import_of_a_file(page, desk, tmp_path):
    table = tmp_path / "more.csv"
    table.write_text("title,abstract\n" + "".join(f"New {i},Text number {i} of the file\n" for i in range(9)))
    page.goto("/import")
    page.locator("#files").set_input_files(str(table))
    page.wait_for_url("**/import/*")
    page.get_by_role("button", name="Import the file").click()
    page.wait_for_selector("text=9 new")
    assert desk.store.n_items == 69


def test_pages_fit_a_phone(chromium, labeled):
    context = chromium.new_context(base_url=labeled, viewport={"width": 390, "height": 844}, is_mobile=True)
    page = context.new_page()
    widths = {}
    for path in PAGES + PREVIEW:
        page.goto(path)
        widths[path] = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert {path: width for path, width in widths.items() if width > 390} == {}


def test_screening_on_a_phone(open_page, desk):
    page = open_page(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page.goto("/screen")
    item = shown(page)
    for name in ("Relevant", "Not relevant", "Skip", "Undo"):
        box = page.get_by_role("button", name=name, exact=False).first.bounding_box()
        assert box["height"] >= 24  # a finger needs them in sight, and of some size
        assert box["y"] + box["height"] <= 844
    page.locator("#answers .no").tap()
    page.wait_for_selector(f'#item:not([data-item="{item}"])')
    page.get_by_role("button", name="Undo").tap()
    page.wait_for_selector(f'#item[data-item="{item}"]')
    page.locator("#answers .yes").tap()
    page.wait_for_selector(f'#item:not([data-item="{item}"])')
    assert desk.store.current() == {int(item): {desk.local_user.id: 1}}


def test_by_night_every_page_is_dark(chromium, labeled):
    light, dark = (chromium.new_context(base_url=labeled, color_scheme=name) for name in ("light", "dark"))
    one, other = light.new_page(), dark.new_page()

    def brightness(page, path):
        page.goto(path)
        places = "[document.body, document.querySelector('.top')]"
        colours = page.evaluate(f"{places}.map(one => getComputedStyle(one).backgroundColor)")
        return [sum(int(part) for part in colour.strip("rgb()").split(",")[:3]) for colour in colours]

    assert min(brightness(one, "/screen")) > 600
    for path in PAGES + PREVIEW:
        assert max(brightness(other, path)) < 150, path
    light.close()
    dark.close()


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core, as a package of the tests brings it along."""
    pytest.importorskip("axe_playwright_python", reason="axe-core comes with axe-playwright-python")
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def violations(page, axe):
    """Return what axe-core finds on the page, after making sure that it has looked."""
    page.evaluate(axe)
    told = page.evaluate("axe.run(document, {resultTypes: ['violations', 'passes']})")
    assert len(told["passes"]) > 10
    return {one["id"]: [node["html"][:200] for node in one["nodes"][:3]] for one in told["violations"]}


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]
)
def test_no_page_hinders_a_screen_reader(chromium, labeled, guarded, axe, scheme, width):
    size = {"width": width, "height": 860}
    found = {}
    for address, paths in ((labeled, PAGES + PREVIEW), (guarded, ["/login", "/screen"])):
        context = chromium.new_context(base_url=address, color_scheme=scheme, viewport=size, bypass_csp=True)
        page = context.new_page()
        for path in paths:
            page.goto(path)
            found |= {(path, name): nodes for name, nodes in violations(page, axe).items()}
            if path == "/screen" and address == labeled:
                page.keyboard.press("e")
                page.wait_for_selector("#evidence:visible")
                page.keyboard.press("?")
                page.wait_for_selector("#keys:visible")
                found |= {("keys", name): nodes for name, nodes in violations(page, axe).items()}
        context.close()
    assert found == {}


def test_axe_finds_what_is_wrong(chromium, labeled, axe):
    context = chromium.new_context(base_url=labeled, bypass_csp=True)
    page = context.new_page()
    page.goto("/export")
    page.evaluate("document.querySelector('main').innerHTML += '<img src=x><input>'")
    assert {"image-alt", "label"} <= set(violations(page, axe))
    context.close()
