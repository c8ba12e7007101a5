import numpy as np
import pytest
from click.testing import CliRunner

import ranking_check as check
from lopsided.datasets import make_topics

FEW = ("RocSVM(max_iter=1)", "SpyEM()", "its first step alone")


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Topics that were made up, in place of all corpora."""

    def read():
        texts, topic = make_topics(400, random_state=0)
        return check._corpus(texts, {"one": topic == 0, "two": topic == 1})

    monkeypatch.setattr(check, "SOURCES", {"made": read})
    monkeypatch.setattr(check, "KNOWN", (5,))
    monkeypatch.setattr(check, "_LEAST_HIDDEN", 5)
    check.load.cache_clear()
    yield
    check.load.cache_clear()


def test_what_is_known_is_not_ranked(monkeypatch):
    """A method that knows the known ones, and nothing else, must not gain by it."""
    monkeypatch.setitem(check.METHODS, "parrot", lambda weights, counts, y: y.astype(float))
    is_positive = check.load("made").classes["one"]
    base = (is_positive.sum() - 5) / (len(is_positive) - 5)
    assert check.rank("made", "one", 5, "parrot", seed=0) == pytest.approx(base)


@pytest.mark.parametrize("method", FEW)
def test_methods_rank_better_than_chance(method):
    is_positive = check.load("made").classes["one"]
    assert check.rank("made", "one", 5, method, seed=0) > 3 * is_positive.mean()


def test_seeds_draw_other_positives_and_equal_ones_the_same(monkeypatch):
    seen = []
    monkeypatch.setitem(check.METHODS, "spy", lambda weights, counts, y: seen.append(y) or y.astype(float))
    for seed in (0, 0, 1):
        check.rank("made", "one", 5, "spy", seed)
    assert np.array_equal(seen[0], seen[1])
    assert not np.array_equal(seen[0], seen[2])


def test_classes_with_too_few_left_are_not_counted():
    n_positive = int(check.load("made").classes["one"].sum())
    assert check.rank("made", "one", n_positive - 4, FEW[0], seed=0) is None


def test_the_command_prints_a_table():
    arguments = ["--seeds", "1", *(word for method in FEW for word in ("--method", method))]
    lines = CliRunner().invoke(check.main, arguments, catch_exceptions=False).output.splitlines()
    assert lines[0] == "| made | 5 |"
    assert [line.split("`")[1] for line in lines[1:]] == list(FEW)
