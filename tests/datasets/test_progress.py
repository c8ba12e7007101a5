"""Spinner and bar on an imagined terminal."""

import io
import sys
import time

from lopsided.datasets._progress import ProgressBar, status


def make_screen(monkeypatch):
    """Stand in for a terminal; called by the test itself, as pytest sets stderr anew after the fixtures."""
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def shows(screen, text, start=0):
    """Wait until a text is shown, for the display is drawn by a thread of its own."""
    deadline = time.monotonic() + 10
    while text not in screen.getvalue()[start:] and time.monotonic() < deadline:
        time.sleep(0.01)
    return text in screen.getvalue()[start:]


def test_spinner_rests_while_a_bar_is_drawn(monkeypatch):
    screen = make_screen(monkeypatch)
    with status("toy ..."):
        assert shows(screen, "toy ...")
        bar = ProgressBar("toy.bin")
        before = len(screen.getvalue())
        bar.total = 100
        bar.update(20)
        assert shows(screen, "toy.bin", before)
        time.sleep(0.3)  # a spinner turns every 80 ms
        assert "toy ..." not in screen.getvalue()[before:]
        bar.close()
        assert shows(screen, "toy ...", len(screen.getvalue()))  # it goes on afterwards


def test_nothing_is_shown_where_nobody_looks(capsys):
    with status("toy ..."):
        pass
    assert capsys.readouterr().err.strip() == ""


def test_bar_after_a_spinner_that_has_gone(monkeypatch):
    screen = make_screen(monkeypatch)
    with status("toy ..."):
        pass
    before = len(screen.getvalue())
    bar = ProgressBar("toy.bin")
    bar.close()
    assert "toy ..." not in screen.getvalue()[before:]
