"""Learning from what people do with their mail: a message that was moved has been judged by somebody.

A shown message in the hidden folder is spam, a hidden one anywhere else is ham. One that was shown, read,
and left where it is for a while is ham too; answered, flagged or filed away, at once. A deleted message
says nothing.
"""

import time
from collections.abc import Iterable

from lopsided.mail._filter import OPEN, SPAM, Known, MailFilter
from lopsided.mail._mailbox import Stored

_BINS = ("trash", "deleted")


def learn_from_moves(
    filter: MailFilter, stored: Iterable[Stored], hidden: str, patience: float, inbox: str = ""
) -> dict[str, int]:
    """Learn from where messages lie now; how many there were of each kind.

    ``hidden`` and ``inbox`` are names of folders; ``patience`` is the number of seconds after which a
    message that was read counts as wanted.
    """
    counts = {"ham": 0, "spam": 0, "known": 0, "not yet": 0, "not ours": 0}
    waiting = []  # spam, while no ham has come: it would teach nothing, and come only once
    for one in stored:
        id = one.message.id
        known = None if id is None else filter.known(id)
        if id is None or known is None:
            counts["not ours"] += 1
            continue
        is_old = time.time() - known.time >= patience
        label = _label(one, hidden, inbox, known, is_old)
        if label is None:
            counts["not yet" if known.label == OPEN else "known"] += 1
        elif label == "spam" and not filter.has_begun:
            waiting.append((id, one.message.head))
        else:
            _learn(filter, label, id, one.message.head, counts)
    for id, head in waiting:
        if filter.has_begun:
            _learn(filter, "spam", id, head, counts)
        else:
            counts["not yet"] += 1
    return counts


def _learn(filter: MailFilter, label: str, id: str, head: bytes, counts: dict[str, int]) -> None:
    told = filter.learn(label, id=id, head=head)
    counts[label if told in ("learned", "corrected") else "known"] += 1


def _label(one: Stored, hidden: str, inbox: str, known: Known, is_old: bool) -> str | None:
    """What the place of a message says; None: nothing new."""
    if "T" in one.flags or one.folder.lower().strip(".") in _BINS:
        return None
    if one.folder == hidden:
        # What the filter hid itself lies there anyway; only one that somebody took for ham has come back.
        return "spam" if known.shown or known.label != OPEN else None
    if not known.shown:
        return "ham"
    if known.label == SPAM:
        return "ham"  # it was in the hidden folder, and is no longer
    cared = set("RF") & set(one.flags) or one.folder != inbox
    return "ham" if cared or ("S" in one.flags and is_old) else None
