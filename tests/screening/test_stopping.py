"""Stopping rules fire when they should and not before, and remember when they first did."""

import numpy as np
import pytest

from lopsided.screening._record import Screened
from lopsided.screening._remaining import estimate_remaining
from lopsided.screening._stopping import StopReason, can_stop, stop_reasons


def screen(relevant, reasons="most likely", n_items=1000, **more):
    n = len(relevant)
    reasons = [reasons] * n if isinstance(reasons, str) else list(reasons)
    rows = np.arange(n)
    return Screened(
        rows, np.array(relevant, bool), reasons, np.full(n, np.nan), n_items - rows, n_items, **more
    )


def rule(name, screened, **options):
    return next(reason for reason in stop_reasons(screened, **options) if reason.rule == name)


def test_run_fires_at_its_length_and_not_before():
    relevant = [True] + [False] * 49
    assert not rule("run of irrelevant", screen(relevant)).fires
    reason = rule("run of irrelevant", screen([*relevant, False]))
    assert (reason.fires, reason.since) == (True, 51)
    assert "last 50 answers" in reason.sentence


def test_run_that_ends_keeps_when_it_first_fired():
    reason = rule("run of irrelevant", screen([True, False, False, True, False]), run_length=2)
    assert (reason.fires, reason.since) == (False, 3)


def test_run_needs_something_found_and_does_not_count_what_was_given():
    assert not rule("run of irrelevant", screen([False] * 80)).fires
    assert not rule("run of irrelevant", screen([True] + [False] * 80, "given")).fires
    mixed = [True, False, False, False], ["given", "given", "most likely", "random check"]
    assert not rule("run of irrelevant", screen(*mixed), run_length=3).fires
    assert rule("run of irrelevant", screen(*mixed), run_length=2).fires


def test_saturation_fires_when_support_vectors_level_off():
    relevant = np.arange(200) < 10
    support = np.minimum(np.arange(200.0), 100)
    reason = rule("saturation", screen(relevant, "border", n_support=support))
    # a window of 50 labels may add 25: 25 labels after the count stands still
    assert (reason.fires, reason.since, reason.applies) == (True, 126, True)
    assert not rule("saturation", screen(relevant, "border", n_support=np.arange(200.0))).fires
    assert not rule("saturation", screen(relevant & (np.arange(200) < 4), "border", n_support=support)).fires


def test_saturation_applies_only_to_questions_on_the_border():
    relevant, support = np.arange(200) < 10, np.minimum(np.arange(200.0), 100)
    reason = rule("saturation", screen(relevant, "most likely", n_support=support))
    assert (reason.fires, reason.since, reason.applies) == (False, None, False)
    assert "Does not apply" in reason.sentence
    half = ["border" if i % 2 else "most likely" for i in range(200)]
    assert rule("saturation", screen(relevant, half, n_support=support)).fires
    fewer = ["border" if i % 3 == 0 else "most likely" for i in range(200)]
    assert not rule("saturation", screen(relevant, fewer, n_support=support)).applies
    changed = ["border"] * 160 + ["most likely"] * 40  # it fired, and then another strategy was chosen
    reason = rule("saturation", screen(relevant, changed, n_support=support))
    assert (reason.fires, reason.since, reason.applies) == (False, 126, False)


@pytest.mark.parametrize("support", [None, np.full(60, np.nan)])
def test_saturation_without_a_model_says_so(support):
    reason = rule("saturation", screen([True] * 60, n_support=support))
    assert not reason.fires
    assert "no model" in reason.sentence


def test_target_is_reached_when_nothing_is_left_and_since_is_kept():
    everything = screen([True, False, True], n_items=3)
    reasons = stop_reasons(everything)
    assert (reasons[0].fires, reasons[0].since) == (True, 3)
    later = stop_reasons(everything._replace(n_items=400), earlier=reasons)
    assert (later[0].fires, later[0].since) == (False, 3)


def test_target_recall_follows_the_upper_end_and_remembers_the_first_time():
    relevant = np.arange(900) < 60
    reasons = ["random check" if i % 20 == 19 else "most likely" for i in range(900)]
    relevant[[i for i, reason in enumerate(reasons) if reason == "random check"]] = False
    fired = []
    for n in range(100, 901, 100):
        screened = screen(relevant[:n], reasons[:n], n_items=5000)
        reason = rule("target recall", screened, target_recall=0.9)
        told = estimate_remaining(screened)
        assert reason.fires == (told.can_tell and told.found >= 0.9 * (told.found + told.high))
        fired.append(reason.fires)
    assert fired == sorted(fired)
    assert fired[0] < fired[-1]
    first = 100 * (1 + fired.index(True))
    assert first - 100 < reason.since <= first + 9
    assert rule("target recall", screened, target_recall=0.5).since < reason.since
    assert "At least 9" in reason.sentence


def test_nothing_fires_without_labels():
    for reason in stop_reasons(screen([])):
        assert (reason.fires, reason.since) == (False, None)
        assert reason.sentence.endswith(".")


def test_a_session_that_is_begun_anew_finds_when_the_target_was_first_reached():
    """As after a restart of the page: nothing is known from before, and the rule does not fire any more."""
    before = screen(np.arange(400) < 60, n_items=3000)
    checks = ["random check" if i % 10 == 9 else "most likely" for i in range(420)]
    relevant = (np.arange(420) < 60) & np.array([reason == "most likely" for reason in checks])
    relevant[401:] = True
    before = screen(relevant[:400], checks[:400], n_items=3000)
    after = screen(relevant, checks, n_items=3000)
    assert rule("target recall", before, target_recall=0.8).fires
    reason = rule("target recall", after, target_recall=0.8)
    assert not reason.fires
    assert reason.since <= 400
    later = stop_reasons(after, target_recall=0.8, earlier=[reason._replace(since=None)])
    assert later[0].since is None  # an earlier call has looked already


def test_rules_combine():
    reasons = [StopReason("a", True, 1, ""), StopReason("b", False, None, "")]
    stops = {rules: can_stop(reasons, list(rules)) for rules in ("a", "b", "", "ab")}
    assert stops == {"a": True, "b": False, "": False, "ab": False}
    assert can_stop(reasons, ["a", "b"], "any")
    idle = [*reasons, StopReason("d", False, None, "", applies=False)]
    assert can_stop(idle, ["a", "d"])  # what does not apply is not counted
    assert not can_stop(idle, ["d"])
    with pytest.raises(ValueError, match=r"no stopping rule 'c' \(rules: a, b\)"):
        can_stop(reasons, ["c"])
