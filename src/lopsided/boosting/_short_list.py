"""Short rule lists: the branches of a small tree or a list of questions, chosen by cross validation."""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from lopsided.boosting._conditions import Condition, Conditions, all_hold, simplify
from lopsided.boosting._grow import Form, Growth, Leaf, grow
from lopsided.boosting._stumps import PresenceStumps, Stumps, ThresholdStumps, middles
from lopsided.metrics import Counts

_FOLDS, _REPEATS = 5, 2
_FORMS: tuple[Form, ...] = ("tree", "list")
# Weight of a positive, as a power of the number of others for each: equal classes, halfway, equal rows. On
# the nine data sets that defaults are chosen on, halfway did best on average.
_POWERS = (1.0, 0.5, 0.0)
# A shorter list is taken where its F1 is lower by no more than so many standard errors of the difference.
_NEARLY = 1.0
_MANY = 512  # values of a column up to which each is a threshold
_QUANTILES = np.linspace(0, 1, 256)
_HALF = 0.5  # the score at which a tree of equally heavy classes decides


class ShortList(NamedTuple):
    """Rules with points: a row whose points come to more than ``bar`` is positive."""

    rules: list[Conditions]
    """Each holds where all its conditions do."""
    points: NDArray[np.float64]
    """The points of each rule, above 0."""
    bar: float
    parameters: dict[str, Any]
    """The form and the size that were chosen, and the weight of a positive while learning."""
    f1: float | None
    """F1 in the cross validation that chose; None where there was none."""
    lift: float | None
    """Precision there, as a multiple of the share of positives; None where nothing was found."""

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the points of each row above the bar; rounding is not above it."""
        total = np.zeros(X.shape[0])
        for rule, points in zip(self.rules, self.points, strict=True):
            total += points * all_hold(rule, X)
        scores = total - self.bar
        nothing = 1e-9 * (abs(self.bar) + self.points.sum())
        return np.where(np.abs(scores) <= nothing, 0.0, scores)

    def decide(self, X: Any) -> NDArray[np.bool_]:
        """Return whether each row is positive."""
        return self.decision_function(X) > 0


class _Way(NamedTuple):
    """A way to learn a list."""

    form: Form
    power: float
    n_questions: int
    at_half: bool
    """Whether a row is positive from a score of a half on; else from where F1 of the rows learned from is
    largest."""


def learn_short_list(
    X: Any, positive: NDArray[np.bool_], stumps: str, n_rules: int, random_state: int
) -> ShortList:
    """Learn in several ways, and keep what does best in repeated cross validation.

    The ways are a best-first tree, whose positive branches are the rules, and a list of questions that are
    each asked of all rows; with up to ``n_rules`` questions; with three weights of a positive; and with the
    threshold of the score where F1 of the rows learned from is largest. A balanced tree of ``n_rules`` + 1
    leaves, as it is, is among them. A way does as well as in cross validation or on its own rows, whichever
    is worse. Of those that do nearly as well as the best, the one with the fewest rules is kept.

    Parameters
    ----------
    X : CSR or array of shape (n_samples, n_features)
    positive : bool array of shape (n_samples,)
    stumps : {"presence", "threshold"}
    n_rules : int
        So many at most.
    random_state : int
        Seed of the folds.

    Returns
    -------
    list : ShortList

    Examples
    --------
    >>> X = np.array([[1, 0], [1, 1], [0, 1], [0, 0]] * 3)
    >>> found = learn_short_list(X, X[:, 0] > 0, "presence", 5, 0)
    >>> found.rules, found.decide(X).tolist()[:4]
    ([(Condition(feature=0, threshold=None, yes=True),)], [True, True, False, False])
    """
    if stumps == "presence":
        # Of equally good questions the first column is taken: a word that is there is easier to read than one
        # that is not, so those that are more common among positives come first.
        order = _by_leaning(X, positive)
        ordered = X[:, order]
        found = _learn_best(PresenceStumps(ordered), ordered, positive, n_rules, random_state)
        rules = [tuple(c._replace(feature=int(order[c.feature])) for c in rule) for rule in found.rules]
        return found._replace(rules=rules)
    indexed = ThresholdStumps(X, partial(_telling_thresholds, positive))
    return _learn_best(indexed, X, positive, n_rules, random_state)


def _learn_best(
    stumps: Stumps, X: Any, positive: NDArray[np.bool_], n_rules: int, random_state: int
) -> ShortList:
    everything = np.ones(len(positive), dtype=bool)
    lists = dict(_learn_all(stumps, positive, everything, n_rules))
    if not lists:  # no question tells any rows apart
        return ShortList([], np.empty(0), 1.0, {}, None, None)
    scores, counts = _cross_validate(stumps, positive, n_rules, random_state)
    found = {way: _as_rules(growth, way.form, threshold) for way, (growth, threshold) in lists.items()}
    f1 = {
        way: min(
            float(scores[way].mean()) if len(scores[way]) else 1.0,
            _count(positive, growth.scores > threshold).f(),
        )
        for way, (growth, threshold) in lists.items()
    }
    best = max(f1, key=lambda way: f1[way])
    nearly = {
        way
        for way in f1
        if f1[way] >= f1[best] - _NEARLY * _standard_error(scores[best] - scores[way]) - 1e-12
    }
    chosen = min(nearly, key=lambda way: (len(found[way][0]), -f1[way], way))
    rules, points, bar = found[chosen]
    if chosen.form == "tree":
        rules = _prune(rules, X, positive)
    in_folds = counts[chosen]
    n_found = in_folds.tp + in_folds.fp
    return ShortList(
        rules,
        points,
        bar,
        {
            "form": chosen.form,
            "n_questions": chosen.n_questions,
            "positive_weight": _weight_of_positives(positive, chosen.power),
        },
        in_folds.f() if len(scores[chosen]) else None,
        in_folds.precision() / float(positive.mean()) if n_found else None,
    )


def _cross_validate(
    stumps: Stumps, positive: NDArray[np.bool_], n_rules: int, random_state: int
) -> tuple[dict[_Way, NDArray[np.float64]], dict[_Way, Counts]]:
    """Return F1 of each way in each fold, and its counts over all folds.

    F1 of a fold alone says little where it has few positives: what stands for it is F1 of all folds of its
    repeat, moved by what the fold changes.
    """
    n_folds = min(_FOLDS, int(positive.sum()), int((~positive).sum()))
    ways = list(_ways(n_rules))
    scores = {way: np.empty(0) for way in ways}
    counts = {way: Counts() for way in ways}
    if n_folds < 2:
        return scores, counts
    for repeat in range(_REPEATS):
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=(random_state + repeat) % 2**32)
        of_folds: dict[_Way, list[Counts]] = {way: [] for way in ways}
        for learned, judged in folds.split(np.zeros(len(positive)), positive):
            inside = np.zeros(len(positive), dtype=bool)
            inside[learned] = True
            lists = dict(_learn_all(stumps, positive, inside, n_rules))
            for way in ways:
                decided = np.zeros(len(judged), dtype=bool)
                if way in lists:
                    growth, threshold = lists[way]
                    decided = growth.scores[judged] > threshold
                of_folds[way].append(_count(positive[judged], decided))
        for way, each in of_folds.items():
            together = sum(each, Counts())
            counts[way] += together
            scores[way] = np.append(scores[way], _influences(each, together))
    return scores, counts


def _influences(each: list[Counts], together: Counts) -> NDArray[np.float64]:
    """Return F1 of all folds, and each fold's difference from it to the first order: their mean is F1.

    F1 = 2 tp / (2 tp + fp + fn): a fold with tp_k, fp_k, fn_k moves it by (2 tp_k - F1 d_k) / mean(d).
    """
    f1 = together.f()
    tp = np.array([2 * counts.tp for counts in each])
    all_of = np.array([2 * counts.tp + counts.fp + counts.fn for counts in each])
    return np.asarray(f1 + (tp - f1 * all_of) / max(1.0, float(all_of.mean())))


def _learn_all(
    stumps: Stumps, positive: NDArray[np.bool_], inside: NDArray[np.bool_], n_rules: int
) -> Iterator[tuple[_Way, tuple[Growth, float]]]:
    """Yield for each way what has grown on the rows inside, and the threshold of its score."""
    truth = positive[inside]
    for form, power in product(_FORMS, _POWERS):
        weights = np.where(positive, _weight_of_positives(truth, power), 1.0) * inside
        latest: tuple[Growth, float] | None = None
        grown = grow(stumps, positive, weights / weights.sum(), form, n_rules)
        for n in range(1, n_rules + 1):
            growth = next(grown, None)
            if growth is not None:
                latest = growth, _best_threshold(growth.scores[inside], truth)
            if latest is None:  # nothing gains anything
                break
            yield _Way(form, power, n, False), latest
            if form == "tree" and power == 1:
                scores = latest[0].scores[inside]
                if scores.min() <= _HALF < scores.max():
                    yield _Way(form, power, n, True), (latest[0], _HALF)


def _ways(n_rules: int) -> Iterator[_Way]:
    for form, power, n in product(_FORMS, _POWERS, range(1, n_rules + 1)):
        yield _Way(form, power, n, False)
        if form == "tree" and power == 1:
            yield _Way(form, power, n, True)


def _best_threshold(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """Return the middle between two scores at which F1 is largest, the higher of equals; never below all."""
    levels, place = np.unique(np.round(scores, 9), return_inverse=True)
    if len(levels) < 2:
        return float(levels[0])
    found = np.bincount(place, minlength=len(levels))[::-1].cumsum()[::-1]
    right = np.bincount(place, weights=truth, minlength=len(levels))[::-1].cumsum()[::-1]
    f1 = (2 * right / (found + truth.sum()))[1:]
    k = len(f1) - 1 - int(np.argmax(f1[::-1] >= f1.max() - 1e-12))
    return float(levels[k] + levels[k + 1]) / 2


def _as_rules(
    growth: Growth, form: Form, threshold: float
) -> tuple[list[Conditions], NDArray[np.float64], float]:
    """Return the rules, their points, and the bar."""
    if form == "tree":
        leaves = _join([leaf for leaf in growth.leaves if leaf.value > threshold])
        leaves.sort(key=lambda leaf: -leaf.value)
        return [simplify(leaf.conditions) for leaf in leaves], np.array([x.value for x in leaves]), threshold
    # f = sum of (value of no) + sum over the questions with answer yes of (value of yes - value of no): the
    # answer that speaks less for the positives is worth nothing.
    base, gains = 0.0, dict[Condition, float]()
    for yes, no in zip(growth.leaves[::2], growth.leaves[1::2], strict=True):
        better, worse = (yes, no) if yes.value > no.value else (no, yes)
        base += worse.value
        condition = better.conditions[0]
        gains[condition] = gains.get(condition, 0.0) + better.value - worse.value
    ranked = sorted(gains, key=lambda condition: -gains[condition])
    return [(condition,) for condition in ranked], np.array([gains[c] for c in ranked]), threshold - base


def _join(leaves: list[Leaf]) -> list[Leaf]:
    """Put pairs of leaves together that differ by the answer to their last question only."""
    joined: list[Leaf] = []
    for leaf in leaves:
        while True:
            *before, last = leaf.conditions
            other = (*before, last._replace(yes=not last.yes))
            twin = next((known for known in joined if known.conditions == other), None)
            if twin is None:
                break
            joined.remove(twin)
            weight = leaf.weight + twin.weight
            value = (leaf.weight * leaf.value + twin.weight * twin.value) / weight
            leaf = Leaf(tuple(before), value, weight)
        joined.append(leaf)
    return joined


def _prune(rules: list[Conditions], X: Any, positive: NDArray[np.bool_]) -> list[Conditions]:
    """Leave out conditions without which F1 of the rows learned from is no lower.

    A branch says for each question on its way what the answer was. Much of that keeps the branches apart,
    and does not matter where any of them decides: "no 'port' and 'tanker'" beside "'port'" is "'tanker'".
    """
    answers = {condition: condition.holds(X) for rule in rules for condition in rule}

    def f1(rules: list[Conditions]) -> float:
        found = np.logical_or.reduce(
            [np.logical_and.reduce([answers[condition] for condition in rule]) for rule in rules]
        )
        return _count(positive, found).f()

    known = f1(rules)
    for place in reversed(range(len(rules))):
        for condition in rules[place]:
            shorter = tuple(other for other in rules[place] if other != condition)
            if not shorter:
                continue
            tried = [*rules[:place], shorter, *rules[place + 1 :]]
            if (reached := f1(tried)) >= known:
                rules, known = tried, reached
    return rules


def _weight_of_positives(positive: NDArray[np.bool_], power: float) -> float:
    return float(((~positive).sum() / max(1, positive.sum())) ** power)


def _standard_error(differences: NDArray[np.float64]) -> float:
    if len(differences) < 2:
        return 0.0
    return float(differences.std(ddof=1) / np.sqrt(len(differences)))


def _by_leaning(X: Any, positive: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Rank columns by how much more common they are among positives than among the others."""
    there = X != 0
    among = [np.asarray(there[mask].mean(axis=0)).ravel() for mask in (positive, ~positive)]
    return np.argsort(among[1] - among[0], kind="stable")


def _telling_thresholds(positive: NDArray[np.bool_], column: NDArray[Any]) -> NDArray[np.float64]:
    """Return thresholds between all values of a column, or at the quantiles of all rows and of the positives.

    Where positives are rare, the quantiles of all rows may not tell a single one of them from its neighbours.
    """
    values = np.unique(column)
    cuts = middles(values)
    if len(values) <= _MANY:
        return cuts
    ends = [np.quantile(rows, _QUANTILES, method="inverted_cdf") for rows in (column, column[positive])]
    below = np.searchsorted(values, np.unique(np.concatenate(ends)))
    return cuts[np.unique(np.concatenate([below, below - 1]).clip(0, len(cuts) - 1))]


def _count(truth: NDArray[np.bool_], decided: NDArray[np.bool_]) -> Counts:
    return Counts.from_predictions(truth.astype(int), decided.astype(int))
