import math

import numpy as np
import pytest

from lopsided.papers.sculley_2007 import data
from lopsided.papers.sculley_2007.claims import SMALLEST
from lopsided.papers.sculley_2007.data import PUBLISHED_SIZES, corpora, load, positive_first


def test_what_the_paper_says_of_its_streams():
    assert [PUBLISHED_SIZES.value("n", stream=name) for name in data.ORIGINALS] == [92189, 37822]
    assert PUBLISHED_SIZES.value("positive_rate", stream="earn") == 0.3
    assert PUBLISHED_SIZES.value("positive_rate", stream="spamassassin") is None
    assert set(PUBLISHED_SIZES.labels("stream")) < set(data.STREAMS)


def test_the_first_positive_comes_first():
    assert positive_first(np.array([0, 0, 1, 0, 1])).tolist() == [2, 0, 1, 3, 4]


def test_a_stream_that_is_not_there():
    with pytest.raises(ValueError, match=r"no stream 'trec05c'.*trec07p"):
        load("trec05c")


def test_reuters(need):
    need("reuters21578")
    earn, corn = load("earn"), load("corn")
    assert earn.X.shape == corn.X.shape
    assert earn.X.shape[0] == 9603 - 787  # those without a body are gone
    for stream in (earn, corn):
        assert stream.y[0] == 1
        assert set(stream.y.tolist()) == {0, 1}
    first = earn.X[0].data
    np.testing.assert_allclose(first, 1 / math.sqrt(len(first)))  # binary, of length 1
    # Both are one order of documents but for the first.
    a, b = (np.delete(np.asarray(stream.X.sum(axis=1)).ravel(), 0) for stream in (earn, corn))
    assert (a == b).mean() > 0.99


def test_the_topics_are_the_ten_largest_in_order_of_size(need):
    need("reuters21578")
    rates = [load(topic).y.mean() for topic in data.TOPICS]
    assert 0.28 < rates[0] < 0.34  # the paper: 30 % to 1.9 %
    assert 0.015 < rates[-1] < 0.025
    assert rates[:2] == sorted(rates, reverse=True)[:2]
    assert set(rates[-SMALLEST:]) == set(sorted(rates)[:SMALLEST])


def test_the_tuning_stream(need):
    need("spamassassin")
    mail = load("spamassassin")
    assert mail.X.shape == (6046, 2**20)
    assert mail.y.sum() == 4150  # ham is to be shown
    assert mail.partial is None


def test_the_first_of_a_stream(need):
    need("spamassassin")
    part, whole = load("spamassassin", 100), load("spamassassin")
    assert part.X.shape == (100, 2**20)
    assert (whole.X[:100] != part.X).nnz == 0
    assert (part.y == whole.y[:100]).all()


@pytest.mark.parametrize(
    ("at_hand", "expected"),
    [
        ((), ("trec07p",)),
        (("trec06p",), ("trec06p",)),
        (("trec05p-1", "trec06p"), ("trec05p-1", "trec06p")),
    ],
)
def test_the_original_corpora_are_taken_where_they_are_at_hand(monkeypatch, tmp_path, at_hand, expected):
    monkeypatch.setenv("LOPSIDED_DATA", str(tmp_path))
    monkeypatch.setattr("lopsided.datasets._cache.cache_folder", lambda: tmp_path / "cache")
    for name in at_hand:
        (tmp_path / name / "full").mkdir(parents=True)
        (tmp_path / name / "full" / "index").touch()
    assert corpora() == expected


def test_a_folder_that_is_not_there_is_left_to_the_units(monkeypatch, tmp_path):
    monkeypatch.setenv("LOPSIDED_DATA", str(tmp_path / "nowhere"))
    assert corpora() == ("trec07p",)


def test_an_original_corpus_as_a_stream(monkeypatch, tmp_path):
    """Two invented messages in the layout of the distribution."""
    monkeypatch.setenv("LOPSIDED_DATA", str(tmp_path))
    monkeypatch.setattr("lopsided.datasets._cache.disagreements", lambda expected, found: [])
    for folder in ("full", "data/000"):
        (tmp_path / "trec06p" / folder).mkdir(parents=True)
    (tmp_path / "trec06p/full/index").write_text("ham ../data/000/000\nspam ../data/000/001\n")
    for k in range(2):
        (tmp_path / f"trec06p/data/000/00{k}").write_text(f"Subject: {k}\n\nmessage {k}\n")
    load.cache_clear()
    mail = load("trec06p")
    load.cache_clear()
    assert mail.y.tolist() == [1, 0]
    assert mail.X.shape == (2, 2**20)
    assert mail.partial is None


@pytest.mark.slow
def test_the_mail_stream(need):
    need("trec07p")
    mail = load("trec07p")
    assert mail.X.shape == (75419, 2**20)
    assert mail.y.sum() == 25220
    assert mail.partial.sum() == 30338
