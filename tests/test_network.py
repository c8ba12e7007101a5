"""Tests stay on this machine."""

import socket
from urllib.request import urlopen

import pytest

from lopsided.datasets import fetch_spamassassin


def test_a_test_that_reaches_for_another_machine_fails(monkeypatch, tmp_path):
    monkeypatch.delenv("LOPSIDED_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for reach in (fetch_spamassassin, lambda: urlopen("https://example.org")):
        with pytest.raises(pytest.fail.Exception, match="a test reached for"):
            reach()


def test_a_test_may_connect_to_itself():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
