"""Explanation of a decision of the filter: the contribution of each word to the score of a message."""

import re
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any

from lopsided.mail._engine import BIAS
from lopsided.mail._features import GRAM, columns_of
from lopsided.mail._filter import MailFilter
from lopsided.mail._message import HEAD
from lopsided.terminal import align, one_line

_LONGEST = 40  # characters of a word that are shown
_WORD = re.compile(rb"\S+")


@dataclass(frozen=True)
class Word:
    """A word of a message, and what it adds to the score: above 0 for ham, below 0 for spam."""

    text: str
    adds: float


@dataclass(frozen=True)
class MessageExplanation:
    """The decision about a message without exploration, and the words behind its score.

    The score is the sum of ``adds`` over all words, ``space`` and ``constant``.
    """

    decision: str
    has_begun: bool
    """Whether the filter has learned any ham; until then it shows every message."""
    score: float
    threshold: float
    """Messages with this score or more are shown."""
    constant: float
    """Score of an empty message."""
    space: float
    """What the white space between words adds."""
    words: list[Word]
    """All words that add something, the strongest first."""

    def plain(self, n: int | None = None) -> dict[str, Any]:
        """Return the explanation as JSON can hold it, with the n strongest words of each kind, or all."""
        values = asdict(self)
        del values["words"]
        return values | {
            "n_words": len(self.words),
            "for_ham": [asdict(word) for word in self._ham()[:n]],
            "for_spam": [asdict(word) for word in self._spam()[:n]],
        }

    def text(self, n: int | None = None) -> str:
        """Return the explanation as lines of text, with the n strongest words of each kind, or all."""
        lines = [
            f"decision: {self.decision} (score {self.score:+.4f}; shown from {self.threshold:+.4f})",
        ]
        if not self.has_begun:
            lines.append("The filter has not learned any ham yet, so it shows every message.")
        for name, words in (("ham", self._ham()), ("spam", self._spam())):
            if not words:
                lines.append(f"No word speaks for {name}.")
                continue
            more = f", {n} of {len(words):,}" if n is not None and len(words) > n else ""
            lines.append(f"for {name}{more}:")
            lines += [f"  {align([f'{word.adds:+.4f}'], (8,))}  {_shown(word.text)}" for word in words[:n]]
        return "\n".join(lines)

    def _ham(self) -> list[Word]:
        return [word for word in self.words if word.adds > 0]

    def _spam(self) -> list[Word]:
        return [word for word in self.words if word.adds < 0]


def explain(filter: MailFilter, head: bytes) -> MessageExplanation:
    """Return why a filter would show or hide the message that begins with ``head``; nothing changes.

    The learner scores byte 4-grams. What a gram adds is split equally among its four bytes, and a word gets
    the sum over its bytes. A gram counts once in a message, where it stands first.
    """
    with filter.turn():
        settings = filter.settings
        head = head[:HEAD]
        columns = columns_of(head, settings.n_features)
        score, constant, adds = filter.engine.explain(columns)
        has_begun = filter.has_begun
    left = dict(zip(columns.tolist(), adds.tolist(), strict=True))
    of_byte = [0.0] * len(head)
    for start in range(len(head) - GRAM + 1):
        column = int(columns_of(head[start : start + GRAM], settings.n_features)[0])
        share = left.pop(column, 0.0) / GRAM
        for place in range(start, start + GRAM):
            of_byte[place] += share
    sums: dict[bytes, float] = defaultdict(float)
    space = sum(of_byte)
    for match in _WORD.finditer(head):
        added = sum(of_byte[match.start() : match.end()])
        sums[match[0]] += added
        space -= added
    words = [Word(word.decode("utf-8", "replace"), added) for word, added in sums.items() if added]
    words.sort(key=lambda word: -abs(word.adds))
    threshold = -BIAS[settings.learner]
    return MessageExplanation(
        decision="show" if not has_begun or score >= threshold else "hide",
        has_begun=has_begun,
        score=score,
        threshold=threshold,
        constant=constant,
        space=space,
        words=words,
    )


def _shown(word: str) -> str:
    word = one_line(word)
    return word if len(word) <= _LONGEST else f"{word[: _LONGEST - 3]}..."
