import numpy as np
import pytest

from lopsided.experiments import Extent, seeds
from lopsided.experiments._reproduction import reproduce
from lopsided.papers.sculley_2007 import PAPER
from lopsided.papers.sculley_2007.made_streams import (
    LARGER_MARGIN,
    MARGIN,
    N_FOLLOWED,
    N_PARTS,
    TRIED,
    Exploration,
    PlanePath,
    Reduction,
    Simulation,
    at_best,
    follow,
    make_case,
)
from lopsided.papers.sculley_2007.methods import FULL
from lopsided.runs import Results, Runner


def run_items(*items, n, n_jobs=1):
    """Return the measurements of items, none of whose units went wrong."""
    with Results() as results:
        runner = Runner(results, n_jobs=n_jobs)
        done = reproduce(PAPER, Extent(seeds(n), quick=False), runner, items=items).items
    for result in done.values():
        assert not result.failed, next(iter(result.failed.values()))
        assert not result.skipped
    return [result.summary for result in done.values()]


def test_noise_flips_labels_but_not_the_first():
    X, y = make_case("noise", 3)
    clean_X, clean_y = make_case("separable", 3)
    np.testing.assert_allclose(X, 0.2 * clean_X)
    assert y[0] == clean_y[0] == 1
    assert 0.03 < (y != clean_y).mean() < 0.07


def test_a_margin_brings_the_plane_down_and_a_perceptron_stays():
    (figure_4,) = run_items("figure4", n=1)
    perceptron, margin = figure_4.results(PlanePath)
    assert perceptron.accepted[-1] < 0.5
    assert margin.accepted[-1] > 0.9
    steps = np.diff(margin.place[~np.isnan(margin.place)])
    assert (steps > 0).any()  # both ways
    assert (steps < 0).any()


def test_a_plane_is_where_the_score_is_nothing():
    path = follow("separable", MARGIN, None, 0)
    X, y = make_case("separable", 0, N_FOLLOWED)
    # The share of positives right of the line through `place` with that slope is what is accepted.
    right = X[:, 1] >= path.place[-1] + path.slope[-1] * X[:, 2]
    assert right[y == 1].mean() == pytest.approx(path.accepted[-1])


def test_without_exploration_the_perceptron_never_accepts_more():
    """The ratchet of Figure 1: after its start only false positives move it."""
    path = follow("noise", "perceptron", None, 1)
    started = np.flatnonzero(path.accepted < 1)[0]
    assert (np.diff(path.accepted[started:]) <= 0).all()


def test_the_reduction_is_exact():
    (figure_6,) = run_items("figure6", n=3)
    reductions = figure_6.results(Reduction)
    assert len(reductions) == 3
    for reduction in reductions:
        assert reduction.same_labels == reduction.same_updates == reduction.n_rounds
        assert reduction.n_sampled > 0


def test_exploration_ends_at_the_margin():
    (figure_7,) = run_items("figure7", n=3)
    explorations = figure_7.results(Exploration)
    assert len(explorations) == 3
    for exploration in explorations:
        assert 0 < exploration.furthest <= 1
        assert exploration.reached[-1] == exploration.furthest
        assert (np.diff(exploration.reached) >= 0).all()


def test_the_number_of_processes_changes_nothing():
    alone, together = (run_items("figure7", n=3, n_jobs=n)[0].results(Exploration) for n in (1, 2))
    assert alone == together


def test_simulations():
    figure_1, figure_8, text = run_items("figure1", "figure8", "text", n=2)
    assert figure_1.labels("case") == ["noise", "overlap"]
    settings = {case: set(part.labels("setting")) for case, part in figure_8.split("case").items()}
    assert settings["stripe"] > settings["gap"] > {MARGIN, FULL}
    assert figure_8.mean("recall", case="gap", setting=MARGIN) < 0.3
    (value,) = figure_8.labels("value", case="gap", setting=LARGER_MARGIN)
    assert value in TRIED[LARGER_MARGIN]
    assert text.labels("case") == ["malicious", "overshoot"]
    assert text.mean("recall", case="malicious", setting=MARGIN) < 0.05
    full = figure_8.only(case="gap", setting=FULL)
    shown = np.mean([one.shown for one in full.results(Simulation)], axis=0)
    assert np.mean(shown[N_PARTS // 2 :]) == pytest.approx(full.mean("recall"), abs=0.02)
    # Planes are followed with the value that was chosen, on the first draw.
    (path,) = [path for path in figure_8.results(PlanePath, case="gap") if path.setting == LARGER_MARGIN]
    assert (path.value, path.seed) == (value, seeds(1)[0])


def test_values_are_chosen_on_other_draws():
    """Those with the best mean F1; the draws that are judged are not looked at."""
    looked_at = set()

    def ask(units):
        looked_at.update(unit.arguments[3] for unit in units)
        return [
            Simulation(*unit.arguments, 0.0, 0.9 if unit.arguments[2] == 32 else 0.5, 10, ())
            for unit in units
        ]

    cases = {"gap": (MARGIN, LARGER_MARGIN)}
    found = at_best(cases)(Extent(seeds(2), quick=False), ask)
    assert found == [("gap", MARGIN, None), ("gap", LARGER_MARGIN, 32.0)]
    assert len(looked_at) == 2
    assert not looked_at & set(seeds(10))
    at_best(cases)(Extent(seeds(1), quick=True), ask)
    assert len(looked_at) == 5  # as many as are judged in a quick run
