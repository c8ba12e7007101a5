"""Defects that were found on other data, and small tables of how each stands now.

One file per finding; `_table.py` says what a table is, and `_run.py` measures. The data sets are those of the
tune half of the panel, or generated, so that no default is judged here by data set apart.
"""

from lopsided.bench.panel.found._page import list_blocks, write_section
from lopsided.bench.panel.found._run import FINDINGS, PEERS, FindingResults, run_found

__all__ = ["FINDINGS", "PEERS", "FindingResults", "list_blocks", "run_found", "write_section"]
