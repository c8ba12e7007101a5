"""Results for readers: tables, plots and text as blocks, and how blocks and ranked lists are shown.

One file a form: text, Markdown, JSON, CSV, figures (SVG), pages (the files in ``templates``).
"""

from lopsided.report._blocks import Bars, Block, Cell, Plot, Series, Table, Text, compares, deviates

__all__ = ["Bars", "Block", "Cell", "Plot", "Series", "Table", "Text", "compares", "deviates"]
