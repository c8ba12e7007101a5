import json

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from lopsided import demo
from lopsided.cli import main
from lopsided.datasets import DataUnavailable
from lopsided.demo import SETTINGS, _corpus
from lopsided.demo._one_sided import _perceptron_stream


@pytest.fixture
def no_newsgroups(monkeypatch):
    def unreachable():
        raise DataUnavailable("newsgroups cannot be reached.")

    monkeypatch.setattr(_corpus, "fetch_newsgroups", unreachable)


def test_made_up_text_stands_in_and_says_so(no_newsgroups, capsys):
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert "NOTICE" in out
    assert "newsgroups cannot be reached" in " ".join(out.split())
    for setting in SETTINGS:
        assert setting in out
    assert max(map(len, out.splitlines())) <= 80


def test_json_has_a_result_for_every_setting(no_newsgroups, capsys):
    assert main(["demo", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [r["setting"] for r in printed["results"]] == list(SETTINGS)
    for r in printed["results"]:
        assert 0 <= r["f1"] <= 1
        assert r["f1"] == pytest.approx(2 * r["tp"] / max(2 * r["tp"] + r["fp"] + r["fn"], 1))


def test_real_text(need, capsys):
    need("newsgroups")
    assert main(["demo", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["corpus"] == "20 Newsgroups"
    assert printed["documents"] == 18_846
    rare, pu, stream, unexpected = printed["results"]
    assert rare["labels"] == 11_314 - 533  # nine in ten of the 593 documents of sci.space are held back
    assert pu["labels"] == 50
    assert pu["tp"] + pu["fn"] == 600 - 50
    assert (
        stream["labels"] == stream["tp"] + stream["fp"]
    )  # a label comes back for what is shown, and only for it
    assert stream["recall"] < 0.5  # the perceptron ratchets: it is the baseline for that reason
    assert unexpected["tp"] + unexpected["fn"] == 79


def test_labels_of_what_was_withheld_reach_no_learner():
    rng = np.random.default_rng(0)
    X = csr_matrix(rng.normal(size=(300, 5)))
    y = (X @ np.arange(5) + rng.normal(size=300) > 0).astype(int)
    shown, scores = _perceptron_stream(X, y)
    assert 0 < shown.sum() < 300
    other = np.where(shown, y, 1 - y)
    shown_again, scores_again = _perceptron_stream(X, other)
    np.testing.assert_array_equal(shown_again, shown)
    np.testing.assert_array_equal(scores_again, scores)


def test_hidden_positives_reach_no_learner():
    """Taking the group from every hidden document changes the score, and what is predicted stays."""
    rng = np.random.default_rng(0)
    texts, topic = demo._corpus.make_topics(n_samples=3_000, random_state=0)
    vectors = demo._corpus.StemmedVectorizer().fit_transform(texts)
    names = np.array([f"topic {t:02d}" for t in topic])
    corpus = demo.Corpus("made", "", vectors, names, rng.random(3_000) < 0.6)
    positive = next(SETTINGS["positive + unlabeled"](corpus))
    train = np.flatnonzero(corpus.is_train)
    hidden = train[(names[train] == "topic 10")][50:]
    assert len(hidden) > 20
    changed = names.copy()
    changed[hidden] = "topic 00"
    again = next(SETTINGS["positive + unlabeled"](demo.Corpus("made", "", vectors, changed, corpus.is_train)))
    assert positive.counts.tp + positive.counts.fp == again.counts.tp + again.counts.fp
