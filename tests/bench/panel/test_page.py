"""The committed page is what the kept results give; nothing is computed anew."""

import re
from pathlib import Path

import pytest

from lopsided.bench.panel import run_found, run_panel
from lopsided.cli import main
from lopsided.runs import KeptResults, read_archive

DOCS = Path(__file__).parents[3] / "docs"
README = DOCS.parent / "README.md"
COMPLETE = ("rules", "active")  # regimes whose results are all kept


def test_the_page_is_what_the_kept_results_give(tmp_path):
    call = ["bench", "panel", *COMPLETE, "found", "--report", str(DOCS / "panel"), "--out", str(tmp_path)]
    assert main(call) == 0
    page = (tmp_path / "panel.md").read_text(encoding="utf-8")
    assert page == (DOCS / "panel.md").read_text(encoding="utf-8")


def test_the_readme_cites_the_summary_of_the_page():
    (paragraph,) = (
        part for part in README.read_text(encoding="utf-8").split("\n\n") if "docs/panel.md" in part
    )
    page = (DOCS / "panel.md").read_text(encoding="utf-8")
    summary = page.partition("## Summary: the test half")[2].partition("\n## ")[0]
    cited = re.findall(r"\b\d\.\d{3}\b", paragraph)
    assert len(cited) >= 4
    assert [number for number in cited if number not in summary] == []


def test_no_draw_of_the_findings_is_missing():
    with read_archive(DOCS / "panel" / "units") as results:
        assert run_found(KeptResults(results)).problems == {}


@pytest.mark.parametrize("regime", COMPLETE)
def test_no_draw_is_missing(regime):
    with read_archive(DOCS / "panel" / "units") as results:
        assert run_panel(regime, KeptResults(results)).problems == {}
