import csv
import io
import json

import numpy as np
import pytest

from cli.sources import FORMS, write_folder
from lopsided.cli import main
from reference.strange_texts import make_texts

RNG = np.random.default_rng(0)
KNOWN = [text for topic in range(3) for text in make_texts(topic, 70, RNG)]
CLASSES = [f"topic {topic}" for topic in range(3) for _ in range(70)]
EXPECTED = [text for topic in range(3) for text in make_texts(topic, 30, RNG)]
STRANGE = [text for topic in range(3, 9) for text in make_texts(topic, 2, RNG)]
NEW = STRANGE + EXPECTED


@pytest.fixture
def run(capsys):
    """Return a function that runs the command: code, output, errors."""

    def run(*argv):
        code = main(["unexpected", *map(str, argv)])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def folders(tmp_path):
    """Known texts in a sub-folder a class, and the new ones."""
    known = tmp_path / "known"
    known.mkdir()
    for name in sorted(set(CLASSES)):
        write_folder(known / name, [t for t, c in zip(KNOWN, CLASSES, strict=True) if c == name])
    return known, write_folder(tmp_path / "new", NEW)


def write_labeled(path, labels=CLASSES, column="class"):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", column), *zip(KNOWN, labels, strict=True)])
    return path


def is_strange(name):
    """Strange texts stand first among the new ones, whatever they are read from."""
    return int("".join(c for c in name if c.isdigit())) < len(STRANGE)


def test_folders(run, folders):
    code, out, err = run(*folders)
    assert code == 0
    rows = [line.split("\t") for line in out.splitlines()[1:] if "\t" in line]
    assert [int(row[0]) for row in rows] == list(range(1, 21))
    assert all(is_strange(row[-3]) for row in rows[:10])
    assert all(row[-1] for row in rows[:10])
    assert f"{len(NEW)} texts compared with {len(KNOWN)} known ones of 3 classes; " in err
    assert " flagged as unexpected at a false-discovery rate of 0.3, which holds on average" in err
    assert "Listed: 20. Over the line (score 0): " in err


@pytest.mark.parametrize("method", ["auto", "lgn"])
def test_json_and_files_agree(run, folders, tmp_path, method):
    out = tmp_path / "made" / "list"
    files = [out.with_suffix(suffix) for suffix in (".html", ".csv", ".tsv", ".json", ".jsonl")]
    outs = (part for file in files for part in ("--out", file))
    code, printed, err = run(*folders, "--json", "--method", method, *outs)
    assert (code, err) == (0, "")
    said = json.loads(printed)
    html, table, tabs, whole, lines = (file.read_text(encoding="utf-8") for file in files)
    assert said["known"]["documents"] == len(KNOWN)
    assert said["classes"] == {name: CLASSES.count(name) for name in set(CLASSES)}
    assert len(said["records"]) == said["n_ranked"] == len(NEW)
    assert said["n_flagged"] == sum(record["flagged"] for record in said["records"])
    assert all((record["pvalue"] is None) == (method == "lgn") for record in said["records"])
    written = [json.loads(line) for line in lines.splitlines()]
    assert json.loads(whole)["records"] == written
    assert [one | {"text": ""} for one in written] == [one | {"text": ""} for one in said["records"]]
    for text, delimiter in ((table, ","), (tabs, "\t")):
        rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter))
        assert [row["id"] for row in rows] == [record["id"] for record in said["records"]]
        assert [row["flagged"] for row in rows] == [str(int(r["flagged"])) for r in said["records"]]
    assert html.count("data-rank=") == len(NEW)
    assert html.count('class="badge"') == said["n_flagged"]
    assert "<title>Unexpected in new</title>" in html


@pytest.mark.parametrize(("name", "write"), FORMS)
def test_every_format(run, folders, tmp_path, name, write):
    (tmp_path / "k").mkdir()
    (tmp_path / "n").mkdir()
    known, new = write(tmp_path / "k" / name, KNOWN), write(tmp_path / "n" / name, NEW)
    for argv, n_classes in (((folders[0], new), 3), ((known, folders[1]), 1)):
        code, out, err = run(*argv, "--json")
        assert (code, err) == (0, "")
        said = json.loads(out)
        assert len(said["classes"]) == n_classes
        assert said["n_ranked"] == len(NEW)
        best = [record["text"] for record in said["records"][:8]]
        strange = [" ".join(text.split()) for text in STRANGE]
        assert sum(any(text.strip("… ")[25:90] in other for other in strange) for text in best) >= 7


def test_classes_of_a_table(run, folders, tmp_path):
    whole = run(*folders, "--json")[1]
    said = json.loads(run(write_labeled(tmp_path / "k.csv"), folders[1], "--label", "class", "--json")[1])
    assert said["classes"] == json.loads(whole)["classes"]
    assert said["records"] == json.loads(whole)["records"]
    without = json.loads(run(tmp_path / "k.csv", folders[1], "--json")[1])
    assert without["classes"] == {"": len(KNOWN)}


def test_known_texts_without_a_class_are_not_used(run, folders, tmp_path):
    labels = ["" if i < 4 else name for i, name in enumerate(CLASSES)]
    code, _, err = run(write_labeled(tmp_path / "k.csv", labels), folders[1], "--label", "class")
    assert code == 0
    assert err.startswith(f"lopsided: {tmp_path / 'k.csv'}: 4 texts without a class, not used\n")
    assert f"compared with {len(KNOWN) - 4} known ones of 3 classes" in err
    (folders[0] / "README").write_text(KNOWN[0] + " read me")
    code, _, err = run(*folders)
    assert code == 0
    assert "1 in no subfolder, so without a label" in err
    assert "1 text without a class, not used" in err


def test_one_class_in_a_plain_folder(run, folders, tmp_path):
    known = write_folder(tmp_path / "plain", KNOWN)
    (known / "nothing here" / "nor here").mkdir(parents=True)
    code, _, err = run(known, folders[1])
    assert code == 0
    assert f"compared with {len(KNOWN)} known ones; " in err


def test_what_is_in_both_is_not_listed(run, folders):
    for i, text in enumerate(KNOWN[:4]):
        (folders[1] / f"9{i}.txt").write_text(text.replace(" ", "\r\n"))
    (folders[1] / "99.txt").write_text("...")
    code, out, err = run(*folders, "--top", 400)
    assert code == 0
    assert "Not listed: 4 equal to a known text." in err
    assert "Not listed: 1 without a word." in err
    assert not [line for line in out.splitlines() if "\t9" in line]


def test_a_background_of_words_or_texts(run, folders, tmp_path):
    """Slips of one text alone do not count, and so are no reason."""
    slips = [f"{text} {'slip' * (i + 1)}" for i, text in enumerate(NEW)]
    new = write_folder(tmp_path / "slips", slips)
    words = tmp_path / "words"
    words.write_text("\n".join(sorted(set(" ".join(NEW).split()))) + "\n")
    for background in (words, write_folder(tmp_path / "b", NEW * 3)):
        code, out, err = run(folders[0], new, "--background", background, "--json")
        assert (code, err) == (0, "")
        said = json.loads(out)
        assert not any("slip" in word for record in said["records"] for word in record["words"])
        assert all(is_strange(record["id"]) for record in said["records"][:10])
    said = json.loads(run(folders[0], new, "--json")[1])
    assert any("slip" in word for record in said["records"] for word in record["words"])


def test_too_few_known_texts_are_said(run, folders, tmp_path):
    known = write_folder(tmp_path / "few", KNOWN[::70])
    page = tmp_path / "list.html"
    code, _, err = run(known, folders[1], "--out", page)
    assert code == 0
    assert "compared with 3 known ones; none is flagged: there are too few known texts" in err
    assert "Over the line" not in err
    html = page.read_text(encoding="utf-8")
    assert "The line" not in html
    assert "too few known texts" in html
    said = json.loads(run(known, folders[1], "--json")[1])
    assert said["n_flagged"] is None
    assert all(record["flagged"] is record["pvalue"] is None for record in said["records"])


def test_a_smaller_rate_flags_no_more(run, folders):
    n = [json.loads(run(*folders, "--json", "--fdr", fdr)[1])["n_flagged"] for fdr in (0.01, 0.3, 0.8)]
    assert n == sorted(n)
    assert n[1] >= 8


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["nothing", "new"], "no file or folder 'nothing'"),
        (["known", "nothing"], "no file or folder 'nothing'"),
        (["empty", "new"], "no documents in 'empty'"),
        (["known", "empty"], "no documents in 'empty'"),
        (["blank", "new"], "no word is in any of the 3 known texts"),
        (
            ["known", "blank"],
            "nothing is left to judge: of 3 new texts 0 are equal to a known one and 3 hold no word",
        ),
        (["known", "known"], "are equal to a known one and 0 hold no word"),
        (["known", "picture.png"], "cannot tell the format of 'picture.png'"),
        (["k.csv", "new", "--label", "klass"], "no column 'klass' in k.csv (columns: text, class)"),
        (["unlabeled.csv", "new", "--label", "class"], "no text of 'unlabeled.csv' has a class"),
        (["k.csv", "new", "--label", "text"], "gives each of the 210 known texts a class of its own"),
        (["known", "new", "--background", "nothing"], "no file or folder 'nothing'"),
        (["known", "new", "--background", "empty"], "no documents in 'empty'"),
        (["known", "new", "--label", "class"], "its sub-folders are the classes. Leave --label out"),
        (["known", "k.csv", "--text", "body"], "no column 'body' in k.csv (columns: text, class)"),
        (["known"], "Missing argument 'NEW'"),
        (["known", "new", "--fdr", "1"], "'--fdr': 1.0 is not in the range 0<x<1"),
        (["known", "new", "--fdr", "a"], "--fdr"),
        (["known", "new", "--method", "svm"], "--method"),
        (["known", "new", "--out", "known/list.csv"], "is 'known' or lies in it, which is read here"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(run, folders, tmp_path, monkeypatch, argv, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    write_folder(tmp_path / "blank", ["", " ", "..."])
    write_labeled(tmp_path / "k.csv")
    write_labeled(tmp_path / "unlabeled.csv", [""] * len(KNOWN))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    before = sorted(tmp_path.rglob("*"))
    extra = ["--out", "result.html"] if "--out" not in argv else []
    code, out, err = run(*argv, *extra)
    assert (code, out) == (2, "")
    assert err.startswith("lopsided: ")
    assert err.count("\n") == 1
    assert words in err
    assert sorted(tmp_path.rglob("*")) == before
