"""A project on the disk, its desk, and clients that ask as a browser on this machine would."""

import threading
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
    from web.served import Browser, make_records, serving, wait_for


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
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_for(lambda: server.started)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)
