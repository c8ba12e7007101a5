"""The people of a project: passwords, access tokens and logins. Of all three only hashes are stored."""

import functools
import secrets
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, Row, delete, insert, select, update

from lopsided.store._database import clean, now
from lopsided.store._errors import StoreError
from lopsided.store._part import Part
from lopsided.store._schema import access_tokens, logins, users

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST_PASSWORD = 8
LONGEST_PASSWORD = 1000  # a longer one would only keep the server busy


class User(NamedTuple):
    """Somebody who works on the project.

    Parameters
    ----------
    id : int
        The id that events carry.
    name : str
        Name, as shown and for logging in.
    admin : bool
        Whether this user may change settings and accounts.
    active : bool
        Whether this user may log in.
    has_password : bool
        Whether this user has a password.

    Examples
    --------
    >>> User(1, "Ada", True, True, False).name
    'Ada'
    """

    id: int
    name: str
    admin: bool
    active: bool
    has_password: bool


class AccessToken(NamedTuple):
    """An access token, without its secret.

    Examples
    --------
    >>> AccessToken(1, 1, "inbox", "2026-01-01T00:00:00+00:00").name
    'inbox'
    """

    id: int
    user_id: int
    name: str
    created: str


class UserPart(Part):
    """Users, and how they prove who they are."""

    def users(self) -> list[User]:
        """Return all users in the order in which they were added."""
        with self.database.reading() as connection:
            return [_user(row) for row in connection.execute(select(users).order_by(users.c.id))]

    def add_user(self, name: str, password: str | None = None, *, admin: bool = False) -> User:
        """Add a user.

        Parameters
        ----------
        name : str
            Name, which nobody else has.
        password : str or None, default=None
            Password of at least 8 characters; None for a user who cannot log in with one.
        admin : bool, default=False
            Whether this user may change settings and accounts.
        """
        values = {"name": _name(name), "password": _hash(password), "admin": admin, "active": True}
        with self.database.writing() as connection:
            _refuse_taken(connection, values["name"])
            made = connection.execute(insert(users).values(**values, created=now()).returning(users))
            return _user(made.one())

    def update_user(
        self,
        user_id: int,
        *,
        name: str | None = None,
        password: str | None = None,
        admin: bool | None = None,
        active: bool | None = None,
    ) -> User:
        """Change an account. A new password, or active=False, ends all logins of this user.

        Parameters
        ----------
        user_id : int
            Which user.
        name : str or None, default=None
            New name; None keeps the old one.
        password : str or None, default=None
            New password; None keeps the old one.
        admin : bool or None, default=None
            Whether this user may change settings and accounts; None leaves it.
        active : bool or None, default=None
            Whether this user may log in and use access tokens; None leaves it.
        """
        given = {
            "name": None if name is None else _name(name),
            "password": _hash(password),
            "admin": admin,
            "active": active,
        }
        changes = {field: value for field, value in given.items() if value is not None}
        with self.database.writing() as connection:
            _refuse_taken(connection, changes.get("name"), but=user_id)
            if changes:
                connection.execute(update(users).where(users.c.id == user_id).values(**changes))
            if password is not None or active is False:
                connection.execute(delete(logins).where(logins.c.user_id == user_id))
            row = connection.execute(select(users).where(users.c.id == user_id)).one_or_none()
        if row is None:
            raise StoreError(f"no user {user_id} in this project", "users() lists them.", "missing")
        return _user(row)

    def check_password(self, name: str, password: str) -> User | None:
        """Return the user of a name if the password is right, else None.

        It takes as long for a name that is not there, so that the time does not tell which names are.

        Parameters
        ----------
        name : str
            Name of the user.
        password : str
            What was typed.
        """
        with self.database.reading() as connection:
            row = connection.execute(select(users).where(users.c.name == clean(name).strip())).one_or_none()
        stored = row.password if row is not None and row.password else _hash_of_nobody()
        is_right = len(password) <= LONGEST_PASSWORD and _verify(stored, password)
        if row is None or not row.password or not row.active or not is_right:
            return None
        if _hasher().check_needs_rehash(stored):
            with self.database.writing() as connection:
                new = update(users).where(users.c.id == row.id, users.c.password == stored)
                connection.execute(new.values(password=_hash(password)))
        return _user(row)

    def add_token(self, user_id: int, name: str = "") -> str:
        """Make an access token and return it: this is the only time that it can be seen.

        Parameters
        ----------
        user_id : int
            Whom it stands for.
        name : str, default=""
            What it is for.
        """
        secret = "lops_" + secrets.token_urlsafe(32)
        values = {"digest": _digest(secret), "user_id": user_id, "name": clean(name), "created": now()}
        with self.database.writing() as connection:
            _require(connection, user_id)
            connection.execute(insert(access_tokens).values(values))
        return secret

    def tokens(self, user_id: int) -> list[AccessToken]:
        """Return the access tokens of a user, without their secrets.

        Parameters
        ----------
        user_id : int
            The user.
        """
        table = access_tokens.c
        query = select(table.id, table.user_id, table.name, table.created).where(table.user_id == user_id)
        with self.database.reading() as connection:
            return [AccessToken(*row) for row in connection.execute(query.order_by(table.id))]

    def remove_token(self, token_id: int) -> None:
        """Withdraw an access token; does nothing if it is gone already.

        Parameters
        ----------
        token_id : int
            Its id, not its secret.
        """
        with self.database.writing() as connection:
            connection.execute(delete(access_tokens).where(access_tokens.c.id == token_id))

    def user_of_token(self, secret: str) -> User | None:
        """Return the user of an access token, None if it is not valid.

        Parameters
        ----------
        secret : str
            The token as it was sent.
        """
        table = access_tokens
        query = select(users).join(table, table.c.user_id == users.c.id)
        with self.database.reading() as connection:
            row = connection.execute(
                query.where(table.c.digest == _digest(secret), users.c.active)
            ).one_or_none()
        return None if row is None else _user(row)

    def open_login(self, user_id: int, hours: float = 12.0) -> str:
        """Begin a login and return its secret, for a cookie.

        Parameters
        ----------
        user_id : int
            Who logged in.
        hours : float, default=12.0
            For how long it is valid.
        """
        secret = secrets.token_urlsafe(32)
        expires = (datetime.now(UTC) + timedelta(hours=hours)).isoformat(timespec="microseconds")
        with self.database.writing() as connection:
            _require(connection, user_id)
            connection.execute(delete(logins).where(logins.c.expires <= now()))
            values = {"digest": _digest(secret), "user_id": user_id, "expires": expires}
            connection.execute(insert(logins).values(values))
        return secret

    def user_of_login(self, secret: str) -> User | None:
        """Return the user of a login, None if it is over or never was.

        Parameters
        ----------
        secret : str
            What is in the cookie.
        """
        query = select(users).join(logins, logins.c.user_id == users.c.id)
        query = query.where(logins.c.digest == _digest(secret), logins.c.expires > now(), users.c.active)
        with self.database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _user(row)

    def close_login(self, secret: str) -> None:
        """End a login.

        Parameters
        ----------
        secret : str
            What is in the cookie.
        """
        with self.database.writing() as connection:
            connection.execute(delete(logins).where(logins.c.digest == _digest(secret)))


@functools.cache
def _hasher() -> "PasswordHasher":
    from argon2 import PasswordHasher  # late: who uses no password waits for nothing

    return PasswordHasher()


@functools.cache
def _hash_of_nobody() -> str:
    return _hasher().hash(secrets.token_hex(16))


def _hash(password: str | None) -> str | None:
    if password is None:
        return None
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise StoreError(
            f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD:,} characters, got {len(password):,}",
            "Choose another one.",
        )
    return _hasher().hash(password.encode("utf-8", "surrogatepass"))


def _verify(stored: str, password: str) -> bool:
    from argon2.exceptions import VerificationError

    try:
        return _hasher().verify(stored, password.encode("utf-8", "surrogatepass"))
    except VerificationError:
        return False


def _digest(secret: str) -> str:
    # The secrets are random and long, so that a fast hash is as safe as a slow one.
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _name(name: str) -> str:
    name = clean(name).strip()
    if not 0 < len(name) <= 200:
        raise StoreError(
            f"the name of a user has 1 to 200 characters, got {len(name)}", "Choose another name."
        )
    return name


def _refuse_taken(connection: Connection, name: Any, but: int | None = None) -> None:
    row = connection.execute(select(users.c.id).where(users.c.name == name)).first()
    if row and row.id != but:
        raise StoreError(f"there is a user {name!r} already", "Choose another name.", "conflict")


def _require(connection: Connection, user_id: int) -> None:
    if connection.execute(select(users.c.id).where(users.c.id == user_id)).first() is None:
        raise StoreError(f"no user {user_id} in this project", "users() lists them.", "missing")


def _user(row: Row[Any]) -> User:
    return User(row.id, row.name, bool(row.admin), bool(row.active), bool(row.password))
