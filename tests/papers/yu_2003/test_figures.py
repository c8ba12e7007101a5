from dataclasses import replace

import numpy as np
import pytest

from experiments.unit_laws import QUICK, units_of
from lopsided.experiments import seeds
from lopsided.metrics import Counts
from lopsided.papers.yu_2003 import PAPER
from lopsided.papers.yu_2003.data import ISLANDS
from lopsided.papers.yu_2003.methods import OSVM, OURS, TSVM
from lopsided.papers.yu_2003.units import LAST, MAPPED, MAPPINGS, SHARES, MethodRun, Sketch
from lopsided.report import Table
from lopsided.report._text import write_blocks
from lopsided.runs import Answers, Unit


def summarised(item, units, results):
    return PAPER.items[item].summarise(Answers(units, results, {}, {}, {}))


def computed(item, *names, seed=0):
    """Return the measurements of a figure for one draw, of some of its data."""
    extent = replace(QUICK, seeds=(seed,))
    units = [unit for unit in units_of(PAPER, item, extent) if not names or unit.arguments[0] in names]
    return summarised(item, units, [unit.do() for unit in units])


def table(*runs):
    units = [Unit("lopsided.papers.yu_2003.units", "run", (r.row, r.method, r.seed)) for r in runs]
    return summarised("table1", units, list(runs))


def run(method="SVMC", tp=8, seed=0, row="letter_A", rest=None, seconds=1.0):
    counts = Counts(tp=tp, fp=2, fn=10 - tp, tn=80)
    return MethodRun(row, method, seed, counts, rest or Counts(tn=9, fp=1), seconds, 4)


def test_the_table_has_the_published_figures_beside_ours():
    blocks = PAPER.items["table1"].show(table(run("SMC", seconds=3.0), run(), run(OURS)))
    f1, accuracy, training, rest, who = blocks
    assert f1.columns == ("SMC", "SVMC", OURS)
    ((name, cells),) = f1.lines
    assert name == "letter_A"
    assert [(cell.ours, cell.printed) for cell in cells] == [(0.8, 0.984), (0.8, 0.984), (0.8, None)]
    assert accuracy.lines[0][1][0].printed == 99.91
    faster = training.lines[0][1][3]
    assert (faster.ours, faster.printed) == (3.0, pytest.approx(171.77 / 45.37))
    assert rest.title == "accuracy on rows in neither P nor U"  # F1 without a positive there is none
    assert "SVM_NN: all of U taken for negative" in who.lines[0]


def test_cells_are_means_with_their_standard_deviation():
    f1 = PAPER.items["table1"].show(table(run(tp=8), run(tp=10, seed=1)))[0]
    expected = (16 / 20, 20 / 22)
    cell = f1.lines[0][1][0]
    assert cell.ours == pytest.approx(np.mean(expected))
    assert cell.spread == pytest.approx(np.std(expected, ddof=1))


def test_rows_in_neither_have_an_f1_where_some_are_positive():
    blocks = PAPER.items["table1"].show(table(run(rest=Counts(tp=3, fn=1))))
    (found,) = (b for b in blocks if isinstance(b, Table) and b.title == "F1 on rows in neither P nor U")
    assert found.lines[0][1][0].ours == pytest.approx(6 / 7)


def test_a_narrower_kernel_has_more_support_vectors():
    figure = computed("figure1", ISLANDS)
    assert figure.labels("data") == [ISLANDS]
    n_support = [part.mean("n_support") for part in figure.split("setting").values()]
    assert n_support == sorted(n_support)
    assert n_support[-1] > 10 * n_support[0]


def test_the_boundary_converges():
    settings = computed("figure5", seed=seeds(1)[0]).only(data=ISLANDS).split("setting")
    assert next(iter(settings)) == MAPPED
    assert settings[MAPPED].mean("area") > 2 * settings[LAST].mean("area")
    assert settings[LAST].mean("f1") > 0.95
    assert abs(settings[LAST].mean("area") - settings[TSVM].mean("area")) < 1
    assert 0.5 < settings[OSVM].mean("recall") < settings[TSVM].mean("recall")
    first = [name for name in settings if name.startswith("boundary")]
    assert first == [f"boundary {k}" for k in range(1, len(first) + 1)]


def test_mappings_and_thinned_sets(made_data):
    mapping = computed("mapping", ISLANDS, "letter_A")
    assert mapping.labels("data") == [ISLANDS, "letter_A"]
    assert mapping.labels("setting", data=ISLANDS) == list(MAPPINGS)
    strong = [mapping.mean("strong", data=ISLANDS, setting=f"osvm, kappa {k}") for k in (0, 1, 4)]
    assert strong == sorted(strong, reverse=True)
    assert strong[0] > 50 > strong[-1] > 0  # percent of U
    thinning = computed("thinning", ISLANDS, "faculty")
    assert thinning.labels("data") == [ISLANDS, "faculty"]
    assert thinning.labels("setting", data="faculty") == [f"{share:g} of U" for share in SHARES]
    assert thinning.values("unlabeled", data="faculty") == [300, 150, 75, 38, 19]


def test_widths(made_data):
    figure = computed("width")
    assert len(figure.labels("setting")) == 3 * 2
    plot, found = PAPER.items["width"].show(figure)
    assert [(line.name, line.x) for line in plot.series] == [
        (method, [1.0, 14.0]) for method in ("SMC", "SVMC", "SVMC, guarded")
    ]
    assert found.columns == ("f1", "iterations")


def test_the_islands_are_drawn(need):
    need("letter")
    for item in ("figure1", "figure2", "figure5"):
        figure = computed(item, seed=seeds(1)[0])
        (drawn,) = figure.results(Sketch)
        panels = PAPER.items[item].show(figure)
        first = panels[0]
        assert [line.name for line in first.series][:2] == ["U", "P"]
        assert not any(line.joined for line in first.series)
        assert "  P   " in (text := write_blocks([first]))
        assert "60 points" in text  # and not where each of them is
        assert any(isinstance(panel, Table) for panel in panels)
        without_sketch = figure.only(data=figure.labels("data"))
        assert len(PAPER.items[item].show(without_sketch)) < len(panels)
    assert drawn.labeled.shape == (60, 2)
    assert {MAPPED, LAST, TSVM, OSVM, "one-class SVM, gamma 64"} <= set(drawn.edges)
    spans = {name: np.ptp(edge, axis=0).max() for name, edge in drawn.edges.items()}
    assert spans[OSVM] < spans[TSVM] < spans[MAPPED]
