"""The tables and figures as a reader sees them."""

from collections.abc import Callable
from functools import partial

import numpy as np

from lopsided.experiments import Measurements, cell, cross_table, for_each, read_texts
from lopsided.papers.sculley_2007 import made_streams as made
from lopsided.papers.sculley_2007.data import PUBLISHED_SIZES, TUNING
from lopsided.papers.sculley_2007.methods import LEARNERS, Method
from lopsided.papers.sculley_2007.units import StreamSize, best_of_grid
from lopsided.report import Block, Cell, Plot, Series, Table, Text

_SCORES = ("f1", "recall", "precision", "fn", "fp", "auc")
_COUNTED = ("fn", "fp", "labels", "explored", "found")
_IN_WORDS = read_texts(__package__, "names.toml")["columns"]
_MOST_PLANES = 6  # in a picture


def show_streams(t: Measurements) -> list[Block]:
    """Show the sizes of the streams beside the published ones."""
    lines = []
    for size in t.results(StreamSize):
        n, rate = (PUBLISHED_SIZES.value(m, stream=size.stream) for m in ("n", "positive_rate"))
        lines.append((size.stream, [Cell(size.n, n, digits=0), Cell(size.positive_rate, rate, digits=3)]))
    return [Table(("items", "share of positives"), lines)]


def _methods_table(*columns: str) -> Callable[[Measurements], list[Block]]:
    """Return a function that shows a table for each stream, with a line for each method."""
    heads = tuple(_IN_WORDS.get(column, column) for column in columns)

    def table(t: Measurements, title: str) -> Table:
        methods = t.split("method").items()
        lines = [(m.name, [_method_cell(runs, m, column) for column in columns]) for m, runs in methods]
        return Table(heads, lines, title)

    return for_each("stream", table)


def _method_cell(runs: Measurements, method: Method, column: str) -> Cell | str:
    if column in ("parameter", "bias"):
        value = getattr(method, column)
        return "" if value is None else f"{value:g}"
    return cell(runs, column, digits=4 if "auc" in column else 0 if column in _COUNTED else 2)


show_table1 = _methods_table(*_SCORES, "labels", "explored", "found", "parameter")
show_others = _methods_table(*_SCORES, "labels", "explored", "parameter", "bias")
show_masked = _methods_table(*_SCORES, "silent_f1", "silent_auc")


def _tuning_plot(t: Measurements, title: str) -> Plot:
    series = [_tuned_series(learner, t.only(learner=learner)) for learner in LEARNERS]
    return Plot(series, "parameter", "F1 in percent", title, log_x=True)


show_tuning = for_each("variant", _tuning_plot)


def _tuned_series(learner: str, t: Measurements) -> Series:
    f1 = t.means("f1", "method")
    values = [method.bias if method.parameter is None else method.parameter for method in f1]
    return Series(learner, values, list(f1.values()))


def show_betas(t: Measurements) -> list[Block]:
    """Show F1 and what is explored by beta on each stream, and what the tuned beta costs."""
    plots = [_beta_plot(own, learner) for learner, own in t.split("learner").items()]
    places = [(learner, stream) for learner in t.labels("learner") for stream in t.labels("stream")]
    by_beta: dict[float, list[Method]] = {}
    for method in t.labels("method"):
        by_beta.setdefault(method.parameter, []).append(method)
    tables = []
    for metric, digits, title in (
        ("f1", 1, "F1 in percent, by beta"),
        ("explored", 0, "messages explored, by beta"),
    ):
        lines = [
            (
                f"{beta:g}",
                [
                    cell(t.only(method=of, learner=k, stream=stream), metric, digits=digits)
                    for k, stream in places
                ],
            )
            for beta, of in by_beta.items()
        ]
        tables.append(Table(tuple(map(", ".join, places)), lines, title))
    told = [_transfer(own, learner) for learner, own in t.split("learner").items()]
    return [*plots, *tables, Text([line for lines in told for line in lines])]


def _beta_plot(t: Measurements, learner: str) -> Plot:
    series = [_tuned_series(stream, own) for stream, own in t.split("stream").items()]
    return Plot(series, "beta", "F1 in percent", learner, log_x=True)


def _transfer(t: Measurements, learner: str) -> list[str]:
    """Return for each stream but the tuning one what the tuned beta has there, and what the best has."""
    tuned = t.only(stream=TUNING).best("method", "f1", within=("learner",)).labels("method")
    lines = []
    for stream, own in t.split("stream").items():
        if stream != TUNING and tuned and (f1 := own.means("f1", "method")).keys() >= set(tuned):
            best = max(f1, key=f1.__getitem__)
            lines.append(
                f"{learner}: beta = {tuned[0].parameter:g} is best on {TUNING} and has {f1[tuned[0]]:.1f} on "
                f"{stream}, where {best.parameter:g} is best and has {f1[best]:.1f}."
            )
    return lines


def show_topics(t: Measurements) -> list[Block]:
    """Show F1 with the bias or cost that gave it, and recall: a line for each class."""
    best = best_of_grid(t)
    names = best.labels("name")
    titles = {"f1": "F1 in percent; in brackets the parameter", "recall": "recall in percent there"}
    return [
        cross_table(best, "stream", names, partial(_topic_cell, metric=metric), title)
        for metric, title in titles.items()
    ]


def _topic_cell(topic: Measurements, name: str, metric: str) -> Cell | str:
    runs = topic.only(name=name)
    notes = [f"{m.bias if m.cost is None else m.cost:g}" for m in runs.labels("method")]
    return cell(runs, metric, note=notes[0]) if notes else ""


def show_cases(t: Measurements) -> list[Block]:
    """Show what part of the positives is shown along the stream, some planes, and the late recalls."""
    return [*for_each("case", _shown_plot)(t), *map(_picture, t.results(made.PlanePath)), _recall_table(t)]


def _shown_plot(t: Measurements, title: str) -> Plot:
    ends = [made.N_ITEMS * (k + 1) / made.N_PARTS for k in range(made.N_PARTS)]
    settings = {setting: runs.results(made.Simulation) for setting, runs in t.split("setting").items()}
    series = [
        Series(setting, ends, (100 * np.mean([run.shown for run in runs], axis=0)).tolist())
        for setting, runs in settings.items()
        if runs
    ]
    return Plot(series, "item", "positives shown, in percent", title)


def _recall_table(t: Measurements) -> Table:
    settings = [name for name in made.SETTINGS if name in t.labels("setting")]
    title = "recall in the second half of the stream, in percent"
    return cross_table(t, "case", settings, _recall_cell, title)


def _recall_cell(case: Measurements, setting: str) -> Cell | str:
    runs = case.only(setting=setting)
    notes = ["" if value is None else f"at {value:g}" for value in runs.labels("value")]
    return Cell(100 * runs.mean("recall"), note=notes[0]) if notes else ""


def _picture(path: made.PlanePath) -> Plot:
    """Draw the first items in the plane of u and v, and where the learner's plane stood along the stream."""
    X, y = (rows[: made.N_FOLLOWED] for rows in made.make_case(path.case, path.seed, len(path.place)))
    side = float(np.abs(X[:, 2]).max())
    series = [
        Series.cloud(name, X[y == label, 1], X[y == label, 2])
        for name, label in (("positive", 1), ("negative", 0))
    ]
    for i in _moments(path, float(X[:, 1].min()), float(X[:, 1].max())):
        place, slope = float(path.place[i]), float(path.slope[i])
        ends = [place - slope * side, place + slope * side]
        series.append(Series(f"plane after {i + 1}", ends, [-side, side]))
    at = "" if path.value is None else f" of {path.value:g}"
    title = f"{path.case}, {path.setting}{at}: right of its plane, in the end, are"
    return Plot(series, "u", "v", f"{title} {100 * path.accepted[-1]:.0f} % of the positives")


def _moments(path: made.PlanePath, low: float, high: float) -> list[int]:
    """Return some of the items that moved the plane: first, last, and between; not to where nothing is."""
    moved = np.diff(path.place, prepend=np.nan) != 0  # also where one of them is NaN
    near = np.abs(path.place - (low + high) / 2) <= 1.5 * (high - low)
    moments = np.flatnonzero(moved & near)
    chosen = np.linspace(0, len(moments) - 1, min(_MOST_PLANES, len(moments))).round().astype(int)
    return moments[chosen].tolist()


def show_figure4(t: Measurements) -> list[Block]:
    """Show what learners would show after each item, their planes, and how these moved."""
    paths = t.results(made.PlanePath)
    accepted = [
        Series(path.setting, range(1, len(path.accepted) + 1), (100 * path.accepted).tolist())
        for path in paths
    ]
    return [
        Plot(accepted, "item", "positives that would be shown, in percent", "after each item"),
        *map(_picture, paths),
        Text([_movement(path) for path in paths]),
    ]


def _movement(path: made.PlanePath) -> str:
    known = path.place[~np.isnan(path.place)]
    steps = np.diff(known)
    return (
        f"{path.setting}: plane at u = {known[-1]:.2f}, moved up {int((steps > 0).sum())} and down "
        f"{int((steps < 0).sum())} times; accepts {100 * path.accepted[-1]:.1f} % of the positives"
    )


def show_figure6(t: Measurements) -> list[Block]:
    """Show the scores of one run with the planes, and that both learners do the same in all runs."""
    reductions = t.results(made.Reduction)
    one = reductions[0]
    rounds = np.arange(1, len(one.scores) + 1)
    quarter, half = one.margin / 4, one.margin / 2
    parts = {
        "h says no: no label": one.scores < 0,
        "h' says no and asks": (one.scores >= 0) & (one.scores < quarter),
        "both say yes": one.scores >= quarter,
    }
    points = [Series.cloud(name, rounds[part], one.scores[part]) for name, part in parts.items()]
    planes = [
        Series(name, [1, len(rounds)], [height, height])
        for name, height in (("h", 0.0), ("h'", quarter), ("m+", half))
    ]
    counted = [(r.n_rounds, r.same_labels, r.same_updates, r.n_sampled) for r in reductions]
    lines = [(f"draw {k}", [Cell(n, digits=0) for n in draw]) for k, draw in enumerate(counted, 1)]
    return [
        Plot([*points, *planes], "item", "f", "overlap, margin perceptron"),
        Table(("items", "same labels", "same updates", "asked by h' alone"), lines),
    ]


def show_figure7(t: Measurements) -> list[Block]:
    """Show how far the plane comes on its way to the margin m-."""
    reached = [one.reached for one in t.results(made.Exploration)]
    series = [Series(f"draw {k}", range(1, len(way) + 1), way) for k, way in enumerate(reached, 1)]
    series.append(Series("m-", [1, max(map(len, reached))], [1.0, 1.0]))
    return [Plot(series, "positives that agree with h", "way of h_e from h to m-")]
