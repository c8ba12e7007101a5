import csv
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from cli.sources import write_folder
from lopsided import load_rules, make_topics
from lopsided.cli import main

TEXTS, TOPICS = make_topics(240, 8, random_state=2)
LABELS = ["ship" if topic == 0 else f"t{topic}" for topic in TOPICS]
RNG = np.random.default_rng(0)
AGES = RNG.integers(20, 80, 240).tolist()
TOWNS = RNG.choice(["a", "b", "c"], 240).tolist()
RARE = ["yes" if age > 66 else "no" for age in AGES]


@pytest.fixture
def rules(capsys):
    """Return a function that runs the command: code, output, errors."""

    def run(*argv):
        code = main(["rules", *map(str, argv)])
        return code, *capsys.readouterr()

    return run


def write_csv(path, rows, delimiter=","):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    return path


def write_jsonl(path, rows):
    header, *rows = rows
    path.write_text("".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows))
    return path


def write_parquet(path, rows):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame(rows[1:], columns=rows[0]).to_parquet(path)
    return path


TEXT_ROWS = [
    ("id", "body", "topic"),
    *((f"k{i}", t, y) for i, (t, y) in enumerate(zip(TEXTS, LABELS, strict=True))),
]
NUMBER_ROWS = [("age", "town", "rare"), *zip(AGES, TOWNS, RARE, strict=True)]
FORMS = {
    "x.csv": write_csv,
    "x.tsv": lambda path, rows: write_csv(path, rows, "\t"),
    "x.jsonl": write_jsonl,
    "x.parquet": write_parquet,
}


@pytest.fixture
def texts(tmp_path):
    return write_csv(tmp_path / "news.csv", TEXT_ROWS)


@pytest.fixture
def numbers(tmp_path):
    return write_csv(tmp_path / "people.csv", NUMBER_ROWS)


def test_a_list_of_rules(rules, texts):
    code, out, err = rules(texts, "--label", "topic", "--text", "body", "--positive", "ship")
    assert code == 0
    rows = [line.split("\t") for line in out.splitlines()[1:]]
    assert 1 <= len(rows) <= 5
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
    assert all(len(row) == 7 for row in rows)
    assert "Wanted: 'ship', 30 of 240 rows" in err
    assert "judged on 60 others, 8 wanted." in err
    assert "A row counts as 'ship' where " in err
    assert "Together: " in err
    assert "rows held out)." in err


def test_json_and_files_agree(rules, texts, tmp_path):
    files = [tmp_path / "made" / f"rules{suffix}" for suffix in (".html", ".json", ".csv", ".tsv")]
    outs = (part for file in files for part in ("--out", file))
    argv = (texts, "--label", "topic", "--text", "body", "--positive", "ship", "--id", "id")
    code, printed, err = rules(*argv, "--json", *outs)
    assert (code, err) == (0, "")
    said = json.loads(printed)
    html, whole, table, tabs = (file.read_text(encoding="utf-8") for file in files)
    assert said["files"] == [str(file) for file in files]
    assert said["table"]["documents"] == 240
    assert (said["label"], said["text"], said["positive"]) == ("topic", "body", "ship")
    assert json.loads(whole)["rules"] == said["rules"]
    assert load_rules(files[1]).column == "body"
    for text, delimiter in ((table, ","), (tabs, "\t")):
        rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter))
        assert [int(row["holds"]) for row in rows] == [rule["holds"] for rule in said["rules"]]
    assert "<title>Rules for topic = ship of news.csv</title>" in html
    assert html.count("data-rank=") == len(said["cases"])
    assert all(case["id"].startswith("k") for case in said["cases"])
    code, out, err = rules(*argv, "--out", files[0])
    assert code == 0
    assert f"Written: {files[0]}" in err
    assert [line.split("\t")[1] for line in out.splitlines()[1:]] == [
        f"{r['points']:.2f}" for r in said["rules"]
    ]


@pytest.mark.parametrize("name", FORMS)
def test_every_format(rules, tmp_path, name):
    said = []
    for form in ("x.csv", name):
        (tmp_path / form[2:]).mkdir(exist_ok=True)
        text = FORMS[form](tmp_path / form[2:] / form, TEXT_ROWS)
        code, out, err = rules(text, "--label", "topic", "--text", "body", "--positive", "ship", "--json")
        assert (code, err) == (0, "")
        table = FORMS[form](tmp_path / form[2:] / form, NUMBER_ROWS)
        code, numbers, err = rules(table, "--label", "rare", "--json")
        assert (code, err) == (0, "")
        said.append([json.loads(printed)["rules"] for printed in (out, numbers)])
    assert said[0] == said[1]


def test_numbers_and_categories(rules, numbers):
    code, out, err = rules(numbers, "--label", "rare")
    assert code == 0
    assert "Wanted: 'yes' (the rarest of 2 labels)" in err
    assert "Learned from the columns age, town of 180 rows" in err
    assert out.splitlines()[1].split("\t")[2] in ("age > 65", "age > 66")  # nobody to learn from is 66


def test_a_folder_of_classes(rules, tmp_path):
    folder = tmp_path / "mail"
    folder.mkdir()
    for name in sorted(set(LABELS)):
        write_folder(folder / name, [t for t, y in zip(TEXTS, LABELS, strict=True) if y == name])
    code, out, err = rules(folder, "--positive", "ship", "--json", "--out", tmp_path / "page.html")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["n_positives"] == 30
    assert said["judged"]["f1"] > 0.4
    assert all(case["id"].startswith(("ship/", "t")) for case in said["cases"])
    assert "<title>Rules for ship of mail</title>" in (tmp_path / "page.html").read_text()


def test_ris_tags(rules, tmp_path):
    path = tmp_path / "x.ris"
    path.write_text(
        "".join(f"TY  - JOUR\nTI  - {t}\nKW  - {y}\nER  - \n\n" for t, y in zip(TEXTS, LABELS, strict=True))
    )
    code, out, err = rules(path, "--label", "KW", "--positive", "ship", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["n_positives"] == 30


def test_a_text_column_alone_needs_no_name(rules, tmp_path):
    path = write_csv(tmp_path / "x.csv", [("text", "y"), *zip(TEXTS, LABELS, strict=True)])
    named = rules(path, "--label", "y", "--text", "text", "--positive", "ship")
    code, out, err = rules(path, "--label", "y", "--positive", "ship")
    assert (code, out) == named[:2]
    assert "the words of the column 'text'" in err


def test_a_text_column_beside_numbers_is_said_to_be_left_out(rules, tmp_path):
    rows = [(*NUMBER_ROWS[0], "note"), *((*r, t) for r, t in zip(NUMBER_ROWS[1:], TEXTS, strict=True))]
    code, out, err = rules(write_csv(tmp_path / "x.csv", rows), "--label", "rare")
    assert code == 0
    assert out.splitlines()[1].split("\t")[2] in ("age > 65", "age > 66")  # nobody to learn from is 66
    assert "Left out: note (running text)." in err
    assert "--text" in err


def test_seed_share_and_number(rules, texts):
    argv = (texts, "--label", "topic", "--text", "body", "--positive", "ship", "--json")
    first, again, other = (json.loads(rules(*argv, *more)[1]) for more in ((), ("--seed", 0), ("--seed", 5)))
    assert first == again
    assert [case["id"] for case in first["cases"]] != [case["id"] for case in other["cases"]]
    few = json.loads(rules(*argv, "--rules", 1, "--held-out", 0.5)[1])
    assert len(few["rules"]) == 1
    assert few["judged"]["n"] == 120


def test_what_could_not_be_read_is_said(rules, tmp_path):
    path = write_csv(tmp_path / "x.csv", NUMBER_ROWS)
    with open(path, "a") as file:
        file.write("1,2\n")
    page = tmp_path / "page.html"
    code, _, err = rules(path, "--label", "rare", "--out", page)
    assert code == 0
    told = "240 rows, 1 skipped (1 with 2 fields where the header has 3)"
    assert err.startswith(f"lopsided: {path}: {told}\n")
    assert told in page.read_text()


def test_no_data_are_trusted_on_the_terminal(rules, tmp_path):
    evil = "\x1b[2J\x1b]0;x\x07"
    rows = [(f"a{evil}", "y"), *((1 if i % 4 else 2, f"n{evil}" if i % 4 else f"y{evil}") for i in range(80))]
    path = write_jsonl(tmp_path / "x.jsonl", rows)
    code, out, err = rules(path, "--label", "y")
    assert code == 0
    assert "\x1b" not in out + err
    assert "\\x1b[2J" in out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["nothing.csv", "--label", "y"], "no file or folder 'nothing.csv'"),
        (["empty.csv", "--label", "y"], "no rows in 'empty.csv'. A header and a row behind it are needed"),
        (["header.csv", "--label", "y"], "no rows in 'header.csv'"),
        (["header.csv", "--label", "z"], "no column 'z' in header.csv (columns: a, y)"),
        (["news.csv"], "which column holds the classes? Name it with --label"),
        (["news.csv", "--label", "topics"], "no column 'topics' in news.csv (columns: id, body, topic)"),
        (["news.csv", "--label", "topic", "--text", "txt"], "no column 'txt' in news.csv"),
        (["news.csv", "--label", "topic", "--id", "key"], "no column 'key' in news.csv"),
        (["news.csv", "--label", "topic", "--text", "topic"], "--text and --label both name 'topic'"),
        (["news.csv", "--label", "id"], "each of the 240 rows has a label of its own"),
        (["news.csv", "--label", "topic", "--positive", "shup"], "Did you mean 'ship'?"),
        (["one.csv", "--label", "y"], "all 3 rows with a label have the same, 'a'"),
        (["blank.csv", "--label", "y"], "none of the 3 rows has a label"),
        (["alone.csv", "--label", "y"], "'alone.csv' has no column but 'y'"),
        (["constant.csv", "--label", "y"], "no column can be learned from (x: one value)"),
        (["objects.jsonl", "--label", "y"], "no column can be learned from (x: lists or objects)"),
        (["floats.csv", "--label", "y"], "each of the 5 rows has a label of its own"),
        (["picture.png", "--label", "y"], "cannot tell the format of 'picture.png'"),
        (["x.mbox", "--label", "y"], "names a column, and 'x.mbox' is a file of the format mbox"),
        (["plain"], "'plain' has no sub-folders with texts, which would be the classes"),
        (["plain", "--label", "y"], "its sub-folders are the classes. Leave --label out"),
        (["news.csv", "--label", "topic", "--format", "xls"], "unknown format 'xls'"),
        (["news.csv", "--label", "topic", "--out", "news.csv"], "which is read here. Name another file"),
        (["news.csv", "--label", "topic", "--out", "x.pdf"], "--out writes .html, .json, .csv, .tsv"),
        (["news.csv", "--label", "topic", "--out", "plain"], "--out writes .html"),
        (["news.csv", "--label", "topic", "--rules", "0"], "'--rules': 0 is not in the range"),
        (["news.csv", "--label", "topic", "--held-out", "1"], "'--held-out': 1.0 is not in the range 0<x<1"),
        (["news.csv", "--label", "topic", "--seed", "-1"], "--seed"),
        ([], "Missing argument 'TABLE'"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(rules, texts, tmp_path, monkeypatch, argv, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("a,y\n")
    (tmp_path / "one.csv").write_text("x,y\n1,a\n2,a\n3,a\n")
    (tmp_path / "blank.csv").write_text("x,y\n1,\n2,\n3,\n")
    (tmp_path / "alone.csv").write_text("y\na\nb\n")
    (tmp_path / "constant.csv").write_text("x,y\n1,a\n1,b\n1,a\n")
    (tmp_path / "floats.csv").write_text("x,y\n1,.1\n2,.2\n3,.3\n1,.4\n2,.5\n")
    (tmp_path / "objects.jsonl").write_text('{"x": {}, "y": 1}\n{"x": {}, "y": 2}\n{"x": {}, "y": 1}\n')
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (tmp_path / "x.mbox").write_text("From a\n\nhello\n")
    write_folder(tmp_path / "plain", ["a", "b"])
    before = sorted(tmp_path.rglob("*"))
    extra = ["--out", "result.html"] if "--out" not in argv else []
    code, out, err = rules(*argv, *extra)
    assert (code, out) == (2, "")
    assert err.startswith("lopsided: ")
    assert err.count("\n") == 1
    assert words in err
    assert sorted(tmp_path.rglob("*")) == before


def test_the_help_fits_a_screen(rules):
    code, out, _ = rules("--help")
    assert code == 0
    assert len(out.splitlines()) <= 40
    assert "lopsided rules news.csv --label topic --text body --positive ship" in out


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_table_on_a_terminal(texts):
    import pty

    argv = [sys.executable, "-m", "lopsided", "rules", str(texts), "--label", "topic", "--text", "body"]
    argv += ["--positive", "ship", "--rules", "2"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        argv,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "90", "TERM": "dumb"},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the end, on Linux
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert process.wait() == 0
    lines = shown.decode().splitlines()
    header = next(line for line in lines if "points" in line)
    assert header.split() == [
        "no.",
        "points",
        "rule",
        "holds",
        "for",
        "of",
        "them",
        "wanted",
        "precision",
        "lift",
    ]
    assert any("Wanted: 'ship'" in line for line in lines)
    assert any("Together: " in line for line in lines)


def test_two_columns_of_one_name(rules, tmp_path):
    table = tmp_path / "twice.csv"
    table.write_text("a,a,label\n" + "1,2,yes\n3,4,no\n" * 10)
    code, out, err = rules(table, "--label", "label")
    assert (code, out) == (2, "")
    assert "two columns called 'a'" in err


NEW_ROWS = [("town", "age"), ("a", 70), ("never seen", 20), ("", ""), ("b", 68)]


@pytest.fixture
def stored(rules, numbers, tmp_path):
    path = tmp_path / "rules.json"
    code, _, err = rules(numbers, "--label", "rare", "--out", path)
    assert code == 0
    assert f"Written: {path}" in err
    return path


def test_stored_rules_are_applied(rules, stored, tmp_path):
    new = write_csv(tmp_path / "new.csv", NEW_ROWS)
    code, out, err = rules("--apply", stored, new)
    assert code == 0
    assert [line.split("\t")[0] for line in out.splitlines()[1:]] == ["new.csv:2", "new.csv:5"]
    assert "2 of 4 rows are predicted as 'yes'." in err
    assert "A row counts as 'yes' where the rule holds." in err
    outs = [tmp_path / f"predicted{suffix}" for suffix in (".csv", ".tsv", ".json", ".jsonl")]
    code, out, err = rules(
        new, "--apply", stored, "--id", "town", "--json", *(p for o in outs for p in ("--out", o))
    )
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert [row["predicted"] for row in said["rows"]] == [True, False, False, True]
    assert [row["rules"] for row in said["rows"]] == [[1], [], [], [1]]
    assert (said["n"], said["n_predicted"], said["positive"]) == (4, 2, "yes")
    texts = [out.read_text() for out in outs]
    for text, delimiter in zip(texts, ",\t", strict=False):
        rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter))
        assert [row["predicted"] for row in rows] == ["1", "0", "0", "1"]
    assert json.loads(texts[2])["rows"] == said["rows"]
    assert [json.loads(line) for line in texts[3].splitlines()] == said["rows"]


def test_stored_rules_about_words_are_applied(rules, texts, tmp_path):
    argv = (texts, "--label", "topic", "--text", "body", "--positive", "ship")
    rules(*argv, "--out", tmp_path / "rules.json")
    predicted = load_rules(tmp_path / "rules.json").predict(TEXTS)
    code, out, err = rules("--apply", tmp_path / "rules.json", texts, "--json")
    assert (code, err) == (0, "")
    assert [row["predicted"] for row in json.loads(out)["rows"]] == predicted.tolist()
    folder = tmp_path / "new"
    write_folder(folder, TEXTS[:9])
    code, out, err = rules("--apply", tmp_path / "rules.json", folder, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["n_predicted"] == predicted[:9].sum()


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--apply", "none.json", "new.csv"], "none.json"),
        (
            ["--apply", "people.csv", "new.csv"],
            "'people.csv' cannot be read as rules: it is no JSON (line 1)",
        ),
        (["--apply", "rules.json", "other.csv"], "the column age of the rules is missing (columns: town)"),
        (["--apply", "rules.json", "words.csv"], "row 1 has 'old'. Correct the cell, or leave it empty."),
        (["--apply", "rules.json", "new.csv", "--label", "town"], "--label says how rules are learned"),
        (["--apply", "rules.json", "new.csv", "--rules", "5"], "--rules says how rules are learned"),
        (["--apply", "rules.json", "new.csv", "--text", "town"], "are not about words. Leave --text out"),
        (["--apply", "rules.json", "new.csv", "--out", "x.html"], "--out writes .csv, .tsv, .json, .jsonl"),
        (
            ["--apply", "rules.json", "new.csv", "--out", "rules.json"],
            "which is read here. Name another file",
        ),
        (["--apply", "rules.json"], "Missing argument 'TABLE'"),
    ],
)
def test_a_mistake_in_applying_is_one_line(rules, stored, tmp_path, monkeypatch, argv, words):
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "new.csv", NEW_ROWS)
    write_csv(tmp_path / "other.csv", [("town",), ("a",), ("b",)])
    write_csv(tmp_path / "words.csv", [("age",), ("old",), ("young",)])
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    code, out, err = rules(*argv)
    assert (code, out) == (2, "")
    assert err.startswith("lopsided: ")
    assert err.count("\n") == 1
    assert words in err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
