import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.tree import DecisionTreeClassifier

from histories import steps
from lopsided import AdaBoostStumps, AdaUBoostStumps, LPBoostStumps, LPUBoostStumps
from lopsided.boosting import _lpboost
from lopsided.boosting._costs import cost_of_positive, ladder_of_nu
from reference import boosting as twin

NAMES = twin.LEARNERS


@pytest.fixture
def solves(monkeypatch):
    """Every optimum on the way, and the hypotheses it is about."""
    seen = []

    class Watched(_lpboost.EdgeLP):
        def __init__(self, signs, lower, upper, *limit):
            super().__init__(signs, lower, upper, *limit)
            self.facts, self.H = (signs, lower, upper), []

        def add(self, values):
            self.H.append(values)
            super().add(values)

        def solve(self):
            optimum = super().solve()
            seen.append((self.facts, np.array(self.H), optimum))
            return optimum

    monkeypatch.setattr(_lpboost, "EdgeLP", Watched)
    return seen


@pytest.mark.parametrize("lower", [0.0, 0.001])
@pytest.mark.parametrize("beta", [1, 4])
def test_the_optimum_over_all_stumps_is_that_of_the_slow_twin(beta, lower, words):
    """Ways differ, as many u are optimal, but with Disc.LP all of them end at the same bound."""
    X, y = words(150, 12, 20)
    model = LPUBoostStumps(beta, 0.2, lower, weak_learner="disc.lp").fit(X, y)
    _, a, bounds = twin.lpboost((X != 0).T, y, "disc.lp", 0.2, beta, lower)
    assert model.converged_
    assert model.history_["bound"][-1] == pytest.approx(bounds[-1], abs=2e-6)
    assert abs(model.duality_gap_) < 1e-8
    assert (a > -1e-9).all()
    # No stump at all has an edge above the bound; and its value at the weights found is the optimum.
    low, high = twin.bounds(y, 0.2, beta, lower)
    every = np.array(
        [sign * np.where(column != 0, p, -p) for column in X.T for p in (1, -1) for sign in (1,)]
    )
    every = np.vstack([every, np.ones(len(y)), -np.ones(len(y))])
    assert twin.solve_dual(every, y, low, high)[1] == pytest.approx(bounds[-1], abs=2e-6)


@pytest.mark.parametrize("name", NAMES)
def test_certificates_of_every_round(name, words, solves):
    X, y = words(200, 20, 25)
    model = LPUBoostStumps(3, 0.2, weak_learner=name, n_rounds=40).fit(X, y)
    assert len(solves) == model.n_rounds_
    before = -np.inf
    for (signs, low, high), H, optimum in solves:
        assert abs(optimum.gap) <= 1e-7
        assert optimum.a.sum() == pytest.approx(1)
        assert (optimum.a >= 0).all()
        edges = H @ (optimum.u * signs)
        assert edges[optimum.a > 1e-9] == pytest.approx(optimum.bound, abs=1e-7)
        assert (optimum.u >= low - 1e-12).all()
        assert (optimum.u <= high + 1e-12).all()
        assert optimum.bound >= before - 1e-9
        before = optimum.bound
        assert optimum.bound == pytest.approx(twin.solve_dual(H, signs, low, high)[1], abs=1e-7)
    # Each hypothesis violated the program it was added to.
    assert (model.history_["edge"][1:] > model.history_["bound"][:-1] + model.tol).all()
    assert sum(rule.weight for rule in model.rules_) == pytest.approx(1)


@pytest.mark.parametrize("name", NAMES)
def test_at_even_costs_the_uneven_one_is_lpboost_to_the_last_bit(name, words):
    X, y = words()
    even = LPBoostStumps(0.2, weak_learner=name, n_rounds=60).fit(X, y)
    uneven = LPUBoostStumps(1, 0.2, weak_learner=name, n_rounds=60).fit(X, y)
    assert even.rules_ == uneven.rules_
    assert steps(even) == steps(uneven)


@pytest.mark.parametrize("nu", [0.05, 0.2, 0.5])
def test_nu_bounds_the_margin_errors(nu, words, solves):
    X, y = words()
    LPBoostStumps(nu, weak_learner="disc.lp").fit(X, y)
    (_, low, high), H, optimum = solves[-1]
    margins = y * (optimum.a @ H)
    free = (optimum.u > low + 1e-12) & (optimum.u < high - 1e-12)
    rho = margins[free].mean() if free.any() else margins[optimum.u >= high - 1e-12].max()
    assert np.mean(margins < rho - 1e-7) <= nu
    assert np.mean(optimum.u >= high - 1e-12) <= nu + 1e-12


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("model", [AdaBoostStumps(), AdaUBoostStumps(), LPBoostStumps(), LPUBoostStumps()])
def test_a_perfect_word_is_the_only_rule(name, model, words):
    X, y = words()
    X[:, 17] = y > 0
    model = model.set_params(weak_learner=name).fit(X, y)
    assert model.converged_
    assert model.n_rounds_ == 1
    (rule,) = model.rules_
    assert rule.feature == 17
    np.testing.assert_array_equal(model.predict(X), y)
    if hasattr(model, "nu"):
        assert rule.weight == 1


def smoke_data(seed):
    """1,500 documents, 300 words, 60 positives with four words of their own, as in the specification."""
    rng = np.random.default_rng(seed)
    X = (rng.random((1500, 300)) < 0.5 / (np.arange(300) + 2) ** 0.7).astype(float)
    y = np.where(np.arange(1500) < 60, 1, -1)
    for j, often in enumerate((0.7, 0.5, 0.5, 0.4)):
        X[:60, 10 + j] = np.maximum(X[:60, 10 + j], rng.random(60) < often)
    return X, y


@pytest.mark.filterwarnings("ignore:no question about a column:UserWarning")  # LPBoost gives the class up
@pytest.mark.parametrize("name", NAMES)
def test_the_smoke_test_of_the_specification(name):
    (X, y), (X_test, y_test) = smoke_data(0), smoke_data(1)

    def f1(model):
        return f1_score(y_test, model.fit(X, y).predict(X_test))

    ada = f1(AdaBoostStumps(weak_learner=name, n_rounds=50))
    uneven = LPUBoostStumps(4, 0.2, lower_bound_divisor=50, weak_learner=name)
    lpu = f1(uneven)
    assert 0.45 < ada < 0.6
    if name != "disc.u":  # its own weak learner does not help it (claim B6)
        assert f1(AdaUBoostStumps(2, weak_learner=name, n_rounds=50)) > ada
    assert lpu > f1(LPBoostStumps(0.2, weak_learner=name))
    assert 0.55 < lpu < 0.7
    assert len(uneven.rules_) <= 10


def test_lower_bounds_by_divisor_are_lower_bounds(words):
    X, y = words()
    by_number = LPUBoostStumps(4, 0.2, 1 / (0.2 * len(y) * 50)).fit(X, y)
    by_divisor = LPUBoostStumps(4, 0.2, lower_bound_divisor=50).fit(X, y)
    assert steps(by_number) == steps(by_divisor)


def test_lower_bounds_that_sum_to_one_leave_one_rule(words):
    """k = 10 at nu = 0.1: the weights cannot move, so the first rule is the last."""
    X, y = words()
    model = LPBoostStumps(0.1, lower_bound_divisor=10, weak_learner="disc.lp").fit(X, y)
    assert model.n_rounds_ == 1
    assert model.converged_


def test_shallow_trees_boost_too(words):
    X, y = words()
    y = np.where(np.logical_xor(X[:, 2], X[:, 3]), 1, -1)
    trees = LPUBoostStumps(2, weak_learner=DecisionTreeClassifier(max_depth=2, random_state=0)).fit(X, y)
    assert trees.score(X, y) == 1
    assert abs(trees.duality_gap_) < 1e-8


def test_an_end_by_rounds_says_the_gap_and_keeps_the_model(words):
    X, y = words()
    model = LPBoostStumps(0.05, weak_learner="disc.lp", n_rounds=4)
    with pytest.warns(
        ConvergenceWarning, match=r"has not converged after 4 rounds: the gap is [\d.e-]+ > tol=1e-06"
    ):
        model.fit(X, y)
    assert not model.converged_
    assert model.n_rounds_ == 4
    assert sum(rule.weight for rule in model.rules_) == pytest.approx(1)


@pytest.mark.filterwarnings("ignore:no question about a column:UserWarning")
@pytest.mark.parametrize("max_iter", [1, 8])
def test_an_end_by_the_solver_says_the_gap_and_keeps_the_model(max_iter, words):
    X, y = words(1500, 100, 60)
    model = LPUBoostStumps(4, 0.05, weak_learner="disc.lp", max_iter=max_iter)
    with pytest.warns(
        ConvergenceWarning, match=r"a gap of [\d.e-]+ > tol=1e-06: HiGHS.*Iteration limit.*kept"
    ):
        model.fit(X, y)
    assert not model.converged_
    assert model.duality_gap_ > 0
    assert model.n_rounds_ >= 1
    assert sum(rule.weight for rule in model.rules_) == pytest.approx(1)
    assert model.predict(X).shape == y.shape


@pytest.mark.parametrize("name", ["real.lp", "disc.lp"])
def test_five_positives_among_five_thousand(name, words):
    X, y = words(5_000, 60, 5, seed=3)
    X[:5, -4], X[5:, -4] = 1, np.arange(5, 5_000) % 1_000 == 5  # in all positives, and five others
    model = LPUBoostStumps(8, 0.05, weak_learner=name).fit(X, y)
    assert model.converged_
    assert abs(model.duality_gap_) < 1e-7
    assert X.shape[1] - 4 in {rule.feature for rule in model.rules_}
    assert (model.predict(X)[:5] == 1).mean() >= 0.8
    assert (model.predict(X) == 1).sum() <= 10


def overlapping(n=600, seed=0):
    """Numbers of which one says something about the class, and not much."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 4)), 1)
    return X, (X[:, 0] + 2 * rng.normal(size=n) > 2.0).astype(int)


def test_the_defaults_predict_both_classes_where_they_overlap():
    X, y = overlapping()
    with pytest.warns(UserWarning, match=r"predicted alike. Use nu='auto', or raise nu"):
        former = LPUBoostStumps(4.0, 0.05).fit(X, y)
    assert len(set(former.predict(X))) == 1
    found = LPUBoostStumps().fit(X, y).predict(X) == 1
    assert 2 * (found & (y == 1)).sum() / (found.sum() + y.sum()) > 0.3
    assert LPUBoostStumps().fit(X, y).n_rounds_ <= 60


def test_chosen_costs_are_those_of_a_booster_with_these_costs():
    X, y = overlapping()
    chosen = LPUBoostStumps().fit(X, y)
    signs, weights = np.where(y == 1, 1, -1).astype(np.int8), np.ones(len(y))
    beta = ((y == 0).sum() / y.sum()) ** 0.75
    assert cost_of_positive("auto", signs, weights) == pytest.approx(beta)
    ladder = ladder_of_nu(signs, weights)
    assert ladder == sorted(ladder)
    assert 0 < ladder[0] < ladder[-1] < 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [LPUBoostStumps(beta, nu, n_rounds=60).fit(X, y) for nu in ladder]
    edges = [model.history_["bound"][-1] > _lpboost._EDGE for model in models]
    assert edges == sorted(edges)  # so that bisection finds the first
    assert any(edges)
    same = models[edges.index(True)]
    np.testing.assert_array_equal(chosen.decision_function(X), same.decision_function(X))


def test_chosen_costs_do_not_depend_on_the_scale_of_weights():
    X, y = overlapping(200)
    weights = np.where(np.arange(200) % 3 == 0, 2.0, 1.0)
    one, other = (LPUBoostStumps().fit(X, y, scale * weights) for scale in (1.0, 16.0))
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
