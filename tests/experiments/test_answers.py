"""Verdicts within the noise of the runs, and on the paper's own data alone."""

import numpy as np
import pytest

from lopsided.experiments import (
    Answer,
    Claims,
    Estimate,
    Measurement,
    Measurements,
    Needs,
    StandIn,
    estimate,
    estimates,
    every,
    more_than,
)
from lopsided.experiments._summary import RunReport, facts_of
from lopsided.papers import PAPERS, find_paper

YES, NOISE, NO = Estimate(2.0, 0.5).above(0), Estimate(0.4, 0.5).above(0), Estimate(-2.0, 0.5).above(0)


def table(**values):
    """Return runs of methods on one row: SVM=(0.5, 0.7)."""
    return Measurements(
        [
            Measurement({"row": "a", "method": method, "seed": seed}, {"f1": f1})
            for method, found in values.items()
            for seed, f1 in enumerate(found)
        ]
    )


@pytest.mark.parametrize(
    ("value", "spread", "at_least", "at_most"),
    [
        (1.0, 0.0, "yes", "yes"),
        (1.5, 0.0, "yes", "no"),
        (1.5, 0.4, "yes", "no"),
        (1.5, 0.5, "noise", "noise"),
        (0.5, 0.5, "noise", "noise"),
        (0.5, 0.4, "no", "yes"),
    ],
)
def test_a_number_within_its_deviation_of_the_bound_is_noise_on_either_side(value, spread, at_least, at_most):
    one = Estimate(value, spread)
    for answer, expected in ((one.at_least(1.0), at_least), (one.at_most(1.0), at_most)):
        assert getattr(answer, f"is_{expected}")
    assert one.above(1.0).is_yes == (at_least == "yes" and value != 1.0)
    assert one.below(1.0).is_yes == (at_most == "yes" and value != 1.0)
    assert Estimate(-value, spread).within(1.0).level == one.at_most(1.0).level


def test_the_clearest_no_decides_a_claim_of_several_parts():
    for answers, level in (
        ([YES, NOISE], NOISE),
        ([NOISE, NO], NO),
        ([YES, YES], YES),
        ([NO, YES, NOISE], NO),
    ):
        assert every(answers).level == level.level
        assert every(answers[::-1]).level == level.level
    assert (NOISE & False).is_no
    assert (False & NOISE).is_no
    assert (True & NOISE).is_noise
    assert (NOISE | True).is_yes
    assert (False | NOISE).is_noise


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ((YES, YES, NO), "yes"),
        ((YES, NOISE, NO), "noise"),
        ((YES, NOISE, NOISE, NOISE), "noise"),
        ((YES, NO, NO, NOISE), "no"),
        ((YES, YES, YES, NOISE, NO), "yes"),
    ],
)
def test_a_majority_may_depend_on_noise(answers, expected):
    assert getattr(more_than(0.5, answers), f"is_{expected}")


def test_half_is_a_majority_only_where_as_many_are_enough():
    assert more_than(0.5, [True, False]).is_no
    assert more_than(0.5, [True, False], or_as_many=True).is_yes


def test_the_deviation_is_that_of_the_number_and_not_of_its_parts():
    t = table(A=(0.5, 0.7, 0.9), B=(0.4, 0.6, 0.8))  # the runs differ, the gap does not
    gap = estimate(lambda t: t.mean("f1", method="A") - t.mean("f1", method="B"), t)
    assert gap.value == pytest.approx(0.1)
    assert gap.spread == pytest.approx(0.0, abs=1e-12)


def test_what_was_run_once_is_in_each_run():
    found = estimates(lambda t: {m: t.mean("f1", method=m) for m in "AB"}, table(A=(0.5,), B=(0.4, 0.6, 0.8)))
    assert (found["A"].spread, found["B"].spread) == (0.0, pytest.approx(np.std([0.4, 0.6, 0.8], ddof=1)))
    assert found["B"].at_least(0.5).told.startswith("B: 0.6 where at least 0.5 is asked; ")
    once = estimate(lambda t: t.mean("f1"), table(A=(0.5,)))
    assert once.spread == 0.0


def test_two_tables_have_the_same_runs():
    one, other = table(A=(1.0, 3.0)), table(A=(1.0, 2.0))
    found = estimate(lambda a, b: a.mean("f1") - b.mean("f1"), one, other)
    assert (found.value, found.spread) == (0.5, pytest.approx(np.std([0.0, 1.0], ddof=1)))
    folds = table(A=(1.0, 3.0, 5.0))
    whole = Measurements([Measurement({"row": "a", "method": "A", "seed": "all"}, {"f1": 2.0})])
    beside = estimate(lambda a, b: a.mean("f1") - b.mean("f1"), folds, whole)  # no run is called "all"
    assert beside.spread == pytest.approx(2.0)


TEXTS = {
    "where": "Table 1",
    "text": "A is above B.",
    "criterion": "higher mean",
    "why": "B is {gap:.1f} ahead.",
}


def judged(values, stand_ins=(), needs=None):
    claims = Claims({"X1": TEXTS}, stand_ins)

    @claims.enter("X1", *(needs or [Needs("table1")]))
    def is_above(t, shown=None):
        gap = estimate(lambda t: t.mean("f1", method="A") - t.mean("f1", method="B"), t)
        return gap.above(0), f"{gap.value:+.1f}", {"gap": -gap.value}

    return claims["X1"].judge({"table1": values})


def test_the_sentence_says_why_with_the_numbers_of_the_check():
    assert judged(table(A=(3.0,), B=(1.0,))).why == ""
    assert judged(table(A=(1.0,), B=(3.0,))).why == "B is 2.0 ahead."
    noise = judged(table(A=(1.0, 3.0), B=(1.5, 1.5)))
    assert noise.verdict == "within noise"
    assert noise.why == (
        "Decided by 0.5 where more than 0 is asked; standard deviation over the runs 1.41. B is -0.5 ahead."
    )


def test_a_claim_is_judged_again_without_what_stands_in():
    t = Measurements(
        [
            Measurement({"row": row, "method": method}, {"f1": f1})
            for row, values in (("own", {"A": 1.0, "B": 2.0}), ("lent-1", {"A": 5.0, "B": 2.0}))
            for method, f1 in values.items()
        ]
    )
    lent = StandIn("row", "theirs", ("lent-*",))
    found = judged(t, [lent])
    assert (found.verdict, found.basis, found.stand_ins) == ("holds", "stand-in", ("1 of 2: theirs",))
    assert found.on_own == ("does not hold", "-1.0")
    only_lent = judged(t.only(row="lent-1"), [lent])
    assert (only_lent.stand_ins, only_lent.on_own[0]) == (("theirs",), "cannot be tested here")
    only_own = judged(t.only(row="own"), [lent])
    assert (only_own.basis, only_own.on_own) == ("own data", ("does not hold", "-1.0"))
    shown = judged(t, [lent], [Needs("table1", only={"row": "own"}), Needs("table1", judged=False)])
    assert shown.basis == "own data"


@pytest.mark.parametrize("id_", PAPERS)
def test_every_claim_has_its_place_and_every_change_its_reason(id_):
    paper = find_paper(id_)
    for claim in paper.claims.values():
        assert claim.where[0].isupper(), claim.id
        for change in claim.changed:
            assert change.first, claim.id
            assert change.why, claim.id
        assert set(claim.stand_ins) == set(next(iter(paper.claims.values())).stand_ins)


def test_the_changes_of_rules_are_on_record():
    changed = {id_ for paper in PAPERS for id_, claim in find_paper(paper).claims.items() if claim.changed}
    assert changed == {
        *("S2", "S9", "S18", "S19", "S21", "L4", "L6", "L9", "L10", "Y3", "Y4", "Y8"),
        *("B2", "B3", "B6", "B7", "B8", "B9", "B10", "B11"),
    }


def test_a_report_of_no_paper_counts_nothing():
    report = RunReport([], facts_of("lopsided reproduce", quick=True), {})
    assert report.head.startswith("0 of 0 claims hold; ")
    assert Answer.of(report.counts["holds"] == 0).is_yes
