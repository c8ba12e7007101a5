"""What a reader sees: tables, plots and text as blocks, before it is decided how they are shown."""

from lopsided.report._blocks import Bars, Block, Cell, Plot, Series, Table, Text, compares, deviates

__all__ = ["Bars", "Block", "Cell", "Plot", "Series", "Table", "Text", "compares", "deviates"]
