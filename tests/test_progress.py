import io

from lopsided._progress import progress_bar


def test_a_bar_is_shown_on_a_terminal_where_it_is_wanted(monkeypatch):
    shown = io.StringIO()
    shown.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar(False, 4, "ships") as tell:
        tell(2)
    assert shown.getvalue() == ""
    with progress_bar(True, 4, "ships") as tell:
        tell(2)
    assert "ships" in shown.getvalue()
    assert "50%" in shown.getvalue()
