"""``lopsided label``: a person answers y or n, asked at the border."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, cast

import click

from lopsided._lazy import is_installed
from lopsided._persistence import save
from lopsided._wording import pluralize
from lopsided.cli._label_faces import Face, ShownQuestion, choose_face, describe
from lopsided.report._table_writer import write_table
from lopsided.svm._labeling import LabelingSession, Progress, Verdict
from lopsided.terminal import abbreviate, echo, status
from lopsided.text import read_documents

_VERDICTS: dict[str, Verdict] = {"y": "yes", "n": "no", "s": "skip"}
_PATIENCE = 10  # answers without a yes before a search is offered
_COLUMNS = ("id", "text", "label", "score", "predicted")
_EXPORTS = (".csv", ".tsv", ".jsonl", ".ndjson", ".xlsx")
_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("table", type=_PATH)
@click.option("--text", metavar="COLUMN", help="Column of the text; 'text' if not given.")
@click.option("--id", metavar="COLUMN", help="Column of the ids; file:line if not given.")
@click.option("--format", metavar="NAME", help="What TABLE is (csv, mbox, ...) if its name does not say.")
@click.option("--question", metavar="WORDS", help="What to ask, such as 'Is this about shipping?'.")
@click.option("--find", metavar="WORDS", help="Begin with texts that hold these words, until one is a yes.")
@click.option("--positive", metavar="ID", multiple=True, help="A known yes, by id or row. May be repeated.")
@click.option("--out", type=_PATH, metavar="FILE", help="File of answers; beside TABLE if not given.")
@click.option(
    "--export",
    type=_PATH,
    metavar="FILE",
    help="At the end write all rows, labels, scores: .csv .tsv .jsonl .xlsx",
)
@click.option(
    "--save",
    "model",
    type=_PATH,
    metavar="FILE",
    help="At the end save the model, which lopsided.load reads and which scores new texts.",
)
@click.option(
    "--features",
    type=click.Choice(["stems", "bytes"]),
    default="stems",
    show_default=True,
    help="Learn from stemmed words, or from byte grams.",
)
@click.option(
    "--pool", type=click.IntRange(1), default=59, show_default=True, help="Random texts to choose from."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For the random draws.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines; read answers from standard input.")
def command(
    table: Path,
    text: str | None,
    id: str | None,
    format: Any,
    question: str | None,
    find: str | None,
    positive: tuple[str, ...],
    out: Path | None,
    export: Path | None,
    model: Path | None,
    features: Literal["stems", "bytes"],
    pool: int,
    seed: int,
    as_json: bool,
) -> None:
    """Answer y or n about texts of TABLE: those whose answer teaches most.

    TABLE is CSV, TSV, JSONL, Parquet or RIS, a folder of texts, or mail. Every answer is saved at once; the
    same command goes on later. Without a terminal, answers are lines of standard input: y, n, s (skip), u
    (undo), /words (texts with these words first), q (quit).
    """
    if table.name in ("", ".."):  # this folder, or the one above: its name is needed
        table = table.resolve()
    out = _beside(table) if out is None else out
    _check_export(export, table, out)
    _check_model(model, table, out, export)
    with status("reading and learning ..."):
        documents = read_documents(table, text=text, id=id, format=format, mail="text")
        session = LabelingSession(
            cast("list[str]", documents.texts),
            ids=documents.ids,
            answers=out,
            question=question,
            table=table.name,
            features=features,
            pool_size=pool,
            seed=seed,
        )
    with session:
        for row in [session.row(name) for name in positive]:
            if not session.label(row):
                session.answer(row, "yes")
        face = choose_face(as_json=as_json)
        if documents.problems:
            face.note(documents.summary())
        _note_start(session, face, out)
        if find is not None and session.find(find) == 0:
            face.note(_none_hold(find))
        with suppress(EOFError, KeyboardInterrupt), face.open():
            _converse(session, face, find or "")
        with status("learning ..."):
            progress = session.progress()
            if export is not None:
                _write_export(session, export)
            written = model if model is not None and _save_model(session, model) else None
        _print_summary(progress, out, export, written, as_json=as_json)
        if model is not None and written is None and not as_json:
            echo("No model was saved: it needs a yes and a no.")


def _beside(table: Path) -> Path:
    """Return mails.labels.jsonl for mails.csv, mails.csv.gz and the folder mails."""
    name = table.name
    if not table.is_dir():
        name = Path(name.removesuffix(".gz").removesuffix(".xz").removesuffix(".bz2")).stem
    return table.with_name(f"{name}.labels.jsonl")


def _check_export(export: Path | None, table: Path, out: Path) -> None:
    """Say before the first question what would go wrong behind the last."""
    if export is None:
        return
    if export.suffix.lower() not in _EXPORTS:
        raise click.UsageError(f"--export writes {', '.join(_EXPORTS)}; got '{export.name}'. Rename it.")
    if export.resolve() in (table.resolve(), out.resolve()):
        raise click.UsageError(f"--export would replace '{export}', which is read here. Name another file.")
    if export.suffix.lower() == ".xlsx" and not is_installed("openpyxl"):
        raise click.UsageError("--export to .xlsx needs openpyxl. Run: pip install 'lopsided[tables]'")
    if export.is_dir():
        raise click.UsageError(f"--export '{export}' is a folder. Name a file in it.")


def _check_model(model: Path | None, *others: Path | None) -> None:
    if model is None:
        return
    if model.is_dir():
        raise click.UsageError(f"--save '{model}' is a folder. Name a file in it.")
    if model.resolve() in [other.resolve() for other in others if other is not None]:
        raise click.UsageError(f"--save would replace '{model}', which is used here. Name another file.")
    if not is_installed("skops"):
        raise click.UsageError("--save needs skops. Run: pip install 'lopsided[save]'")


def _save_model(session: LabelingSession, path: Path) -> bool:
    """Save the model of all answers; return False where there is none."""
    model = session.model()
    if model is not None:
        save(model, path)
    return model is not None


def _note_start(session: LabelingSession, face: Face, out: Path) -> None:
    """Print what the person should know before the first question."""
    left_out = {"empty": session.n_empty, "copies of another": session.n_copies}
    if any(left_out.values()):
        face.note(
            f"Texts not asked about: {', '.join(f'{n:,} {what}' for what, n in left_out.items() if n)}."
        )
    if session.n_resumed:
        found = " The table has changed; each answer found its text again." if session.changed else ""
        face.note(f"Resumed from {out}: {describe(session.progress())}.{found}")
    if session.n_broken:
        face.note(f"Left out: {pluralize(session.n_broken, 'broken line')} of {out}.")


def _converse(session: LabelingSession, face: Face, words: str) -> None:
    """Ask until no text is left, or the person has had enough."""
    while (question := session.ask()) is not None:
        progress = session.progress()
        if question.reason == "random" and not progress.n_yes and progress.n_labels >= _PATIENCE:
            face.note(f"No yes in {progress.n_labels:,} answers. Something rare? Type / and words to search.")
        id, text = session.ids[question.row], session.texts[question.row]
        prompt = session.question or "Yes or no?"
        action = face.ask(ShownQuestion(question, progress, prompt, id, text, len(session.texts), words))
        if action == "q":
            return
        if action == "u":
            undone = session.undo()
            face.note(
                f"Undone: {abbreviate(session.ids[undone[0]])} was {undone[1]}."
                if undone
                else "There is nothing to undo."
            )
        elif action.startswith("/"):
            words = action[1:].strip()
            found = session.find(words, again=True)
            some = f"{pluralize(found, 'text')} with any of '{words}', best first."
            face.note(some if found else _none_hold(words))
        else:
            session.answer(question.row, _VERDICTS[action], reason=question.reason)


def _none_hold(words: str) -> str:
    return f"No text left holds any of '{words}' (very common words do not count)."


def _write_export(session: LabelingSession, path: Path) -> None:
    write_table(path, _COLUMNS, ([record[column] for column in _COLUMNS] for record in session.records()))


def _print_summary(
    progress: Progress, out: Path, export: Path | None, model: Path | None, *, as_json: bool
) -> None:
    saved = out if out.exists() and progress.n_labels + progress.n_skipped else None
    if as_json:
        files = {
            "answers": saved and str(saved),
            "export": export and str(export),
            "model": model and str(model),
        }
        click.echo(json.dumps({"event": "summary", **progress._asdict(), **files}))
        return
    lines = [f"{describe(progress)}." + (f" Saved in {saved}; the same command goes on." if saved else "")]
    if progress.n_guessed is not None:
        lines.append(f"The model takes {progress.n_guessed:,} of the {progress.n_left:,} others for a yes.")
    elif progress.n_labels:
        only, what_next = (
            ("yes", "Go on to a no.") if progress.n_yes else ("no", "Look for a yes: --find WORDS.")
        )
        lines.append(f"All answers are {only}, and a model needs both. {what_next}")
    if export is not None:
        lines.append(f"Written: {export}")
    if model is not None:
        lines.append(f"Saved the model in {model}. In Python, what scores above 0 is a yes:")
        lines.append(f"  lopsided.load({str(model)!r}).decision_function(texts)")
    echo("\n".join(lines))
