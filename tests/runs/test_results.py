import os
import shutil
import sqlite3
import subprocess
import sys
import threading

import pytest

from lopsided.runs import Results, UnitRecord

DONE = UnitRecord("done", "1", 0.5)


def fill(path, n=200):
    with Results(path) as results:
        for i in range(n):
            results.enter(f"k{i}", UnitRecord("done", str(i) * 50, 0.1), version="1")


def test_a_file_is_found_again_with_all_that_was_entered(tmp_path):
    path = tmp_path / "deep" / "folder" / "results.sqlite"
    fill(path, 20)
    with Results(path) as results:
        assert results.moved_aside is None
        assert len(results) == 20
        assert results.find(["k3", "other"]) == {"k3": UnitRecord("done", "3" * 50, 0.1)}
        results.enter("k3", UnitRecord("failed", "Traceback", 0.2), version="2")
        assert results.find(["k3"])["k3"].status == "failed"
        assert results.versions == {"1": 19, "2": 1}
        assert len(results) == 20


def test_strange_characters_are_kept_or_said(tmp_path):
    with Results(tmp_path / "r.sqlite") as results:
        results.enter("k", UnitRecord("failed", "half \ud800, none \0, ä", 0.0), version="1")
        assert results.find(["k"])["k"].text == "half \\ud800, none \0, ä"


def test_an_unknown_status_is_refused():
    with pytest.raises(OSError, match="CHECK constraint"):
        Results().enter("k", UnitRecord("lost", "", 0.0), version="1")


def truncate(path):
    with open(path, "r+b") as file:
        file.truncate(path.stat().st_size * 2 // 3)


def overwrite_middle(path):
    with open(path, "r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xff" * 6000)


def overwrite_start(path):
    with open(path, "r+b") as file:
        file.write(b"no database at all")


def another_program(path):
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("create table results (key text, precious text)")
    connection.close()


def a_later_format(path):
    with sqlite3.connect(path) as connection:
        connection.execute("pragma user_version = 99")
    connection.close()


def a_text_file(path):
    path.write_text("Dear diary, " * 100)


@pytest.mark.parametrize(
    "damage", [truncate, overwrite_middle, overwrite_start, another_program, a_later_format, a_text_file]
)
def test_a_damaged_or_foreign_file_is_moved_aside_as_it_is(tmp_path, damage):
    path = tmp_path / "r.sqlite"
    fill(path)
    damage(path)
    content = path.read_bytes()
    with Results(path) as results:
        assert results.moved_aside == tmp_path / "r.sqlite.damaged-1"
        assert results.moved_aside.read_bytes() == content
        assert len(results) == 0
        results.enter("k", DONE, version="1")
    with Results(path) as results:
        assert results.moved_aside is None
        assert len(results) == 1


def test_a_second_damaged_file_does_not_replace_the_first(tmp_path):
    path = tmp_path / "r.sqlite"
    for n in (1, 2):
        path.write_text(f"damage {n}")
        with Results(path) as results:
            assert results.moved_aside.name == f"r.sqlite.damaged-{n}"
            assert results.moved_aside.read_text() == f"damage {n}"


def test_an_empty_file_may_become_one(tmp_path):
    path = tmp_path / "r.sqlite"
    path.touch()
    with Results(path) as results:
        assert results.moved_aside is None
        results.enter("k", DONE, version="1")
        assert len(results) == 1


def test_entries_beside_a_file_that_was_emptied_are_not_lost(tmp_path):
    path, kept = tmp_path / "r.sqlite", tmp_path / "kept"
    kept.mkdir()
    with Results(path) as results:
        results.enter("k", DONE, version="1")
        for suffix in ("", "-wal"):  # as a killed process leaves them
            shutil.copy(f"{path}{suffix}", kept / f"r.sqlite{suffix}")
    (kept / "r.sqlite").write_bytes(b"")
    entries = (kept / "r.sqlite-wal").read_bytes()
    with Results(kept / "r.sqlite") as results:
        assert results.moved_aside == kept / "r.sqlite.damaged-1"
        assert (kept / "r.sqlite.damaged-1-wal").read_bytes() == entries


def test_what_cannot_be_opened_is_one_line_and_stays(tmp_path):
    (tmp_path / "r.sqlite").mkdir()
    with pytest.raises(OSError, match=r"cannot use .*r\.sqlite: unable to open"):
        Results(tmp_path / "r.sqlite")
    assert (tmp_path / "r.sqlite").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        Results(tmp_path / "file" / "r.sqlite")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read_is_not_called_damaged(tmp_path):
    path = tmp_path / "r.sqlite"
    fill(path, 3)
    path.chmod(0)
    with pytest.raises(OSError, match="cannot use"):
        Results(path)
    assert path.exists()


def test_a_full_disk_is_said_and_what_was_entered_stays(tmp_path):
    path = tmp_path / "r.sqlite"
    with Results(path) as results:
        results.enter("before", DONE, version="1")
        n_pages = results._connection.execute("pragma page_count").fetchone()[0]
        results._connection.execute(f"pragma max_page_count = {n_pages + 2}")
        big = UnitRecord("done", "x" * 20_000, 0.1)
        with pytest.raises(OSError, match=r"disk is full\. What was entered before is kept"):
            results.enter("big", big, version="1")
        n = len(results)
    with Results(path) as results:
        assert results.moved_aside is None
        assert len(results) == n == 1
        results.enter("after", DONE, version="1")


def test_units_that_never_ended_are_known(tmp_path):
    path = tmp_path / "r.sqlite"
    with Results(path) as results:
        for key in ("a", "a", "b"):
            results.begin(key)
        results.end("b")
    with Results(path) as results:
        assert results.begun == {"a"}


WRITER = """
import sys
from lopsided.runs import UnitRecord, Results
path, name = sys.argv[1:]
for part in range(3):  # opened anew, as by several runs
    with Results(path) as results:
        assert results.moved_aside is None
        for i in range(40):
            results.enter(f"{name} {part} {i}", UnitRecord("done", "x" * 500, 0.1), version="1")
            results.enter(f"shared {i}", UnitRecord("done", "same", 0.1), version="1")
"""


def test_several_processes_write_one_file_from_its_first_moment(tmp_path):
    path = tmp_path / "r.sqlite"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(i)]) for i in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    with Results(path) as results:
        assert len(results) == 3 * 3 * 40 + 40
        assert results.moved_aside is None


def test_making_one_file_at_the_same_time_is_no_race(tmp_path):
    for n in range(10):
        path, errors = tmp_path / f"{n}.sqlite", []

        def make(path=path, errors=errors):
            try:
                with Results(path) as results:
                    results.enter(str(threading.get_ident()), DONE, version="1")
                    errors.append(results.moved_aside)
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == [None] * 4
