import math
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_matrix

from lopsided.datasets import fetch_spamassassin, fetch_trec07p, make_lopsided
from lopsided.feedback import OneSidedFilter, run_stream
from lopsided.metrics import Counts
from lopsided.online import RelaxedOnlineSVM
from lopsided.reproduce import sculley_2007 as paper
from lopsided.reproduce.sculley_2007 import (
    EFFICIENT,
    FULL,
    PLAIN,
    TASTING,
    Late,
    Method,
    Outcome,
    Row,
    Stream,
)
from lopsided.text import ByteGramVectorizer

IDS = [f"S{k}" for k in range(1, 22)]


# ---- streams


def test_the_first_positive_comes_first():
    y = np.array([0, 0, 1, 0, 1])
    assert paper._first_positive_first(y).tolist() == [2, 0, 1, 3, 4]


def test_reuters(need):
    need("reuters21578")
    earn, corn = paper.load("earn"), paper.load("corn")
    assert earn.X.shape == corn.X.shape
    assert earn.X.shape[0] == 9603 - 787  # those without a body are gone
    for stream in (earn, corn):
        assert stream.y[0] == 1
        assert set(stream.y.tolist()) == {0, 1}
    first = earn.X[0].data
    np.testing.assert_allclose(first, 1 / math.sqrt(len(first)))  # binary, of length 1
    # Both are one order of documents but for the first.
    a, b = (
        np.delete(s.X.sum(axis=1).A1 if hasattr(s.X.sum(axis=1), "A1") else s.X.sum(axis=1), 0)
        for s in (earn, corn)
    )
    assert (a == b).mean() > 0.99


def test_the_topics_are_the_ten_largest_in_order_of_size(need):
    need("reuters21578")
    rates = [paper.load(topic).positive_rate for topic in paper.TOPICS]
    assert 0.28 < rates[0] < 0.34  # the paper: 30 % to 1.9 %
    assert 0.015 < rates[-1] < 0.025
    assert rates[:2] == sorted(rates, reverse=True)[:2]
    assert set(rates[-paper._SMALLEST :]) == set(sorted(rates)[: paper._SMALLEST])


def test_the_tuning_stream(need):
    need("spamassassin")
    mail = paper.load("spamassassin")
    assert mail.X.shape == (6046, 2**20)
    assert mail.y.sum() == 4150  # ham is to be shown
    assert mail.partial is None


@pytest.mark.slow
def test_the_mail_stream(need):
    need("trec07p")
    mail = paper.load("trec07p")
    assert mail.X.shape == (75419, 2**20)
    assert mail.y.sum() == 25220
    assert mail.partial.sum() == 30338


# ---- runs


def made(name, seed=0, n=150, rate=0.4):
    X, y = make_lopsided(n, 8, rate, separation=4.0, random_state=seed)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    order = paper._first_positive_first(y)
    return Stream(name, csr_matrix(X[order]), y[order], (np.arange(n) % 3 == 0).astype(int))


@pytest.fixture
def made_streams(monkeypatch):
    """Every stream of the paper replaced by a made one of a few rows."""
    rates = {"earn": 0.4, "acq": 0.3}
    streams = {
        name: lambda name=name, k=k: made(
            name, k, rate=rates.get(name, 0.04 if name in paper.TOPICS else 0.4)
        )
        for k, name in enumerate(paper.STREAMS)
    }
    monkeypatch.setattr(paper, "STREAMS", streams)
    monkeypatch.setattr(paper, "N_DELAY", 50)
    caches = (paper.load, paper._tuning_run, paper._best_value)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


ALL_METHODS = [
    Method(learner, variant, 0.01 if variant in paper.GRIDS and variant != "threshold bias" else None)
    for learner in paper.LEARNERS
    for variant in (*paper.VARIANTS, FULL, *paper.OTHERS, *paper.MASKS)
]


@pytest.mark.parametrize("method", ALL_METHODS, ids=lambda m: f"{m.learner}-{m.variant}")
def test_run(made_streams, method):
    outcome = paper.run("trec07p", method, 5)
    assert (outcome.stream, outcome.method, outcome.seed) == ("trec07p", method, 5)
    assert outcome.counts.n == 150
    assert outcome == paper.run("trec07p", method, 5)
    if not method.draws:
        assert replace(paper.run("trec07p", method, 6), seed=5) == outcome
    if method.variant == FULL:
        assert outcome.n_labels == 150
        assert math.isnan(outcome.silent_auc)
    elif method.variant == "delay":
        assert outcome.n_labels == 50
    elif method.variant == "partial":
        assert outcome.n_labels == 50
        assert outcome.silent_counts.n == 100
    else:
        assert outcome.n_labels == outcome.counts.tp + outcome.counts.fp
        assert outcome.silent_counts.tp == outcome.silent_counts.fp == 0
    if _explores(method):
        assert outcome.n_explored >= outcome.n_found
    else:
        assert outcome.n_explored == 0


def _explores(method):
    return method.variant in (EFFICIENT, TASTING, "epsilon-greedy", "softmax")


def test_what_is_not_drawn_is_run_once():
    runs = (1, 2, 3)
    assert paper._needed(Method("PWM"), runs) == (1,)
    assert paper._needed(Method("PWM", TASTING), runs) == runs


def test_costs_reach_the_learner():
    svm = paper.make_filter(Method("ROSVM", cost=2.0), 0).learner
    assert (svm.C, svm.class_weight, svm.buffer_size) == (100.0, {0: 0.02, 1: 1.0}, 1000)
    assert (svm.update_margin, svm.max_passes) == (1.0, 1)
    pwm = paper.make_filter(Method("PWM", cost=8.0, bias=0.25), 0)
    assert pwm.learner.class_weight == {0: 1.0, 1: 8.0}
    assert pwm.bias == 0.25
    assert (pwm.learner.margin, pwm.learner.eta0) == (2.0, 1.0)
    assert paper.make_filter(Method("Perceptron"), 0).learner.margin == 0.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: paper.load("trec05p-1"), "no stream 'trec05p-1'.*trec07p"),
        (lambda: paper.make_filter(Method("Winnow"), 0), "no learner 'Winnow'.*PWM"),
        (lambda: paper.make_filter(Method("PWM", "greedy"), 0), "no variant 'greedy'.*epsilon-greedy"),
        (lambda: paper.compute("figure2", (0,)), "nothing to compute for 'figure2'.*figure1"),
        (
            lambda: paper._feedback(replace(made("earn"), partial=None), Method("PWM", "partial")),
            "earn.*trec07p",
        ),
    ],
)
def test_names_that_are_not_there(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# ---- tuning


def outcome(method, f1=0.5, seed=0, stream="trec07p", **changes):
    """One with that F1: tp of 1000, as many false positives as false negatives."""
    wrong = 1000 * (1 - f1) / f1
    counts = Counts(tp=1000, fp=wrong, fn=wrong, tn=5000)
    return Outcome(stream, method, seed, counts, 0.9, 1200, 10, 5, 100, Counts(), math.nan, **changes)


def test_the_parameter_with_the_best_mean_is_taken(monkeypatch):
    asked = []

    def tuning_run(method, seed):
        asked.append((method, seed))
        best = {1e-5: 0.5, 1e-3: 0.9, 1e-2: 0.9}
        return outcome(method, best.get(method.parameter, 0.1) + (0.01 if seed else 0.0))

    monkeypatch.setattr(paper, "_tuning_run", tuning_run)
    assert paper.tuned("PWM", EFFICIENT, (0, 1)) == 1e-3  # of two equals the one that explores less
    assert {method.parameter for method, _ in asked} == set(paper.GRIDS[EFFICIENT])
    assert {seed for _, seed in asked} == {0, 1}


def test_the_bias_is_tuned_too(monkeypatch):
    monkeypatch.setattr(paper, "_tuning_run", lambda m, seed: outcome(m, 0.9 if m.bias == 0.064 else 0.5))
    assert paper.tuned("PWM", "threshold bias", (0,)) == 0.064


def test_the_grid_is_the_declared_one():
    assert paper.GRIDS[EFFICIENT] == pytest.approx([1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10])
    assert len(paper.BIASES) == 9
    assert paper.BIASES[0] == 0
    assert [len(paper.COSTS[learner]) for learner in paper.MARGIN_LEARNERS] == [18, 8]


# ---- tables


def test_rows_are_means_with_their_spread():
    method = Method("PWM", TASTING)
    (row,) = paper.table1([outcome(method, 0.5, 1), outcome(method, 0.7, 2)])
    assert (row.stream, row.learner, row.variant) == ("trec07p", "PWM", TASTING)
    assert row.ours["f1"] == pytest.approx(60)
    assert row.spread["f1"] == pytest.approx(14.142, abs=1e-3)
    assert row.ours["fp"] == pytest.approx((1000 + 300 / 0.7) / 2)
    assert row.ours["auc"] == 90
    assert math.isnan(row.ours["parameter"])


def test_the_best_of_the_grid_is_that_of_the_means():
    method = Method("PWM", TASTING)
    scores = {0.0: (0.3, 0.3), 0.5: (0.9, 0.1), 1.0: (0.6, 0.6)}  # 0.5 has the best run, 1.0 the best mean
    outcomes = [
        outcome(replace(method, bias=bias), f1, seed, "ship")
        for bias, pair in scores.items()
        for seed, f1 in enumerate(pair)
    ]
    (row,) = paper.best_of_grid(outcomes)
    assert (row.stream, row.learner, row.variant) == ("ship", "PWM", TASTING)
    assert row.ours["f1"] == pytest.approx(60)
    assert row.ours["at"] == 1.0
    assert row.ours["plain"] == pytest.approx(30)
    (row,) = paper.best_of_grid([outcome(replace(method, cost=4.0), 0.5)])
    assert row.ours["at"] == 4.0
    assert "plain" not in row.ours


def test_everything_end_to_end(made_streams):
    runs = paper.seeds(1)
    results = {name: paper.compute(name, runs) for name in paper.ITEMS}
    assert [(r.learner, r.variant) for r in results["table1"]] == [
        (learner, variant) for learner in paper.LEARNERS for variant in (PLAIN, EFFICIENT, TASTING, FULL)
    ]
    assert len(results["others"]) == 9
    assert len(results["delay"]) == len(results["partial"]) == 3
    for name in ("table2", "table3"):
        keys = [(r.stream, r.learner, r.variant) for r in results[name]]
        assert keys == [
            (topic, learner, variant)
            for topic in paper.TOPICS
            for learner in paper.MARGIN_LEARNERS
            for variant in paper.VARIANTS
        ]
    assert len(results["tuning"]) == 3 * sum(map(len, paper.GRIDS.values()))
    verdicts = paper.judge(results)
    assert [verdict.id for verdict in verdicts] == IDS
    assert {verdict.verdict for verdict in verdicts} <= {"holds", "does not hold"}
    assert all(verdict.measured and verdict.why for verdict in verdicts)
    for name, result in results.items():
        assert paper.format_result(name, result)


@pytest.mark.parametrize("item", ["table1", "figure8"])
def test_the_number_of_threads_changes_nothing(made_streams, item):
    alone, together = (paper.compute(item, paper.seeds(2), n_jobs=n) for n in (1, 2))
    assert repr(alone) == repr(together)  # to the last digit, NaN where NaN


def test_run_r_is_the_same_whatever_the_number_of_runs(made_streams):
    few, many = (
        {unit: paper.run(*unit) for unit in paper.ITEMS["others"].units(paper.seeds(n)) if unit[1].draws}
        for n in (1, 2)
    )
    same = [unit for unit in few if unit in many]
    assert same
    assert all(few[unit] == many[unit] for unit in same)


# ---- figures


def test_noise_flips_labels_but_not_the_first():
    X, y = paper.make_case("noise", 3)
    clean_X, clean_y = paper.make_case("separable", 3)
    np.testing.assert_allclose(X, 0.2 * clean_X)
    assert y[0] == clean_y[0] == 1
    assert 0.03 < (y != clean_y).mean() < 0.07


def test_a_margin_brings_the_plane_down_and_a_perceptron_stays():
    perceptron, margin = paper.compute("figure4", paper.seeds(1))
    assert perceptron.accepted[-1] < 0.5
    assert margin.accepted[-1] > 0.9
    steps = np.diff(margin.place[~np.isnan(margin.place)])
    assert (steps > 0).any()  # both ways
    assert (steps < 0).any()


def test_without_exploration_the_perceptron_never_accepts_more():
    """The ratchet of Figure 1: after its start only false positives move it."""
    path = paper.follow("noise", "perceptron", 1)
    started = np.flatnonzero(path.accepted < 1)[0]
    assert (np.diff(path.accepted[started:]) <= 0).all()


def test_the_reduction_is_exact():
    for reduction in paper.compute("figure6", paper.seeds(3)):
        assert reduction.same_labels == reduction.same_updates == reduction.n_rounds
        assert reduction.n_sampled > 0


def test_exploration_ends_at_the_margin():
    for exploration in paper.compute("figure7", paper.seeds(3)):
        assert 0 < exploration.furthest <= 1


def test_simulations_of_both_figures():
    figure1 = paper.compute("figure1", paper.seeds(2))
    assert list(figure1) == ["noise", "overlap"]
    figure8 = paper.compute("figure8", paper.seeds(2))
    assert set(figure8["stripe"]) > set(figure8["gap"]) > {"margin", FULL}
    assert figure8["gap"]["margin"].recall < 30
    assert figure8["gap"]["larger margin"].value in paper.TRIED["larger margin"]
    text = paper.compute("text", paper.seeds(2))
    assert list(text) == ["malicious", "overshoot"]
    assert text["malicious"]["margin"].recall < 5


def test_values_are_chosen_on_other_draws(monkeypatch):
    """Those with the best mean F1; the draws that are judged are not looked at."""
    looked_at = set()

    def simulate(case, setting, value, seed):
        looked_at.add(seed)
        return paper.Simulation(case, setting, value, seed, 0.0, 0.9 if value == 32 else 0.5, 10)

    monkeypatch.setattr(paper, "simulate", simulate)
    paper._best_value.cache_clear()
    units = paper._simulations({"gap": ("margin", "larger margin")}, paper.seeds(2))
    paper._best_value.cache_clear()
    assert [unit[1:3] for unit in units] == 2 * [("margin", None)] + 2 * [("larger margin", 32.0)]
    assert looked_at
    assert not looked_at & set(paper.seeds(2))


# ---- the command


def test_command_on_one_claim(made_streams):
    done = CliRunner().invoke(paper.main, ["--claim", "S4", "--seeds", "1"])
    assert done.exit_code == 0, done.output
    assert "S4 holds" in done.output or "S4 does not hold" in done.output
    assert "== table1" in done.output
    assert "S5" not in done.output.replace("S1, S5", "")


def test_command_on_one_item(made_streams):
    done = CliRunner().invoke(paper.main, ["--item", "delay", "--seeds", "1"])
    assert done.exit_code == 0, done.output
    assert "silent_f1" in done.output
    assert "holds" not in done.output


def test_command_says_what_there_is():
    done = CliRunner().invoke(paper.main, ["--claim", "S22"])
    assert done.exit_code == 2
    assert "S21" in done.output


# ---- claims on figures made by hand


def mail(**changes):
    """Table 1 in which every claim holds, but for what is changed: PWM_plain={"f1": 50.0}."""
    f1 = {
        "ROSVM": {PLAIN: 99.4, EFFICIENT: 98.6, TASTING: 98.0, FULL: 99.8},
        "PWM": {PLAIN: 99.2, EFFICIENT: 98.5, TASTING: 97.0, FULL: 99.7},
        "Perceptron": {PLAIN: 15.0, EFFICIENT: 96.0, TASTING: 95.0, FULL: 99.0},
    }
    spam = {PLAIN: 200.0, EFFICIENT: 300.0, TASTING: 400.0, FULL: 30.0}
    rows = []
    for learner, variants in f1.items():
        for variant, score in variants.items():
            ours = {f"f{k}": 100 - k * (100 - score) for k in (1, 2, 3, 4)}  # gaps widen
            ours |= {"recall": score, "auc": score, "fn": 100.0, "fp": spam[variant]}
            if (learner, variant) == ("Perceptron", PLAIN):
                ours["fp"] = 3.0  # who shows nothing shows no spam
            ours |= changes.get(f"{learner}_{variant.split()[0]}", {})
            rows.append(Row("trec07p", learner, variant, ours, {}))
    return rows


def flat(rows):
    """The same order in F1 to F4, with gaps that do not widen."""
    return [replace(row, ours=row.ours | dict.fromkeys(("f2", "f3", "f4"), row.ours["f1"])) for row in rows]


def others(**changes):
    return [
        Row("trec07p", learner, variant, {"f1": changes.get(f"{learner}_{variant.split()[0]}", 98.4)}, {})
        for learner in paper.LEARNERS
        for variant in paper.OTHERS
    ]


def reuters(table, change=lambda topic, learner, variant, ours: {}):
    """Table 2 or 3 in which every claim holds, but for what ``change`` says."""
    n_positive = dict(zip(paper.TOPICS, (2800, 1600, 520, 420, 380, 360, 340, 210, 190, 180), strict=True))
    rows = []
    for k, topic in enumerate(paper.TOPICS):
        for learner in paper.MARGIN_LEARNERS:
            for variant in paper.VARIANTS:
                f1 = 90.0 - 5 * k + {PLAIN: 2.0, EFFICIENT: 1.0, TASTING: 0.0}[variant]
                f1 += {("ROSVM", 2): 0.5, ("PWM", 3): 0.6}.get((learner, table), 0.0)
                recall = 10.0 if (learner, table, topic) in ratchets else f1
                ours = {
                    "f1": f1,
                    "recall": recall,
                    "positives": n_positive[topic],
                    "n": 8816,
                    "plain": f1 - 20,
                }
                ours |= change(topic, learner, variant, ours)
                rows.append(Row(topic, learner, variant, ours, {}))
    rows[1].ours["f1"] += 5  # on the first class another method wins
    return rows


ratchets = {("PWM", 2, "ship"), ("PWM", 2, "trade")}


def both(change=lambda *_: {}):
    return reuters(2, change), reuters(3, change)


def plus(points, where):
    """A change of F1 by so many points in the cells that ``where`` picks."""
    return lambda topic, learner, variant, ours: (
        {"f1": ours["f1"] + points} if where(topic, learner, variant) else {}
    )


def recalls(**cases):
    base = {
        "noise": {"perceptron": 0.0, "margin": 60.0},
        "overlap": {"perceptron": 5.0, "margin": 80.0},
        "gap": {"margin": 20.0, FULL: 100.0, "larger margin": 99.0, TASTING: 90.0, EFFICIENT: 95.0},
        "stripe": {
            "margin": 5.0,
            FULL: 86.0,
            "larger margin": 30.0,
            "costs": 30.0,
            "feature map": 84.0,
            TASTING: 70.0,
            EFFICIENT: 90.0,
        },
        "malicious": {"margin": 0.0, FULL: 100.0, TASTING: 98.0, EFFICIENT: 98.0},
        "overshoot": {"margin": 0.0, FULL: 100.0, "smaller steps": 99.0, TASTING: 98.0, EFFICIENT: 98.0},
    }
    return {
        case: {setting: Late(recall) for setting, recall in {**settings, **cases.get(case, {})}.items()}
        for case, settings in base.items()
    }


def figure(*names, **cases):
    return {name: recalls(**cases)[name] for name in names}


def figure1(**cases):
    return (figure("noise", "overlap", **cases),)


def figure8(**cases):
    return (figure("gap", "stripe", **cases),)


def text(**cases):
    return (figure("malicious", "overshoot", **cases),)


def first_of_all(topic, learner, variant):
    return (learner, variant) == ("PWM", PLAIN)


def nearly_first(topic, learner, variant):
    return (learner, variant) == ("ROSVM" if topic == "corn" else "PWM", PLAIN)


HOLDS = {
    "S1": [(mail(),), (mail(Perceptron_unmodified={"recall": 49.5}),)],
    "S2": [(mail(),), (mail(ROSVM_unmodified={"fp": 140.0, "recall": 96.6}),)],
    "S3": [(mail(),), (mail(PWM_full={"f1": 100.2}),), (mail(PWM_full={"f1": 90.0}),)],
    "S4": [(mail(),), (mail(Perceptron_unmodified={"recall": 49.5}),)],
    "S5": [(mail(),)],
    "S6": [(mail(),)],
    "S7": [(mail(),)],
    "S8": [(mail(), others())],
    "S9": [(mail(),), (mail(PWM_apple={"auc": 99.9}),)],
    "S10": [both(), both(plus(50, nearly_first))],
    "S11": [both()],
    "S12": [both()],
    "S13": [both()],
    "S14": [both()],
    "S15": [both()],
    "S16": [both()],
    "S17": [figure1(), figure1(overlap={"perceptron": 39.9})],
    "S18": [figure8(), figure8(gap={"margin": 49.9, "larger margin": 95.1})],
    "S19": [figure8(), figure8(stripe={"feature map": 0.0, "costs": 82.0})],
    "S20": [text()],
    "S21": [(*figure8(), *text()), (*figure8(stripe={TASTING: 43.0}), *text())],
}
FAILS = {
    "S1": [
        (mail(PWM_unmodified={"f1": 98.6}),),
        (mail(Perceptron_label={"fp": 200.0}),),
        (mail(Perceptron_unmodified={"recall": 49.7}),),
    ],
    "S2": [
        (mail(PWM_unmodified={"fp": 139.0}),),
        (mail(ROSVM_unmodified={"fp": 261.0}),),
        (mail(ROSVM_unmodified={"recall": 96.4}),),
        (mail(PWM_apple={"fp": 0.0}),),
    ],
    "S3": [(mail(PWM_full={"f1": 100.21}),), (mail(ROSVM_unmodified={"f1": 98.7}),)],
    "S4": [(mail(Perceptron_unmodified={"recall": 49.7}),)],
    "S5": [(mail(Perceptron_label={"f1": 99.2}),), (mail(Perceptron_apple={"f1": 99.3}),)],
    "S6": [(mail(Perceptron_apple={"f1": 96.0}),), (mail(ROSVM_label={"f1": 97.0}),)],
    "S7": [(mail(PWM_unmodified={"f3": 90.0}),), (flat(mail()),)],
    "S8": [(mail(), others(PWM_softmax=98.5)), (mail(), others(ROSVM_threshold=99.4))],
    "S9": [
        (mail(PWM_apple={"auc": 100.8}),),
        (mail(ROSVM_unmodified={"auc": 14.9}, PWM_unmodified={"auc": 14.9}),),
    ],
    "S10": [both(plus(50, first_of_all)), (reuters(2, plus(50, first_of_all)), reuters(3))],
    "S11": [
        both(plus(60, lambda t, *_: t == "corn")),
        both(plus(-60, lambda t, *_: t == "crude")),
    ],
    "S12": [
        both(plus(3, lambda t, k, v: v == TASTING and t in paper.TOPICS[:4])),
        both(plus(-2, lambda t, k, v: v == EFFICIENT and t in paper.TOPICS[:4])),
    ],
    "S13": [both(plus(3, lambda t, k, v: v == EFFICIENT and k == "PWM"))],
    "S14": [
        both(lambda t, k, v, ours: {"recall": 70.0}),
        both(lambda t, k, v, ours: {"recall": ours["f1"]} if t == "ship" else {}),
        both(lambda t, k, v, ours: {"positives": 500}),
    ],
    "S15": [
        (reuters(2), reuters(3, plus(1, lambda t, k, v: k == "ROSVM"))),
        (reuters(2, plus(1, lambda t, k, v: k == "PWM")), reuters(3)),
    ],
    "S16": [both(lambda t, k, v, ours: {"plain": ours["f1"] - 4} if (k, v) == ("ROSVM", TASTING) else {})],
    "S17": [figure1(noise={"perceptron": 30.0}), figure1(overlap={"perceptron": 40.0})],
    "S18": [figure8(gap={"margin": 50.0}), figure8(gap={"larger margin": 95.0})],
    "S19": [figure8(stripe={"margin": 43.0}), figure8(stripe={"feature map": 81.0})],
    "S20": [
        text(malicious={"margin": 50.0}),
        text(overshoot={"margin": 50.0}),
        text(overshoot={"smaller steps": 95.0}),
    ],
    "S21": [(*figure8(stripe={TASTING: 42.9}), *text()), (*figure8(), *text(malicious={EFFICIENT: 49.0}))],
}


@pytest.mark.parametrize(
    ("id_", "results", "verdict"),
    [
        *((id_, results, "holds") for id_, cases in HOLDS.items() for results in cases),
        *((id_, results, "does not hold") for id_, cases in FAILS.items() for results in cases),
    ],
)
def test_verdicts(id_, results, verdict):
    found = paper.claims()[id_](*results)
    assert (found.id, found.verdict) == (id_, verdict), found.measured
    assert found.measured
    assert found.why == paper.claims()[id_].criterion


def test_every_claim_is_seen_to_hold_and_to_fail():
    assert list(paper.claims()) == list(HOLDS) == list(FAILS) == IDS
    assert all(map(len, [*HOLDS.values(), *FAILS.values()]))
    assert all(set(paper.ITEMS).issuperset(claim.needs) for claim in paper.claims().values())


def test_a_claim_without_its_figures_cannot_be_tested():
    verdicts = {verdict.id: verdict for verdict in paper.judge({"table1": mail(), "figure8": {}})}
    assert verdicts["S3"].verdict == "holds"
    for id_, missing in (("S8", "needs others"), ("S18", "needs figure8"), ("S10", "needs table2, table3")):
        assert verdicts[id_].verdict == "cannot be tested here"
        assert verdicts[id_].why == missing


# ---- real streams


@pytest.mark.parametrize("learner", ["PWM", "Perceptron"])
def test_on_the_first_of_the_tuning_stream(need, monkeypatch, learner):
    """A thousand messages are enough to see the perceptron fall behind."""
    need("spamassassin")
    whole = paper.load("spamassassin")
    part = Stream("part", whole.X[:1000], whole.y[:1000])
    monkeypatch.setattr(paper, "load", lambda name: part)
    one_sided, full = (paper.run("part", Method(learner, variant), 0) for variant in (PLAIN, FULL))
    assert full.counts.f() > 0.9
    if learner == "PWM":
        assert one_sided.counts.f() > full.counts.f() - 0.05
    else:
        assert one_sided.counts.recall() < full.counts.recall()


@pytest.mark.slow
@pytest.mark.parametrize("learner", paper.MARGIN_LEARNERS)
def test_margin_learners_need_no_more_than_they_show(need, learner):
    """One-sided within half a point of full feedback on all of trec07p."""
    need("trec07p")
    one_sided, full = (paper.run("trec07p", Method(learner, variant), 0) for variant in (PLAIN, FULL))
    assert 100 * (full.counts.f() - one_sided.counts.f()) <= 0.5


@pytest.mark.slow
def test_the_relaxed_svm_ranks_mail_as_well_as_the_filters_of_its_time(need):
    """C is chosen on SpamAssassin: the smallest whose area there is within a hundredth of the best."""
    need("trec07p")
    need("spamassassin")
    grid = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
    missing = [missing_area(fetch_spamassassin(), C) for C in grid]
    chosen = next(C for C, area in zip(grid, missing, strict=True) if area <= 1.01 * min(missing))
    assert min(missing) < 0.10
    assert missing_area(fetch_trec07p(), chosen) <= 0.0085


def missing_area(mail, C):
    """100 (1 - AUC) of the relaxed SVM under full feedback."""
    filter = OneSidedFilter(RelaxedOnlineSVM(C=C))
    report = run_stream(filter, mail.data, mail.target, feedback="full", vectorizer=ByteGramVectorizer())
    return 100 * (1 - report.roc_auc)


@pytest.mark.slow
def test_the_perceptron_is_defeated_on_mail(need):
    need("trec07p")
    perceptron, margin = (paper.run("trec07p", Method(learner), 0) for learner in ("Perceptron", "PWM"))
    assert perceptron.counts.recall() < margin.counts.recall() / 2


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "n_labels"), [("delay", 10_000), ("partial", 30_338)])
def test_trec_tasks(need, variant, n_labels):
    need("trec07p")
    outcome = paper.run("trec07p", Method("ROSVM", variant), 0)
    assert outcome.n_labels == n_labels
    assert outcome.counts.n - outcome.silent_counts.n == n_labels
    assert outcome.silent_auc > 0.95
