import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from lopsided._kernels.stumps import best_stump
from lopsided.boosting._stumps import PresenceStumps
from lopsided.boosting._weak import LEARNERS, ClassifierLearner, StumpLearner
from reference import boosting as twin

NAMES = twin.LEARNERS


def proposed(X, y, D, name, beta=1.0):
    return StumpLearner(PresenceStumps(X), name, y.astype(np.int8), beta).propose(D)


def weightings(n, m):
    rng = np.random.default_rng(0)
    return [rng.dirichlet(np.full(m, 0.5)) for _ in range(n)]


def test_there_are_six():
    assert sorted(LEARNERS) == sorted(NAMES)


@pytest.mark.parametrize("beta", [1, 2, 8])
@pytest.mark.parametrize("name", NAMES)
def test_as_the_slow_twin(name, beta, words):
    X, y = words(80, 15, 12)
    for D in weightings(10, len(y)):
        weak = proposed(X, y, D, name, beta)
        number, answers, alpha, values = twin.best((X != 0).T, y, D, name, beta)
        if not weak.rule.is_constant:
            assert weak.rule.feature == number
        assert (weak.rule.present, weak.rule.absent) == pytest.approx(tuple(answers))
        assert weak.alpha == pytest.approx(alpha)
        np.testing.assert_allclose(weak.values, values)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weights", [np.empty((0, 2)), np.full((3, 2), np.nan)])
def test_there_is_no_stump_without_a_number(name, weights):
    """Nothing before the array is read: around it stand weights of which one would be good."""
    around = np.tile([1.0, 0.0], (len(weights) + 2, 1))
    around[1:-1] = weights
    assert best_stump(around[1:-1], 1.0, 1.0, LEARNERS[name], 1.0, 1e-3) == (-1, 0.0, 0.0, 0.0)


def test_equally_good_questions_go_to_the_first():
    """A word that all rows of a class have: what rounding leaves of the others is no weight."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        y = np.where(rng.random(60) < 0.3, 1, -1)
        some = (rng.random(60) < 0.4) & (y < 0)
        X = np.column_stack([(y > 0) | some, rng.permutation(60) < 5, (y < 0) & ~some]).astype(float)
        # The last is the first the other way round: its sums are as good, but for rounding.
        assert proposed(X, y, rng.dirichlet(np.full(60, 0.5)), "real.mh").rule.feature == 0


def test_confident_answers_minimise_the_loss(words):
    """No other pair of answers to the chosen question has a lower sum of D_i exp(-y_i h(x_i))."""
    X, y = words(2000, 10, 400)
    D = np.full(len(y), 1 / len(y))
    rule = proposed(X, y, D, "real.mh").rule
    applies = rule.applies(X)

    def loss(present, absent):
        return D @ np.exp(-y * np.where(applies, present, absent))

    least = loss(rule.present, rule.absent)
    (pp, pm), (mp, mm) = twin.sums(applies, y, D)
    assert least == pytest.approx(2 * (np.sqrt(pp * pm) + np.sqrt(mp * mm)), rel=1e-3)  # but for smoothing
    for change in (-0.1, 0.1):
        assert loss(rule.present + change, rule.absent) > least
        assert loss(rule.present, rule.absent + change) > least


def test_the_largest_edge_and_the_smallest_loss_are_one_question(words):
    X, y = words()
    for D in weightings(100, len(y)):
        mh, lp = proposed(X, y, D, "disc.mh"), proposed(X, y, D, "disc.lp")
        assert mh.rule == lp.rule
        assert mh.alpha == lp.alpha


@pytest.mark.parametrize("kind", ["real", "disc"])
def test_at_even_costs_the_uneven_learners_are_the_even_ones(kind, words):
    X, y = words()
    for D in weightings(100, len(y)):
        uneven, even = proposed(X, y, D, f"{kind}.u"), proposed(X, y, D, f"{kind}.mh")
        if kind == "disc":  # the real one is chosen by a smoothed loss: nearly always the same question
            assert uneven.rule == even.rule
            r = y @ (D * even.values)
            assert uneven.alpha == pytest.approx(0.5 * np.log((1 + r) / (1 - r)))
        assert uneven.alpha == pytest.approx(even.alpha)


@pytest.mark.parametrize("beta", [1, 4])
@pytest.mark.parametrize("name", NAMES)
def test_a_perfect_question_is_found_by_all(name, beta, words):
    X, y = words()
    X[:, 17] = y > 0
    weak = proposed(X, y, np.full(len(y), 1 / len(y)), name, beta)
    assert weak.rule.feature == 17
    assert (weak.values * y > 0).all()
    assert np.isfinite(weak.alpha)


@pytest.mark.parametrize("name", NAMES)
def test_the_scale_of_the_weights_does_not_matter(name, words):
    X, y = words()
    D = weightings(1, len(y))[0]
    again = D * 7.3
    assert proposed(X, y, D, name, 2).rule[:2] == proposed(X, y, again / again.sum(), name, 2).rule[:2]


def test_of_equally_good_questions_the_first_is_taken(words):
    X, y = words()
    X[:, 30] = X[:, 20] = y > 0
    for name in NAMES:
        assert proposed(X, y, np.full(len(y), 1 / len(y)), name).rule.feature == 20


def test_stumps_that_always_say_no_are_one_hypothesis(words):
    """On uneven data most signs agree; which word was asked about then means nothing."""
    X, y = words(1000, 20, 5)
    X[:, 20:] = 0
    rules = {
        proposed(X, y, D, "disc.lp").rule for D in (D for D in weightings(20, len(y)) if D[y > 0].sum() < 0.1)
    }
    assert rules == {(0, None, -1.0, -1.0, 1.0)}
    assert all(rule.is_constant for rule in rules)


def test_any_classifier_is_fitted_with_the_weights(words):
    X, y = words()
    D = weightings(1, len(y))[0]
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    weak = ClassifierLearner(tree, X, y.astype(np.int8), 1.0).propose(D)
    by_hand = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y, sample_weight=D * len(y))
    np.testing.assert_array_equal(weak.values, by_hand.predict(X))
    r = y @ (D * weak.values)
    assert weak.alpha == pytest.approx(0.5 * np.log((1 + r) / (1 - r)))
    assert not hasattr(tree, "tree_"), "the classifier that was passed was fitted"
