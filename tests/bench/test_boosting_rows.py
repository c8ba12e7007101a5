"""The rows of T9 and T10, on little data."""

import numpy as np
import pytest

from lopsided import bench
from lopsided.bench import _boosting


@pytest.fixture
def little(monkeypatch):
    rng = np.random.default_rng(0)
    y = (np.arange(300) < 90).astype(int)
    X = (rng.random((300, 30)) < np.where(y[:, None] & (np.arange(30) < 5), 0.5, 0.1)).astype(float)
    words = _boosting.WordPresence(X, y)
    monkeypatch.setattr(_boosting, "made_words", lambda: words)
    monkeypatch.setattr(_boosting, "earn", lambda: words)


@pytest.mark.filterwarnings("ignore:no question about a column:UserWarning")
def test_every_row_does_the_same_work_on_both_sides(little):
    measured = {one.row.name: one for one in bench.run("boosting")}
    assert list(measured) == ["T9", "T9 earn", "T10", "T10 earn"]
    assert all(one.quality.good for one in measured.values())
    assert "training error 0." in measured["T9"].quality.figures
    assert "optimum 0." in measured["T10"].quality.figures


def test_a_worse_answer_is_called_worse():
    assert _boosting._training_errors(0.05, 0.05).good
    assert not _boosting._training_errors(0.07, 0.05).good
    assert _boosting._same_optimum((0.2, 30), (0.2000001, 28)).good
    assert not _boosting._same_optimum((0.2, 30), (0.20001, 28)).good


def test_the_made_words_are_as_many_as_the_papers():
    words = _boosting.made_words()
    assert words.X.shape == (9_603, 6_242)
    assert words.y.sum() == 2_877
    assert 45 < words.X.nnz / words.X.shape[0] < 55
