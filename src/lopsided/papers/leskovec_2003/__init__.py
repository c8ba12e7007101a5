"""Leskovec and Shawe-Taylor, "Linear Programming Boosting for Uneven Datasets", ICML 2003.

``data`` has the documents and the parts of them that are learned from, ``methods`` the boosters and their
settings, ``units`` the work and what is best, ``claims`` the rules that judge, ``figures`` what a reader
sees. There are two kinds of scores, and they are never put together but where a claim compares them: upper
bounds, of the setting that is best on the test documents (Table 1, Figures 3 and 5), and honest ones, of the
setting that cross validation chose (Table 2). To add a setting to the tables, add its parameters to
`methods.PUBLISHED_SETTINGS`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lopsided.experiments import RUNS, Ask, Extent, Grid, Item, Paper
from lopsided.papers.leskovec_2003 import figures, methods, sensitivity, units, variations
from lopsided.papers.leskovec_2003.claims import CLAIMS, DISCARDED
from lopsided.papers.leskovec_2003.data import ALL, CATEGORIES, N_FOLDS, QUICK_CATEGORIES, RARE, Part
from lopsided.papers.leskovec_2003.units import measure_run


def _is_run(setting: methods.Setting, **_: Any) -> bool:
    return setting == methods.stand_in(setting)


def _grid(function: Callable[..., Any], quick: Mapping[str, Sequence[Any]], **axes: Any) -> Grid:
    """Return units of 300 rounds each, or of 30 in a quick run."""
    return Grid(
        function, **axes, n_rounds=(methods.N_ROUNDS,), quick={**quick, "n_rounds": (methods.QUICK_ROUNDS,)}
    )


_FEW = {"category": QUICK_CATEGORIES}
_QUICK = {**_FEW, "setting": methods.QUICK_SETTINGS}
_PUBLISHED = {"setting": methods.PUBLISHED_SETTINGS, "where": _is_run}
_FOLDS = [("fold", k) for k in range(N_FOLDS)]
_UPPER = _grid(units.run, _QUICK, category=CATEGORIES, part=(ALL,), **_PUBLISHED)
_HONEST = _grid(units.run, _QUICK, category=CATEGORIES, part=_FOLDS, **_PUBLISHED)
# Where nu = 0.1 is several times the share of positives.
_BY_SHARE = _grid(units.run, _FEW, category=RARE, part=(ALL,), setting=methods.SHARE_SETTINGS, where=_is_run)
_ROUND_BY_ROUND = [
    _grid(
        units.follow,
        _FEW,
        category=("earn", "acq", "interest"),
        part=(ALL,),
        setting=methods.followed(learners),
    )
    for learners in methods.FOLLOWED_LEARNERS
]
KEPT = (10, 20, 50, 100, 200, 500, 1000)  # positives


def _part(positives: int | str, draw: int, **_: Any) -> Part:
    return ALL if positives == "all" else ("positives", positives, draw)


_WITH_FEWER_POSITIVES = _grid(
    units.run,
    {"category": DISCARDED[1:], "positives": (*KEPT[1::2], "all"), "setting": methods.QUICK_SETTINGS[1:]},
    category=DISCARDED,
    positives=(*KEPT, "all"),
    draw=RUNS,
    setting=methods.PUBLISHED_SETTINGS[1:],  # without the SVM
    where=lambda setting, positives, draw, **_: _is_run(setting) and (positives != "all" or draw == 0),
    given={"part": _part},
)
_OF_LP, _OF_SVM = {"setting": sensitivity.LP_SETTINGS}, {"setting": (methods.Setting(methods.SVM),)}


def _vary(change: str, values: Sequence[float], quick: Mapping[str, Sequence[Any]], **axes: Any) -> Grid:
    axes = {"category": CATEGORIES, "part": (ALL,), **axes, "change": (change,), "value": values}
    return _grid(variations.vary, quick, where=_is_run, **axes)


def _unbounded(extent: Extent, ask: Ask) -> Sequence[methods.Setting]:
    """Return what variations are compared with, where the tables do not have it: in a quick run."""
    return sensitivity.LP_SETTINGS if extent.quick else ()


_VARIED = [
    _grid(units.run, _FEW, category=CATEGORIES, part=(ALL,), setting=_unbounded),
    _vary(variations.TOLERANCE, sensitivity.TOLERANCES, _FEW, **_OF_LP),
    _vary(variations.VERTEX, (1.0,), _FEW, category=RARE, **_OF_LP),
    _vary(variations.C, (sensitivity.LARGER_C,), _FEW, **{**_OF_SVM, "part": [*_FOLDS, ALL]}),
    _vary(variations.COST, (1.0,), _FEW, **{**_OF_SVM, "part": [*_FOLDS, ALL]}),
]
PAPER = Paper.declare(
    __name__,
    items={
        "table1": Item(_UPPER, figures.show_upper, measure_run),
        "table2": Item(_HONEST, figures.show_honest, measure_run),
        "figure3": Item(_UPPER, figures.show_overfitting, measure_run),
        "figure4": Item(_ROUND_BY_ROUND, figures.show_rounds),
        "figure5": Item(_WITH_FEWER_POSITIVES, figures.show_discarding, measure_run),
        "sensitivity": Item([_UPPER, _HONEST, *_VARIED], sensitivity.show, sensitivity.measure),
        "share": Item(_BY_SHARE, figures.show_upper, measure_run),
    },
    claims=CLAIMS,
)
