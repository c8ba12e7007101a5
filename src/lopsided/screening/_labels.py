"""The labels that a person can give, with their keys."""

from collections.abc import Sequence
from typing import NamedTuple


class LabelChoice(NamedTuple):
    """A label that a person can give.

    Examples
    --------
    >>> LabelChoice("y", "yes", True).name
    'yes'
    """

    key: str
    name: str
    relevant: bool


YES_NO = (LabelChoice("y", "yes", True), LabelChoice("n", "no", False))


def make_choices(names: Sequence[str]) -> tuple[LabelChoice, ...]:
    """Return labels with number keys, the first of which is what is looked for; yes and no without names.

    Examples
    --------
    >>> [(choice.key, choice.relevant) for choice in make_choices(["ship", "harbour", "neither"])]
    [('1', True), ('2', False), ('3', False)]
    """
    if not names:
        return YES_NO
    names = [str(name).strip() for name in names]
    if not 2 <= len(names) <= 9 or len(set(names)) < len(names) or not all(names) or "skip" in names:
        raise ValueError(
            f"labels are two to nine different names, none of them 'skip'; got {', '.join(names)!r}. "
            "The first is what is looked for."
        )
    return tuple(LabelChoice(str(i + 1), name, i == 0) for i, name in enumerate(names))
