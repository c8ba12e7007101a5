"""An invented corpus in the format of the distribution; the real one only where it is at hand."""

import pytest

from lopsided.datasets import DataUnavailable, fetch_trec07p, verify
from lopsided.datasets._trec07p import read_tree

MAIL = {
    1: ("spam", b"Subject: x\r\n\r\nbuy \xff\r\n"),
    2: ("ham", b"Subject: y\n\nhello\n"),
    10: ("ham", b"Subject: z\n\n" + b"word " * 2000),
}


@pytest.fixture
def tree(empty_machine, any_counts):
    root = empty_machine / "trec07p"
    for name in ("full", "partial", "data"):
        (root / name).mkdir(parents=True)
    # The order of the index is not the order of the numbers, and 10 sorts after 2.
    lines = [f"{MAIL[i][0]} ../data/inmail.{i}\n" for i in (10, 1, 2)]
    (root / "full" / "index").write_text("".join(lines))
    (root / "partial" / "index").write_text("ham ../data/inmail.2\n")
    for i, (_, raw) in MAIL.items():
        (root / "data" / f"inmail.{i}").write_bytes(raw)
    return root


def test_unpacked_tree(tree):
    bunch = fetch_trec07p()
    assert bunch.ids.tolist() == [1, 2, 10]
    assert bunch.target.tolist() == [0, 1, 1]
    assert bunch.partial.tolist() == [0, 1, 0]
    assert bunch.n_bytes.tolist() == [len(MAIL[i][1]) for i in (1, 2, 10)]
    assert bunch.data[0] == b"Subject: x\n\nbuy \xff\n"
    assert bunch.data[2] == MAIL[10][1][:3000]


def test_tree_is_read_in_the_order_of_arrival(tree):
    records = read_tree(tree / "full" / "index", ("id", "label", "partial", "n_bytes", "raw"))
    assert [r["id"] for r in records] == [1, 2, 10]  # the drift of the ham share is counted in this order


def test_partial_index_is_not_needed(tree):
    (tree / "partial" / "index").unlink()
    assert fetch_trec07p().partial.tolist() == [0, 0, 0]


def test_cut_is_after_the_line_ends_are_made_equal(tree):
    (tree / "data" / "inmail.1").write_bytes(b"\r\n" * 4000)
    assert fetch_trec07p().data[0] == b"\n" * 3000


def test_broken_index_is_named(tree):
    (tree / "full" / "index").write_text("junk ../data/inmail.1\n")
    with pytest.raises(DataUnavailable, match=r"index could not be read \(expected lines like"):
        fetch_trec07p()


def test_missing_message_is_named(tree):
    (tree / "data" / "inmail.2").unlink()
    with pytest.raises(DataUnavailable, match=r"inmail\.2"):
        fetch_trec07p()


def test_never_downloaded(empty_machine):
    with pytest.raises(DataUnavailable, match=r"never downloaded.*agreement.*trec07p/full/index"):
        fetch_trec07p()


def test_facts_of_the_small_tree(tree):
    found = {fact.name: fact.found for fact in verify("trec07p").facts}
    assert found["messages"] == 3
    assert found["ham"] == 2
    assert found["messages longer than 3,000 bytes"] == 1
    assert found["messages with partial feedback"] == 1
    assert found["repeated bodies"] == 0
    assert not verify("trec07p").agrees


def test_real_stream(need):
    need("trec07p")
    bunch = fetch_trec07p()
    assert len(bunch.data) == 75419
    assert bunch.ids.tolist() == list(range(1, 75420))
    assert bunch.target.sum() == 25220
    assert all(isinstance(raw, bytes) and len(raw) <= 3000 for raw in bunch.data)
