import pytest

from lopsided.experiments import Measurement, Measurements
from lopsided.papers.yu_2003 import PAPER
from lopsided.papers.yu_2003.data import ISLANDS, ROWS, TABLE1
from lopsided.papers.yu_2003.methods import COMPARED, OSVM, OURS, SVM_NN, TSVM
from lopsided.papers.yu_2003.units import LAST, MAPPED, SHARES

IDS = [f"Y{k}" for k in range(1, 10)]
F1 = {TSVM: 0.9, "SMC": 0.85, "SVMC": 0.87, OURS: 0.86, SVM_NN: 0.1}
SECONDS = {"SMC": 9.0, "SVMC": 3.0, OURS: 1.0}
NAMES = {"true": TSVM, "smc": "SMC", "svmc": "SVMC", "one_class": OSVM, "noisy": SVM_NN}


def table(seconds=3.0, rows=("letter_A", "faculty", "b-cancer"), **f1):
    """Return a Table 1 in which every claim holds, but for what is changed on faculty: svmc=0.5."""
    changed = {NAMES[name]: value for name, value in f1.items()}
    measured = []
    for row in rows:
        own = F1 | {OSVM: 0.39 if row == "faculty" else 0.6} | (changed if row == "faculty" else {})
        times = SECONDS | ({"SVMC": seconds} if row == "faculty" else {})
        measured += [
            Measurement({"row": row, "method": m}, {"f1": own[m], "seconds": times.get(m, 1.0)})
            for m in COMPARED
        ]
    return {"table1": Measurements(measured)}


def figure(name, data):
    """Return a figure from data -> setting -> values."""
    return {
        name: Measurements(
            [
                Measurement({"data": one, "setting": setting}, values)
                for one, settings in data.items()
                for setting, values in settings.items()
            ]
        )
    }


def one_class(**changes):
    best = {"n_support": 3.0, "f1": 0.9, "recall": 0.9, "labeled_recall": 0.99}
    most = {"n_support": 50.0, "f1": 0.3, "recall": 0.2, "labeled_recall": 0.6, **changes}
    return figure("figure1", {ISLANDS: {"gamma 1": best, "gamma 64": most}})


def convergence(**changes):
    values = {"f1": 0.98, "precision": 0.99, "recall": 0.97, "area": 3.0}
    settings = {
        "mapped": values | {"precision": 0.3},
        "last": values,
        "true": values,
        "one_class": values | {"recall": 0.7, "area": 1.3},
    }
    names = {"mapped": MAPPED, "last": LAST, **NAMES}
    return figure(
        "figure5", {ISLANDS: {names[k]: values | changes.get(k, {}) for k, values in settings.items()}}
    )


def mappings(f1, recall=(1.0, 1.0)):
    settings = {
        str(k): {"f1": a, "mapping_recall": b, "mapping_precision": 0.1 * k}
        for k, (a, b) in enumerate(zip(f1, recall, strict=True))
    }
    return figure("mapping", {"letter_A": settings})


def thinned(last, name="letter_A"):
    values = dict.fromkeys(SHARES, 0.9)
    settings = {ISLANDS: values, name: values | {SHARES[-1]: last}}
    return figure(
        "thinning",
        {one: {f"{s:g} of U": {"f1": f1} for s, f1 in own.items()} for one, own in settings.items()},
    )


def line(iterations=12.0, fast=1.0, slow=3.0):
    def part(growth, last):
        return {
            "near": {"log2_gap": 2.0, "iterations": 3.0, "rows": 1000.0, "seconds": 0.1},
            "far": {"log2_gap": 11.0, "iterations": last, "rows": 1000.0 * growth, "seconds": 0.1},
        }

    return figure("gap", {"line, SVMC": part(fast, iterations), "line, SMC": part(slow, 12.0)})


HOLDS = {
    "Y1": [table(), table(true=0.87), table(one_class=0.79), table(noisy=0.33)],
    "Y2": [table(), table(svmc=0.879), table(svmc=0.821)],
    "Y3": [table(), table(seconds=0.1), table(seconds=3.1)],
    "Y4": [table(), table(one_class=0.59)],
    "Y5": [one_class(), one_class(n_support=6.0, f1=0.84, recall=0.54)],
    "Y6": [
        convergence(),
        convergence(last={"f1": 0.966}),
        convergence(one_class={"recall": 0.9, "area": 1.4}),
    ],
    "Y7": [mappings((0.9, 0.914)), mappings((0.9, 0.914, 0.5), (1.0, 1.0, 0.97))],
    "Y8": [thinned(0.88)],
    "Y9": [line(), line(13.0, 1.09, 2.1)],
}
FAILS = {
    "Y1": [table(true=0.86), table(one_class=0.81), table(noisy=0.35), table(smc=0.43)],
    "Y2": [table(svmc=0.881), table(svmc=0.819)],
    "Y3": [table(seconds=3.1, rows=("letter_A", "faculty"))],
    "Y4": [table(one_class=0.61), table(one_class=0.6)],
    "Y5": [one_class(n_support=5.0), one_class(f1=0.86), one_class(recall=0.56)],
    "Y6": [
        convergence(mapped={"precision": 0.5}),
        convergence(last={"f1": 0.96}),
        convergence(last={"f1": 1.0}),
        convergence(one_class={"area": 1.5}),
        convergence(one_class={"recall": 0.93}),
    ],
    "Y7": [mappings((0.9, 0.916)), mappings((0.9, 0.9), (1.0, 0.97))],
    "Y8": [thinned(0.886), thinned(0.92)],
    "Y9": [line(13.1), line(8.9), line(fast=1.11), line(slow=1.9)],
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
    assert found.measured
    assert found.asked == PAPER.claims[id_].criterion


def test_every_claim_is_seen_to_hold_and_to_fail():
    assert list(PAPER.claims) == list(HOLDS) == list(FAILS) == IDS
    assert all(set(PAPER.items).issuperset(claim.items) for claim in PAPER.claims.values())


@pytest.mark.parametrize("id_", ["Y1", "Y2", "Y3", "Y4"])
def test_the_published_figures_bear_out_the_claims(id_):
    """Where the paper reports the figures behind a claim, our reading of its words must accept them."""
    measured = [
        Measurement(
            {"row": row, "method": method},
            {
                "f1": TABLE1.value("f1", row=row, method=as_good_as),
                "seconds": TABLE1.value("seconds", row=row, method=as_good_as) or 1.0,
            },
        )
        for row in ROWS
        for method, as_good_as in ((m, "SVMC" if m == OURS else m) for m in COMPARED)
    ]
    found = PAPER.claims[id_].judge({"table1": Measurements(measured)})
    assert found.verdict == "holds", found.measured


def test_a_claim_without_its_figures_cannot_be_tested():
    results = {**table(), "gap": line()["gap"].only(data="line, SMC")}
    verdicts = {id_: claim.judge(results) for id_, claim in PAPER.claims.items()}
    assert verdicts["Y2"].verdict == "holds"
    for id_, missing in (("Y5", "needs figure1"), ("Y9", "needs gap (2 rows or more)")):
        assert verdicts[id_].verdict == "cannot be tested here"
        assert verdicts[id_].asked == missing
    for id_, part in (("Y4", table(rows=("letter_A",))), ("Y8", thinned(0.5, ISLANDS))):
        assert PAPER.claims[id_].judge(part).verdict == "cannot be tested here"
    lacking = {"table1": results["table1"].only(method=(TSVM, "SMC", "SVMC"))}
    assert PAPER.claims["Y2"].judge(lacking).verdict == "cannot be tested here"


def test_the_islands_are_shown_but_do_not_make_a_claim_rest_on_them():
    found = PAPER.claims["Y8"].judge(thinned(0.88))
    assert found.basis == "own data"
    assert "islands 0.900, " in found.measured
    assert PAPER.claims["Y6"].judge(convergence()).on_own == ("cannot be tested here", "")


def test_two_runs_that_differ_more_than_the_gap_are_noise():
    runs = [
        Measurement({**one.at, "seed": seed}, {**one.values, "f1": one.values["f1"] + by})
        for seed, by in enumerate((-0.02, 0.02))
        for one in table(svmc=0.875)["table1"]
        if one.at["method"] == "SVMC"
    ]
    others = [one for one in table(svmc=0.875)["table1"] if one.at["method"] != "SVMC"]
    found = PAPER.claims["Y2"].judge({"table1": Measurements([*others, *runs])})
    assert found.verdict == "within noise"
    assert "SVMC: 2 where at most 3 is asked; standard deviation over the runs 2.83" in found.why
