import subprocess
import sys

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from lopsided.runs import _threads, one_thread


def n_threads():
    return {library["num_threads"] for library in threadpool_info()}


def test_one_thread_and_then_as_many_as_before():
    with threadpool_limits(2):
        before = n_threads()
        with one_thread():
            with one_thread():
                assert n_threads() == {1}
            assert n_threads() == {1}
        assert n_threads() == before == {2}
        with pytest.raises(ArithmeticError), one_thread():
            raise ArithmeticError
        assert n_threads() == before


def test_the_libraries_are_looked_for_once(monkeypatch):
    looked = []

    class Controller(_threads.ThreadpoolController):
        def __init__(self):
            looked.append(1)
            super().__init__()

    monkeypatch.setattr(_threads, "ThreadpoolController", Controller)
    _threads._controller.cache_clear()
    for _ in range(3):
        with one_thread():
            pass
    assert len(looked) == 1


LATE = """
from lopsided.runs import one_thread
from threadpoolctl import threadpool_info
with one_thread():
    before = {library["filepath"] for library in threadpool_info()}
import sklearn.cluster  # loads OpenMP
with one_thread():
    libraries = threadpool_info()
assert any(library["filepath"] not in before for library in libraries)
assert all(library["num_threads"] == 1 for library in libraries), libraries
"""


def test_a_library_that_comes_later_is_held_too(monkeypatch):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "2")
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
