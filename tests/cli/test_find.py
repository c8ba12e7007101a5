import csv
import io
import json
import os
import re
import subprocess
import sys

import pytest

from cli.sources import FORMS, write_csv, write_folder
from lopsided import make_topics
from lopsided.cli import main
from lopsided.terminal import one_line

TEXTS, TOPICS = make_topics(240, 8, random_state=2)
WANTED = [text for text, topic in zip(TEXTS, TOPICS, strict=True) if topic == 0]
OTHERS = [text for text, topic in zip(TEXTS, TOPICS, strict=True) if topic != 0]
POSITIVES, HIDDEN = WANTED[:10], WANTED[10:]
HEAP = HIDDEN + OTHERS


@pytest.fixture
def find(capsys):
    """Return a function that runs the command: code, output, errors."""

    def run(*argv):
        code = main(["find", *map(str, argv)])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def folders(tmp_path):
    return write_folder(tmp_path / "good", POSITIVES), write_folder(tmp_path / "all", HEAP)


def is_hidden(name):
    """Hidden positives stand first in the heap, whatever it is read from."""
    return int("".join(c for c in name if c.isdigit()) or -1) < len(HIDDEN)


def test_folders(find, folders):
    code, out, err = find(*folders)
    assert code == 0
    rows = [line.split("\t") for line in out.splitlines()[1:] if "\t" in line]
    assert [int(row[0]) for row in rows] == list(range(1, 21))
    assert all(is_hidden(row[2]) for row in rows[:10])
    assert float(rows[0][1]) > 0
    assert "230 texts compared with 10 positives; about " in err
    assert "Listed: 20. Over the line (score 0): " in err


def test_with_three_positives_nothing_is_flagged(find, folders, tmp_path):
    code, out, err = find(write_folder(tmp_path / "three", POSITIVES[:3]), folders[1])
    assert code == 0
    rows = [line.split("\t") for line in out.splitlines()[1:] if "\t" in line]
    assert all(float(row[1]) < 0 for row in rows)
    assert "too few positives are known to say how many of the texts are positive, so none is flagged" in err
    assert "Over the line" not in err


@pytest.mark.parametrize(("name", "write"), FORMS)
def test_every_format_as_heap_and_as_positives(find, folders, tmp_path, name, write):
    good, all_ = folders
    (tmp_path / "p").mkdir()
    (tmp_path / "u").mkdir()
    known, heap = write(tmp_path / "p" / name, POSITIVES), write(tmp_path / "u" / name, HEAP)
    for argv in ((good, heap), (known, all_), (known, heap)):
        code, out, err = find(*argv, "--json")
        assert (code, err) == (0, "")
        said = json.loads(out)
        assert said["n_ranked"] == len(HEAP)
        assert said["positives"]["documents"] == len(POSITIVES)
        best = [record["text"] for record in said["records"][:10]]
        hidden = [" ".join(text.split()) for text in HIDDEN]
        assert sum(any(text.strip("… ")[25:90] in other for other in hidden) for text in best) >= 9


def test_json_and_files_agree(find, folders, tmp_path):
    out = tmp_path / "new" / "list"
    files = [out.with_suffix(suffix) for suffix in (".html", ".csv", ".tsv", ".json", ".jsonl")]
    code, printed, err = find(*folders, "--json", *(part for file in files for part in ("--out", file)))
    assert (code, err) == (0, "")
    said = json.loads(printed)
    html, table, tabs, whole, lines = (file.read_text(encoding="utf-8") for file in files)
    assert said["files"] == [str(file) for file in files]
    assert len(said["records"]) == said["n_ranked"] == len(HEAP)
    written = json.loads(whole)["records"]
    assert [json.loads(line) for line in lines.splitlines()] == written
    assert [one | {"text": ""} for one in written] == [one | {"text": ""} for one in said["records"]]
    assert {one["text"] for one in written} == set(HEAP)  # a list on the screen holds pieces of them
    ids = [record["id"] for record in said["records"]]
    assert [row["id"] for row in csv.DictReader(io.StringIO(table))] == ids
    assert [row["id"] for row in csv.DictReader(io.StringIO(tabs), delimiter="\t")] == ids
    assert html.count("data-rank=") == len(HEAP)
    assert "<title>More like good</title>" in html
    assert not [name for name in os.listdir(out.parent) if name.endswith(".part")]


def test_behind_a_pipe_nothing_is_cut_and_the_list_stands_alone(find, folders):
    good, all_ = folders
    deep = all_ / ("a" * 40) / ("b" * 40)
    deep.mkdir(parents=True)
    (deep / "far away.txt").write_text(HIDDEN[0])
    _, out, err = find(good, all_, "--top", 400)
    assert any(line.split("\t")[2].endswith("/far away.txt") for line in out.splitlines())
    assert all(line.count("\t") == 4 for line in out.splitlines())
    assert "texts compared with" in err


def test_top(find, folders, tmp_path):
    page = tmp_path / "list.html"
    code, out, err = find(*folders, "--top", 3, "--out", page)
    assert code == 0
    assert out.count("\t") == 16  # with the header
    assert "Listed: 3." in err
    assert f"Written: {page}" in err
    assert page.read_text(encoding="utf-8").count("data-rank=") == 3
    assert len(json.loads(find(*folders, "--top", 3, "--json")[1])["records"]) == 3


def test_files_hold_all_rows_with_the_columns_of_the_user(find, tmp_path):
    known = write_csv(tmp_path / "p.csv", POSITIVES)
    heap = tmp_path / "u.csv"
    with heap.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["key", "Title", "score", "text"])
        writer.writerows([f"k{i}", f"On {i}", i, text] for i, text in enumerate(HEAP))
    table, lines = tmp_path / "list.csv", tmp_path / "list.jsonl"
    code, out, _ = find(known, heap, "--id", "id", "--id", "key", "--top", 2, "--out", table, "--out", lines)
    assert code == 0
    assert out.splitlines()[0].split("\t") == ["rank", "score", "text", "title", "because of"]
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(HEAP)
    assert list(rows[0]) == [
        "rank",
        "id",
        "score",
        "found",
        "words",
        "text",
        "key",
        "Title",
        "original_score",
    ]
    for row in rows:
        i = int(row["original_score"])
        assert (row["id"], row["key"], row["Title"]) == (f"k{i}", f"k{i}", f"On {i}")
        assert row["text"].split() == HEAP[i].split()
    first = out.splitlines()[1].split("\t")
    assert first[3] == f"On {first[2][1:]}"
    assert json.loads(lines.read_text().splitlines()[0])["Title"] == first[3]


def test_a_title_is_the_beginning_of_a_text_that_has_none(find, folders):
    code, out, _ = find(*folders, "--top", 3)
    assert code == 0
    for line in out.splitlines()[1:]:
        _, _, id, title, _ = line.split("\t")
        text = (folders[1] / id).read_text().strip().partition("\n")[0]
        assert title.removesuffix("...") in " ".join(text.split())


def test_a_named_delimiter_and_a_workbook(find, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    known = tmp_path / "p.csv"  # its header alone would say ;
    known.write_text("a;b;c,text\n" + "".join(f"1,{json.dumps(text)}\n" for text in map(one_line, POSITIVES)))
    book = openpyxl.Workbook()
    book.active.append(["id", "text"])
    for i, text in enumerate(HEAP):
        book.active.append([f"k{i}", text])
    book.save(tmp_path / "u.xlsx")
    heap = tmp_path / "u.xlsx"
    code, out, err = find(known, heap, "--id", "text", "--id", "id", "--delimiter", ",", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert (said["positives"]["documents"], said["n_ranked"]) == (len(POSITIVES), len(HEAP))
    assert said["records"][0]["id"].startswith("k")
    code, _, err = find(known, heap, "--delimiter", ";;")
    assert (code, "--delimiter takes one character, such as ';'" in err) == (2, True)


def test_columns(find, tmp_path):
    known = write_csv(tmp_path / "p.csv", POSITIVES, text="abstract")
    heap = write_csv(tmp_path / "u.csv", HEAP, text="body", key="key")
    code, out, _ = find(
        known, heap, "--text", "abstract", "--text", "body", "--id", "id", "--id", "key", "--json"
    )
    assert code == 0
    assert json.loads(out)["records"][0]["id"].startswith("k")
    code, out, err = find(known, heap, "--text", "abstract")
    assert (code, out) == (2, "")
    assert "no column 'abstract' in u.csv (columns: key, body). Name one with --text." in err
    assert "--text is given 3 times" in find(known, heap, *["--text", "a"] * 3)[2]


def test_columns_are_for_tables_alone(find, folders, tmp_path):
    heap = write_csv(tmp_path / "u.csv", HEAP, text="body")
    assert find(folders[0], heap, "--text", "body")[0] == 0
    code, _, err = find(*folders, "--text", "body")
    assert code == 2
    assert "is a folder of files, which has none" in err


def test_format(find, folders, tmp_path):
    odd = write_csv(tmp_path / "table", HEAP)
    code, _, err = find(folders[0], odd)
    assert code == 2
    assert "--format" in err
    assert find(folders[0], odd, "--format", "text", "--format", "csv")[0] == 0


def test_what_is_in_both_is_not_listed(find, folders):
    good, all_ = folders
    for i, text in enumerate(POSITIVES[:4]):
        (all_ / f"9{i}.txt").write_text(text.replace(" ", "\r\n"))
    code, out, err = find(good, all_, "--top", 400)
    assert code == 0
    assert "Not listed: 4 equal to a known positive." in err
    assert not [line for line in out.splitlines() if "\t9" in line]


def test_broken_input_is_counted_and_said(find, folders, tmp_path):
    good, all_ = folders
    (all_ / "latin.txt").write_bytes("naïve café ".encode("latin-1") * 5)
    (all_ / "empty.txt").write_text("")
    (all_ / "table.csv").write_text("text\nhello\n")
    code, _, err = find(good, all_)
    assert code == 0
    assert err.startswith(f"lopsided: {all_}: 232 documents, 1 skipped (1 a csv file holds many documents")
    assert "1 not UTF-8, read as latin-1" in err
    assert "Listed: 20." in err
    page = tmp_path / "list.html"
    said = json.loads(find(good, all_, "--json", "--out", page)[1])
    assert said["unlabeled"] | {"path": ""} == {
        "path": "",
        "documents": 232,
        "skipped": 1,
        "repaired_or_odd": 2,
    }
    assert "1 skipped (1 a csv file" in page.read_text(encoding="utf-8")


def test_huge_and_hostile_texts(find, folders, tmp_path):
    good, all_ = folders
    (all_ / "huge.txt").write_text(" ".join(HEAP * 100))
    evil = "<script>alert(1)</script>"
    (all_ / "0000 <img src=x>.txt").write_text(f"{HIDDEN[0][:100]} {evil} \x1b[2J")
    (all_ / "0001\x1b[2J.txt").write_text(HIDDEN[1])
    page, table = tmp_path / "list.html", tmp_path / "list.csv"
    code, out, _ = find(good, all_, "--out", page, "--out", table)
    assert code == 0
    assert "\x1b" not in out
    assert "\\x1b[2J" in out
    html = page.read_text(encoding="utf-8")
    assert html.count("<script>") == 1
    assert evil not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; \N{SYMBOL FOR ESCAPE}[2J" in re.sub("</?mark>", "", html)
    assert "0000 &lt;img src=x&gt;.txt" in html


def test_formulas_in_names(find, folders, tmp_path):
    good, _ = folders
    heap = write_csv(tmp_path / "u.csv", HEAP)
    heap.write_text(heap.read_text().replace("\nk", "\n=HYPERLINK(1);k"))
    table = tmp_path / "list.csv"
    assert find(good, heap, "--id", "id", "--out", table)[0] == 0
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    assert {row["id"][:12] for row in rows} == {"'=HYPERLINK("}


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["nothing", "all"], "no file or folder 'nothing'"),
        (["good", "nothing"], "no file or folder 'nothing'"),
        (["empty", "all"], "no documents in 'empty'"),
        (["good", "empty"], "no documents in 'empty'"),
        (["one", "all"], "two positives that differ are needed"),
        (["blank", "all"], "two positives that differ are needed to tell what they have in common; got 0"),
        (["good", "good"], "nothing is left to search: all 10 unlabeled texts are equal to positives"),
        (["good", "picture.png"], "cannot tell the format of 'picture.png'"),
        (["good", "no.csv"], "no column 'text' in no.csv (columns: a b)"),
        (["good", "broken.parquet"], "not a whole Parquet file"),
        (["good"], "Missing argument 'UNLABELED'"),
        ([], "Missing argument 'POSITIVES'"),
        (["good", "all", "--tpo", "3"], "--top"),
        (["good", "all", "--top", "0"], "--top"),
        (
            ["good", "all", "--out", "list.xls"],
            "--out writes .html, .csv, .tsv, .json, .jsonl; got 'list.xls'",
        ),
        (["good", "all", "--out", "all/list.csv"], "is 'all' or lies in it, which is read here"),
        (["good", "table.csv", "--out", "table.csv"], "which is read here"),
        (["good", "all", "--out", "folder.csv"], "is a folder. Name a file in it."),
        (["good", "all", "--format", "cvs"], "unknown format 'cvs'"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(find, folders, tmp_path, monkeypatch, argv, words):
    monkeypatch.chdir(tmp_path)
    for name in ("empty", "folder.csv"):
        (tmp_path / name).mkdir()
    write_folder(tmp_path / "one", POSITIVES[:1])
    write_folder(tmp_path / "blank", ["", " ", "\n"])
    write_csv(tmp_path / "table.csv", HEAP)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (tmp_path / "no.csv").write_text("a b\n1\n2\n")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    before = sorted(tmp_path.rglob("*"))
    extra = ["--out", "result.html"] if argv and "--out" not in argv else []
    code, out, err = find(*argv, *extra)
    assert (code, out) == (2, "")
    assert err.startswith("lopsided: ")
    assert err.count("\n") == 1
    assert words in err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_that_cannot_be_written_leaves_the_old_one(find, folders, tmp_path, monkeypatch):
    page = tmp_path / "list.html"
    page.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    code, _, err = find(*folders, "--out", page)
    assert code == 2
    assert "No space left" in err
    assert page.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all", "good", "list.html"]


def test_a_terminal_shows_a_table(folders):
    pty = pytest.importorskip("pty")
    main_end, other_end = pty.openpty()
    command = [sys.executable, "-m", "lopsided", "find", *map(str, folders), "--top", "4"]
    environment = os.environ | {"COLUMNS": "100", "TERM": "xterm"}
    with subprocess.Popen(command, stdout=other_end, stderr=subprocess.PIPE, env=environment) as run:
        os.close(other_end)
        shown = b""
        while True:
            try:
                piece = os.read(main_end, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
        assert run.stderr.read() == b""  # no terminal there, so no spinner
    os.close(main_end)
    assert run.returncode == 0
    assert b"because of" in shown
    assert b"Listed: 4." in shown


def write_rows(path, rows, **more):
    """Write a table of numbers whose first column names the row."""
    suffix = path.suffix
    records = [{"key": f"k{i}", "size": a, "weight": b} | more for i, (a, b) in enumerate(rows)]
    if suffix == ".parquet":
        pytest.importorskip("pyarrow").parquet.write_table(
            pytest.importorskip("pyarrow").Table.from_pylist(records), path
        )
    elif suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    else:
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, list(records[0]), delimiter="\t" if suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(records)
    return path


KNOWN_ROWS = [(10 + i / 7, 20 - i / 5) for i in range(12)]
HEAP_ROWS = [(10.05 + i / 6, 19.9 - i / 6) for i in range(8)] + [(i % 9 / 3, i % 13 / 2) for i in range(150)]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_tables_without_a_column_of_texts(find, tmp_path, suffix):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow.parquet")
    known = write_rows(tmp_path / "known.csv", KNOWN_ROWS)
    heap = write_rows(tmp_path / f"heap{suffix}", HEAP_ROWS)
    page = tmp_path / "list.html"
    code, out, err = find(known, heap, "--id", "key", "--top", 8, "--out", page)
    assert code == 0
    head, *rows = [line.split("\t") for line in out.splitlines()]
    assert head == ["rank", "score", "row", "title", "because of"]
    assert {row[2] for row in rows} == {f"k{i}" for i in range(8)}
    assert "size = 1" in rows[0][4]
    assert f"{len(HEAP_ROWS)} rows compared with 12 positives; about " in err
    assert "<title>More like known.csv</title>" in page.read_text()


def test_tables_without_a_column_of_texts_as_json(find, tmp_path):
    known = write_rows(tmp_path / "known.csv", KNOWN_ROWS)
    heap = write_rows(tmp_path / "heap.csv", HEAP_ROWS)
    said = json.loads(find(known, heap, "--id", "key", "--json")[1])
    assert (said["items"], said["n_ranked"]) == ("rows", len(HEAP_ROWS))
    assert said["positives"]["documents"] == 12


def test_with_three_positive_rows_nothing_is_flagged(find, tmp_path):
    known = write_rows(tmp_path / "known.csv", KNOWN_ROWS[:3])
    heap = write_rows(tmp_path / "heap.csv", HEAP_ROWS)
    code, out, err = find(known, heap)
    assert code == 0
    assert all(float(line.split("\t")[1]) < 0 for line in out.splitlines()[1:])
    assert "3 positives; too few positives are known to say how many of the rows are positive" in err
    assert "Over the line" not in err
    assert "Not looked at: key (nearly each row has a value of its own)." in err


def test_mistakes_with_tables_are_one_line(find, tmp_path):
    known = write_rows(tmp_path / "known.csv", KNOWN_ROWS)
    heap = write_rows(tmp_path / "heap.csv", HEAP_ROWS)
    with_text = write_csv(tmp_path / "texts.csv", HEAP)
    bodies = write_csv(tmp_path / "bodies.csv", HEAP, text="body")
    for argv, words in [
        ((known, heap, "--id", "name"), "no column 'name' in known.csv"),
        ((known, with_text), "no column 'text' in known.csv"),
        ((known, bodies), "the two tables have no column in common"),
        (
            (write_csv(tmp_path / "b.csv", POSITIVES, text="body"), bodies, "--id", "id"),
            "with --text",
        ),
        ((known, heap, "--text", "size", "--out", heap), "which is read here"),
        ((known, heap, "--out", heap), "which is read here"),
    ]:
        code, out, err = find(*argv)
        assert (code, out) == (2, "")
        assert err.count("\n") == 1
        assert words in err


def rows_of(out):
    return [line.split("\t") for line in out.splitlines() if "\t" in line]


def test_a_large_archive_is_not_kept_in_memory(find, folders, tmp_path, monkeypatch):
    from lopsided.cli import _find, _ranked

    for unlabeled in (folders[1], write_csv(tmp_path / "all.csv", HEAP)):
        expected = find(folders[0], unlabeled)
        with monkeypatch.context() as patch:
            patch.setattr(_ranked, "LARGE", 1000)
            patch.setattr(_find, "find_more", None)  # it is not asked
            assert find(folders[0], unlabeled) == expected


def test_large_tables_without_texts_are_compared_by_rows(find, tmp_path, monkeypatch):
    from lopsided.cli import _ranked

    monkeypatch.setattr(_ranked, "LARGE", 1)
    won, all_ = tmp_path / "won.csv", tmp_path / "all.csv"
    won.write_text("age,town\n" + "60,Bled\n61,Bled\n65,Bled\n" * 3)
    all_.write_text("age,town\n" + "".join(f"{age},Ptuj\n" for age in range(20, 40)) + "63,Bled\n")
    code, _, err = find(won, all_)
    assert code == 0
    assert "rows compared" in err
    code, _, err = find(won, all_, "--dask", "local[1]")
    assert code == 2
    assert "--dask is for texts" in err


def test_on_a_local_cluster(find, folders):
    pytest.importorskip("distributed")
    expected = find(*folders)
    assert find(*folders, "--dask", "local[1]") == expected


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("local[0]", "--dask takes an address or local[N], N at least 1; got 'local[0]'"),
        ("localhost", None),
        ("tcp://127.0.0.1:9", "no Dask scheduler at tcp://127.0.0.1:9: "),
    ],
)
def test_a_scheduler_that_is_not_there(find, folders, where, message):
    pytest.importorskip("distributed")
    code, out, err = find(*folders, "--dask", where)
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) <= 3
    assert message is None or message in err
