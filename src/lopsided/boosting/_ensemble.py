"""A weighted sum of weak hypotheses: what boosting one class against the rest gives."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, issparse

from lopsided._stored import (
    Check,
    Lengths,
    an_estimator,
    by_text,
    each,
    flag,
    numbers,
    or_none,
    part,
    real,
    text,
)
from lopsided.boosting._rules import Rule, says_yes, score_rules
from lopsided.boosting._weak import Weak

_ROUNDING = 1e-13  # share of all that is said


class Member(NamedTuple):
    """A weak hypothesis that can be asked about any row."""

    rule: Rule | None
    """The rule, with weight 1, if the hypothesis is a stump."""
    estimator: Any
    """The fitted classifier, if the hypothesis is not a stump."""
    alpha: float
    """Weight that AdaBoost gives it."""

    @staticmethod
    def _stored() -> dict[str, Check]:
        return {"rule": part(Rule, None), "estimator": or_none(an_estimator), "alpha": real()}

    @property
    def loudest(self) -> float:
        """The largest size of h(x)."""
        return 1.0 if self.rule is None else max(abs(self.rule.present), abs(self.rule.absent))

    def says(self, X: Any) -> NDArray[np.float64]:
        """Return h(x) of each row."""
        if self.rule is not None:
            yes = says_yes(X, self.rule.feature, self.rule.threshold)
            return np.where(yes, self.rule.present, self.rule.absent)
        return np.where(np.asarray(self.estimator.predict(X)) > 0, 1.0, -1.0)


@dataclass
class Ensemble:
    """Members in the order in which they came."""

    members: list[Member] = field(default_factory=list)
    weights: list[NDArray[np.float64]] = field(default_factory=list)
    """Weights of the members after each round; empty where each keeps the weight it came with."""
    history: dict[str, list[float]] = field(default_factory=dict)
    """What each round was like: under each name an entry for each member."""
    converged: bool = False
    gap: float = 0.0
    """Duality gap of the last linear program."""
    tells_apart: bool = False
    """Whether a member says different things about the rows of the training data."""
    one_answer: bool = False
    """Whether all rows of the training data are on one side of 0."""
    complaint: str = ""
    """The text of a ConvergenceWarning, or empty."""

    _stored: ClassVar[dict[str, Check]] = {
        "members": each(part(Member)),
        "weights": each(numbers(None)),
        "history": by_text(each(real(or_not_finite=True))),
        "converged": flag(),
        "gap": real(or_not_finite=True),
        "tells_apart": flag(),
        "one_answer": flag(),
        "complaint": text(),
    }

    @classmethod
    def with_facts(cls, *names: str) -> Self:
        """Return an ensemble without members, whose history will hold these facts of each round."""
        return cls(history={name: [] for name in ("round", *names)})

    def _check_stored(self, lengths: Lengths) -> None:
        n = len(self.members)
        if self.weights and [len(weights) for weights in self.weights] != list(range(1, n + 1)):
            raise ValueError(f"weights of {len(self.weights)} rounds are not those of {n} members")
        if any(len(entries) != n for entries in self.history.values()):
            raise ValueError(f"the history is not that of {n} members")
        if any((member.rule is None) == (member.estimator is None) for member in self.members):
            raise ValueError("a member is either a rule or an estimator")

    def add(self, weak: Weak, weights: NDArray[np.float64] | None = None, **facts: float) -> None:
        """Add the hypothesis of one round; ``weights`` are those of all members, where they change."""
        self.members.append(Member(weak.rule, weak.estimator, weak.alpha))
        if weights is not None:
            self.weights.append(weights)
        for name, fact in {"round": len(self.members), **facts}.items():
            self.history[name].append(fact)
        self.tells_apart |= bool((weak.values != weak.values[0]).any())

    def weights_after(self, n_rounds: int) -> NDArray[np.float64]:
        """Return the weights of the first ``n_rounds`` members after as many rounds."""
        if self.weights and n_rounds:
            return self.weights[n_rounds - 1]
        return np.array([member.alpha for member in self.members[:n_rounds]])

    def rules(self) -> list[Rule]:
        """Return the stumps with their weights, without those of weight 0."""
        return [
            member.rule._replace(weight=float(weight))
            for member, weight in self._weighted()
            if member.rule is not None and weight
        ]

    def classifiers(self) -> list[tuple[Any, float]]:
        """Return the fitted classifiers with their weights, without those of weight 0."""
        return [
            (member.estimator, float(weight))
            for member, weight in self._weighted()
            if member.estimator is not None and weight
        ]

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return F(x) of each row."""
        total = score_rules(X, self.rules())
        for member, weight in self._weighted():
            if member.estimator is not None and weight:
                total += weight * member.says(X)
        return self._settled(total, self.weights_after(len(self.members)))

    def staged_scores(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield F(x) after each round. Each member is asked once, and only changed weights cost anything."""
        columns = csc_array(X) if issparse(X) else X
        rows = X.tocsr() if issparse(X) else X  # what classifiers read
        said: list[NDArray[np.float64]] = []
        before = np.empty(0)
        total = np.zeros(X.shape[0])
        for n_rounds, member in enumerate(self.members, 1):
            said.append(member.says(columns if member.estimator is None else rows))
            weights = self.weights_after(n_rounds) if self.weights else np.append(before, member.alpha)
            change = weights - np.append(before, 0.0)
            for j in np.flatnonzero(change):
                total += change[j] * said[j]
            before = weights
            yield self._settled(total.copy(), weights)

    def _settled(self, total: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums, those that cancel to a rounding error of either sign set to 0."""
        most = sum(
            abs(weight) * member.loudest for member, weight in zip(self.members, weights, strict=False)
        )
        total[np.abs(total) <= _ROUNDING * most] = 0.0
        return total

    def _weighted(self) -> Iterator[tuple[Member, float]]:
        return zip(self.members, self.weights_after(len(self.members)), strict=True)
