"""Bad input to a filter: a clear error or a sound answer, and never a lost or doubled lesson."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import SGDClassifier

from lopsided.feedback import (
    AppleTasting,
    Decision,
    EpsilonGreedy,
    LabelEfficient,
    OneSidedFilter,
    SoftmaxExplorer,
    ValueFilter,
    run_stream,
    run_value_stream,
)
from lopsided.online import MarginPerceptron, OnlineRegressor, OnlineSVM, RelaxedOnlineSVM, Winnow
from lopsided.text import ByteGramVectorizer

FORMS = [np.asarray, sparse.csr_array]
LEARNERS = [
    MarginPerceptron(fit_intercept=True),
    Winnow(threshold=1.0),
    OnlineSVM(C=1.0),
    RelaxedOnlineSVM(C=1.0, buffer_size=20),
]
EXPLORERS = [AppleTasting(), LabelEfficient(), EpsilonGreedy(), SoftmaxExplorer()]


def make_data(n=80, d=5):
    """Rows of which about half are positive, and go on being shown; the first is positive."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((n, d)) < 0.8, rng.standard_normal((n, d)), 0.0)
    y = np.where(X[:, 0] > X[:, 1], 1, -1)
    y[0] = 1
    return X, y


def make_filter(explorer=None, **parameters):
    return OneSidedFilter(MarginPerceptron(fit_intercept=True), explorer, random_state=0, **parameters)


def learned(filter):
    """All that a filter shows of itself."""
    names = ("n_rounds", "n_labels", "n_explored", "n_repeated", "n_corrected")
    counts = [getattr(filter, name) for name in names]
    return (
        counts,
        filter.learner.coef_.tolist(),
        filter.learner.intercept_.tolist(),
        filter.learner.n_updates_,
    )


def started(explorer=None, n=30, **parameters):
    """A filter that has learned from some rows; the twin of itself, and all rows."""
    X, y = make_data()
    filters = [make_filter(explorer, **parameters) for _ in range(2)]
    for filter in filters:
        run_stream(filter, X[:n], y[:n])
    return *filters, X, y


# Parameters


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"bias": -0.1}, "bias"),
        ({"bias": np.nan}, "bias"),
        ({"bias": "a"}, "bias"),
        ({"start": "warm"}, "start"),
        ({"explorer": "apples"}, "explorer"),
        ({"random_state": "now"}, "random_state"),
        ({"guard": "off"}, "guard must be True or False; got 'off'"),
        ({"guard": 0}, "guard"),
    ],
    ids=str,
)
def test_parameters_of_a_filter(parameters, words):
    with pytest.raises((ValueError, TypeError), match=words):
        OneSidedFilter(MarginPerceptron(), **parameters).decide([[1.0]])


def test_a_learner_that_cannot_learn_row_by_row():
    from sklearn.linear_model import LogisticRegression

    with pytest.raises((ValueError, TypeError), match="partial_fit"):
        OneSidedFilter(LogisticRegression()).decide([[1.0]])


def test_a_learner_that_is_only_a_class():
    with pytest.raises(ValueError, match=r"got the class MarginPerceptron\. Make one of it"):
        OneSidedFilter(MarginPerceptron)
    with pytest.raises(ValueError, match=r"got the class OnlineRegressor\. Make one of it"):
        ValueFilter(OnlineRegressor, 0.0)


def test_the_order_of_parameters():
    X, y = make_data()
    names = np.where(y > 0, "ham", "spam")
    filter = OneSidedFilter(MarginPerceptron(), AppleTasting(), 0.5, "cold", "ham", 3)
    assert (filter.bias, filter.start, filter.pos_label, filter.guard) == (0.5, "cold", "ham", False)
    assert run_stream(filter, X, names, "full", True).n_labels == len(y)
    with pytest.raises(TypeError, match="positional"):
        OneSidedFilter(MarginPerceptron(), None, 0.0, "wait", "ham", 3, True)
    with pytest.raises(TypeError, match="positional"):
        run_stream(filter, X, names, "full", False, ByteGramVectorizer())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LabelEfficient(beta=0.0), "beta"),
        (lambda: LabelEfficient(beta=np.nan), "beta"),
        (lambda: EpsilonGreedy(epsilon=-0.1), "epsilon"),
        (lambda: EpsilonGreedy(epsilon=1.1), "epsilon"),
        (lambda: EpsilonGreedy(epsilon="a"), "epsilon"),
        (lambda: LabelEfficient(beta="a"), "beta"),
        (lambda: SoftmaxExplorer(temperature=0.0), "temperature"),
        (lambda: SoftmaxExplorer(temperature=-1.0), "temperature"),
    ],
)
def test_parameters_of_an_explorer(make, words):
    with pytest.raises(ValueError, match=words):
        make()


# Rows


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_rows_that_are_no_numbers(form, value):
    filter, other, X, y = started(AppleTasting())
    spoiled = X[30:40].copy()
    spoiled[4, 2] = value
    before = learned(filter)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        filter.decide(form(spoiled))
    decision, expected = filter.decide(X[30:40]), other.decide(X[30:40])
    assert_array_equal(decision.show, expected.show)  # no round and no draw was lost
    assert_array_equal(decision.number, expected.number)
    shown = decision.show
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        filter.learn(form(spoiled), y[30:40], decision)
    assert learned(filter)[1:] == before[1:]  # not one row of the chunk
    for one in (filter, other):
        one.learn(X[30:40][shown], y[30:40][shown], decision[shown])
    assert learned(filter) == learned(other)


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_the_wrong_width(form):
    filter, other, X, y = started(AppleTasting())
    for d in (4, 6):
        with pytest.raises(ValueError, match=f"{d} features"):
            filter.decide(form(np.ones((3, d))))
    decision = filter.decide(X[30:33])
    other.decide(X[30:33])
    with pytest.raises(ValueError, match="features"):
        filter.learn(form(np.ones((3, 4))), y[30:33], decision)
    with pytest.raises(ValueError, match=r"length|inconsistent|rows"):
        filter.learn(form(X[30:32]), y[30:33], decision)
    with pytest.raises(ValueError, match=r"length|inconsistent|rows"):
        filter.learn(form(X[30:33]), y[30:32], decision)
    with pytest.raises(ValueError, match=r"length|inconsistent|rows|decision"):
        filter.learn(form(X[30:33]), y[30:33], decision[:2])
    assert learned(filter) == learned(other)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("explorer", [None, *EXPLORERS], ids=str)
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_rows_of_zeros(learner, explorer, form):
    from sklearn.base import clone

    X, y = make_data()
    X = np.abs(X)  # for Winnow
    X[::4] = 0
    for rows in (X, np.zeros_like(X)):
        for start in ("wait", "cold"):
            filter = OneSidedFilter(clone(learner), explorer, start=start, random_state=0)
            report = run_stream(filter, form(rows), y)
            assert np.isfinite(report.score).all()
            assert ((report.probability >= 0) & (report.probability <= 1)).all()


# Labels


@pytest.mark.parametrize("explorer", [None, *EXPLORERS], ids=str)
def test_one_class_for_ever(explorer):
    X, _ = make_data()
    negative = run_stream(make_filter(explorer), X, -np.ones(len(X), int))
    assert negative.show.all()  # still waiting for the first positive
    assert (negative.precision, negative.recall, negative.f1) == (0.0, 0.0, 0.0)
    assert negative.n_updates == 0
    positive = run_stream(make_filter(explorer), X, np.ones(len(X), int))
    assert positive.recall == positive.precision == 1.0
    cold = run_stream(make_filter(explorer, start="cold"), X, -np.ones(len(X), int))
    assert cold.tp == 0
    assert np.isnan(cold.roc_auc) or cold.roc_auc == 0.0  # of one class there is none


@pytest.mark.parametrize("explorer", [AppleTasting(), EpsilonGreedy(epsilon=0.2)], ids=str)
def test_labels_flipped_half_way(explorer):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(2000) < 0.5, 1, -1)
    X = np.c_[rng.standard_normal((2000, 3)) + 1.5 * y[:, None], np.ones(2000)]
    truth = np.where(np.arange(2000) < 1000, y, -y)
    report = run_stream(OneSidedFilter(MarginPerceptron(), explorer, random_state=0), X, truth)
    late = slice(1700, None)
    assert np.mean(report.show[late] == (truth[late] > 0)) > 0.6  # exploring, it notices
    assert np.isfinite(report.score).all()


def test_labels_that_are_none():
    filter, other, X, _ = started()
    decision = filter.decide(X[30:50])
    other.decide(X[30:50])
    shown = np.flatnonzero(decision.show)[:3]
    for labels in ([1.0, np.nan, -1.0], [1, 0, 2], ["ham", "spam", "eggs"]):
        with pytest.raises(ValueError, match=r"NaN|label|class|2|ham"):
            filter.learn(X[30 + shown], labels, decision[shown])
    assert learned(filter) == learned(other)


def test_a_refused_call_does_not_fix_the_other_label():
    X, _ = make_data()
    filter = make_filter()
    decision = filter.decide(X[:3])
    with pytest.raises(ValueError, match="X 2, y 3"):
        filter.learn(X[:2], [1, 7, 1], decision[:2])
    with pytest.raises(ValueError, match="decision 3"):
        filter.learn(X[:2], [1, 7], decision)
    with pytest.raises(ValueError, match="never decided"):
        filter.learn(X[:1], [7], Decision([True], [False], [0.0], [1.0], [99]))
    with pytest.raises(ValueError, match="NaN"):
        filter.learn(np.full((1, 5), np.nan), [7], decision[0])
    assert filter.learn(X[:3], [1, 0, 1], decision).n_labels == 3
    with pytest.raises(ValueError, match="expected one other"):
        filter.learn(X[:1], [7], decision[0])


def test_a_refused_stream_does_not_fix_the_other_label():
    X, y = make_data()
    filter = make_filter()
    for arguments, words in (
        ((X, y, "typo"), "feedback"),
        ((X[:3], y), "equal length"),
        ((np.full_like(X, np.nan), y), "NaN"),
    ):
        with pytest.raises(ValueError, match=words):
            run_stream(filter, *arguments)
    assert run_stream(filter, X, y > 0, "full").n_labels == len(y)
    with pytest.raises(ValueError, match="expected one other"):
        run_stream(filter, X, y)  # now it is False


def test_a_refused_first_call_does_not_fix_the_width():
    X, y = make_data()
    spoiled = X[:4, :3].copy()
    spoiled[2] = np.nan
    for learner in (MarginPerceptron(), RelaxedOnlineSVM()):
        filter = OneSidedFilter(learner)
        with pytest.raises(ValueError, match="NaN"):
            filter.decide(spoiled)
        with pytest.raises(ValueError, match="equal length"):
            filter.learn(X[:4, :3], y[:3])
        assert run_stream(filter, X, y, "full").n_labels == len(y)


# Items


def test_feedback_for_a_hidden_item():
    filter, other, X, y = started()
    decision = filter.decide(X[30:])
    other.decide(X[30:])
    hidden, shown = np.flatnonzero(~decision.show), np.flatnonzero(decision.show)
    rows = np.r_[shown[:2], hidden[:1]]
    with pytest.raises(ValueError, match=r"hidden|not shown"):
        filter.learn(X[30 + rows], y[30 + rows], decision[rows])
    assert learned(filter) == learned(other)  # nor were the shown ones learned


def test_feedback_for_an_unknown_item():
    filter, other, X, y = started()
    stranger = make_filter()
    run_stream(stranger, X, y)
    foreign = stranger.decide(X[:5])  # rounds 80 to 84, which the filter has not had
    foreign = foreign[foreign.show]
    assert len(foreign) > 0
    with pytest.raises(ValueError, match=r"(?i)unknown|never|round|another filter"):
        filter.learn(X[: len(foreign)], y[: len(foreign)], foreign)
    assert learned(filter) == learned(other)


def test_something_that_is_no_decision():
    filter, other, X, y = started()
    for nonsense in (np.ones(3, bool), [True] * 3, {"show": True}, 5):
        for n in (3, 0):
            with pytest.raises(ValueError, match="decision must be what decide returned"):
                filter.learn(X[:n], y[:n], nonsense)
    assert learned(filter) == learned(other)


@pytest.mark.parametrize("explorer", [None, AppleTasting(), LabelEfficient()], ids=str)
def test_the_same_feedback_twice_is_one_lesson(explorer):
    filter, other, X, y = started(explorer)
    for one in (filter, other):
        decision = one.decide(X[30:60])
    shown = np.flatnonzero(decision.show)
    assert len(shown) > 5
    for one in (filter, other):
        one.learn(X[30 + shown], y[30 + shown], decision[shown])
    filter.learn(X[30 + shown], y[30 + shown], decision[shown])
    assert filter.n_repeated == len(shown)
    assert filter.n_labels == other.n_labels
    assert learned(filter)[1:] == learned(other)[1:]
    assert_array_equal(filter.decide(X[60:]).probability, other.decide(X[60:]).probability)


def test_the_same_feedback_twice_in_one_batch():
    filter, other, X, y = started()
    for one in (filter, other):
        decision = one.decide(X[30:60])
    shown = np.flatnonzero(decision.show)[:5]
    twice = np.repeat(shown, 2)
    filter.learn(X[30 + twice], y[30 + twice], decision[twice])
    other.learn(X[30 + shown], y[30 + shown], decision[shown])
    assert filter.n_repeated == 5
    assert learned(filter)[1:] == learned(other)[1:]


def test_contradictory_feedback_is_a_correction():
    filter, other, X, _ = started()
    for one in (filter, other):
        decision = one.decide(X[30:60])
    i = int(np.argmax(decision.show))
    row, item = X[30 + i : 31 + i], decision[i : i + 1]
    filter.learn(row, [1], item).learn(row, [-1], item)
    assert filter.n_corrected == 1
    assert filter.n_labels == other.n_labels + 1  # one item has a label
    other.learner.partial_fit(row, [1]).partial_fit(row, [0])
    assert learned(filter)[1:] == learned(other)[1:]
    filter.learn(row, [-1], item)  # now it is the same again
    assert filter.n_corrected == 1
    assert filter.n_repeated == 1
    assert learned(filter)[1:] == learned(other)[1:]


def test_what_a_replay_learned_is_not_learned_again():
    """Rounds of a replay are rounds: their labels are known."""
    X, y = make_data()
    filter = make_filter()
    first = filter.decide(X[:1])
    filter.learn(X[:1], y[:1], first)
    report = run_stream(filter, X[1:], y[1:])
    assert filter.n_labels == 1 + report.n_labels
    before = learned(filter)[1:]
    filter.learn(X[:1], y[:1], first)
    assert learned(filter)[1:] == before


def test_feedback_that_comes_very_late():
    """Long after, an item is either still known or refused by name; it is never learned twice."""
    X, y = make_data()
    filter = make_filter()
    early = filter.decide(X[:1])
    filter.learn(X[:1], y[:1], early)
    for _ in range(40):
        run_stream(filter, np.tile(X, (100, 1)), np.tile(y, 100))
    before = learned(filter)[1:]
    try:
        filter.learn(X[:1], y[:1], early)
    except ValueError as error:
        assert "expired" in str(error) or "too old" in str(error)  # noqa: PT017
    assert learned(filter)[1:] == before


@pytest.mark.parametrize("explorer", EXPLORERS, ids=str)
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_a_decision_before_anything_was_learned(learner, explorer):
    from sklearn.base import clone

    X = np.abs(make_data()[0])
    for start in ("wait", "cold"):
        decision = OneSidedFilter(clone(learner), explorer, start=start, random_state=0).decide(X)
        assert np.isfinite(decision.score).all()
        assert ((decision.probability >= 0) & (decision.probability <= 1)).all()
        if start == "wait":
            assert decision.show.all()
    foreign = OneSidedFilter(SGDClassifier(), explorer, start="cold", random_state=0).decide(X)
    assert foreign.show.all()


# A learner that raises


class Fragile:
    """A perceptron that breaks at the n-th lesson, before it changed anything."""

    def __init__(self, n):
        self.n, self.inner, self.lessons = n, MarginPerceptron(fit_intercept=True), 0

    def partial_fit(self, X, y, classes=None):
        if self.lessons == self.n:
            self.n = -1
            raise RuntimeError("the disk is full")
        self.lessons += len(y)
        self.inner.partial_fit(X, y, classes=[0, 1])
        return self

    def decision_function(self, X):
        return self.inner.decision_function(X) if self.lessons else np.zeros(X.shape[0])


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_learner_that_raises_keeps_the_report(error, monkeypatch):
    X, y = make_data()
    fragile = Fragile(20)
    if error is KeyboardInterrupt:
        plain = fragile.partial_fit

        def interrupted(X, y, classes=None):
            try:
                return plain(X, y, classes)
            except RuntimeError:
                raise KeyboardInterrupt from None

        monkeypatch.setattr(fragile, "partial_fit", interrupted)
    filter, sound = (OneSidedFilter(one, random_state=0) for one in (fragile, Fragile(-1)))
    with pytest.raises(error) as caught:
        run_stream(filter, X, y)
    report = caught.value.report
    whole = run_stream(sound, X, y)
    n = len(report.show)
    assert 20 <= n < len(y)
    assert report.n_labels == filter.n_labels == 20  # without the lesson that failed
    assert_array_equal(report.show, whole.show[:n])
    assert_array_equal(report.score, whole.score[:n])
    assert np.isfinite(report.f1)


def test_a_stream_that_broke_off_can_be_resumed():
    """The label that could not be learned is the last of the report; it is not taken for learned."""
    X, y = make_data()
    filter, sound = (OneSidedFilter(one, random_state=0) for one in (Fragile(20), Fragile(-1)))
    with pytest.raises(RuntimeError) as caught:
        run_stream(filter, X, y)
    report = caught.value.report
    last = len(report) - 1
    open_item = Decision(
        *(getattr(report, name)[last:] for name in ("show", "explored", "score", "probability")), [last]
    )
    filter.learn(X[last : last + 1], y[last : last + 1], open_item)
    rest = run_stream(filter, X[last + 1 :], y[last + 1 :])
    whole = run_stream(sound, X, y)
    assert filter.learner.lessons == sound.learner.lessons
    assert_array_equal(rest.show, whole.show[last + 1 :])
    assert filter.n_labels == sound.n_labels


def test_a_lesson_that_failed_can_be_given_again():
    X, y = make_data()
    filter, sound = (OneSidedFilter(Fragile(n), random_state=0) for n in (2, -1))
    decisions = [one.decide(X[:5]) for one in (filter, sound)]
    with pytest.raises(RuntimeError, match="disk is full"):
        filter.learn(X[:5], y[:5], decisions[0])
    assert filter.learner.lessons == 2
    filter.learn(X[:5], y[:5], decisions[0])  # what was learned is not learned again, the rest is
    sound.learn(X[:5], y[:5], decisions[1])
    assert filter.learner.lessons == sound.learner.lessons
    assert_array_equal(filter.learner.inner.coef_, sound.learner.inner.coef_)
    assert filter.n_labels == sound.n_labels == 5


# Streams


@pytest.mark.parametrize(
    ("feedback", "words"),
    [
        ("half", "feedback"),
        (np.ones(3, bool), "feedback|mask|length"),
        (np.zeros(80), "bool|mask|feedback"),
        (None, "feedback"),
    ],
    ids=["word", "short", "floats", "none"],
)
def test_feedback_that_is_none_of_the_three(feedback, words):
    X, y = make_data()
    with pytest.raises((ValueError, TypeError), match=words):
        run_stream(make_filter(), X, y, feedback=feedback)


def test_a_stream_of_nothing_or_of_unequal_lengths():
    X, y = make_data()
    with pytest.raises(ValueError, match=r"length|inconsistent"):
        run_stream(make_filter(), X, y[:-1])
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        run_stream(make_filter(), np.where(X > 0.99, np.nan, X), y)
    nothing = run_stream(make_filter(), X[:0], y[:0])
    assert (len(nothing), nothing.f1, nothing.n_labels) == (0, 0.0, 0)


def test_a_spoiled_row_in_a_stream_is_refused_before_it_starts():
    filter, other, X, y = started()
    spoiled = X.copy()
    spoiled[50, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN"):
        run_stream(filter, spoiled, y)
    assert learned(filter) == learned(other)


def test_nothing_joined_is_nothing():
    assert len(Decision.join([])) == 0
    filter, other, X, y = started()
    filter.learn(X[:1], y[:1], Decision.join([filter.decide(X[:1])]))
    other.learn(X[:1], y[:1], other.decide(X[:1]))
    assert learned(filter) == learned(other)


@pytest.mark.parametrize("probability", [2.0, 0.0, -1.0, np.nan])
def test_a_decision_that_nobody_made(probability):
    with pytest.raises(ValueError, match="probabilities from 0 to 1"):
        Decision([True], [True], [-1.0], [probability], [0])
    with pytest.raises(ValueError, match="finite scores"):
        Decision([True], [False], [np.nan], [1.0], [0])


def test_one_huge_row_does_not_end_exploration():
    X, y = make_data()
    X = X.copy()
    X[len(X) // 2] *= 1e160
    filter = OneSidedFilter(MarginPerceptron(), explorer=LabelEfficient(0.1), random_state=0)
    report = run_stream(filter, X, y)
    assert np.isfinite(report.probability).all()
    assert "labels" in report.summary()


def one_by_one(filter, X, y, feedback):
    """What a replay does, by decide and learn; labels of hidden items come from elsewhere."""
    for i in range(len(y)):
        row = X[i : i + 1]
        decision = filter.decide(row)
        if decision.show[0]:
            filter.learn(row, y[i : i + 1], decision)
        elif feedback == "full":
            filter.learn(row, y[i : i + 1])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("feedback", ["one-sided", "full"])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_a_score_that_is_not_finite_ends_a_replay_at_its_item(learner, feedback, form):
    """With the words of decide; the filter stays as it was before that item, and can go on."""
    from sklearn.base import clone

    X, y = make_data()
    if isinstance(learner, Winnow):
        X, learner = np.abs(X), Winnow(threshold=4.0)
    filter, other, sound = (OneSidedFilter(clone(learner)) for _ in range(3))
    run_stream(sound, form(X[:40]), y[:40], feedback)
    w = sound.learner.coef_[0]
    X[40] = np.where(w < 0, -1.7e308, 1.7e308) * (np.abs(w) > 1e-9)
    assert np.abs(w).sum() > 1.1
    with pytest.raises(ValueError, match="scores are not finite") as caught:
        run_stream(filter, form(X), y, feedback)
    with pytest.raises(ValueError, match="scores are not finite"):
        one_by_one(other, form(X), y, feedback)
    assert len(caught.value.report) == filter.n_rounds == other.n_rounds == 40
    for one in (filter, other):
        assert_allclose(one.learner.coef_, sound.learner.coef_, rtol=1e-12)
    rest = [run_stream(one, form(X[41:]), y[41:], feedback) for one in (filter, sound)]
    assert_array_equal(rest[0].score, rest[1].score)


def test_weights_that_make_a_score_infinite_end_a_replay_too():
    X, y = make_data()
    with pytest.raises(ValueError, match="scores are not finite") as caught:
        run_stream(make_filter(), X * 1e200, y)
    assert len(caught.value.report) == 1
    assert caught.value.report.roc_auc is not None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("explorer", [None, AppleTasting()], ids=str)
def test_rows_that_are_huge_and_no_more_are_learned(explorer, form):
    """Row by row instead of all at once, to the same end."""
    X, y = make_data()
    before = make_filter(explorer)
    run_stream(before, form(X[:40]), y[:40], "full")
    X[40] *= 1e160
    y[40] = -np.sign(before.learner.decision_function(X[40:41])[0])
    filter, other = make_filter(explorer), make_filter(explorer)
    report = run_stream(filter, form(X), y, "full")
    singly = [run_stream(other, form(X[i : i + 1]), y[i : i + 1], "full") for i in range(len(y))]
    for name in ("show", "score", "probability"):
        assert_array_equal(getattr(report, name), [getattr(one, name)[0] for one in singly])
    assert learned(filter) == learned(other)
    assert np.abs(filter.learner.coef_).max() > 1e100


def test_a_lesson_beyond_float32_is_refused_and_not_counted():
    X, y = make_data()
    filter = OneSidedFilter(MarginPerceptron(margin=1e300), start="cold")
    filter.decide(X[:1].astype(np.float32))
    with pytest.raises(ValueError, match="range of float32") as caught:
        run_stream(filter, X * 1e39, y, "full")
    assert len(caught.value.report) == 1
    assert caught.value.report.n_labels == filter.n_labels == 0
    with pytest.raises(ValueError, match="range of float32"):
        filter.learn(X[:1] * 1e39, y[:1], filter.decide(X[:1] * 1e39))
    assert filter.n_labels == 0
    assert run_stream(filter, X, y, "full").n_labels == len(y)


def test_labels_are_spelled_alike_from_call_to_call():
    X, _ = make_data()
    filter = OneSidedFilter(MarginPerceptron(), start="cold")
    decision = filter.decide(X[:3])
    filter.learn(X[:1], np.array([7]), decision[:1])
    with pytest.raises(ValueError, match="expected one other"):
        filter.learn(X[1:2], np.array([-5]), decision[1:2])
    ham = OneSidedFilter(MarginPerceptron(), pos_label="ham")
    with pytest.raises(ValueError, match="Spell them alike"):
        ham.learn(X[:1], np.array([1]))


def test_a_learner_that_knows_no_positive_waits_for_one():
    X = np.abs(make_data()[0])
    learner = MarginPerceptron().partial_fit(X[:1], [0], classes=[0, 1])
    assert OneSidedFilter(learner).decide(X[:10]).show.all()
    with pytest.raises(ValueError, match="second class"):
        OneSidedFilter(MarginPerceptron().fit(X[:2], [0, 1]), pos_label=0)


def test_threads_take_turns():
    """Compiled code lets go of the interpreter; learner and filter must not be changed by two at once."""
    from concurrent.futures import ThreadPoolExecutor

    X, y = make_data()
    for learner in (RelaxedOnlineSVM(buffer_size=20), MarginPerceptron(kernel="rbf"), MarginPerceptron()):
        filter = OneSidedFilter(learner, random_state=0)
        decision = filter.decide(X)

        def work(k, filter=filter, decision=decision):
            for i in range(k, len(X), 3):
                filter.learn(X[i : i + 1], y[i : i + 1], decision[i : i + 1])
                filter.decide(X[:5])
                pickle.dumps(filter)
            return True

        with ThreadPoolExecutor(3) as pool:
            assert all(pool.map(work, range(3)))
        assert filter.n_labels == len(X)


@pytest.mark.parametrize(
    "make",
    [
        lambda: OneSidedFilter(MarginPerceptron(margin=1e9), EpsilonGreedy(1.0), start="cold"),
        lambda: OneSidedFilter(SGDClassifier(), EpsilonGreedy(1.0), start="cold"),
        lambda: ValueFilter(OnlineRegressor(), 0.0, EpsilonGreedy(1.0)),
    ],
)
def test_what_is_saved_is_of_one_moment(make):
    """Saving waits for who decides or learns, and goes on with copies: the filter may learn meanwhile."""
    from threading import Thread

    X, y = make_data()
    filter, saved = make(), []
    filter.learn(X[:10], y[:10], filter.decide(X[:10]))
    state = filter.__getstate__()
    thread = Thread(target=lambda: saved.append(pickle.loads(pickle.dumps(filter))))
    with filter._lock:
        thread.start()
        thread.join(0.3)
        assert thread.is_alive()
        filter.learn(X[10:20], y[10:20], filter.decide(X[10:20]))
    thread.join()
    for copy, n in ((saved[0], 20), (pickle.loads(pickle.dumps(filter)), 20)):
        assert (copy.n_labels, (copy._status > 1).sum()) == (n, n)
        assert_array_equal(copy.learner.coef_, filter.learner.coef_)
    assert (state["_status"] > 1).sum() == 10
    assert state["learner"] is not filter.learner
    assert (state["learner"].coef_ != filter.learner.coef_).any()


@pytest.mark.parametrize(
    "make",
    [
        lambda: OneSidedFilter(MarginPerceptron(), EpsilonGreedy(0.9), random_state=0),
        lambda: ValueFilter(OnlineRegressor(), 0.0, EpsilonGreedy(0.9), random_state=0),
    ],
)
def test_a_filter_is_used_by_one_thread_at_a_time(make):
    from threading import Thread

    X, y = make_data()
    filter = make()
    decision = filter.decide(X[:5])
    for work in (
        lambda: filter.decide(X[5:9]),
        lambda: filter.learn(X[:5], y[:5], decision),
        lambda: filter.learn(X[:5], y[:5]),
        lambda: (run_value_stream if isinstance(filter, ValueFilter) else run_stream)(filter, X, y),
        filter.missed,
    ):
        thread, before = Thread(target=work), (filter.n_rounds, filter.n_labels)
        with filter._lock:
            thread.start()
            thread.join(0.05)
            assert thread.is_alive()
            assert (filter.n_rounds, filter.n_labels) == before
        thread.join()
    assert filter.n_rounds == 9 + len(y)


def test_the_memory_of_a_filter_does_not_grow():
    """One byte for each of the last 100,000 rounds, and some numbers; all of it is in what is saved."""
    filter, sizes = OneSidedFilter(MarginPerceptron(), AppleTasting(), random_state=0, guard=True), []
    rng = np.random.default_rng(0)
    for _ in range(6):
        X = rng.normal(size=(50_000, 2))
        run_stream(filter, X, (X[:, 0] > 0).astype(int))
        filter.decide(X[:1000])
        sizes.append(len(pickle.dumps(filter)))
    assert max(sizes) - min(sizes) < 100
    assert max(sizes) < 100_000 + 10_000
    assert filter._status.nbytes == 100_000


def test_a_kernel_does_not_look_into_the_future():
    X, y = make_data()
    later = X.copy()
    later[50:] *= 1000
    scores = [
        run_stream(OneSidedFilter(MarginPerceptron(kernel="rbf")), rows, y).score[:50] for rows in (X, later)
    ]
    assert_array_equal(scores[0], scores[1])


def test_a_stream_for_something_that_is_no_filter():
    X, y = np.ones((2, 1)), [0, 1]
    with pytest.raises(ValueError, match=r"OneSidedFilter\(learner\)"):
        run_stream(MarginPerceptron(), X, y)
    with pytest.raises(ValueError, match=r"ValueFilter\(learner, threshold\)"):
        run_value_stream(OnlineRegressor(), X, y)


def test_a_stream_of_messages_in_a_tuple():
    messages, y = (b"cheap pills", b"see you at noon"), [0, 1]
    reports = [
        run_stream(OneSidedFilter(MarginPerceptron()), form(messages), y, vectorizer=ByteGramVectorizer())
        for form in (tuple, list)
    ]
    assert_array_equal(reports[0].score, reports[1].score)


def test_a_stream_of_no_values():
    assert len(run_value_stream(ValueFilter(OnlineRegressor(), threshold=1.0), [], []).show) == 0
