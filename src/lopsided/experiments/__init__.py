"""Experiments as data: grids of units, tidy results, published values, claims. It knows no paper."""

from lopsided.experiments import words
from lopsided.experiments._answers import Answer, Estimate, estimate, estimates, every, more_than
from lopsided.experiments._claims import (
    UNTESTED,
    Check,
    Claim,
    Claims,
    ClaimVerdict,
    Needs,
    StandIn,
    against,
    listed,
    ranged,
)
from lopsided.experiments._extent import Ask, Extent, seeds
from lopsided.experiments._grid import RUNS, SEEDS, Grid
from lopsided.experiments._paper import Deviation, Item, Paper, check_name
from lopsided.experiments._peers import import_peer
from lopsided.experiments._published import Published
from lopsided.experiments._show import (
    Column,
    ShownMetric,
    cell,
    column_table,
    columns,
    compare_table,
    cross_table,
    curve,
    curves,
    for_each,
    metric_table,
)
from lopsided.experiments._texts import read_texts
from lopsided.experiments._tidy import Measurement, Measurements
from lopsided.experiments._timing import timed, without_convergence_warnings

__all__ = [
    "RUNS",
    "SEEDS",
    "UNTESTED",
    "Answer",
    "Ask",
    "Check",
    "Claim",
    "ClaimVerdict",
    "Claims",
    "Column",
    "Deviation",
    "Estimate",
    "Extent",
    "Grid",
    "Item",
    "Measurement",
    "Measurements",
    "Needs",
    "Paper",
    "Published",
    "ShownMetric",
    "StandIn",
    "against",
    "cell",
    "check_name",
    "column_table",
    "columns",
    "compare_table",
    "cross_table",
    "curve",
    "curves",
    "estimate",
    "estimates",
    "every",
    "for_each",
    "import_peer",
    "listed",
    "metric_table",
    "more_than",
    "ranged",
    "read_texts",
    "seeds",
    "timed",
    "without_convergence_warnings",
    "words",
]
