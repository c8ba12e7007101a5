"""``lopsided label``: label the texts of a table or of a project in the terminal."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, cast

import click

from lopsided._lazy import is_installed
from lopsided._persistence import save
from lopsided._wording import pluralize
from lopsided.cli._label_faces import Face, Labeling, ShownQuestion, choose_face, describe
from lopsided.report._table_writer import write_table
from lopsided.screening import STRATEGIES
from lopsided.screening._labeling import LabelingSession
from lopsided.screening._labels import YES_NO
from lopsided.screening._standing import LabelingProgress
from lopsided.terminal import abbreviate, echo, status
from lopsided.text import read_documents

_PATIENCE = 10  # answers without a yes before a search is offered
_COLUMNS = ("id", "text", "label", "score", "predicted")
_EXPORTS = (".csv", ".tsv", ".jsonl", ".ndjson", ".xlsx")
_PROJECTS = (".db", ".sqlite", ".sqlite3")
_PACKAGES = ("fastapi", "sqlalchemy", "alembic")
_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("source", metavar="TABLE | PROJECT.db")
@click.option("--text", metavar="COLUMN", help="Column of the text. [default: text]")
@click.option("--id", metavar="COLUMN", help="Column of the ids. [default: file:line]")
@click.option("--format", metavar="NAME", help="Format of TABLE (csv, mbox, ...) if its name does not tell.")
@click.option("--question", metavar="WORDS", help="Question to show, such as 'Is this about shipping?'.")
@click.option(
    "--labels", metavar="NAMES", help="Labels to use instead of yes and no, as in 'ship,harbour,neither'."
)
@click.option(
    "--find", metavar="WORDS", help="Show texts with these words first, until one of them is a yes."
)
@click.option("--positive", metavar="ID", multiple=True, help="Id or row of a known yes. May be repeated.")
@click.option("--out", type=_PATH, metavar="FILE", help="File for the answers. [default: beside TABLE]")
@click.option(
    "--export",
    type=_PATH,
    metavar="FILE",
    help="Write all rows with labels and scores to this .csv, .tsv, .jsonl or .xlsx file at the end.",
)
@click.option(
    "--save",
    "model",
    type=_PATH,
    metavar="FILE",
    help="Save the model at the end. It scores new texts after lopsided.load.",
)
@click.option(
    "--strategy",
    type=click.Choice(list(STRATEGIES)),
    help="Strategy that chooses the next text. [default: mixed: the most likely one, some at random]",
)
@click.option(
    "--features",
    type=click.Choice(["stems", "bytes"]),
    help="Learn from stemmed words or from byte n-grams. [default: stems]",
)
@click.option("--seed", type=click.IntRange(0), help="Seed of the random draws. [default: 0]")
@click.option("--user", metavar="NAME", help="Name of the reviewer, if the project has several.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines; read answers from standard input.")
def command(
    source: str,
    find: str | None,
    positive: tuple[str, ...],
    export: Path | None,
    model: Path | None,
    user: str | None,
    as_json: bool,
    **of_table: Any,
) -> None:
    """Label the texts of TABLE, the most likely ones first.

    TABLE is a CSV, TSV, JSONL, Parquet or RIS file, a folder of texts, or mail. Every answer is saved at
    once; run the same command again to continue. PROJECT.db, or the address of a database, is a project of
    'lopsided serve', with its labels and settings. Without a terminal, answers are read as lines from
    standard input: y, n, s (skip), u (undo), w (why), /words (show texts with these words first), q (quit).
    """
    face = choose_face(as_json=as_json)
    if _is_project(source):
        _refuse(of_table)
        place = None if "://" in source else Path(source)
        _check_files(export, model, place)
        session, saved_in = _open_project(source, user)
    else:
        if user is not None:
            raise click.UsageError("--user names a reviewer of a project; a table has none. Leave it out.")
        table = Path(source)
        if table.name in ("", ".."):  # this folder, or the one above: its name is needed
            table = table.resolve()
        out = of_table.pop("out") or _beside(table)
        _check_files(export, model, table, out)
        session = _open_table(table, out, face, **of_table)
        saved_in = str(out)
    with session:
        for row in [session.row(name) for name in positive]:
            session.give(row)
        _note_start(session, face, saved_in)
        if find is not None and session.find(find) == 0:
            face.note(_none_hold(find))
        with suppress(EOFError, KeyboardInterrupt), face.open():
            _converse(session, face, find or "")
        with status("learning ..."):
            progress = session.progress()
            if export is not None:
                records = ([record[column] for column in _COLUMNS] for record in session.records())
                write_table(export, _COLUMNS, records)
            written = model if model is not None and _save_model(session, model) else None
        saved = saved_in if progress.n_labels + progress.n_skipped else None
        _print_summary(progress, saved, export, written, as_json=as_json)
        if model is not None and written is None and not as_json:
            echo("No model was saved: it needs a yes and a no.")


def _is_project(source: str) -> bool:
    if "://" in source or Path(source).suffix.lower() in _PROJECTS:
        return True
    with suppress(OSError), open(source, "rb") as file:
        return file.read(16) == b"SQLite format 3\0"
    return False


def _refuse(of_table: dict[str, Any]) -> None:
    """Refuse what a project has settings of its own for."""
    for name, value in of_table.items():
        if value is not None:
            raise click.UsageError(
                f"--{name} is for a table; a project keeps this itself (its settings are on the page of "
                "'lopsided serve'). Leave it out."
            )


def _open_project(place: str, user: str | None) -> tuple[Labeling, str]:
    """Return the session, and the name of the project for messages."""
    for package in _PACKAGES:
        if not is_installed(package):
            raise click.UsageError("a project needs packages. Run: pip install 'lopsided[web]'")
    from lopsided.cli._label_project import ProjectLabeling

    with status("reading and learning ..."):
        session = ProjectLabeling(place, user=user)
    return session, session.place


def _open_table(
    table: Path,
    out: Path,
    face: Face,
    *,
    text: str | None,
    id: str | None,
    format: Any,
    question: str | None,
    labels: str | None,
    strategy: str | None,
    features: Literal["stems", "bytes"] | None,
    seed: int | None,
) -> LabelingSession:
    with status("reading and learning ..."):
        documents = read_documents(table, text=text, id=id, format=format, mail="text")
        session = LabelingSession(
            cast("list[str]", documents.texts),
            ids=documents.ids,
            answers=out,
            question=question,
            labels=labels.split(",") if labels is not None else (),
            table=table.name,
            features=features or "stems",
            strategy=strategy or "mixed",
            seed=seed or 0,
        )
    if documents.problems:
        face.note(documents.summary())
    left_out = {"empty": session.n_empty, "copies of another": session.n_copies}
    if any(left_out.values()):
        some = ", ".join(f"{n:,} {what}" for what, n in left_out.items() if n)
        face.note(f"Texts not asked about: {some}.")
    if session.n_broken:
        face.note(f"Left out: {pluralize(session.n_broken, 'broken line')} of {out}.")
    return session


def _beside(table: Path) -> Path:
    """Return mails.labels.jsonl for mails.csv, mails.csv.gz and the folder mails."""
    name = table.name
    if not table.is_dir():
        name = Path(name.removesuffix(".gz").removesuffix(".xz").removesuffix(".bz2")).stem
    return table.with_name(f"{name}.labels.jsonl")


def _check_files(export: Path | None, model: Path | None, *read: Path | None) -> None:
    """Say before the first question what would go wrong behind the last."""
    places = [path.resolve() for path in read if path is not None]
    if export is not None:
        if export.suffix.lower() not in _EXPORTS:
            raise click.UsageError(f"--export writes {', '.join(_EXPORTS)}; got '{export.name}'. Rename it.")
        if export.resolve() in places:
            raise click.UsageError(
                f"--export would replace '{export}', which is read here. Name another file."
            )
        if export.suffix.lower() == ".xlsx" and not is_installed("openpyxl"):
            raise click.UsageError("--export to .xlsx needs openpyxl. Run: pip install 'lopsided[tables]'")
        if export.is_dir():
            raise click.UsageError(f"--export '{export}' is a folder. Name a file in it.")
        places.append(export.resolve())
    if model is not None:
        if model.is_dir():
            raise click.UsageError(f"--save '{model}' is a folder. Name a file in it.")
        if model.resolve() in places:
            raise click.UsageError(f"--save would replace '{model}', which is used here. Name another file.")
        if not is_installed("skops"):
            raise click.UsageError("--save needs skops. Run: pip install 'lopsided[save]'")


def _save_model(session: Labeling, path: Path) -> bool:
    """Save the model of all answers; return False where there is none."""
    model = session.model()
    if model is not None:
        save(model, path)
    return model is not None


def _note_start(session: Labeling, face: Face, saved_in: str) -> None:
    """Print what the person should know before the first question."""
    if session.n_resumed:
        found = " The table has changed; each answer found its text again." if session.changed else ""
        face.note(f"Resumed from {saved_in}: {describe(session.progress())}.{found}")


def _converse(session: Labeling, face: Face, words: str) -> None:
    """Ask until no text is left, or the person has had enough."""
    names = {choice.key: choice.name for choice in session.choices} | {"s": "skip"}
    prompt = session.question or ("Yes or no?" if session.choices is YES_NO else "Which label?")
    while (question := session.ask()) is not None:
        progress = session.progress()
        if question.reason == "first" and not progress.n_yes and progress.n_labels >= _PATIENCE:
            face.note(f"No yes in {progress.n_labels:,} answers. Something rare? Type / and words to search.")
        id, text = session.name(question.row), session.text(question.row)
        action = face.ask(
            ShownQuestion(question, progress, prompt, id, text, session.n_rows, words, session.choices)
        )
        if action == "q":
            return
        if action == "u":
            undone = session.undo()
            face.note(
                f"Undone: {abbreviate(session.name(undone[0]))} was {undone[1]}."
                if undone
                else "There is nothing to undo."
            )
        elif action == "w":
            face.note(_say_why(session, question.row))
        elif action.startswith("/"):
            words = action[1:].strip()
            found = session.find(words, again=True)
            some = f"{pluralize(found, 'text')} with any of '{words}', best first."
            face.note(some if found else _none_hold(words))
        else:
            session.answer(
                question.row, names[action], reason=question.reason, probability=question.probability
            )


def _say_why(session: Labeling, row: int) -> str:
    """Return the words that speak for and against a text."""
    evidence = session.evidence(row)
    sides = {"For a yes": evidence.wanted, "Against": evidence.unwanted}
    parts = [f"{side}: {', '.join(term.word for term in terms)}." for side, terms in sides.items() if terms]
    return " ".join(parts) or "No word of it speaks for or against a yes yet."


def _none_hold(words: str) -> str:
    return f"No text left holds any of '{words}' (very common words do not count)."


def _print_summary(
    progress: LabelingProgress, saved: str | None, export: Path | None, model: Path | None, *, as_json: bool
) -> None:
    if as_json:
        files = {"answers": saved, "export": export and str(export), "model": model and str(model)}
        click.echo(json.dumps({"event": "summary", **progress.as_record(), **files}))
        return
    lines = [f"{describe(progress)}." + (f" Saved in {saved}; the same command goes on." if saved else "")]
    if progress.n_labels and progress.n_yes in (0, progress.n_labels):
        only, what_next = (
            ("yes", "Go on to a no.") if progress.n_yes else ("no", "Look for a yes: --find WORDS.")
        )
        lines.append(f"All answers are {only}, and a model needs both. {what_next}")
    elif progress.n_labels and progress.estimate is not None:
        lines.append(progress.estimate.sentence)
    if export is not None:
        lines.append(f"Written: {export}")
    if model is not None:
        lines.append(f"Saved the model in {model}. In Python, what scores above 0 is a yes:")
        lines.append(f"  lopsided.load({str(model)!r}).decision_function(texts)")
    echo("\n".join(lines))
