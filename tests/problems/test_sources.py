"""Data as the papers and the benchmarks need them."""

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.utils import Bunch

from lopsided.problems import digits, mail, newsgroups, reuters, uci, webkb


def test_the_subject_is_kept_and_the_other_headers_are_not(monkeypatch):
    data = ["From: me\nSubject: Re: a pear\n\nbody\n\nmore", "From: me\n\nbody"]
    bunch = Bunch(data=data, target=np.array([0, 1]), target_names=["a", "b"])
    monkeypatch.setattr(newsgroups, "fetch_newsgroups", lambda version, remove: bunch)
    assert newsgroups.read_subjects_and_bodies().texts == [" Re: a pear\nbody\n\nmore", "\nbody"]
    assert newsgroups.read_subjects_and_bodies(headers=True).texts == data


def test_pages_without_their_header(monkeypatch):
    bunch = Bunch(data=["Server: x\n\n<html>\n\nend"], target=np.array([0]), target_names=["staff"])
    monkeypatch.setattr(webkb, "fetch_webkb", lambda: bunch)
    assert webkb.read_pages().texts == bunch.data
    assert webkb.read_bodies().texts == ["<html>\n\nend"]
    assert webkb.read_bodies().classes.tolist() == ["staff"]


def test_heads_of_messages(monkeypatch):
    bunch = Bunch(data=[b"x" * 5000, b"y"], target=np.array([1, 0]))
    monkeypatch.setitem(mail.CORPORA, "spamassassin", lambda: bunch)
    read = mail.read_mail("spamassassin")
    assert [len(head) for head in read.heads] == [3000, 1]
    assert (read.partial, read.folders) == (None, None)


@pytest.mark.parametrize(
    ("name", "read", "shapes"),
    [
        ("usps", digits.read_usps, ((7291, 256), (2007, 256))),
        ("satimage", lambda: uci.read_split("satimage"), ((4435, 36), (2000, 36))),
        ("letter", uci.read_letter_split, ((18_000, 16), (2_000, 16))),
        ("adult", uci.read_adult, ((32_561, 121), (16_281, 121))),
    ],
)
def test_splits(need, name, read, shapes):
    need(name)
    split = read()
    assert (split.X_train.shape, split.X_test.shape) == shapes
    assert (len(split.y_train), len(split.y_test)) == (shapes[0][0], shapes[1][0])


def test_adult_is_indicators(need):
    need("adult")
    split = uci.read_adult()
    assert issparse(split.X_train)
    assert set(split.X_train.data) == {1}
    assert split.X_train.sum(axis=1).max() == 14  # one indicator of each of the 14 columns
    assert split.y_train.sum() == 7841


def test_features_between_0_and_1(need):
    need("letter")
    X, letters = uci.read_letters()
    assert (X.shape, X.min(), X.max()) == ((20_000, 16), 0, 1)
    assert set(letters) == set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def test_stories(need):
    need("reuters21578")
    split = reuters.read_tfidf()
    assert split.train.documents.shape == (7_770, 8_387)
    assert split.test.labels("grain").sum() == 149
    single = reuters.read_single_topic_stories()
    assert len(single.texts) == len(single.target)
    assert "earn" in single.classes
    assert len(reuters.read_stories_with_a_body().documents) < 9_603
