"""Migrations: what fails leaves the old project usable; a newer project is refused."""

import shutil

import pytest

pytest.importorskip("sqlalchemy", reason="needs lopsided[web]")
pytest.importorskip("alembic", reason="needs lopsided[web]")

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from lopsided.store import StoreError, _migrating, open_store
from lopsided.store._schema import metadata
from lopsided.text import Record

HEAD = '''"""A later version."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Change something."""
    op.add_column("items", sa.Column("language", sa.Text))
    op.execute("UPDATE labels SET name = 'changed' WHERE id = 1")
    with op.batch_alter_table("sources", recreate="auto") as batch:
        batch.alter_column("format", new_column_name="kind")
'''
BODIES = {
    "works": "",
    "breaks": "    raise RuntimeError('half way')\n",
    "wrong sql": "    op.execute('SELECT * FROM no_such_table')\n",
}


@pytest.fixture
def later(tmp_path, monkeypatch):
    """Return a function that makes this lopsided know a second version, which does as told."""

    def know(what):
        folder = tmp_path / "migrations"
        shutil.copytree(_migrating.MIGRATIONS, folder)
        (folder / "versions" / "0002_later.py").write_text(HEAD + BODIES[what], encoding="utf-8")
        monkeypatch.setattr(_migrating, "MIGRATIONS", folder)
        return lambda: monkeypatch.setattr(_migrating, "MIGRATIONS", monkeypatch_before)

    monkeypatch_before = _migrating.MIGRATIONS
    return know


@pytest.fixture
def old(place):
    """A project of the first version, with an item and a label."""
    with open_store(place) as store:
        with store.importing("one") as batch:
            batch.add([Record("a", "Ships")])
        store.answer(1, store.add_user("Ada").id, 1, token="a")
    return place


def test_migrations_build_the_tables_of_the_schema(store):
    with store.database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": _migrating.VERSION_TABLE})
        assert compare_metadata(context, metadata) == []
        indexes = inspect(connection).get_indexes("items")
    assert {"items_by_group", "items_by_given"} <= {index["name"] for index in indexes}


def test_an_older_project_is_brought_up_to_date(old, later):
    later("works")
    with open_store(old) as store:
        assert store.labels()[0].name == "changed"
        assert store.current() == {1: {1: 1}}
        with store.database.reading() as connection:
            assert _migrating.version_of(connection, old) == "0002"
            columns = {column["name"] for column in inspect(connection).get_columns("items")}
        assert "language" in columns
        if store.database.is_sqlite:
            with store.database.engine.connect() as connection:
                assert store.database.pragma(connection, "foreign_keys") == 1


@pytest.mark.parametrize("what", ["breaks", "wrong sql"])
def test_a_migration_that_fails_leaves_the_old_project_usable(old, later, what):
    forget = later(what)
    with pytest.raises(StoreError, match=r"\(format 0001\) could not be brought .+\. It is unchanged"):
        open_store(old)
    forget()
    with open_store(old) as store:
        assert store.labels()[0].name == "relevant"
        assert store.item(1).title == "Ships"
        assert store.sources()[0].format == ""
        assert store.answer(1, 1, 2, token="b").id == 2
        with store.database.reading() as connection:
            context = MigrationContext.configure(connection, opts={"version_table": _migrating.VERSION_TABLE})
            assert compare_metadata(context, metadata) == []


def test_a_project_that_cannot_be_created_leaves_nothing(place, later):
    forget = later("breaks")
    with pytest.raises(StoreError, match=r"could not be created \(half way\)\. Nothing was changed"):
        open_store(place)
    forget()
    with open_store(place) as store:
        assert store.n_items == 0


def test_a_project_of_a_newer_version_is_refused_unchanged(old):
    with open_store(old) as store, store.database.writing() as connection:
        connection.execute(text(f"UPDATE {_migrating.VERSION_TABLE} SET version_num = '0007'"))
    with pytest.raises(
        StoreError, match=r"is of a newer lopsided \(format 0007; this one knows 0001\)\. Upgrade"
    ):
        open_store(old)


def test_a_folder_with_a_percent_sign_and_a_space(tmp_path):
    folder = tmp_path / "100 % of it"
    folder.mkdir()
    with open_store(folder / "a project.db") as store:
        assert store.project.name == "a project"
