"""No cell of a table that a command writes is computed by a spreadsheet, whatever delimiter it expects."""

import csv
import io
import re

import pytest

from lopsided.cli import main

FORMULA = re.compile(r"[ ]*[=+\-@\t\r]")
NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?")
EVIL = ("=1+1", "foo;=1+1", "foo\t=1+1", "foo\n@SUM(A1)", 'a"b;+1', "-2+3", " =1", "x\r=1")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "data.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "label", "=head", "a;=b"])
        for i in range(80):
            evil = EVIL[i % len(EVIL)]
            words = "ship harbour sea" if i % 4 == 0 else "wheat corn field"
            writer.writerow([f"{evil}{i}", f"{words} {i} {evil}", f"{i % 4 == 0:d}", evil, evil])
    return path


@pytest.fixture
def ships(tmp_path):
    path = tmp_path / "ships.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["id", "text"], *([i, f"ship harbour sea {i}"] for i in range(20))])
    return path


COMMANDS = {
    "find": "find {ships} {table} --id id --out {out}",
    "unexpected": "unexpected {ships} {table} --id id --out {out}",
    "rules": "rules {table} --label label --text text --out {out}",
    "label": "label {table} --text text --export {out}",
}


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_cell_is_a_formula(name, suffix, table, ships, tmp_path, monkeypatch, capsys):
    out = tmp_path / f"out{suffix}"
    monkeypatch.setattr("sys.stdin", io.StringIO("y\nn\nq\n"))
    place = {"table": table, "ships": ships, "out": out}
    assert main([word.format_map(place) for word in COMMANDS[name].split()]) == 0, capsys.readouterr().err
    check(out)


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_predictions_of_rules_are_no_formulas(suffix, table, tmp_path, capsys):
    rules, out = tmp_path / "rules.json", tmp_path / f"out{suffix}"
    assert main(["rules", str(table), "--label", "label", "--text", "text", "--out", str(rules)]) == 0
    assert main(["rules", "--apply", str(rules), str(table), "--out", str(out)]) == 0, capsys.readouterr().err
    check(out)


def check(path):
    text = path.read_bytes().decode()
    for delimiter in ",;\t":
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        assert len(rows) > 1
        for cell in (cell for row in rows for cell in row):
            assert NUMBER.fullmatch(cell) or not FORMULA.match(cell), (delimiter, cell)
