"""The unexpected: rows that belong to none of the known classes."""

from lopsided.unexpected._artificial import ArtificialNegatives
from lopsided.unexpected._detector import UnexpectedDetector
from lopsided.unexpected._find import find_unexpected
from lopsided.unexpected._lgn import LGN
from lopsided.unexpected._open_set import OpenSetClassifier
from lopsided.unexpected._report import UnexpectedRecord, UnexpectedReport

__all__ = [
    "LGN",
    "ArtificialNegatives",
    "OpenSetClassifier",
    "UnexpectedDetector",
    "UnexpectedRecord",
    "UnexpectedReport",
    "find_unexpected",
]
