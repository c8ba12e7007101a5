"""What holds for every page, whichever template it is made of."""

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from lopsided import report
from lopsided.feedback._missed import MissedEstimate
from lopsided.mail._report import Day, Week
from lopsided.mail._report import MailReport as MailReport
from lopsided.report import Bars, Cell, Plot, Series, Table, Text
from lopsided.report._templates import group_blocks, render_page

TEMPLATES = Path(report.__file__).parent / "templates"
DRAWN = "<img>\"'&amp;<!--"
HOSTILE = f"</p><script>alert(1)</script><img src=x onerror='alert(2)'>{{{{ 7 * 7 }}}}{DRAWN} \x1b[2J\x00"
SHOWN = HOSTILE.replace("\x1b", "\N{SYMBOL FOR ESCAPE}").replace("\0", "\N{SYMBOL FOR NULL}")


class Page(HTMLParser):
    """Tags, comments and text of a page."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.comments, self.text, self.policy = [], [], Counter(), None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        attributes = dict(attributes)
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]

    def handle_comment(self, data):
        self.comments.append(data)

    def handle_data(self, data):
        self.text[data.strip()] += 1


def blocks():
    cells = [Cell(0.5, 0.7, 0.01, HOSTILE, 2), HOSTILE]
    series = [Series(DRAWN, [1, 2], [3, 4])]
    return [
        Table(("F1", HOSTILE), [(HOSTILE, cells)], HOSTILE),
        Text([HOSTILE]),
        Text([HOSTILE] * 9),
        Plot(series, DRAWN, DRAWN, DRAWN, marks=[(1.5, DRAWN)]),
        Bars([DRAWN], [(DRAWN, [1.0])], DRAWN, DRAWN),
        Text(["the end"]),
    ]


def compare_page(**values):
    context = {"title": "A title", "notes": [], "lead": "A lead.", "blocks": []}
    return render_page("compare", **(context | values))


def mail_page():
    days = [Day(f"2024-10-{day:02d}", day, 5, 1, 1, 1, 0, 0) for day in range(1, 15)]
    weeks = [Week(HOSTILE, 7, 0.5, 0.1, 0, 0), Week("2024-10-07", 7, 0.5, None, 0, 0)]
    counts = dict.fromkeys(
        ("shown", "hidden", "explored", "shown ham", "shown spam", "explored ham", "explored spam"), 1
    ) | {"rescued": 0, "changed mind": 0, "ham": 2, "spam": 2}
    missed = MissedEstimate(value=1.0, low=0.0, high=2.0, confidence=0.95)
    return MailReport(HOSTILE, HOSTILE, HOSTILE, counts, 14, 3, True, missed, days, weeks).page()


PAGES = {
    "blocks": lambda: compare_page(
        title=HOSTILE, notes=[HOSTILE, HOSTILE], lead=HOSTILE, blocks=group_blocks(blocks(), "made-up")
    ),
    "mail": mail_page,
}


@pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)
def test_what_comes_from_data_is_text(make):
    html = make()
    page = Page(html)
    assert not {"script", "img", "link", "iframe", "form"} & set(page.tags)
    assert page.comments == []
    assert "{{ 7 * 7 }}" in html
    assert any(SHOWN in text for text in page.text)
    assert not set(html) & set("\x1b\0")
    assert page.policy == (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'none'; base-uri 'none'"
    )


def test_each_value_of_a_page_is_shown():
    page = Page(PAGES["blocks"]())
    # title, heading, lead, two notes; column, line, cell and title of a table; lines of text
    assert sum(n for text, n in page.text.items() if text.strip(".") == SHOWN) >= 5 + 4 + 10
    assert page.text[f"[{SHOWN}]"] == 1
    assert page.tags.count("svg") == 2


def test_an_object_that_calls_itself_html_is_text():
    class Sneaky(str):
        __slots__ = ()

        def __html__(self):
            return "<script>alert(1)</script>"

    page = Page(compare_page(title=Sneaky("a title"), lead=Sneaky("a lead")))
    assert "script" not in page.tags
    assert page.text["a lead"] == 1


def test_a_value_that_is_missing_is_an_error():
    with pytest.raises(UndefinedError, match="'lead' is undefined"):
        render_page("compare", title="A title", blocks=[])


def test_pictures_in_a_row_stand_side_by_side():
    groups = group_blocks(blocks(), pictures=["<svg>1</svg>", ""])
    assert [list(group) for group in groups] == [["table"], ["text"], ["text"], ["figures"], ["text"]]
    drawn, undrawn = groups[3]["figures"]
    assert drawn["picture"] == "<svg>1</svg>"
    html = compare_page(blocks=groups)
    assert html.count('<div class="plots">') == 1
    assert "<figure><svg>1</svg></figure>" in html
    assert html.count('<figure class="undrawn"><pre>') == 1
    assert not undrawn["picture"]


def template_files():
    files = sorted(TEMPLATES.glob("*.html.j2"))
    assert len(files) >= 8
    return files


@pytest.mark.parametrize("path", template_files(), ids=lambda path: path.name)
def test_templates_trust_no_value(path):
    """Autoescape is on for all, so a value is HTML only where a template says so: none may."""
    source = path.read_text(encoding="utf-8")
    assert not re.search(r"\|\s*safe\b|autoescape|Markup", source)
    # A value in an attribute is inside quotation marks, or it could end the attribute.
    for tag in re.findall(r"<[a-z]\w*\b[^<>]*>", re.sub(r"{%.*?%}|{#.*?#}", "", source, flags=re.DOTALL)):
        assert "{{" not in re.sub(r'"[^"{]*(?:{{.*?}}[^"{]*)*"', "", tag), tag


@pytest.mark.parametrize("path", template_files(), ids=lambda path: path.name)
def test_every_page_has_the_same_frame(path):
    if path.name not in ("base.html.j2", "parts.html.j2"):
        assert '{% extends "base.html.j2" %}' in path.read_text(encoding="utf-8")


def test_nothing_but_our_pictures_is_taken_for_html():
    source = Path(report.__file__).parent.parent
    users = {path.name for path in source.rglob("*.py") if "Markup" in path.read_text(encoding="utf-8")}
    assert users == {"_templates.py", "_reading.py"}  # the latter marks words in a text, which it escapes
