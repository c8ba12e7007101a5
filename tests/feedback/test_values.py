"""Values under one-sided feedback: the protocol, the ratchet and its cures, the report."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDRegressor

from lopsided import load, save
from lopsided.feedback import AppleTasting, EpsilonGreedy, LabelEfficient, SoftmaxExplorer
from lopsided.feedback._filter import REMEMBERED
from lopsided.feedback._value_report import ValueReport
from lopsided.feedback._values import ValueFilter, run_value_stream
from lopsided.online._regressor import OnlineRegressor
from reference.online import SplitMix64, seed_of
from reference.values import SlowRegressor, value_stream


def made(n=400, d=5, noise=0.5, seed=0):
    """Values between about -6 and 6, a fifth of them above 2."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d)
    X = rng.normal(size=(n, d))
    return X, X @ (2 * w / np.linalg.norm(w)) + noise * rng.normal(size=n)


class SlowExplorer:
    """Apple tasting and epsilon-greedy as section 5 and 7 of the specification have them."""

    def __init__(self, values, threshold, epsilon=None, seed=0):
        self.values, self.threshold, self.epsilon, self.n_found = values, threshold, epsilon, 0
        self.uniform = SplitMix64(seed_of(seed)).uniform

    def __call__(self, score, i):
        p = self.epsilon if self.epsilon is not None else min(1.0, np.sqrt((1 + self.n_found) / (i + 1)))
        explored = self.uniform() < p
        self.n_found += explored and self.values[i] >= self.threshold
        return explored


@pytest.mark.parametrize("bias", [0.0, 0.7])
@pytest.mark.parametrize("kind", ["none", "tasting", "greedy", "full"])
@pytest.mark.parametrize("sparse", [False, True])
def test_item_by_item_as_the_twin(kind, bias, sparse):
    X, values = made()
    explorer = {"tasting": AppleTasting(), "greedy": EpsilonGreedy(0.1)}.get(kind)
    explore = {
        "tasting": SlowExplorer(values, 2.0, seed=3),
        "greedy": SlowExplorer(values, 2.0, epsilon=0.1, seed=3),
    }.get(kind)
    parameters = {"eta0": 0.5, "epsilon": 0.1, "initial_value": 2.0}
    show, explored, predicted = value_stream(
        SlowRegressor(X.shape[1], **parameters), X, values, 2.0, bias, explore, full=kind == "full"
    )
    one = ValueFilter(OnlineRegressor(**parameters), 2.0, explorer, bias=bias, random_state=3)
    feedback = "full" if kind == "full" else "one-sided"
    report = run_value_stream(one, csr_matrix(X) if sparse else X, values, feedback=feedback)
    np.testing.assert_array_equal(report.show, show)
    np.testing.assert_array_equal(report.explored, explored)
    np.testing.assert_allclose(report.predicted, predicted, atol=1e-9)
    np.testing.assert_array_equal(report.revealed, show | (kind == "full"))
    assert 20 < show.sum() < 380
    assert one.n_rounds == len(values)
    assert one.n_labels == report.n_labels == report.revealed.sum()
    assert one.n_explored == report.n_explored == explored.sum()
    assert (report.n_explored > 0) == (kind in ("tasting", "greedy"))


def test_a_stream_is_decide_and_learn_row_by_row():
    X, values = made()
    first, second = (
        ValueFilter(OnlineRegressor(eta0=0.3, initial_value=2.0), 2.0, LabelEfficient(0.01), random_state=1)
        for _ in range(2)
    )
    report = run_value_stream(first, X, values)
    for i in range(len(values)):
        decision = second.decide(X[i : i + 1])
        assert (decision.show[0], decision.explored[0], decision.probability[0], decision.number[0]) == (
            report.show[i],
            report.explored[i],
            report.probability[i],
            i,
        )
        assert decision.score[0] + 2.0 == pytest.approx(report.predicted[i])
        if decision.show[0]:
            second.learn(X[i : i + 1], values[i : i + 1], decision)
    np.testing.assert_allclose(second.learner.coef_, first.learner.coef_)


# The ratchet


def alike(n=2000, seed=0):
    """Items that cannot be told apart and are worth 2.5 on average, give or take 1: show them all."""
    rng = np.random.default_rng(seed)
    return np.ones((n, 1)), 2.5 + rng.normal(size=n)


def test_one_bad_value_and_nothing_is_shown_ever_again():
    X, values = alike()
    report = run_value_stream(ValueFilter(OnlineRegressor(), threshold=2.0), X, values)
    last = int(np.flatnonzero(values < 2.0)[0])
    np.testing.assert_array_equal(np.flatnonzero(report.show), np.arange(last + 1))
    assert (report.predicted[last + 1 :] < 2.0).all()
    assert report.recall < 0.01
    full = run_value_stream(ValueFilter(OnlineRegressor(), threshold=2.0), X, values, feedback="full")
    assert full.recall > 0.6


@pytest.mark.parametrize(
    ("explorer", "bias", "least"),
    [
        (AppleTasting(), 0.0, 0.5),
        (EpsilonGreedy(0.05), 0.0, 0.1),  # shows something now and then, and not for long
        (SoftmaxExplorer(1.0), 0.0, 0.5),
        (None, 4.0, 0.9),
    ],
    ids=str,
)
def test_an_explorer_cures_it_and_so_does_a_bias(explorer, bias, least):
    X, values = alike()
    recall = np.mean(
        [
            run_value_stream(
                ValueFilter(OnlineRegressor(), 2.0, explorer, bias=bias, random_state=seed), X, values
            ).recall
            for seed in range(5)
        ]
    )
    assert recall > least


def test_a_learner_that_begins_too_low_is_never_proved_wrong():
    """Small steps from 0: after the first value nothing looks worth 2. A start at the threshold cures it."""
    X, values = made(n=2000, noise=1.0)
    low, high = (
        run_value_stream(ValueFilter(OnlineRegressor(eta0=0.3, initial_value=start), 2.0), X, values)
        for start in (0.0, 2.0)
    )
    assert low.show.sum() == 1
    assert high.recall > 0.5
    full = run_value_stream(
        ValueFilter(OnlineRegressor(eta0=0.3, initial_value=2.0), 2.0), X, values, feedback="full"
    )
    assert high.regret < 1.5 * full.regret


def test_predictions_are_learned_where_things_are_shown():
    """The function is known above the threshold; what lies below is known with an explorer."""
    X, values = made(n=4000, noise=0.3)
    reports = [
        run_value_stream(
            ValueFilter(OnlineRegressor(eta0=0.1, initial_value=2.0), 2.0, explorer, random_state=0),
            X,
            values,
        )
        for explorer in (None, EpsilonGreedy(0.1))
    ]
    late = np.arange(4000) > 2000
    errors = [np.abs(report.predicted - report.value)[late].mean() for report in reports]
    assert errors[0] > 1.5 * errors[1]
    assert reports[0].mae_shown < reports[0].mae_all


# The protocol


def test_everything_is_shown_until_a_value_is_learned():
    one = ValueFilter(OnlineRegressor(), threshold=100.0)
    decision = one.decide(np.ones((3, 2)))
    assert decision.show.all()
    assert not decision.explored.any()
    assert decision.score.tolist() == [0, 0, 0]
    assert one.decide(np.ones((1, 2))).show[0]
    one.learn(np.ones((1, 2)), [1.0], decision[:1])
    assert not one.decide(np.ones((1, 2))).show[0]


def test_a_learner_that_knows_something_begins_with_it():
    learner = OnlineRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
    one = ValueFilter(learner, threshold=1.5)
    np.testing.assert_array_equal(one.decide([[1.0], [2.0]]).show, learner.predict([[1.0], [2.0]]) >= 1.5)


def test_values_come_late_in_batches_and_in_any_order():
    X, values = made()
    one = ValueFilter(OnlineRegressor(initial_value=2.0), 2.0, AppleTasting(), random_state=0)
    decision = one.decide(X)
    assert decision.show.all()  # nothing was learned in between
    for part in (slice(300, 400), slice(0, 100)):
        one.learn(X[part], values[part], decision[part])
    assert one.n_labels == 200
    same = OnlineRegressor(initial_value=2.0)
    same.partial_fit(X[300:], values[300:]).partial_fit(X[:100], values[:100])
    np.testing.assert_allclose(one.learner.coef_, same.coef_)


def test_hidden_items_have_no_value():
    one = ValueFilter(OnlineRegressor().fit([[1.0]], [0.0]), threshold=1.0)
    decision = one.decide([[1.0]])
    assert not decision.show[0]
    with pytest.raises(ValueError, match="not shown"):
        one.learn([[1.0]], [3.0], decision)
    one.learn([[1.0]], [3.0])  # but it may come from elsewhere
    assert one.n_labels == 0
    assert one.decide([[1.0]]).show[0]


def test_the_same_value_twice_and_another_value():
    one = ValueFilter(OnlineRegressor(eta0=0.5), threshold=0.0)
    decision = one.decide([[1.0]])
    one.learn([[1.0]], [4.0], decision)
    coef = one.learner.coef_.copy()
    one.learn([[1.0]], [4.0], decision)
    np.testing.assert_array_equal(one.learner.coef_, coef)
    assert (one.n_labels, one.n_repeated, one.n_corrected) == (1, 1, 0)
    one.learn([[1.0]], [5.0], decision)
    assert one.learner.coef_[0] > coef[0]
    assert (one.n_labels, one.n_repeated, one.n_corrected) == (1, 1, 1)


def test_values_from_elsewhere_end_the_wait():
    one = ValueFilter(OnlineRegressor(), threshold=2.0).learn([[1.0], [3.0]], [1.0, 3.0])
    np.testing.assert_array_equal(one.decide([[1.0], [3.0]]).show, one.learner.predict([[1.0], [3.0]]) >= 2.0)
    assert (one.n_rounds, one.n_labels) == (2, 0)


def test_two_values_of_an_item_in_one_call():
    one = ValueFilter(OnlineRegressor(eta0=0.5), threshold=0.0)
    decision = one.decide([[1.0], [2.0]])
    with pytest.raises(ValueError, match="item 1 has two values"):
        one.learn([[2.0], [1.0], [2.0]], [4.0, 1.0, 5.0], decision[[1, 0, 1]])
    assert not hasattr(one.learner, "coef_")
    one.learn([[2.0], [1.0], [2.0]], [4.0, 1.0, 4.0], decision[[1, 0, 1]])
    assert (one.n_labels, one.n_repeated) == (2, 1)


def test_feedback_on_unknown_and_on_expired_items():
    one = ValueFilter(OnlineRegressor(), threshold=0.0)
    old = one.decide(np.zeros((2, 1)))
    other = ValueFilter(OnlineRegressor(), threshold=0.0).decide(np.zeros((9, 1)))
    with pytest.raises(ValueError, match="item 8 was never decided about"):
        one.learn([[0.0]], [1.0], other[8])
    one.decide(np.zeros((REMEMBERED - 1, 1)))
    with pytest.raises(ValueError, match="item 0 is older"):
        one.learn([[0.0]], [1.0], old[0])
    one.learn([[0.0]], [1.0], old[1])
    assert one.n_labels == 1


def test_a_filter_does_not_grow():
    """A million rounds in two pieces, and the pickle is as long as after the first thousand."""
    one = ValueFilter(OnlineRegressor(), 5.0, EpsilonGreedy(0.01), random_state=0)
    one.learn([[1.0]], [0.0])
    size = len(pickle.dumps(one))
    assert size < 10 * REMEMBERED
    for _ in range(2):
        one.decide(np.ones((500_000, 1)))
    assert len(pickle.dumps(one)) < size + 100


@pytest.mark.parametrize("kept", ["pickle", "file"])
def test_a_filter_survives_a_restart(kept, tmp_path):
    X, values = made()
    one = ValueFilter(OnlineRegressor(initial_value=2.0), 2.0, AppleTasting(), bias=0.5, random_state=0)
    run_value_stream(one, X[:200], values[:200])
    if kept == "pickle":
        other = pickle.loads(pickle.dumps(one))
    else:
        save(one, tmp_path / "filter.skops")
        other = load(tmp_path / "filter.skops")
    reports = [run_value_stream(each, X[200:], values[200:]) for each in (one, other)]
    np.testing.assert_array_equal(reports[0].show, reports[1].show)
    np.testing.assert_array_equal(reports[0].probability, reports[1].probability)
    assert one.n_rounds == other.n_rounds == 400
    assert one.n_labels == other.n_labels
    assert repr(one) == repr(other)


def test_what_is_missed_is_told_from_what_was_explored():
    X, values = made(n=3000)
    for seed in range(5):
        learner = OnlineRegressor(initial_value=2.0)
        one = ValueFilter(learner, 2.0, EpsilonGreedy(0.2), random_state=seed)
        report = run_value_stream(one, X, values)
        estimate = one.missed(confidence=0.999)
        assert estimate.low <= report.fn <= estimate.high
        found = np.sum(report.explored & (report.value >= 2.0))
        assert estimate.value == pytest.approx(4 * found)  # one in five was looked at


def test_a_correction_changes_what_is_found():
    one = ValueFilter(OnlineRegressor(eta0=0.1), 2.0, EpsilonGreedy(0.5), random_state=0)
    one.learn([[1.0]], [0.0])
    decision = one.decide([[1.0]] * 20)
    explored = decision[decision.explored][:4]
    one.learn([[1.0]] * 4, [3.0] * 4, explored)
    assert one.missed().value == 4  # each stands for one that was hidden
    one.learn([[1.0]] * 2, [1.0, 5.0], explored[:2])  # the second stays worth it
    assert (one.missed().value, one.n_corrected) == (3, 2)


@pytest.mark.parametrize("explorer", [None, AppleTasting()])
def test_any_regressor_will_do(explorer):
    X, values = made(n=1000)
    learner = SGDRegressor(random_state=0)
    report = run_value_stream(ValueFilter(learner, 0.0, explorer, random_state=0), X, values)
    assert report.recall > 0.6
    assert learner.t_ > 100


def test_a_mask_reveals_what_it_says():
    X, values = made()
    mask = np.arange(len(values)) < 100
    report = run_value_stream(
        ValueFilter(OnlineRegressor(), 2.0, AppleTasting(), random_state=0), X, values, feedback=mask
    )
    np.testing.assert_array_equal(report.revealed, mask)
    assert report.n_explored == 0
    taught = OnlineRegressor().fit(X[:100], values[:100])
    np.testing.assert_array_equal(report.show[100:], taught.predict(X[100:]) >= 2.0)


def test_equal_seeds_and_no_seed_where_nothing_is_drawn():
    X, values = made()

    def shown(explorer, seed):
        learner = OnlineRegressor(initial_value=2.0)
        return run_value_stream(ValueFilter(learner, 2.0, explorer, random_state=seed), X, values).show

    np.testing.assert_array_equal(shown(EpsilonGreedy(0.3), 0), shown(EpsilonGreedy(0.3), 0))
    assert (shown(EpsilonGreedy(0.3), 0) != shown(EpsilonGreedy(0.3), 1)).any()
    np.testing.assert_array_equal(shown(None, 0), shown(None, 1))


def test_units_do_not_matter():
    X, values = made()
    reports = [
        run_value_stream(
            ValueFilter(OnlineRegressor(eta0=0.3, initial_value=2 * k), 2 * k, bias=0.3 * k), X, k * values
        )
        for k in (1.0, 100.0)
    ]
    np.testing.assert_array_equal(reports[0].show, reports[1].show)
    assert reports[1].regret == pytest.approx(100 * reports[0].regret)


def test_a_learner_that_raises_leaves_its_report():
    class Tired(OnlineRegressor):
        def partial_fit(self, X, y):
            if getattr(self, "n_updates_", 0) >= 50:
                raise RuntimeError("tired")
            return super().partial_fit(X, y)

    X, values = made()
    with pytest.raises(RuntimeError, match="tired") as caught:
        run_value_stream(ValueFilter(Tired(initial_value=2.0), 2.0, bias=1.0), X, values)
    report = caught.value.report
    whole = run_value_stream(ValueFilter(OnlineRegressor(initial_value=2.0), 2.0, bias=1.0), X, values)
    assert 50 <= len(report) < len(values)
    np.testing.assert_array_equal(report.show, whole.show[: len(report)])
    assert report.n_labels == 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threshold": np.nan}, "threshold"),
        ({"threshold": "high"}, "threshold"),
        ({"bias": np.inf}, "bias"),
        ({"learner": object()}, "partial_fit"),
        ({"explorer": "greedy"}, "explorer"),
    ],
)
def test_bad_parameters(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ValueFilter(**{"learner": OnlineRegressor(), "threshold": 1.0, **arguments})


def test_bad_input():
    one = ValueFilter(OnlineRegressor(), threshold=1.0)
    decision = one.decide(np.ones((2, 3)))
    with pytest.raises(ValueError, match="equal length"):
        one.learn(np.ones((2, 3)), [1.0], decision)
    with pytest.raises(ValueError, match="NaN"):
        one.learn(np.ones((2, 3)), [1.0, np.nan], decision)
    with pytest.raises(ValueError, match="equal length"):
        one.learn(np.ones((1, 3)), [1.0], decision)
    assert one.n_labels == 0
    one.learn(np.ones((2, 3)), [1.0, 2.0], decision)
    assert one.n_labels == 2
    with pytest.raises(ValueError, match="3 features"):
        one.decide(np.ones((1, 2)))
    with pytest.raises(ValueError, match="equal length"):
        run_value_stream(one, np.ones((2, 3)), [1.0])
    with pytest.raises(ValueError, match="feedback"):
        run_value_stream(one, np.ones((2, 3)), [1.0, 2.0], feedback="half")


# The report


@pytest.fixture
def report():
    value = np.array([5.0, 1.0, 4.0, 0.0, 2.0])
    show = np.array([True, True, False, False, True])
    explored = np.array([False, True, False, False, False])
    return ValueReport(
        value=value,
        show=show,
        explored=explored,
        predicted=np.array([3.0, 1.5, 1.0, 1.0, 2.0]),
        probability=np.array([1.0, 0.25, 0.25, 0.25, 1.0]),
        revealed=show,
        threshold=2.0,
    )


def test_sums_by_hand(report):
    assert (report.value_shown, report.value_missed) == (8.0, 4.0)
    assert (report.won, report.lost, report.wasted, report.regret) == (3.0, 2.0, 1.0, 3.0)
    assert (report.tp, report.fp, report.fn, report.tn) == (2, 1, 1, 1)
    assert report.precision == report.recall == report.f1 == pytest.approx(2 / 3)
    assert report.mae_shown == pytest.approx((2 + 0.5 + 0) / 3)
    assert report.mae_all == pytest.approx((2 + 0.5 + 3 + 1 + 0) / 5)
    assert (report.n_labels, report.n_explored, len(report)) == (3, 1, 5)


def test_regret_is_against_showing_what_is_worth_it(report):
    excess = report.value - report.threshold
    gained, best = excess[report.show].sum(), excess[excess > 0].sum()
    assert report.regret == best - gained


def test_summary_says_it(report):
    text = report.summary()
    for word in ("5 items", "3 of them worth 2", "3 shown", "regret 3", "recall 0.6667", "0.8333"):
        assert word in text
    assert max(map(len, text.splitlines())) <= 120


def test_nothing_shown_and_nothing_there():
    nothing = np.zeros(2, dtype=bool)
    empty = ValueReport(np.array([1.0, 0.0]), nothing, nothing, np.zeros(2), np.zeros(2), nothing, 5.0)
    assert (empty.recall, empty.precision, empty.f1, empty.regret) == (0.0, 0.0, 0.0, 0.0)
    assert np.isnan(empty.mae_shown)
    assert "0 of them worth 5" in empty.summary()


def test_picture(report):
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    display = report.plot()
    gained, best = (line.get_ydata() for line in display.lines_)
    assert gained.tolist() == [3, 2, 2, 2, 2]
    assert best.tolist() == [3, 3, 5, 5, 5]
    assert report.plot(ax=display.ax_).ax_ is display.ax_
    pyplot.close("all")
