"""Tables and figures made by hand, in which all claims of the paper hold but for changes in protocol B."""

import math

from lopsided.experiments import Measurement, Measurements
from lopsided.papers.li_2007 import NOISES, PRIORS, PURE_SHARES, SHARES, SPY_SHARES
from lopsided.papers.li_2007.data import ROWS, TABLE1, TEN, TEN_CLASSES
from lopsided.papers.li_2007.methods import BASELINES, LGN_, OSVM

GOOD = {OSVM: 21.0, "S-EM": 44.0, "Roc-SVM": 17.0, "PEBL": 0.0, LGN_: 77.0, "LGN posterior": 5.0}


def measured(axes, values, metric="f"):
    """Return measurements of one run from protocol -> labels of the axes -> method -> value."""
    return Measurements(
        [
            Measurement(
                {"protocol": protocol, **dict(zip(axes, labels, strict=True)), "method": method, "seed": 0},
                {} if math.isnan(value) else {metric: value},
            )
            for protocol, places in values.items()
            for labels, methods in places.items()
            for method, value in methods.items()
        ]
    )


def _in_both(axes, places, at, changes, metric="f"):
    """The same in both protocols, but for changes in B: S_EM=50 is one of S-EM."""
    names = {name.replace("_", "-"): value for name, value in changes.items()}
    changed = {labels: {**own, **(names if labels == at else {})} for labels, own in places.items()}
    return measured(axes, {"A": places, "B": changed}, metric)


def table1(**changes):
    """Return Table 1 with two sets."""
    rows = ("graphic-crypt", "os-med")
    published = {
        (row,): GOOD | {m: TABLE1.value("f", data=row, method=m) for m in (*BASELINES, LGN_)} for row in rows
    }
    return {"table1": _in_both(("data",), published, ("os-med",), changes)}


def published_table1():
    """Return the paper's table as if it were ours."""
    own = {(row,): {m: TABLE1.value("f", data=row, method=m) for m in (*BASELINES, LGN_)} for row in ROWS}
    return {"table1": measured(("data",), {"A": own, "B": own})}


def by_share(share=None, **changes):
    """Return Figures 4 and 5 as the paper describes them."""
    small = {OSVM: 40.0, "S-EM": 60.0, "Roc-SVM": 55.0, "PEBL": 10.0, LGN_: 80.0}
    large = {OSVM: 60.0, "S-EM": 89.0, "Roc-SVM": 91.0, "PEBL": 40.0, LGN_: 90.0}
    places = {(k,): small if k <= 60 else large for k in SHARES}
    places[200,] = large | {"PEBL": 88.0}
    t = _in_both(("share",), places, (share,), changes)
    return {"figure4": t, "figure5": t}


def ten(data=None, share=None, **changes):
    """Return the figures of ten classes, with the published gains."""
    places = {
        (name, int(k)): {**GOOD, LGN_: 44.0 + TEN_CLASSES.value("gain", data=name, share=k)}
        for k in TEN_CLASSES.labels("share")
        for name in TEN
    }
    return {"ten": _in_both(("data", "share"), places, (data, share), changes)}


def priors(**changes):
    """Return LGN by its prior, with changes at 0.4."""
    places = {(f"prior {ratio:g}", ratio): {LGN_: 52.0, "LGN printed": 10.0 * ratio} for ratio in PRIORS}
    return {"priors": _in_both(("line", "ratio"), places, ("prior 0.4", 0.4), changes)}


def purity(share=5, **changes):
    """Return the purity by share; PEBL extracts nothing."""
    places = {
        (f"{k} %", k): {"S-EM": 10.0 + k / 2, "Roc-SVM": 6.0 + k, "PEBL": math.nan} for k in PURE_SHARES
    }
    return {"purity": _in_both(("line", "share"), places, (f"{share} %", share), changes, "purity")}


def spies(last):
    """Return S-EM by noise level and share of spies, with this F at the last of these and the usual noise."""
    places = {(n, s): {"S-EM": 30.0 if n == 0.15 else 90.0} for n in NOISES for s in SPY_SHARES}
    return {"spies": _in_both(("noise", "spy_share"), places, (0.15, 0.2), {"S_EM": last})}
