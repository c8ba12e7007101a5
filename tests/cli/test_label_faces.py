import io

import pytest
from rich.console import Console

from lopsided.cli import _label_faces as faces
from lopsided.cli._label_faces import LineFace, ScreenFace, ShownQuestion, describe
from lopsided.screening import Question, Remaining, StopReason
from lopsided.screening._labels import LabelChoice
from lopsided.screening._standing import LabelingProgress

LONG = "A title\n" + "\n".join(
    f"line {i} of a long text that must be wrapped, word by word" for i in range(60)
)


LEFT = Remaining(7, 3.0, 0, 9, True, "7 found; about 3 are left (0 to 9, with 95% confidence).")
ENOUGH = StopReason("run of irrelevant", True, 42, "The last 50 answers were all irrelevant.")
LABELS = (
    LabelChoice("r", "relevant", True),
    LabelChoice("2", "background", False),
    LabelChoice("n", "no", False),
)


def item(text="A title\nand a body", *, reason="border", stop=(), id="mails.csv:18", words="", **options):
    progress = LabelingProgress(42, 7, 0, 455, LEFT, tuple(stop))
    question = Question(16, reason, 0.345, 0.66)
    return ShownQuestion(question, progress, "Is it about ships?", id, text, 500, words, **options)


def screen(width=80, height=24):
    return ScreenFace(Console(width=width, height=height, file=io.StringIO(), force_terminal=True))


def lines_of(item, *, page=0, notes=(), width=80, height=24):
    lines, more = screen(width, height).compose(item, page, list(notes))
    return [line.plain for line in lines], more


# what is printed


def test_counts_in_words():
    assert describe(LabelingProgress(1, 1, 0, 9)) == "1 label: 1 yes, 0 no"
    assert describe(LabelingProgress(1234, 7, 2, 9)) == "1,234 labels: 7 yes, 1,227 no, 2 skipped"


# the screen


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 12), (20, 30), (200, 60)])
@pytest.mark.parametrize("text", ["short", LONG, "word " * 2000, "x" * 3000, "船" * 500])
def test_the_screen_is_filled_and_never_overflows(text, width, height):
    lines, more = screen(width, height).compose(item(text), 0, [])
    assert len(lines) == height
    assert max(line.cell_len for line in lines) <= width
    assert more == ("[m]ore below" in "\n".join(line.plain for line in lines))


def test_a_tiny_terminal_shows_a_line_of_the_text_at_least():
    lines, _ = lines_of(item(), width=30, height=3)
    assert "A title" in lines


def test_paging_shows_all_of_the_text_once():
    shown, page, more = [], 0, True
    while more:
        lines, more = lines_of(item(LONG), page=page)
        shown += [line for line in lines if line.startswith(("A title", "line ", "word by"))]
        page += 1
    assert page > 3
    assert " ".join(" ".join(shown).split()) == " ".join(LONG.split())


def test_what_stands_on_the_screen():
    lines, _ = lines_of(item(stop=[ENOUGH]), notes=["Undone: x was yes."])
    assert lines[0] == "mails.csv:18, row 17 of 500, near the border"
    assert lines[2:4] == ["A title", "and a body"]
    below = " ".join(" ".join(lines[10:]).split())
    assert below.startswith(
        "42 labels: 7 yes, 35 no | 7 found; about 3 are left (0 to 9, with 95% confidence)."
    )
    assert "Undone: x was yes." in below
    assert 'Stopping rule "run of irrelevant": The last 50 answers' in below
    assert lines[-1].startswith("Is it about ships?  [y]es [n]o [s]kip [u]ndo [w]hy [m]ore [q]uit")


def test_the_answer_that_the_model_expects_is_kept_back():
    """A person who sees it tends to agree."""
    for face_text in (item().standing(), item().about()):
        assert "0.3" not in face_text
        assert "66" not in face_text


def test_the_first_line_is_a_title_if_more_follows():
    def style(text):
        lines, _ = screen().compose(item(text), 0, [])
        return str(lines[2].style)

    assert style("A title\nand a body") == "bold"
    assert style("only one line") == ""


def test_markup_in_a_text_is_text():
    assert "[bold]x[/bold] :smile:" in lines_of(item("[bold]x[/bold] :smile:"))[0]


def test_words_looked_for_are_marked():
    lines, _ = screen().compose(item("a Ship (sails)", reason="search", words="ship (s"), 0, [])
    assert [lines[2].plain[span.start : span.end] for span in lines[2].spans] == ["Ship", "(s"]


def test_a_very_long_text_is_cut():
    lines, more = lines_of(item("a\n" * 60_000), page=50_000 // 10, height=20)
    assert not more
    whole = list(screen()._body(item("a\n" * 60_000), 80))
    assert whole[-1].plain == "[cut here]"
    assert len(lines) == 20


@pytest.fixture
def keys(monkeypatch):
    """Return a function that lines up the keys that will be pressed."""

    def press(*pressed):
        queue = iter(pressed)
        monkeypatch.setattr(faces, "_read_key", lambda: next(queue))

    return press


def test_keys(keys, monkeypatch):
    face = screen()
    for key in "ynsuwq":
        keys(key)
        assert face.ask(item()) == key
    keys("x", "?", "m", "m", "", "y")
    assert face.ask(item(LONG)) == "y"
    assert item().help().split(",")[0] in face._console.file.getvalue()
    monkeypatch.setattr("builtins.input", lambda _: " ship vessel ")
    keys("/")
    assert face.ask(item()) == "/ship vessel"


@pytest.mark.parametrize(
    ("line", "action"),
    [("r", "r"), ("1", "r"), ("2", "2"), (" Background", "2"), ("no", "n"), ("3", "n"), ("4", ""), ("y", "")],
)
def test_labels_go_by_key_name_and_number(line, action):
    shown = item(choices=LABELS)
    assert shown.action(line) == action
    assert shown.keys().startswith("[r]elevant [2] background [n]o [s]kip")
    assert shown.help().startswith("r relevant, 2 background, n no, s skip")


def test_a_search_can_be_given_up(keys, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    keys("/", "n")
    assert screen().ask(item()) == "n"


def test_a_note_is_shown_once(keys):
    face = screen()
    face.note("Resumed: 3 labels")
    keys("y")
    face.ask(item())
    assert face._console.file.getvalue().count("Resumed: 3 labels") == 1
    keys("y")
    face.ask(item())
    assert face._console.file.getvalue().count("Resumed: 3 labels") == 1


def test_one_write_a_screen(keys):
    """Else the terminal would show it half drawn."""

    class Counting(io.StringIO):
        n_writes = 0

        def write(self, text):
            self.n_writes += 1
            return super().write(text)

    file = Counting()
    face = ScreenFace(Console(width=80, height=24, file=file, force_terminal=True))
    keys("y")
    face.ask(item(LONG))
    assert file.n_writes == 1


def test_no_color_if_not_wanted(keys, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    face = screen()
    face.note("a note")
    keys("y")
    face.ask(item(stop=[ENOUGH]))
    assert "\x1b[33m" not in face._console.file.getvalue()
    assert "a note" in face._console.file.getvalue()


# lines


def answers(monkeypatch, text):
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("y", "y"),
        (" YES ", "y"),
        ("No", "n"),
        ("skip", "s"),
        ("u", "u"),
        ("quit", "q"),
        ("/two words", "/two words"),
    ],
)
def test_answers_in_lines(monkeypatch, capsys, line, action):
    answers(monkeypatch, f"{line}\n")
    assert LineFace().ask(item()) == action
    assert "Is it about ships?" in capsys.readouterr().out


def test_a_line_that_is_no_answer_is_asked_again(monkeypatch, capsys):
    answers(monkeypatch, "maybe\n\n?\ny")
    assert LineFace().ask(item()) == "y"
    out = capsys.readouterr().out
    assert out.count(item().help()) == 3
    assert out.count("Is it about ships?") == 4
    assert out.count("and a body") == 1


def test_the_end_of_input_is_told(monkeypatch):
    answers(monkeypatch, "")
    with pytest.raises(EOFError):
        LineFace().ask(item())
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(EOFError):
        LineFace().ask(item())


def test_lines_show_the_beginning_and_more_on_demand(monkeypatch, capsys):
    answers(monkeypatch, "y\n")
    LineFace().ask(item(LONG))
    out = capsys.readouterr().out
    assert "line 10 " in out
    assert "line 50 " not in out
    assert "... 41 more lines: m" in out
    answers(monkeypatch, "m\ny\n")
    LineFace().ask(item(LONG))
    assert "line 59 " in capsys.readouterr().out


def test_lines_say_once_that_a_rule_fires(monkeypatch, capsys):
    answers(monkeypatch, "n\nn\n")
    face = LineFace()
    face.ask(item(stop=[ENOUGH]))
    face.ask(item(stop=[ENOUGH]))
    assert capsys.readouterr().out.count("Stopping rule") == 1
