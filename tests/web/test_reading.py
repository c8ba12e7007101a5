"""How a text is laid out, and that nothing in it can become markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from lopsided.web._reading import link_of, mark, marked_words, split_paragraphs, word_stem


def test_hard_wrapped_lines_are_joined_and_short_ones_kept():
    wrapped = "A line of mail that is long enough to have been broken by a program\nand its second line."
    poem = "Roses are red,\nviolets are blue."
    kinds = [part.keeps_lines for part in split_paragraphs(f"{wrapped}\n\n{poem}")]
    assert kinds == [False, True]


def test_an_indented_paragraph_is_prose():
    text = "    A paragraph that somebody indented as a whole, as the FAQs of old did,\n    goes on here."
    part = split_paragraphs(text)[0]
    assert not part.keeps_lines
    assert part.text.endswith("old did, goes on here.")


def test_quotes_are_told_apart():
    parts = split_paragraphs("> You said so.\n> Did you?\n\nNo.")
    assert [part.is_quote for part in parts] == [True, False]


def test_headings_of_abstracts():
    text = "BACKGROUND: Ships sink. METHODS: We looked. MAIN OUTCOME MEASURE: Ships."
    parts = split_paragraphs(text)
    assert [part.heading for part in parts] == ["BACKGROUND:", "METHODS:", "MAIN OUTCOME MEASURE:"]
    assert parts[0].text == "Ships sink."


@given(st.text(max_size=300))
def test_no_word_of_a_text_is_lost(text):
    found = " ".join(f"{part.heading} {part.text}" for part in split_paragraphs(text))
    assert found.split() == text.split()


@given(st.text(max_size=200), st.lists(st.text(max_size=10), max_size=4))
def test_marking_adds_nothing_but_marks(text, words):
    marked = mark(text, marked_words(words, []))
    assert "<" not in marked.replace('<mark class="for">', "").replace("</mark>", "")
    assert isinstance(marked, Markup)


def test_words_are_marked_up_to_their_ending():
    assert mark("Headaches, headache & <b>", marked_words(["headache"], [])) == (
        '<mark class="for">Headaches</mark>, <mark class="for">headache</mark> &amp; &lt;b&gt;'
    )
    assert marked_words(["ship"], ["ships"]) == {word_stem("ship"): "own"}


@pytest.mark.parametrize(
    ("name", "value", "address"),
    [
        ("doi", "https://doi.org/10.1/x", ""),
        ("DOI", "10.1000/182", "https://doi.org/10.1000/182"),
        ("pmid", "17", "https://pubmed.ncbi.nlm.nih.gov/17/"),
        ("url", "https://example.org/a?b=1", "https://example.org/a?b=1"),
        ("url", "javascript:alert(1)", ""),
        ("url", "data:text/html,x", ""),
        ("doi", "10.1000/182 and more", ""),
    ],
)
def test_links(name, value, address):
    assert link_of(name, value) == ("https://doi.org/10.1/x" if value.endswith("10.1/x") else address)
