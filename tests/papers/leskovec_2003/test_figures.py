from dataclasses import replace

import pytest

from lopsided.metrics import Counts
from lopsided.papers.leskovec_2003 import PAPER
from lopsided.papers.leskovec_2003.data import ALL
from lopsided.papers.leskovec_2003.methods import BOOSTERS, SVM, Setting
from lopsided.papers.leskovec_2003.units import best_on_test, mean_by_method
from lopsided.report import Plot
from lopsided.report._text import write_blocks
from papers.leskovec_2003.made_runs import measured, run_of
from papers.leskovec_2003.made_tables import figure4, figure5, table1, table2


def test_tables_end_with_means():
    t = table1()
    table, settings = PAPER.items["table1"].show(t)
    lines = dict(table.lines)
    assert [name for name in lines if name.startswith("mean")] == [
        *("mean of 2, large", "mean of 2, small", "mean of 4, all")
    ]
    assert lines["mean of 4, all"][2].ours == pytest.approx(mean_by_method(best_on_test(t))[SVM] / 100)
    assert lines["platinum"][-1].note == "1"  # rules of LPUBoost
    assert lines["platinum"][:2] == ["1", "1"]  # positives
    assert settings.lines[1].startswith("earn: AdaBoost real.mh;")


def test_chosen_settings_are_told_with_their_words():
    t = table2(lambda run: replace(run, words=("corn",)))
    table, settings = PAPER.items["table2"].show(t)
    assert dict(table.lines)["earn"][:2] == ["2", "1"]  # positives trained on and held out
    assert settings.lines[1].startswith("earn: AdaBoost disc.mh (0.600) [corn]; AdaUBoost")
    assert "[corn]" in write_blocks([settings])


def test_figure_5_has_its_deviation_over_the_draws():
    runs = [
        run_of("acq", Setting(method, "real.mh"), f1, part=part, train=Counts(tp=n))
        for method in BOOSTERS
        for f1, part, n in (
            (0.5, ("positives", 10, 0), 10),
            (0.75, ("positives", 10, 1), 10),
            (0.75, ALL, 99),
        )
    ]
    (panel,) = PAPER.items["figure5"].show(measured(runs))
    for series in panel.series:
        assert series.x == [10, 99]
        assert series.y == [0.625, 0.75]
        assert series.spread == [pytest.approx(0.125 * 2**0.5), 0.0]


@pytest.mark.parametrize(
    ("item", "results", "n_panels"),
    [("figure3", table1, 2), ("figure4", figure4, 1), ("figure5", figure5, 2)],
)
def test_figures_are_drawn(item, results, n_panels):
    panels = PAPER.items[item].show(results())
    assert len(panels) == n_panels
    assert all(isinstance(panel, Plot) for panel in panels)
    assert {len(line.x) - len(line.y) for panel in panels for line in panel.series} == {0}
    assert all(len(line.y) for panel in panels for line in panel.series)
