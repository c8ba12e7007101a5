import pytest

from lopsided.reproduce import _claims
from lopsided.reproduce._claims import Claims, seeds


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
