"""No command lets data drive the terminal: neither names of files and columns, nor cells, nor subjects."""

import csv
import io
import re

import pytest

from lopsided.cli import main

CLEAR, TITLE, CSI, TURN = "\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\u202e"
EVIL = f"{CLEAR}{TITLE}{CSI}{TURN}\x08\x00"
DRIVES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def table(tmp_path):
    """A table whose name, header and cells are hostile: 60 rows, of which every third is about ships."""
    path = tmp_path / f"da{CLEAR}ta.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "label", f"head{CLEAR}er", f"{TITLE}{CSI}"])
        for i in range(60):
            words = f"ship harbour sea {i}" if i % 3 == 0 else f"wheat corn field {i}"
            writer.writerow([f"{i}{CSI}", f"{words} {CLEAR}evil{TURN}", f"{i % 3 == 0:d}", f"a{TITLE}", i])
    return path


@pytest.fixture
def folders(tmp_path):
    """Folders of texts with hostile names of files."""
    for topic, words in (("ships", "ship harbour sea"), ("other", "wheat corn field")):
        (tmp_path / topic).mkdir()
        for i in range(12):
            (tmp_path / topic / f"{i}{CLEAR}{CSI}.txt").write_text(f"{words} {i} {CLEAR}{TURN} {words}")
    return tmp_path / "ships", tmp_path / "other"


COMMANDS = {
    "find": "find {ships} {all}",
    "find a column": "find {table} {table} --text no --id id",
    "find no file": "find {evil} {evil}",
    "unexpected": "unexpected {ships} {other}",
    "unexpected, a column": "unexpected {table} {table} --text {column}",
    "rules": "rules {table} --label label --text text",
    "rules, a column": "rules {table} --label {column}",
    "rules, a class": "rules {table} --label header --text text --positive {column}",
    "compare": "compare {table} --label {column}",
    "compare, no file": "compare {evil} --label label",
    "label": "label {table} --text {column}",
    "label, no file": "label {evil}",
    "simulate": "simulate {table} --label {column}",
    "simulate, no file": "simulate {evil} --label label",
    "filter": "filter run {evil} --hidden {evil}",
    "filter learn": "filter learn --ham {evil}",
    "filter inspect": "filter inspect --state {evil}",
    "filter lmtp": "filter lmtp --listen {evil} --next {evil} --states {evil}",
    "filter set": "filter train --learner {column} --state {evil}",
    "nonsense": "{column}",
    "an option": "find --{column}",
    "data": "data fetch {column}",
    "bench": "bench {column}",
    "reproduce": "reproduce {column}",
    "serve": "serve {evil}/x.db",
    "label a project": "label {evil}.db",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_drives_the_terminal(name, table, folders, tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("LOPSIDED_STATE", str(tmp_path / "state"))
    place = {
        "ships": folders[0],
        "other": folders[1],
        "all": tmp_path,
        "table": table,
        "evil": tmp_path / f"no{CLEAR}{TITLE}{CSI}",
        "column": EVIL.replace("\x00", ""),
    }
    argv = [word.format_map(place) for word in COMMANDS[name].split()]
    code = main(argv)
    out, err = capfd.readouterr()
    assert out or err
    assert code in (0, 2, 75)
    assert not DRIVES.search(out + err), repr(DRIVES.search(out + err)) + (out + err)[-3000:]


def test_labels_and_questions(table, capfd, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\nn\nq\n"))
    main(["label", str(table), "--text", "text"])
    out, err = capfd.readouterr()
    assert "evil" in out + err
    assert not DRIVES.search(out + err)
