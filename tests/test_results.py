"""The committed results of the full run, and what the pages say about them."""

import csv
import lzma
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from lopsided.experiments._markdown import render_markdown
from lopsided.experiments._report import write_report
from lopsided.experiments._reproduction import extent_of, reproduce
from lopsided.experiments._summary import Facts, Report
from lopsided.papers import PAPERS, find_paper
from lopsided.report._csv import write_blocks
from lopsided.report._markdown import escape
from lopsided.runs import KeptResults, read_archive

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
RESULTS = DOCS / "results"
REPORT = (RESULTS / "report.md").read_text(encoding="utf-8")
VERDICTS = dict(
    re.findall(
        r"^- \*\*([A-Z]\d+) (holds|does not hold|cannot be tested here)\.\*\*", REPORT, flags=re.MULTILINE
    )
)
COUNTS = Counter(VERDICTS.values())
N_CLAIMS = sum(PAPERS.values())
MOST_BYTES = 8_000_000
DRAWN_WITH = "3.11.2"  # the version of matplotlib; another one may place a label elsewhere


def test_every_claim_has_a_verdict():
    assert set(VERDICTS) == {id_ for paper in PAPERS for id_ in find_paper(paper).claims}
    assert len(VERDICTS) == N_CLAIMS


def test_the_summary_counts_them():
    head = f"**{COUNTS['holds']} of {N_CLAIMS} claims hold; {COUNTS['does not hold']} do not, "
    assert head in REPORT


def test_they_are_of_full_runs():
    assert re.search(r"^- command: `lopsided reproduce --full ", REPORT, flags=re.MULTILINE)
    assert re.search(r"^- date: 20\d\d-\d\d-\d\d", REPORT, flags=re.MULTILINE)
    assert re.search(r"^- machine: \d+ cores?, \d+ GB", REPORT, flags=re.MULTILINE)
    assert re.search(r"^- versions: .*lopsided .*scikit-learn ", REPORT, flags=re.MULTILINE)
    for words in ("not complete", "quick run", " failed", " skipped"):
        assert words not in REPORT, words


@pytest.mark.parametrize("id_", PAPERS)
def test_every_table_and_figure_is_there(id_):
    paper = find_paper(id_)
    (section,) = [text for text in re.split(r"(?m)^## ", REPORT) if text.startswith(paper.title)]
    for name, item in paper.items.items():
        kind, number = re.fullmatch(r"([a-z]+)(\d*)", name).groups()
        heading = f"{kind.capitalize()} {number}".strip()
        assert re.search(rf"^### {heading}: ", section, flags=re.MULTILINE), f"{id_} {name}: {item.caption}"


def test_where_numbers_differ_the_report_says_what_was_tried():
    items = re.split(r"(?m)^### ", REPORT)
    different = [text for text in items if re.search(r"(?m)^\|.*\*\*\S", text)]
    assert len(different) > 5
    for text in different:
        assert "Where they differ: " in text, text.splitlines()[0]


def test_every_picture_is_shown_and_there():
    shown = re.findall(r"\]\(figures/([^)]+)\)", REPORT)
    assert len(shown) > 50
    assert sorted(shown) == sorted(path.name for path in RESULTS.glob("figures/*"))


@pytest.mark.parametrize("path", sorted(RESULTS.glob("tables/*.csv")), ids=lambda path: path.name)
def test_tables_can_be_read(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    assert len(rows) > 1
    assert len({len(row) for row in rows}) == 1


def test_they_are_small_and_of_no_machine():
    files = [path for path in RESULTS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES
    for path in files:
        content = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        assert not re.search(rb"/(tmp|home|root|work|Users)/", content), path.name


@cache
def rendered_again(id_):
    """Return what `lopsided reproduce --report` makes of the kept results of a paper."""
    paper, facts = find_paper(id_), Facts.read(RESULTS)
    source = KeptResults(read_archive(RESULTS / "units"))
    return reproduce(paper, extent_of(paper, quick=facts.quick, n_seeds=facts.seeds), source)


@pytest.mark.parametrize("id_", PAPERS)
def test_tables_and_verdicts_are_those_of_the_kept_results(id_):
    """`lopsided reproduce --report` writes the committed tables and pages, to the last digit."""
    paper, facts, done = find_paper(id_), Facts.read(RESULTS), rendered_again(id_)
    rendered = {}
    for name, item in done.items.items():
        assert {**item.failed, **item.skipped} == {}, name
        rendered |= write_blocks(item.blocks, f"{id_}-{name}")
    assert rendered
    for name, table in rendered.items():
        assert table == (RESULTS / "tables" / f"{name}.csv").read_text(encoding="utf-8"), name
    pictures = {(id_, name): _pictures(f"{id_}-{name}") for name in paper.items}
    page = render_markdown(Report([done], facts, PAPERS), pictures)
    assert _section(page, paper.title) == _section(REPORT, paper.title)


def test_the_committed_folder_is_what_the_command_writes(tmp_path):
    """Head, sections, tables and figures: the whole tree, but for the page, which is not committed."""
    mpl = pytest.importorskip("matplotlib")
    write_report(tmp_path, Report([rendered_again(id_) for id_ in PAPERS], Facts.read(RESULTS), PAPERS))
    kept = _files_of(RESULTS) - {"run.json", *(f"units/{path.name}" for path in RESULTS.glob("units/*"))}
    assert _files_of(tmp_path) - {"report.html"} == kept
    same_pictures = mpl.__version__ == DRAWN_WITH
    for name in sorted(kept):
        if same_pictures or not name.endswith(".svg"):
            assert (tmp_path / name).read_bytes() == (RESULTS / name).read_bytes(), name


def _files_of(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _pictures(stem):
    """Return the committed pictures of an item by name; of no matter what content."""
    found = (RESULTS / "figures").glob(f"{stem}-*.svg")
    return {path.stem: "drawn" for path in sorted(found, key=lambda path: int(path.stem.split("-")[-1]))}


def _section(page, title):
    """Return the lines about one paper."""
    lines = page.partition(f"\n## {escape(title)}\n")[2].partition("\n## ")[0].strip().splitlines()
    assert len(lines) > 100
    return lines


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "reproduce.md"], ids=lambda page: page.name)
def test_the_number_of_claims_that_hold_is_told(page):
    told = re.findall(r"\*\*(\d+) of (\d+) claims hold\*\*", page.read_text(encoding="utf-8"))
    assert told == [(str(COUNTS["holds"]), str(N_CLAIMS))]


@pytest.mark.parametrize("id_", PAPERS)
def test_the_readme_counts_paper_by_paper(id_):
    author, year = id_.split("-")
    claims = find_paper(id_).claims
    n_hold = sum(VERDICTS[claim] == "holds" for claim in claims)
    row = rf"^\| \[{author.capitalize()}[^|]* {year}\]\([^)]+\) \| {n_hold} of {len(claims)} \|"
    assert re.search(row, (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE), id_


@pytest.mark.parametrize(
    ("page", "id_"),
    [
        ("unexpected", "li-2007"),
        ("learning-on-the-border", "ertekin-2007"),
        ("uneven-boosting", "leskovec-2003"),
        ("positives-only", "yu-2003"),
    ],
)
def test_pages_agree_with_the_verdicts(page, id_):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"(?m)^\| ([A-Z]\d+): [^|]+ \| (holds|does not hold|cannot be tested here)", text))
    assert told == {claim: VERDICTS[claim] for claim in find_paper(id_).claims}


def test_the_page_on_one_sided_feedback_has_all_that_does_not_hold():
    text = (DOCS / "one-sided-feedback.md").read_text(encoding="utf-8")
    told = re.findall(r"(?m)^\| (S\d+) ", text)
    assert told == [id_ for id_ in find_paper("sculley-2007").claims if VERDICTS[id_] == "does not hold"]
