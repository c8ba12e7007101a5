"""Tests of the shift of expected rows: a slow twin, laws, and a detector that no longer floods."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import logit

from lopsided.unexpected import _detector
from lopsided.unexpected._detector import UnexpectedDetector
from lopsided.unexpected._shift import MOST, NormalScores, find_expected, mixture_loss, move
from reference import unexpected as twin

KNOWN = np.sort(np.random.default_rng(0).exponential(size=400) ** 1.2 - 7)


def find_shift(normal):
    return find_expected(normal).shift


def bells(shift, share, n=800, seed=0, apart=2.7):
    """Normal scores of rows to be judged, of which a share is unexpected."""
    rng = np.random.default_rng(seed)
    n_unexpected = round(share * n)
    unexpected = rng.normal(shift + apart, 0.7, n_unexpected)
    return np.concatenate([rng.normal(shift, 1, n - n_unexpected), unexpected])


def test_normal_scores_are_those_of_the_twin():
    scores = np.linspace(KNOWN.min() - 3, KNOWN.max() + 9, 50)
    scale = NormalScores.from_known(KNOWN)
    np.testing.assert_allclose(scale.of(scores), twin.normal_scores(scores, KNOWN), atol=1e-6)


def test_normal_scores_go_there_and_back():
    scale = NormalScores.from_known(KNOWN)
    normal = np.linspace(-9, 9, 100)
    np.testing.assert_allclose(scale.of(scale.back(normal)), normal, atol=1e-9)
    of_known = scale.of(KNOWN)
    assert abs(of_known.mean()) < 0.05
    assert abs(of_known.std() - 1) < 0.05


def test_the_loss_is_that_of_the_twin_and_its_gradient_that_of_differences():
    x, counts = np.array([-1.3, 0.2, 2.9, 4.0]), np.array([3.0, 5.0, 2.0, 1.0])
    values = np.array([0.6, np.log(1.2) / 0.6, logit(0.7), 2.3, np.log(0.8)])
    loss, gradient = mixture_loss(x, counts, *values)
    rows = np.repeat(x, counts.astype(int))
    assert loss == pytest.approx(twin.mixture_loss(rows, 0.6, 1.2, 0.7, 2.3, 0.8))
    for j in range(5):
        step = 1e-6 * np.eye(5)[j]
        slope = (
            mixture_loss(x, counts, *values + step)[0] - mixture_loss(x, counts, *values - step)[0]
        ) / 2e-6
        assert gradient[j] == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize(("shift", "share"), [(0.0, 0.0), (0.0, 0.5), (0.8, 0.0), (0.8, 0.2), (1.2, 0.5)])
def test_no_other_bell_explains_the_rows_better(shift, share):
    """The twin tries all mixtures on a grid, with many bells of expected rows and with the one found."""
    rows = bells(shift, share, n=300)
    found = find_expected(rows)
    best = min(
        twin.least_loss(rows, shift, spread) for shift in np.arange(0, 2.1, 0.2) for spread in (1, 1.2)
    )
    assert twin.least_loss(rows, *found) < best + 1
    assert twin.least_loss(rows, found.shift + 0.4, found.spread) > best + 1


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2, 0.6])
def test_without_a_shift_the_null_stays(share):
    found = [find_shift(bells(0.0, share, seed=seed)) for seed in range(20)]
    assert np.mean(found) < 0.06
    assert np.median(found) < 0.03


@pytest.mark.parametrize("n_unexpected", [30, 800])
def test_where_all_rows_are_unexpected_there_is_no_shift(n_unexpected):
    assert find_shift(bells(0.0, 1.0, n=n_unexpected)) == 0


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2, 0.6])
@pytest.mark.parametrize("shift", [0.4, 0.8, 1.3])
def test_a_shift_is_found_however_many_rows_are_unexpected(shift, share):
    found = [find_shift(bells(shift, share, seed=seed)) for seed in range(10)]
    assert np.mean(found) == pytest.approx(shift, abs=0.1 if share < 0.5 else 0.2)


def test_the_farther_all_rows_move_the_larger_the_shift():
    found = [find_shift(bells(0, 0.1) + moved) for moved in np.linspace(0, 1.5, 16)]
    assert (np.diff(found) >= -0.02).all()
    assert found[0] < 0.1
    assert found[-1] > 1.3


def test_the_order_of_rows_does_not_matter():
    rows = bells(0.7, 0.1)
    assert find_shift(rows) == find_shift(np.random.default_rng(1).permutation(rows)) > 0.5


def test_lower_scores_than_those_of_known_rows_are_no_shift():
    assert find_shift(bells(-0.5, 0.0)) == 0


def test_few_rows_do_not_move_the_null():
    assert all(find_shift(bells(0.5, 0.0, n=8, seed=seed)) < 0.1 for seed in range(10))


def test_known_scores_move_up_in_their_order():
    scale = NormalScores.from_known(KNOWN)
    scores = scale.back(bells(0.8, 0.1))
    moved, shift = move(KNOWN, scores)
    bell = find_expected(scale.of(scores))
    assert shift == bell.shift
    assert shift == pytest.approx(0.8, abs=0.15)
    assert (moved >= KNOWN).all()
    assert (np.diff(moved) >= 0).all()
    expected = np.maximum(scale.of(KNOWN), scale.of(KNOWN) * bell.spread + shift)
    np.testing.assert_allclose(scale.of(moved), expected, atol=1e-6)
    # The rows that are expected now score as the moved ones do.
    expected = scale.back(bells(0.8, 0.0, n=5000))
    for level in (0.5, 0.8, 0.9, 0.95):
        assert (expected > np.quantile(moved, level)).mean() == pytest.approx(1 - level, abs=0.03)


def test_units_of_scores_do_not_matter():
    scores = NormalScores.from_known(KNOWN).back(bells(0.8, 0.1))
    moved, shift = move(KNOWN, scores)
    again, same = move(3 * KNOWN - 5, 3 * scores - 5)
    assert same == pytest.approx(shift, abs=1e-6)
    np.testing.assert_allclose(again, 3 * moved - 5)


@pytest.mark.parametrize("known", [np.zeros(60), np.repeat([0.0, 1.0], 30), np.array([0.0] * 59 + [1.0])])
@pytest.mark.parametrize(
    "scores", [np.zeros(40), np.full(40, 5.0), np.array([-1e300, 1e300] * 20), np.zeros(0)]
)
def test_scores_that_are_equal_or_absurd(known, scores):
    moved, shift = move(known, scores)
    assert 0 <= shift <= MOST
    assert np.isfinite(moved).all()
    assert (moved >= known).all()
    assert (np.diff(moved) >= 0).all()


N_WORDS = 1500


def later_documents(seed, n_known=400, n_new=400, n_unexpected=20, later=0.01):
    """Documents of two known topics, the new ones with words that were not yet used, and some of a third."""
    rng = np.random.default_rng(seed)
    base = 1 / (np.arange(N_WORDS) + 50.0)
    topics = []
    for _ in range(3):
        weights = base.copy()
        weights[rng.choice(1000, 200, replace=False)] *= 15
        weights[1000:] = 0
        topics.append(weights / weights.sum())
    news = np.where(np.arange(N_WORDS) >= 1000, 1 / 500, 0)
    topic = np.concatenate([np.arange(n_known + n_new) % 2, np.full(n_unexpected, 2)])
    new = np.arange(len(topic)) >= n_known
    rows = [
        rng.multinomial(rng.poisson(60) + 5, (1 - later * n) * topics[t] + later * n * news)
        for t, n in zip(topic, new, strict=True)
    ]
    y = np.where(new, -1, topic + 1)
    return csr_array(np.array(rows, dtype=float)), y, topic[new] == 2


def test_documents_that_are_later_than_the_known_ones_are_not_all_flagged(monkeypatch):
    flagged_expected, found, before = [], [], []
    for seed in range(4):
        X, y, truth = later_documents(seed)
        detector = UnexpectedDetector(random_state=0).fit(X, y)
        flagged = detector.predict(X[y < 0]) == 0
        assert detector.shift_ > 0.3
        flagged_expected.append(flagged[~truth].mean())
        found.append(flagged[truth].mean())
        with monkeypatch.context() as patch:
            patch.setattr(_detector, "move", lambda known, scores: (known, 0.0))
            unmoved = UnexpectedDetector(random_state=0).fit(X, y).predict(X[y < 0]) == 0
        before.append(unmoved[~truth].mean())
    assert np.mean(before) > 0.3
    assert np.mean(flagged_expected) < 0.1
    assert np.mean(found) > 0.9


def test_the_shift_changes_no_ranking_and_few_known_rows_have_none(monkeypatch):
    X, y, _ = later_documents(0)
    detector = UnexpectedDetector(random_state=0).fit(X, y)
    monkeypatch.setattr(_detector, "move", lambda known, scores: (known, 0.0))
    unmoved = UnexpectedDetector(random_state=0).fit(X, y)
    differences = detector.decision_function(X) - unmoved.decision_function(X)
    np.testing.assert_allclose(differences, differences[0], atol=1e-9)
    assert detector.share_unexpected_ < unmoved.share_unexpected_
    monkeypatch.undo()
    few = np.concatenate([np.arange(40), np.flatnonzero(y < 0)])
    with pytest.warns(UserWarning, match="needs 50 known rows"):
        assert UnexpectedDetector(random_state=0).fit(X[few], y[few]).shift_ == 0


def test_empty_documents_neither_move_nor_are_moved():
    X, y, _ = later_documents(0)
    rows = X.toarray()
    n_empty = 5
    rows[np.flatnonzero(y > 0)[:n_empty]] = 0
    detector = UnexpectedDetector(random_state=0).fit(csr_array(rows), y)
    least = detector.null_scores_[0]
    assert (detector.null_scores_[:n_empty] == least).all()
    assert detector.null_scores_[n_empty] > least
    assert detector.shift_ > 0.3


def test_later_rows_without_rows_to_judge_in_fit_have_no_shift():
    X, y, _ = later_documents(0)
    assert UnexpectedDetector(random_state=0).fit(X[y > 0], y[y > 0]).shift_ == 0
