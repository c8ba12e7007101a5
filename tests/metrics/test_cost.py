from types import SimpleNamespace

import pytest

from lopsided.metrics import Counts, label_cost


def test_by_hand():
    counts = Counts(tp=4, fp=3, fn=2, tn=91)
    assert label_cost(counts) == 5
    assert label_cost(counts, 1, 10) == 23
    assert label_cost(counts, false_positive=2, false_negative=0) == 6
    assert label_cost(counts, label=0.5, n_labels=7) == 8.5


def test_a_report_knows_how_many_labels_were_read():
    report = SimpleNamespace(fp=1, fn=1, n_labels=100)
    assert label_cost(report, label=0.1) == 12
    assert label_cost(report, label=0.1, n_labels=0) == 2


def test_bad_input():
    with pytest.raises(ValueError, match="Pass n_labels"):
        label_cost(Counts(fp=1), label=1)
    with pytest.raises(ValueError, match="false_negative must be a finite price"):
        label_cost(Counts(fp=1), false_negative=-1)
