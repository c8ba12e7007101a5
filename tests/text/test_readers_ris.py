import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lopsided.text import read_documents

RECORDS = b"""\
TY  - JOUR
AN  - 17
TI  - Stemming of
  long titles
AU  - Doe, Jane
AB  - What an abstract says.
KW  - words
KW  - stems
N1  - included
ER  -

TY  - CONF
T1  - Another title
N2  - Its abstract
AN  - 18
ER  -\x20
"""


def read(tmp_path, content, **arguments):
    path = tmp_path / "refs.ris"
    path.write_bytes(content)
    return read_documents(path, **arguments)


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_title_and_abstract_are_the_text(tmp_path, newline, mark):
    documents = read(tmp_path, mark + RECORDS.replace(b"\n", newline))
    assert list(documents) == [
        "Stemming of long titles\nWhat an abstract says.",
        "Another title\nIts abstract",
    ]
    assert documents.ids == ["refs.ris:1", "refs.ris:12"]
    assert documents.problems == []


def test_tags_can_be_named(tmp_path):
    documents = read(tmp_path, RECORDS, text="KW", id="AN", label="N1")
    assert list(documents) == ["words\nstems", ""]
    assert documents.ids == ["17", "18"]
    assert documents.labels == ["included", None]
    assert [(problem.id, problem.reason) for problem in documents.problems] == [("18", "empty")]


def test_a_tag_that_no_record_has_is_a_mistake(tmp_path):
    with pytest.raises(ValueError, match=r"no column 'ZZ' in refs.ris \(columns: TY, AN, .*--label"):
        read(tmp_path, RECORDS, label="ZZ")


def test_broken_records_are_kept_and_reported(tmp_path):
    documents = read(
        tmp_path, b"noise\nTY  - A\nTI  - one\nTY  - B\nTI  - two\nER  - \nmore\nTY  - C\nTI  - three"
    )
    assert list(documents) == ["one", "two", "three"]
    assert [(problem.id, problem.reason, problem.skipped) for problem in documents.problems] == [
        ("refs.ris:2", "no ER line at the end of the record", False),
        ("refs.ris:8", "no ER line at the end of the record", False),
        ("refs.ris", "2 lines outside any record", True),
    ]


def test_a_record_over_the_limit_is_cut(tmp_path):
    documents = read(tmp_path, b"TY  - A\nTI  - one\n" + b"AB  - more\n" * 20 + b"ER  - \n", max_bytes=30)
    assert list(documents) == ["one\nmore"]
    assert [problem.reason for problem in documents.problems] == ["cut to 30 bytes"]


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from([b"TY  - ", b"ER  - ", b"TI  - x", b"\n", b"\r", b"\xff", b" "])
        | st.binary(max_size=9)
    )
)
def test_any_bytes_can_be_read(tmp_path_factory, pieces):
    content = b"TY  - A\nTI  - first\nER  - \n" + b"".join(pieces)
    documents = read(tmp_path_factory.getbasetemp(), content, max_bytes=40)
    assert documents[0] == "first"
