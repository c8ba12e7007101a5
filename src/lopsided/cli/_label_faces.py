"""Three ways to ask: a screen for a person, lines for a pipe, JSON for a program."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, Self

import click
from rich.console import Console
from rich.text import Text

from lopsided._wording import pluralize
from lopsided.screening import Question, Reason, RecordEvidence
from lopsided.screening._labels import YES_NO, LabelChoice
from lopsided.screening._standing import LabelingProgress
from lopsided.terminal import abbreviate, echo, escape

_ACTIONS = {"skip": "s", "undo": "u", "why": "w", "more": "m", "quit": "q", "help": "?"}
RESERVED = (*_ACTIONS.values(), "/")
_LONGEST = 100_000  # characters of a text that are shown; nobody reads more before answering
_PAGE = 20  # lines of a text that a pipe shows at once
_REASONS = {
    "given": "chosen",
    "search": "found by its words",
    "first": "at random until a yes is known",
    "most likely": "most likely a yes",
    "border": "near the border",
    "random check": "a random check",
    "unexpected": "unlike the others",
    "conflict": "reviewers disagree",
}


@dataclass(frozen=True)
class ShownQuestion:
    """A question, its text and the state of the session, as they are shown."""

    question: Question
    progress: LabelingProgress
    prompt: str
    id: str
    text: str
    n_rows: int
    words: str  # that were looked for
    choices: tuple[LabelChoice, ...] = YES_NO

    def about(self) -> str:
        """Return which text this is, and why it is asked."""
        row = f"row {self.question.row + 1:,} of {self.n_rows:,}"
        return f"{abbreviate(self.id)}, {row}, {_REASONS[self.question.reason]}"

    def standing(self) -> str:
        """Return how far the session is, without the probability of a yes: it would be a hint."""
        estimate = self.progress.estimate
        return describe(self.progress) + (f" | {estimate.sentence}" if estimate is not None else "")

    def advice(self) -> list[str]:
        """Return what the stopping rules that fire say; nothing while none fires."""
        return [f'Stopping rule "{reason.rule}": {reason.sentence}' for reason in self.progress.fired]

    def keys(self) -> str:
        """Return the keys that may be pressed."""
        return " ".join(
            [_key_of(choice) for choice in self.choices]
            + [f"[{key}]{word.removeprefix(key)}" for word, key in _ACTIONS.items() if key != "?"]
        )

    def help(self) -> str:
        """Return what each key does."""
        labels = ", ".join(f"{choice.key} {choice.name}" for choice in self.choices)
        return (
            f"{labels}, s skip (not asked again), u undo the last answer, w why it is shown, m more of the "
            "text, /WORDS texts with these words first, q quit. Every answer is saved at once."
        )

    def action(self, word: str) -> str:
        """Return the action that a key or a word stands for; "" for none."""
        word = word.strip()
        if word.startswith("/"):
            return word
        word = word.lower()
        for number, choice in enumerate(self.choices, 1):
            if word in (choice.key.lower(), choice.name.lower(), str(number)):
                return choice.key
        word = _ACTIONS.get(word, word)
        return word if word in _ACTIONS.values() else ""


def _key_of(choice: LabelChoice) -> str:
    if choice.name.startswith(choice.key):
        return f"[{choice.key}]{choice.name.removeprefix(choice.key)}"
    return f"[{choice.key}] {choice.name}"


class Labeling(Protocol):
    """The texts of a table or the items of a project, which a person labels."""

    choices: tuple[LabelChoice, ...]
    question: str | None
    n_resumed: int
    changed: bool

    @property
    def n_rows(self) -> int:
        """The number of texts."""

    def ask(self) -> Question | None:
        """Return the next text, None when none is left."""

    def answer(
        self, row: int, answer: str, *, reason: Reason = "given", probability: float | None = None
    ) -> None:
        """Take the name of a label, or "skip"."""

    def give(self, row: int) -> None:
        """Take a known yes, unless the text has a label."""

    def undo(self) -> tuple[int, str] | None:
        """Take back the last answer."""

    def find(self, words: str, *, again: bool = False) -> int:
        """Ask first about texts with these words."""

    def evidence(self, row: int) -> RecordEvidence:
        """Return the words for and against a text."""

    def row(self, name: str) -> int:
        """Return the row with this id."""

    def name(self, row: int) -> str:
        """Return the id of a text."""

    def text(self, row: int) -> str:
        """Return a text."""

    def progress(self) -> LabelingProgress:
        """Return how far the session is."""

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield all rows with their labels and scores."""

    def model(self) -> Any:
        """Return the model of all answers, or None."""

    def __enter__(self) -> Self:
        """Hold what the answers are kept in."""

    def __exit__(self, *_: object) -> None:
        """Let go of it."""


class Face(Protocol):
    """A user interface that shows texts and reads answers."""

    def open(self) -> AbstractContextManager[Any]:
        """Take the terminal; the context gives it back."""

    def note(self, text: str) -> None:
        """Show a note."""

    def ask(self, item: ShownQuestion) -> str:
        """Show a text; return the key of a label, s, u, w, q, or / and words. EOFError at the end."""


def choose_face(*, as_json: bool) -> Face:
    """Return the interface: JSON, a full screen if there is a terminal with a keyboard, else lines."""
    if as_json:
        return JsonFace()
    console = Console(highlight=False)
    with_keyboard = sys.stdin is not None and sys.stdin.isatty()
    if with_keyboard and console.is_terminal and not console.is_dumb_terminal:
        return ScreenFace(console)
    return LineFace()


def describe(progress: LabelingProgress) -> str:
    """Return the number of labels so far, in words.

    Examples
    --------
    >>> describe(LabelingProgress(42, 7, 0, 455))
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
        del question["score"]
        labels = [choice.name for choice in item.choices]
        about = {"question": item.prompt, "labels": labels, "id": item.id, "text": item.text}
        click.echo(json.dumps({"event": "question", **about, **question, **item.progress.as_record()}))
        while (action := _read_action(item)) in ("", "m", "?"):
            click.echo(json.dumps({"event": "error", "text": f"not an answer. {item.help()}"}))
        return action


class LineFace:
    """Plain lines, for answers out of a pipe and for terminals that can do no more."""

    def __init__(self) -> None:
        self._advice: Sequence[str] = ()  # the rules that fired at the last question

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
        rules = [reason.rule for reason in item.progress.fired]
        for rule, advice in zip(rules, item.advice(), strict=True):
            if rule not in self._advice:
                echo(advice)
        self._advice = rules
        echoed = sys.stdin is not None and sys.stdin.isatty()
        while True:
            echo(f"{item.prompt} {item.keys()} [?] ", nl=not echoed)
            try:
                action = _read_action(item)
            except EOFError:
                echo(nl=echoed)  # Ctrl-D leaves the cursor behind the question
                raise
            if action == "m":
                echo("\n".join(lines[_PAGE:]))
            elif action in ("", "?"):
                echo(item.help())
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
            action = item.action(key) if key != "/" else ""
            if action not in ("", "m", "?"):
                return action
            notes = []
            if key == "m":
                page = page + 1 if more else 0
            elif key == "/":
                if words := self._read_words():
                    return f"/{words}"
            else:
                notes = [item.help()]

    def compose(self, item: ShownQuestion, page: int, notes: list[str]) -> tuple[list[Text], bool]:
        """Return the lines of the screen, and whether the text goes on behind them."""
        width, height = self._console.size
        header = self._wrap(Text(escape(item.about()), "dim"), width)
        notes = notes + item.advice()
        footer = [Text(item.standing(), "dim"), *(Text(escape(note), "yellow") for note in notes)]
        footer += [Text.assemble((escape(item.prompt), "bold"), f"  {item.keys()} [/]find [?]")]
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
            if item.question.reason == "search":
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


def _read_action(item: ShownQuestion) -> str:
    """Read an answer from a line: a key, '' for none of them, / and words; EOFError at the end."""
    line = sys.stdin.readline() if sys.stdin is not None else ""
    if not line:
        raise EOFError
    return item.action(line)


def _read_key() -> str:
    """Read one key, in lower case. What was typed before the question could be seen is no answer to it."""
    with suppress(ImportError):  # Windows has no termios
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    # Several keys may come at once; an arrow key comes as an escape sequence, whose first is none of ours.
    return click.getchar()[:1].lower()
