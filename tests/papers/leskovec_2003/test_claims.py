from dataclasses import replace

import pytest

from lopsided.papers.leskovec_2003 import PAPER, methods
from lopsided.papers.leskovec_2003.data import SMALL as ALL_SMALL
from lopsided.papers.leskovec_2003.methods import ADA, ADA_U, LP, LP_U, METHODS, SVM
from papers.leskovec_2003.made_runs import counted
from papers.leskovec_2003.made_tables import (
    altered,
    as_in_figure_3,
    figure4,
    figure5,
    moved,
    same,
    table1,
    table2,
)

IDS = [f"B{k}" for k in range(1, 14)]
LARGE, SMALL = ("earn", "gnp"), ("platinum", "potato")
UPPER = "upper bound: the best over all settings on the test documents"
HONEST = "chosen by cross validation on the training documents"


def upper(change=same):
    return {"table1": table1(change)}


def overfit(change=same):
    return {"figure3": table1(lambda run: change(as_in_figure_3(run)))}


def honest(change=same):
    return {"table2": table2(change)}


def both(change=same, change_of_upper=same):
    return {"table1": table1(change_of_upper), "table2": table2(change)}


def rounds(**changes):
    return {"figure4": figure4(**changes)}


def discarding(**changes):
    return {"figure5": figure5(**changes)}


def of_another_booster(run):
    """The word alone makes no error in AdaUBoost, and only there."""
    if run.setting.method == ADA_U and run.category == "platinum":
        return replace(run, test=counted(1.0), n_rules=1, words=("platinum",))
    return replace(run, n_rules=3) if run.setting.method == LP_U else run


HOLDS = {
    "B1": [upper(), upper(moved(0.07, ADA))],
    "B2": [upper(), upper(moved(0.1, ADA, ADA_U, among=SMALL))],
    "B3": [overfit(), overfit(moved(-0.01, LP, among=SMALL)), overfit(moved(-0.3, LP, LP_U))],
    "B4": [upper()],
    "B5": [upper(), upper(altered(LP, SMALL, n_rounds=5)), upper(altered(LP_U, LARGE, n_rounds=100))],
    "B6": [upper()],
    "B7": [both(), both(moved(-0.004, ADA))],
    "B8": [honest(), honest(moved(0.5, SVM, among=SMALL))],
    "B9": [both()],
    "B10": [rounds(), rounds(late=0.01)],
    "B11": [discarding(), discarding(earn={ADA_U: 0.936})],
    "B12": [upper(), upper(altered(LP, among=("earn",), seconds=100.0))],
    "B13": [upper(), upper(moved(0.02, LP, learners=("real.lp",)))],
}
FAILS = {
    "B1": [
        upper(moved(-0.2, LP_U)),
        upper(moved(0.2, ADA)),
        upper(moved(0.3, SVM)),
        upper(moved(-0.2, LP)),
        upper(moved(0.2, ADA_U)),
    ],
    "B2": [
        upper(moved(0.05, LP_U, among=LARGE)),
        upper(moved(-0.05, SVM, among=LARGE)),
        upper(moved(0.006, ADA_U, among=LARGE)),
        upper(moved(0.25, ADA_U, among=SMALL)),
    ],
    "B3": [
        overfit(altered(ADA_U, SMALL, train=counted(0.74))),
        overfit(altered(ADA, SMALL, train=counted(0.6))),
        overfit(altered(LP, SMALL, train=counted(0.96))),
        overfit(moved(-0.02, LP, among=SMALL)),
        overfit(moved(-0.02, LP_U, among=SMALL)),
    ],
    "B4": [
        upper(altered(LP_U, n_rules=3)),
        upper(altered(LP_U, words=("gold",))),
        upper(moved(-0.02, LP_U)),
        upper(of_another_booster),
    ],
    "B5": [
        upper(altered(LP, SMALL, n_rounds=6)),
        upper(altered(LP_U, LARGE, n_rounds=101)),
        upper(altered(LP, LARGE, n_rounds=24)),
    ],
    "B6": [
        upper(moved(-0.03, *METHODS, learners=("real.mh",))),
        upper(moved(0.03, *METHODS, learners=("real.u",))),
        upper(moved(0.05, ADA_U, learners=("disc.u",))),
        upper(moved(0.03, LP, learners=("real.lp",))),
        upper(moved(0.15, *METHODS, among=("potato",), learners=("disc.mh",))),
        upper(moved(0.03, ADA, learners=("real.lp",))),  # with one booster alone
    ],
    "B7": [
        both(moved(-0.006, ADA)),
        both(moved(-0.006, SVM)),
        both(moved(0.04, ADA_U)),
        both(moved(0.05, LP)),
    ],
    "B8": [honest(moved(0.06, LP_U, among=LARGE)), honest(moved(0.6, SVM, among=SMALL))],
    "B9": [
        both(moved(-0.2, LP_U)),
        both(moved(-0.4, LP_U, among=("potato",))),
        both(change_of_upper=lambda run: replace(run, test=counted(0.9))),
    ],
    "B10": [rounds(wobble=0.006), rounds(late=0.02), rounds(jump=0.04)],
    "B11": [
        discarding(earn={LP_U: 0.91}),
        discarding(earn={ADA_U: 0.934}),
        discarding(acq={LP_U: 0.584}),
        discarding(acq={ADA: 0.11}),
        discarding(acq={LP: 0.11}),
    ],
    "B12": [upper(altered(LP_U, seconds=0.5)), upper(lambda run: replace(run, n_rounds=200, seconds=0.2))],
    "B13": [upper(lambda run: replace(run, test=counted(0.5))), upper(altered(LP, test=counted(0.5)))],
}


@pytest.mark.parametrize(
    ("id_", "results", "verdict"),
    [
        *((id_, results, "holds") for id_, cases in HOLDS.items() for results in cases),
        *((id_, results, "does not hold") for id_, cases in FAILS.items() for results in cases),
    ],
)
def test_verdicts(id_, results, verdict):
    found = PAPER.claims[id_].judge(results)
    assert (found.id, found.verdict) == (id_, verdict), found.measured
    assert any(digit in found.measured for digit in "0123456789") or id_ == "B4"
    assert found.measured
    assert found.asked == PAPER.claims[id_].criterion


def test_every_claim_is_seen_to_hold_and_to_fail():
    assert list(PAPER.claims) == list(HOLDS) == list(FAILS) == IDS
    assert all(set(PAPER.items).issuperset(claim.items) for claim in PAPER.claims.values())


def test_upper_bounds_and_honest_figures_are_not_mixed():
    """What a claim rests on is said in its criterion, and in the caption of each item."""
    for claim in PAPER.claims.values():
        kinds = set(claim.items)
        if kinds & {"table1", "figure3", "figure5"} and claim.id not in ("B7", "B9", "B12", "B13"):
            assert UPPER in claim.criterion
        if kinds == {"table2"}:
            assert HONEST in claim.criterion
    for item, kind in (("table1", UPPER), ("table2", HONEST), ("figure3", UPPER), ("figure5", UPPER)):
        assert PAPER.items[item].caption.endswith(kind)


def test_gaps_are_those_of_categories_in_both_tables():
    results = both()
    more = {**results, "table2": results["table2"].only(category=LARGE)}
    assert PAPER.claims["B7"].judge(more).measured.startswith("gaps, 2 categories: ")


def test_runs_that_stand_for_two_settings_are_counted_once():
    n_run = 5  # learners, for Disc.LP is not run
    assert f"{4 * 2 * n_run} pairs" in PAPER.claims["B13"].judge(upper()).measured


def test_a_claim_without_its_figures_cannot_be_tested():
    results = {"table1": table1().only(category=ALL_SMALL), "figure5": figure5(without=("acq",))}
    verdicts = {id_: claim.judge(results) for id_, claim in PAPER.claims.items()}
    assert verdicts["B4"].verdict == "holds"
    for id_, missing in (
        ("B2", "needs table1 (of earn, acq, money-fx, interest, corn, gnp)"),
        ("B7", "needs table2"),
        ("B11", "needs figure5 (2 rows or more, of earn, acq)"),
    ):
        assert verdicts[id_].verdict == "cannot be tested here"
        assert verdicts[id_].asked == missing


def test_the_learners_are_told_for_each_booster():
    told = PAPER.claims["B6"].judge(upper(moved(0.03, ADA, learners=("real.lp",))))
    assert "AdaBoost (not so) real.mh" in told.measured
    assert "; LPBoost real.mh" in told.measured
    assert told.why.startswith("With AdaBoost Real.MH is best on ")


def test_the_folds_are_the_runs_of_what_cross_validation_chose():
    """The SVM is ahead on large categories in the mean, but the models of the folds differ by more."""

    def change(run):
        by = (-0.05, -0.02, 0.0, 0.02, 0.05)[run.part[1]] if run.setting.method == SVM else 0.0
        return replace(run, test=counted(run.test.f() + by))

    found = PAPER.claims["B8"].judge(honest(change))
    assert found.verdict == "within noise"
    assert "ahead on large: " in found.why


def test_a_quick_run_counts_the_settings_that_it_leaves_out():
    n, few = len(methods.PUBLISHED_SETTINGS), len(methods.QUICK_SETTINGS)
    assert (n, few) == (121, 37)
    for item in ("table1", "table2", "figure3"):
        assert f"{n - few} of the {n} values of setting" in PAPER.items[item].left_out
