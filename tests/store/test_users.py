"""Passwords, access tokens and logins."""

import logging
import sqlite3
from contextlib import closing

import pytest

pytest.importorskip("sqlalchemy", reason="needs lopsided[web]")
pytest.importorskip("argon2", reason="needs lopsided[web]")

from lopsided.store import StoreError, open_store

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def fast_hashes(monkeypatch):
    from argon2 import PasswordHasher

    from lopsided.store import _users

    monkeypatch.setattr(_users, "_hasher", lambda: PasswordHasher(1, 8, 1))
    _users._hash_of_nobody.cache_clear()


def test_a_password_is_checked(store):
    ada = store.add_user(" Ada ", PASSWORD, admin=True)
    assert ada == (1, "Ada", True, True, True)
    assert store.check_password("Ada", PASSWORD) == ada
    assert store.check_password("Ada", PASSWORD + "x") is None
    assert store.check_password("Ada", "x" * 10_000_000) is None
    assert store.check_password("Bob", PASSWORD) is None
    assert store.check_password("A\0da", "\ud800") is None


def test_a_user_without_a_password_cannot_log_in_with_one(store):
    bob = store.add_user("Bob")
    assert not bob.has_password
    assert store.check_password("Bob", "") is None
    assert store.users() == [bob]


@pytest.mark.parametrize("password", ["", "seven77", "x" * 1001])
def test_passwords_that_are_refused(store, password):
    with pytest.raises(StoreError, match="a password has 8 to 1,000 characters") as error:
        store.add_user("Ada", password)
    assert not password or password not in str(error.value)
    assert store.users() == []


@pytest.mark.parametrize("name", ["", "  ", "x" * 201])
def test_names_that_are_refused(store, name):
    with pytest.raises(StoreError, match="the name of a user has 1 to 200"):
        store.add_user(name)


def test_two_users_have_two_names(store):
    store.add_user("Ada")
    bob = store.add_user("Bob")
    for call in (lambda: store.add_user("Ada"), lambda: store.update_user(bob.id, name="Ada")):
        with pytest.raises(StoreError, match="there is a user 'Ada' already"):
            call()
    assert store.update_user(bob.id, name="Eve", admin=True) == (2, "Eve", True, True, False)
    with pytest.raises(StoreError, match="no user 9"):
        store.update_user(9, name="x")


def test_a_new_password_ends_logins(store):
    ada = store.add_user("Ada", PASSWORD)
    login = store.open_login(ada.id)
    assert store.user_of_login(login) == ada
    store.update_user(ada.id, password="another password")
    assert store.user_of_login(login) is None
    assert store.check_password("Ada", PASSWORD) is None
    assert store.check_password("Ada", "another password") == ada


def test_who_is_not_active_is_locked_out(store):
    ada = store.add_user("Ada", PASSWORD)
    login, token = store.open_login(ada.id), store.add_token(ada.id)
    store.update_user(ada.id, active=False)
    assert store.check_password("Ada", PASSWORD) is None
    assert store.user_of_login(login) is store.user_of_token(token) is None
    store.update_user(ada.id, active=True)
    assert store.check_password("Ada", PASSWORD) == ada
    assert store.user_of_token(token) == ada


def test_a_login_ends(store):
    ada = store.add_user("Ada")
    login = store.open_login(ada.id)
    over = store.open_login(ada.id, hours=-1)
    assert store.user_of_login(over) is None
    assert store.user_of_login("") is None
    store.close_login(login)
    assert store.user_of_login(login) is None


def test_access_tokens(store):
    ada = store.add_user("Ada")
    secret = store.add_token(ada.id, "inbox")
    assert store.user_of_token(secret) == ada
    assert store.user_of_token(secret[:-1]) is None
    (token,) = store.tokens(ada.id)
    assert (token.user_id, token.name) == (ada.id, "inbox")
    store.remove_token(token.id)
    store.remove_token(token.id)
    assert store.user_of_token(secret) is None
    for call in (store.add_token, store.open_login):
        with pytest.raises(StoreError, match="no user 9"):
            call(9)


def test_old_hashes_are_renewed_at_the_next_login(store, monkeypatch):
    from argon2 import PasswordHasher

    from lopsided.store import _users

    ada = store.add_user("Ada", PASSWORD)
    monkeypatch.setattr(_users, "_hasher", lambda: PasswordHasher(2, 8, 1))
    assert store.check_password("Ada", PASSWORD) == ada
    from sqlalchemy import select

    from lopsided.store._schema import users

    with store.database.reading() as connection:
        assert "t=2" in connection.execute(select(users.c.password)).scalar()
    assert store.check_password("Ada", PASSWORD) == ada


def test_the_hash_is_a_strong_one(monkeypatch):
    from lopsided.store import _users

    monkeypatch.undo()
    hasher = _users._hasher()
    assert hasher.type.name == "ID"
    assert hasher.memory_cost >= 19 * 1024
    assert hasher.time_cost >= 2


def test_no_secret_is_logged_or_kept(tmp_path, caplog):
    path = tmp_path / "project.db"
    logged = caplog.at_level(logging.DEBUG, logger="sqlalchemy.engine")
    with logged, open_store(path) as store:
        ada = store.add_user("Ada", PASSWORD)
        token, login = store.add_token(ada.id), store.open_login(ada.id)
        store.check_password("Ada", PASSWORD)
        store.user_of_token(token), store.user_of_login(login)
    assert "INSERT INTO users" in caplog.text
    with closing(sqlite3.connect(path)) as connection:
        dump = "\n".join(connection.iterdump())
    for secret in (PASSWORD, token, login):
        assert secret not in caplog.text
        assert secret not in dump
        assert secret.encode() not in path.read_bytes()
    assert "argon2" not in caplog.text


def test_the_password_of_a_server_is_not_told():
    pytest.importorskip("psycopg", reason="needs lopsided[postgres]")
    with pytest.raises(StoreError, match="no connection to") as error:
        open_store("postgresql://me:secret@127.0.0.1:1/reviews")
    assert "secret" not in str(error.value)
    assert "postgresql://me:***@127.0.0.1:1/reviews" in str(error.value)
