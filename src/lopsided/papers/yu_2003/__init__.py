"""Yu, "SVMC: Single-Class Classification With Support Vector Machines", IJCAI 2003.

``data`` has the paper's data and draws P and U from them, ``methods`` what is compared, ``units`` the work,
``claims`` the rules that judge, ``figures`` what a reader sees. As in the paper, F1 is between 0 and 1 and
accuracy in percent. To add a letter or a kind of page to Table 1, add its row to ``published/table1.csv``;
other data must be read in `data.load` as well.
"""

from lopsided.experiments import SEEDS, Grid, Item, Paper
from lopsided.papers.yu_2003 import figures, units
from lopsided.papers.yu_2003.claims import CLAIMS
from lopsided.papers.yu_2003.data import CANCER, ISLANDS, QUICK_ROWS, ROWS
from lopsided.papers.yu_2003.methods import COMPARED, METHODS, OTHERS
from lopsided.papers.yu_2003.units import setting_scores


def _runs(methods: tuple[str, ...]) -> Grid:
    """Return the runs of Table 1; SMC and SVMC of one set-up follow each other: their times are compared."""
    return Grid(
        units.run,
        row=ROWS,
        seed=SEEDS,
        method=methods,
        quick={"row": QUICK_ROWS},
        where=lambda row, method, seed: row in METHODS[method].rows,
    )


_TIGHTENED = Grid(units.tighten, name=(ISLANDS, "letter_A"), gamma=units.WIDTHS, seed=SEEDS)
_CONVERGED = Grid(units.converge, seed=SEEDS)
_ONE_SKETCH = Grid(units.sketch, seed=SEEDS.first(1))  # one draw is shown; the numbers are means over all
_REMAPPED = Grid(
    units.remap, name=(ISLANDS, "letter_A", "letter_B", CANCER), mapping=tuple(units.MAPPINGS), seed=SEEDS
)
_THINNED = Grid(units.thin, name=(ISLANDS, "letter_A", "letter_B", "faculty"), share=units.SHARES, seed=SEEDS)
_ON_A_LINE = Grid(
    units.close_in,
    first=units.FIRST,
    seed=SEEDS.first(3),
    keep=("all", "support_vectors"),
    quick={"first": units.FIRST[::2] + units.FIRST[-1:]},
)
_WIDENED = Grid(
    units.widen, method=units.WIDENED, gamma=units.GAMMAS, seed=SEEDS.first(3), quick={"gamma": (14.0, 1.0)}
)
PAPER = Paper.declare(
    __name__,
    items={
        "table1": Item(_runs(COMPARED), figures.show_table1, units.scores),
        "others": Item(_runs(OTHERS), figures.show_others, units.scores),
        "figure1": Item([_TIGHTENED, _ONE_SKETCH], figures.show_figure1, setting_scores),
        "figure2": Item([_CONVERGED, _ONE_SKETCH], figures.show_figure2, setting_scores),
        "figure5": Item([_CONVERGED, _ONE_SKETCH], figures.show_figure5, setting_scores),
        "mapping": Item(_REMAPPED, figures.show_settings, setting_scores),
        "thinning": Item(_THINNED, figures.show_thinning, setting_scores),
        "gap": Item(_ON_A_LINE, figures.show_gap, setting_scores),
        "width": Item(_WIDENED, figures.show_width, setting_scores),
    },
    claims=CLAIMS,
)
