"""Find the few documents that matter: what to show next, when to stop, how much is left."""

from lopsided.screening._duplicates import DuplicateIndex, group_duplicates

__all__ = ["DuplicateIndex", "group_duplicates"]
