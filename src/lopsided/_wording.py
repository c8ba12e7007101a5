"""Numbers in words: durations, and counts with their nouns."""


def format_duration(seconds: float) -> str:
    """Return a duration, rounded.

    Examples
    --------
    >>> format_duration(40), format_duration(200), format_duration(9000)
    ('40 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def pluralize(n: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> pluralize(1, "text"), pluralize(1200, "text")
    ('1 text', '1,200 texts')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
