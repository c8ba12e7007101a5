"""The row of `find` in an archive, on few documents."""

from types import SimpleNamespace

import pytest

from lopsided import make_topics
from lopsided.bench import Measured, _scale, measure


@pytest.fixture
def few(monkeypatch):
    texts, topics = make_topics(400, 4, random_state=0)
    news = SimpleNamespace(data=texts[:300], target=topics[:300], target_names=["sci.space", "b", "c", "d"])
    monkeypatch.setattr("lopsided.datasets.fetch_newsgroups", lambda: news)
    monkeypatch.setattr("lopsided.datasets.fetch_reuters21578", lambda: SimpleNamespace(data=texts[300:]))
    monkeypatch.setattr(_scale, "_KNOWN", 20)
    _scale._archive.cache_clear()
    yield
    _scale._archive.cache_clear()


def test_both_sides_read_the_same_documents(few):
    rows = list(_scale.rows())
    assert [row.name for row in rows] == ["T13", "T13 100k", "T13 20k"]
    row = _scale.make_row("few", 500)
    measured = measure(row)
    assert isinstance(measured, Measured)
    assert measured.ratio > 0
    assert "peak " in measured.quality.figures
    assert measured.quality.good


def test_words_are_changed(few):
    known, archive = _scale._archive(200)
    texts = archive.read_text().splitlines()
    assert len(texts) == len(set(texts)) == 200
    assert len(known.read_text().splitlines()) == 20
