"""A machine with no data, and archives to take for downloads."""

import io
import tarfile

import pytest

from lopsided.datasets import _cache


@pytest.fixture
def empty_machine(monkeypatch, tmp_path):
    """Return the (empty) cache folder of a machine that has no data."""
    monkeypatch.delenv("LOPSIDED_DATA", raising=False)
    folder = tmp_path / "cache"
    monkeypatch.setattr(_cache, "cache_folder", lambda: folder)
    return folder


@pytest.fixture
def any_counts(monkeypatch):
    """Let invented copies pass, which are far smaller than what was published."""
    monkeypatch.setattr(_cache, "disagreements", lambda expected, found: [])


@pytest.fixture
def make_tar():
    """Return a function that makes an archive, in memory, of name -> content."""

    def make(files, mode="w:gz"):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode=mode) as archive:
            for name, content in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        return buffer.getvalue()

    return make
