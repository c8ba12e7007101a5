import io
import re
import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lopsided import terminal
from lopsided.terminal import (
    DownloadBar,
    Styled,
    WorkProgress,
    abbreviate,
    align,
    echo,
    escape,
    print_table,
    progress_bar,
    remark,
    say,
    status,
)

HOSTILE = "\x1b[2Jone\ntwo\ttabs\x07"

# ---- text


@given(st.text())
def test_no_text_can_drive_the_terminal(text):
    printed = escape(text, "utf-8")
    assert not [c for c in printed if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c != "\n"]
    assert not set(printed) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert escape(printed, "utf-8") == printed


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("\x1b[2J\x1b]0;owned\x07", "\\x1b[2J\\x1b]0;owned\\x07"),
        ("a\x9b31mb\x7f", "a\\x9b31mb\\x7f"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("a\tb", "a    b"),
        ("safe \u202eevil", "safe \\u202eevil"),
        ("soft\xadhyphen", "softhyphen"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_escape(text, printed):
    assert escape(text, "utf-8") == printed


def test_what_a_terminal_cannot_show_is_spelled():
    assert escape("naïve 船", "latin-1") == "naïve \\u8239"
    assert escape("naïve", "ascii") == "na\\xefve"


def test_a_name_fits_a_line():
    assert abbreviate("a\nb\tc") == "a b c"
    assert len(abbreviate("x" * 10_000)) == 60
    assert abbreviate("x" * 61).endswith("...")


def test_what_is_printed_drives_no_terminal(capsys):
    echo(HOSTILE)
    echo(HOSTILE, err=True)
    out, err = capsys.readouterr()
    assert out == err == "\\x1b[2Jone\ntwo    tabs\\x07\n"


def test_a_message_is_one_line_on_standard_error(capsys):
    say(HOSTILE)
    assert capsys.readouterr() == ("", "lopsided: \\x1b[2Jone two tabs\\x07\n")


class Closed(io.StringIO):
    def write(self, text):
        raise BrokenPipeError


@pytest.mark.parametrize("stream", [None, Closed()])
def test_a_message_that_nobody_can_read_is_no_error(stream, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "stdout", None)
    say("hello")


def test_remarks_go_where_nobody_cuts_lines(capsys, monkeypatch):
    remark("two found")
    assert capsys.readouterr() == ("", "two found\n")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    remark("two found")
    assert capsys.readouterr() == ("two found\n", "")


# ---- tables

ROWS = [["1", Styled("+0.50", "green"), HOSTILE], ["10", Styled("-1.25", ""), "[red]b[/red]"]]


def test_a_table_behind_a_pipe_has_a_header_a_line_a_row_and_a_tab_between_cells(capsys):
    print_table(["", "score", "text"], ROWS, right=[0, 1], title="a title")
    assert capsys.readouterr().out.splitlines() == [
        "a title",
        "\tscore\ttext",
        "1\t+0.50\t\\x1b[2Jone two tabs\\x07",
        "10\t-1.25\t[red]b[/red]",
    ]


@pytest.mark.parametrize("boxed", [False, True])
def test_a_table_on_a_terminal_is_drawn_and_its_cells_are_text(boxed, monkeypatch):
    screen = make_screen(monkeypatch, "stdout")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    print_table(["", "score", "text"], ROWS, right=[0, 1], boxed=boxed)
    shown = screen.getvalue()
    assert ("│" in shown) == boxed
    assert "\\x1b[2Jone two tabs\\x07" in shown
    assert "[red]b[/red]" in shown
    assert "\x07" not in shown
    if not boxed:
        assert "\n 1  +0.50  " in shown
        assert "\n10  -1.25  " in shown


def test_cells_that_are_cut_leave_room_for_the_others(monkeypatch):
    screen = make_screen(monkeypatch, "stdout")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    why = "some words for why it is listed"
    row = ["12", "+0.50", "folder/" * 20, "a title that goes on and on " * 3, why]
    print_table(["rank", "score", "id", "title", "why"], [row], right=[0, 1], cut=[2, 3])
    shown = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue())
    assert max(map(len, shown.splitlines())) <= 80
    assert {"12", "+0.50", *why.split()} <= set(shown.split())
    assert "folder/folder/" in shown
    assert "a title that" in shown
    assert shown.count("…") == 2


def test_a_table_without_rows_is_its_header_behind_a_pipe_and_nothing_on_a_terminal(capsys, monkeypatch):
    print_table(["", "score"], [], right=[0])
    assert capsys.readouterr().out == "\tscore\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    print_table(["", "score"], [], right=[0])
    assert capsys.readouterr().out == ""


def test_columns_of_fixed_width():
    assert align(["name", "1.5", "x"], [-8, 6, 0]) == "name       1.5x"
    assert align(["a long name", "1.5"], [-4, 2]) == "a long name1.5"
    with pytest.raises(ValueError, match="zip"):
        align(["a"], [3, 4])


# ---- status lines and progress bars


def make_screen(monkeypatch, name="stderr"):
    """Stand in for a terminal; called by the test itself, as pytest sets stderr anew after the fixtures."""
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, name, stream)
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
        bar = DownloadBar("toy.bin")
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
    bar = DownloadBar("toy.bin")
    bar.close()
    assert "toy ..." not in screen.getvalue()[before:]


def test_any_bar_takes_the_place_of_the_status_line(monkeypatch):
    screen = make_screen(monkeypatch)
    with status("toy ..."):
        assert shows(screen, "toy ...")
        with progress_bar(True, 4, "ships") as tell:
            before = len(screen.getvalue())
            tell(2)
            assert shows(screen, "ships", before)
            time.sleep(0.3)
            assert "toy ..." not in screen.getvalue()[before:]
        assert shows(screen, "toy ...", len(screen.getvalue()))
    assert terminal._spinner is None


def test_a_status_line_and_a_bar_show_text_as_it_is(monkeypatch):
    """Rich would take [/b] for the end of a style, and [b] for its beginning."""
    screen = make_screen(monkeypatch)
    with status("writing [/b].html \x07..."):
        assert shows(screen, "writing [/b].html \\x07...")
    bar = DownloadBar("[/b].zip")
    bar.close()
    assert "[/b].zip" in screen.getvalue()


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
    monkeypatch.setattr("lopsided.terminal.monotonic", lambda: next(clock))
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


def test_a_line_takes_the_place_of_the_bar(monkeypatch):
    screen = make_screen(monkeypatch)
    progress = WorkProgress()
    progress.begin("table1")
    progress.tell(3, 10)
    progress.say("a unit failed")
    assert screen.getvalue().endswith("lopsided: a unit failed\n")
    progress.tell(4, 10)
    assert "4/10" in screen.getvalue()
    progress.end()
