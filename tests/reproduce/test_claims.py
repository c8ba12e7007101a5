from dataclasses import replace

import pytest

from lopsided.reproduce import _claims
from lopsided.reproduce._claims import Claims, seeds
from lopsided.reproduce._reproduction import PAPERS, UNTESTED, extent_of, find_paper, judge, reproduce
from lopsided.runs import Results, Runner
from reproduce.made_up import PAPER

NUMBERED = {"sculley-2007": ("S", 21), "li-2007": ("L", 10), "ertekin-2007": ("E", 14)}
NUMBERED |= {"leskovec-2003": ("B", 13), "yu-2003": ("Y", 9)}


@pytest.fixture
def claims():
    claims = Claims()

    @claims.enter("X1", "Ours is at least as high as theirs.", ("ours", "theirs"), "mean")
    def check(ours, theirs):
        return ours >= theirs, f"{ours} against {theirs}"

    return claims


@pytest.mark.parametrize(("ours", "verdict"), [(2, "holds"), (1, "does not hold")])
def test_verdict(claims, ours, verdict):
    (found,) = claims.judge({"theirs": 2, "ours": ours})
    assert (found.id, found.verdict, found.measured, found.why) == (
        "X1",
        verdict,
        f"{ours} against 2",
        "mean",
    )


@pytest.mark.parametrize(
    ("results", "missing"), [({"ours": 2, "theirs": None}, "theirs"), ({}, "ours, theirs")]
)
def test_what_is_missing(claims, results, missing):
    (found,) = claims.judge(results)
    assert (found.verdict, found.measured) == ("cannot be tested here", "")
    assert found.why == f"needs {missing}"


def test_runs_do_not_depend_on_how_many_there_are():
    assert seeds(3) == seeds(10)[:3]
    assert seeds(3, master=1) != seeds(3)
    assert len(seeds()) == _claims.N_RUNS == 10


def test_the_papers_have_all_claims_and_no_others():
    assert list(PAPERS) == list(NUMBERED)
    found = {id_: list(find_paper(id_).claims) for id_ in PAPERS}
    assert found == {id_: [f"{letter}{k}" for k in range(1, n + 1)] for id_, (letter, n) in NUMBERED.items()}
    assert sum(map(len, found.values())) == 67


@pytest.mark.parametrize("id_", NUMBERED)
def test_a_claim_says_what_it_needs_and_asks(id_):
    paper = find_paper(id_)
    assert paper.id == id_
    for deviation in paper.deviations:
        assert set(deviation.items) <= set(paper.items), deviation.text
    for name, claim in paper.claims.items():
        assert (claim.id, bool(claim.text), bool(claim.criterion)) == (name, True, True)
        assert set(claim.items) <= set(paper.items), name


def test_what_keeps_parts_of_tables_from_being_made_is_told():
    def derive(summaries):
        raise KeyError("a bug")

    items = reproduce(PAPER, extent_of(PAPER, quick=True), Runner(Results()), items=["table1"]).items
    verdicts = {verdict.id: verdict for verdict in judge(replace(PAPER, derive=derive), items)}
    assert verdicts["X1"].verdict == "holds"
    assert verdicts["X3"].verdict == UNTESTED
    assert "needs rocks" in verdicts["X3"].why
    assert "parts of tables could not be made: KeyError: 'a bug'" in verdicts["X3"].why
