"""Learning from what people do with their mail: a message that was moved has been judged by somebody.

A shown message in the hidden folder is spam, a hidden one anywhere else is ham. One that was shown, read,
and left where it is for a while is ham too; answered, flagged or filed away, at once. A deleted message
says nothing.

What is new is learned in the order in which the messages came. Folder by folder, all ham and then all spam,
the learner would end with so much spam in a row that it hides everything (after 200 messages of SpamAssassin,
all of the next 118 ham).
"""

import time
from collections.abc import Iterable
from typing import NamedTuple

from lopsided.mail._filter import OPEN, SPAM, Known, MailFilter
from lopsided.mail._mailbox import Stored

_BINS = ("trash", "bin", "deleted", "deleted items", "deleted messages")
_JUNK = ("junk", "junk e-mail", "spam", "bulk")  # of other programs; what lies there is nobody's ham


class _Lesson(NamedTuple):
    number: int
    label: str
    id: str
    head: bytes


def learn_from_moves(
    filter: MailFilter, stored: Iterable[Stored], hidden: str, patience: float, inbox: str = ""
) -> dict[str, int]:
    """Learn from where messages lie now; how many there were of each kind.

    ``hidden`` and ``inbox`` are names of folders; ``patience`` is the number of seconds after which a
    message that was read counts as wanted.
    """
    counts = {"ham": 0, "spam": 0, "known": 0, "not yet": 0, "not ours": 0}
    lessons = []
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
        else:
            lessons.append(_Lesson(known.number, label, id, one.message.head))
    lessons.sort()
    if not filter.has_begun:  # spam before the first ham would teach nothing, and come only once
        first = next((lesson for lesson in lessons if lesson.label == "ham"), None)
        if first is None:
            counts["not yet"] += len(lessons)
            return counts
        lessons.remove(first)
        lessons.insert(0, first)
    for lesson in lessons:
        told = filter.learn(lesson.label, id=lesson.id, head=lesson.head)
        counts[lesson.label if told in ("learned", "corrected") else "known"] += 1
    return counts


def _label(one: Stored, hidden: str, inbox: str, known: Known, is_old: bool) -> str | None:
    """Return what the place of a message says; None: nothing new."""
    name = one.folder.lower().rpartition(".")[2]  # ".INBOX.Trash" is a bin as well
    if "T" in one.flags or name in _BINS or (name in _JUNK and one.folder != hidden):
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
