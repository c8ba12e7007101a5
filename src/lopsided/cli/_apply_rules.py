"""``lopsided rules --apply``: predictions for new rows, by rules that were stored."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from lopsided._files import write_atomically
from lopsided.boosting._rule_file import load_rules
from lopsided.boosting._wanted import shorten
from lopsided.cli._ranked import check_out, describe_source
from lopsided.report._csv import write_records
from lopsided.terminal import print_table, remark, say, status
from lopsided.text import read_documents
from lopsided.text._readers import format_of_name
from lopsided.text._whole import TABLES, read_table

_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl")
_COLUMNS = ("id", "predicted", "points", "rules")


def apply_rules(
    stored: Path,
    table: Path,
    text: str | None,
    id: str | None,
    format: str | None,
    delimiter: str | None,
    out: Sequence[Path],
    as_json: bool,
) -> None:
    """Print the rows that are predicted positive, and write the prediction of every row to files."""
    for file in out:
        check_out(file, _SUFFIXES, [stored, table])
    rules = load_rules(stored)
    known: Any = format or (None if table.is_dir() else format_of_name(table))
    if text is not None and not rules.reads_words:
        raise click.UsageError(f"the rules of '{stored}' are not about words. Leave --text out.")
    data: Any
    source: Any
    with status("reading ..."):
        if rules.reads_words:
            is_table = known in TABLES
            data = source = read_documents(
                table,
                text=text or (rules.column if is_table else None),
                id=id,
                format=known,
                mail="text",
                delimiter=delimiter,
            )
        else:
            source = read_table(table, id=id, format=known, delimiter=delimiter)
            data = source.columns
    holds = rules.holds(data)
    points = [rule.points for rule in rules.rules] @ holds if rules.rules else [0.0] * holds.shape[1]
    found = rules.predict(data)
    rows = [
        {
            "id": source.ids[i],
            "predicted": bool(found[i]),
            "points": float(points[i]),
            "rules": [rule.place for rule, holding in zip(rules.rules, holds, strict=True) if holding[i]],
        }
        for i in range(len(found))
    ]
    if source.problems:
        say(f"{table}: {source.summary()}")
    about = {
        "positive": rules.positive,
        "decision": rules.decision(),
        "table": describe_source(table, source),
        "n": len(rows),
        "n_predicted": int(found.sum()),
        "rules": [rule.text for rule in rules.rules],
    }
    if as_json:
        click.echo(json.dumps({**about, "rows": rows, "files": [str(file) for file in out]}, indent=2))
    else:
        ranked = sorted((row for row in rows if row["predicted"]), key=lambda row: -row["points"])
        shown = [(row["id"], f"{row['points']:.2f}", _places(row["rules"])) for row in ranked]
        print_table(("id", "points", "rules"), shown, right=(1,))
        for rule in rules.rules:
            remark(f"{rule.place}: {rule.whole} ({rule.points:.2f} points)")
        n = len(shown)
        remark(
            f"{rules.decision()}\n{n:,} of {len(rows):,} rows {'is' if n == 1 else 'are'} predicted as "
            f"'{shorten(rules.positive)}'."
        )
    for file in out:
        with write_atomically(file) as target:
            target.write(_written(rows, about, file.suffix.lower()).encode())
        if not as_json:
            remark(f"Written: {file}")


def _written(rows: list[dict[str, Any]], about: dict[str, Any], suffix: str) -> str:
    if suffix == ".json":
        return json.dumps({**about, "rows": rows}, indent=2) + "\n"
    if suffix == ".jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows)
    flat = ({**row, "rules": _places(row["rules"])} for row in rows)
    return write_records(_COLUMNS, flat, "\t" if suffix == ".tsv" else ",")


def _places(rules: Sequence[int]) -> str:
    return " ".join(map(str, rules))
