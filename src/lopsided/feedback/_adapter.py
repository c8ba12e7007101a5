"""Any estimator that learns row by row, as a `Learner`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.checks import true_or_false
from lopsided._preparation import validate_table
from lopsided.online import Learner, OnlineLearner


class LearnerAdapter:
    """An estimator with ``partial_fit`` as a `Learner`, for `OneSidedFilter`.

    Rows are a checked matrix, and nothing is compiled. What the estimator has learned is its own: the state
    holds only what the adapter remembers beside it.

    Parameters
    ----------
    learner : estimator
        Has ``partial_fit`` and ``decision_function`` or ``predict_proba``.
    """

    rows_at_a_time = 1024
    n_unfinished = 0

    def __init__(self, learner: Any) -> None:
        self.learner = learner
        self.n_updates_ = 0
        self._taught = dict.fromkeys((1, -1), hasattr(learner, "classes_"))

    @property
    def knows_positives(self) -> bool:
        """Whether a positive row was learned, as far as the adapter can know."""
        return self._taught[1]

    def rows(self, X: Any) -> Any:
        """Return rows of numbers that the learner takes."""
        return validate_table(X)

    def scores(self, rows: Any) -> NDArray[np.float64]:
        """Return f of every row; 0 until the learner was taught both classes."""
        if not all(self._taught.values()):
            return np.zeros(rows.shape[0])
        if hasattr(self.learner, "decision_function"):
            scores = np.asarray(self.learner.decision_function(rows), dtype=np.float64).reshape(-1)
        else:
            share = np.asarray(self.learner.predict_proba(rows), dtype=np.float64)[:, 1]
            share = np.clip(share, 1e-12, 1 - 1e-12)
            scores = np.log(share) - np.log1p(-share)
        if len(scores) != rows.shape[0] or not np.isfinite(scores).all():
            raise ValueError(
                f"{type(self.learner).__name__} returned scores that are not one finite number a row."
            )
        return scores

    def learn(self, rows: Any, i: int, sign: int) -> None:
        """Teach the label of row i."""
        classes = np.asarray(getattr(self.learner, "classes_", np.array([0, 1])))
        label = classes[(sign + 1) // 2]
        if not any(self._taught.values()):
            self.learner.partial_fit(rows[i : i + 1], np.array([label]), classes=classes)
        else:
            self.learner.partial_fit(rows[i : i + 1], np.array([label]))
        self._taught[sign] = True
        self.n_updates_ += 1

    def replay(self, *_: Any) -> bool:
        """Return False: every row is decided about and learned by itself."""
        return False

    def state(self) -> dict[str, Any]:
        """Return whether a positive and whether a negative row was learned."""
        return {"taught": [self._taught[1], self._taught[-1]]}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a `state`."""
        positive, negative = (true_or_false("taught", each) for each in state["taught"])
        self._taught = {1: positive, -1: negative}

    def warn_unfinished(self, before: int, n_lessons: int) -> None:
        """Warn of nothing: the learner warns by itself."""


def refuse_class(learner: Any) -> None:
    """Refuse a class in place of an estimator."""
    if isinstance(learner, type):
        raise ValueError(
            f"learner must be an estimator; got the class {learner.__name__}. "
            f"Make one of it: {learner.__name__}()."
        )


def adapted(learner: Any) -> Learner:
    """Return the learner itself if it is ours, else in an adapter."""
    refuse_class(learner)
    if not hasattr(learner, "partial_fit"):
        cure = "Use MarginPerceptron, RelaxedOnlineSVM or SGDClassifier, say."
        if hasattr(learner, "learn_one"):
            cure = "Wrap a model of river: river.compat.River2SKLClassifier(model)."
        raise ValueError(
            f"{type(learner).__name__} has no partial_fit, so it cannot learn item by item. {cure}"
        )
    if not (hasattr(learner, "decision_function") or hasattr(learner, "predict_proba")):
        raise ValueError(
            f"{type(learner).__name__} has neither decision_function nor predict_proba, so that nothing "
            "can be ranked. SGDClassifier(loss='hinge') has the first, say."
        )
    return learner if isinstance(learner, OnlineLearner) else LearnerAdapter(learner)


def check_positive(learner: Any, pos_label: Any) -> None:
    """Raise a ValueError if a fitted learner means something else by positive."""
    classes = getattr(learner, "classes_", None)
    if classes is None:
        return
    known = np.asarray(classes).tolist()
    if len(known) != 2 or (known[1] != pos_label and (known != [0, 1] or pos_label in known)):
        raise ValueError(
            f"the learner was fitted with classes {known}, but pos_label is {pos_label!r}. Fit it on "
            f"y == {pos_label!r}, so that the second class is the positive one."
        )
