import json

import pytest

from lopsided.cli import _panel, main
from lopsided.runs import Results, write_archive

_CALL = ["bench", "panel", "rules", "--half", "tune", "--only", "tables/glass:7", "--draws", "2"]


@pytest.fixture
def kept(need, tmp_path, capsys):
    """The folder of a run."""
    need("glass")
    assert main([*_CALL, "--out", str(tmp_path / "run")]) == 0
    assert "glass: 7" in capsys.readouterr().out
    return tmp_path / "run"


def test_a_report_from_kept_results_is_the_page_of_the_run(kept, tmp_path):
    call = ["bench", "panel", "rules", "--half", "tune", "--only", "tables/glass:7"]
    assert main([*call, "--report", str(kept), "--out", str(tmp_path / "report")]) == 0
    page = (kept / "panel.md").read_text(encoding="utf-8")
    assert "glass: 7" in page
    assert (tmp_path / "report" / "panel.md").read_text(encoding="utf-8") == page
    assert [path.name for path in (tmp_path / "report").iterdir()] == ["panel.md"]


def test_an_archive_stands_in_for_the_file_of_results(kept, tmp_path):
    with Results(kept / "results.sqlite") as results:
        write_archive(results, tmp_path / "archive" / "units")
    (tmp_path / "archive" / "run.json").write_bytes((kept / "run.json").read_bytes())
    assert main(["bench", "panel", "--report", str(tmp_path / "archive"), "--out", str(tmp_path)]) == 0
    page = (tmp_path / "panel.md").read_text(encoding="utf-8")
    assert page.count("\n## ") == 1  # a regime without results has no part
    assert "## A few readable rules" in page


@pytest.mark.parametrize("facts", ["", "[]", "{}", json.dumps({"command": "lopsided bench panel"})])
def test_a_folder_that_holds_no_run_is_refused(tmp_path, capsys, facts):
    (tmp_path / "run.json").write_text(facts)
    assert main(["bench", "panel", "--report", str(tmp_path)]) == 2
    assert "does not describe a run of the panel" in capsys.readouterr().err


def test_a_report_computes_nothing(tmp_path, capsys):
    assert main(["bench", "panel", "--report", str(tmp_path), "--draws", "3"]) == 2
    assert "--report computes nothing, so it takes no --draws" in capsys.readouterr().err


def test_an_unknown_regime_is_named(capsys):
    assert main(["bench", "panel", "rear"]) == 2
    assert "no regime 'rear'. There are: rare, active" in capsys.readouterr().err


def test_names_with_a_comma_are_found(monkeypatch, capsys):
    asked = []

    def run_panel(name, source, *, halves, n_draws, only):
        asked.extend(only)
        raise ValueError("enough.")

    monkeypatch.setattr(_panel, "run_panel", run_panel)
    assert main(["bench", "panel", "unexpected", "--only", "glass, 2 known,nonsense"]) == 2
    assert asked == ["glass, 2 known", "nonsense"]
    assert "enough." in capsys.readouterr().err
