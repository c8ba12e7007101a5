"""One way to score with and to teach any learner: ours by their compiled core, others row by row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from lopsided._kernels.online import Learner
from lopsided._preparation import validate_table
from lopsided.online._base import OnlineLearner
from lopsided.online._rows import MeasuredRows


class Pupil:
    """A learner as a filter sees it: rows in, scores out, signs for labels."""

    def __init__(self, learner: Any) -> None:
        if isinstance(learner, type):
            raise ValueError(
                f"learner must be an estimator; got the class {learner.__name__}. "
                f"Make one of it: {learner.__name__}()."
            )
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
        self.learner = learner
        self.taught = {1: False, -1: False}
        if hasattr(learner, "classes_"):
            self.taught = {1: True, -1: True}

    @property
    def is_ours(self) -> bool:
        """Whether the learner has a compiled core."""
        return isinstance(self.learner, OnlineLearner)

    @property
    def core(self) -> Learner | None:
        """The compiled learner, if it is one of ours and has begun."""
        core = getattr(self.learner, "_core", None)
        return core if isinstance(core, Learner) else None

    def rows(self, X: Any) -> Any:
        """Checked rows in a form that `score` and `teach` take."""
        if self.is_ours:
            if self.core is None:
                return self._begin(X)
            return self.learner._quick_rows(X) or self.learner._check(X, "no_validation", reset=False)
        return validate_table(X)

    def _begin(self, X: Any) -> MeasuredRows:
        """Our learners know the number of features from the first row on, before they learn.

        Only from the first: a kernel's gamma must not look into the future of a stream.
        """
        learner = self.learner
        learner._validate_params()
        rows: MeasuredRows = learner._first_rows(X, "no_validation")
        learner._matrix = learner._matrix[:1]
        learner._begin(rows, np.array([0, 1]))
        return rows

    def scores(self, rows: Any) -> NDArray[np.float64]:
        """f of every row; 0 while the learner cannot tell."""
        if isinstance(rows, MeasuredRows):
            with self.learner._lock:
                scores: NDArray[np.float64] = self.learner._core.scores(rows)
            return scores
        if not all(self.taught.values()):
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

    def squared_norms(self, rows: Any) -> NDArray[np.float64]:
        """|x|^2 of every row."""
        if isinstance(rows, MeasuredRows):
            return rows.squared_lengths
        if issparse(rows):
            return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).reshape(-1)
        return np.einsum("ij,ij->i", rows, rows, dtype=np.float64)

    def teach(self, rows: Any, i: int, sign: int) -> None:
        """Let the learner have the label of row i."""
        if isinstance(rows, MeasuredRows):
            self.learner._teach(rows, i, np.array([sign], dtype=np.int8))
            return
        label = self._labels[(sign + 1) // 2]
        if not any(self.taught.values()):
            self.learner.partial_fit(rows[i : i + 1], np.array([label]), classes=self._labels)
        else:
            self.learner.partial_fit(rows[i : i + 1], np.array([label]))
        self.taught[sign] = True

    @property
    def knows_positives(self) -> bool:
        """Whether it has learned from a positive already."""
        return self.learner._knows_positives if self.is_ours else hasattr(self.learner, "classes_")

    @property
    def n_updates(self) -> int | None:
        """How often the learner changed, if it says so."""
        core = self.core
        return None if core is None else core.n_updates

    @property
    def n_unfinished(self) -> int:
        """Lessons that did not end as our learner promises."""
        return 0 if self.core is None else self.learner._n_unfinished

    def remark(self, before: int, n_lessons: int) -> None:
        """Let the learner warn, once for all these lessons; ``before``: `n_unfinished` before them."""
        if self.core is not None:
            self.learner._remark(before, n_lessons)

    def check_positive(self, pos_label: Any) -> None:
        """A learner that is fitted must mean the same by positive."""
        classes = getattr(self.learner, "classes_", None)
        if classes is None:
            return
        known = np.asarray(classes).tolist()
        if len(known) != 2 or (known[1] != pos_label and (known != [0, 1] or pos_label in known)):
            raise ValueError(
                f"the learner was fitted with classes {known}, but pos_label is {pos_label!r}. Fit it on "
                f"y == {pos_label!r}, so that the second class is the positive one."
            )

    @property
    def _labels(self) -> NDArray[Any]:
        return np.asarray(getattr(self.learner, "classes_", np.array([0, 1])))
