"""Three ways to ask: a screen for a person, lines for a pipe, JSON for a program."""

import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

import click
from rich.console import Console
from rich.text import Text

from lopsided._wording import pluralize
from lopsided.svm._labeling import BorderQuestion, Progress
from lopsided.svm._learner import WINDOW
from lopsided.terminal import abbreviate, echo, escape

HELP = (
    "y yes, n no, s skip (not asked again), u undo the last answer, m more of the text, /WORDS texts with "
    "these words first, q quit. Every answer is saved at once."
)
_ACTIONS = {"yes": "y", "no": "n", "skip": "s", "undo": "u", "more": "m", "quit": "q", "help": "?"}
_KEYS = " ".join(f"[{key}]{word.removeprefix(key)}" for word, key in _ACTIONS.items() if key != "?")
_LONGEST = 100_000  # characters of a text that are shown; nobody reads more before answering
_PAGE = 20  # lines of a text that a pipe shows at once
_REASONS = {
    "find": "found by its words",
    "random": "at random until a yes and a no are known",
    "border": "near the border",
}
_STOPS = {
    "settled": f"You can stop: the last {WINDOW} answers changed next to nothing in what counts as a yes.",
    "margin": "You can stop: no text left seems to lie inside the margin.",
}


@dataclass(frozen=True)
class ShownQuestion:
    """A question, its text and the state of the session, as they are shown."""

    question: BorderQuestion
    progress: Progress
    prompt: str
    id: str
    text: str
    n_rows: int
    words: str  # that were looked for

    def about(self) -> str:
        """Return which text this is, and why it is asked."""
        row = f"row {self.question.row + 1:,} of {self.n_rows:,}"
        return f"{abbreviate(self.id)}, {row}, {_REASONS[self.question.reason]}"

    def standing(self) -> str:
        """Return how far the session is, without the answer that the model expects: it would be a hint."""
        parts = [describe(self.progress)]
        if self.progress.in_margin is not None:
            parts.append(f"{self.progress.n_support:,} support vectors")
            parts.append(f"{self.progress.in_margin:.0%} of the rest in the margin")
        if self.question.distance is not None:
            parts.append(f"distance {self.question.distance:.2f} (sure at 1)")
        return " | ".join(parts)

    def advice(self) -> str | None:
        """Return the advice to stop, or None while answers still teach."""
        return _STOPS.get(self.progress.stop or "")


class Face(Protocol):
    """A user interface that shows texts and reads answers."""

    def open(self) -> AbstractContextManager[Any]:
        """Take the terminal; the context gives it back."""

    def note(self, text: str) -> None:
        """Show a note."""

    def ask(self, item: ShownQuestion) -> str:
        """Show a text; return y, n, s, u, q, or / and words. EOFError where the answers end."""


def choose_face(*, as_json: bool) -> Face:
    """Return the interface: JSON, a full screen if there is a terminal with a keyboard, else lines."""
    if as_json:
        return JsonFace()
    console = Console(highlight=False)
    with_keyboard = sys.stdin is not None and sys.stdin.isatty()
    if with_keyboard and console.is_terminal and not console.is_dumb_terminal:
        return ScreenFace(console)
    return LineFace()


def describe(progress: Progress) -> str:
    """Return the number of labels so far, in words.

    Examples
    --------
    >>> describe(Progress(42, 7, 0, 455, 31, 20, 0.12, None))
    '42 labels: 7 yes, 35 no'
    """
    labels = pluralize(progress.n_labels, "label")
    counts = f"{progress.n_yes:,} yes, {progress.n_labels - progress.n_yes:,} no"
    skipped = f", {progress.n_skipped:,} skipped" if progress.n_skipped else ""
    return f"{labels}: {counts}{skipped}"


class JsonFace:
    """Each question and note a line of JSON; each answer a line of text."""

    def open(self) -> AbstractContextManager[Any]:
        """Return a context that does nothing."""
        return nullcontext()

    def note(self, text: str) -> None:
        """Print the note on one line."""
        click.echo(json.dumps({"event": "note", "text": text}))

    def ask(self, item: ShownQuestion) -> str:
        """Print the question on one line, and return the first line read that is an answer."""
        question = item.question._asdict() | {"row": item.question.row + 1}
        about = {"question": item.prompt, "id": item.id, "text": item.text}
        click.echo(json.dumps({"event": "question", **about, **question, **item.progress._asdict()}))
        while (action := _read_action()) in ("", "m", "?"):
            click.echo(json.dumps({"event": "error", "text": f"not an answer. {HELP}"}))
        return action


class LineFace:
    """Plain lines, for answers out of a pipe and for terminals that can do no more."""

    def __init__(self) -> None:
        self._advice: str | None = None

    def open(self) -> AbstractContextManager[Any]:
        """Return a context that does nothing."""
        return nullcontext()

    def note(self, text: str) -> None:
        """Print the note on one line."""
        echo(text)

    def ask(self, item: ShownQuestion) -> str:
        """Print the text, the state of the session and the question, and return the answer."""
        lines = escape(item.text[:_LONGEST]).strip().split("\n")
        echo(f"\n-- {item.about()}")
        echo("\n".join(lines[:_PAGE]))
        if len(lines) > _PAGE:
            echo(f"... {pluralize(len(lines) - _PAGE, 'more line')}: m")
        echo(f"-- {item.standing()}")
        advice = item.advice()
        if advice is not None and advice != self._advice:
            echo(advice)
        self._advice = advice
        echoed = sys.stdin is not None and sys.stdin.isatty()
        while True:
            echo(f"{item.prompt} {_KEYS} [?] ", nl=not echoed)
            try:
                action = _read_action()
            except EOFError:
                echo(nl=echoed)  # Ctrl-D leaves the cursor behind the question
                raise
            if action == "m":
                echo("\n".join(lines[_PAGE:]))
            elif action in ("", "?"):
                echo(HELP)
            else:
                return action


class ScreenFace:
    """The whole terminal: the text above, where things stand and the question below; one key an answer."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._notes: list[str] = []

    def open(self) -> AbstractContextManager[Any]:
        """Open the terminal's second screen, so that what was there before comes back."""
        return self._console.screen(hide_cursor=False)

    def note(self, text: str) -> None:
        """Keep a note, which is shown with the next question."""
        self._notes.append(text)

    def ask(self, item: ShownQuestion) -> str:
        """Draw, and wait for a key that is an answer."""
        notes, self._notes = self._notes, []
        page = 0
        while True:
            lines, more = self.compose(item, page, notes)
            with self._console as console:  # one write, so that nothing flickers
                console.clear()
                console.print(Text("\n").join(lines), end=" ", no_wrap=True, overflow="crop")
            key = _read_key()
            if key in ("y", "n", "s", "u", "q"):
                return key
            notes = []
            if key == "m":
                page = page + 1 if more else 0
            elif key == "/":
                if words := self._read_words():
                    return f"/{words}"
            else:
                notes = [HELP]

    def compose(self, item: ShownQuestion, page: int, notes: list[str]) -> tuple[list[Text], bool]:
        """Return the lines of the screen, and whether the text goes on behind them."""
        width, height = self._console.size
        header = self._wrap(Text(escape(item.about()), "dim"), width)
        notes = notes + [advice] if (advice := item.advice()) else notes
        footer = [Text(item.standing(), "dim"), *(Text(escape(note), "yellow") for note in notes)]
        footer += [Text.assemble((escape(item.prompt), "bold"), f"  {_KEYS} [/]find [?]")]
        below = [line for part in footer for line in self._wrap(part, width)]
        room = max(1, height - len(header) - len(below) - 2)  # an empty line behind the header and the text
        body = list(islice(self._body(item, width), page * room, (page + 1) * room + 1))
        more = len(body) > room
        body = body[:room] + [Text()] * (room - len(body))
        mark = Text("[m]ore below".rjust(width) if more else "", "dim")
        return [*header, Text(), *body, mark, *below], more

    def _body(self, item: ShownQuestion, width: int) -> Iterator[Text]:
        """Yield the text in lines of the screen, its first line as a title."""
        paragraphs = escape(item.text[:_LONGEST]).strip().split("\n")
        for number, paragraph in enumerate(paragraphs):
            line = Text(paragraph, "bold" if number == 0 < len(paragraphs) - 1 else "")
            if item.question.reason == "find":
                line.highlight_words(item.words.split(), "reverse", case_sensitive=False)
            yield from self._wrap(line, width)
        if len(item.text) > _LONGEST:
            yield Text("[cut here]", "dim")

    def _wrap(self, text: Text, width: int) -> list[Text]:
        return list(text.wrap(self._console, width)) or [Text()]

    def _read_words(self) -> str:
        self._console.print()
        with suppress(KeyboardInterrupt, EOFError):
            return input("texts with the words: /").strip()
        return ""


def _read_action() -> str:
    """Read an answer from a line: a key, '' for none of them, / and words; EOFError at the end."""
    line = sys.stdin.readline() if sys.stdin is not None else ""
    if not line:
        raise EOFError
    word = line.strip()
    if word.startswith("/"):
        return word
    word = _ACTIONS.get(word.lower(), word.lower())
    return word if word in _ACTIONS.values() else ""


def _read_key() -> str:
    """Read one key, in lower case. What was typed before the question could be seen is no answer to it."""
    with suppress(ImportError):  # Windows has no termios
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    # Several keys may come at once; an arrow key comes as an escape sequence, whose first is none of ours.
    return click.getchar()[:1].lower()
