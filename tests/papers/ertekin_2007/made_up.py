"""Names that several tests need, and results made by hand as claims and figures are given them."""

import numpy as np

from lopsided.experiments import Measurement, Measurements
from lopsided.papers.ertekin_2007.data import ROWS, SOURCES, TABLE1
from lopsided.papers.ertekin_2007.methods import COMPARED
from lopsided.papers.ertekin_2007.units import CURVE, Trace, Weighing, class_ratios
from lopsided.plot import LabelCurve, MarginImbalance

IDS = [f"E{k}" for k in range(1, 15)]
OF_THE_PAPER = [name for name in ROWS if name in TABLE1.labels("problem")]


def data_set(name):
    """Return the name of the data set that a problem of the tables or of Adult is from."""
    names = {"Reuters": "reuters21578", "CiteSeer": "citeseer", "USPS": "usps", "MNIST": "mnist"}
    return names.get(SOURCES[name].group) or name.split("-")[0]


def curve(g=(0.8, 0.9), prbep=None, pos=None, neg=None, n=(50, 100), stop=None):
    prbep = np.zeros(len(n)) if prbep is None else prbep
    pos, neg = (np.ones(len(n)) if one is None else one for one in (pos, neg))
    return LabelCurve("made", n, g, prbep, np.add(pos, neg), pos, neg, stopped_at=stop)


def traces(problem, ratio=10.0, **methods):
    """Return one run of each method with its curve."""
    return Measurements(
        [
            Measurement(
                {"problem": problem, "method": method, "seed": 0, "part": CURVE},
                {},
                Trace(problem, method, 0, one, ratio),
            )
            for method, one in methods.items()
        ]
    )


def together(*parts):
    return Measurements([one for part in parts for one in part])


def table(rows):
    """Return a table from problem -> method -> metric -> value."""
    return Measurements(
        [
            Measurement({"problem": problem, "method": method}, values)
            for problem, methods in rows.items()
            for method, values in methods.items()
        ]
    )


def table_3(names=tuple(f"row {i}" for i in range(12)), changed=(), **prbep):
    """Return a Table 3 in which every claim holds, but for what is changed on all rows or on some.

    ``changed`` has (number of a row, method, metric, value).
    """
    base = {"batch": 80.0, "undersampling": 70.0, "smote": 81.0, "costs": 81.0, "active": 82.0} | prbep
    rows = {
        name: {
            method: {
                "prbep": base[method] - (0.1 * i if method == "undersampling" else 0),
                "seconds": 2.0 if method == "smote" else 1.0,
            }
            for method in COMPARED
        }
        for i, name in enumerate(names)
    }
    for i, method, metric, value in changed:
        rows[names[i]][method][metric] = value
    return table(rows)


def margin(problem, inside):
    """Return one of ten positives and a hundred negatives in all, and so many within the margin."""
    weighing = Weighing(problem, "batch", 0, MarginImbalance(10, 100, *inside))
    return Measurements([Measurement({"problem": problem, "method": "batch"}, class_ratios(weighing))])


def adult(at_stop, at_end, problem="adult", ratio=10.0):
    active = curve(prbep=(at_stop, 0.5), stop=50)
    return traces(problem, ratio, active=active, batch=curve(prbep=(0.1, at_end)))
