"""Sculley, "Practical Learning from One-Sided Feedback", KDD 2007.

``data`` has the paper's streams, ``methods`` the learners and what they do to see labels, ``units`` the work
on the streams and ``made_streams`` that of the figures; ``claims`` and ``made_claims`` hold the rules that
judge, ``figures`` what a reader sees. Scores on the paper's streams are in percent. Its tables are lost, so
nothing published stands beside ours but the sizes of streams: the claims are orders, not values. To add a
row to Table 1, name its variant here and enter it in `methods.EXPLORERS` and its parameters in
`methods.GRIDS`.
"""

from collections.abc import Sequence

from lopsided.experiments import SEEDS, Grid, Item, Paper
from lopsided.papers.sculley_2007 import figures, made_claims
from lopsided.papers.sculley_2007 import made_streams as made
from lopsided.papers.sculley_2007.data import MAIL, TOPICS, TUNING, corpora
from lopsided.papers.sculley_2007.methods import (
    DELAY,
    FULL,
    LEARNERS,
    OTHERS,
    PARTIAL,
    VARIANTS,
    Method,
    weighed,
)
from lopsided.papers.sculley_2007.units import is_needed, measure, run, scores, tuned, tuning

QUICK_MESSAGES = 30_000  # of a mail corpus
_QUICK = {"n_items": (QUICK_MESSAGES,)}


def _mail(variants: Sequence[str]) -> Grid:
    return Grid(
        run,
        stream=lambda extent, ask: corpora(),
        method=tuned(variants),
        seed=SEEDS,
        n_items=(None,),
        quick=_QUICK,
        where=is_needed,
    )


def _masked(variant: str) -> Grid:
    methods = [Method(learner, variant) for learner in LEARNERS]
    return Grid(run, stream=(MAIL,), method=methods, seed=SEEDS.first(1), n_items=(None,), quick=_QUICK)


def _topics(by_cost: bool) -> Grid:
    return Grid(run, stream=TOPICS, method=weighed(by_cost), seed=SEEDS, where=is_needed)


def _cases(cases: made.Cases, followed: Sequence[str]) -> list[Grid]:
    """Return every setting on every draw, and the planes of some settings on the first draw."""
    settings = made.at_best(cases)
    return [
        Grid(made.simulate, together={("case", "setting", "value"): settings}, seed=made.DRAWS),
        Grid(
            made.follow,
            together={("case", "setting", "value"): settings},
            seed=SEEDS.first(1),
            n_samples=(made.N_ITEMS,),
            where=lambda setting, **_: setting in followed,
        ),
    ]


PAPER = Paper.declare(
    __name__,
    items={
        "streams": Item(
            [
                Grid(measure, stream=lambda extent, ask: corpora(), n_items=(None,), quick=_QUICK),
                Grid(measure, stream=(TUNING, *TOPICS)),
            ],
            figures.show_streams,
        ),
        "tuning": Item(tuning(), figures.show_tuning, scores),
        "table1": Item(_mail((*VARIANTS, FULL)), figures.show_table1, scores),
        "others": Item(_mail(OTHERS), figures.show_others, scores),
        "delay": Item(_masked(DELAY), figures.show_masked, scores),
        "partial": Item(_masked(PARTIAL), figures.show_masked, scores),
        "table2": Item(_topics(by_cost=False), figures.show_topics, scores),
        "table3": Item(_topics(by_cost=True), figures.show_topics, scores),
        "figure1": Item(_cases(made.FIGURE1, (made.PERCEPTRON,)), figures.show_cases, made.late_recall),
        "figure4": Item(
            Grid(
                made.follow,
                case=("separable",),
                setting=(made.PERCEPTRON, made.MARGIN),
                value=(None,),
                seed=SEEDS.first(1),
            ),
            figures.show_figure4,
        ),
        "figure6": Item(Grid(made.reduce_to_active_learner, seed=made.DRAWS), figures.show_figure6),
        "figure7": Item(Grid(made.explore_greedily, seed=made.DRAWS), figures.show_figure7),
        "figure8": Item(
            _cases(made.FIGURE8, (made.MARGIN, made.LARGER_MARGIN)), figures.show_cases, made.late_recall
        ),
        "text": Item(_cases(made.TEXT, (made.MARGIN,)), figures.show_cases, made.late_recall),
    },
    claims=made_claims.CLAIMS,
)
