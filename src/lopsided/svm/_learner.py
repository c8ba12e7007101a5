"""The learner of a labelling session: a linear LASVC, and the rules that say it is enough."""

from collections import deque
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lopsided.svm._lasvm import LASVC
from lopsided.svm._stopping import MarginExhaustion

WINDOW = 50  # answers, before and after which the yes rows are compared
_C = 10.0  # firm: rows of unit length, and few of them (docs/label.md has the figures)
_TOL = 1e-3
_CHANGED = 0.05  # share of them that may differ if the answers taught nothing new


class AnswerLearner:
    """Learn one answer after the other, and notice when answers no longer teach.

    Two rules say so. The margin is exhausted, as in `LASVC`; but among rows of unit length in many
    dimensions that takes long. So there is a second, in the spirit of [1]_: the predictions have settled,
    that is, the rows that are, or are taken for, a yes are nearly those of fifty answers ago. The other rule
    of `LASVC`, saturation, is left out: it comes late as well, and confirms itself by many random questions,
    which a person would rather not answer.

    Parameters
    ----------
    X : CSR matrix of shape (n_samples, n_features)
        All rows, each of length 1 or 0.
    askable : bool array of shape (n_samples,)
        The rows that count: not empty, not a copy of another.

    Attributes
    ----------
    scores : array of shape (n_samples,) or None
        Signed distance of every row to the border, in units of the margin; None until both answers are known.

    References
    ----------
    .. [1] M. Bloodgood, K. Vijay-Shanker, "A method for stopping active learning based on stabilizing
       predictions and the need for user-adjustable stopping", CoNLL 2009.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> learner = AnswerLearner(csr_matrix(np.eye(4)), np.ones(4, dtype=bool))
    >>> learner.learn(0, True, at_border=False)
    >>> learner.learn(1, False, at_border=False)
    >>> bool(learner.scores[0] > 0 > learner.scores[1])
    True
    """

    def __init__(self, X: Any, askable: NDArray[np.bool_]) -> None:
        self._X, self._askable = X, askable
        self._labels: dict[int, bool] = {}
        self._model: LASVC | None = None
        self._margin = MarginExhaustion(_TOL, searched_all=False)
        self._is_exhausted = False
        self._yes: deque[NDArray[np.intp]] = deque(maxlen=WINDOW + 1)  # the yes rows after the last answers
        self.scores: NDArray[np.float64] | None = None

    @property
    def model(self) -> LASVC | None:
        """The SVM of all answers, for the classes 0 and 1; None until both answers are known."""
        return self._model

    @property
    def n_support(self) -> int:
        """The number of support vectors."""
        return 0 if self._model is None else int(self._model.n_support_.sum())

    def copy(self) -> Self:
        """Return a learner that goes its own way; rows and model, which nobody changes, are shared."""
        return deepcopy(self, {id(shared): shared for shared in (self._X, self._askable, self._model)})

    def closest(self, rows: NDArray[np.intp]) -> int:
        """Return the row nearest to the border."""
        assert self.scores is not None, "there is no border before both answers are known"
        return int(rows[np.abs(self.scores[rows]).argmin()])

    def learn(self, row: int, is_yes: bool, *, at_border: bool) -> None:
        """Learn one answer; `at_border` says that the row was the closest of a random pool."""
        if at_border and self.scores is not None:
            self._is_exhausted = self._margin.is_exhausted(abs(self.scores[row]))
        self._labels[row] = is_yes
        if len(set(self._labels.values())) < 2:
            return
        self.scores = self._fit()
        yes = self._askable & (self.scores > 0)
        yes[list(self._labels)] = list(self._labels.values())
        self._yes.append(np.flatnonzero(yes))

    def reason_to_stop(self) -> str | None:
        """Return "settled" or "margin" if the last answers taught nothing new, else None."""
        if len(self._yes) > WINDOW:
            before, now = self._yes[0], self._yes[-1]
            n_changed = len(np.setxor1d(before, now, assume_unique=True))
            if n_changed <= _CHANGED * len(np.union1d(before, now)):
                return "settled"
        return "margin" if self._is_exhausted else None

    def _fit(self) -> NDArray[np.float64]:
        """Fit the exact SVM of all answers, and score every row.

        `LASVC.partial_fit` and `finish` would be cheaper, but rows dropped on the way do not come back, and
        with few labels each counts; a few hundred take milliseconds.
        """
        rows = list(self._labels)
        model = LASVC(C=_C, kernel="linear", tol=_TOL, selection="sequential", n_epochs="converge")
        self._model = model.fit(self._X[rows], [int(is_yes) for is_yes in self._labels.values()])
        # The kernel is linear: one product, instead of kernel values of all rows with all support vectors.
        weights = model.support_vectors_.T @ model.dual_coef_[0]
        return self._X @ weights + model.intercept_[0]
