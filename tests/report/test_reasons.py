import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lopsided.report._reasons import Reasons, Snippet
from lopsided.text import StemmedVectorizer
from lopsided.text._stemmed import locate_stems


def explain(text, weights, others=(), **options):
    """Reasons under a model with these weights of stems, as `find_more` calls for them."""
    vectorizer = StemmedVectorizer(weighting="counts", norm=None)
    X = vectorizer.fit_transform([text, *others])
    stems = vectorizer.get_feature_names_out()
    row = X[[0]]
    parts = row.data * np.array([weights.get(stem, 0.0) for stem in stems])[row.indices]
    return Reasons(stems, locate_stems, **options).explain(text, row.indices, parts)


def marked(snippet):
    return [piece for piece, is_marked in snippet.pieces() if is_marked]


def test_words_stand_as_in_the_document_the_weightiest_first():
    words, snippet = explain("Harbours and SHIPS: a ship sails.", {"ship": 1.0, "harbour": 1.5, "sail": -1.0})
    assert words == ("SHIPS", "Harbours")  # two ships weigh 2
    assert marked(snippet) == ["Harbours", "SHIPS", "ship"]
    assert snippet.text == "Harbours and SHIPS: a ship sails."


def test_no_more_words_than_asked_for_and_none_that_speak_against():
    text = "apple berry cherry dates"
    weights = {"appl": 4.0, "berri": 3.0, "cherri": 2.0, "date": -1.0}
    assert explain(text, weights)[0] == ("apple", "berry", "cherry")
    assert explain(text, weights, n_words=2)[0] == ("apple", "berry")
    assert explain(text, {"date": -1.0}) == ((), Snippet(text))


def test_equal_weights_come_in_the_order_of_the_alphabet():
    assert explain("zebra apple mango", {"zebra": 1.0, "appl": 1.0, "mango": 1.0})[0] == (
        "apple",
        "mango",
        "zebra",
    )


def test_the_snippet_is_where_the_weight_is():
    filler = "nothing to see here. " * 40
    text = f"One ship. {filler} The ship and its crew, captain and cargo. {filler}"
    words, snippet = explain(text, {"ship": 1.0, "crew": 1.0, "captain": 1.0, "cargo": 1.0})
    assert set(words) == {"ship", "crew", "captain", "cargo"}
    assert marked(snippet) == ["ship", "crew", "captain", "cargo"]
    assert snippet.text.startswith("… ")
    assert snippet.text.endswith(" …")
    assert len(snippet.text) < 260


def test_a_word_counts_once_in_a_window_and_not_beyond_it():
    filler = "nothing to see here. " * 40
    weights = {"ship": 0.25, "crew": 0.9, "captain": 0.8, "cargo": 0.7}
    _, snippet = explain(f"ship ship ship ship {filler} crew captain {filler} cargo {filler}", weights)
    assert marked(snippet) == ["crew", "captain"]
    _, snippet = explain(f"crew captain {filler} ship ship ship ship", weights)
    assert marked(snippet) == ["crew", "captain"]
    _, snippet = explain(f"ship {filler} ship crew {filler} ship cargo", weights)
    assert marked(snippet) == ["ship", "crew"]


def test_white_space_is_drawn_together_and_marks_stay_in_place():
    text = "\n\n  A \t ship\r\n\r\n   sails \n"
    _, snippet = explain(text, {"ship": 1.0, "sail": 1.0})
    assert snippet.text == "A ship sails"
    assert marked(snippet) == ["ship", "sails"]


def test_one_endless_word():
    text = "x" * 5000 + " ship " + "y" * 5000
    words, snippet = explain(text, {"ship": 1.0})
    assert words == ("ship",)
    assert marked(snippet) == ["ship"]
    assert len(snippet.text) < 260
    _, snippet = explain("z" * 5000, {"z" * 5000: 1.0})
    assert len(snippet.text) < 260


def test_a_word_that_is_not_found_again_is_given_as_its_stem():
    # in lower case this letter is two characters, the second of which is no letter
    words, _ = explain("İzmir port", {"zmir": 1.0})
    assert words == ("zmir",)


@given(
    st.text(alphabet="ab ÄßİΣ\n.<\u202e\U0001f600", max_size=600), st.sampled_from(["ab", "aa", "äß", "b"])
)
def test_marks_are_words_of_the_text(text, stem):
    text += " ab"
    words, snippet = explain(text, {stem: 1.0}, ["ab aa äß b"])
    assert "".join(piece for piece, _ in snippet.pieces()) == snippet.text
    for mark in marked(snippet):
        assert mark in text
        assert mark.lower() == stem
    assert not words or words[0].lower() == stem
    if marked(snippet):
        assert words[0] in text


@pytest.mark.parametrize("marks", [(), ((0, 1),), ((0, 1), (1, 2)), ((2, 3),)])
def test_pieces_are_the_text(marks):
    pieces = Snippet("abc", marks).pieces()
    assert "".join(piece for piece, _ in pieces) == "abc"
    assert [piece for piece, is_marked in pieces if is_marked] == ["abc"[a:b] for a, b in marks]
