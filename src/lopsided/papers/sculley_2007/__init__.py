"""Sculley, "Practical Learning from One-Sided Feedback", KDD 2007.

``data`` has the paper's streams, ``methods`` the learners and what they do to see labels, ``units`` the work
on the streams and ``made_streams`` that of the figures; ``claims`` and ``made_claims`` have the rules that
judge, ``figures`` what a reader sees. Scores on the paper's streams are in percent. Its tables are lost, so
nothing published stands beside ours but the sizes of streams: the claims are orders, not values. To add a row
to Table 1, name its variant here and enter it in `methods.EXPLORERS` and its parameters in `methods.GRIDS`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from lopsided.experiments import SEEDS, Grid, Item, Paper
from lopsided.papers.sculley_2007 import figures, methods, units
from lopsided.papers.sculley_2007 import made_streams as made
from lopsided.papers.sculley_2007.data import MAIL, TOPICS, TUNING, corpora
from lopsided.papers.sculley_2007.made_claims import CLAIMS

QUICK_MESSAGES = 30_000  # of a mail corpus
_QUICK = {"n_items": (QUICK_MESSAGES,)}
_BETA_RUNS = 5  # on mail, with each beta


def _mail(function: Callable[..., Any], **axes: Any) -> Grid:
    return Grid(function, stream=lambda extent, ask: corpora(), **axes, n_items=(None,), quick=_QUICK)


def _tuned(variants: Sequence[str]) -> Grid:
    return _mail(units.run, method=units.tuned(variants), seed=SEEDS, where=units.is_needed)


def _betas() -> list[Grid]:
    """Return label-efficient sampling with every beta, on the tuning stream and on mail."""
    tuning = units.tuning([methods.EFFICIENT])
    return [tuning, _mail(units.run, method=tuning.axes["method"], seed=SEEDS.first(_BETA_RUNS))]


def _masked(variant: str) -> Grid:
    each = [methods.Method(learner, variant) for learner in methods.LEARNERS]
    return Grid(units.run, stream=(MAIL,), method=each, seed=SEEDS.first(1), n_items=(None,), quick=_QUICK)


def _topics(by_cost: bool) -> Grid:
    return Grid(units.run, stream=TOPICS, method=methods.weighed(by_cost), seed=SEEDS, where=units.is_needed)


def _cases(cases: made.Cases, *followed: str) -> Item:
    """Return every setting on every draw, and the planes of some settings on the first draw."""
    settings: dict[tuple[str, ...], Any] = {("case", "setting", "value"): made.at_best(cases)}
    planes = Grid(
        made.follow,
        together=settings,
        seed=SEEDS.first(1),
        n_samples=(made.N_ITEMS,),
        where=lambda setting, **_: setting in followed,
    )
    simulations = Grid(made.simulate, together=settings, seed=made.DRAWS)
    return Item([simulations, planes], figures.show_cases, made.late_recall)


_TWO = (made.PERCEPTRON, made.MARGIN)
_SEPARABLE = Grid(made.follow, case=("separable",), setting=_TWO, value=(None,), seed=SEEDS.first(1))
_SIZES = [_mail(units.measure), Grid(units.measure, stream=(TUNING, *TOPICS))]
PAPER = Paper.declare(
    __name__,
    items={
        "streams": Item(_SIZES, figures.show_streams),
        "tuning": Item(units.tuning(), figures.show_tuning, units.scores),
        "table1": Item(_tuned((*methods.VARIANTS, methods.FULL)), figures.show_table1, units.scores),
        "beta": Item(_betas(), figures.show_betas, units.scores),
        "others": Item(_tuned(methods.OTHERS), figures.show_others, units.scores),
        "delay": Item(_masked(methods.DELAY), figures.show_masked, units.scores),
        "partial": Item(_masked(methods.PARTIAL), figures.show_masked, units.scores),
        "table2": Item(_topics(by_cost=False), figures.show_topics, units.scores),
        "table3": Item(_topics(by_cost=True), figures.show_topics, units.scores),
        "figure1": _cases(made.FIGURE1, made.PERCEPTRON),
        "figure4": Item(_SEPARABLE, figures.show_figure4),
        "figure6": Item(Grid(made.reduce_to_active_learner, seed=made.DRAWS), figures.show_figure6),
        "figure7": Item(Grid(made.explore_greedily, seed=made.DRAWS), figures.show_figure7),
        "figure8": _cases(made.FIGURE8, made.MARGIN, made.LARGER_MARGIN),
        "text": _cases(made.TEXT, made.MARGIN),
    },
    claims=CLAIMS,
)
