"""The version of a project, and the migrations that bring an older one up to date in one transaction."""

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from lopsided.store._database import APPLICATION_ID, Database
from lopsided.store._errors import StoreError
from lopsided.store._schema import metadata

MIGRATIONS = Path(__file__).parent / "migrations"
VERSION_TABLE = "lopsided_version"


def known_versions(folder: Path | None = None) -> list[str]:
    """Return the versions that this lopsided knows, oldest first."""
    return sorted(path.name[:4] for path in ((folder or MIGRATIONS) / "versions").glob("[0-9]*_*.py"))


def version_of(connection: Connection, place: str) -> str | None:
    """Return the version of a project, None for an empty database; refuse one that is no project."""
    tables = set(inspect(connection).get_table_names())
    if VERSION_TABLE in tables:
        version = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar_one_or_none()
        return None if version is None else str(version)
    is_sqlite = connection.dialect.name == "sqlite"
    foreign = sorted(tables if is_sqlite else tables & set(metadata.tables))
    if foreign:
        raise StoreError(
            f"{place} is a database of another program (it has a table {foreign[0]!r})",
            "Name a project, or a new place to create one.",
            "unusable",
        )
    return None


def migrate(database: Database, *, create: bool) -> None:
    """Bring a project up to date, or create it. What fails leaves everything as it was."""
    known = known_versions()
    with database.reading() as connection:
        version = version_of(connection, database.place)
    if version is None and not create:
        raise StoreError(f"there is no project in {database.place}", "Name another place.", "missing")
    if version == known[-1]:
        return
    if version is not None and version not in known:
        raise StoreError(
            f"{database.place} is of a newer lopsided (format {version}; this one knows {known[-1]})",
            "Upgrade lopsided: pip install --upgrade lopsided.",
            "unusable",
        )
    try:
        with database.migrating() as connection:
            _upgrade(connection)
            _mark(connection)
    except StoreError as error:
        if error.kind in ("busy", "full", "lost"):
            raise
        raise _failed(database, version, error) from error
    except Exception as error:
        raise _failed(database, version, error) from error


def _upgrade(connection: Connection) -> None:
    from alembic import command  # late: a project that is up to date needs no Alembic
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _mark(connection: Connection) -> None:
    """Say in the head of an SQLite file whose it is; check that a rebuilt table broke no reference."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        if broken:
            raise RuntimeError(f"rows of table {broken[0]} refer to rows that are gone")


def _failed(database: Database, version: str | None, error: Exception) -> StoreError:
    why = " ".join(str(error).split())
    if version is None:
        return StoreError(
            f"the tables of {database.place} could not be created ({why})", "Nothing was changed."
        )
    return StoreError(
        f"{database.place} (format {version}) could not be brought up to date ({why})",
        "It is unchanged: open it with the version of lopsided that wrote it, and report this message.",
        "unusable",
    )
