"""Rows that need not be in memory: an algorithm reads them in passes, one block at a time.

An algorithm takes ``X``, a matrix in memory or `RowBlocks`, and does three things with it: it asks for its
shape, takes a few rows into memory (``X[row_numbers]``), and passes over the rows by a function below.
"""

from lopsided._blocks._base import RowBlocks, is_sparse
from lopsided._blocks._dask import DaskBlocks, in_one_line, is_dask, score_lazily
from lopsided._blocks._mapped import MappedBlocks
from lopsided._blocks._opening import as_blocks
from lopsided._blocks._passes import BAND, column_moments, map_blocks, score_rows, sum_rows

__all__ = [
    "BAND",
    "DaskBlocks",
    "MappedBlocks",
    "RowBlocks",
    "as_blocks",
    "column_moments",
    "in_one_line",
    "is_dask",
    "is_sparse",
    "map_blocks",
    "score_lazily",
    "score_rows",
    "sum_rows",
]
