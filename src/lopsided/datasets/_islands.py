"""Nine islands in the plane, of which the one in the middle is wanted (after Yu 2003, figure 1)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import as_generator

_SPACING, _WIDTH = 2.0, 0.35


def make_islands(
    n_positives: int = 60, n_unlabeled: int = 600, *, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Make points around the places of a 3 x 3 grid; some of the middle are known, the rest is unlabeled.

    Parameters
    ----------
    n_positives : int, default=60
        Known points of the middle.
    n_unlabeled : int, default=600
        Points of all nine islands, each equally likely.
    random_state : None, int, Generator or RandomState, default=None

    Returns
    -------
    X : array of shape (n_positives + n_unlabeled, 2)
    y : int array
        1 for the known points, 0 for the unlabeled set.
    is_positive : int array
        1 for all points of the middle, also those in the unlabeled set.

    Examples
    --------
    >>> from lopsided import make_islands
    >>> X, y, is_positive = make_islands(random_state=0)
    >>> X.shape, int(y.sum()), int(is_positive.sum()) > 100
    ((660, 2), 60, True)
    """
    for name, value in (("n_positives", n_positives), ("n_unlabeled", n_unlabeled)):
        if value < 1:
            raise ValueError(f"{name} must be 1 or more; got {value}.")
    rng = as_generator(random_state)
    island = np.concatenate([np.full(n_positives, 4), rng.integers(9, size=n_unlabeled)])
    centre = _SPACING * (np.column_stack([island % 3, island // 3]) - 1.0)
    X = centre + _WIDTH * rng.normal(size=(len(island), 2))
    y = (np.arange(len(island)) < n_positives).astype(np.int64)
    return X, y, (island == 4).astype(np.int64)
