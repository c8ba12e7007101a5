"""What cannot be opened, or breaks later, is said in one line, and nothing is lost."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs lopsided[web]")

from lopsided.store import StoreError, open_store
from lopsided.text import Record


def fails(where, match, kind=None, **options):
    with pytest.raises(StoreError, match=match) as error:
        open_store(where, **options)
    assert "\n" not in str(error.value)
    assert error.value.remedy.endswith((".", "db"))
    assert kind in (None, error.value.kind)


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "project.db"
    with open_store(path) as store:
        with store.importing("some") as batch:
            batch.add(Record(f"r{i}") for i in range(10))
        store.add_user("Ada")
    return path


def test_urls_and_paths_name_the_same_file(project):
    for where in (project, str(project), f"sqlite:///{project}", f"sqlite+pysqlite:///{project}"):
        with open_store(where, create=False) as store:
            assert store.n_items == 10


def test_a_closed_project_is_one_file(project):
    assert [path.name for path in project.parent.iterdir()] == [project.name]


def test_no_project_there(tmp_path):
    fails(tmp_path / "no.db", r"there is no project .*no\.db\. Name another", "missing", create=False)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "empty.db").touch()
    fails(tmp_path / "empty.db", "there is no project in", "missing", create=False)
    fails(tmp_path / "folder" / "new.db", r"there is no folder .*folder\. Create it first", "unusable")


def test_a_folder(tmp_path):
    fails(tmp_path, "is a folder. Name a file", "unusable")


@pytest.mark.parametrize("content", [b"title,text\n1,2\n" * 100, b"x", os.urandom(5000)])
def test_a_file_that_is_no_project_stays_as_it_is(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    fails(path, "is not a project of lopsided. Name a project", "unusable")
    assert path.read_bytes() == content
    assert len(list(tmp_path.iterdir())) == 1


def test_the_database_of_another_program_stays_as_it_is(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")
    before = path.read_bytes()
    fails(path, r"is a database of another program \(it has a table 'bookmarks'\)", "unusable")
    assert path.read_bytes() == before


def test_a_damaged_file(project):
    content = bytearray(project.read_bytes())
    content[4096:40960] = os.urandom(36864)
    project.write_bytes(content)
    fails(project, "is damaged. Restore the latest backup", "unusable")


def test_a_file_that_was_cut_off(project):
    project.write_bytes(project.read_bytes()[:6000])
    fails(project, "is damaged", "unusable")


@pytest.mark.parametrize(
    "where", ["", ":memory:", "sqlite://", "sqlite:///:memory:", "sqlite:///file:x?uri=true"]
)
def test_a_project_must_be_a_file(where):
    fails(where, "a project must be a file")


@pytest.mark.parametrize(
    "where", ["mysql://me:secret@host/db", "://", "postgresql+pg8000://host/db", "nonsense://x"]
)
def test_addresses_of_no_use(where):
    fails(where, "the address of a project must begin with sqlite:/// or postgresql://")


def test_a_lock_is_waited_for_and_told(project):
    with open_store(project, timeout=0.2) as store, closing(sqlite3.connect(project)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"is locked by another program\. Close the program") as error:
            store.answer(1, 1, 1, token="a")
        assert error.value.kind == "busy"
        assert store.n_items == 10  # readers do not wait
        other.rollback()
        assert store.answer(1, 1, 1, token="a").id == 1


def test_a_thread_that_writes_long_is_waited_for_and_told(project):
    with open_store(project, timeout=0.2) as store:
        with store.database.writing(), pytest.raises(StoreError, match="is busy with a long write") as error:
            store.answer(1, 1, 1, token="a")
        assert error.value.kind == "busy"
        assert store.answer(1, 1, 1, token="a").id == 1


def write_until_full(write):
    """Return how many calls were acknowledged before the disk was full."""
    for i in range(10_000):
        try:
            write(i)
        except StoreError as error:
            if error.kind != "full":
                raise
            return i
    raise AssertionError("the disk is never full")


def test_a_full_disk_loses_nothing(project):
    from sqlalchemy import event

    with open_store(project) as store:
        full = [True]

        @event.listens_for(store.database.engine, "begin")
        def fill(connection):
            n_pages = connection.exec_driver_sql("PRAGMA page_count").scalar() if full[0] else 10**9
            connection.exec_driver_sql(f"PRAGMA max_page_count = {n_pages}")

        with (
            pytest.raises(StoreError, match=r"no space left for .*project\.db\. Free some") as error,
            store.importing("more") as batch,
        ):
            batch.add(Record(f"x{i}", text="long " * 1000) for i in range(100))
        assert error.value.kind == "full"
        assert store.n_items == 10
        n_stored = write_until_full(lambda i: store.note(1, 1, "long " * 100, f"n{i}"))
        assert store.n_events == n_stored
        full[0] = False
        with store.importing("more") as batch:
            assert batch.add(Record(f"x{i}", text="long " * 1000) for i in range(100)) == (100, 0)
        assert store.note(1, 1, "more", "n").id == n_stored + 1


def test_a_disk_that_is_really_full(tmp_path):
    if os.getuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small disk needs root")
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True
    ).returncode:
        pytest.skip("mounting a small disk is not allowed here")
    try:
        with open_store(disk / "project.db") as store:

            def add(i):
                with store.importing(f"file {i}") as batch:
                    batch.add([Record(f"r{i}", text="long " * 2000)])

            n_stored = write_until_full(add)
            assert n_stored <= store.n_items <= n_stored + 1
        with open_store(disk / "project.db") as store:
            assert n_stored <= store.n_items <= n_stored + 1
            assert store.item(n_stored).text == "long " * 2000
    finally:
        subprocess.run(["umount", disk], check=True)


# Root may write everything, so these run as another user.
AS_NOBODY = """
import os, sys
from lopsided.store import open_store, StoreError
import lopsided.store._opening, alembic.command, sqlalchemy.dialects.sqlite
if os.getuid() == 0:
    os.setgid(65534), os.setuid(65534)
try:
    open_store(sys.argv[1])
except StoreError as error:
    print(error.kind, error)
"""


@pytest.mark.parametrize("what", ["file", "folder", "unreadable"])
def test_what_may_not_be_written(project, what):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        path = Path(folder) / "project.db"
        shutil.copy(project, path)
        os.chmod(folder, 0o555 if what == "folder" else 0o777)
        path.chmod({"file": 0o444, "folder": 0o666, "unreadable": 0o200}[what])
        run = [sys.executable, "-c", AS_NOBODY, path]
        said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
        os.chmod(folder, 0o777)
        assert said.startswith("unusable ")
        assert "cannot be read and written. Change its permissions" in said
        assert [one.name for one in Path(folder).iterdir()] == ["project.db"]


def test_a_package_that_is_missing_is_named():
    code = (
        "import sys; sys.modules['sqlalchemy'] = None\nimport lopsided, lopsided.store\n"
        "try:\n    lopsided.store.open_store\nexcept ImportError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "projects need sqlalchemy, which is not installed: pip install 'lopsided[web]'\n"


def test_psycopg_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ImportError, match=r"need psycopg: pip install 'lopsided\[postgres\]'"):
        open_store("postgresql://localhost/reviews")


def test_importing_the_folder_loads_no_package():
    code = "import sys, lopsided.store\nprint(sorted({'sqlalchemy', 'alembic', 'argon2'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_a_project_that_is_up_to_date_needs_no_alembic(project):
    code = (
        "import sys\nfrom lopsided.store import open_store\n"
        f"with open_store({str(project)!r}) as store: print(store.n_items)\n"
        "print(sorted({'alembic', 'argon2'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "10\n[]\n"


def test_every_commit_reaches_the_disk(project):
    with open_store(project) as store, store.database.engine.connect() as connection:
        values = {name: store.database.pragma(connection, name) for name in ("journal_mode", "synchronous")}
        assert values == {"journal_mode": "wal", "synchronous": 2}  # 2: FULL
