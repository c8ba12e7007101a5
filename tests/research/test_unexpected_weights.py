"""The script that learned the fixed weights: on topics that were made up."""

import numpy as np
import pytest

import unexpected_weights as script
from lopsided.bench.panel._sets import Classes
from lopsided.compare._data import ComparedRows, weigh_words
from lopsided.datasets import make_topics


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Four topics, one of them hidden, in place of the data sets of the panel."""
    texts, topic = make_topics(400, n_topics=4, random_state=0)
    data = Classes(ComparedRows(weigh_words(texts), topic.astype(str), is_text=True, texts=texts), ["3"])
    monkeypatch.setattr(script, "read_classes", lambda name: data)
    monkeypatch.setattr(script, "read_split", lambda: {"unexpected": {"tune": ["made"], "test": ["secret"]}})


def test_there_is_one_example_a_hidden_class():
    several, one = list(script.examples("made", False)), list(script.examples("made", True))
    assert (len(several), len(one)) == (1 + 3, 1)
    for known, hidden in several:
        assert known.shape[1] == hidden.shape[1] == script.N_MEASURES
        assert np.isfinite(known).all()


def test_it_prints_weights_of_what_it_learned_from(capsys):
    script.main()
    out = capsys.readouterr().out
    assert "words: (" in out
    assert "from 4 hidings" in out
    assert "words, one known class: (" in out
