"""Data sets prepared for papers, benchmarks and the tour: one file per source."""

from lopsided.problems._records import LabeledRows, Split, Texts, Topics

__all__ = ["LabeledRows", "Split", "Texts", "Topics"]
