import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.made_up import PAPER
from lopsided.cli import _reproduce, main
from lopsided.experiments._summary import ALL, ON_OWN, UNCHANGED
from lopsided.runs import Results, write_archive

TESTS = Path(__file__).parents[1]
OTHER = replace(PAPER, id="other-2001", title="Another", items={"table9": PAPER.items["table1"]}, claims={})


@pytest.fixture
def papers(monkeypatch):
    known = {paper.id: paper for paper in (PAPER, OTHER)}
    monkeypatch.setattr(_reproduce, "PAPERS", {id_: len(paper.claims) for id_, paper in known.items()})
    monkeypatch.setattr(_reproduce, "find_paper", known.get)


@pytest.fixture
def reproduce(papers, capsys, tmp_path):
    """Return a function that runs the command: code, output, errors."""

    def run(*argv, out=tmp_path / "out"):
        code = main(["reproduce", "--jobs", "1", "--out", str(out), *argv])
        return code, *capsys.readouterr()

    run.out = tmp_path / "out"
    return run


def test_all_papers_give_a_report(reproduce):
    code, out, err = reproduce()
    assert code == 1  # some units failed
    assert "X1 holds: Squares are positive." in out
    assert "== other-2001 table9:" in out
    assert f"Report: {reproduce.out / 'report.html'}" in out
    assert "made-up-1999 rocks: 3 units, 0 s, 3 skipped" in err
    assert "made-up-1999 broken: 3 units, 0 s, 3 failed" in err
    assert err.splitlines()[-1].startswith("4 units failed, 3 units skipped: the report says why")
    page = (reproduce.out / "report.html").read_text(encoding="utf-8")
    assert "not complete" not in page
    assert "lopsided reproduce" in page
    assert {"report.html", "report.md", "figures", "tables", "results.sqlite"} <= {
        path.name for path in reproduce.out.iterdir()
    }


def test_the_headline_counts_the_claims_of_the_papers_that_were_asked_for(reproduce, monkeypatch):
    monkeypatch.setattr(_reproduce, "PAPERS", {"made-up-1999": 4, "other-2001": 9})
    _, out, _ = reproduce("made-up-1999")
    assert "\n1 of 4 claims hold; 1 do not, 0 are within noise, 2 cannot be tested here.\n" in out
    assert "\nOn the papers' own data alone: 1 of 2 hold; " in out
    report = (reproduce.out / "report.md").read_text(encoding="utf-8")
    assert "**1 of 4 claims hold; " in report
    assert "other-2001" not in report
    _, out, _ = reproduce("--claim", "X1", out=reproduce.out / "one")
    assert (
        "1 of 4 claims hold; 0 do not, 0 are within noise, 0 cannot be tested here, 3 were not asked" in out
    )
    _, out, _ = reproduce(out=reproduce.out / "both")
    assert "1 of 13 claims hold; " in out


def test_everything_is_there_as_json(reproduce):
    code, out, _ = reproduce("made-up-1999", "--json")
    record = json.loads(out)
    assert code == 1  # some units failed
    assert record["claims"]["holds"] == 1
    assert list(record["bases"]) == [ALL, ON_OWN, UNCHANGED]
    assert record["bases"][UNCHANGED]["holds"] == 0  # the rule of X1 was changed
    assert record["quick"] is True
    assert record["report"] == str(reproduce.out / "report.html")
    assert record["versions"]["lopsided"]
    (paper,) = record["papers"]
    first, second = paper["claims"][:2]
    assert first["changed"][0]["why"] == "one was too much"
    assert (first["basis"], first["on own data"]) == ("stand-in", "holds")
    assert re.fullmatch(r"The sum is \d+\.\d\.", second["why"])
    assert {claim["id"]: claim["verdict"] for claim in paper["claims"]}["X2"] == "does not hold"
    assert [item["name"] for item in paper["items"]] == list(PAPER.items)
    assert paper["items"][0]["shown"][0]["kind"] == "table"


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (
            ["made-up-1998"],
            "no paper 'made-up-1998'. Did you mean 'made-up-1999'? There are: made-up-1999, other",
        ),
        (
            ["--table", "7"],
            "no 'table7'. made-up-1999 has table1, figure2, rocks, broken, hollow; other-2001 has",
        ),
        (["other-2001", "--table", "1"], "no 'table1'. other-2001 has table9."),
        (["--item", "rock"], "no 'rock'. Did you mean 'rocks'?"),
        (["--claim", "X9"], "no claim 'X9'. There are: X1, X2, X3, X4."),
        (["--claim", "XX2"], "no claim 'XX2'. Did you mean 'X2'?"),
        (["other-2001", "--claim", "X1"], "X1 is a claim of made-up-1999. Name that paper, or none."),
        (["other-2001", "--claim", "Y1"], "no claim 'Y1'. There are none."),
        (["--seeds", "0"], "0 is not in the range"),
        (["--jobs", "0"], "'--jobs': 0 is not in the range x>=1"),
    ],
)
def test_what_is_misspelt_is_one_line_with_what_there_is(reproduce, argv, words):
    code, out, err = reproduce(*argv)
    assert code == 2
    assert out == ""
    assert words in err
    assert len(err.splitlines()) == 1
    assert not reproduce.out.exists() or not list(reproduce.out.glob("report.*"))


def test_a_table_brings_the_claims_that_it_alone_can_decide(reproduce):
    _, out, err = reproduce("--table", "1")
    assert re.findall(r"^(X\d) ", out, flags=re.MULTILINE) == ["X1", "X4"]
    assert "figure2" not in err
    assert "other-2001" not in err


def test_what_is_skipped_is_no_failure(reproduce):
    code, _, err = reproduce("--item", "rocks")
    assert code == 0
    assert "3 units skipped" in err


def test_a_claim_brings_what_it_needs(reproduce):
    _, out, err = reproduce("--claim", "x2")
    assert re.findall(r"^(X\d) ", out, flags=re.MULTILINE) == ["X2"]
    assert [line.split()[1] for line in err.splitlines()] == ["table1:", "figure2:"]


def test_full_and_seeds_say_how_many_runs(reproduce):
    assert json.loads(reproduce("--table", "1", "--full", "--json")[1])["papers"][0]["runs"] == 5
    assert json.loads(reproduce("--table", "1", "--seeds", "2", "--json")[1])["papers"][0]["runs"] == 2


def test_a_damaged_results_file_is_moved_aside_and_said(reproduce):
    reproduce.out.mkdir()
    (reproduce.out / "results.sqlite").write_text("precious")
    code, _, err = reproduce("--table", "1")
    assert code == 0
    assert "moved to" in err.splitlines()[0]
    assert (reproduce.out / "results.sqlite.damaged-1").read_text() == "precious"


def test_results_of_another_version_are_said(reproduce):
    reproduce("--table", "1")
    with Results(reproduce.out / "results.sqlite") as results:
        results._connection.execute("update results set version = '0.0.1'")
        results._connection.commit()
    _, _, err = reproduce("--table", "1")
    assert "3 results in" in err
    assert "of lopsided 0.0.1; give another --out" in err


def test_a_folder_that_cannot_be_is_one_line(reproduce, tmp_path):
    (tmp_path / "file").touch()
    code, _, err = reproduce("--table", "1", out=tmp_path / "file" / "deeper")
    assert code == 2
    assert len(err.splitlines()) == 1


def test_a_disk_that_fills_up_keeps_what_was_done_and_leaves_a_report(reproduce, monkeypatch):
    enter = Results.enter

    def full(self, key, *args, **kwargs):
        if "miss" in key:
            raise OSError(
                "cannot use results.sqlite: database or disk is full. What was entered before is kept"
            )
        enter(self, key, *args, **kwargs)

    monkeypatch.setattr(Results, "enter", full)
    code, _, err = reproduce()
    assert code == 2
    assert err.splitlines()[-1].startswith("lopsided: cannot use results.sqlite: database or disk is full")
    page = (reproduce.out / "report.html").read_text(encoding="utf-8")
    assert "This run is not complete: ended by an error; not finished: made-up-1999, other-2001." in page
    assert "X1" in page


def no_room(folder, report):
    raise OSError(28, "No space left on device")


def test_no_room_for_the_report_is_said_with_what_is_kept(reproduce, monkeypatch):
    monkeypatch.setattr(_reproduce, "write_report", no_room)
    code, _, err = reproduce("--table", "1")
    assert code == 2
    assert err.splitlines()[-1] == (
        f"lopsided: the report cannot be written into {reproduce.out}: No space left on device. What was "
        "computed is kept; mend this and run it again."
    )


def test_what_ended_a_run_is_not_hidden_by_a_report_that_there_is_no_room_for(reproduce, monkeypatch):
    def full(self, key, *args, **kwargs):
        raise OSError("cannot use results.sqlite: database or disk is full.")

    reproduce("--table", "1")
    monkeypatch.setattr(Results, "enter", full)
    monkeypatch.setattr(_reproduce, "write_report", no_room)
    code, _, err = reproduce()
    assert code == 2
    assert err.splitlines()[-1] == "lopsided: cannot use results.sqlite: database or disk is full."


def test_a_verdict_says_what_it_had_to_do_without(reproduce):
    _, out, _ = reproduce("made-up-1999")
    lines = out.splitlines()
    (untested,) = (i for i, line in enumerate(lines) if line.startswith("X3 "))
    assert lines[untested + 2 : untested + 4] == ["    why: needs rocks", "    missing: 3 skipped in rocks"]


def test_the_help_fits_one_screen(reproduce, capsys):
    assert main(["reproduce", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 34
    assert max(map(len, lines)) <= 80


# ---- interrupted

SLOW = """
import sys
from dataclasses import replace

from lopsided.cli import _reproduce, main
from lopsided.experiments._summary import ALL, ON_OWN, UNCHANGED
from lopsided.experiments import Grid, Item
from experiments.made_up import PAPER, show_table
from runs.work import logged

log = sys.argv[1]
slow = Item(
    Grid(logged, log=(log,), seed=tuple(range(40)), seconds=(0.1,)),
    show_table,
    lambda result: {"value": result.value},
    "slow",
)
paper = replace(PAPER, items={"table1": PAPER.items["table1"], "slow": slow})
_reproduce.PAPERS = {paper.id: len(paper.claims)}
_reproduce.find_paper = lambda id_: paper

if __name__ == "__main__":
    sys.exit(main(["reproduce", *sys.argv[2:]]))
"""


@pytest.mark.parametrize("n_jobs", ["1", "2"])
def test_ctrl_c_is_one_line_and_the_same_call_goes_on(tmp_path, n_jobs):
    script, log, out = tmp_path / "run.py", tmp_path / "log", tmp_path / "out"
    script.write_text(SLOW, encoding="utf-8")
    command = [sys.executable, str(script), str(log), "--jobs", n_jobs, "--out", str(out)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
    run = subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    end = time.monotonic() + 200
    while not log.exists() or len(log.read_text().splitlines()) < 6:
        assert time.monotonic() < end
        assert run.poll() is None
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: workers get it, too
    _, err = run.communicate(timeout=120)
    assert run.returncode == 130
    assert [line for line in err.splitlines() if "units" not in line] == [
        f"lopsided: interrupted; what was done is kept in {out}: the same call goes on from there"
    ]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "This run is not complete: interrupted" in page
    assert "X1" in page  # the table that was there has its verdict
    with Results(out / "results.sqlite") as results:
        before = len(results)
    n_done = len(log.read_text().splitlines())
    again = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert "Report:" in again.stdout
    assert len(log.read_text().splitlines()) - n_done == 43 - before
    assert "not complete" not in (out / "report.html").read_text(encoding="utf-8")


@pytest.fixture
def report(reproduce, capsys):
    """Return a function that writes a report of kept results: code, output, errors."""

    def run(*argv, kept=reproduce.out):
        code = main(["reproduce", "--report", str(kept), *argv])
        return code, *capsys.readouterr()

    return run


def _texts(folder):
    files = [path for path in folder.rglob("*") if path.suffix in (".md", ".csv", ".svg", ".html")]
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}


def test_a_report_of_kept_results_is_the_same(reproduce, report, monkeypatch):
    reproduce("made-up-1999", "--seeds", "2")
    written = _texts(reproduce.out)
    for name in ("report.html", "report.md"):
        (reproduce.out / name).unlink()
    monkeypatch.setattr("lopsided.runs._runner.perform", None)  # computes nothing
    code, out, _ = report("made-up-1999")
    assert code == 1  # what failed is kept, too
    assert "X1 holds" in out
    assert _texts(reproduce.out) == written


def test_a_report_of_an_archive_is_the_same(reproduce, report, tmp_path):
    reproduce("made-up-1999")
    archive = tmp_path / "archive"
    with Results(reproduce.out / "results.sqlite") as results:
        write_archive(results, archive / "units")
    (archive / "run.json").write_bytes((reproduce.out / "run.json").read_bytes())
    other = tmp_path / "other"
    report("made-up-1999", "--out", str(other), kept=archive)
    assert _texts(other) == _texts(reproduce.out)
    assert not _texts(archive)


def test_a_report_says_what_was_not_computed(reproduce, report):
    reproduce("made-up-1999", "--table", "1")
    code, out, err = report("made-up-1999", "--item", "rocks")
    assert code == 0
    assert "This unit has no kept result." in out
    assert "skipped" in err
    assert "the report says why\n" in err  # and not that it would be tried again


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--full"], "--report computes nothing, so it takes no --quick/--full"),
        (["--seeds", "3"], "takes no --seeds"),
        (["--jobs", "3"], "takes no --jobs"),
        (["--dask", "tcp://x:1"], "takes no --dask"),
        ([], "no kept results in .*: run.json is missing"),
    ],
)
def test_a_report_of_nothing(report, argv, words):
    code, _, err = report(*argv)
    assert code == 2
    assert re.search(words, err), err


def test_a_damaged_description_of_a_run(reproduce, report):
    reproduce("made-up-1999", "--table", "1")
    (reproduce.out / "run.json").write_text('{"command": 1}')
    code, _, err = report()
    assert code == 2
    assert "does not describe a run" in err
    assert len(err.splitlines()) == 1
