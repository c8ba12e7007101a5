"""One way to score with and to teach any learner: ours by their compiled core, others row by row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from lopsided._kernels.online import Learner, squared_norms
from lopsided._kernels.rows import Rows


class Pupil:
    """A learner as a filter sees it: rows in, scores out, signs for labels."""

    def __init__(self, learner: Any) -> None:
        if not hasattr(learner, "partial_fit"):
            raise ValueError(
                f"{type(learner).__name__} has no partial_fit, so it cannot learn item by item. "
                "Use MarginPerceptron, RelaxedOnlineSVM or SGDClassifier, say."
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
    def core(self) -> Learner | None:
        """The compiled learner, if it is one of ours and has begun."""
        core = getattr(self.learner, "_core", None)
        return core if isinstance(core, Learner) else None

    def rows(self, X: Any) -> Any:
        """Checked rows in a form that `score` and `teach` take."""
        if self._is_ours:
            self.begin(X)
            return self.learner._quick_rows(X) or self.learner._check(X, "no_validation", reset=False)
        from sklearn.utils import check_array

        return check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])

    def begin(self, X: Any) -> None:
        """Our learners know the number of features from the first row on, before they learn.

        Only from the first: a kernel's gamma must not look into the future of a stream.
        """
        if self._is_ours and self.core is None:
            rows = self.learner._first_rows(X[:1], "no_validation")
            self.learner._validate_params()
            self.learner._begin(rows, np.array([0, 1]))

    def scores(self, rows: Any) -> NDArray[np.float64]:
        """f of every row; 0 while the learner cannot tell."""
        if isinstance(rows, Rows):
            with self.learner._lock:
                return self.learner._core.scores(rows)
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
        if isinstance(rows, Rows):
            return squared_norms(rows)
        if issparse(rows):
            return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).reshape(-1)
        return np.einsum("ij,ij->i", rows, rows, dtype=np.float64)

    def teach(self, rows: Any, i: int, sign: int) -> None:
        """Let the learner have the label of row i."""
        if isinstance(rows, Rows):
            with self.learner._lock:
                self.learner._core.learn(rows, np.array([i]), np.array([sign], dtype=np.int8))
            self.learner._knows_positives = self.learner._knows_positives or sign > 0
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
        return self.learner._knows_positives if self._is_ours else hasattr(self.learner, "classes_")

    @property
    def n_updates(self) -> int | None:
        """How often the learner changed, if it says so."""
        core = self.core
        return None if core is None else core.n_updates

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

    @property
    def _is_ours(self) -> bool:
        from lopsided.online._base import OnlineLearner

        return isinstance(self.learner, OnlineLearner)
