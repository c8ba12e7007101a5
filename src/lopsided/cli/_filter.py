"""``lopsided filter``: a mail filter that learns from what people do with the mail it shows."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lopsided.cli import _filter_services
from lopsided.terminal import echo, say, tell

if TYPE_CHECKING:  # loaded when a message is there: what fails then fails open
    from lopsided.mail._filter import MailFilter

_PATH = click.Path(path_type=Path)
_HIDDEN = 10  # exit code of --exit-code; 1 is also that of a Python that cannot start
_STATE = click.option(
    "--state",
    type=_PATH,
    metavar="FILE",
    help="State of the filter. [default: $LOPSIDED_STATE, or ~/.local/state/lopsided/mail]",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def command() -> None:
    """Show or hide mail, and learn from what people do with the messages they see.

    At first the filter shows every message. You need not look through hidden mail: now and then the filter
    shows a message that looks like spam, and from these it estimates how much ham it hides.
    """


@command.command()
@click.argument("mailbox", type=_PATH, required=False)
@_STATE
@click.option(
    "--hidden", type=_PATH, metavar="FOLDER", help="Folder for hidden messages. [default in a Maildir: .Junk]"
)
@click.option(
    "--socket", type=_PATH, metavar="PATH", help="Ask the service 'lopsided filter serve' at this socket."
)
@click.option("--user", metavar="NAME", help="Owner of the mail, with --socket. [default: $USER]")
@click.option("--exit-code", is_flag=True, help="Print nothing; exit with 0 for show and 10 for hide.")
@click.option(
    "--temporary-failure", is_flag=True, help="On failure, exit with 75 instead of passing the message on."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the decision or the counts as JSON instead of the message."
)
def run(
    mailbox: Path | None,
    state: Path | None,
    hidden: Path | None,
    socket: Path | None,
    user: str | None,
    exit_code: bool,
    temporary_failure: bool,
    as_json: bool,
) -> int:
    """Filter one message on standard input, the new messages of a Maildir, or an mbox.

    A message on standard input is printed with a header X-Lopsided that says show or hide. If anything goes
    wrong, the message is printed all the same, and the header says unfiltered. Hidden messages of MAILBOX
    move to the hidden folder.
    """
    if socket is not None and (mailbox is not None or exit_code or as_json or state is not None):
        raise click.UsageError("--socket passes one message on: without MAILBOX and other options.")
    if user is not None and socket is None:
        raise click.UsageError("--user is for --socket; a state of your own is named with --state.")
    if mailbox is None:
        if hidden is not None:
            raise click.UsageError("--hidden is for a MAILBOX; from standard input one message comes.")
        if exit_code or as_json:
            return _only_decide(state, as_json, exit_code, fails_open=not temporary_failure)
        from lopsided.mail._pipe import pass_standard

        def judge(head: bytes) -> str:
            if socket is None:
                return _decide(state, head)
            from lopsided.mail._client import ask

            return ask(str(socket), user or os.environ.get("USER", ""), head)

        return pass_standard(judge, fails_open=not temporary_failure)
    if exit_code or temporary_failure:
        raise click.UsageError("--exit-code and --temporary-failure are for one message, without MAILBOX.")
    return _run_mailbox(mailbox, state, hidden, as_json)


@command.command()
@click.option(
    "--ham",
    multiple=True,
    type=_PATH,
    metavar="PATH",
    help="Mailbox or files of wanted messages; - reads standard input.",
)
@click.option(
    "--spam",
    multiple=True,
    type=_PATH,
    metavar="PATH",
    help="Mailbox or files of unwanted messages; - reads standard input.",
)
@click.option(
    "--moved", type=_PATH, metavar="MAILBOX", help="Learn from the folders that messages are in now."
)
@click.option(
    "--hidden",
    type=_PATH,
    metavar="FOLDER",
    help="Folder of hidden messages, for --moved. [default in a Maildir: .Junk]",
)
@click.option(
    "--after",
    type=click.FloatRange(0),
    default=24.0,
    show_default=True,
    metavar="HOURS",
    help="A read message left in the inbox for this long counts as ham.",
)
@_STATE
@_JSON
def learn(
    ham: tuple[Path, ...],
    spam: tuple[Path, ...],
    moved: Path | None,
    hidden: Path | None,
    after: float,
    state: Path | None,
    as_json: bool,
) -> None:
    """Learn from corrections, or from messages that people moved between folders.

    The filter recognises a message by its X-Lopsided header. A message without one is learned as an example.
    """
    if not (ham or spam or moved):
        raise click.UsageError("say which messages: --ham PATH, --spam PATH or --moved MAILBOX.")
    from lopsided.mail._mailbox import stored_messages
    from lopsided.mail._moves import learn_from_moves
    from lopsided.text._mailbox import is_maildir

    counts: dict[str, int] = {}
    examples = list(_evenly({"ham": ham, "spam": spam}))  # before a state is made
    with _open(state, create=bool(ham or spam)) as filter:
        for label, id, head in examples:
            told = filter.learn(label, id, head)
            counts[f"{label} {told}"] = counts.get(f"{label} {told}", 0) + 1
        if moved is not None:
            maildir = is_maildir(moved)
            if hidden is None and not maildir:
                raise click.UsageError("an mbox needs --hidden FILE: the mbox of hidden messages.")
            folder = _hidden_folder(moved, hidden).name if maildir else str(hidden)
            boxes = [moved, Path(folder)] if not maildir and Path(folder).exists() else [moved]
            stored = (one for box in boxes for one in stored_messages(box))
            inbox = "" if maildir else str(moved)
            counts |= learn_from_moves(filter, stored, folder, 3600 * after, inbox)
    tell(counts, as_json)


@command.command()
@click.option("--ham", multiple=True, type=_PATH, metavar="PATH", help="Mailbox or files of wanted messages.")
@click.option(
    "--spam", multiple=True, type=_PATH, metavar="PATH", help="Mailbox or files of unwanted messages."
)
@click.option(
    "--learner",
    metavar="NAME",
    help="Learner of the new state: relaxed-svm or margin-perceptron. [default: relaxed-svm]",
)
@click.option(
    "--explorer", metavar="NAME[:NUMBER]", help="Explorer of the new state. [default: epsilon-greedy:0.005]"
)
@click.option(
    "--guard/--no-guard", default=True, help="Show more messages while far less ham arrives than before."
)
@click.option("--seed", type=int, metavar="N", help="Seed of the exploration.")
@_STATE
@_JSON
def train(
    ham: tuple[Path, ...],
    spam: tuple[Path, ...],
    learner: str | None,
    explorer: str | None,
    guard: bool,
    seed: int | None,
    state: Path | None,
    as_json: bool,
) -> None:
    """Create a new state and learn from existing messages, if you name any.

    This is optional: 'lopsided filter run' creates a state by itself.
    """
    from lopsided.mail._filter import MailFilter
    from lopsided.mail._settings import Settings

    path = _path(state)
    if path.exists():
        raise click.UsageError(
            f"'{path}' is there already. 'lopsided filter learn' goes on with it, 'lopsided filter set' "
            "changes its explorer; another learner needs another --state."
        )
    settings = Settings.of(learner, explorer, guard)
    examples = list(_evenly({"ham": ham, "spam": spam}))  # before the state is made
    with MailFilter.open(path, create=settings, seed=seed) as filter:
        counts = {"ham": 0, "spam": 0}
        with filter.turn():
            for label, _, head in examples:
                filter.learn(label, head=head)
                counts[label] += 1
    tell(counts, as_json)


@command.command("set")
@click.option(
    "--explorer", metavar="NAME[:NUMBER]", help="New explorer, such as none or epsilon-greedy:0.01."
)
@click.option(
    "--guard/--no-guard", default=None, help="Show more messages while far less ham arrives than before."
)
@click.option(
    "--learner",
    metavar="NAME",
    help="The learner of a state cannot be changed; the message says how to start anew.",
)
@_STATE
@_JSON
def set_(
    explorer: str | None, guard: bool | None, learner: str | None, state: Path | None, as_json: bool
) -> None:
    """Change the explorer or the guard of a state, and keep what was learned. Without options, print both."""
    from lopsided.mail._settings import Settings

    with _open(state) as filter:
        now = filter.settings
        wanted = Settings.of(
            learner or now.learner,
            explorer or now.explorer_in_words,
            now.guard if guard is None else guard,
            now.n_features,
        )
        if wanted != now:
            filter.change(wanted)
    tell({"learner": wanted.learner, "explorer": wanted.explorer_in_words, "guard": wanted.guard}, as_json)


@command.command()
@click.option(
    "--html", type=_PATH, metavar="FILE", help="Also write the report as an HTML page with a chart."
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level of the interval for the number of hidden ham messages.",
)
@_STATE
@_JSON
def report(html: Path | None, confidence: float, state: Path | None, as_json: bool) -> None:
    """Report how many messages were shown, hidden, explored and corrected, and how much ham may be hidden."""
    from lopsided._files import write_atomically
    from lopsided.mail._report import report_of

    with _open(state) as filter:
        told = report_of(filter, confidence)
    echo(json.dumps(told.plain(), indent=2) if as_json else told.text())
    if html is not None:
        with write_atomically(html) as file:
            file.write(told.page().encode())


@command.command()
@click.option(
    "--top",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help="Number of words to print for ham and for spam.",
)
@_STATE
@_JSON
def explain(top: int, state: Path | None, as_json: bool) -> None:
    """Explain the score of one message on standard input.

    Prints whether the filter would show the message, and the words that raise its score (for ham) or lower
    it (for spam). Nothing is learned or counted. The filter compares runs of four bytes of the first 3,000
    bytes; a word gets the sum of its parts.

    \b
    lopsided filter explain < message
    """
    from lopsided.mail._explain import explain as explain_message
    from lopsided.mail._message import Message

    if sys.stdin is None or sys.stdin.isatty():
        raise click.UsageError("no message on standard input. Try: lopsided filter explain < message")
    head = Message(sys.stdin.buffer).head
    if not head.strip():
        raise click.UsageError("the message on standard input is empty. Pass one with < message.")
    with _open(state) as filter:
        told = explain_message(filter, head)
    echo(json.dumps(told.plain(top), indent=2) if as_json else told.text(top))


@command.command()
@_STATE
@_JSON
def inspect(state: Path | None, as_json: bool) -> None:
    """Print the settings, counts and sizes of the state. It holds no text of any message."""
    with _open(state) as filter, filter.turn():
        tables = {
            name: filter.state.rows(f"SELECT count(*) FROM {name}")[0][0]
            for name in ("messages", "lessons", "days")
        }
        arrays = {
            name: {"type": kind, "shape": json.loads(shape), "bytes": size}
            for name, kind, shape, size in filter.state.rows(
                "SELECT name, type, shape, length(data) FROM arrays"
            )
        }
        gate = filter.engine.gate
        found = {
            "path": str(filter.state.path),
            "bytes": filter.state.path.stat().st_size,
            "settings": vars(filter.settings),
            "messages decided": gate.n_rounds,
            "labels": gate.n_labels,
            "explored": gate.n_explored,
            "updates of the learner": filter.engine.n_updates,
            "messages remembered": tables["messages"],
            "with features": filter.state.rows("SELECT count(*) FROM features")[0][0],
            "lessons since the snapshot": tables["lessons"],
            "snapshot": arrays,
        }
    tell(found, as_json)


@command.command()
@click.argument("file", type=_PATH)
@_STATE
@_JSON
def export(file: Path, state: Path | None, as_json: bool) -> None:
    """Write a copy of the state to FILE. This is safe while mail arrives."""
    with _open(state) as filter:
        filter.state.export(file)
    tell({"written": str(file), "bytes": file.stat().st_size}, as_json)


@command.command("import")
@click.argument("file", type=_PATH)
@_STATE
@_JSON
def import_(file: Path, state: Path | None, as_json: bool) -> None:
    """Create the state from a copy made by export."""
    from lopsided.mail._filter import MailFilter

    path = _path(state)
    if path.exists():
        raise click.UsageError(f"'{path}' is there already. Move it away first.")
    MailFilter.import_state(file, path)
    tell({"written": str(path), "bytes": path.stat().st_size}, as_json)


command.add_command(_filter_services.serve)
command.add_command(_filter_services.lmtp)


def _path(state: Path | None) -> Path:
    if state is not None:
        return state
    if named := os.environ.get("LOPSIDED_STATE"):
        return Path(named)
    if folder := os.environ.get("XDG_STATE_HOME"):
        return Path(folder) / "lopsided" / "mail"
    home = Path() if os.environ.get("HOME") == "" else Path(os.path.expanduser("~"))
    if not home.is_absolute():  # a mail server may give its programs none
        raise ValueError("there is no home folder to keep the state in. Name a file with --state.")
    return home / ".local" / "state" / "lopsided" / "mail"


def _open(state: Path | None, *, create: bool = False, rescue: bool = False) -> "MailFilter":
    from lopsided.mail._filter import MailFilter
    from lopsided.mail._settings import Settings

    return MailFilter.open(_path(state), create=Settings() if create else None, rescue=rescue)


def _decide(state: Path | None, head: bytes) -> str:
    with _open(state, create=True, rescue=True) as filter:
        return filter.decide(head).header


def _only_decide(state: Path | None, as_json: bool, silent: bool, *, fails_open: bool) -> int:
    """Print the decision alone; what goes wrong is shown, as ever, or tried again."""
    answer: dict[str, Any] = {"decision": "show", "filtered": False}
    if sys.stdin is None:
        raise ValueError("there is no message: standard input is closed.")
    try:
        from lopsided.mail._message import Message

        message = Message(sys.stdin.buffer)
        with _open(state, create=True, rescue=True) as filter:
            decided = filter.decide(message.head)
        answer = {"decision": decided.word, "filtered": True, "id": decided.id, **decided.decision._asdict()}
    except Exception as error:
        from lopsided.mail._pipe import TEMPORARY, in_words

        if not fails_open:
            say(f"{in_words(error)} Not decided: try again.")
            return TEMPORARY
        say(f"{in_words(error)} The message passes unfiltered.")
    with suppress(OSError):
        while sys.stdin.buffer.read(1 << 16):
            pass  # the program at the other end of the pipe has more to say
    if as_json:
        click.echo(json.dumps(answer))
    return _HIDDEN if silent and answer["decision"] == "hide" else 0


def _run_mailbox(mailbox: Path, state: Path | None, hidden: Path | None, as_json: bool) -> int:
    from lopsided.mail._filter import Decided
    from lopsided.mail._maildir import filter_maildir
    from lopsided.mail._mbox import filter_mbox
    from lopsided.mail._message import Message
    from lopsided.text._mailbox import is_maildir

    if not mailbox.exists():
        raise click.UsageError(f"no mailbox '{mailbox}'. Check the path.")
    maildir = is_maildir(mailbox)
    if mailbox.is_dir() and not maildir:
        raise ValueError(f"'{mailbox}' is a folder without 'cur' and 'new', so no Maildir. Name one.")
    if hidden is None and not maildir:
        raise ValueError("an mbox needs --hidden FILE: the mbox that hidden messages go to.")
    with _open(state, create=True, rescue=True) as filter:

        def judge(message: Message) -> Decided | None:
            if message.id is not None and filter.known(message.id) is not None:
                return None
            return filter.decide(message.head)

        if maildir:
            counts = filter_maildir(mailbox, _hidden_folder(mailbox, hidden), judge)
        else:
            assert hidden is not None
            counts = filter_mbox(mailbox, hidden, judge)
    tell({"shown": counts["show"], "hidden": counts["hide"], "known already": counts["left"]}, as_json)
    return 0


def _hidden_folder(maildir: Path, hidden: Path | None) -> Path:
    """Return a folder of the Maildir, by its name or its path: the same for `run` and for `learn`."""
    if hidden is None:
        return maildir / ".Junk"
    folder = maildir / hidden if hidden.name == str(hidden) else hidden
    if folder.resolve().parent != maildir.resolve() or not folder.name.startswith("."):
        raise click.UsageError(
            f"--hidden names a folder of '{maildir}', which begins with a dot, such as .Spam; got '{hidden}'."
        )
    return folder


def _evenly(sources: dict[str, tuple[Path, ...]]) -> Iterator[tuple[str, str | None, bytes]]:
    """Yield messages of both kinds side by side: after so many of one kind in a row, all looks like it."""
    from lopsided.mail._mailbox import stored_messages
    from lopsided.mail._message import Message

    def read(path: Path) -> Iterator[Message]:
        if str(path) == "-":
            if sys.stdin is None:
                raise ValueError("there is no message: standard input is closed.")
            yield Message(sys.stdin.buffer)
        else:
            yield from (one.message for one in stored_messages(path))

    found = {
        label: [(message.id, message.head) for path in paths for message in read(path)]
        for label, paths in sources.items()
    }
    places = [((i + 0.5) / len(some), label, i) for label, some in found.items() for i in range(len(some))]
    for _, label, i in sorted(places):
        yield label, *found[label][i]
