"""Counts that every collection of handwritten digits has."""

from lopsided.datasets._layout import Arrays, Counts


def count_digits(arrays: Arrays) -> Counts:
    """Return the number of digits on each side of the split, and of each digit there."""
    facts = {}
    for side in ("train", "test"):
        facts[f"{side} digits"] = len(arrays[f"y_{side}"])
        for digit in range(10):
            facts[f"{side} digit {digit}"] = int((arrays[f"y_{side}"] == digit).sum())
    return facts


def by_digit(side: str, counts: str) -> Counts:
    """Return the published counts of one side, given as the numbers of 0, 1, ... 9.

    Examples
    --------
    >>> by_digit("test", "359 264")
    {'test digit 0': 359, 'test digit 1': 264}
    """
    return {f"{side} digit {digit}": int(n) for digit, n in enumerate(counts.split())}
