"""The check of what is left: topics apart, a search by true labels, and the record as it was."""

import numpy as np
import pytest

import remaining_check as check
from lopsided.screening import ScreeningSession, estimate_remaining
from lopsided.screening._strategies import STRATEGIES

TEXTS = [f"ship {i % 7} sea" for i in range(20)] + [f"wheat {i % 5} field {i}" for i in range(130)]
RELEVANT = np.arange(150) < 20


@pytest.fixture
def strategy():
    name = check.add_strategy(0.2)
    yield name
    del STRATEGIES[name]


def names(topics):
    return {(corpus, name.split(":")[0]) for corpus, text in topics.items() for name in text.split()}


def test_twenty_judging_topics_had_no_part_in_the_design():
    assert len(names(check.JUDGING)) == 20
    assert not names(check.JUDGING) & names(check.DESIGN)
    assert not names(check.REVIEWS) & names(check.DESIGN)


def test_a_search_ends_with_everything_found_and_mixes_in_checks(strategy):
    screened = check.screen(ScreeningSession(TEXTS, strategy=strategy), RELEVANT)
    assert screened.relevant.sum() == 20
    assert set(screened.reasons) == {"given", "most likely", "random check"}
    assert 10 < screened.reasons.count("random check") < 60


def test_checkpoints_compare_the_estimate_of_then_with_the_truth(strategy):
    screened = check.screen(ScreeningSession(TEXTS, strategy=strategy), RELEVANT)
    points = list(check.check(screened, 20, "toy", "ship"))
    assert [p.n_labels for p in points] == [50, 100, 150]
    for p in points:
        then = check.truncate(screened, p.n_labels)
        assert p.truth == 20 - then.relevant.sum()
        assert (p.low, p.high) == estimate_remaining(then)[2:4]
    assert points[-1].covers
    assert "150" in check.describe("x", points * 50)


def test_a_line_without_a_number_told():
    point = check.Checkpoint("toy", "ship", 50, 3, 4, 5.0, 0, 3, can_tell=False)
    assert not point.covers
    assert check.describe("none told", [point]).split() == ["none", "told", "1", "0"]
    assert check.describe("one", [point._replace(can_tell=True)]).split()[1:5] == ["1", "1", "0.000", "1.000"]
