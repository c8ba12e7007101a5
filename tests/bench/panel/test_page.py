"""The committed page is what the kept results give; nothing is computed anew."""

import re
from pathlib import Path

import numpy as np
import pytest

from lopsided import LGN, UnexpectedDetector
from lopsided.bench.panel import REGIMES, run_found, run_panel
from lopsided.cli import main
from lopsided.runs import KeptResults, read_archive

DOCS = Path(__file__).parents[3] / "docs"
README = DOCS.parent / "README.md"


def test_the_page_is_what_the_kept_results_give(tmp_path):
    call = ["bench", "panel", "--report", str(DOCS / "panel"), "--out", str(tmp_path)]
    assert main(call) == 0
    page = (tmp_path / "panel.md").read_text(encoding="utf-8")
    assert page == (DOCS / "panel.md").read_text(encoding="utf-8")


def test_the_readme_cites_the_summary_of_the_page():
    readme = README.read_text(encoding="utf-8")
    page = (DOCS / "panel.md").read_text(encoding="utf-8")
    summary = page.partition("## Summary: the test half")[2].partition("\n## ")[0]
    for regime in REGIMES.values():
        ((metric, ours, baseline, results, worse, _, peer, _),) = _rows(summary, regime.title)
        cited = [(metric, ours, baseline, peer, results)]
        assert [tuple(row[1:]) for row in _rows(readme, regime.title)] == cited
        assert worse == "0"  # the README says so


def _rows(text, title):
    """Return the cells of the rows of a table that have this title."""
    lines = (line.strip("|").split("|") for line in text.splitlines() if line.startswith(f"| {title} |"))
    return [
        [re.sub(r"\\?[\[(](.*?)\\?[\])]", r"[\1]", cell.strip()) for cell in cells[1:]] for cells in lines
    ]


@pytest.fixture(scope="module")
def found():
    """What was found, as it is kept."""
    with read_archive(DOCS / "panel" / "units") as results:
        return run_found(KeptResults(results))


def test_no_draw_of_the_findings_is_missing(found):
    assert found.problems == {}


@pytest.mark.parametrize("fdr", [0.1, 0.3])
def test_the_documentation_says_how_far_the_rate_of_mistakes_holds(found, fdr):
    sets = found.rows("unexpected", "mistakes")
    rates = np.concatenate(
        [found.values("unexpected", "mistakes", row, f"mistakes at {fdr}") for row in sets]
    )
    known = rates[~np.isnan(rates)]
    n_nothing = len(rates) - len(known)
    line = f"| {fdr} | {known.sum() / len(rates):.2f} | {known.min():.2f} to {known.max():.2f} "
    assert f"{line}| {n_nothing} of {len(rates)} |" in (DOCS / "unexpected.md").read_text(encoding="utf-8")
    told = " ".join(UnexpectedDetector.__doc__.split())
    if fdr == 0.1:
        assert f"At 0.1 nothing was flagged in {n_nothing} of these draws" in told
    else:
        n = f"in {len(rates)} draws of eight data sets it ranged from {known.min():.0f} to {known.max():.0f}"
        assert f"{n} where 0.3 was asked for" in told


def test_the_documentation_says_how_good_lgn_is(found):
    sets = found.rows("unexpected", "LGN")
    means = [found.values("unexpected", "LGN", row, "F1").mean() for row in sets]
    low, high = f"{min(means):.2f}", f"{max(means):.2f}"
    page = (DOCS / "unexpected.md").read_text(encoding="utf-8")
    assert f"its mean F was {low[1:]} to {high[1:]} on" in page
    assert f"was between {low} and {high} on five text sets" in " ".join(LGN.__doc__.split())
    for row, lgn in ((row, found.values("unexpected", "LGN", row, "AUC").mean()) for row in sets):
        assert found.values("unexpected", "mistakes", row, "AUC").mean() > lgn


@pytest.mark.parametrize("regime", REGIMES)
def test_no_draw_is_missing(regime):
    with read_archive(DOCS / "panel" / "units") as results:
        assert run_panel(regime, KeptResults(results)).problems == {}
