import numpy as np
import pytest
from click.testing import CliRunner

import share_check as check
from lopsided.bench.panel._sets import read_split
from lopsided.datasets import make_lopsided


@pytest.fixture
def tiny(monkeypatch):
    """One problem on each side, of two thousand rows."""

    def read(seed):
        X, y = make_lopsided(2000, 4, 0.3, separation=4, random_state=seed)
        return X, y == 1

    problems = {"one": lambda: read(1), "two": lambda: read(2)}
    monkeypatch.setattr(check, "PROBLEMS", problems)
    monkeypatch.setattr(check, "CHOSEN_ON", {"one": problems["one"]})
    monkeypatch.setattr(check, "OTHERS", {"two": problems["two"]})
    monkeypatch.setattr(check, "LABELED", (30, 200))
    monkeypatch.setattr(check, "SHARES", (0.1, 0.5))
    check.load.cache_clear()
    yield
    check.load.cache_clear()


def test_no_problem_is_on_both_sides():
    assert not set(check.CHOSEN_ON) & set(check.OTHERS)


def test_no_problem_is_wanted_in_the_test_half_of_the_panel():
    split = read_split()
    kept_apart = [name for regime in ("rare", "positives") for name in split[regime]["test"]]
    classes = {name.split("/")[-1].replace(":", " ").lower() for name in kept_apart}
    names = {part.lower() for name in check.PROBLEMS for part in (name, name.split(" ")[-1])}
    assert not names & classes


@pytest.mark.usefixtures("tiny")
def test_a_draw_has_the_share_that_was_asked_for_and_hides_the_rest():
    X, is_labeled, is_hidden = check.draw("one", 200, 0.1, seed=0)
    assert is_labeled.sum() == 200
    assert len(is_hidden) == (~is_labeled).sum() == X.shape[0] - 200
    assert is_hidden.mean() == pytest.approx(0.1, abs=1e-3)
    assert len(np.unique(X, axis=0)) == len(X)  # no row is labeled and hidden


@pytest.mark.usefixtures("tiny")
def test_a_draw_does_not_depend_on_others():
    first = check.draw("one", 30, 0.5, seed=0)
    check.draw("two", 30, 0.5, seed=0)
    again, other = check.draw("one", 30, 0.5, seed=0), check.draw("one", 30, 0.5, seed=1)
    assert np.array_equal(first[0], again[0])
    assert not np.array_equal(first[0], other[0])


@pytest.mark.usefixtures("tiny")
def test_too_few_rows_are_no_draw():
    assert check.draw("one", 599, 0.5, seed=0) is None


@pytest.mark.parametrize("rival", check.RIVALS.values(), ids=check.RIVALS)
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_rivals_find_a_share_that_is_plain_to_see(rival, share):
    """Positives and negatives do not overlap at all, and there are many of either."""
    rng = np.random.default_rng(0)
    labeled = rng.uniform(1, 2, 4000)
    heap = np.where(rng.random(20_000) < share, rng.uniform(1, 2, 20_000), rng.uniform(0, 1, 20_000))
    assert rival(labeled, heap) == pytest.approx(share, abs=0.06)


def test_summary_counts_what_the_intervals_hold():
    def one(truth, low, high, value):
        values = dict.fromkeys(check.RIVALS, 0.0) | {check.OURS: value}
        return check.Estimate("p", 30, truth, low, high, values)

    found = check.summarise([one(0.1, 0.0, 0.2, 0.2), one(0.3, 0.1, 0.2, 0.3), one(0.1, 0.2, 0.3, 0.1)])
    assert found["draws"] == 3
    assert found["covered"] == pytest.approx(100 / 3)
    assert found["not above"] == pytest.approx(200 / 3)
    assert found[check.OURS] == pytest.approx(10 / 3)
    assert found["TIcE"] == pytest.approx(50 / 3)
    assert found["median error"] == pytest.approx(0)
    assert found["width"] == pytest.approx(100)


@pytest.mark.usefixtures("tiny")
@pytest.mark.slow
def test_the_command_prints_both_sides_apart():
    result = CliRunner().invoke(check.main, ["--seeds", "1"], catch_exceptions=False)
    titles = [line.split(" | ")[0].strip("| ") for line in result.output.splitlines()]
    assert titles[1:] == [
        "one",
        "chosen on, 30 labeled",
        "chosen on, 200 labeled",
        "chosen on, all",
        "two",
        "others, 30 labeled",
        "others, 200 labeled",
        "others, all",
    ]
