"""Data sets prepared for papers, benchmarks and the tour: one file per source."""

from lopsided.problems._records import LabeledRows, PositiveUnlabeled, Split, Texts, Topics

__all__ = ["LabeledRows", "PositiveUnlabeled", "Split", "Texts", "Topics"]
