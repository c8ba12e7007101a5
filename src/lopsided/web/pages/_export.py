"""The export page: labels with author, time, reason and probability."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from lopsided.report._table_writer import write_ris, write_table
from lopsided.text import Record
from lopsided.web._access import Asks
from lopsided.web._desk import Desk
from lopsided.web._templates import render

router = APIRouter()
FORMATS = {
    "csv": ("CSV", "for any spreadsheet or program"),
    "xlsx": ("XLSX", "for Excel and LibreOffice"),
    "jsonl": ("JSONL", "for programs, one object per line"),
    "ris": ("RIS", "for reference managers"),
}
_OWN = (
    "item",
    "id",
    "title",
    "text",
    "label",
    "relevant",
    "who",
    "when",
    "why",
    "probability",
    "final",
    "tags",
    "note",
)
Which = Literal["labeled", "relevant", "all"]


@router.get("/export")
def show_exports(request: Request, visitor: Asks) -> Response:
    """Show what can be exported."""
    desk: Desk = request.app.state.desk
    return render(
        request, "export", title="Export", visitor=visitor, formats=FORMATS, n_labels=desk.votes.n_labels
    )


@router.get("/export/labels.{format}")
def send_file(
    request: Request, visitor: Asks, format: Literal["csv", "xlsx", "jsonl", "ris"], which: Which = "labeled"
) -> Response:
    """Send the labels as a file."""
    desk: Desk = request.app.state.desk
    with tempfile.NamedTemporaryFile(prefix="lopsided-", suffix=f".{format}", delete=False) as file:
        path = Path(file.name)
    try:
        if format == "ris":
            write_ris(path, _records(desk, visitor.id, which))
        else:
            fields = _field_names(desk)
            header = [*_OWN, *fields]
            write_table(path, header, _rows(desk, visitor.id, which, fields), format)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in desk.name)[:60] or "labels"
    return FileResponse(
        path, filename=f"{name}.{format}", background=BackgroundTask(path.unlink, missing_ok=True)
    )


def _field_names(desk: Desk) -> list[str]:
    names: dict[str, None] = {}
    for item in desk.store.items():
        names.update(dict.fromkeys(item.fields))
    return [name for name in names if name not in _OWN][:1000]


def _wanted(desk: Desk, user: int, which: Which) -> Iterator[tuple[Any, list[Any]]]:
    """Yield items with the answers that stand, in the order of the items."""
    store, votes = desk.store, desk.votes
    answers = store.answers(seen_by=user)
    waiting = next(answers, None)
    for item in store.items():
        mine = []
        while waiting is not None and waiting.item_id == item.id:
            mine.append(waiting)
            waiting = next(answers, None)
        if which == "all" or (mine and (which == "labeled" or votes.meaning(item.id))):
            yield item, mine


def _rows(desk: Desk, user: int, which: Which, fields: list[str]) -> Iterator[list[Any]]:
    store = desk.store
    labels = {label.id: label for label in store.labels()}
    tags = {tag.id: tag.name for tag in store.tags()}
    names = {one.id: one.name for one in store.users()}
    resolved = store.resolved()
    for item, answers in _wanted(desk, user, which):
        final = labels[resolved[item.id]].name if item.id in resolved else ""
        own, notes = store.tags_of(item.id), store.notes(item.id)
        rest = [item.fields.get(name, "") for name in fields]
        start = [item.id, item.key, item.title, item.text]
        for answer in answers or [None]:
            if answer is None:
                yield [*start, "", "", "", "", "", "", final, "", "", *rest]
                continue
            label = labels.get(answer.label_id)
            yield [
                *start,
                "skipped" if label is None else label.name,
                "" if label is None else ("yes" if label.relevant else "no"),
                names[answer.user_id],
                answer.time,
                answer.reason,
                "" if answer.score is None else round(answer.score, 4),
                final,
                "; ".join(sorted(tags[tag] for tag in own.get(answer.user_id, ()))),
                notes.get(answer.user_id, ""),
                *rest,
            ]


def _records(desk: Desk, user: int, which: Which) -> Iterator[Record]:
    labels = {label.id: label.name for label in desk.store.labels()}
    for item, answers in _wanted(desk, user, which):
        given = sorted({labels[answer.label_id] for answer in answers if answer.label_id is not None})
        yield Record(item.key, item.title, item.text, item.fields, "; ".join(given))
