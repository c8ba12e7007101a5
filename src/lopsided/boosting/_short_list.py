"""At most so many rules: questions chosen by LPUBoost, and weighed by it once more among themselves."""

import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from lopsided.boosting._lpboost import LPUBoostStumps
from lopsided.boosting._rules import says_yes
from lopsided.boosting._stumps import Question
from lopsided.metrics import Counts

_FOLDS = 3
_ROUNDS = 25  # most rules are found in the first, and of the later ones few stay among the weightiest
_NEARLY = 0.99  # of the best F1: for so little nobody reads more rules
_LEARNERS = ("real.lp", "real.mh", "disc.lp")
_BETAS = (4.0, 16.0)
_MOST_NU = 0.3  # where positives are common beta is smaller, so that nu is not larger
# The largest part of the weight of all rows that positives can have, beta * share / nu: in these terms a
# choice means the same however rare positives are. They did better than nine pairs of beta and nu on quarters
# held out of the training documents of Reuters (17 topics of 15 to 197 documents).
_MOST_WEIGHT = (0.7, 0.5, 1.0, 2.0)


class ShortList(NamedTuple):
    """A score: ``base``, and the gain of each question with answer yes; over 0 is positive."""

    questions: list[Question]
    gains: NDArray[np.float64]
    base: float
    parameters: dict[str, Any]
    """Parameters of the `LPUBoostStumps` that found the questions."""
    f1: float | None
    """F1 in the cross validation that chose the parameters; None where there was none."""

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each row; what is over 0 by no more than rounding is not over it."""
        answers = [says_yes(X, *question) for question in self.questions]
        scores = self.base + self.gains @ np.array(answers).reshape(len(answers), X.shape[0])
        nothing = 1e-9 * (abs(self.base) + np.abs(self.gains).sum())
        return np.where(np.abs(scores) <= nothing, 0.0, scores)

    def decide(self, X: Any) -> NDArray[np.bool_]:
        """Return whether each row is positive."""
        return self.decision_function(X) > 0


def learn_short_list(
    X: Any, positive: NDArray[np.bool_], stumps: str, n_rules: int, random_state: int
) -> ShortList:
    """Learn with every choice of parameters, and keep that which does best in cross validation.

    A list does as well as in cross validation or on its own rows, whichever is worse: some fall on the wrong
    side of 0 as a whole. Of lists that do nearly as well as the best the one with the fewest rules is kept.

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
    >>> found.questions, found.decide(X).tolist()[:4]
    ([Question(feature=0, threshold=None)], [True, True, False, False])
    """
    if stumps == "presence":
        # Of equally good questions a booster takes the first column: a word that is there is easier to read
        # than one that is not, so those that are more common among positives come first.
        order = _by_leaning(X, positive)
        found = _learn_best(X[:, order], positive, stumps, n_rules, random_state)
        questions = [Question(int(order[column]), threshold) for column, threshold in found.questions]
        return found._replace(questions=questions)
    return _learn_best(X, positive, stumps, n_rules, random_state)


def _learn_best(
    X: Any, positive: NDArray[np.bool_], stumps: str, n_rules: int, random_state: int
) -> ShortList:
    n_folds = min(_FOLDS, int(positive.sum()), int((~positive).sum()))
    # The same choices in every fold, whatever share of its rows is positive.
    choices = list(_choices(float(positive.mean())))
    candidates = list(_learn_all(X, positive, stumps, n_rules, choices))
    if n_folds < 2:
        return _unless_idle(candidates[0], X)
    counts = [Counts() for _ in candidates]
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    for learned, judged in folds.split(np.zeros(len(positive)), positive):
        for k, found in enumerate(_learn_all(X[learned], positive[learned], stumps, n_rules, choices)):
            counts[k] += _count(positive[judged], found.decide(X[judged]))
    f1 = [
        min(outside.f(), _count(positive, found.decide(X)).f())
        for outside, found in zip(counts, candidates, strict=True)
    ]
    enough = [k for k in range(len(candidates)) if f1[k] >= _NEARLY * max(f1)]
    best = min(enough, key=lambda k: (len(candidates[k].questions), -f1[k], k))
    return _unless_idle(candidates[best]._replace(f1=counts[best].f()), X)


def _by_leaning(X: Any, positive: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Columns by how much more common they are among positives than among the others."""
    there = X != 0
    among = [np.asarray(there[mask].mean(axis=0)).ravel() for mask in (positive, ~positive)]
    return np.argsort(among[1] - among[0], kind="stable")


def _unless_idle(found: ShortList, X: Any) -> ShortList:
    """Without its rules where they decide nothing: all rows are on one side of 0."""
    decided = found.decide(X)
    if decided.any() and not decided.all():
        return found
    return found._replace(questions=[], gains=np.empty(0), base=-1.0)


def _learn_all(
    X: Any, positive: NDArray[np.bool_], stumps: str, n_rules: int, choices: list[dict[str, Any]]
) -> Iterator[ShortList]:
    """Yield a short list for each choice of parameters."""
    labels = positive.astype(int)
    for chosen in choices:
        base, questions, gains = _boost(X, labels, stumps, chosen)
        if len(questions) > n_rules:
            # The weights of a long list are not those of its best.
            answers = np.column_stack([says_yes(X, *question) for question in questions])
            kept = _most_telling(answers, gains, positive)[:n_rules]
            base, again, gains = _boost(answers[:, kept].astype(np.float64), labels, "presence", chosen)
            questions = [questions[kept[place]] for place, _ in again]
        yield ShortList(questions, np.array(gains), base, chosen, None)


def _most_telling(
    answers: NDArray[np.bool_], gains: list[float], positive: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Questions by how far each moves the mean score of the positives from that of the others."""
    apart = answers[positive].mean(axis=0) - answers[~positive].mean(axis=0)
    return np.argsort(-np.abs(np.array(gains) * apart), kind="stable")


def _choices(share: float) -> Iterator[dict[str, Any]]:
    """Parameters of `LPUBoostStumps` to try, for a share of positives; the first where none can be tried."""
    tried = []
    for weak, beta, most in product(_LEARNERS, _BETAS, _MOST_WEIGHT):
        beta = min(beta, max(1.0, _MOST_NU * most / share))
        chosen = {"weak_learner": weak, "beta": beta, "nu": min(0.5, beta * share / most)}
        if chosen not in tried:
            tried.append(chosen)
            yield chosen


def _boost(
    X: Any, labels: NDArray[Any], stumps: str, chosen: dict[str, Any]
) -> tuple[float, list[Question], list[float]]:
    """Where the score begins, and the questions with their gains, the weightiest first."""
    with warnings.catch_warnings():
        # That a longer list would gain more, or that none gains anything, shows in cross validation.
        warnings.simplefilter("ignore")
        model = LPUBoostStumps(stumps=stumps, n_rounds=_ROUNDS, **chosen).fit(X, labels)
    explained: Any = model.explain()
    questions = [Question(row.feature, row.threshold) for row in explained.rows]
    return explained.start, questions, [row.points for row in explained.rows]


def _count(truth: NDArray[np.bool_], decided: NDArray[np.bool_]) -> Counts:
    return Counts.from_predictions(truth.astype(int), decided.astype(int))
