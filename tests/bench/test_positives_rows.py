"""The rows of T8 and T8b, on little data."""

import numpy as np
import pytest

from lopsided import bench
from lopsided.bench import _positives
from lopsided.datasets import make_islands


@pytest.fixture(autouse=True)
def islands(monkeypatch):
    def unlabeled(n=600):
        X, y, truth = make_islands(n_unlabeled=n, random_state=0)
        return _positives.KnownAndUnlabeled(X, y, truth)

    monkeypatch.setattr(_positives, "_letters", lambda: [unlabeled()] * len(_positives._LETTERS))
    monkeypatch.setattr(_positives, "_forest", unlabeled)
    monkeypatch.setattr(_positives, "_SIZES", (200, 800))


def test_every_row_does_the_same_work_on_both_sides():
    measured = {one.row.name: one for one in bench.run("positives")}
    assert list(measured) == ["T8", "T8 svc", "T8b"]
    assert measured["T8"].quality.good
    assert "A 0.9" in measured["T8"].quality.figures or "A 1.0" in measured["T8"].quality.figures
    assert "to the power" in measured["T8b"].quality.figures


def test_a_worse_answer_is_called_worse():
    good, bad = [0.9] * 5, [0.9] * 4 + [0.8]
    assert _positives._f1_on_letters(good, bad).good
    assert not _positives._f1_on_letters(bad, good).good


def test_the_bar_is_an_exponent():
    """Twice the rows in 2 to the 1.3 times the time is just allowed."""
    row = next(row for row in _positives.rows() if row.name == "T8b")
    assert np.log(1 / row.must) / np.log(4) == pytest.approx(1.3)
    assert "power 1.00" in _positives._exponent((4.0, 0.5), (1.0, 0.5)).figures
