"""The committed page is what the kept results give; nothing is computed anew."""

from pathlib import Path

import pytest

from lopsided.bench.panel import run_panel
from lopsided.cli import main
from lopsided.runs import KeptResults, read_archive

DOCS = Path(__file__).parents[3] / "docs"
COMPLETE = ("rules", "active")  # regimes whose results are all kept


def test_the_page_is_what_the_kept_results_give(tmp_path):
    call = ["bench", "panel", *COMPLETE, "--report", str(DOCS / "panel"), "--out", str(tmp_path)]
    assert main(call) == 0
    page = (tmp_path / "panel.md").read_text(encoding="utf-8")
    assert page == (DOCS / "panel.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("regime", COMPLETE)
def test_no_draw_is_missing(regime):
    with read_archive(DOCS / "panel" / "units") as results:
        assert run_panel(regime, KeptResults(results)).problems == {}
