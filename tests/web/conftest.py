"""A project on the disk, its desk, and clients that ask as a browser on this machine would."""

import shutil
from pathlib import Path

import pytest

MISSING = []
for name in ("fastapi", "sqlalchemy", "alembic", "argon2", "python_multipart", "uvicorn"):
    try:
        __import__(name)
    except ImportError:
        MISSING.append(name)
# test_packages.py stays, and says what is skipped.
TESTS = [path.name for path in Path(__file__).parent.glob("test_*.py") if path.name != "test_packages.py"]
collect_ignore = TESTS if MISSING else []
if not MISSING:
    from lopsided.store import open_store
    from web.served import Browser, listening, make_records, serving


@pytest.fixture
def missing_packages():
    return MISSING


@pytest.fixture
def project(tmp_path):
    """The file of a project of 60 records."""
    path = tmp_path / "ships.db"
    with open_store(path) as store, store.importing("a list") as batch:
        batch.add(make_records(60))
    return path


@pytest.fixture
def app(project):
    with serving(project) as app:
        yield app


@pytest.fixture
def desk(app):
    return app.app.state.desk


@pytest.fixture
def browser(app):
    browser = Browser(app)
    browser.get("/screen")
    return browser


@pytest.fixture
def address(app):
    """The address of the project, served to real browsers."""
    with listening(app) as address:
        yield address


@pytest.fixture(scope="module")
def chromium():
    """A browser for all tests of a file."""
    playwright = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright")
    program = shutil.which("chromium") or "/usr/bin/chromium"
    if not Path(program).exists():
        pytest.skip("no chromium here: apt-get install chromium")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with playwright.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=program, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, address):
    """A function that opens a page for another person; no script of it may fail."""
    opened = []

    def open_page(**options):
        context = chromium.new_context(
            base_url=address, **{"viewport": {"width": 1280, "height": 860}} | options
        )
        page = context.new_page()
        page.troubles = []
        page.on("console", lambda told: page.troubles.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.set_default_timeout(15_000)
        opened.append(page)
        return page

    yield open_page
    for page in opened:
        assert page.troubles == []
        page.context.close()


@pytest.fixture
def page(open_page):
    return open_page()
