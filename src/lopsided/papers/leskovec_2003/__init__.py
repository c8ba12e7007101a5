"""Leskovec and Shawe-Taylor, "Linear Programming Boosting for Uneven Datasets", ICML 2003.

``data`` has the documents and the parts of them that are learned from, ``methods`` the boosters and their
settings, ``units`` the work, ``tables`` what is best, ``claims`` the rules that judge, ``figures`` what a
reader sees. There are two kinds of scores, and they are never put together but where a claim compares them:
upper bounds, of the setting that is best on the test documents (Table 1, Figures 3 and 5), and honest ones,
of the setting that cross validation chose (Table 2). To add a setting to the tables, add its parameters to
`methods.PUBLISHED_SETTINGS`.
"""

from collections.abc import Sequence
from typing import Any

from lopsided.experiments import RUNS, Grid, Item, Paper
from lopsided.papers.leskovec_2003 import figures
from lopsided.papers.leskovec_2003.claims import CLAIMS, DISCARDED
from lopsided.papers.leskovec_2003.data import ALL, CATEGORIES, N_FOLDS, QUICK_CATEGORIES, RARE, Part
from lopsided.papers.leskovec_2003.methods import (
    ADA,
    ADA_U,
    LP,
    LP_U,
    N_ROUNDS,
    PUBLISHED_SETTINGS,
    QUICK_ROUNDS,
    QUICK_SETTINGS,
    SHARE_SETTINGS,
    Setting,
    stand_in,
)
from lopsided.papers.leskovec_2003.units import follow, measure_run, run


def _is_run(setting: Setting, **_: Any) -> bool:
    return setting == stand_in(setting)


def _runs(
    *,
    part: Sequence[Part] = (ALL,),
    category: Sequence[str] = CATEGORIES,
    setting: Sequence[Setting] = PUBLISHED_SETTINGS,
    quick_setting: Sequence[Setting] = QUICK_SETTINGS,
) -> Grid:
    return Grid(
        run,
        category=category,
        part=part,
        setting=setting,
        n_rounds=(N_ROUNDS,),
        where=_is_run,
        quick={"category": QUICK_CATEGORIES, "setting": quick_setting, "n_rounds": (QUICK_ROUNDS,)},
    )


_UPPER = _runs()
_FOLDS = _runs(part=[("fold", k) for k in range(N_FOLDS)])
# Where nu = 0.1 is several times the share of positives.
_BY_SHARE = _runs(category=RARE, setting=SHARE_SETTINGS, quick_setting=SHARE_SETTINGS)
_ROUND_BY_ROUND = Grid(
    follow,
    category=("earn", "acq", "interest"),
    part=(ALL,),
    setting=tuple(
        setting
        for learner in ("real.mh", "real.lp")
        for setting in (
            *(Setting(ADA, learner), Setting(ADA_U, learner, 4)),
            *(Setting(LP, learner, 1, 0.1), Setting(LP_U, learner, 4, 0.1)),
        )
    ),
    n_rounds=(N_ROUNDS,),
    quick={"category": QUICK_CATEGORIES, "n_rounds": (QUICK_ROUNDS,)},
)
KEPT = (10, 20, 50, 100, 200, 500, 1000)  # positives


def _part(positives: int | str, draw: int, **_: Any) -> Part:
    return ALL if positives == "all" else ("positives", positives, draw)


_WITH_FEWER_POSITIVES = Grid(
    run,
    category=DISCARDED,
    positives=(*KEPT, "all"),
    draw=RUNS,
    setting=PUBLISHED_SETTINGS[1:],  # without the SVM
    n_rounds=(N_ROUNDS,),
    where=lambda setting, positives, draw, **_: _is_run(setting) and (positives != "all" or draw == 0),
    given={"part": _part},
    quick={
        "category": DISCARDED[1:],
        "positives": (*KEPT[1::2], "all"),
        "setting": QUICK_SETTINGS[1:],
        "n_rounds": (QUICK_ROUNDS,),
    },
)
PAPER = Paper.declare(
    __name__,
    items={
        "table1": Item(_UPPER, figures.show_upper, measure_run),
        "table2": Item(_FOLDS, figures.show_honest, measure_run),
        "figure3": Item(_UPPER, figures.show_overfitting, measure_run),
        "figure4": Item(_ROUND_BY_ROUND, figures.show_rounds),
        "figure5": Item(_WITH_FEWER_POSITIVES, figures.show_discarding, measure_run),
        "share": Item(_BY_SHARE, figures.show_upper, measure_run),
    },
    claims=CLAIMS,
)
