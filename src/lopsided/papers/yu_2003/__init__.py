"""Yu, "SVMC: Single-Class Classification With Support Vector Machines", IJCAI 2003.

``data`` has the paper's data and draws P and U from them, ``methods`` what is compared, ``units`` the work,
``claims`` the rules that judge, ``figures`` what a reader sees. As in the paper, F1 is between 0 and 1 and
accuracy in percent. To add a row to Table 1, add it to ``published/table1.csv`` and to `data.SOURCES`.
"""

from lopsided.experiments import SEEDS, Grid, Item, Paper
from lopsided.papers.yu_2003 import figures
from lopsided.papers.yu_2003.claims import CLAIMS
from lopsided.papers.yu_2003.data import CANCER, ISLANDS, QUICK_ROWS, ROWS
from lopsided.papers.yu_2003.methods import COMPARED, METHODS, OTHERS
from lopsided.papers.yu_2003.units import (
    FIRST,
    GAMMAS,
    MAPPINGS,
    SHARES,
    WIDENED,
    WIDTHS,
    close_in,
    converge,
    point_values,
    remap,
    run,
    scores,
    sketch,
    thin,
    tighten,
    widen,
)


def _runs(methods: tuple[str, ...]) -> Grid:
    """SMC and SVMC of one set-up follow each other, so that their times can be compared."""
    return Grid(
        run,
        row=ROWS,
        seed=SEEDS,
        method=methods,
        quick={"row": QUICK_ROWS},
        where=lambda row, method, seed: row in METHODS[method].rows,
    )


_ONE_SKETCH = Grid(sketch, seed=SEEDS.first(1))  # one draw is shown; the numbers are means over all
_FEW_SEEDS = SEEDS.first(3)

PAPER = Paper.declare(
    __name__,
    items={
        "table1": Item(_runs(COMPARED), figures.show_table1, scores),
        "others": Item(_runs(OTHERS), figures.show_others, scores),
        "figure1": Item(
            [Grid(tighten, name=(ISLANDS, "letter_A"), gamma=WIDTHS, seed=SEEDS), _ONE_SKETCH],
            figures.show_figure1,
            point_values,
        ),
        "figure2": Item([Grid(converge, seed=SEEDS), _ONE_SKETCH], figures.show_figure2, point_values),
        "figure5": Item([Grid(converge, seed=SEEDS), _ONE_SKETCH], figures.show_figure5, point_values),
        "mapping": Item(
            Grid(remap, name=(ISLANDS, "letter_A", "letter_B", CANCER), mapping=tuple(MAPPINGS), seed=SEEDS),
            figures.show_settings,
            point_values,
        ),
        "thinning": Item(
            Grid(thin, name=(ISLANDS, "letter_A", "letter_B", "faculty"), share=SHARES, seed=SEEDS),
            figures.show_thinning,
            point_values,
        ),
        "gap": Item(
            Grid(
                close_in,
                first=FIRST,
                seed=_FEW_SEEDS,
                keep=("all", "support_vectors"),
                quick={"first": FIRST[::2] + FIRST[-1:]},
            ),
            figures.show_gap,
            point_values,
        ),
        "width": Item(
            Grid(widen, method=WIDENED, gamma=GAMMAS, seed=_FEW_SEEDS, quick={"gamma": (14.0, 1.0)}),
            figures.show_width,
            point_values,
        ),
    },
    claims=CLAIMS,
)
