import csv
import gzip
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lopsided._labels import encode_positive_unlabeled
from lopsided.text import read_documents
from lopsided.text._source import DocumentFile
from lopsided.text._tables import _rows


def read(folder, name, content, **arguments):
    path = folder / name
    path.write_bytes(content)
    return read_documents(path, **arguments)


def problems(documents):
    return [(problem.id, problem.reason, problem.skipped) for problem in documents.problems]


# CSV


def test_csv_columns_and_lines(tmp_path):
    content = b'id,text,y\na,"two\nlines, quoted",1\n\nb,plain,\n'
    documents = read(tmp_path, "mail.csv", content, label="y")
    assert list(documents) == ["two\nlines, quoted", "plain"]
    assert documents.ids == ["mail.csv:2", "mail.csv:5"]  # the line where each row starts
    assert documents.labels == [1, None]
    assert documents.problems == []
    assert read_documents(tmp_path / "mail.csv", id="id", text="y").ids == ["a", "b"]


def test_tsv_is_split_at_tabs(tmp_path):
    documents = read(tmp_path, "mail.tsv", b"text\ty\na, b\t1\n", label="y")
    assert (list(documents), documents.labels) == (["a, b"], [1])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_csv_with_byte_order_marks(tmp_path, encoding, newline):
    content = newline.join(["text,y", "\u20ac\u2028\u010a,1", "b,2", ""]).encode(encoding)
    documents = read(tmp_path, "mail.csv", content, label="y")
    assert list(documents) == ["\u20ac\u2028\u010a", "b"]
    assert documents.labels == [1, 2]


@pytest.mark.parametrize("broken", [b"\x00\xdc", b"\x00\xd8"])
def test_half_a_pair_in_a_utf16_table_is_noted(tmp_path, broken):
    start, end = "text,y\na,1\nb".encode("utf-16"), "c,2\n".encode("utf-16-le")
    documents = read(tmp_path, "mail.csv", start + broken + end)
    assert list(documents) == ["a", "b\ufffdc"]
    assert problems(documents) == [("mail.csv", "not UTF-16 throughout: it holds U+FFFD", False)]


def test_ragged_rows_are_skipped_with_their_line(tmp_path):
    documents = read(tmp_path, "mail.csv", b"text,y\na,1\nb\nc,1,2\nd,2\n")
    assert list(documents) == ["a", "d"]
    assert problems(documents) == [
        ("mail.csv:3", "with 1 fields where the header has 2", True),
        ("mail.csv:4", "with 3 fields where the header has 2", True),
    ]


def test_broken_encoding_and_nul_in_csv_are_repaired(tmp_path):
    documents = read(tmp_path, "mail.csv", b"text,y\ncaf\xe9,1\na\x00b,2\n,3\n")
    assert list(documents) == ["caf\u00e9", "a b", ""]
    assert problems(documents) == [
        ("mail.csv:2", "not UTF-8, read as latin-1", False),
        ("mail.csv:3", "NUL bytes became spaces", False),
        ("mail.csv:4", "empty", False),
    ]


def test_csv_fields_over_the_limit_of_the_csv_module(tmp_path):
    before = csv.field_size_limit()
    long = "x" * (before + 1)
    documents = read(tmp_path, "mail.csv", f"text\n{long}\nshort\n".encode())
    assert list(documents) == [long, "short"]
    assert documents.problems == []
    assert csv.field_size_limit() == before


def test_csv_of_several_threads(tmp_path):
    # the limit belongs to the process: no thread may lower it while another reads
    (tmp_path / "mail.csv").write_text("text\n" + "a text over the limit\n" * 1000)
    limit, interval = csv.field_size_limit(10), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            sizes = list(pool.map(lambda _: len(read_documents(tmp_path / "mail.csv")), range(8)))
        assert csv.field_size_limit() == 10
    finally:
        sys.setswitchinterval(interval)
        csv.field_size_limit(limit)
    assert sizes == [1000] * 8


STRAY = "not CSV (a stray quote)"
TORN = "behind a stray quote, maybe a piece of the row above"


@pytest.mark.parametrize("max_bytes", [12, 50, 10_000])
def test_a_quote_that_never_ends_does_not_swallow_the_file(tmp_path, max_bytes):
    content = b'text\n"open\n' + b"row\n" * 100
    documents = read(tmp_path, "mail.csv", content, max_bytes=max_bytes)
    assert list(documents) == ["row"] * 100
    assert documents.ids == [f"mail.csv:{line}" for line in range(3, 103)]
    assert problems(documents) == [("mail.csv:2", STRAY, True)]


@pytest.mark.parametrize(
    ("rows", "texts", "skipped"),
    [
        # up to the end of the file
        ('fine,1\n"oops,1\nhello,0\nbye,1\nx,0\n', ["fine", "hello", "bye", "x"], [3]),
        ('fine,1\n"oops,1', ["fine"], [3]),
        # up to the next quoted field, which is whole again
        ('"oops,1\nhello,0\nbye,"0"\nx,0\n', ["hello", "bye", "x"], [2]),
        ('"oops,1\nhello,0\n"two\nlines",1\nx,0\n', ["hello", "two\nlines", "x"], [2]),
        # a second stray quote closes the first one too early
        ('"oops,1\nhello,0\n"again,1\nbye,1\n', ["hello", "bye"], [2, 4]),
        # several fields drawn in, none of them long
        ('x","\ny,1\nz","\n', ["y"], [2, 4]),
        # a quote inside quotes that nobody doubled
        ('"a "word" here",1\nb,0\n', ['a word" here"', "b"], []),
        ('"two\nlines "here" too",1\nb,0\n', ['lines "here" too"', "b"], [2]),
    ],
)
def test_a_stray_quote_costs_its_own_line_only(tmp_path, rows, texts, skipped):
    documents = read(tmp_path, "mail.csv", f"text,y\n{rows}".encode())
    assert list(documents) == texts
    assert [id for id, _, out in problems(documents) if out] == [f"mail.csv:{line}" for line in skipped]


@pytest.mark.parametrize(
    ("rows", "texts", "labels"),
    [
        ('"multi\nline" ,1\nb,0\n', ["multi\nline ", "b"], [1, 0]),
        ('"multi\nli ""ne"" "\t ,1\nb,0\n', ['multi\nli "ne" \t ', "b"], [1, 0]),
        ('"multi\nline" ,"x\ny" \r\nb,0\n', ["multi\nline ", "b"], ["x\ny ", 0]),
        ('a,"x\ny" ', ["a"], ["x\ny "]),
        ('"one line" ,"x" \nb "c" ,0\n', ["one line ", 'b "c" '], ["x ", 0]),
    ],
)
def test_space_behind_a_closing_quote_belongs_to_the_field(tmp_path, rows, texts, labels):
    documents = read(tmp_path, "mail.csv", f"text,y\n{rows}".encode(), label="y")
    assert (list(documents), documents.labels) == (texts, labels)
    assert documents.problems == []


def test_a_tab_behind_a_closing_quote_ends_a_field_of_a_tsv(tmp_path):
    documents = read(tmp_path, "mail.tsv", b'text\ty\n"two\nlines" \t\n"a"\t1\n', label="y")
    assert (list(documents), documents.labels) == (["two\nlines ", "a"], [None, 1])
    assert documents.problems == []


@pytest.mark.parametrize("delimiter", [",", ";", "|"])
def test_space_behind_a_closing_quote_is_found_before_every_delimiter(tmp_path, delimiter):
    path = tmp_path / "mail.csv"
    path.write_text('text,y\n"a, b | c; d" ,1\n'.replace(",", delimiter))
    documents = read_documents(path, label="y")
    assert documents.labels == [1]
    assert list(documents) == ["a, b | c; d ".replace(",", delimiter)]


def test_text_behind_a_closing_quote_is_noted(tmp_path):
    documents = read(tmp_path, "mail.csv", b'text,y\n"a"b,1\n"two\nlines" too,0\nc,1\n')
    assert list(documents) == ["ab", 'lines" too', "c"]
    assert problems(documents) == [
        ("mail.csv:2", "text behind a closing quote", False),
        ("mail.csv:3", STRAY, True),
        ("mail.csv:4", TORN, False),
    ]


def test_a_ragged_row_of_several_lines_is_one_row(tmp_path):
    # its quotes are in order, so its lines are text and no rows of their own
    documents = read(tmp_path, "mail.csv", b'text,y\n"Dear all,\nyes, no",1,2\nb,0\n')
    assert list(documents) == ["b"]
    assert problems(documents) == [("mail.csv:2-3", "with 3 fields where the header has 2", True)]


@pytest.mark.parametrize("content", [b'"text\na\n', b'"text'])
def test_a_stray_quote_in_the_header_is_a_clear_error(tmp_path, content):
    with pytest.raises(ValueError, match=r"mail.csv has no readable header row \(a stray quote\)"):
        read(tmp_path, "mail.csv", content)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(['"', '""', ",", "\n", "\r", "\r\n", "a", " ", '","', '"\n"'])).map("".join),
    st.sampled_from([5, 20, 1000]),
)
@example('x","\n' * 5, 1000)
def test_no_line_of_a_csv_is_lost(tmp_path_factory, content, max_bytes):
    path = tmp_path_factory.getbasetemp() / "quotes.csv"
    path.write_bytes(content.encode())
    source = DocumentFile(path, max_bytes)
    lines = {number: line.strip() for number, line in source.lines(lone_cr=True)}
    read = []
    for first, last, row, _ in _rows(source, ","):
        # what stands in the row is what stands in its lines
        if row is not None:
            written = b"".join(lines[number] for number in range(first, last + 1))
            kept = "".join(row).translate(dict.fromkeys(map(ord, '", \r\n')))
            assert kept == written.decode().translate(dict.fromkeys(map(ord, '", ')))
        read += range(first, last + 1)
    # each once and in order; only blank lines may be left out, and lines over the limit, which are noted
    assert read == sorted(set(read))
    assert all(lines[number] == b"" for number in set(lines) - set(read))


def test_long_lines_are_skipped_and_the_rest_kept(tmp_path):
    documents = read(tmp_path, "mail.csv", b"text\na\n" + b"x" * 100 + b"\nb\n", max_bytes=50)
    assert list(documents) == ["a", "b"]
    assert documents.ids == ["mail.csv:2", "mail.csv:4"]
    assert problems(documents) == [("mail.csv:3", "line longer than 50 bytes", True)]


def test_a_row_over_the_limit_is_no_row_though_its_lines_and_fields_are_short(tmp_path):
    # else a quote in each line could draw the whole file into one row, and into memory
    row = b'"' + b"a" * 40 + b'\nb","' + b"c" * 30 + b'\nd"\n'
    assert read(tmp_path, "mail.csv", b"text,y\n" + row, max_bytes=500).problems == []
    documents = read(tmp_path, "mail.csv", b"text,y\n" + row, max_bytes=50)
    assert problems(documents) == [("mail.csv:2", STRAY, True), ("mail.csv:3", TORN, False)]


def test_a_row_with_a_hole_is_no_row(tmp_path):
    content = b'text,y\n"a\n' + b"x" * 100 + b'\nb",1\nc,0\n'
    documents = read(tmp_path, "mail.csv", content, max_bytes=50)
    assert list(documents) == ['b"', "c"]
    assert problems(documents) == [
        ("mail.csv:3", "line longer than 50 bytes", True),
        ("mail.csv:2", STRAY, True),
    ]


@pytest.mark.parametrize(
    ("name", "content", "listed"),
    [
        ("mail.csv", b"id,text,y\n1,a,0\n", "id, text, y"),
        ("mail.tsv", b"id\ttext\ty\n1\ta\t0\n", "id, text, y"),
        ("mail.jsonl", b'{"id": 1, "text": "a"}\n{"y": 0}\n', "id, text, y"),
        ("mail.csv", b"text\n", "text"),
    ],
)
def test_missing_column_lists_those_that_are_there(tmp_path, name, content, listed):
    message = (
        f"no column 'label' in {name} (columns: {listed}). Name one with label= (in the shell: --label)."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        read(tmp_path, name, content, label="label")


def test_the_list_of_columns_is_one_line_and_ends(tmp_path):
    header = ",".join(['"te\nxt"', "x" * 1000, *(f"c{i}" for i in range(5000))])
    with pytest.raises(ValueError, match="no column 'y z'") as raised:
        read(tmp_path, "mail.csv", f"{header}\n".encode(), text="y\nz")
    listed = ", ".join(["te xt", "x" * 100 + "...", *(f"c{i}" for i in range(18))])
    assert f"(columns: {listed} and 4,982 more). Name" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_csv_with_the_line_ends_of_an_old_mac(tmp_path):
    documents = read(tmp_path, "mail.csv", b'text,y\ra,1\r"two\rlines",2\rb,\r', label="y", max_bytes=12)
    assert list(documents) == ["a", "two\rlines", "b"]
    assert documents.ids == ["mail.csv:2", "mail.csv:3", "mail.csv:5"]
    assert documents.labels == [1, 2, None]
    assert documents.problems == []


@pytest.mark.parametrize("length", [65533, 65534, 65535, 65536, 65537])
def test_a_line_end_cut_by_the_buffer_is_one_line_end(tmp_path, length):
    content = b"text\r\n" + b"x" * length + b'\r\n"' + b"y" * length + b'\r\nz"\r\nb\r\n'
    documents = read(tmp_path, "mail.csv", content)
    assert list(documents) == ["x" * length, "y" * length + "\r\nz", "b"]
    assert documents.ids == ["mail.csv:2", "mail.csv:3", "mail.csv:5"]


@pytest.mark.parametrize(
    ("cell", "label"),
    [
        ("1", 1),
        ("0", 0),
        ("-1", -1),
        ("+1", 1),
        ("1.0", 1.0),
        ("-2.5e3", -2500.0),
        ("1e2", 100.0),
        ("true", True),
        ("FALSE", False),
        ("", None),
        ("spam", "spam"),
        ("007", "007"),
        (" 1", " 1"),
        ("1_0", "1_0"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("\u0661", "\u0661"),  # a digit, but not of ours
        ("9" * 5000, "9" * 5000),
    ],
)
def test_labels_of_a_csv_are_numbers_where_they_read_as_numbers(tmp_path, cell, label):
    (found,) = read(tmp_path, "mail.csv", f"text,y\na,{cell}\n".encode(), label="y").labels
    assert found == label
    assert type(found) is type(label)


@pytest.mark.parametrize("cells", [("1", "0"), ("1", ""), ("1", "-1"), ("1.0", "0.0"), ("True", "False")])
def test_labels_of_a_csv_serve_as_positive_and_unlabeled(tmp_path, cells):
    content = "text,y\n" + "".join(f"a,{cell}\n" for cell in cells)
    labels = read(tmp_path, "mail.csv", content.encode(), label="y").labels
    assert encode_positive_unlabeled(labels).tolist() == [1, 0]


@settings(deadline=None)
@given(
    st.lists(
        st.lists(
            st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
            min_size=2,
            max_size=2,
        ),
        min_size=1,
    )
)
def test_what_the_csv_module_writes_comes_back(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "round.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["text", "y"], *rows])
    documents = read_documents(path)
    assert list(documents) == [text for text, _ in rows]
    assert all(problem.reason == "empty" for problem in documents.problems)
    assert list(read_documents(path, text="y")) == [other for _, other in rows]


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_below_a_header_can_be_read(tmp_path_factory, noise):
    content = b"text,y\nfirst,1\n" + noise
    documents = read(tmp_path_factory.getbasetemp(), "noise.csv", content, max_bytes=40)
    assert documents[0] == "first"


# JSON lines


def test_jsonl_fields_keep_their_types(tmp_path):
    lines = [
        {"text": "a", "y": 1, "key": 7},
        {"text": "b", "y": None, "key": "k"},
        {"text": "c", "key": 9},
        {"text": 5, "y": True, "key": 1},
    ]
    content = "\n".join(map(json.dumps, lines)).encode()
    documents = read(tmp_path, "mail.jsonl", content, id="key", label="y")
    assert list(documents) == ["a", "b", "c", "5"]
    assert documents.ids == ["7", "k", "9", "1"]
    assert documents.labels == [1, None, None, True]
    assert documents.problems == []


def test_broken_json_lines_are_skipped_with_their_number(tmp_path):
    deep = b'{"text": ' + b"[" * 100_000
    content = b'\xef\xbb\xbf{"text": "a"}\n{"text": \n\n[1]\n{"body": "x"}\n' + deep + b'\n{"text": null}\n'
    documents = read(tmp_path, "mail.jsonl", content)
    assert list(documents) == ["a", ""]
    assert problems(documents) == [
        ("mail.jsonl:2", "not JSON", True),
        ("mail.jsonl:4", "not a JSON object", True),
        ("mail.jsonl:5", "no field 'text'", True),
        ("mail.jsonl:6", "not JSON", True),
        ("mail.jsonl:7", "empty", False),
    ]


def test_half_a_surrogate_pair_is_replaced(tmp_path):
    documents = read(tmp_path, "mail.jsonl", b'{"text": "a\\ud800b \\u0000 \\ud83d\\ude00"}\n')
    assert list(documents) == ["a\ufffdb   \U0001f600"]
    assert [reason for _, reason, _ in problems(documents)] == [
        "NUL bytes became spaces",
        "lone surrogates replaced",
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_only_newlines_end_a_json_line(tmp_path, encoding):
    content = '{"text":\r"a\u2028\u0085"}\r\n{"text": "b"}'.encode(encoding)
    documents = read(tmp_path, "mail.jsonl", content)
    assert list(documents) == ["a\u2028\u0085", "b"]


def test_lists_and_objects_are_no_text(tmp_path):
    content = b'{"text": {"a": 1}}\n{"text": ["a"], "key": 7}\n{"text": 5}\n'
    documents = read(tmp_path, "mail.jsonl", content, id="key")
    assert list(documents) == ["5"]
    assert problems(documents) == [
        ("mail.jsonl:1", "'text' holds a dict, not text", True),
        ("7", "'text' holds a list, not text", True),
    ]


@settings(deadline=None)
@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from([b'{"text": ', b'"a"', b"}", b"\n", b"9", b"\\ud800"])).map(b"".join)
)
def test_any_bytes_can_be_read_as_jsonl(tmp_path_factory, noise):
    documents = read(
        tmp_path_factory.getbasetemp(), "noise.jsonl", b'{"text": "first"}\n' + noise, max_bytes=40
    )
    assert documents[0] == "first"


def test_rows_without_an_id_are_named_by_their_place(tmp_path):
    assert read(tmp_path, "a.csv", b"key,text\n7,a\n,b\n", id="key").ids == ["7", "a.csv:3"]
    lines = b'{"key": 7, "text": "a"}\n{"key": null, "text": "b"}\n{"text": "c"}\n'
    documents = read(tmp_path, "a.jsonl", lines, id="key")
    assert documents.ids == ["7", "a.jsonl:2", "a.jsonl:3"]
    assert documents.problems == []


# Parquet


def test_parquet_columns_in_batches(tmp_path):
    n = 3000
    frame = pd.DataFrame(
        {"body": [f"text {i}" for i in range(n)], "y": range(n), "key": [f"k{i}" for i in range(n)]}
    )
    frame.loc[1, "body"] = None
    frame.to_parquet(tmp_path / "mail.parquet")
    documents = read_documents(tmp_path / "mail.parquet", text="body", label="y")
    assert documents[2999] == "text 2999"
    assert documents.labels == list(range(n))
    assert documents.ids[2999] == "mail.parquet:3000"
    assert problems(documents) == [("mail.parquet:2", "empty", False)]
    assert read_documents(tmp_path / "mail.parquet", text="body", id="key").ids[5] == "k5"


def test_parquet_bytes_are_decoded_and_long_text_cut(tmp_path):
    pd.DataFrame({"text": [b"caf\xe9", b"x" * 100]}).to_parquet(tmp_path / "mail.parquet")
    documents = read_documents(tmp_path / "mail.parquet", max_bytes=10)
    assert list(documents) == ["caf\u00e9", "x" * 10]
    assert [reason for _, reason, _ in problems(documents)] == [
        "not UTF-8, read as latin-1",
        "cut to 10 characters",
    ]


@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary"])
def test_parquet_text_that_is_not_utf8_is_repaired(tmp_path, kind):
    broken = pa.array([b"caf\xe9", "na\u00efve".encode(), None], pa.binary())
    column = pa.Array.from_buffers(pa.string(), 3, broken.buffers())
    if kind == "large_string":
        column = column.cast(pa.large_string())
    elif kind == "dictionary":
        column = column.dictionary_encode()
    pq.write_table(pa.table({"text": column, "key": column, "y": column}), tmp_path / "mail.parquet")
    documents = read_documents(tmp_path / "mail.parquet", id="key", label="y")
    assert list(documents) == ["caf\u00e9", "na\u00efve", ""]
    assert documents.ids == ["caf\u00e9", "na\u00efve", "mail.parquet:3"]
    assert documents.labels == ["caf\u00e9", "na\u00efve", None]
    repair = "not UTF-8, read as latin-1"
    assert problems(documents) == [
        ("mail.parquet:1", repair, False),  # the id
        ("caf\u00e9", repair, False),
        ("caf\u00e9", repair, False),
        ("mail.parquet:3", "empty", False),
    ]


def test_parquet_that_fails_without_a_word_is_one_line(tmp_path, monkeypatch):
    def fail(file):
        raise OSError

    monkeypatch.setattr(pq, "ParquetFile", fail)
    with pytest.raises(ValueError, match=r"is not a whole Parquet file \(OSError\)"):
        read(tmp_path, "mail.parquet", b"")


def test_parquet_of_lists_is_no_text(tmp_path):
    pd.DataFrame({"text": [["a"], None]}).to_parquet(tmp_path / "mail.parquet")
    documents = read_documents(tmp_path / "mail.parquet")
    assert list(documents) == [""]
    assert problems(documents)[0] == ("mail.parquet:1", "'text' holds a list, not text", True)


def test_parquet_without_rows_is_no_document(tmp_path):
    pd.DataFrame({"text": pd.Series([], dtype=str)}).to_parquet(tmp_path / "mail.parquet")
    with pytest.raises(ValueError, match=r"no documents in '.*mail.parquet'. Check the path"):
        read_documents(tmp_path / "mail.parquet")


def test_parquet_without_the_column(tmp_path):
    pd.DataFrame({"body": ["a"], "y": [1]}).to_parquet(tmp_path / "mail.parquet")
    with pytest.raises(ValueError, match=r"no column 'text' in mail.parquet \(columns: body, y\)"):
        read_documents(tmp_path / "mail.parquet")


@pytest.mark.parametrize("content", [b"", b"PAR1 but not really PAR1"])
def test_broken_parquet_is_one_line(tmp_path, content):
    with pytest.raises(ValueError, match="is not a whole Parquet file") as raised:
        read(tmp_path, "mail.parquet", content)
    assert "\n" not in str(raised.value)


def test_parquet_in_damaged_gzip_is_one_line(tmp_path):
    pd.DataFrame({"text": ["a"]}).to_parquet(tmp_path / "mail.parquet")
    packed = gzip.compress((tmp_path / "mail.parquet").read_bytes())
    assert list(read(tmp_path, "mail.parquet.gz", packed)) == ["a"]
    for damaged in (packed[:-20], b"not gzip"):
        with pytest.raises(ValueError, match=r"mail.parquet.gz is not a whole Parquet file \(.*\)\. Write"):
            read(tmp_path, "mail.parquet.gz", damaged)


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'lopsided\[tables\]'"):
        read(tmp_path, "mail.parquet", b"")
