"""Each script of the gallery runs, prints what it promises and draws its picture."""

import re
import runpy
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import lopsided
from lopsided.datasets import DataUnavailable

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("plot_*.py"))
MADE_UP = ("plot_mapping_convergence.py",)  # its data always are


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return a function that runs a script in this process, which has loaded the libraries once."""
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    plt.switch_backend("Agg")

    def run_script(script, *, without_data=False):
        picture = tmp_path / "picture.png"
        monkeypatch.setattr(sys, "argv", [str(script), str(picture)])
        if without_data:
            for name in lopsided.__all__:
                if name.startswith("fetch_"):
                    monkeypatch.setattr(lopsided, name, _unreachable)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                runpy.run_path(str(script), run_name="__main__")
            finally:
                plt.close("all")
        assert is_picture(picture)
        return capsys.readouterr().out

    return run_script


def _unreachable(**_):
    raise DataUnavailable("nothing can be reached.")


def is_picture(path):
    return path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and path.stat().st_size > 10_000


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_runs_without_data(script, run):
    printed = run(script, without_data=True)
    for words in ("NOTICE", "nothing can be reached"):
        assert (words in printed) == (script.name not in MADE_UP)


def test_a_script_runs_as_a_user_starts_it(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    picture = tmp_path / "picture.png"
    command = [sys.executable, "-W", "error", EXAMPLES / MADE_UP[0], picture]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert is_picture(picture)


@pytest.mark.slow
def test_300_questions_are_worth_all_labels(need, run):
    need("reuters21578")
    printed = run(EXAMPLES / "plot_label_a_rare_topic.py")
    assert "NOTICE" not in printed
    assert "wheat: 212 of 7,770 documents; scores on 3,019 others" in printed
    asked, chance, everything = (
        [float(number.replace(",", "")) for number in re.findall(r"[\d.,]+", line.split(name)[1])]
        for name in ("300 questions", "300 random labels", "all labels")
        for line in printed.splitlines()
        if name in line
    )
    assert asked[0] == chance[0] == 300
    assert everything[:2] == [7770, 212]
    assert asked[1] > 5 * chance[1]  # most random labels are not about wheat
    for score in (2, 3, 4):  # F1, g-mean, PRBEP
        assert asked[score] > max(chance[score], everything[score] - 0.05)


def numbers_of(printed):
    """The numbers behind each name that begins a line."""
    rows = {}
    for line in printed.splitlines():
        name, *numbers = re.split(r"\s{2,}", line.strip())
        if numbers and all(re.fullmatch(r"[\d.,]+", number) for number in numbers):
            rows[name] = [float(number.replace(",", "")) for number in numbers]
    return rows


def test_the_perceptron_ratchets_and_is_cured(need, run):
    need("spamassassin")
    printed = run(EXAMPLES / "plot_the_ratchet_and_its_cure.py")
    assert "NOTICE" not in printed
    assert "4,150 ham among 6,046 messages" in printed
    rows = numbers_of(printed)
    f1 = {name: row[0] for name, row in rows.items()}
    assert f1["perceptron"] < 0.5
    assert min(f1["with a margin of 2"], f1["with apple tasting"]) > 0.9
    assert rows["all labels known"][3] == 6046


@pytest.mark.slow
def test_the_inbox_is_enough(need, run):
    need("spamassassin")
    printed = run(EXAMPLES / "plot_filter_a_stream_of_mail.py")
    assert "6,046 messages, 4,150 of them ham" in printed
    rows = numbers_of(printed)
    inbox, everything = rows["the inbox alone"], rows["everything"]
    assert inbox[0] < 0.75 * everything[0] == 0.75 * 6046  # labels
    assert inbox[1] > everything[1] - 0.02  # F1
    assert inbox[2] < 1.5 * everything[2]  # ham lost
    assert inbox[2] + inbox[3] < 0.05 * 6046


@pytest.mark.slow
def test_a_rare_class_needs_costs(need, run):
    need("reuters21578")
    printed = run(EXAMPLES / "plot_a_minority_class_with_costs.py")
    assert "ship: 197 of 8,846 documents" in printed
    perceptron, svm = printed.split("Relaxed online SVM")
    for part, factor in ((perceptron, 1.5), (svm, 5)):
        for name, (plain, best, at, *_) in numbers_of(part).items():
            assert best > factor * plain, name
            assert at > 0
    assert numbers_of(perceptron)["no explorer"][1] > 0.5


@pytest.mark.slow
def test_faculty_pages_are_found_from_fifty(need, run):
    need("webkb")
    printed = run(EXAMPLES / "plot_find_faculty_pages.py")
    assert "50 known faculty pages, 1,074 among 8,232 others" in printed
    rows = numbers_of(printed)
    own, estimated, high = (
        rows[name] for name in ("above the SVM threshold", "as many as estimated", "the upper end")
    )
    assert own[2] < 0.1  # recall
    assert high[0] >= 1074  # the upper end holds
    assert estimated[2] < high[2]
    assert estimated[3] > 0.5  # F1; of pages at random it would be 0.2


def test_the_boundary_closes_in(run):
    rows = numbers_of(run(EXAMPLES / "plot_mapping_convergence.py"))
    f1 = {name: row[0] for name, row in rows.items()}
    assert f1["SVMC: positives and unlabeled"] > f1["SVM with known negatives"] - 0.02
    assert f1["One-class SVM, the same kernel"] < 0.9
    assert f1["One-class SVM, a narrower kernel"] < 0.5


@pytest.mark.slow
def test_messages_of_other_newsgroups_are_found(need, run):
    need("newsgroups")
    printed = run(EXAMPLES / "plot_unexpected_newsgroup.py")
    assert "NOTICE" not in printed
    assert "60 of them of other groups" in printed
    rows = numbers_of(printed)
    ours = rows["find_unexpected"]
    for name in ("the same by LGN", "one-class SVM"):
        assert ours[3] > rows[name][3] + 0.15  # F1
        assert ours[4] > rows[name][4] + 0.1  # AUC
    assert ours[4] > 0.93


@pytest.mark.slow
def test_new_attacks_stand_out(need, run):
    need("kdd99")
    printed = run(EXAMPLES / "plot_new_attacks.py")
    assert "NOTICE" not in printed
    assert re.search(r"known connections of 15 types; 3,000 new ones, \d+ of \d+ new types", printed)
    rows = numbers_of(printed)
    for name in ("one-class SVM", "local outlier factor"):
        assert rows["UnexpectedDetector"][3] > rows[name][3] + 0.2  # F1
        assert rows["UnexpectedDetector"][4] > rows[name][4] + 0.1  # AUC


@pytest.mark.slow
def test_a_few_words_decide(need, run):
    need("reuters21578")
    printed = run(EXAMPLES / "plot_rules_reuters.py")
    assert "NOTICE" not in printed
    assert "ship: 286 of 12,902 stories" in printed
    rows = numbers_of(printed)
    assert list(rows) == ["ship", "gold", "cocoa", "tin", "platinum"]
    for name, (_, n_rules, _, recall, f1) in rows.items():
        assert n_rules <= 5
        assert recall > 0.5
        assert f1 > 0.5, name
    assert rows["platinum"][:2] == [12, 1]  # its name is all it needs
    assert re.search(r"'platinum' +holds for", printed)


@pytest.mark.slow
def test_three_thresholds_cut_out_the_rare_rows(need, run):
    need("shuttle")
    printed = run(EXAMPLES / "plot_rules_table.py")
    assert "NOTICE" not in printed
    assert "Wanted: 'Fpv.Close', 50 of 58,000 rows" in printed
    right, precision, recall = re.search(
        r"together +[\d,]+ +([\d,]+) +([\d.]+) +recall ([\d.]+)", printed
    ).groups()
    assert int(right) == 12  # of 12 that were held out
    assert float(precision) > 0.8
    assert float(recall) == 1


def test_the_gallery_lists_its_scripts():
    listed = re.findall(r"`(plot_\w+\.py)`", (EXAMPLES / "README.md").read_text(encoding="utf-8"))
    assert listed == [script.name for script in SCRIPTS]
