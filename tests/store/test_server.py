"""What is particular to PostgreSQL: addresses, locks and rights."""

import pytest

pytest.importorskip("sqlalchemy", reason="needs lopsided[web]")

from sqlalchemy import text

from lopsided.store import StoreError, open_store


@pytest.fixture
def url(server):
    return server.empty()


def test_addresses_of_all_spellings(url):
    for scheme in ("postgres", "postgresql", "postgresql+psycopg"):
        with open_store(url.replace("postgresql", scheme)) as store:
            assert store.project.name == "postgres"


def test_a_database_that_is_not_there(url):
    with pytest.raises(StoreError, match=r'no connection to .*database "reviews" does not exist') as error:
        open_store(url.replace("/postgres?", "/reviews?"))
    assert error.value.kind == "lost"


def test_an_empty_database_is_no_project(url):
    with pytest.raises(StoreError, match="there is no project in postgresql://tester@/postgres") as error:
        open_store(url, create=False)
    assert error.value.kind == "missing"


def test_tables_of_another_program(url):
    with open_store(url) as store, store.database.writing() as connection:
        connection.execute(text("DROP TABLE lopsided_version"))
    with pytest.raises(StoreError, match="is a database of another program"):
        open_store(url)


def test_a_lock_is_waited_for_and_told(url):
    with open_store(url) as other, open_store(url, timeout=0.2) as store:
        ada = store.add_user("Ada")
        with other.database.writing() as connection:
            connection.execute(text("SELECT * FROM counters FOR UPDATE"))
            with pytest.raises(StoreError, match="is locked by another program") as error:
                store.answer(1, ada.id, 1, token="a")
            assert error.value.kind == "busy"
            assert store.n_items == 0  # readers do not wait


def test_an_account_that_may_only_read(url):
    with open_store(url) as store, store.database.writing() as connection:
        if not connection.execute(text("SELECT 1 FROM pg_roles WHERE rolname = 'guest'")).first():
            connection.execute(text("CREATE ROLE guest LOGIN"))
        connection.execute(text("GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest"))
        connection.execute(text("GRANT USAGE ON SCHEMA public TO guest"))
    with open_store(url.replace("tester", "guest")) as store:
        assert store.n_items == 0
        with pytest.raises(StoreError, match="this account may not write") as error:
            store.add_user("Eve")
        assert error.value.kind == "unusable"


def test_every_commit_reaches_the_disk(url):
    with open_store(url) as store, store.database.reading() as connection:
        assert connection.execute(text("SHOW synchronous_commit")).scalar() == "on"
        assert connection.execute(text("SHOW transaction_isolation")).scalar() == "repeatable read"
