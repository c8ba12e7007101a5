import os

import pytest

from lopsided._files import write_atomically


def test_the_file_appears_only_when_whole(tmp_path):
    path = tmp_path / "new" / "file"
    with write_atomically(path) as file:
        file.write(b"half")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"half"
    assert os.listdir(path.parent) == ["file"]


def test_an_error_keeps_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def half_way():
        with write_atomically(path) as file:
            file.write(b"new")
            raise OSError(28, "disk full")

    with pytest.raises(OSError, match="disk full"):
        half_way()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_the_file_has_ordinary_permissions(tmp_path):
    path, plain = tmp_path / "file", tmp_path / "plain"
    with write_atomically(path) as file:
        file.write(b"")
    plain.write_bytes(b"")
    assert path.stat().st_mode == plain.stat().st_mode
