import bz2
import gzip
import io
import lzma
import os
import re
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lopsided.text import Documents, Problem, StemmedVectorizer, iter_documents, read_documents
from lopsided.text._decode import decode_bytes


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def reasons(documents):
    return {problem.id: problem.reason for problem in documents.problems}


def test_folder_is_read_in_order_of_paths(tmp_path):
    write(
        tmp_path,
        {"b/2.txt": b"two", "a/1": b"one", "c.txt": b"three", "b/10.txt": b"ten", ".hidden/x": b"no"},
    )
    documents = read_documents(tmp_path)
    assert documents.ids == ["a/1", "b/10.txt", "b/2.txt", "c.txt"]
    assert list(documents) == ["one", "ten", "two", "three"]
    assert documents.labels is None
    assert documents.problems == []
    assert documents.summary() == "4 documents"


def test_subfolders_as_labels(tmp_path):
    write(tmp_path, {"ham/1": b"a", "spam/deep/2": b"b", "3": b"c"})
    documents = read_documents(tmp_path, label="folder")
    assert documents.ids == ["3", "ham/1", "spam/deep/2"]
    assert documents.labels == [None, "ham", "spam"]
    assert reasons(documents) == {"3": "in no subfolder, so without a label"}


def test_folder_takes_mail_as_bytes_and_leaves_tables_alone(tmp_path):
    write(tmp_path, {"1.eml": b"Subject: x\n\n\xff", "2.txt": b"plain", "3.csv": b"text\nhello\n"})
    documents = read_documents(tmp_path)
    assert list(documents) == [b"Subject: x\n\n\xff", "plain"]
    assert documents.problems == [
        Problem("3.csv", "a csv file holds many documents: read it by itself", skipped=True)
    ]


def test_compressed_files_in_a_folder(tmp_path):
    write(tmp_path, {"1.txt.gz": gzip.compress(b"one"), "2.eml.xz": lzma.compress(b"two"), "3.csv.gz": b""})
    documents = read_documents(tmp_path)
    assert list(documents) == ["one", b"two"]
    assert list(reasons(documents)) == ["3.csv.gz"]


def test_format_says_what_every_file_of_a_folder_is(tmp_path):
    write(tmp_path, {"00001.7c53": b"Subject: x\n\nbody", "3.csv": b"a,b"})
    assert list(read_documents(tmp_path, format="mail")) == [b"Subject: x\n\nbody", b"a,b"]
    assert list(read_documents(tmp_path, format="mail", mail="text")) == ["x\nbody", "a,b"]
    assert list(read_documents(tmp_path, format="text")) == ["Subject: x\n\nbody", "a,b"]


def test_odd_files_are_kept_and_reported(tmp_path):
    write(
        tmp_path,
        {
            "empty": b"",
            "blank": b" \n",
            "latin": "caf\u00e9".encode("latin-1"),
            "nul": b"a\x00b",
            "marked": "\ufeffmarked".encode(),
            "wide": "wide \u20ac".encode("utf-16"),
            "wider": "wider \u20ac".encode("utf-32"),
            "broken-wide": b"\xff\xfea",
            "garbage": bytes(range(256)),
        },
    )
    documents = read_documents(tmp_path)
    text = dict(zip(documents.ids, documents, strict=True))
    assert text["empty"] == ""
    assert text["latin"] == "caf\u00e9"
    assert text["nul"] == "a b"
    assert text["marked"] == "marked"
    assert text["wide"] == "wide \u20ac"
    assert text["wider"] == "wider \u20ac"
    assert len(text["garbage"]) == 256
    assert {(problem.id, problem.reason) for problem in documents.problems} == {
        ("blank", "empty"),
        ("empty", "empty"),
        ("broken-wide", "not UTF-16 throughout"),
        ("garbage", "NUL bytes became spaces"),
        ("garbage", "not UTF-8, read as latin-1"),
        ("latin", "not UTF-8, read as latin-1"),
        ("nul", "NUL bytes became spaces"),
    }
    assert not any(problem.skipped for problem in documents.problems)
    assert documents.summary().startswith("9 documents, 6 repaired or odd (2 empty, ")


def test_long_file_is_cut_between_characters(tmp_path):
    write(tmp_path, {"long.txt": "\u20ac\u20ac\u20ac".encode()})
    documents = read_documents(tmp_path / "long.txt", max_bytes=7)
    assert list(documents) == ["\u20ac\u20ac"]
    assert documents.problems == [Problem("long.txt", "cut to 7 bytes", skipped=False)]
    exact = read_documents(tmp_path / "long.txt", max_bytes=9)
    assert list(exact) == ["\u20ac\u20ac\u20ac"]
    assert exact.problems == []


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("big.txt", b""),
        ("big.eml", b""),
        ("big.mbox", b"From a\n"),
        ("big.jsonl", b'{"text": "a"}\n'),
        ("big.csv", b"text\na\n"),
        ("big.ris", b"TY  - A\nER  - \n"),
    ],
)
def test_a_huge_file_does_not_fill_memory(tmp_path, name, start):
    # 200 MB of zeros that take no room on disk
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(start)
        file.truncate(200_000_000)
    tracemalloc.start()
    documents = read_documents(path, max_bytes=1_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000
    assert len(documents.problems) >= 1


def test_links_are_not_followed_in_circles(tmp_path):
    write(tmp_path, {"a/1": b"one"})
    (tmp_path / "a" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    (tmp_path / "linked").symlink_to(tmp_path / "a" / "1")
    documents = read_documents(tmp_path)
    assert documents.ids == ["a/1", "linked"]
    assert {problem.id for problem in documents.problems} == {"gone", "self"}
    assert all(problem.skipped and "unreadable" in problem.reason for problem in documents.problems)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_do_not_block(tmp_path):
    write(tmp_path, {"1": b"one"})
    os.mkfifo(tmp_path / "pipe")
    documents = read_documents(tmp_path)
    assert documents.ids == ["1"]
    assert reasons(documents) == {"pipe": "not a file"}


def test_files_without_permission_are_skipped(tmp_path, monkeypatch):
    # the superuser may read everything, so the refusal is played
    write(tmp_path, {"1": b"one", "locked": b"two"})
    real = io.open

    def refuse(file, *args, **kwargs):
        if Path(file).name == "locked":
            raise PermissionError(13, "Permission denied", file)
        return real(file, *args, **kwargs)

    monkeypatch.setattr("builtins.open", refuse)
    documents = read_documents(tmp_path)
    assert documents.ids == ["1"]
    assert documents.problems == [Problem("locked", "unreadable (Permission denied)", skipped=True)]


def test_folders_without_permission_are_reported(tmp_path, monkeypatch):
    write(tmp_path, {"1": b"one", "locked/2": b"two"})
    real = os.scandir

    def refuse(path):
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    documents = read_documents(tmp_path)
    assert documents.ids == ["1"]
    (problem,) = documents.problems
    assert problem.skipped
    assert problem.reason == "unreadable (Permission denied)"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux allows any bytes in a file name")
def test_file_names_that_are_not_text(tmp_path):
    with open(os.path.join(os.fsencode(tmp_path), b"na\xefve"), "wb") as file:
        file.write(b"x")
    (id,) = read_documents(tmp_path).ids
    assert id == "na\ufffdve"


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", lambda raw: bz2.compress(raw, 1))],
)
def test_compressed_files(tmp_path, suffix, compress):
    lines = b"".join(b'{"text": "number %d"}\n' % i for i in range(20_000))
    path = tmp_path / f"mail.jsonl{suffix}"
    path.write_bytes(compress(lines))
    documents = read_documents(path)
    assert len(documents) == 20_000
    assert documents.ids[-1] == f"mail.jsonl{suffix}:20000"

    path.write_bytes(compress(lines)[:-20])
    cut = read_documents(path)
    assert len(cut) > 10_000
    assert list(cut) == list(documents)[: len(cut)]
    assert any("the rest is unreadable" in problem.reason for problem in cut.problems)

    path.write_bytes(b"not compressed at all")
    with pytest.raises(
        ValueError, match=rf"1 skipped \(1 the rest is unreadable as {suffix} \(.*\)\)\. Check"
    ):
        read_documents(path)


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("a.txt", b"a short text that is whole", ["a short text that is whole"]),
        ("a.jsonl", b'{"text": "a"}\n{"text": "b"}', ["a", "b"]),
        ("a.csv", b"text\na\nb", ["a", "b"]),
        ("a.csv", "text\na\nb".encode("utf-16"), ["a", "b"]),
        ("a.mbox", b"From a\n\na\n\nFrom b\n\nb", [b"\na\n", b"\nb"]),
    ],
)
def test_damage_behind_the_last_byte_loses_nothing(tmp_path, name, content, texts):
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(content)[:-2])  # half of the length at the end is missing
    documents = read_documents(path)
    assert list(documents) == texts
    (problem,) = documents.problems
    assert "the rest is unreadable as .gz" in problem.reason


@pytest.mark.parametrize("name", ["mail.csv.gz", "mail.jsonl.gz", "mail.ris.gz", "mail.mbox.gz"])
def test_what_only_pretends_to_be_gzip_is_called_so(tmp_path, name):
    write(tmp_path, {name: b"text,y\nhello,1\n"})
    with pytest.raises(ValueError, match=r"unreadable as \.gz \(Not a gzipped file"):
        read_documents(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("in.mbox", b""),
        ("in.mbox", b"\n \n"),
        ("mail.jsonl", b""),
        ("mail.csv", b""),
        ("mail.csv", b"\n\n"),
        ("mail.csv", b"text,y\n"),
        ("mail.tsv", b"text\r\n\r\n"),
        ("refs.ris", b""),
        ("box/cur/.hidden", b""),
        ("folder/.hidden", b""),
    ],
)
def test_a_source_without_documents_is_an_error_that_names_it(tmp_path, name, content):
    write(tmp_path, {name: content})
    (tmp_path / "box" / "new").mkdir(parents=True, exist_ok=True)
    path = tmp_path / Path(name).parts[0]
    with pytest.raises(ValueError, match=f"^no documents in '{re.escape(str(path))}'. Check the path"):
        read_documents(path)
    with pytest.raises(ValueError, match="no documents"):
        next(iter_documents(path))


def test_a_source_without_documents_says_what_was_skipped(tmp_path):
    write(tmp_path, {"mail.jsonl": b"{\n[\n[]\n", "folder/a.csv": b""})
    problems = [Problem("elsewhere", "of another source", skipped=True)]
    with pytest.raises(ValueError, match=r"mail.jsonl', 3 skipped \(2 not JSON, 1 not a JSON object\)\. "):
        next(iter_documents(tmp_path / "mail.jsonl", problems=problems))
    assert len(problems) == 4
    with pytest.raises(ValueError, match=r"folder', 1 skipped \(1 a csv file holds many documents"):
        read_documents(tmp_path / "folder")


@pytest.mark.parametrize(("name", "text"), [("a.txt", ""), ("a.eml", b"")])
def test_a_zero_length_file_is_an_empty_document(tmp_path, name, text):
    write(tmp_path, {name: b""})
    documents = read_documents(tmp_path / name)
    assert list(documents) == [text]
    assert documents.problems == [Problem(name, "empty", skipped=False)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": "nowhere"}, r"no file or folder '.*nowhere'. Check the path"),
        (
            {"path": "data.bin"},
            r"cannot tell the format of 'data.bin' .*known: .txt, .eml, .*Name one of csv, ",
        ),
        ({"path": "data.bin", "format": "xml"}, "unknown format 'xml'. Known: csv, "),
        ({"path": "full", "format": "csv"}, "is a folder and cannot be read as csv"),
        ({"path": "full", "label": "y"}, "Use label='folder' or none"),
        ({"path": "full", "text": "y"}, "names a column, and 'full' is a folder of files, which has none"),
        ({"path": "full/1.txt", "label": "y"}, "Leave label out"),
        ({"path": "full/1.txt", "format": "maildir"}, "a Maildir is a folder"),
        ({"path": "full", "mail": "html"}, "mail must be 'bytes' or 'text'; got 'html'"),
        ({"path": "full", "max_bytes": 0}, "max_bytes must be at least 1; got 0"),
    ],
)
def test_mistakes_are_one_line_that_names_the_fix(tmp_path, arguments, message):
    write(tmp_path, {"full/1.txt": b"x", "data.bin": b"\x00\x01"})
    path = tmp_path / arguments.pop("path")
    with pytest.raises((ValueError, FileNotFoundError), match=message) as raised:
        read_documents(path, **arguments)
    assert "\n" not in str(raised.value)
    with pytest.raises((ValueError, FileNotFoundError)):
        iter_documents(path, **arguments)  # before anything is asked of the iterator


def test_this_folder_has_a_name_in_messages(tmp_path, monkeypatch):
    write(tmp_path, {"1.txt": b"x"})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"'\.' is a folder of files"):
        read_documents(".", text="y")


def test_a_file_that_starts_like_an_mbox_is_one(tmp_path):
    write(tmp_path, {"Inbox": b"From a\nSubject: x\n\nhello\n"})
    assert list(read_documents(tmp_path / "Inbox")) == [b"Subject: x\n\nhello\n"]


def test_suffix_in_capitals(tmp_path):
    write(tmp_path, {"NOTE.TXT": b"x"})
    assert list(read_documents(tmp_path / "NOTE.TXT")) == ["x"]


def test_iterator_reads_on_demand_and_notes_problems_as_they_come(tmp_path):
    write(tmp_path, {"a": b"one", "b": b"\xff", "c": b""})
    problems = []
    iterator = iter_documents(tmp_path, problems=problems)
    assert next(iterator).text == "one"
    assert problems == []
    assert next(iterator).text == "\u00ff"
    assert [problem.id for problem in problems] == ["b"]


def test_documents_go_into_a_vectorizer_as_they_are(tmp_path):
    write(tmp_path, {"a.eml": b"Subject: trade\n\n", "b.txt": b"trading"})
    X = StemmedVectorizer(weighting="counts", norm=None).fit_transform(read_documents(tmp_path))
    assert X[:, -1].toarray().ravel().tolist() == [1, 1]


def test_documents_is_a_sequence():
    documents = Documents(["a", "b", "c"], ["1", "2", "3"])
    assert documents[-1] == "c"
    assert documents[1:] == ["b", "c"]
    assert "b" in documents
    assert documents.problems == []


def test_summary_counts_each_document_once_and_each_reason():
    problems = [
        Problem("1", "x", False),
        Problem("1", "y", False),
        Problem("2", "y", False),
        Problem("3", "z", True),
    ]
    documents = Documents(["a"] * 1234, [], None, problems)
    assert documents.summary() == "1,234 documents, 1 skipped (1 z), 2 repaired or odd (2 y, 1 x)"


@settings(deadline=None)
@given(st.binary(max_size=50), st.booleans())
def test_decoding_never_raises_and_always_encodes(raw, cut):
    text, _ = decode_bytes(raw, cut=cut)
    assert "\x00" not in text
    text.encode()


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\x00\ufeff", exclude_categories=["Cs"])), st.integers(0, 8))
def test_clean_text_comes_back_unchanged_however_it_is_encoded(text, n):
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        assert decode_bytes(text.encode(encoding)) == (text, [])
    beginning, repairs = decode_bytes(text.encode()[:n], cut=True)
    assert text.startswith(beginning)
    assert repairs == []
