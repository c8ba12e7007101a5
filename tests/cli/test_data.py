import json
import lzma

import pytest

from lopsided.cli import main
from lopsided.datasets import _cache
from lopsided.datasets._layout import encode_file
from lopsided.datasets._registry import DATA_SETS
from lopsided.datasets._table import CsvTable


@pytest.fixture
def empty_machine(monkeypatch, tmp_path):
    monkeypatch.delenv("LOPSIDED_DATA", raising=False)
    monkeypatch.setattr(_cache, "cache_folder", lambda: tmp_path)
    return tmp_path


def put(folder, name, lines):
    path = folder / "uci" / f"{name}.csv.xz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_file(path, CsvTable(DATA_SETS[name].copies[0].fields, lines)))
    return path


def run(capsys, *words):
    code = main(["data", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_list(empty_machine, capsys):
    put(empty_machine, "letter", [])
    code, out, _ = run(capsys, "list")
    assert code == 0
    lines = dict(line.split("\t")[:2] for line in out.splitlines()[1:] if "\t" in line)
    assert lines["letter"] == "cache"
    assert lines["mnist"] == "-"
    assert set(lines) == set(DATA_SETS)


def test_list_json(empty_machine, capsys):
    path = put(empty_machine, "letter", [])
    rows = {row["name"]: row for row in json.loads(run(capsys, "list", "--json")[1])}
    assert rows["letter"]["files"] == [str(path)]
    assert rows["trec07p"]["where"] is None


def put_cleaned_reuters(folder):
    path = folder / DATA_SETS["reuters21578"].copies[1].files[0]
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_file(path, []))


def test_list_says_when_only_a_part_is_at_hand(empty_machine, capsys):
    put_cleaned_reuters(empty_machine)
    lines = dict(line.split("\t")[:2] for line in run(capsys, "list")[1].splitlines()[1:] if "\t" in line)
    assert lines["reuters21578"] == 'cache (only categories="r8" or "r52")'
    rows = {row["name"]: row for row in json.loads(run(capsys, "list", "--json")[1])}
    assert rows["reuters21578"]["where"] == "cache"
    assert rows["reuters21578"]["part"] == 'categories="r8" or "r52"'
    assert rows["letter"]["part"] is None


def test_fetch_refuses_a_header_alone(empty_machine, capsys):
    path = put(empty_machine, "letter", [])
    code, out, err = run(capsys, "fetch", "letter")
    assert (code, out) == (2, "")
    assert err.startswith(
        f"lopsided: {path} does not hold the published set (rows: expected 20,000, found 0)"
    )
    assert err.count("\n") == 1


def test_fetch_what_is_at_hand(empty_machine, capsys, monkeypatch):
    monkeypatch.setattr(_cache, "disagreements", lambda expected, found: [])
    path = put(empty_machine, "letter", [])
    code, out, _ = run(capsys, "fetch", "letter")
    assert code == 0
    assert str(path) in out
    (row,) = json.loads(run(capsys, "fetch", "letter", "letter", "--json")[1])
    assert (row["name"], row["where"]) == ("letter", "cache")


def test_fetch_what_is_never_downloaded(empty_machine, capsys):
    code, out, err = run(capsys, "fetch", "trec07p")
    assert (code, out) == (2, "")
    assert err.startswith("lopsided: trec07p is not at hand")
    assert err.count("\n") == 1


@pytest.mark.parametrize("action", ["fetch", "verify"])
def test_unknown_name_stops_before_any_work(empty_machine, capsys, action):
    code, out, err = run(capsys, action, "letter", "mnits")
    assert (code, out) == (2, "")
    assert err == "lopsided: no data set 'mnits'. Did you mean 'mnist'?\n"


def test_fetch_needs_a_name(capsys):
    assert run(capsys, "fetch")[0] == 2


def test_verify_with_nothing_at_hand_says_so(empty_machine, capsys):
    code, out, _ = run(capsys, "verify")
    assert code == 0
    assert out.count("not at hand") == len(DATA_SETS)
    assert "Nothing to verify" in out


def test_verify_disagreement(empty_machine, capsys):
    put(empty_machine, "letter", ["H" + ",1" * 16])
    code, out, _ = run(capsys, "verify", "letter", "mnist")
    assert code == 1
    assert "rows\t20,000\t1\tDISAGREES" in out
    assert "columns\t17\t17\tagrees" in out
    assert "letter U\t813\tnothing\tDISAGREES" in out
    assert "mnist: not at hand" in out
    assert "1 of 2 data sets at hand" in out


def test_verify_json(empty_machine, capsys):
    put(empty_machine, "letter", ["H" + ",1" * 16])
    code, out, _ = run(capsys, "verify", "letter", "--json")
    (row,) = json.loads(out)
    assert (code, row["agrees"], row["where"]) == (1, False, "cache")
    assert {"name": "rows", "expected": 20000, "found": 1} in row["facts"]


def test_verify_damaged(empty_machine, capsys):
    path = put(empty_machine, "letter", [])
    path.write_bytes(b"damaged")
    code, out, _ = run(capsys, "verify", "letter")
    assert code == 1
    assert "could not be read" in out
    assert "1 damaged" in out


def test_environment_variable_that_names_no_folder(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("LOPSIDED_DATA", str(tmp_path / "nowhere"))
    code, _, err = run(capsys, "list")
    assert code == 2
    assert "is not a folder" in err


def test_table_on_a_terminal(empty_machine, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    _, out, _ = run(capsys, "list")
    assert "at hand" in out  # the header is drawn


def test_a_file_that_no_parser_expected_is_one_line(monkeypatch, tmp_path, capsys):
    """csv.Error is neither an OSError nor a ValueError, and the other sets are still verified."""
    monkeypatch.setenv("LOPSIDED_DATA", str(tmp_path))
    (tmp_path / "uci").mkdir()
    with lzma.open(tmp_path / "uci" / "letter.csv.xz", "wt") as file:
        file.write("x" * 200_000 + "\n")
    assert main(["data", "verify", "letter", "abalone"]) == 1
    out, err = capsys.readouterr()
    assert "letter.csv.xz" in out
    assert "field larger than field limit" in out
    assert "abalone" in out
    assert "Traceback" not in out + err
