import csv
import json
import re
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError
from xml.etree import ElementTree

import pytest

from experiments.made_up import EVIL, PAPER
from lopsided.experiments import _summary
from lopsided.experiments._markdown import render_markdown
from lopsided.experiments._page import group
from lopsided.experiments._plain import plain_record
from lopsided.experiments._report import write_report
from lopsided.experiments._reproduction import extent_of, reproduce
from lopsided.experiments._summary import Report, facts_of
from lopsided.papers import PAPERS
from lopsided.report import _figures
from lopsided.report._figures import HOW_TO_DRAW
from lopsided.runs import Results, Runner


def run(quick=True, **options):
    runner = Runner(Results())
    paper = reproduce(PAPER, extent_of(PAPER, quick=quick), runner, **options)
    return Report([paper], facts_of(f"lopsided reproduce {EVIL}", quick=quick), PAPERS)


@pytest.fixture(scope="module")
def report():
    return run()


@pytest.fixture(scope="module")
def written(report, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out")
    return folder, write_report(folder, report).read_text(encoding="utf-8")


class Page(HTMLParser):
    """Text, tags and ids of a page; every tag that was opened must be closed."""

    EMPTY = {"meta", "br", "path", "use", "rect", "line"}

    def __init__(self, html):
        super().__init__()
        self.text, self.tags, self.ids, self.open, self.links = "", [], [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.ids += [value for name, value in attributes if name == "id"]
        self.links += [value for name, value in attributes if name in ("href", "src", "xlink:href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_page_is_whole_and_loads_nothing(written):
    page = Page(written[1])
    assert "script" not in page.tags
    assert "default-src 'none'" in written[1]
    assert "script-src 'none'" in written[1]
    assert all(link.startswith("#") for link in page.links)
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert not re.search(r"url\((?!#)", written[1])
    outside = set(re.findall(r"https?://[^\s\"'<]+", written[1]))
    assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_text_stays_text(written):
    page = Page(written[1])
    assert page.text.count("<script>alert(1)</script>") >= 6
    assert "alert(1)</script>" not in written[1]
    markdown = (written[0] / "report.md").read_text(encoding="utf-8")
    outside_code = re.sub(r"```.*?```|(`+).*?\1", "", markdown, flags=re.DOTALL)
    assert "<script>" not in outside_code


def test_the_first_screen_says_what_holds_and_how_it_came_about(written, report):
    page = Page(written[1]).text
    head = (
        "1 of 67 claims hold; 1 do not, 0 are within noise, 2 cannot be tested here, 63 were not asked about."
    )
    assert head in page
    assert "On the papers' own data alone: 1 of 2 hold; 1 do not, 0 are within noise." in page
    assert "With rules never changed after numbers were seen: 0 of 3 hold; 1 do not" in page
    assert "quick" in page
    for fact in (report.facts.machine, report.facts.date, "numpy", "lopsided reproduce <script>"):
        assert fact in page
    assert "made-up-1999 table1: most of it" in page
    for text in (page, (written[0] / "report.md").read_text(encoding="utf-8")):
        assert "nothing is judged by hand" in text
    assert page.index("yu-2003") < page.index("On Nothing")


def test_it_says_which_commit_computed_what():
    results, runner = Results(), None
    for code in ("0.1.0", "0.1.0+g1a2b3c4d5e6f"):
        runner = Runner(results, limit=None)
        runner._version = code
        only = ["table1", "broken"] if code == "0.1.0" else None
        quick = code == "0.1.0"
        paper = reproduce(PAPER, extent_of(PAPER, quick=quick), runner, items=only)
    report = Report([paper], facts_of("lopsided reproduce", quick=False), PAPERS)
    assert report.origins == [
        "3 units of lopsided 0.1.0, whose commit was not kept",
        "2 units of lopsided 0.1.0+g1a2b3c4d5e6f: made-up-1999 (table1, figure2, hollow)",
    ]
    pictures = {(PAPER.id, name): {} for name in PAPER.items}
    assert all(line in render_markdown(report, pictures) for line in report.origins)
    assert plain_record(report, None)["results"] == report.origins


def test_versions_of_peers_are_told_where_they_are_installed(monkeypatch):
    def version(name):
        if name == "pyod":
            raise PackageNotFoundError
        return "1.0"

    monkeypatch.setattr(_summary, "version", version)
    versions = facts_of("lopsided reproduce", quick=True).versions
    assert versions["pulearn"] == versions["scikit-learn"] == "1.0"
    assert "pyod" not in versions


def test_work_that_tables_share_is_counted_once(report):
    items = report.papers[0].items
    shared = {key for name in ("table1", "figure2") for key in items[name].times}
    assert len(shared) < items["table1"].n_units + items["figure2"].n_units
    units = {key: seconds for item in items.values() for key, seconds in item.times.items()}
    assert report.seconds == pytest.approx(sum(units.values()))
    assert report.seconds < sum(item.seconds for item in items.values())


def test_verdicts_have_their_numbers_and_what_was_asked(written, report):
    verdicts = {v.id: v for v in report.papers[0].verdicts}
    assert [v.verdict for v in verdicts.values()] == [
        "holds",
        "does not hold",
        "cannot be tested here",
        "cannot be tested here",
    ]
    assert verdicts["X3"].asked == "needs rocks"
    assert "IndexError" in verdicts["X4"].asked
    for text in (Page(written[1]).text, (written[0] / "report.md").read_text(encoding="utf-8")):
        assert "the mean is above zero" in text
        assert "needs rocks" in text


def test_numbers_stand_beside_the_published_ones(written):
    html = written[1]
    far = re.search(r'<tr><th scope="row">far</th>(<td.*?</td>)', html)[1]
    near = re.search(r'<tr><th scope="row">near</th>(<td.*?</td>)', html)[1]
    assert far.startswith('<td class="far">')
    assert near.startswith("<td>")
    for cell in (far, near):
        assert "±" in cell
        assert '<small class="published">' in cell
        assert re.search(r"<i>-\d", cell)
    assert "[12]" in near
    assert '<td>–<small class="published">1,234.5</small></td>' in html
    assert "Where they differ: we looked twice" in html
    markdown = (written[0] / "report.md").read_text(encoding="utf-8")
    assert re.search(r"\| far \| \*\*\d+\.\d\d ±\d+\.\d\d \(\d+\.\d\d; -\d+\.\d\d\)\*\* \|", markdown)


def test_what_is_missing_is_said_with_the_way_to_supply_it(written):
    for text in (Page(written[1]).text, (written[0] / "report.md").read_text(encoding="utf-8")):
        assert "3 " in text
        assert "skipped: moon-rocks is not here. Put it into the folder LOPSIDED" in text
        assert "ZeroDivisionError: seed" in text
        assert "ZeroDivisionError: division by zero" in text  # of what cannot be shown
        assert "The moon stands in for the earth." in text


def test_what_differs_stands_under_the_table_it_is_about(written, report):
    for text in (Page(written[1]).text, (written[0] / "report.md").read_text(encoding="utf-8")):
        assert text.count("The moon stands in for the earth.") == 1
        assert text.index("scores") < text.index("The moon stands in") < text.index("Figure 2")
        assert "Where all of this differs" in text
    paper = plain_record(report, None)["papers"][0]
    assert paper["deviations"] == [EVIL]
    assert paper["items"][0]["deviations"] == ["The moon stands in for the earth."]


def test_tracebacks_are_folded_away_and_name_no_folder_of_this_machine(written):
    folded = re.search(r'<details class="failed">.*?</details>', written[1], flags=re.DOTALL)[0]
    assert "Traceback" in folded
    assert 'File "lopsided/runs/_perform.py"' in Page(folded).text


def test_tables_are_there_as_csv(written):
    with open(written[0] / "tables" / "made-up-1999-table1-1.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["line"], row["column"]) for row in rows[:2]] == [("near", "score"), ("near", "remark")]
    assert float(rows[0]["ours"]) + float(rows[0]["spread"]) == pytest.approx(float(rows[0]["printed"]))
    assert rows[3]["note"] == EVIL
    with open(written[0] / "tables" / "made-up-1999-figure2-1.csv", encoding="utf-8", newline="") as file:
        points = list(csv.DictReader(file))
    assert {row["series"] for row in points} == {"ours", "ours, printed", f"points {EVIL}"}


def test_figures_are_pictures_by_themselves(written):
    paths = sorted((written[0] / "figures").iterdir())
    assert [path.name for path in paths] == [f"made-up-1999-figure2-{k}.svg" for k in (1, 2, 3)]
    markdown = (written[0] / "report.md").read_text(encoding="utf-8")
    for path in paths:
        text = path.read_text(encoding="utf-8")
        ElementTree.fromstring(text)
        assert "prefers-color-scheme" in text
        assert f"(figures/{path.name})" in markdown
        assert len(text) < 30_000  # 5,000 points as well
        assert not re.search(r'( style="[^"]*")/>\n<use [^>]*\1/>', text)  # the look of marks is said once


def test_an_item_that_was_there_before_is_gone(report, tmp_path):
    (tmp_path / "figures").mkdir()
    for name in ("made-up-1999-figure9-1.svg", "yu-2003-figure1-1.svg", "mine.svg"):
        (tmp_path / "figures" / name).touch()
    write_report(tmp_path, report)
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert "made-up-1999-figure9-1.svg" not in names
    assert {"yu-2003-figure1-1.svg", "mine.svg"} <= names


def test_the_same_run_gives_the_same_files(report, tmp_path):
    for folder in ("a", "b"):
        write_report(tmp_path / folder, report)
    names = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*.*"))
    assert len(names) > 6
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_without_matplotlib_the_numbers_are_there_and_the_way_to_get_figures(report, tmp_path, monkeypatch):
    monkeypatch.setattr(_figures, "is_installed", lambda module: False)
    page = write_report(tmp_path, report).read_text(encoding="utf-8")
    assert not (tmp_path / "figures").exists()
    assert HOW_TO_DRAW in Page(page).text
    assert "F1 $ by size" in page
    assert HOW_TO_DRAW in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_a_full_disk_leaves_the_old_report(report, tmp_path, monkeypatch):
    page = write_report(tmp_path, report)
    before = page.read_bytes()

    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("lopsided._files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_report(tmp_path, report)
    assert page.read_bytes() == before
    assert not list(tmp_path.rglob("*.part"))


def test_a_full_run_says_nothing_of_what_a_quick_one_leaves_out(tmp_path):
    report = run(quick=False, items=["table1"], claims=["X1"])
    page = write_report(tmp_path, report).read_text(encoding="utf-8")
    assert "most of it" not in page
    assert "5 runs of what draws at random" in page
    assert "X2" not in page
    assert report.head.startswith("1 of 67 claims hold; 0 do not")


def test_everything_is_plain_json(report, tmp_path):
    record = json.loads(json.dumps(plain_record(report, tmp_path / "x"), allow_nan=False))
    assert record["claims"] == {
        "holds": 1,
        "does not hold": 1,
        "within noise": 0,
        "cannot be tested here": 2,
        "not asked": 63,
        "all": 67,
    }
    paper = record["papers"][0]
    assert [item["name"] for item in paper["items"]] == list(PAPER.items)
    assert paper["items"][0]["shown"][0]["lines"][1][1][0]["printed"] > 0
    assert len(paper["items"][3]["failed"]) == 3


def test_texts_that_differ_in_an_address_alone_are_one():
    texts = {str(k): f"no route: <Connection object at 0x7f{k:010x}>: refused" for k in range(3)}
    assert group(texts) == {"no route: <Connection object>: refused": ["0", "1", "2"]}
