"""The base of searches over settings: the folds, and how the best setting is kept."""

import warnings
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import check_cv
from sklearn.utils import Tags

from lopsided._stored import FEATURES, Check, labels, plain, real, whole

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


class SettingSearch(ClassifierMixin, BaseEstimator):
    """A classifier that tries settings of another one by cross-validation, and fits the best to all rows.

    A subclass lists the settings, tries each in every fold of `_make_folds`, and hands the best to
    `_keep_best`.
    """

    _searched: ClassVar[type]  # the estimator whose settings are tried

    _stored: ClassVar[dict[str, Check]] = FEATURES | {
        "classes_": labels(),
        "cv_results_": plain,
        "best_index_": whole(),
        "best_params_": plain,
        "best_score_": real(or_not_finite=True),
    }

    cv: Any

    def _make_folds(
        self, X: Any, y: Any, fewest: int, smallest: str, deal: Callable[[int], Iterable[Fold]]
    ) -> list[Fold]:
        """Return the folds of the splitter ``cv``; for a number, as many as the smallest class allows.

        Parameters
        ----------
        X, y : array or sparse matrix
            For the splitter.
        fewest : int
            Rows of the smallest class. 0 is what only one of several labels can have: no fold needs it.
        smallest : str
            What messages call that class.
        deal : callable
            Returns that many folds, each with its share of every class.
        """
        if not isinstance(self.cv, Integral):
            return list(check_cv(self.cv, y, classifier=True).split(X, y))
        n_folds = int(self.cv)
        if fewest == 1:
            raise ValueError(
                f"cross-validation needs at least 2 rows of each class; {smallest} has 1 sample. Add rows, "
                f"or use {self._searched.__name__} with parameters of your choice."
            )
        if 1 < fewest < n_folds:
            warnings.warn(
                f"{fewest} folds in place of cv={n_folds}: {smallest} has only {fewest} rows.",
                UserWarning,
                stacklevel=5,  # the caller of `fit`, which calls `_folds`, which calls this
            )
            n_folds = fewest
        return list(deal(n_folds))

    def _keep_best(self, estimator: Any, index: int, score: float, results: Mapping[str, Any]) -> None:
        """Set the attributes that name the best setting, whose estimator is fitted to all rows."""
        self.cv_results_, self.best_index_, self.best_score_ = dict(results), index, score
        self.best_params_ = results["params"][index] if results["params"] else {}
        self.best_estimator_, self.classes_ = estimator, estimator.classes_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
