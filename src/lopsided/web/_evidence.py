"""The words of an item for and against it, as a list with bars."""

from typing import Any


def describe_evidence(evidence: Any) -> dict[str, Any]:
    """Return the words on either side, each with its weight and the width of its bar in percent.

    Parameters
    ----------
    evidence : Evidence
    """
    sides = {"words_for": evidence.wanted, "words_against": evidence.unwanted}
    largest = max((abs(term.weight) for side in sides.values() for term in side), default=1.0) or 1.0
    return {
        name: [
            {
                "word": term.word,
                "weight": round(float(term.weight), 3),
                "width": round(100 * abs(term.weight) / largest),
            }
            for term in side
        ]
        for name, side in sides.items()
    }
