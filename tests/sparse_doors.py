"""Every public function and method that takes sparse rows, tried with broken and odd matrices.

A broken matrix that is not refused can end the process. So `outcomes` tries the cases in another process:
this file as a script. If a case ends that process, a new one goes on with the next case.
"""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import astuple, is_dataclass
from functools import partial
from inspect import getmembers, isclass, signature
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression, SGDClassifier, SGDRegressor
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import lopsided
from lopsided._kernels.online import Perceptron
from lopsided.online._rows import MeasuredRows
from lopsided.utils import all_estimators
from sparse_matrices import FLAWED_FORMATS, FLAWS, HARMLESS, broken, make_labels, make_rows

TAKE_TEXTS = ("ByteGramVectorizer", "StemmedVectorizer")


class Door(NamedTuple):
    covers: str
    """The public function, or class and method."""
    name: str
    enter: Callable[[Any], Any]
    rows: sparse.csr_array


SMALL: dict[str, dict[str, Any]] = {
    "LASVCCV": {"param_grid": {"kernel": ["linear"]}, "cv": 2},
    "LPUBoostStumpsCV": {
        "betas": (2,),
        "nus": (0.3,),
        "lower_bound_divisors": (None,),
        "weak_learners": ("real.mh",),
        "cv": 2,
    },
    "OpenSetClassifier": {"classifier": LogisticRegression()},
}
ALSO: dict[str, list[dict[str, Any]]] = {
    "AdaBoostStumps": [
        {"stumps": "threshold"},
        {"weak_learner": DecisionTreeClassifier(max_depth=1)},
        {"probability": True},
    ],
    "AdaUBoostStumps": [{"probability": True}],
    "LASVC": [{"kernel": "linear"}, {"selection": "active"}, {"probability": True}],
    "LASVCCV": [{"max_labels": 6}],
    "LPBoostStumps": [{"probability": True}],
    "LPUBoostStumps": [{"probability": True}],
    "LPUBoostStumpsCV": [{"probability": True}],
    "MarginPerceptron": [{"kernel": "rbf"}],
    "OpenSetClassifier": [{"detector": LocalOutlierFactor(n_neighbors=3, novelty=True)}],
}
WITH_LABELS = ("fit", "fit_resample", "partial_fit", "score")


def all_doors() -> Iterator[Door]:
    for name, kind in all_estimators():
        if name not in TAKE_TEXTS:
            for variant in ({}, *ALSO.get(name, [])):
                yield from doors_of(name, make(kind, {**SMALL.get(name, {}), **variant}), variant)
    yield from other_doors()


def make(kind: type, settings: dict[str, Any]) -> Any:
    names = signature(kind).parameters
    small = {"random_state": 0, "n_rounds": 4}
    return kind(**{**{name: value for name, value in small.items() if name in names}, **settings})


def doors_of(name: str, unfitted: Any, variant: dict[str, Any]) -> Iterator[Door]:
    X, y = make_rows(), make_labels()
    fitted = clone(unfitted).fit(X, y)
    of = f"({', '.join(variant)})" if variant else ""

    def enter(estimator: Any, method: str, *more: Any) -> Callable[[Any], Any]:
        return lambda rows: getattr(deepcopy(estimator), method)(rows, *more)

    for method in methods_with_rows(type(unfitted)):
        if not hasattr(fitted, method):  # of another variant
            continue
        if method in ("fit", "fit_resample"):
            starts = {"": unfitted}
        elif method in ("partial_fit", "query"):
            starts = {" at first": unfitted, "": fitted}
        else:
            starts = {"": fitted}
        for start, estimator in starts.items():
            more = (y,) if method in WITH_LABELS else ()
            yield Door(f"{name}.{method}", f"{name}{of}.{method}{start}", enter(estimator, method, *more), X)


def methods_with_rows(kind: type) -> list[str]:
    """Public methods that take X, or X_pool, or X_test."""
    return [
        method
        for method, function in getmembers(kind, callable)
        if not method.startswith("_") and takes_rows(function)
    ]


def takes_rows(function: Any) -> bool:
    try:
        return any(name.split("_")[0] == "X" for name in signature(function).parameters)
    except (TypeError, ValueError):  # no Python function
        return False


def other_doors() -> Iterator[Door]:
    import matplotlib

    matplotlib.use("Agg")
    X, y, plane = make_rows(), make_labels(), make_rows(2)
    machine = LinearSVC().fit(X, y)

    def door(covers: str, enter: Callable[[Any], Any], rows: Any = X, variant: str = "") -> Door:
        return Door(covers, covers + variant, enter, rows)

    share = partial(lopsided.estimate_positive_share, n_splits=2, random_state=0)
    yield door("estimate_positive_share", lambda rows: share(rows, y))
    yield door("lee_liu_scorer", lambda rows: lopsided.lee_liu_scorer(machine, rows, y))

    rule = lopsided.Rule(feature=3, threshold=None, present=1.0, absent=-1.0, weight=1.0)
    yield door("Rule.applies", rule.applies)
    yield door("Rule.applies", rule._replace(threshold=0.5).applies, variant=" with a threshold")

    labels = np.column_stack([y, 1 - y, np.arange(len(y)) % 3 == 0])
    indicators = sparse.csr_array(labels.astype(float))
    booster = lopsided.AdaBoostStumps(n_rounds=3)
    search = lopsided.LPUBoostStumpsCV(**SMALL["LPUBoostStumpsCV"], n_rounds=3)
    yield door("AdaBoostStumps.fit", lambda y: clone(booster).fit(X, y), indicators, " as y")
    yield door("LPUBoostStumpsCV.fit", lambda y: clone(search).fit(X, y), indicators, " as y")

    detector = partial(lopsided.UnexpectedDetector, random_state=0)
    yield door(
        "UnexpectedDetector.fit", lambda rows: detector(background=rows).fit(X, y), X, " as background"
    )

    display = lopsided.MarginImbalanceDisplay.from_estimator
    yield door("margin_imbalance", lambda rows: lopsided.margin_imbalance(machine, rows, y))
    yield door("MarginImbalanceDisplay.from_estimator", lambda rows: display(machine, rows, y).scores)

    curve = partial(lopsided.label_curve, lopsided.LASVC(kernel="linear", random_state=0), n_points=2)
    curves = partial(lopsided.LabelCurveDisplay.from_estimator, curve.args[0], n_points=2)
    yield door("label_curve", lambda rows: curve(rows, y, X, y))
    yield door("label_curve", lambda rows: curve(X, y, rows, y), variant=" as X_test")
    yield door("LabelCurveDisplay.from_estimator", lambda rows: curves(rows, y, X, y).curves)

    boundary = lopsided.BoundaryDisplay
    grid, scores = (np.arange(2.0), np.arange(2.0)), {"score": np.array([[0.0, 1.0], [1.0, -1.0]])}
    model = lopsided.MarginPerceptron().fit(plane, y)
    yield door("BoundaryDisplay", lambda rows: boundary(rows, y, scores, grid).X, plane)
    yield door(
        "BoundaryDisplay.from_estimator",
        lambda rows: boundary.from_estimator(model, rows, y, n_grid=2).X,
        plane,
    )

    yield from filter_doors(lopsided.MarginPerceptron(), door, "")
    yield from filter_doors(SGDClassifier(random_state=0), door, " of SGDClassifier")
    yield from value_filter_doors(lopsided.OnlineRegressor(), door, "")
    yield from value_filter_doors(SGDRegressor(random_state=0), door, " of SGDRegressor")


def filter_doors(learner: Any, door: Callable[..., Door], whose: str) -> Iterator[Door]:
    X, y, run, tfidf = make_rows(), make_labels(), lopsided.run_stream, TfidfTransformer()
    new = partial(new_filter, learner)
    yield door("OneSidedFilter.decide", lambda rows: new().decide(rows), X, f"{whose} at first")
    yield door("OneSidedFilter.decide", lambda rows: new().learn(X, y).decide(rows), X, whose)
    yield door("OneSidedFilter.learn", lambda rows: new().learn(rows, y).decide(X), X, whose)
    yield door("run_stream", lambda rows: run(new(), rows, y), X, whose)
    tfidf.fit(X)
    yield door("run_stream", lambda rows: run(new(), rows, y, vectorizer=tfidf), X, f"{whose}, vectorized")


def value_filter_doors(learner: Any, door: Callable[..., Door], whose: str) -> Iterator[Door]:
    X, values, run = make_rows(), make_labels().astype(float), lopsided.run_value_stream
    new = partial(new_value_filter, learner)
    yield door("ValueFilter.decide", lambda rows: new().learn(X, values).decide(rows), X, whose)
    yield door("ValueFilter.learn", lambda rows: new().learn(rows, values).decide(X), X, whose)
    yield door("run_value_stream", lambda rows: run(new(), rows, values), X, whose)


def new_filter(learner: Any) -> Any:
    return lopsided.OneSidedFilter(clone(learner), explorer=lopsided.AppleTasting(), random_state=0)


def new_value_filter(learner: Any) -> Any:
    return lopsided.ValueFilter(clone(learner), threshold=0.5)


def public_names_with_rows() -> set[str]:
    """What `all_doors` must cover: public functions, constructors and methods that take X."""
    found = set()
    for name in lopsided.__all__:
        thing = getattr(lopsided, name)
        if isclass(thing):
            found |= {f"{name}.{method}" for method in methods_with_rows(thing)}
            if not issubclass(thing, BaseEstimator) and takes_rows(thing):
                found.add(name)
        elif callable(thing) and takes_rows(thing):
            found.add(name)
    return found


# what came of a case


def plain(thing: Any) -> Any:
    """What a door answered, as lists of numbers; of what was fitted or taught, what it says of sound rows."""
    if isinstance(thing, BaseEstimator):
        for method in ("decision_function", "predict", "sample"):
            if hasattr(thing, method):
                return plain(getattr(thing, method)(*([] if method == "sample" else [make_rows()])))
    if sparse.issparse(thing):
        return plain(thing.toarray())
    if isinstance(thing, np.ndarray | np.generic):
        return plain(thing.tolist()) if thing.dtype == object else thing.tolist()
    if isinstance(thing, MeasuredRows):  # by what a learner sees of them
        weighted = Perceptron(thing.n_columns, True, 2.0, 1.0, 1.0, 1.0, False, 0.0)
        weighted.learn(thing, np.arange(thing.n_rows), np.ones(thing.n_rows, np.int8))
        return plain(weighted.coef)
    if isinstance(thing, lopsided.Decision | lopsided.StreamReport):
        return [plain(thing.show), plain(thing.explored), plain(thing.score)]
    if is_dataclass(thing):
        return [plain(part) for part in astuple(thing)]
    if isinstance(thing, tuple | list | Iterator):
        return [plain(part) for part in thing]
    assert thing is None or isinstance(thing, int | float | str), f"no plain form of {thing!r}"
    return thing


def outcome_of(door: Door, rows: Any) -> str:
    try:
        return f"answer: {json.dumps(plain(door.enter(rows)))}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def cases(batch: str) -> Iterator[tuple[str, Callable[[], str]]]:
    for door in all_doors():
        if batch == "broken":
            for flaw in (*FLAWS, *FLAWED_FORMATS):
                yield f"{door.name} | {flaw}", partial(enter_broken, door, flaw)
        else:
            yield f"{door.name} | canonical", partial(outcome_of, door, door.rows)
            for oddity, change in HARMLESS.items():
                yield f"{door.name} | {oddity}", partial(enter_odd, door, change)


def enter_broken(door: Door, flaw: str) -> str:
    return outcome_of(door, broken(flaw, door.rows))


def enter_odd(door: Door, change: Callable[[Any], Any]) -> str:
    return outcome_of(door, change(door.rows))


def outcomes(batch: str) -> dict[str, str]:
    """The outcome of every case, "broken" or "odd", by its name; it stops after twenty crashes."""
    found: dict[str, str] = {}
    for _ in range(20):
        run = subprocess.run(
            [sys.executable, __file__, batch, str(len(found))], capture_output=True, text=True, check=False
        )
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        found |= {line[0]: line[1] for line in lines if len(line) == 2}
        if run.returncode == 0:
            return found
        if not lines or len(lines[-1]) == 2:
            raise RuntimeError(f"no case was under way: {run.stderr[-2000:]}")
        found[lines[-1][0]] = f"the process ended with {run.returncode}: {run.stderr[-300:]}"
    return found


def main(batch: str, n_done: str) -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what others print goes elsewhere
    warnings.simplefilter("ignore")
    for place, (name, run) in enumerate(cases(batch)):
        if place >= int(n_done):
            print(json.dumps([name]), file=out, flush=True)
            print(json.dumps([name, run()]), file=out, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
