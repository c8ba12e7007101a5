import pytest

from experiments.made_up import PAPER
from lopsided.experiments import UNTESTED, seeds
from lopsided.experiments._extent import N_RUNS
from lopsided.experiments._reproduction import extent_of, reproduce
from lopsided.papers import PAPERS, find_paper
from lopsided.runs import Results, Runner

NUMBERED = {"sculley-2007": ("S", 21), "li-2007": ("L", 10), "ertekin-2007": ("E", 14)}
NUMBERED |= {"leskovec-2003": ("B", 13), "yu-2003": ("Y", 9)}


def test_runs_do_not_depend_on_how_many_there_are():
    assert seeds(3) == seeds(10)[:3]
    assert seeds(3, master=1) != seeds(3)
    assert len(seeds()) == N_RUNS == 10


def test_the_papers_have_all_claims_and_no_others():
    assert list(PAPERS.items()) == [(id_, n) for id_, (_, n) in NUMBERED.items()]
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


def test_a_claim_is_judged_by_what_is_there():
    done = reproduce(PAPER, extent_of(PAPER, quick=True), Runner(Results()), items=["table1"])
    verdicts = {verdict.id: verdict for verdict in done.verdicts}
    assert verdicts["X1"].verdict == "holds"
    assert (verdicts["X2"].verdict, verdicts["X2"].asked) == (UNTESTED, "needs figure2")
    assert (verdicts["X3"].verdict, verdicts["X3"].asked) == (UNTESTED, "needs rocks")
    assert verdicts["X4"].verdict == UNTESTED
    assert verdicts["X4"].asked.startswith("its check could not be made of what there is: IndexError")
