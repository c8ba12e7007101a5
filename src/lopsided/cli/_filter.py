"""``lopsided filter``: a mail filter that learns from what people do with the mail it shows."""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:  # loaded when a message is there: what fails then fails open
    from lopsided.mail._filter import MailFilter

_PATH = click.Path(path_type=Path)
_HIDDEN = 1  # exit code of --exit-code
_STATE = click.option(
    "--state",
    type=_PATH,
    metavar="FILE",
    help="The filter's memory; $LOPSIDED_STATE, or ~/.local/state/lopsided/mail.",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def command() -> None:
    """Show or hide mail, and learn from what people do with what is shown.

    It shows everything at first. Nobody need look through what it hides: now and then it shows a message
    that looks like spam, and says how much ham it may be missing.
    """


@command.command()
@click.argument("mailbox", type=_PATH, required=False)
@_STATE
@click.option("--hidden", type=_PATH, metavar="FOLDER", help="Where hidden messages go; .Junk in a Maildir.")
@click.option(
    "--socket", type=_PATH, metavar="PATH", help="Ask the service of 'lopsided filter serve' there."
)
@click.option("--user", metavar="NAME", help="Whose mail it is, with --socket; $USER if not given.")
@click.option("--exit-code", is_flag=True, help="Print nothing: exit code 0 is show, 1 is hide.")
@click.option("--temporary-failure", is_flag=True, help="On failure exit with 75, instead of letting pass.")
@click.option("--json", "as_json", is_flag=True, help="Print the decision or the counts, and no message.")
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
    """Decide about one message on standard input, about what is new in a Maildir, or about an mbox.

    A message on standard input comes out with a header X-Lopsided: show or hide. If anything goes wrong it
    comes out too, and the header says so. Hidden messages of a MAILBOX move to the hidden folder.
    """
    if socket is not None and (mailbox is not None or exit_code or as_json or state is not None):
        raise click.UsageError("--socket passes one message on: without MAILBOX and other options.")
    if mailbox is None:
        if hidden is not None:
            raise click.UsageError("--hidden is for a MAILBOX; from standard input one message comes.")
        if exit_code or as_json:
            return _only_decide(state, as_json=as_json, silent=exit_code)
        from lopsided.mail._pipe import pass_on

        def judge(head: bytes) -> str:
            if socket is None:
                return _decide(state, head)
            from lopsided.mail._client import ask

            return ask(str(socket), user or os.environ.get("USER", ""), head)

        with os.fdopen(os.dup(1), "wb") as out:
            return pass_on(sys.stdin.buffer, out, judge, fails_open=not temporary_failure)
    return _run_mailbox(mailbox, state, hidden, as_json)


@command.command()
@click.option(
    "--ham", multiple=True, type=_PATH, metavar="PATH", help="Wanted messages; - is standard input."
)
@click.option("--spam", multiple=True, type=_PATH, metavar="PATH", help="Unwanted ones; - is standard input.")
@click.option("--moved", type=_PATH, metavar="MAILBOX", help="Learn from where messages lie now.")
@click.option("--hidden", type=_PATH, metavar="FOLDER", help="Hidden folder of --moved; .Junk in a Maildir.")
@click.option(
    "--after",
    type=click.FloatRange(0),
    default=24.0,
    show_default=True,
    metavar="HOURS",
    help="What was read and left in the inbox for so long is ham.",
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
    """Learn what messages were: corrections, or what people moved between folders.

    A message is known by the header it got; one that never passed the filter is taken as an example.
    """
    if not (ham or spam or moved):
        raise click.UsageError("say which messages: --ham PATH, --spam PATH or --moved MAILBOX.")
    from lopsided.mail._mailbox import is_maildir, stored_messages
    from lopsided.mail._moves import learn_from_moves

    counts: dict[str, int] = {}
    with _open(state, create=bool(ham or spam)) as filter:
        for label, paths in (("ham", ham), ("spam", spam)):
            for path in paths:
                for told in _learn_all(filter, label, path):
                    counts[f"{label} {told}"] = counts.get(f"{label} {told}", 0) + 1
        if moved is not None:
            maildir = is_maildir(moved)
            if hidden is None and not maildir:
                raise click.UsageError("an mbox needs --hidden FILE: the mbox of hidden messages.")
            folder = str(hidden) if hidden is not None else ".Junk"
            stored = list(stored_messages(moved))
            if not maildir:
                stored += stored_messages(Path(folder))
            inbox = "" if maildir else str(moved)
            counts |= learn_from_moves(filter, stored, folder, 3600 * after, inbox)
    _tell(counts, as_json)


@command.command()
@click.option("--ham", multiple=True, type=_PATH, metavar="PATH", help="Mailbox or files of wanted mail.")
@click.option("--spam", multiple=True, type=_PATH, metavar="PATH", help="Mailbox or files of unwanted mail.")
@click.option("--learner", metavar="NAME", help="margin-perceptron or relaxed-svm; for a new state.")
@click.option("--explorer", metavar="NAME[:NUMBER]", help="none, epsilon-greedy:0.005, ...; for a new state.")
@click.option("--guard/--no-guard", default=True, help="Show more while far less ham comes than before.")
@click.option("--seed", type=int, metavar="N", help="Of the exploration; for a new state.")
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
    """Make a new state, and learn from existing folders, if any. Optional: the filter starts without."""
    from lopsided.mail._filter import MailFilter
    from lopsided.mail._settings import Settings

    path = _path(state)
    if path.exists():
        raise click.UsageError(f"'{path}' is there already. 'lopsided filter learn' goes on with it.")
    counts = {}
    with MailFilter.open(path, create=Settings.of(learner, explorer, guard), seed=seed) as filter:
        counts = _train_evenly(filter, {"ham": ham, "spam": spam})
    _tell(counts, as_json)


@command.command()
@click.option("--html", type=_PATH, metavar="FILE", help="Write a page with a picture as well.")
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the interval for the ham that is hidden.",
)
@_STATE
@_JSON
def report(html: Path | None, confidence: float, state: Path | None, as_json: bool) -> None:
    """What was shown, hidden, explored and corrected, and how much ham may be hidden."""
    from lopsided._files import write_atomically
    from lopsided.mail._report import report_of

    with _open(state) as filter:
        told = report_of(filter, confidence)
    click.echo(json.dumps(told.plain(), indent=2) if as_json else told.text())
    if html is not None:
        with write_atomically(html) as file:
            file.write(told.page().encode())


@command.command()
@_STATE
@_JSON
def inspect(state: Path | None, as_json: bool) -> None:
    """What is in the state: settings, counts, sizes. No text of any message is."""
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
    _tell(found, as_json)


@command.command()
@click.argument("file", type=_PATH)
@_STATE
@_JSON
def export(file: Path, state: Path | None, as_json: bool) -> None:
    """Write a copy of the state to FILE, also while mail comes in."""
    with _open(state) as filter:
        filter.state.export(file)
    _tell({"written": str(file), "bytes": file.stat().st_size}, as_json)


@command.command("import")
@click.argument("file", type=_PATH)
@_STATE
@_JSON
def import_(file: Path, state: Path | None, as_json: bool) -> None:
    """Take a copy made by export as the state; where none is yet."""
    path = _path(state)
    if path.exists():
        raise click.UsageError(f"'{path}' is there already. Move it away first.")
    with _open(file) as filter:  # checks it
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        filter.state.export(path)
    _tell({"written": str(path), "bytes": path.stat().st_size}, as_json)


@command.command()
@click.option("--socket", type=_PATH, required=True, metavar="PATH", help="Where to answer.")
@click.option("--states", type=_PATH, required=True, metavar="FOLDER", help="One state a user, by name.")
@click.option(
    "--users",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    metavar="N",
    help="So many are held in memory, 1 to 2 MB each.",
)
@_JSON
def serve(socket: Path, states: Path, users: int, as_json: bool) -> None:
    """Answer for many users at a Unix socket, until the process is ended.

    A request is a line: check USER LENGTH, and so many bytes of a message behind it; learn USER ham|spam ID;
    ping. The answer is a line: for check, what the header X-Lopsided is to say.
    """
    import signal

    from lopsided.mail._server import Users
    from lopsided.mail._server import serve as answer

    ended: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda got, _: ended.append(got))

    def ready() -> None:
        _tell({"socket": str(socket), "states": str(states)}, as_json)
        sys.stdout.flush()

    answer(socket, Users(states, users), ready=ready, stopped=lambda: bool(ended))


def _path(state: Path | None) -> Path:
    if state is not None:
        return state
    if named := os.environ.get("LOPSIDED_STATE"):
        return Path(named)
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "lopsided" / "mail"


def _open(state: Path | None, *, create: bool = False, rescue: bool = False) -> "MailFilter":
    from lopsided.mail._filter import MailFilter
    from lopsided.mail._settings import Settings

    return MailFilter.open(_path(state), create=Settings() if create else None, rescue=rescue)


def _decide(state: Path | None, head: bytes) -> str:
    with _open(state, create=True, rescue=True) as filter:
        return filter.decide(head).header


def _only_decide(state: Path | None, *, as_json: bool, silent: bool) -> int:
    """The decision alone; what goes wrong is shown, as ever."""
    answer: dict[str, Any] = {"decision": "show", "filtered": False}
    try:
        from lopsided.mail._message import Message

        message = Message(sys.stdin.buffer)
        with _open(state, create=True, rescue=True) as filter:
            decided = filter.decide(message.head)
        answer = {"decision": decided.word, "filtered": True, "id": decided.id, **decided.verdict._asdict()}
        while sys.stdin.buffer.read(1 << 16):
            pass  # the program at the other end of the pipe has more to say
    except Exception as error:
        click.echo(f"lopsided: {' '.join(str(error).split())} The message passes unfiltered.", err=True)
    if as_json:
        click.echo(json.dumps(answer))
    return _HIDDEN if silent and answer["decision"] == "hide" else 0


def _run_mailbox(mailbox: Path, state: Path | None, hidden: Path | None, as_json: bool) -> int:
    from lopsided.mail._filter import Decided
    from lopsided.mail._mailbox import filter_maildir, filter_mbox, is_maildir
    from lopsided.mail._message import Message

    if not mailbox.exists():
        raise click.UsageError(f"no mailbox '{mailbox}'. Check the path.")
    maildir = is_maildir(mailbox)
    if mailbox.is_dir() and not maildir:
        raise click.UsageError(f"'{mailbox}' is a folder without 'cur' and 'new', so no Maildir. Name one.")
    if hidden is None and not maildir:
        raise click.UsageError("an mbox needs --hidden FILE: the mbox that hidden messages go to.")
    with _open(state, create=True, rescue=True) as filter:

        def judge(message: Message) -> Decided | None:
            if message.id is not None and filter.known(message.id) is not None:
                return None
            return filter.decide(message.head)

        if maildir:
            counts = filter_maildir(mailbox, hidden or mailbox / ".Junk", judge)
        else:
            assert hidden is not None
            counts = filter_mbox(mailbox, hidden, judge)
    _tell({"shown": counts["show"], "hidden": counts["hide"], "known already": counts["left"]}, as_json)
    return 0


def _learn_all(filter: "MailFilter", label: str, path: Path) -> Any:
    from lopsided.mail._mailbox import stored_messages
    from lopsided.mail._message import Message

    if str(path) == "-":
        message = Message(sys.stdin.buffer)
        yield filter.learn(label, message.id, message.head)
        return
    for one in stored_messages(path):
        yield filter.learn(label, one.message.id, one.message.head)


def _train_evenly(filter: "MailFilter", sources: dict[str, tuple[Path, ...]]) -> dict[str, int]:
    """Learn both kinds side by side: one after the other, the second would be all that is remembered."""
    from lopsided.mail._mailbox import stored_messages

    heads = {
        label: [one.message.head for path in paths for one in stored_messages(path)]
        for label, paths in sources.items()
    }
    order = sorted(
        ((i + 0.5) / len(some), label, i) for label, some in heads.items() for i in range(len(some))
    )
    with filter.turn():
        for _, label, i in order:
            filter.learn(label, head=heads[label][i])
    return {label: len(some) for label, some in heads.items()}


def _tell(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        if isinstance(value, dict):
            click.echo(f"{name}:")
            for inner, one in value.items():
                click.echo(f"  {inner}: {one}")
        else:
            click.echo(f"{name}: {value:,}" if isinstance(value, int) else f"{name}: {value}")
