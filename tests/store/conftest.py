"""Every test of a store runs on SQLite, and on PostgreSQL where a server can be started."""

import pytest

from lopsided.text import Record
from store.postgres_server import Server, find_programs


@pytest.fixture(scope="session")
def server():
    pytest.importorskip("psycopg", reason="needs lopsided[postgres]")
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql")
    server = Server(programs)
    yield server
    server.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Where a project can be created: a file that is not there, or an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "project.db")
    return request.getfixturevalue("server").empty()


@pytest.fixture
def store(place):
    from lopsided.store import open_store  # late: the modules say first that they need lopsided[web]

    with open_store(place) as store:
        yield store


@pytest.fixture
def ten(store):
    """A project with ten items, two users (1, 2) and the labels 1 (relevant) and 2 (not relevant)."""
    with store.importing("ten") as batch:
        batch.add(Record(f"r{i}", f"Title {i}", f"Text {i}.", {"year": str(2000 + i)}) for i in range(1, 11))
    store.add_user("Ada")
    store.add_user("Bob")
    return store
