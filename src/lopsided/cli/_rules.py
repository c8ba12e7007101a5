"""``lopsided rules``: which few words or numbers tell a rare class from the rest."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click

from lopsided._files import write_atomically
from lopsided.boosting._find import find_rules
from lopsided.boosting._report import RuleReport
from lopsided.boosting._wanted import shorten
from lopsided.cli._apply_rules import apply_rules
from lopsided.cli._ranked import PATH, check_out, describe_source, read_delimiter
from lopsided.cli._unexpected import has_classes
from lopsided.terminal import print_table, remark, say, status
from lopsided.text import Documents, read_documents
from lopsided.text._readers import format_of_name
from lopsided.text._whole import TABLES, WholeTable, read_table

_SUFFIXES = (".html", ".json", ".csv", ".tsv")
_LEARNING = {
    "label": "--label",
    "positive": "--positive",
    "n_rules": "--rules",
    "held_out": "--held-out",
    "seed": "--seed",
}


@click.command()
@click.argument("table", type=PATH)
@click.option(
    "--label", metavar="COLUMN", help="Column of the class. For a folder, the sub-folders are the classes."
)
@click.option("--text", metavar="COLUMN", help="Learn from the words in this column.")
@click.option("--positive", metavar="VALUE", help="Class to find rules for. [default: the rarest]")
@click.option(
    "--rules",
    "n_rules",
    type=click.IntRange(1),
    metavar="N",
    default=5,
    show_default=True,
    help="Maximum number of rules.",
)
@click.option(
    "--held-out",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    default=0.25,
    show_default=True,
    help="Fraction of the rows of each class held out for testing the rules.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed for the choice of held-out rows.",
)
@click.option("--id", metavar="COLUMN", help="Column of the ids. [default: file:line]")
@click.option("--format", metavar="NAME", help="Format of TABLE (csv, jsonl, ...) if its name does not tell.")
@click.option(
    "--delimiter",
    metavar="CHAR",
    help="Character between the cells of a CSV or TSV file, such as ';' or '\\t'. [default: recognised]",
)
@click.option(
    "--out",
    type=PATH,
    metavar="FILE",
    multiple=True,
    help=f"Also write the rules to this file: {' '.join(_SUFFIXES)}. May be repeated.",
)
@click.option(
    "--apply",
    "stored",
    type=PATH,
    metavar="RULES.json",
    help="Predict the class of the rows of TABLE with rules saved by --out RULES.json.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(
    context: click.Context,
    table: Path,
    label: str | None,
    text: str | None,
    positive: str | None,
    n_rules: int,
    held_out: float,
    seed: int,
    id: str | None,
    format: str | None,
    delimiter: str | None,
    out: tuple[Path, ...],
    stored: Path | None,
    as_json: bool,
) -> None:
    """Learn a few rules that separate a rare class from the rest, and test them on held-out rows.

    TABLE is a CSV, TSV, XLSX, JSONL, Parquet or RIS file, or a folder whose sub-folders are the classes. With
    --text, the rules are about words; without it, about numbers and categories. --out writes a page (.html)
    that lists the true positives, false negatives and false positives, the rules to apply later (.json), or
    a table of the rules (.csv, .tsv).

    \b
    lopsided rules news.csv --label topic --text body --positive ship
    lopsided rules flights.parquet --label late --out late.html
    lopsided rules mail/ --positive spam --rules 3
    lopsided rules flights.csv --label late --out late.json
    lopsided rules --apply late.json new.csv --out predicted.csv
    """
    if stored is not None:
        _refuse_learning(context)
        apply_rules(stored, table, text, id, format, read_delimiter(delimiter), out, as_json)
        return
    for file in out:
        check_out(file, _SUFFIXES, [table])
    source = _read(table, label, text, id, format, read_delimiter(delimiter))
    with status(f"learning from {len(source.labels):,} rows ..."):
        report = find_rules(
            source.data,
            source.labels,
            positive=positive,
            n_rules=n_rules,
            held_out=held_out,
            ids=source.ids,
            random_state=seed,
        )
    if text is not None:
        report = replace(report, rule_list=replace(report.rule_list, column=text))
    title = f"{_class(label)} {shorten(report.positive)} of {table.resolve().name}"
    notes = [f"{table}: {source.read.summary()}"] if source.read.problems else []
    for note in notes:
        say(note)
    if as_json:
        about = {"table": describe_source(table, source.read), "label": label, "text": source.text}
        click.echo(json.dumps({**about, **report.plain(), "files": [str(file) for file in out]}, indent=2))
    else:
        _print(report)
    for file in out:
        with status(f"writing {file.name} ..."):
            _write(report, file, title, notes)
        if not as_json:
            remark(f"Written: {file}")


def _refuse_learning(context: click.Context) -> None:
    """Refuse options that say how to learn beside --apply."""
    for name, option in _LEARNING.items():
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{option} says how rules are learned, and --apply learns none. Leave it out."
            )


class _Source(NamedTuple):
    data: Any
    labels: Sequence[Any]
    ids: Sequence[str]
    text: str | None  # the column whose words are learned from, where one was named
    read: Documents | WholeTable


def _read(
    table: Path,
    label: str | None,
    text: str | None,
    id: str | None,
    format: str | None,
    delimiter: str | None,
) -> _Source:
    """Read texts where a column was named or there are none, as in a folder; else all columns."""
    known: Any = format or (None if table.is_dir() else format_of_name(table))
    if table.is_dir():
        if label is not None:
            raise click.UsageError(
                f"--label names a column of a table, and '{table}' is a folder: its sub-folders are the "
                "classes. Leave --label out."
            )
        if not has_classes(table):
            raise click.UsageError(
                f"'{table}' has no sub-folders with texts, which would be the classes. Make some, or "
                "name a table."
            )
        label = "folder"
    elif table.exists() and label is None:
        raise click.UsageError("which column holds the classes? Name it with --label.")
    with status("reading ..."):
        if text is None and known in TABLES:
            whole = read_table(table, id=id, label=label, format=known, delimiter=delimiter)
            labels = whole.columns[label or ""]
            others = {name: cells for name, cells in whole.columns.items() if name != label}
            if not others:
                raise click.UsageError(f"'{table}' has no column but '{label}'. Name another table.")
            return _Source(others, labels, whole.ids, None, whole)
        if text is not None and text == label:
            raise click.UsageError(f"--text and --label both name '{text}'. Name two columns.")
        documents = read_documents(
            table, text=text, id=id, label=label, format=known, mail="text", delimiter=delimiter
        )
        return _Source(documents, documents.labels or [], documents.ids, text, documents)


def _class(label: str | None) -> str:
    return "Rules for" if label is None else f"Rules for {shorten(label)} ="


def _write(report: RuleReport, file: Path, title: str, notes: Sequence[str]) -> None:
    suffix = file.suffix.lower()
    match suffix:
        case ".html":
            written = report.to_html(title=title, notes=notes)
        case ".json":
            report.save(file)
            return
        case _:
            written = report.to_csv(delimiter="\t" if suffix == ".tsv" else ",")
    with write_atomically(file) as target:
        target.write(written.encode())


def _print(report: RuleReport) -> None:
    remark("\n".join(report.about()))
    _print_rules(report)
    lines = [f"Together: {report.verdict()}."]
    lines.insert(0, report.rule_list.decision() if report.rules else "No two rows differ by any question.")
    remark("\n".join([*lines, *report.remarks]))


def _print_rules(report: RuleReport) -> None:
    rows = [
        (
            str(rule.place),
            f"{rule.points:.2f}",
            rule.whole,
            f"{rule.n_holds:,}",
            f"{rule.n_right:,}",
            "-" if rule.precision is None else f"{rule.precision:.3f}",
            "-" if rule.lift is None else f"{rule.lift:.1f}",
        )
        for rule in report.rules
    ]
    headers = ("no.", "points", "rule", "holds for", "of them wanted", "precision", "lift")
    print_table(headers, rows, right=(0, 1, 3, 4, 5, 6))
