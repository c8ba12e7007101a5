import math

import pytest

from lopsided.papers.li_2007 import PAPER
from lopsided.papers.li_2007.data import TEN_NEWSGROUPS, TEN_REUTERS
from papers.li_2007.made_tables import by_share, priors, published_table1, purity, spies, table1, ten

IDS = [f"L{k}" for k in range(1, 11)]
HOLDS = {
    "L1": [table1(), table1(LGN=36.5), table1(LGN_posterior=90.0)],
    "L2": [table1(), table1(LGN=84.0), table1(OSVM=28.0)],
    "L3": [by_share(), by_share(60, LGN=60.1), by_share(80, LGN=0.0)],
    "L4": [by_share(), by_share(100, LGN=89.1), by_share(60, LGN=0.0)],
    "L5": [by_share(), by_share(5, PEBL=39.9), by_share(200, PEBL=86.1)],
    "L6": [by_share(), by_share(60, LGN=65.1), by_share(80, LGN=90.4), by_share(100, OSVM=83.9)],
    "L7": [ten(), ten(TEN_REUTERS, 5, LGN=72.0), ten(TEN_NEWSGROUPS, 40, LGN=44.1)],
    "L8": [priors(), priors(LGN=51.0), priors(LGN=53.0)],
    "L9": [purity(), purity(5, S_EM=50.0), purity(100, S_EM=99.0), purity(5, PEBL=20.0)],
    "L10": [spies(30.0), spies(31.4), spies(28.6)],
}
FAILS = {
    "L1": [table1(LGN=36.4), table1(S_EM=75.3)],
    "L2": [table1(LGN=64.0), table1(OSVM=29.0), table1(PEBL=11.0)],
    "L3": [by_share(60, LGN=59.9), by_share(5, S_EM=80.1), by_share(20, OSVM=81.0)],
    "L4": [by_share(80, LGN=91.1), by_share(100, LGN=88.9)],
    "L5": [by_share(5, PEBL=40.1), by_share(100, PEBL=86.1), by_share(200, PEBL=85.9)],
    "L6": [
        by_share(60, LGN=64.9),
        by_share(80, LGN=90.6),
        by_share(100, S_EM=88.4),
        by_share(100, OSVM=84.1),
    ],
    "L7": [ten(TEN_REUTERS, 5, LGN=71.7), ten(TEN_NEWSGROUPS, 40, LGN=44.0)],
    "L8": [priors(LGN=50.9), priors(LGN=53.1)],
    "L9": [purity(5, S_EM=50.1), purity(5, PEBL=51.0), purity(5, S_EM=math.nan, Roc_SVM=math.nan)],
    "L10": [spies(31.6), spies(28.4)],
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
    assert ("B (not so)" in found.measured) == (verdict != "holds")
    assert "A:" in found.measured
    assert found.asked == PAPER.claims[id_].criterion


def test_every_claim_is_seen_to_hold_and_to_fail():
    assert list(PAPER.claims) == list(HOLDS) == list(FAILS) == IDS
    assert all(set(PAPER.items).issuperset(claim.items) for claim in PAPER.claims.values())


@pytest.mark.parametrize("id_", ["L1", "L2"])
def test_the_published_figures_bear_out_the_claims(id_):
    """Where the paper reports the figures behind a claim, our reading of its words must accept them."""
    found = PAPER.claims[id_].judge(published_table1())
    assert found.verdict == "holds", found.measured


def test_a_method_that_extracts_nothing_is_told():
    assert "5 % S-EM 12.5, Roc-SVM 11.0, PEBL nan" in PAPER.claims["L9"].judge(purity()).measured


def test_a_claim_without_its_figures_cannot_be_tested():
    results = {**table1(), "ten": ten()["ten"].only(data=TEN_REUTERS)}
    verdicts = {id_: claim.judge(results) for id_, claim in PAPER.claims.items()}
    assert verdicts["L1"].verdict == "holds"
    for id_, missing in (("L3", "needs figure4"), ("L7", "needs ten (2 rows or more)")):
        assert verdicts[id_].verdict == "cannot be tested here"
        assert verdicts[id_].asked == missing
