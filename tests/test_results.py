"""The committed results of the full run, and what the pages say about them."""

import csv
import lzma
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from lopsided.experiments._claims import VERDICTS as ANY_VERDICT
from lopsided.experiments._markdown import render_markdown
from lopsided.experiments._report import write_report
from lopsided.experiments._reproduction import extent_of, reproduce
from lopsided.experiments._summary import Facts, RunReport
from lopsided.papers import PAPERS, find_paper
from lopsided.report._csv import write_blocks
from lopsided.report._markdown import escape
from lopsided.runs import KeptResults, read_archive

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
RESULTS = DOCS / "results"
REPORT = (RESULTS / "report.md").read_text(encoding="utf-8")
_ANY = f"({'|'.join(ANY_VERDICT)})"
VERDICTS = dict(re.findall(rf"^- \*\*([A-Z]\d+) {_ANY}\.\*\*", REPORT, flags=re.MULTILINE))
COUNTS = Counter(VERDICTS.values())
N_CLAIMS = sum(PAPERS.values())
MOST_BYTES = 8_000_000
DRAWN_WITH = "3.11.2"  # the version of matplotlib; another one may place a label elsewhere


def test_every_claim_has_a_verdict():
    assert set(VERDICTS) == {id_ for paper in PAPERS for id_ in find_paper(paper).claims}
    assert len(VERDICTS) == N_CLAIMS


def test_the_summary_counts_them():
    head = f"**{COUNTS['holds']} of {N_CLAIMS} claims hold; {COUNTS['does not hold']} do not, "
    assert f"{head}{COUNTS['within noise']} are within noise, " in REPORT


def _told(verdict):
    """Return what the report tells of a verdict: the name of each line and its text."""
    (part,) = re.findall(rf"(?m)^- \*\*{verdict} [^*]+\*\*.*\n((?:  - .*\n)+)", REPORT + "\n")
    return dict(re.findall(r"(?m)^  - ([^:]+): (.*)$", part))


def test_every_verdict_has_its_place_its_rule_and_its_basis():
    for id_ in VERDICTS:
        told = _told(id_)
        assert re.search(r"Section|Table|Figure|Theorem", told["where"]), id_
        assert told["rule"]
        assert told["measured"]
        assert re.match(r"own data(, conditional: .*)?$|stand-in \(", told["basis"])
        assert (", conditional: " in told["basis"]) == id_.startswith("B"), id_


def test_every_claim_that_does_not_hold_has_a_sentence_with_a_number_that_says_why():
    for id_, verdict in VERDICTS.items():
        told = _told(id_)
        assert ("why" in told) == (verdict != "holds"), id_
        if verdict != "holds":
            assert re.search(r"\d", told["why"]), id_
            assert not re.search(r"\bnan\b|[{}]", told["why"]), id_
        if verdict == "within noise":
            assert "Decided by " in told["why"], id_


def test_the_three_counts_are_those_of_the_verdicts():
    own, unchanged = Counter(), Counter()
    for id_, verdict in VERDICTS.items():
        told = _told(id_)
        alone = re.search(r"data alone it (holds|does not hold|is within noise)", told["basis"])
        if told["basis"].startswith("own data") or alone:
            own[alone[1].removeprefix("is ") if alone else verdict] += 1
        if "rule changed after numbers were seen" not in told:
            unchanged[verdict] += 1
    for name, counts in (
        ("On the papers' own data alone", own),
        ("With rules never changed after", unchanged),
    ):
        assert re.search(rf"(?m)^{name}[^:]*: {counts['holds']} of {counts.total()} hold; ", REPORT), name


def test_what_stands_in_is_told_where_it_decides():
    """E10, E11 and E12: the ranks and the test on the 13 rows with the paper's own data."""
    for id_, number in (
        ("E10", "batch 2.08,"),
        ("E10", "al 2.15"),
        ("E11", "p = 0.0253, n = 13"),
        ("E12", "dc 2.23"),
    ):
        assert number in _told(id_)["basis"].partition("own data alone")[2]
    for page in (ROOT / "README.md", DOCS / "learning-on-the-border.md"):
        text = " ".join(page.read_text(encoding="utf-8").split())
        assert re.search(r"E10, E11 and E12[^.]* CiteSeer", text)
        assert re.search(r"2\.15", text)
        assert re.search(r"0\.025", text)


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
def kept_results():
    """Read the results of all units once: it takes seconds."""
    return KeptResults(read_archive(RESULTS / "units"))


@cache
def rendered_again(id_):
    """Return what `lopsided reproduce --report` makes of the kept results of a paper."""
    paper, facts = find_paper(id_), Facts.read(RESULTS)
    return reproduce(paper, extent_of(paper, quick=facts.quick, n_seeds=facts.seeds), kept_results())


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
    page = render_markdown(RunReport([done], facts, PAPERS), pictures)
    assert _section(page, paper.title) == _section(REPORT, paper.title)


def test_the_committed_folder_is_what_the_command_writes(tmp_path):
    """Head, sections, tables and figures: the whole tree, but for the page, which is not committed."""
    mpl = pytest.importorskip("matplotlib")
    write_report(tmp_path, RunReport([rendered_again(id_) for id_ in PAPERS], Facts.read(RESULTS), PAPERS))
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
def test_the_three_numbers_of_claims_that_hold_are_told(page):
    text = " ".join(page.read_text(encoding="utf-8").split())
    told = re.findall(r"\*\*(\d+) of (\d+) claims hold\*\*", text)
    assert told == [(str(COUNTS["holds"]), str(N_CLAIMS))]
    own, unchanged = re.findall(r"(?m)^(?:On the papers|With rules)[^:]*: (\d+ of \d+) hold;", REPORT)
    assert f"On the papers' own data alone **{own}** hold, and **{unchanged}** of" in text


def test_the_readme_says_what_is_lost():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for words in ("Sculley's Tables 1 to 3", "Leskovec's Tables 1 and 2", "conditional on"):
        assert words in text


@pytest.mark.parametrize("id_", PAPERS)
def test_the_readme_counts_paper_by_paper(id_):
    author, year = id_.split("-")
    claims = find_paper(id_).claims
    n_hold = sum(VERDICTS[claim] == "holds" for claim in claims)
    own, unchanged = re.search(rf"(?m)^\| {id_} \|.* \| ([^|]+) \| ([^|]+) \|$", REPORT).groups()
    row = rf"^\| \[{author.capitalize()}[^|]* {year}\]\([^)]+\) \| {n_hold} of {len(claims)} "
    row += rf"\| {own} \| {unchanged} \|"
    assert re.search(row, (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE), id_


@pytest.mark.parametrize(("protocol", "column"), [("A", 1), ("B", 2)])
def test_the_detector_and_lgn_are_told_as_table_1_has_them(protocol, column):
    """On the page with a digit, in the README without."""
    page, readme = (
        (DOCS / "unexpected.md").read_text(encoding="utf-8"),
        (ROOT / "README.md").read_text("utf-8"),
    )
    with open(RESULTS / f"tables/li-2007-table1-{column}.csv", encoding="utf-8", newline="") as file:
        means = {row[1]: float(row[2]) for row in csv.reader(file) if row[0] == "mean"}
    for name, told in (("detector", r"`UnexpectedDetector\(\)`"), ("LGN", r'LGN, `"counts"`')):
        (line,) = re.findall(rf"(?m)^\| {told} \| .*$", page)
        assert line.split(" | ")[column] == f"{means[name]:.1f}"
    readme = " ".join(readme.split())
    ours, lgn = (
        re.search(words, readme)
        for words in (
            r"our detector has a mean F of (\d+) where the words .* are known and (\d+) where not",
            r"LGN as we read it has (\d+) and (\d+),",
        )
    )
    assert (ours[column], lgn[column]) == (f"{means['detector']:.0f}", f"{means['LGN']:.0f}")


PAGES = {
    "one-sided-feedback": "sculley-2007",
    "unexpected": "li-2007",
    "learning-on-the-border": "ertekin-2007",
    "uneven-boosting": "leskovec-2003",
    "positives-only": "yu-2003",
}


@pytest.mark.parametrize("page", PAGES)
def test_each_page_has_the_three_numbers_of_its_paper(page):
    text = " ".join((DOCS / f"{page}.md").read_text(encoding="utf-8").split())
    claims = find_paper(PAGES[page]).claims
    n_hold = sum(VERDICTS[claim] == "holds" for claim in claims)
    own, unchanged = re.search(rf"(?m)^\| {PAGES[page]} \|.* \| ([^|]+) \| ([^|]+) \|$", REPORT).groups()
    assert (
        f"Of its claims **{n_hold} of {len(claims)}** hold; on the paper's own data alone **{own}**" in text
    )
    assert f", and **{unchanged}** of those whose rule was never changed after numbers were seen." in text


EXPERIMENTS = {  # what was tried against what does not hold: page and heading, paper, item
    ("one-sided-feedback", "Why S6 fails: beta does not transfer"): ("sculley-2007", "beta"),
    ("unexpected", "How the text of LGN may be read"): ("li-2007", "readings"),
    ("learning-on-the-border", "Abalone with its ring count"): ("ertekin-2007", "abalone"),
    ("uneven-boosting", "What a fair reader would try"): ("leskovec-2003", "sensitivity"),
}


@pytest.mark.parametrize(("page", "heading"), EXPERIMENTS)
def test_experiments_on_the_pages_are_those_of_the_report(page, heading):
    """Each line of a table is one of the report's, and each number of the text stands there."""
    paper, item = EXPERIMENTS[page, heading]
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    (told,) = re.findall(rf"(?ms)^##+ {re.escape(heading)}$(.*?)(?=^##|\Z)", text)
    (section,) = [part for part in re.split(r"(?m)^## ", REPORT) if part.startswith(find_paper(paper).title)]
    (found,) = re.findall(rf"(?ms)^### {item.capitalize()}: .*?$(.*?)(?=^### )", section)
    lines = [line for line in told.splitlines() if line.startswith("| ")]
    assert len(lines) > 3
    assert set(lines) <= set(section.splitlines())
    assert set(lines) & set(found.splitlines())
    numbers = re.findall(r"\d+\.\d+", re.sub(r"(?m)^\|.*$", "", told))
    assert len(numbers) > 3
    for number in numbers:
        assert re.search(rf"(?<![\d.]){number}(?!\d)", section), number


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
    told = dict(re.findall(rf"(?m)^\| ([A-Z]\d+): [^|]+ \| {_ANY}", text))
    assert told == {claim: VERDICTS[claim] for claim in find_paper(id_).claims}


def test_the_page_on_one_sided_feedback_has_all_that_does_not_hold():
    text = (DOCS / "one-sided-feedback.md").read_text(encoding="utf-8")
    told = re.findall(r"(?m)^\| (S\d+) ", text)
    assert told == [id_ for id_ in find_paper("sculley-2007").claims if VERDICTS[id_] != "holds"]
    in_noise = re.findall(r"(?m)^\| (S\d+) [^|]+ \| within noise", text)
    assert in_noise == [id_ for id_ in told if VERDICTS[id_] == "within noise"]
