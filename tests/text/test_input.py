import pytest

from lopsided.text import Documents
from lopsided.text._input import name_texts, read_texts, tell_apart


def test_texts_are_str_that_can_be_stored():
    found = read_texts(
        "new", ["a", "b\ud800".encode("utf-8", "surrogatepass"), bytearray(b"c"), "d\ud800"], needed_by="f"
    )
    assert found[0] == "a"
    assert found[2] == "c"
    for text in found:
        text.encode()


@pytest.mark.parametrize(
    ("texts", "error", "words"),
    [
        ([], ValueError, "a_caller needs new; got none"),
        (["a", None], TypeError, r"new\[1\] is a NoneType; expected str or bytes. Drop missing values."),
        ("one text", ValueError, "got one str"),
    ],
)
def test_what_is_no_text_is_named(texts, error, words):
    with pytest.raises(error, match=words):
        read_texts("new", texts, needed_by="a_caller")


def test_names():
    documents = Documents(["x", "y"], ["a.txt", "b.txt"])
    assert name_texts("new", documents, None, 2) == ["a.txt", "b.txt"]
    assert name_texts("new", documents, ["p", "q\ud800"], 2)[0] == "p"
    assert name_texts("new", ["x", "y"], None, 2) == ["1", "2"]
    with pytest.raises(ValueError, match="ids must name each of the 2 new texts; got 1"):
        name_texts("new", documents, ["a"], 2)


def test_copies_are_told_apart_whatever_their_order():
    known = ["a ship", "wheat\n", "a\tship", "", "corn"]
    places, rows = tell_apart(known, ["corn ", "", "ships", " a ship"])
    assert sorted(known[i].split()[-1] for i in places) == ["corn", "ship", "wheat"]
    assert rows == [1, 2]
    turned, _ = tell_apart(known[::-1], [])
    assert [known[::-1][i].split() for i in turned] == [known[i].split() for i in places]
