"""What all tests share."""

import signal
import socket
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings

from lopsided.datasets import _cache
from lopsided.datasets._registry import get

# No deadline: a busy machine is not a failing test. Derandomised: CI sees what the developer saw.
settings.register_profile("lopsided", deadline=None, derandomize=True)
settings.load_profile("lopsided")

# What a shell starts in its background may be deaf to Ctrl-C, as its children are; tests end some by it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def no_network():
    """Fail a test that looks for another machine: without the data at hand, it would fetch them."""
    look_up = socket.getaddrinfo

    def look_up_here(host, *arguments, **options):
        if host not in (None, "", "localhost", "127.0.0.1", "::1"):
            pytest.fail(f"a test reached for '{host}'; tests use what is on this machine")
        return look_up(host, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", look_up_here)
        yield


@pytest.fixture(autouse=True, scope="session")
def texts_are_read_once():
    """Keep the two collections of texts that were read last: each takes a second, and many tests want one."""
    read, kept = _cache.read_at_hand, {}

    def read_once(copies):
        found = _cache.find(copies)
        if found is None or found.where == "cache" or not all(".jsonl" in path.name for path in found.paths):
            return read(copies)
        if any("trec07p" in path.name for path in found.paths):  # its fetcher empties the records as it goes
            return read(copies)
        key = (id(found.copy), *((path, path.stat().st_mtime_ns) for path in found.paths))
        loaded = kept.pop(key, None) or read(copies)
        kept[key] = loaded  # the last one in a dict that keeps its order
        if len(kept) > 2:
            del kept[next(iter(kept))]
        return loaded

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_cache, "read_at_hand", read_once)
        yield


@pytest.fixture
def short_path():
    """A folder for sockets: their addresses hold about 100 bytes, which ``tmp_path`` may exceed."""
    with TemporaryDirectory(prefix="lopsided-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def need():
    """Return a function that skips the test, with a reason, where a data set is not at hand."""

    def need_data_set(name, copy=0):
        # The first copy is the whole data set; a cleaned one in the cache is not what the tests count.
        if _cache.find(get(name).copies[copy : copy + 1]) is None:
            pytest.skip(f"{name} is neither in LOPSIDED_DATA nor in the cache")

    return need_data_set
