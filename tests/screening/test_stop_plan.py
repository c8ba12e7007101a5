"""Stopping rules combined: when they fire together, when they first did, and which of them count."""

import numpy as np
import pytest

from lopsided.screening import Screened, StopPlan, judge_plan, stop_reasons
from lopsided.screening._stop_plan import RULES


def screen(relevant, reasons="most likely", n_items=1000, **more):
    n = len(relevant)
    reasons = [reasons] * n if isinstance(reasons, str) else list(reasons)
    rows = np.arange(n)
    unknown = np.full(n, np.nan)
    return Screened(rows, np.array(relevant, bool), reasons, unknown, n_items - rows, n_items, **more)


@pytest.fixture
def answers():
    """Sixty finds, a tenth of random checks without any, and a late find that ends a run."""
    n = 900
    reasons = ["random check" if i % 10 == 9 else "most likely" for i in range(n)]
    relevant = np.arange(n) < 60
    relevant[np.array([reason == "random check" for reason in reasons])] = False
    relevant[150] = True
    return relevant, reasons


def brute_force(screened, plan):
    """Return the numbers of labels at which the rules of a plan fire together, one by one."""
    n = len(screened.rows)
    fires = []
    for k in range(1, n + 1):
        part = Screened(
            screened.rows[:k],
            screened.relevant[:k],
            screened.reasons[:k],
            screened.probability[:k],
            screened.n_unlabelled[:k],
            screened.n_items,
            n_support=None if screened.n_support is None else screened.n_support[:k],
        )
        told = stop_reasons(
            part, target_recall=plan.target_recall, confidence=plan.confidence, run_length=plan.run_length
        )
        says = [one.fires for one in told if one.rule in plan.rules and one.applies]
        if says and (all(says) if plan.combine == "all" else any(says)):
            fires.append(k)
    return fires


@pytest.mark.parametrize("combine", ["all", "any"])
@pytest.mark.parametrize(
    "rules", [("run of irrelevant",), ("target recall",), RULES[:2], RULES, ("saturation",)]
)
def test_it_first_fires_where_a_loop_over_all_answers_says(answers, combine, rules):
    relevant, reasons = (part[:300] for part in answers)
    screened = screen(relevant, reasons, 3000, n_support=np.minimum(np.arange(300.0), 40))
    plan = StopPlan(rules, combine, target_recall=0.7, run_length=30)
    told = judge_plan(screened, plan).plan
    fires = brute_force(screened, plan)
    assert told.fires == (300 in fires)
    if "target recall" in rules:  # which is looked at in steps of three
        assert (told.since is None) == (not fires)
        assert not fires or fires[0] <= told.since <= fires[0] + 3
    else:
        assert told.since == (fires[0] if fires else None)
    assert told.applies == (rules != ("saturation",))


def test_all_rules_have_to_fire_at_the_same_time(answers):
    """The run fires early and is ended by a find; the target is reached later; both together later still."""
    relevant, reasons = answers
    both = StopPlan(RULES[:2], target_recall=0.8, run_length=60)
    run, target = (
        StopPlan((rule,), target_recall=0.8, run_length=60) for rule in ("run of irrelevant", "target recall")
    )
    screened = screen(relevant, reasons, 5000)
    since = {
        name: judge_plan(screened, plan).plan.since
        for name, plan in (("both", both), ("run", run), ("target", target))
    }
    assert since["run"] < 150 < since["target"] <= since["both"] + 9  # in steps of nine
    assert judge_plan(screened, both._replace(combine="any")).plan.since == min(since["run"], since["target"])


def test_what_an_earlier_verdict_said_is_kept_and_an_undo_takes_it_back(answers):
    relevant, reasons = answers
    plan = StopPlan(("run of irrelevant",), run_length=60)
    before = judge_plan(screen(relevant[:130], reasons[:130]), plan)
    assert before.plan.fires
    now = judge_plan(screen(relevant[:160], reasons[:160]), plan, before)
    assert (now.plan.fires, now.plan.since) == (False, before.plan.since)
    undone = judge_plan(screen(relevant[:100], reasons[:100]), plan, before)
    assert undone.plan.since is None


def test_a_rule_that_does_not_apply_is_not_counted(answers):
    relevant, reasons = answers
    screened = screen(relevant, reasons, n_support=np.zeros(900))
    alone, beside = (judge_plan(screened, StopPlan(rules)).plan for rules in (("saturation",), RULES[1:]))
    assert (alone.fires, alone.applies) == (False, False)
    assert "None of the chosen rules applies" in alone.sentence
    assert beside.fires
    assert beside.sentence == "The rule says stop."


@pytest.mark.parametrize(
    ("rules", "combine", "sentence"),
    [
        ((), "all", "No rule is chosen."),
        (("run of irrelevant",), "all", "The rule says stop."),
        (RULES[:2], "all", "1 of 2 rules says stop; all are needed."),
        (RULES[:2], "any", "1 of 2 rules says stop; one is enough."),
    ],
)
def test_sentences(rules, combine, sentence):
    screened = screen([True] + [False] * 60)
    assert judge_plan(screened, StopPlan(rules, combine)).plan.sentence == sentence


def test_nothing_has_happened():
    told = judge_plan(screen([]), StopPlan()).plan
    assert (told.fires, told.since) == (False, None)
