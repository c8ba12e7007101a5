"""A condition on a row of a table or on a text, which can be read, stored and checked for other rows."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from lopsided.boosting._dates import as_dates
from lopsided.boosting._wanted import shorten

Kind = Literal["number", "date", "category", "missing", "word"]
KINDS: tuple[Kind, ...] = ("number", "date", "category", "missing", "word")


class AskedCondition(NamedTuple):
    """A condition in terms of the user's columns or words.

    Examples
    --------
    >>> AskedCondition("number", "age", 40.0, False).text
    'age <= 40'
    >>> AskedCondition("word", "ship", None, True, ("ships", "ship")).text
    "'ships'"
    """

    kind: Kind
    feature: str
    """The column, or the stem of the word."""
    value: float | str | None
    """The threshold of a number or a date, the name of a category, or of a missing cell the kind of its
    column; None for a word."""
    says_yes: bool
    """Whether the number is above the threshold, or the category, the word or the gap is there; else not."""
    words: tuple[str, ...] = ()
    """Spellings of the word, the most common first."""
    or_missing: bool = False
    """Whether a missing number counts as well, and the text says so."""

    @property
    def text(self) -> str:
        """The condition in words."""
        name = shorten(self.feature)
        if self.kind == "word":
            return f"'{self.words[0]}'" if self.says_yes else f"no '{self.words[0]}'"
        if self.kind == "missing":
            return f"{name} is {'missing' if self.says_yes else 'given'}"
        if self.kind == "category":
            return f"{name} {'=' if self.says_yes else 'is not'} '{shorten(str(self.value))}'"
        written = f"{self.value:.15g}" if self.kind == "number" else self.value
        if self.says_yes:
            return f"{name} > {written}"
        return f"{name} <= {written}{' or missing' if self.or_missing else ''}"

    @property
    def whole(self) -> str:
        """The text, and the other spellings of its word."""
        return f"{self.text} ({', '.join(self.words[1:])})" if self.words[1:] else self.text

    @property
    def seconds(self) -> float:
        """The threshold of a date, in seconds since 1970."""
        found = as_dates([self.value])
        if found is None:
            raise ValueError(f"{self.value!r} is no date.")
        return float(found[0])

    def plain(self) -> dict[str, Any]:
        """Return the condition as values that JSON can hold."""
        about = {"kind": self.kind, "feature": self.feature, "value": self.value, "says_yes": self.says_yes}
        if self.kind == "word":
            return about | {"words": list(self.words)}
        return about | ({"or_missing": True} if self.or_missing else {})


def join_conditions(conditions: Sequence[AskedCondition]) -> tuple[AskedCondition, ...]:
    """Return the conditions of a rule, each reading as it should beside the others."""
    given = {c.feature for c in conditions if c.kind == "missing" and not c.says_yes}
    return tuple(c._replace(or_missing=c.or_missing and c.feature not in given) for c in conditions)
