"""Tables of the variations: how far they change the results, and the claims that do not hold."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lopsided.experiments import Measurements
from lopsided.papers.leskovec_2003.data import ALL, CATEGORIES, LARGE, RARE, SMALL, Part
from lopsided.papers.leskovec_2003.methods import LP, METHODS, PUBLISHED_SETTINGS, SVM, Setting, stand_in
from lopsided.papers.leskovec_2003.units import CategoryRun, chosen_by_folds, measure_run
from lopsided.papers.leskovec_2003.variations import COST, TOLERANCE, VERTEX, C, VariedRun
from lopsided.report import Block, Cell, Table

TOLERANCES = (1e-3, 1e-2, 3e-2)  # beside that of the tables
_USUAL = 1e-6  # tolerance
LARGER_C = 10.0
# Without a lower bound: the optimum with one is not what `best_vertex` looks for.
LP_SETTINGS = tuple(s for s in PUBLISHED_SETTINGS if s.method == LP and not s.divisor and stand_in(s) == s)
_REAL, _DISC = (Setting(LP, learner, 1, 0.1) for learner in ("real.mh", "disc.mh"))

F1s = Mapping[str, float]
"""Category -> F1."""


def measure(run: CategoryRun | VariedRun) -> Iterator[tuple[dict[str, Any], dict[str, float]]]:
    """Yield the scores of a run of the tables, or of one with a change."""
    if isinstance(run, CategoryRun):
        yield from measure_run(run)
    else:
        yield {}, {"f1": run.test.f(), "rounds": run.n_rounds}


def show(t: Measurements) -> list[Block]:
    """Show F1 with each change beside F1 without it."""
    plain = Measurements([one for one in t if "change" not in one.at])
    whole = _learned_from(ALL, plain)
    lp = {_USUAL: whole.only(setting=LP_SETTINGS)}
    lp |= {tol: t.only(change=TOLERANCE, value=tol) for tol in TOLERANCES}
    vertices = {
        "vertex of the solver": lp[_USUAL].only(category=RARE),
        "largest margin on positives": t.only(change=VERTEX),
    }
    by_vertex = {f"best, {name}": _best(runs) for name, runs in vertices.items()}
    by_vertex |= {f"{_DISC}, {name}": _of(_DISC, runs) for name, runs in vertices.items()}
    tables = [
        _table(
            "LPBoost, the setting without a lower bound that is best on the test documents, by tolerance",
            {f"{tol:g}": _best(runs) for tol, runs in lp.items()},
        ),
        _table(f"LPBoost, {_REAL}, by tolerance", {f"{tol:g}": _of(_REAL, runs) for tol, runs in lp.items()}),
        _table("LPBoost, rare categories, by which of its optima is taken", by_vertex),
        _table("the linear SVM: learned from all documents, and the mean of five models", _of_svm(t, plain)),
        _table(
            "the setting that cross validation chose: mean of five models, and learned from all documents",
            _refitted(whole, chosen_by_folds(_learned_from("folds", plain))),
        ),
    ]
    return [table for table in tables if table.lines]


def _learned_from(part: Part | str, t: Measurements) -> Measurements:
    """Return what was learned from all documents, or else from the folds."""
    return Measurements([one for one in t if (one.at["part"] == ALL) == (part == ALL)])


def _of(setting: Setting, t: Measurements) -> F1s:
    return t.means("f1", "category", setting=setting)


def _best(t: Measurements) -> F1s:
    return t.best("setting", "f1", within=("category",)).means("f1", "category")


def _of_svm(t: Measurements, plain: Measurements) -> dict[str, F1s]:
    changes = {"C = 1": plain.only(method=SVM)}
    changes |= {f"C = {LARGER_C:g}": t.only(change=C), "cost n-/n+": t.only(change=COST)}
    found: dict[str, F1s] = {}
    for where, part in (("all", ALL), ("five", "folds")):
        for name, runs in changes.items():
            found[f"{name}, {where}"] = _learned_from(part, runs).means("f1", "category")
    return found


def _refitted(whole: Measurements, chosen: Measurements) -> dict[str, F1s]:
    found: dict[str, F1s] = {}
    for method in METHODS:
        settings = {one.at["category"]: one.at["setting"] for one in chosen.only(method=method)}
        found[f"{method}, five"] = chosen.means("f1", "category", method=method)
        found[f"{method}, all"] = {
            name: whole.mean("f1", category=name, setting=setting) for name, setting in settings.items()
        }
    return found


def _table(title: str, columns: Mapping[str, F1s]) -> Table:
    names = [name for name in CATEGORIES if any(name in f1 for f1 in columns.values())]
    lines: list[tuple[str, Sequence[Cell | str]]] = [
        (name, [Cell(f1[name], digits=3) if name in f1 else "" for f1 in columns.values()]) for name in names
    ]
    for label, some in (("large", LARGE), ("small", SMALL), ("all", CATEGORIES)):
        if part := [name for name in names if name in some]:
            cells = [
                Cell(sum(f1[name] for name in part) / len(part), digits=3) if set(part) <= f1.keys() else ""
                for f1 in columns.values()
            ]
            lines.append((f"mean of {len(part)}, {label}", cells))
    return Table(tuple(columns), lines, title)
