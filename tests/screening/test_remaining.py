"""What is left: exact where it can be solved by hand, laws, and the cases in which nobody can tell."""

import itertools

import numpy as np
import pytest
from scipy.stats import hypergeom

from lopsided.screening._checks import Checks, interval_of_checks, log_likelihood, read_checks
from lopsided.screening._record import Screened
from lopsided.screening._remaining import estimate_remaining


def screen(relevant, reasons, n_items, **more):
    """Return the record of answers in order, to items 0, 1, 2, ..."""
    n = len(relevant)
    reasons = [reasons] * n if isinstance(reasons, str) else list(reasons)
    rows = np.arange(n)
    return Screened(
        rows, np.array(relevant, bool), reasons, np.full(n, np.nan), n_items - rows, n_items, **more
    )


def random_checks(n, hits, n_items):
    return screen(np.arange(n) < hits, "random check", n_items)


@pytest.mark.parametrize(("n", "hits", "n_items"), [(20, 0, 100), (30, 2, 400), (5, 5, 9), (7, 3, 8)])
def test_checks_alone_give_the_exact_hypergeometric_interval(n, hits, n_items):
    low, high = interval_of_checks(read_checks(random_checks(n, hits, n_items)), n_items - n, 0.9)
    K = np.arange(hits, n_items - n + hits + 1)  # relevant ones in all
    kept = K[(hypergeom.cdf(hits, n_items, K, n) > 0.05) & (hypergeom.sf(hits - 1, n_items, K, n) > 0.05)]
    assert (low, high) == (kept.min() - hits, kept.max() - hits)


def test_likelihood_of_checks_between_other_questions_is_that_of_all_draws():
    """One relevant of two is shown between two checks of four items: all draws, one by one."""
    # items 0 and 1 are relevant; check, show the first relevant one that is left, check
    counts = {}
    for first in range(4):
        left = [i for i in range(4) if i != first]
        shown = next(i for i in left if i < 2)
        for second in (i for i in left if i != shown):
            history = (first < 2, second < 2)
            counts.setdefault(history, []).append(1 / 4 * 1 / 2)
    for history, weights in counts.items():
        relevant = [history[0], True, history[1]]
        checks = read_checks(screen(relevant, ["random check", "most likely", "random check"], 4))
        left = 2 - sum(relevant)
        assert np.exp(log_likelihood(checks, np.array([float(left)])))[0] == pytest.approx(sum(weights))


def test_likelihood_sums_to_one_over_all_histories():
    n_items, n_relevant, reasons = 6, 3, ["random check", "most likely", "random check", "random check"]
    total = 0.0
    for history in itertools.product([False, True], repeat=3):
        relevant = [history[0], True, *history[1:]]  # what is shown is always relevant
        if n_relevant >= sum(relevant):
            checks = read_checks(screen(relevant, reasons, n_items))
            total += np.exp(log_likelihood(checks, np.array([n_relevant - sum(relevant)], float)))[0]
    assert total == pytest.approx(1)


def test_checks_from_before_items_were_added_are_left_out():
    screened = screen([False, True, False], "random check", 10)
    grown = screened._replace(n_items=15, n_unlabelled=np.array([10, 9, 13]))
    assert read_checks(grown).pool.tolist() == [13]


def test_nothing_left_is_known_exactly():
    for relevant in ([True, False, True], [False] * 3, [True] * 3):
        estimate = estimate_remaining(screen(relevant, "most likely", 3))
        assert (estimate.left, estimate.low, estimate.high, estimate.can_tell) == (0, 0, 0, True)


@pytest.mark.parametrize("n_items", [1, 50])
def test_without_labels_nobody_can_tell(n_items):
    estimate = estimate_remaining(screen([], "most likely", n_items))
    assert (estimate.found, estimate.low, estimate.high, estimate.can_tell) == (0, 0, n_items, False)


def test_no_checks_and_no_positives_say_so():
    assert not estimate_remaining(screen([True] * 10 + [False] * 50, "most likely", 500)).can_tell
    assert not estimate_remaining(screen([False] * 60, "random check", 500)).can_tell


@pytest.mark.parametrize("share", [0.02, 0.2, 0.6])
def test_interval_of_checks_covers(share):
    """Ranked questions find relevant ones between the checks, sooner than chance would."""
    rng = np.random.default_rng(0)
    n_items, n_labels = 600, 200
    covered = []
    for _ in range(200):
        y = rng.random(n_items) < share
        score = y + rng.normal(size=n_items)
        left = np.ones(n_items, bool)
        relevant, reasons = [], []
        for _ in range(n_labels):
            checked = rng.random() < 0.3
            i = rng.choice(np.flatnonzero(left)) if checked else np.argmax(np.where(left, score, -np.inf))
            left[i] = False
            relevant.append(y[i])
            reasons.append("random check" if checked else "most likely")
        low, high = interval_of_checks(read_checks(screen(relevant, reasons, n_items)), left.sum(), 0.9)
        covered.append(low <= y[left].sum() <= high)
    assert np.mean(covered) > 0.87


def test_more_confidence_is_wider_and_more_empty_checks_lower_the_upper_end():
    def interval(n, confidence):
        checks = read_checks(random_checks(n, 1, 1000))
        return interval_of_checks(checks, 1000 - n, confidence)

    lows, highs = zip(*(interval(50, c) for c in (0.5, 0.8, 0.95, 0.999)), strict=True)
    assert list(lows) == sorted(lows, reverse=True)
    assert list(highs) == sorted(highs)
    highs = [interval(n, 0.95)[1] for n in (10, 20, 50, 200)]
    assert highs == sorted(highs, reverse=True)


def test_no_check_knows_nothing():
    none = Checks(np.zeros(0, bool), np.zeros(0, int), np.zeros(0, int))
    assert interval_of_checks(none, 70, 0.95) == (0, 70)
    assert log_likelihood(none, np.arange(3.0)).tolist() == [0, 0, 0]


# ---- the ranking and the checks together


def search(n_found, n_empty, *, checks=20, n_items=5000):
    """Return a search that found so many in a row, then nothing; each check between was irrelevant."""
    shown = np.arange(n_found + n_empty) < n_found
    reasons = np.full(len(shown) + checks, "most likely", dtype=object)
    reasons[np.linspace(0, len(reasons) - 1, checks).astype(int)] = "random check"
    relevant = np.zeros(len(reasons), bool)
    relevant[reasons == "most likely"] = shown
    return screen(relevant, reasons, n_items)


def test_a_longer_search_without_a_hit_lowers_the_estimate():
    told = [estimate_remaining(search(50, n)) for n in (50, 100, 200, 400, 800)]
    assert all(t.can_tell for t in told)
    for key in ("left", "high"):
        values = [getattr(t, key) for t in told]
        assert values == sorted(values, reverse=True)
    assert told[-1].high < 10


def test_more_confidence_is_wider():
    told = [estimate_remaining(search(50, 100), confidence=c) for c in (0.5, 0.8, 0.95, 0.99)]
    assert [t.low for t in told] == sorted((t.low for t in told), reverse=True)
    assert [t.high for t in told] == sorted(t.high for t in told)
    assert len({t.left for t in told}) == 1
    assert all(t.low <= t.left <= t.high for t in told)


def test_checks_that_hit_raise_the_estimate():
    screened = search(50, 200, checks=40)
    at = [i for i, reason in enumerate(screened.reasons) if reason == "random check"][-5:]
    hit = screened.relevant.copy()
    hit[at] = True
    more = estimate_remaining(screened._replace(relevant=hit))
    assert more.left > 3 * estimate_remaining(screened).left
    assert more.low > 0


def test_many_empty_checks_lower_the_upper_end():
    highs = [estimate_remaining(search(10, 60, checks=n, n_items=2000)).high for n in (20, 200, 1000)]
    assert highs == sorted(highs, reverse=True)
    assert highs[-1] < highs[0] / 2


@pytest.mark.parametrize(
    ("screened", "helps"),
    [
        (search(4, 200), "Find 5 or more"),
        (search(50, 200, checks=4), "Make 5 or more"),
        (search(6, 0), "Go on until relevant items become rarer"),
    ],
)
def test_where_it_cannot_tell_it_says_what_would_help(screened, helps):
    told = estimate_remaining(screened)
    assert not told.can_tell
    assert helps in told.sentence
    assert 0 <= told.low <= told.left <= told.high <= 5000


def test_numbers_stay_possible():
    for n_items in (81, 85, 100, 100_000):
        told = estimate_remaining(search(20, 40, n_items=n_items))
        assert 0 <= told.low <= told.left <= told.high <= n_items - 80
    everything = estimate_remaining(screen(np.ones(30, bool), "most likely", 31))
    assert (everything.low, everything.high) in {(0, 1), (1, 1)}


def test_the_scores_are_not_read_and_nothing_is_changed():
    screened = search(30, 60)
    before = screened.relevant.copy()
    told = estimate_remaining(screened)
    assert told == estimate_remaining(screened._replace(left_scores=np.arange(9.0)))
    assert (screened.relevant == before).all()


def test_confidence_is_checked():
    with pytest.raises(ValueError, match=r"confidence must be between 0 and 1; got 95\."):
        estimate_remaining(search(30, 60), confidence=95)


def test_interval_covers_on_generated_rankings():
    """Relevant items score higher by a little or a lot; the ranking never learns."""
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(150):
        n_items, n_relevant = int(rng.integers(1500, 6000)), int(rng.integers(20, 200))
        score = rng.normal(size=n_items)
        score[:n_relevant] += rng.uniform(2.5, 4)
        left = np.ones(n_items, bool)
        reasons = np.where(rng.random(400) < 0.05, "random check", "most likely").tolist()
        relevant = []
        for reason in reasons:
            checked = reason == "random check"
            i = rng.choice(np.flatnonzero(left)) if checked else np.argmax(np.where(left, score, -np.inf))
            left[i] = False
            relevant.append(i < n_relevant)
        told = estimate_remaining(screen(relevant, reasons, n_items))
        if told.can_tell:
            covered.append(told.low <= left[:n_relevant].sum() <= told.high)
    assert len(covered) > 75
    assert np.mean(covered) > 0.9
