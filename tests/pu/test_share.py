import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lopsided.datasets import fetch_newsgroups, fetch_uci, fetch_webkb, make_lopsided, make_topics
from lopsided.pu import PositiveShare, _share, estimate_positive_share
from reference import share as twin

PLAIN = LogisticRegression()  # quick, and as good as any on make_lopsided


@pytest.fixture
def fewer_draws(monkeypatch):
    """Draw 100 times: laws of an answer need no more, and it takes a quarter of the time."""
    monkeypatch.setattr(_share, "_DRAWS", 100)


def positive_and_heap(n_positive, n_hidden, n_negative, *, separation=4.0, n_features=5, seed=0):
    """Rows, labels of ones and zeros; the rows in random order."""
    total = n_positive + n_hidden
    X, truth = make_lopsided(
        total + n_negative, n_features, total / (total + n_negative), separation=separation, random_state=seed
    )
    y = np.zeros(len(X), dtype=int)
    y[np.flatnonzero(truth)[:n_positive]] = 1
    return X, y


# Overlap


@pytest.mark.parametrize(
    ("scores", "share", "ordered"),
    [
        ([3, 4, 1, 2], 0.0, 1.0),
        ([3, 4, 1, 3], 0.0, 0.875),  # one tie among four pairs
        ([2, 4, 1, 3], 0.5, 1.0),  # the row at 3 may be the hidden one: 3 of 4 pairs, less the 1/4 by chance
        ([1, 2, 3, 4], 1.0, 0.5),
    ],
)
def test_ordered_pairs_by_hand(scores, share, ordered):
    positive = np.array([True, True, False, False])
    assert _share._orders_pairs(np.array(scores, dtype=float), positive, share) == pytest.approx(ordered)


def test_where_classes_overlap_only_the_upper_end_says_something():
    X, y = positive_and_heap(100, 100, 1500, separation=1.5)
    share, low = _share.measure_share(X, y, PLAIN, random_state=0)
    assert share.overlaps
    assert share.low == 0 < low
    assert share.high >= 100 / 1600
    assert "at most" in str(share)
    assert "classes overlap" in str(share)


def test_where_classes_are_apart_the_lower_end_stays():
    X, y = positive_and_heap(100, 100, 1500, separation=4)
    share, low = _share.measure_share(X, y, PLAIN, random_state=0)
    assert not share.overlaps
    assert share.low == low > 0
    assert "classes overlap" not in str(share)


# The formula


def random_counts(seed, n_bins, share, n_rows=500):
    generator = np.random.default_rng(seed)
    edges = np.concatenate([[0], np.sort(generator.random(n_bins - 1)), [1]])
    t = np.where(generator.random(n_rows) < share, generator.random(n_rows), generator.beta(1, 15, n_rows))
    return edges, np.histogram(t, edges)[0]


@pytest.mark.parametrize("share", [0.0, 0.05, 0.4])
def test_twin_in_plain_loops(share, monkeypatch):
    monkeypatch.setattr(_share, "_STEPS", 60)
    edges, counts = random_counts(3, 9, share)
    slow = twin.em(edges, counts.tolist(), _share._BINS, 60)
    assert _share._uniform_share(edges, counts) == pytest.approx(slow[0], rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_em_comes_close_to_the_most_likely_share(seed, share):
    edges, counts = random_counts(seed, 31, share)
    best = twin.most_likely(edges, counts, _share._BINS)
    assert _share._uniform_share(edges, counts) == pytest.approx(best[0], abs=0.01)
    assert best[0] == pytest.approx(share, abs=0.09)


def test_densities_with_a_known_share():
    edges = np.linspace(0, 1, 41)
    uniform = np.full(40, 1000.0)
    assert _share._uniform_share(edges, uniform) > 0.95
    assert _share._uniform_share(edges, np.where(np.arange(40) == 0, 1000, 0)) < 1e-6
    b = 0.5  # a triangle that ends in the middle, under it one part in five uniform
    triangle = np.diff(np.where(edges < b, 2 * edges / b - (edges / b) ** 2, 1.0)) * 40_000
    assert _share._uniform_share(edges, 0.2 * uniform + 0.8 * triangle) == pytest.approx(0.2, abs=0.01)


def test_many_at_once_are_each_alone():
    problems = [random_counts(seed, 12, 0.2) for seed in range(3)]
    together = _share._uniform_share(*(np.array(part) for part in zip(*problems, strict=True)))
    assert together == pytest.approx([float(_share._uniform_share(*problem)) for problem in problems])


def test_ranks_by_hand():
    # positives at 1 and 3 leave three gaps; the heap has two rows below, one between, one above
    scores = np.array([1.0, 3.0, 0.0, 0.5, 2.0, 9.0])
    gaps, counts = _share._count_ranks(scores, np.arange(6) < 2, np.random.default_rng(0))
    assert gaps.tolist() == [1, 1, 1]
    assert counts.tolist() == [2, 1, 1]


@given(st.integers(2, 200), st.integers(2, 100), st.integers(0, 9))
def test_every_gap_and_every_row_is_counted(n_positive, n_unlabeled, seed):
    generator = np.random.default_rng(seed)
    scores = generator.integers(5, size=n_positive + n_unlabeled).astype(float)  # many ties
    gaps, counts = _share._count_ranks(scores, np.arange(len(scores)) < n_positive, generator)
    assert gaps.sum() == n_positive + 1
    assert counts.sum() == n_unlabeled
    assert gaps.min() >= 1
    assert gaps.max() - gaps.min() <= 1
    assert len(gaps) == len(counts) <= _share._BINS


def test_ties_are_spread_evenly():
    _, counts = _share._count_ranks(np.zeros(20_049), np.arange(20_049) < 49, np.random.default_rng(0))
    assert counts.max() < 0.2 * counts.sum()  # in order of the rows, all would lie in one gap


def test_gaps_between_positives_follow_their_law(monkeypatch):
    """Of the least of three uniform numbers the mean is 1 / 4, and the variance 3 / 80."""
    monkeypatch.setattr(_share, "_DRAWS", 4000)
    monkeypatch.setattr(_share, "_uniform_share", lambda edges, counts: (edges, counts))
    gaps, in_bins = np.array([1, 2, 1]), np.array([10, 0, 30])
    edges, rates = _share._draw_shares(gaps, in_bins, np.random.default_rng(0))
    assert edges.mean(axis=0) == pytest.approx([0, 0.25, 0.75, 1], abs=0.01)
    assert edges[:, 1].var() == pytest.approx(3 / 80, rel=0.1)
    # rates of Poisson counts, one more row spread evenly over the gaps
    assert rates.mean(axis=0) == pytest.approx([10.25, 0.5, 30.25], rel=0.05)
    assert rates.var(axis=0) == pytest.approx([10.25, 0.5, 30.25], rel=0.2)


# Scores


class Witness(ClassifierMixin, BaseEstimator):
    """Scores by the first column, and refuses a row it has learned from. The second column names the row."""

    learned = set()

    def fit(self, X, y):
        assert 0 < y.sum() < len(y)
        self.seen_ = set(X[:, 1].tolist())
        return self

    def decision_function(self, X):
        assert not self.seen_ & set(X[:, 1].tolist())
        return X[:, 0]


def test_no_row_is_scored_by_a_model_that_learned_it():
    X, y = positive_and_heap(20, 20, 60, n_features=2)
    X[:, 1] = np.arange(len(X))
    estimate_positive_share(X, y, estimator=Witness(), random_state=0)
    scores = _share._held_out_scores(X, y == 1, Witness(), 5, None, np.random.default_rng(0))
    assert scores.tolist() == X[:, 0].tolist()  # each lands on its own row


@pytest.mark.usefixtures("fewer_draws")
def test_blocks_do_not_matter(monkeypatch):
    X, y = positive_and_heap(30, 30, 100)
    whole = estimate_positive_share(X, y, estimator=PLAIN, random_state=0)
    monkeypatch.setattr(_share, "_BLOCK", 7)
    assert estimate_positive_share(X, y, estimator=PLAIN, random_state=0) == whole


@pytest.mark.usefixtures("fewer_draws")
def test_models_learn_from_a_bounded_number_of_rows(monkeypatch):
    X, y = positive_and_heap(100, 300, 700)
    monkeypatch.setattr(_share, "_MAX_TRAIN", 60)
    sizes = []
    fit = LogisticRegression.fit
    monkeypatch.setattr(
        LogisticRegression, "fit", lambda self, X, y: sizes.append((y.sum(), len(y))) or fit(self, X, y)
    )
    share = estimate_positive_share(X, y, estimator=PLAIN, random_state=0)
    assert sizes == [(60, 120)] * 5
    assert share.value == pytest.approx(0.3, abs=0.06)


@pytest.mark.usefixtures("fewer_draws")
def test_given_estimator_is_cloned_and_seeded():
    X, y = positive_and_heap(40, 40, 120)
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(10))
    answers = {estimate_positive_share(X, y, estimator=forest, random_state=1) for _ in range(2)}
    assert len(answers) == 1
    assert not hasattr(forest[-1], "classes_")
    assert forest[-1].random_state is None


@pytest.mark.parametrize("estimator", [GaussianNB(), LogisticRegression(), Perceptron()], ids=str)
def test_probabilities_or_scores(estimator):
    X, y = positive_and_heap(100, 200, 600)
    assert estimate_positive_share(X, y, estimator=estimator, random_state=0).value == pytest.approx(
        0.25, abs=0.06
    )


# Laws


@pytest.mark.parametrize("estimator", [None, PLAIN], ids=str)
@pytest.mark.parametrize("n_hidden", [20, 100, 500])
def test_recovers_a_known_share(estimator, n_hidden):
    X, y = positive_and_heap(200, n_hidden, 1000 - n_hidden)
    share = estimate_positive_share(X, y, estimator=estimator, random_state=0)
    assert share.low <= n_hidden / 1000 <= share.high
    assert share.value == pytest.approx(n_hidden / 1000, rel=0.25, abs=0.01)


@pytest.mark.usefixtures("fewer_draws")
def test_more_hidden_positives_give_a_larger_answer():
    X, positive = make_lopsided(3000, 5, 0.5, separation=3, random_state=0)
    known, hidden = np.split(np.flatnonzero(positive), [60])
    negatives = np.flatnonzero(positive == 0)
    values = []
    for n_hidden in (0, 50, 150, 400, 1000):
        rows = np.concatenate([known, hidden[:n_hidden], negatives[: 1200 - n_hidden]])
        y = np.isin(rows, known).astype(int)
        values.append(estimate_positive_share(X[rows], y, estimator=PLAIN, random_state=0).value)
    assert values == sorted(values)
    assert values[0] < 0.02
    assert values[-1] > 0.7


@pytest.mark.usefixtures("fewer_draws")
def test_a_heap_without_and_a_heap_of_positives():
    generator = np.random.default_rng(0)
    far, near = generator.normal(8, 1, (400, 3)), generator.normal(0, 1, (500, 3))
    y = (np.arange(500) < 100).astype(int)
    none = estimate_positive_share(np.vstack([near[:100], far]), y, random_state=0)
    assert none.low == 0
    assert none.n_hidden <= 1
    assert 2 <= none.n_hidden_high <= 20  # none was seen; a few would not have been
    all_of_them = estimate_positive_share(near, y, random_state=0)
    assert all_of_them.value > 0.8
    assert all_of_them.high > 0.95


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("wrap", [np.asarray, csr_matrix])
def test_where_nothing_tells_the_heap_apart_all_of_it_may_be_positive(wrap):
    generator = np.random.default_rng(0)
    rows = generator.random((50, 4))
    same = wrap(np.vstack([rows, rows]))
    share = estimate_positive_share(same, np.arange(100) < 50, random_state=0)
    assert share.value > 0.5
    constant = wrap(np.ones((300, 2)))
    share = estimate_positive_share(constant, np.arange(300) < 100, random_state=0)
    assert share.value > 0.7
    assert share.high > 0.9
    zero = wrap(np.zeros((300, 2)))
    assert estimate_positive_share(zero, np.arange(300) < 100, random_state=0).value > 0.7


def topics(n_positive=60, n_hidden=90, n_documents=1500):
    documents, topic = make_topics(n_documents, 10, random_state=0)
    X = TfidfVectorizer().fit_transform(documents)
    positive, negative = np.flatnonzero(topic == 3), np.flatnonzero(topic != 3)
    rows = np.concatenate([positive[: n_positive + n_hidden], negative])
    return (
        X[rows].tocsr(),
        (np.arange(len(rows)) < n_positive).astype(int),
        n_hidden / (len(rows) - n_positive),
    )


def test_sparse_text():
    X, y, truth = topics()
    share = estimate_positive_share(X, y, random_state=0)
    assert share.low <= truth <= share.high
    assert share.value == pytest.approx(truth, rel=0.3)


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_scale_does_not_matter(factor):
    X, y = positive_and_heap(50, 50, 250)
    dense = estimate_positive_share(X, y, random_state=0)
    assert estimate_positive_share(factor * X, y, random_state=0).value == pytest.approx(dense.value, rel=0.1)
    X, y, _ = topics()
    sparse = estimate_positive_share(X, y, random_state=0)
    assert estimate_positive_share(factor * X, y, random_state=0).value == pytest.approx(
        sparse.value, rel=0.1
    )


@pytest.mark.usefixtures("fewer_draws")
def test_order_of_the_rows_changes_the_folds_only():
    X, y = positive_and_heap(100, 150, 600)
    order = np.random.default_rng(0).permutation(len(y))
    one = estimate_positive_share(X, y, estimator=PLAIN, random_state=0)
    other = estimate_positive_share(X[order], y[order], estimator=PLAIN, random_state=0)
    assert other.value == pytest.approx(one.value, rel=0.1)


@pytest.mark.usefixtures("fewer_draws")
def test_every_row_twice():
    """Copies are no new evidence, but they cannot be told from it: the share stays, the interval shrinks."""
    X, y = positive_and_heap(100, 150, 600)
    once = estimate_positive_share(X, y, estimator=PLAIN, random_state=0)
    twice = estimate_positive_share(np.vstack([X, X]), np.append(y, y), estimator=PLAIN, random_state=0)
    assert twice.value == pytest.approx(once.value, rel=0.1)
    assert twice.n_unlabeled == 1500
    assert twice.high - twice.low < once.high - once.low


@pytest.mark.usefixtures("fewer_draws")
def test_confidence_nests_the_intervals():
    X, y = positive_and_heap(50, 100, 400, separation=2)
    shares = [
        estimate_positive_share(X, y, estimator=PLAIN, confidence=c, random_state=0) for c in (0.5, 0.8, 0.99)
    ]
    assert len({share.value for share in shares}) == 1
    lows, highs = [share.low for share in shares], [share.high for share in shares]
    assert lows == sorted(lows, reverse=True)
    assert highs == sorted(highs)
    assert 0 <= lows[-1] <= shares[0].value <= highs[-1] <= 1


@pytest.mark.usefixtures("fewer_draws")
def test_more_positives_narrow_the_interval():
    widths = []
    for n_positive in (10, 100, 1000):
        X, y = positive_and_heap(n_positive, 200, 800)
        share = estimate_positive_share(X, y, estimator=PLAIN, random_state=0)
        widths.append(share.high - share.low)
    assert widths[0] > 1.2 * widths[1] > 1.4 * widths[2]


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("unlabeled", [0, -1, None, math.nan, False])
def test_spellings(unlabeled):
    X, y = positive_and_heap(20, 20, 60)
    spelled = [1 if label else unlabeled for label in y.tolist()]
    expected = estimate_positive_share(X, y, estimator=PLAIN, random_state=0)
    assert estimate_positive_share(X, spelled, estimator=PLAIN, random_state=0) == expected


@pytest.mark.usefixtures("fewer_draws")
def test_equal_seeds_equal_answers_whatever_n_jobs_is():
    X, y = positive_and_heap(40, 40, 120)
    kept = X.copy()
    one = estimate_positive_share(X, y, random_state=3)
    assert one == estimate_positive_share(X, y, random_state=3, n_jobs=2)
    assert one != estimate_positive_share(X, y, random_state=4)
    assert estimate_positive_share(X, y, random_state=np.random.RandomState(0)) == estimate_positive_share(
        X, y, random_state=np.random.RandomState(0)
    )
    assert np.array_equal(X, kept)


# Coverage


def coverage(n_draws, n_positive, n_hidden, n_negative, separation):
    truth = n_hidden / (n_hidden + n_negative)
    held = 0
    for seed in range(n_draws):
        X, y = positive_and_heap(n_positive, n_hidden, n_negative, separation=separation, seed=seed)
        share = estimate_positive_share(X, y, estimator=PLAIN, random_state=seed)
        held += share.low <= truth <= share.high
    return held / n_draws


@pytest.mark.usefixtures("fewer_draws")
def test_the_interval_holds_the_truth_mostly():
    assert coverage(25, 40, 60, 540, separation=4) >= 0.88


@pytest.mark.slow
@pytest.mark.parametrize("n_positive", [30, 200])
@pytest.mark.parametrize("n_hidden", [20, 400])
def test_coverage_on_made_data(n_positive, n_hidden):
    assert coverage(150, n_positive, n_hidden, 1000 - n_hidden, separation=4) >= 0.92


# What is returned


def test_numbers_of_rows_and_text():
    share = PositiveShare(value=0.0325, low=0.0191, high=0.05, n_unlabeled=5000, confidence=0.9)
    assert (share.n_hidden_low, share.n_hidden, share.n_hidden_high) == (95, 162, 250)
    text = "about 3.25 % of 5,000 unlabeled rows are positive: 162 (95 to 250 at 90 % confidence)"
    assert str(share) == text
    with pytest.raises(FrozenInstanceError):
        share.value = 0.0


# Bad input


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0, 0, 0, 0], "at least one labeled positive"),
        ([1, 0, 0, 0], "at least 5 labeled positives and 2 unlabeled rows.* got 1 and 3"),
        ([1, 1, 1, 0], "got 3 and 1"),
        ([1, 1, 1, 1], "got 4 and 0"),
        ([1, 1, 0], "X 4, y 3"),
        ([1, 1, 0, -1], "one spelling"),
        ([1, 1, 0, 2], "got also 2"),
    ],
)
def test_bad_labels(y, words):
    with pytest.raises(ValueError, match=words):
        estimate_positive_share([[0.0], [1.0], [2.0], [3.0]], y)


@pytest.mark.parametrize("wrap", [np.asarray, csr_matrix])
def test_bad_rows(wrap):
    y = [1, 1, 0, 0]
    with pytest.raises(ValueError, match="NaN"):
        estimate_positive_share(wrap([[0.0], [math.nan], [2.0], [3.0]]), y)
    with pytest.raises(ValueError, match="infinity"):
        estimate_positive_share(wrap([[0.0], [math.inf], [2.0], [3.0]]), y)
    with pytest.raises(ValueError, match="0 feature"):
        estimate_positive_share(wrap(np.empty((4, 0))), y)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, math.nan, "0.9", None])
def test_bad_confidence(confidence):
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        estimate_positive_share([[0.0], [1.0], [2.0], [3.0]], [1, 1, 0, 0], confidence=confidence)


def test_bad_n_splits():
    with pytest.raises(ValueError, match="n_splits=1 asks for at least 2 folds"):
        estimate_positive_share([[float(i)] for i in range(10)], [1] * 5 + [0] * 5, n_splits=1)
    with pytest.raises(ValueError, match=r"n_splits must be a whole number; got 2\.5"):
        estimate_positive_share([[0.0], [1.0], [2.0], [3.0]], [1, 1, 0, 0], n_splits=2.5)


def test_bad_estimators():
    X, y = positive_and_heap(5, 5, 20)

    class Silent(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            return self

    class Lost(Silent):
        def decision_function(self, X):
            return np.full(len(X), np.nan)

    with pytest.raises(ValueError, match="decision_function or predict_proba; Silent has neither"):
        estimate_positive_share(X, y, estimator=Silent())
    with pytest.raises(ValueError, match="Lost gave scores that are not finite"):
        estimate_positive_share(X, y, estimator=Lost())


@pytest.mark.parametrize("wrap", [np.asarray, csr_matrix])
def test_the_fewest_rows_that_can_be(wrap):
    X, y = wrap([[float(i)] for i in range(7)]), np.array([1] * 5 + [0] * 2)
    share = estimate_positive_share(X, y, random_state=0)
    assert 0 <= share.low <= share.value <= share.high <= 1
    assert share.high - share.low > 0.5  # next to nothing is known
    assert share.n_unlabeled == 2


@pytest.mark.parametrize("n", [1, 3, 4])
def test_with_fewer_than_five_positives_it_declines(n):
    """With three it said: "0 to 3,199 of 3,199"."""
    y = (np.arange(3200) < n).astype(int)
    X = np.random.default_rng(0).normal(size=(3200, 2))
    with pytest.raises(ValueError, match=f"needs at least 5 labeled positives .*; got {n} and {3200 - n}"):
        estimate_positive_share(X, y)


# Real data


def known_and_heap(is_positive, n_known, n_heap, share, seed=0):
    """Rows of known positives, then a heap of known share."""
    generator = np.random.default_rng(seed)
    positive = generator.permutation(np.flatnonzero(is_positive))
    negative = generator.permutation(np.flatnonzero(~is_positive))
    n_hidden = round(share * n_heap)
    rows = np.concatenate([positive[: n_known + n_hidden], negative[: n_heap - n_hidden]])
    return rows, (np.arange(len(rows)) < n_known).astype(int)


@pytest.mark.parametrize("share", [0.02, 0.2])
def test_hockey_in_twenty_newsgroups(need, share):
    need("newsgroups")
    data = fetch_newsgroups()
    wanted = data.target == data.target_names.index("rec.sport.hockey")
    rows, y = known_and_heap(wanted, 200, 2000, share)
    X = TfidfVectorizer(sublinear_tf=True, min_df=3).fit_transform([data.data[row] for row in rows])
    found = estimate_positive_share(X, y, random_state=0)
    assert found.low <= share <= found.high
    assert found.value == pytest.approx(share, rel=0.35)


def test_letters(need):
    need("letter")
    data = fetch_uci("letter")
    wanted = np.array(data.target_names)[data.target] == "B"
    rows, y = known_and_heap(wanted, 200, 3000, 0.1)
    found = estimate_positive_share(data.data[rows], y, random_state=0)
    assert found.low <= 0.1 <= found.high
    assert found.value == pytest.approx(0.1, rel=0.25)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 0.2])
def test_faculty_pages_from_fifty(need, share):
    need("webkb")
    data = fetch_webkb()
    wanted = data.target == data.target_names.index("faculty")
    rows, y = known_and_heap(wanted, 50, 4000, share)
    X = TfidfVectorizer(sublinear_tf=True, min_df=3).fit_transform([data.data[row] for row in rows])
    found = estimate_positive_share(X, y, random_state=0)
    assert found.low <= share <= found.high


@pytest.mark.parametrize("wrap", [np.asarray, csr_matrix])
@pytest.mark.parametrize("scale", [1e100, 1e200])
def test_numbers_that_are_too_large(wrap, scale):
    X, y = positive_and_heap(5, 5, 20)
    with pytest.raises(ValueError, match=r"numbers above 1e\+18.*Scale the features"):
        estimate_positive_share(wrap(np.asarray(X) * scale), y)
