"""The panel: our defaults beside plain baselines, on data sets that were split before anything was tuned.

`sets.toml` names the data sets. `_regimes.py` says what is compared, and each other file how one regime is
drawn. `_standing.py` counts wins and losses, and `_page.py` writes the page. `found` measures again what was
found on other data.
"""

from lopsided.bench.panel._page import write_page
from lopsided.bench.panel._regimes import REGIMES, Regime
from lopsided.bench.panel._sets import HALVES
from lopsided.bench.panel._standing import Standing, run_panel
from lopsided.bench.panel.found import FindingResults, run_found

__all__ = [
    "HALVES",
    "REGIMES",
    "FindingResults",
    "Regime",
    "Standing",
    "run_found",
    "run_panel",
    "write_page",
]
