import io
import sys
import tarfile
import threading
import warnings
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from lopsided.datasets._download import download, from_openml, from_scikit_learn, members, normal_text

CONTENT = bytes(range(256)) * 1000


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        found = self.path == "/data/file.bin"
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(CONTENT) if found else 0))
        self.end_headers()
        if found:
            self.wfile.write(CONTENT)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/data/"
        http.shutdown()
        thread.join()


def test_download(server, tmp_path, capsys):
    assert download(server + "file.bin", tmp_path).read_bytes() == CONTENT
    assert capsys.readouterr().err == ""  # no bar where nobody looks


def test_download_draws_a_bar_on_a_terminal(server, tmp_path, monkeypatch):
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    download(server + "file.bin", tmp_path)
    assert "file.bin" in screen.getvalue()
    assert "256.0/256.0 kB" in screen.getvalue()


def test_missing_file_is_an_os_error(server, tmp_path):
    with pytest.raises(OSError, match="404"):
        download(server + "other.bin", tmp_path)


def test_members_are_files_only(make_tar):
    raw = make_tar({"a/one": b"1", "a/two": b""})
    buffer = io.BytesIO(raw)
    with tarfile.open(fileobj=buffer) as archive:
        assert list(members(archive)) == [("a/one", b"1"), ("a/two", b"")]


def test_scikit_learn_writes_into_the_given_folder_only(tmp_path):
    def fetch(*, data_home, n_retries, subset):
        warnings.warn("Retry downloading", stacklevel=1)
        return data_home, n_retries, subset

    assert from_scikit_learn(fetch, tmp_path, subset="all") == (str(tmp_path), 1, "all")


def test_openml_asks_for_arrays_by_number(tmp_path, monkeypatch):
    import sklearn.datasets

    def fetch(*, data_home, n_retries, data_id, as_frame, parser):
        assert (data_id, as_frame) == (6, False)
        return type("Bunch", (), {"data": "X", "target": "y"})

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    assert from_openml(6, tmp_path) == ("X", "y")


def test_normal_text_maps_back_to_the_bytes():
    raw = bytes(range(256))
    assert normal_text(raw).encode("latin-1") == raw
    assert normal_text(b"a\r\nb\rc\n") == "a\nb\rc\n"
