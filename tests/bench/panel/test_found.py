"""What was found is measured again: each table has a unit for each draw of a line."""

import numpy as np
import pytest

from lopsided.bench.panel import run_found
from lopsided.bench.panel._sets import read_split
from lopsided.bench.panel.found import FINDINGS, FindingResults, write_section
from lopsided.bench.panel.found._page import TITLE
from lopsided.bench.panel.found._table import count, extremes, least, mean, median, total_mean
from lopsided.cli import main
from lopsided.runs import Answers, Results, Runner

NAN = float("nan")


class Asked:
    """Does nothing, and keeps what it was asked for."""

    def ask(self, units):
        self.units = units
        return Answers(units, [{}] * len(units), {}, {}, {})


def test_nothing_of_the_test_half_is_asked_for():
    asked = Asked()
    run_found(asked)
    halves = read_split().values()
    tested = {name for half in halves for name in half["test"]}
    assert not tested & {argument for unit in asked.units for argument in unit.arguments}
    assert len({unit.key for unit in asked.units}) == len(asked.units)


def test_one_finding_runs_and_is_shown():
    found = run_found(Runner(Results()), only="active", n_draws=2)
    assert not found.problems
    assert found.values("active", "apart", "LASVCCV", "g").shape == (2,)
    section = "\n\n".join(write_section(found))
    assert section.startswith(f"## {TITLE}")
    assert "### 4. A rare class, labels asked for" in section
    assert "### 1." not in section  # not measured
    assert "2 draws" in section


def test_the_numbers_of_every_column_are_measured(need):
    need("glass")
    for place in (("unexpected", "mistakes", "glass, 2 known"), ("positives", "share", "tables/glass:7")):
        finding, table, row = place
        measured = FINDINGS[finding].tables[table].measure(row, 0)
        assert {column.number for column in FINDINGS[finding].tables[table].columns} <= measured.keys()


def test_nothing_measured_is_no_section():
    assert write_section(FindingResults()) == []


def test_what_the_library_says(need):
    need("reuters21578")
    messages = FINDINGS["traps"].messages
    assert "y holds only 0 and 1" in messages["UnexpectedDetector with labels that are only 0 and 1"]()
    told = messages["compare with labels such as cpi;gnp"]()
    assert told.startswith("97 stories of Reuters are about cpi")
    assert told.endswith("compare looks for 97.")
    (declined,) = FINDINGS["positives"].messages.values()
    assert "none is flagged" in declined()


@pytest.mark.parametrize(
    ("show", "values", "shown"),
    [
        (mean(1), [1, 2, NAN], "1.5"),
        (total_mean, [0.4, 0.2, NAN], "0.20"),
        (median(), [1, 9, 2], "2"),
        (least(0), [3, 1], "1"),
        (extremes(), [0.5, NAN, 0.25], "0.25 to 0.50"),
        (extremes(), [NAN], "none"),
        (mean(), [NAN], "none"),
        (count, [1, 0, 1], "2 of 3"),
    ],
)
def test_draws_are_shown(show, values, shown):
    cell = show(np.array(values, dtype=float))
    text = cell if isinstance(cell, str) else f"{cell.ours:.{cell.digits}f}"
    assert text == shown


def test_found_has_no_data_sets_to_choose_from(capsys):
    assert main(["bench", "panel", "found", "--only", "traps"]) == 2
    assert "--only chooses data sets of one REGIME; got found" in capsys.readouterr().err
