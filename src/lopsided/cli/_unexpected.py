"""``lopsided unexpected``: what in new texts belongs to none of the known classes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from lopsided._wording import pluralize
from lopsided.cli._ranked import PATH, RankedInputs, ranked_options
from lopsided.terminal import status
from lopsided.text import Documents, read_documents
from lopsided.text._decode import decode_bytes
from lopsided.text._mailbox import is_maildir
from lopsided.text._readers import format_of_name
from lopsided.unexpected._find import find_unexpected

_LIST_SHARE = 0.9  # of the lines of a word list hold one word


@click.command()
@click.argument("known", type=PATH)
@click.argument("new", type=PATH)
@click.option("--label", metavar="COLUMN", help="Column of the class if KNOWN is a table.")
@click.option(
    "--fdr",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.3,
    show_default=True,
    help="False discovery rate: the expected proportion of false positives among the flagged texts. At 0.1, "
    "often nothing is flagged.",
)
@click.option(
    "--background",
    type=PATH,
    metavar="PATH",
    help="A word list (one word per line) or other texts. Words found in neither count as junk.",
)
@click.option(
    "--method",
    type=click.Choice(["auto", "lgn"]),
    default="auto",
    show_default=True,
    help="auto: UnexpectedDetector. lgn: the published method; it has no p-values and often finds little.",
)
@ranked_options
def command(
    known: Path,
    new: Path,
    label: str | None,
    fdr: float,
    background: Path | None,
    method: Any,
    **asked: Any,
) -> None:
    """Rank the texts of NEW by how little they resemble those of KNOWN, and flag texts of no known class.

    Each is a folder of texts, a mailbox (mbox, Maildir), or a CSV, TSV, XLSX, JSONL, Parquet or RIS file. If
    KNOWN has several classes, they are its sub-folders or the values of --label. The list shows the words
    that make a text unexpected. If KNOWN and NEW need different columns or formats, give the option twice, in
    this order.
    """
    comparison = RankedInputs({"KNOWN": known, "NEW": new}, **asked)
    if label is not None and known.is_dir():
        raise click.UsageError(
            f"--label names a column of a table, and '{known}' is a folder: its sub-folders are the classes. "
            "Leave --label out."
        )
    old, fresh = comparison.read(label="folder" if has_classes(known) else label)
    texts, classes, n_without = _with_class(known, old)
    if label is not None and classes is not None and len(set(map(str, classes))) == len(classes) > 1:
        raise click.UsageError(
            f"--label '{label}' gives each of the {len(classes):,} known texts a class of its own. Name the "
            "column of their classes, or leave --label out."
        )
    context = None if background is None else _read_background(background)
    with status(f"comparing {len(fresh):,} texts with {len(texts):,} ..."):
        report = find_unexpected(texts, fresh, classes=classes, method=method, fdr=fdr, background=context)
    notes = [f"{known}: {pluralize(n_without, 'text')} without a class, not used"] if n_without else []
    comparison.deliver(report, (old, fresh), title=f"Unexpected in {new.resolve().name}", notes=notes)


def has_classes(folder: Path) -> bool:
    """Return whether a folder has texts in sub-folders."""
    if not folder.is_dir() or is_maildir(folder):
        return False
    subfolders = (path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    return any(path.is_file() for subfolder in subfolders for path in subfolder.rglob("[!.]*"))


def _with_class(path: Path, documents: Documents) -> tuple[list[str | bytes], list[Any] | None, int]:
    """Return the texts with a class, their classes, and how many have none; all if none was asked for."""
    labels = documents.labels
    if labels is None:
        return documents.texts, None, 0
    pairs = [
        (text, label)
        for text, label in zip(documents.texts, labels, strict=True)
        if label is not None and label == label  # not NaN
    ]
    if not pairs:
        raise ValueError(f"no text of '{path}' has a class. Name another column with --label.")
    return [text for text, _ in pairs], [label for _, label in pairs], len(labels) - len(pairs)


def _read_background(path: Path) -> Sequence[str | bytes]:
    """Read the words of a file that has one a line, such as /usr/share/dict/words, or the texts of a source.

    A few lines of several words, a comment at the top say, are passed over.
    """
    if path.is_file() and format_of_name(path) in (None, "text"):
        lines = [line.split() for line in decode_bytes(path.read_bytes())[0].splitlines()]
        words = [line[0] for line in lines if len(line) == 1]
        if len(words) > _LIST_SHARE * sum(map(bool, lines)):
            return words
    return read_documents(path, mail="text")
