"""C of each class, for the labels read so far."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._preparation import class_weights


class ClassCosts:
    """C of each class; with balanced weights, the classes weigh the same among the labels read.

    Parameters
    ----------
    C : float
        C of a class of weight 1.
    class_weight : dict, "balanced" or None
        Factor of C for each class.
    all_known : bool
        Whether all classes are known before the first label is read, so that an unknown name in
        ``class_weight`` is an error.

    Attributes
    ----------
    balanced : bool
        Whether the costs follow the labels read.

    Examples
    --------
    >>> costs = ClassCosts(1.0, "balanced", all_known=True)
    >>> costs.after(np.array(["ham", "spam"]), {"ham": 30, "spam": 10}).round(2).tolist()
    [0.67, 2.0]
    """

    def __init__(self, C: float, class_weight: Any, *, all_known: bool) -> None:
        self.balanced = class_weight == "balanced"
        self._C, self._all_known = C, all_known
        self._class_weight = None if self.balanced else class_weight

    def after(self, classes: NDArray[Any], n_read: Mapping[Any, int]) -> NDArray[np.float64]:
        """Return C of each class after so many labels of each were read."""
        costs = self._C * class_weights(self._class_weight, classes, all_known=self._all_known)
        if not self.balanced:
            return costs
        counts = np.array([max(1, n_read.get(label, 0)) for label in classes.tolist()])
        return costs * counts.sum() / (len(counts) * counts)
