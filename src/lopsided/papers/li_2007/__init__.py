"""Li, Liu and Ng, "Learning to Identify Unexpected Instances in the Test Set", IJCAI 2007.

``data`` has the collections and draws sets from them, ``methods`` what is compared, ``units`` the work,
``claims`` the rules that judge, ``figures`` what a reader sees. As in the paper, F is that of the unexpected
documents, in percent. Two protocols are kept apart throughout: in A words are those of at least three
documents of the whole collection, in B all words, so that nothing is known but the documents to learn from
and to judge. To add a row to Table 1, add it to ``published/table1.csv`` and its groups to ``names.toml``.
"""

from collections.abc import Callable, Sequence
from typing import Any

from lopsided.experiments import SEEDS, Grid, Item, Paper, seeds
from lopsided.papers.li_2007 import figures, readings, units
from lopsided.papers.li_2007.claims import CLAIMS
from lopsided.papers.li_2007.data import PROTOCOLS, QUICK_ROWS, ROWS, SMALL, TABLE1, TEN, TEN_CLASSES
from lopsided.papers.li_2007.methods import COMPARED, EXTRACTORS, OTHERS, OURS, READINGS
from lopsided.papers.li_2007.units import measure_f

SHARES = (5, 10, 15, 20, 40, 60, 80, 100, 200)
PRIORS = (0.4, 0.6, 0.8, 1.0)
NOISES, SPY_SHARES = (0.05, 0.1, 0.15, 0.2, 0.25), (0.1, 0.15, 0.2)
PURE_SHARES = (5, 10, 20, 100)


def _on_rows(function: Callable[..., Any], **axes: Any) -> Grid:
    """Return units in an order in which neighbours share data, seed and protocol."""
    usual: dict[str, Any] = {"data": ROWS, "seed": SEEDS, "protocol": PROTOCOLS}
    return Grid(function, **{**usual, "quick": {"data": QUICK_ROWS}, **axes})


def _by_share(
    data: Sequence[str],
    shares: Sequence[int],
    quick: Sequence[str],
    line: Callable[..., str] = lambda share, **_: f"{share} %",
) -> Grid:
    """Return units by share; our detector, the slowest, has the first run alone, and none in a quick one."""
    (first,) = seeds(1)
    return _on_rows(
        units.run,
        data=data,
        share=shares,
        method=COMPARED,
        where=lambda method, seed, **_: method != OURS or seed == first,
        given={"line": line},
        quick={"data": quick, "method": tuple(name for name in COMPARED if name != OURS)},
    )


_THREE = tuple(f"{row}+" for row in ROWS)
_TEN_SHARES = tuple(int(share) for share in TEN_CLASSES.labels("share"))
_TABLE1, _OTHERS = (_on_rows(units.run, share=(SMALL,), method=methods) for methods in (COMPARED, OTHERS))
_TWO_CLASSES = _by_share(ROWS, SHARES, ROWS[:1])
_THREE_CLASSES = _by_share(_THREE, SHARES, _THREE[:1])
_TEN_CLASSES = _by_share(TEN, _TEN_SHARES, TEN, lambda data, share, **_: f"{data}, {share} %")
_PRIORS = _on_rows(units.prior, reading=tuple(READINGS), ratio=PRIORS)
_EXTRACTED = _on_rows(units.extract, method=tuple(EXTRACTORS), share=PURE_SHARES)
_SPIES = _on_rows(units.spy, noise=NOISES, spy_share=SPY_SHARES)
PAPER = Paper.declare(
    __name__,
    items={
        "table1": Item(_TABLE1, figures.show_table(TABLE1), measure_f),
        "readings": Item(readings.GRIDS, readings.show, measure_f),
        "others": Item(_OTHERS, figures.show_table(), measure_f),
        "figure4": Item(_TWO_CLASSES, figures.show_shares, measure_f),
        "figure5": Item(_THREE_CLASSES, figures.show_shares, measure_f),
        "ten": Item(_TEN_CLASSES, figures.show_ten, measure_f),
        "priors": Item(_PRIORS, figures.show_settings("f"), measure_f),
        "purity": Item(_EXTRACTED, figures.show_settings("purity"), units.measure_purity),
        "spies": Item(_SPIES, figures.show_settings("f"), measure_f),
    },
    claims=CLAIMS,
)
