"""Runs made by hand."""

from lopsided.experiments import Measurement, Measurements
from lopsided.metrics import Counts
from lopsided.papers.leskovec_2003.data import ALL
from lopsided.papers.leskovec_2003.units import CategoryRun, measure_run


def counted(f1):
    """Return counts with this F1 and one positive."""
    return Counts(tp=f1, fp=1 - f1, fn=1 - f1)


def run_of(category, setting, f1, **facts):
    """Return a run with this F1 on the test documents."""
    usual = {
        "part": ALL,
        "train": counted(1.0),
        "validation": Counts(),
        "n_rules": 1,
        "n_rounds": 1,
        "converged": True,
        "seconds": 0.001,
        "words": (),
    }
    return CategoryRun(category, setting=setting, test=counted(f1), **{**usual, **facts})


def measured(runs):
    """Return the measurements of runs."""
    return Measurements(
        [
            Measurement({"category": run.category, "part": run.part, **labels}, values, run)
            for run in runs
            for labels, values in measure_run(run)
        ]
    )
