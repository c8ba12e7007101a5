"""The page is read by a parser, as a browser would, so that what is text there is text."""

import re
from base64 import b64encode
from functools import partial
from hashlib import sha256
from html.parser import HTMLParser

import numpy as np
import pytest

from lopsided import make_topics
from lopsided.pu._find import find_more
from lopsided.pu._find_report import FindRecord
from lopsided.report._ranked_page import RankedPage, render_ranked
from lopsided.report._reasons import Snippet
from lopsided.unexpected._find import find_unexpected

TEXTS, TOPICS = make_topics(200, 10, random_state=0)
WANTED = [text for text, topic in zip(TEXTS, TOPICS, strict=True) if topic == 0]
OTHERS = [text for text, topic in zip(TEXTS, TOPICS, strict=True) if topic != 0]
HOSTILE = '</p></li><script>alert(1)</script><img src=x onerror="alert(2)">&amp;<!--'
VOID = {"meta", "input", "br", "rect"}


class Page(HTMLParser):
    """Tags, attributes and text of a page; asserts that what is opened is closed."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.text, self.attributes = [], [], {"all": ""}, []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        where = self.open[-1] if self.open else ""
        self.text[where] = self.text.get(where, "") + data
        self.text["all"] += data


MAKERS = {"find": find_more, "unexpected": partial(find_unexpected, method="lgn")}


@pytest.fixture(params=MAKERS)
def rank(request):
    """Return a function of known and of new texts whose report has such a page."""
    return MAKERS[request.param]


@pytest.fixture(scope="module", params=MAKERS)
def report(request):
    return MAKERS[request.param](WANTED[:8], WANTED[8:] + OTHERS)


def test_every_record_is_there(report):
    html = report.to_html()
    page = Page(html)
    assert html.startswith("<!DOCTYPE html>")
    assert page.tags.count("li") == len(report) + 1  # and the line
    assert (
        html.index('data-rank="1"') < html.index('class="border"') < html.index(f'data-rank="{len(report)}"')
    )
    assert Page(report.to_html(3)).tags.count("li") == 3
    assert "the first 3 of" in report.to_html(3)


def test_reason_words_are_marked(report):
    page = Page(report.to_html(1))
    best = report.records[0]
    assert page.text["mark"] == "".join(p for p, is_marked in best.snippet.pieces() if is_marked)
    assert set(best.words) & set(re.findall(r"<mark>(\w+)</mark>", report.to_html(1)))


def test_the_page_needs_nothing_else_and_runs_nothing_else(report):
    html = report.to_html()
    page = Page(html)
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & set(page.tags)
    names = {name for _, name, _ in page.attributes}
    assert not {"src", "href", "action", "data", "srcset"} & names
    assert not [name for name in names if name.startswith("on")]
    assert "http:" not in html.replace("http-equiv", "")
    assert "https:" not in html
    assert "url(" not in html
    assert "@import" not in html
    policy = next(
        value for tag, name, value in page.attributes if name == "content" and "default-src" in value
    )
    (script,) = re.findall(r"<script>(.*?)</script>", html, flags=re.DOTALL)
    assert "default-src 'none'" in policy
    assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in policy


def test_what_texts_and_names_hold_is_text(rank):
    heap = [f"{text[:60]} {HOSTILE} {text[60:120]}" for text in WANTED[8:]] + OTHERS
    ids = [f"{HOSTILE}{i}.html" for i in range(len(heap))]
    report = rank([f"{HOSTILE} {text}" for text in WANTED[:8]], heap, ids=ids)
    html = report.to_html(title=f"More like {HOSTILE}", notes=[f"{HOSTILE}: 3 documents"])
    page = Page(html)
    assert page.tags.count("script") == 1
    assert "img" not in page.tags
    assert html.count("<!--") == 0
    assert page.text["title"] == f"More like {HOSTILE}"
    assert f"{HOSTILE}: 3 documents" in page.text["footer"]
    assert f"{HOSTILE}0.html" in page.text["bdi"]
    shown = [record for record in report.records if HOSTILE in record.snippet.text]
    assert len(shown) >= 5
    for record in shown:
        assert record.snippet.text in page.text["all"]


def test_characters_that_no_page_may_hold(rank):
    heap = [f"\x1b[2J\x07 {text} \u202e \ud800 \x85" for text in WANTED[8:]] + OTHERS
    report = rank(WANTED[:8], heap, ids=[f"\x00{i}\n" for i in range(len(heap))])
    html = report.to_html(title="a\x0bb")
    assert not set(html) & set("\x00\x07\x0b\x1b\x85\ud800")
    html.encode()  # no lone surrogate
    assert "\N{SYMBOL FOR ESCAPE}[2J" in html


def test_what_was_left_out_is_said(rank):
    html = rank(WANTED[:8], [*WANTED[7:], "", *OTHERS]).to_html(notes=["mail.csv: 2 skipped"])
    footer = Page(html).text["footer"]
    assert "1 equal to a known " in footer
    assert "1 without a word" in footer
    assert "mail.csv: 2 skipped" in footer


def test_a_page_of_few_texts():
    ships = ["The ship left the port.", "A ship and its crew.", "Two ships in the harbour."]
    Page(find_more(ships, ["Wheat grows.", "Some ships sank in port.", "Wheat prices grow."]).to_html())
    report = find_more(ships, ["Some ships sank in port.", "In port: some ships, sank.", "Wheat."])
    assert len(report) == 2
    assert "svg" not in Page(report.to_html()).tags  # one score is no distribution


def test_a_page_of_thousands_is_made_of_light_rows(rank):
    texts, topics = make_topics(3000, 20, n_words=15, random_state=0)
    wanted = [text for text, topic in zip(texts, topics, strict=True) if topic == 0]
    others = [text for text, topic in zip(texts, topics, strict=True) if topic != 0]
    report = rank(wanted[:10], wanted[10:] + others)
    html = report.to_html()
    assert Page(html).tags.count("li") >= len(report)
    assert len(html) < 1000 * len(report)
    assert "content-visibility: auto" in html


def draw(scores, line="the line"):
    """A page of texts with these scores."""
    records = [
        FindRecord(i + 1, "x", i, score, score >= 0, (), Snippet("")) for i, score in enumerate(scores)
    ]
    return render_ranked(RankedPage("", [], line), np.array(scores), records, title="", notes=[])


def test_the_line_parts_two_bars():
    html = draw([1.0, 0.005, 0.004, -0.004, -1.0])
    assert (html.count('class="over"'), html.count('class="under"')) == (2, 2)
    html = draw([1.0, 0.005, -0.004, -1.0], line=None)
    assert (html.count('class="over"'), html.count('class="under"')) == (0, 4)
    assert "coloured" not in html


def test_a_few_far_below_do_not_squeeze_the_others():
    scores = [*np.linspace(1, -1, 99).tolist(), -50.0]
    html = draw(scores)
    assert html.count("<rect") > 30
    assert int(re.search(r'viewBox="0 0 (\d+) 60"', html)[1]) <= 1020
    assert "<span>≤ -" in html
    widths = [int(width) for width in re.findall(r"width:(\d+)%", html)]
    assert len(widths) == 100
    assert widths[0] == 100
    assert widths[-1] == 0 < widths[-2]
    assert "≤" not in draw(scores[:-1])
