"""Methods ranked against each other over several data sets."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def competition_ranks(scores: ArrayLike) -> NDArray[np.int64]:
    """Return the rank of each method on each data set: 1 + the number of methods with a larger score.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_methods)
        Larger is better; methods that tie share the smallest rank.

    Returns
    -------
    ranks : int array of shape (n_data_sets, n_methods)

    Examples
    --------
    >>> competition_ranks([[0.9, 0.8, 0.9], [0.5, 0.7, 0.6]])
    array([[1, 3, 1],
           [3, 1, 2]])
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(
            "scores must be a table, a row for each data set and a column for each method; "
            f"got shape {table.shape}."
        )
    if np.isnan(table).any():
        raise ValueError(
            f"scores contain NaN in {np.isnan(table).sum()} places; ranks need them all. "
            "Drop those data sets."
        )
    return 1 + (table[:, None, :] > table[:, :, None]).sum(axis=2)


def average_ranks(scores: ArrayLike) -> NDArray[np.float64]:
    """Return the mean rank of each method over data sets, 1 being the best.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_methods)
        Larger is better; methods that tie share the smallest rank.

    Returns
    -------
    ranks : float array of shape (n_methods,)

    Examples
    --------
    >>> average_ranks([[0.9, 0.8, 0.9], [0.5, 0.7, 0.6]])
    array([2. , 2. , 1.5])
    """
    return competition_ranks(scores).mean(axis=0)
