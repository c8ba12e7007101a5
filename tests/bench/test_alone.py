import os

import pytest

from lopsided.bench._alone import PeakMemory, run_alone


@pytest.fixture
def works(tmp_path, monkeypatch):
    """A module that a fresh interpreter can import."""
    (tmp_path / "works.py").write_text(
        "import os, time\n"
        "def quick():\n    yield\n    yield {'threads': os.environ['OMP_NUM_THREADS']}\n"
        "def chatty():\n    print('\\nhello')\n    yield\n    print('hello')\n    yield 1\n"
        "def slow():\n    yield\n    time.sleep(600)\n    yield 1\n"
        "def prepared_slowly():\n    print('hello', flush=True)\n    time.sleep(2)\n    yield\n    yield 1\n"
        "def broken():\n    yield\n    raise SystemExit(3)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)


def test_the_answer_comes_back(works):
    assert run_alone("works:quick") == {"threads": "1"}


def test_what_is_printed_besides_does_no_harm(works):
    assert run_alone("works:chatty") == 1


def test_work_is_stopped_at_its_limit(works):
    assert run_alone("works:slow", limit=0.2) is None


def test_preparing_is_not_part_of_the_limit(works):
    assert run_alone("works:prepared_slowly", limit=1.9) == 1


def test_a_failure_is_said(works):
    with pytest.raises(RuntimeError, match="works:broken failed in a process of its own: exit code 3"):
        run_alone("works:broken")


def test_the_peak_is_seen_after_it_has_passed():
    memory = PeakMemory()
    block = bytearray(64 * 2**20)
    block[::4096] = b"x" * len(block[::4096])
    del block
    grown = memory.grown()
    assert grown is None or grown >= 60 * 2**20
    later = PeakMemory().grown()
    assert later is None or later < 30 * 2**20
