"""The list of every public estimator of the package."""

from inspect import isclass

import lopsided


def all_estimators() -> list[tuple[str, type]]:
    """Return every public estimator as (name, class), by name.

    Examples
    --------
    >>> [name for name, _ in all_estimators()][:1]
    ['AdaBoostStumps']
    """
    from sklearn.base import BaseEstimator

    public = ((name, getattr(lopsided, name)) for name in lopsided.__all__)
    return [(name, thing) for name, thing in public if isclass(thing) and issubclass(thing, BaseEstimator)]
