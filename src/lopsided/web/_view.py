"""The contents of the screening page: an item, why it is shown, and the numbers beside it."""

from typing import Any, NamedTuple

from lopsided._wording import pluralize
from lopsided.web._access import Visitor
from lopsided.web._desk import Desk
from lopsided.web._reading import marked_words, word_stem
from lopsided.web._shown import ModelStanding, ShownNow
from lopsided.web._templates import render_part

_WHY = {
    "given": "You chose this item.",
    "search": "It contains words of your search or of your question.",
    "first": "Drawn at random: no relevant item is known yet. A search finds the first one faster.",
    "most likely": "The model ranks it first among the remaining items.",
    "border": "The model is least sure about this item, so your answer teaches it most.",
    "random check": "Drawn at random, to check what the model would miss.",
    "unexpected": "It is unlike anything labeled so far.",
    "conflict": "Reviewers disagree about it.",
}
_BYLINE = (
    ("authors", "author", "au", "from"),
    ("year", "py", "date", "publication_year"),
    ("journal", "jo", "source", "journal_name", "secondary_title", "venue"),
)
_TITLELESS = 90  # characters of a text that stand for its title


class ShownItem(NamedTuple):
    """An item as the template takes it."""

    item: Any
    reason: str
    token: str
    badge: str
    why: str
    untitled: str
    byline: str
    fields: dict[str, str]
    tags: frozenset[int]
    note: str


class ScreenNumbers(NamedTuple):
    """The numbers beside an item, as the template takes them."""

    n_labels: int
    n_items: int
    n_found: int
    found_name: str
    left: str
    interval: str
    advice: str


def screen_values(desk: Desk, visitor: Visitor, shown: ShownNow | None) -> dict[str, Any]:
    """Return what the template of the screening page takes.

    Parameters
    ----------
    desk : Desk
    visitor : Visitor
    shown : ShownNow or None
        What is before the reviewer.
    """
    standing = desk.standing
    settings = desk.store.project
    labels = desk.store.labels()
    own = list(settings.highlights)
    stems = {word_stem(word) for word in own}
    terms = () if standing is None else standing.terms
    top = [term.word for term in terms if word_stem(term.word) not in stems]
    return {
        "shown": None if shown is None else _show(desk, visitor, shown),
        "done": None if shown is not None else _done(desk),
        "words": marked_words(top, own),
        "top_words": top,
        "own_words": own,
        "standing": count(desk, standing, labels),
        "settings": settings,
        "labels": labels,
        "tags": [tag for tag in desk.store.tags() if not tag.retired],
    }


def screen_parts(desk: Desk, visitor: Visitor, shown: ShownNow | None, note: str = "") -> dict[str, Any]:
    """Return what the script of the page puts in place of the item before.

    Parameters
    ----------
    desk : Desk
    visitor : Visitor
    shown : ShownNow or None
    note : str, default=""
        A line to show for a moment.
    """
    values = screen_values(desk, visitor, shown)
    item = values["shown"]
    return {
        "ok": True,
        "item": None if shown is None else shown.item_id,
        "reason": None if shown is None else shown.reason,
        "probability": None if shown is None else shown.probability,
        "token": None if shown is None else shown.token,
        "tags": [] if item is None else sorted(item.tags),
        "note": note,
        "remark": "" if item is None else item.note,
        "html": render_part("item", **values),
        "standing": render_part("standing", **values),
        "marked": render_part("marked", **values),
    }


def count(desk: Desk, standing: ModelStanding | None, labels: Any) -> ScreenNumbers:
    """Return the numbers of the work so far.

    Parameters
    ----------
    desk : Desk
    standing : ModelStanding or None
        What the model said last.
    labels : list of LabelKind
    """
    session = desk.session
    relevant = [label.name for label in labels if label.relevant]
    left, interval, advice = "?", "too early to tell", ""
    if standing is not None:
        estimate = standing.estimate
        if estimate.can_tell:
            left, interval = f"{estimate.left:,.0f}", f"{estimate.low:,.0f} to {estimate.high:,.0f}"
        n_firing = sum(reason.fires for reason in standing.verdict.rules)
        if standing.verdict.plan.fires:
            advice = "Your stopping rules say that you can stop"
        elif n_firing:
            advice = f"{pluralize(n_firing, 'stopping rule')} would stop here; your combination says go on"
    return ScreenNumbers(
        n_labels=session.n_labels,
        n_items=session.n_items,
        n_found=session.n_found,
        found_name=relevant[0].lower() if len(relevant) == 1 else "relevant",
        left=left,
        interval=interval,
        advice=advice,
    )


def item_heading(item: Any) -> str:
    """Return the title of an item, or the beginning of its text.

    Parameters
    ----------
    item : Item
    """
    if item.title.strip():
        return item.title.strip()
    text = " ".join(item.text.split())
    return (text[:_TITLELESS].rsplit(" ", 1)[0] + " …" if len(text) > _TITLELESS else text) or item.key


def _show(desk: Desk, visitor: Visitor, shown: ShownNow) -> ShownItem:
    store = desk.store
    item = store.item(shown.item_id)
    byline, rest = _split_fields(item.fields)
    why = _WHY.get(shown.reason, "")
    if shown.reason == "inbox check":
        why = "The inbox filter would have hidden it; this checks what the filter misses."
    if shown.reason in ("most likely", "border") and shown.probability is not None:
        why += f" Estimated probability of being relevant: {100 * shown.probability:.0f} %."
    return ShownItem(
        item=item,
        reason=shown.reason,
        token=shown.token,
        badge={"given": "chosen", "first": "at random"}.get(shown.reason, shown.reason),
        why=why,
        untitled=item_heading(item),
        byline=byline,
        fields=rest | ({"id": item.key} if item.key else {}),
        tags=frozenset(store.tags_of(item.id).get(visitor.id, ())),
        note=store.notes(item.id).get(visitor.id, ""),
    )


def _split_fields(fields: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Return authors, year and journal in a line, and the other fields."""
    rest, parts = dict(fields), []
    for names in _BYLINE:
        for name in fields:
            if name.lower() in names and fields[name].strip():
                parts.append(rest.pop(name).strip())
                break
    return " · ".join(parts), rest


def _done(desk: Desk) -> dict[str, Any]:
    if not desk.store.n_items:
        return {
            "heading": "Nothing to screen yet",
            "sentence": "Import a table, references or mail. You see a preview first.",
            "links": [("/import", "Import documents")],
        }
    if desk.is_behind:
        return {
            "heading": "Reading new documents",
            "sentence": "The next item appears in a moment.",
            "links": [("/screen", "Refresh")],
        }
    return {
        "heading": "Everything has been screened",
        "sentence": "Every item has a label, was skipped, or is with another reviewer.",
        "links": [("/items?show=skipped", "Show skipped items"), ("/export", "Export the labels")],
    }
