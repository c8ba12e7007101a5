import io

from lopsided._progress import WorkProgress, progress_bar


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


def test_lines_say_how_much_is_left_where_there_is_no_terminal(capsys, monkeypatch):
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr("lopsided._progress.monotonic", lambda: next(clock))
    progress = WorkProgress(seconds_a_line=60)
    progress.begin("yu-2003 table1")
    for done in range(100, 131):  # a hundred were there before
        progress.tell(done, 200)
    progress.end()
    lines = capsys.readouterr().err.splitlines()
    assert 3 <= len(lines) <= 20
    assert all(line.startswith("yu-2003 table1: 1") for line in lines)
    assert "of 200 units, about " in lines[-1]
    assert lines[-1].endswith(" left")


def test_work_that_is_done_already_shows_nothing(capsys):
    progress = WorkProgress(seconds_a_line=0)
    progress.tell(5, 5)
    progress.tell(0, 0)
    assert capsys.readouterr().err == ""


def test_work_shows_a_bar_with_the_time_left_on_a_terminal(monkeypatch):
    shown = io.StringIO()
    shown.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    progress = WorkProgress()
    progress.begin("table1")
    for done in (3, 4, 5):
        progress.tell(done, 10)
    progress.end()
    assert "table1" in shown.getvalue()
    assert "5/10" in shown.getvalue()
    assert "0:00:0" in shown.getvalue()  # left
