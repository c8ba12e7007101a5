"""Methods of other packages, which may be absent."""

from importlib import import_module
from typing import Any

# What is installed under another name than it is imported by.
_DISTRIBUTIONS = {"imblearn": "imbalanced-learn"}


def import_peer(module: str, name: str) -> Any:
    """Return a class of a peer; the error says how to install it.

    Examples
    --------
    >>> import_peer("no_such_package.part", "Forest")
    Traceback (most recent call last):
        ...
    ImportError: Forest needs no_such_package, which is not installed. Run: pip install 'lopsided[peers]'

    The error has the name of the distribution:

    >>> import_peer("imblearn.no_such_part", "SMOTE")
    Traceback (most recent call last):
        ...
    ImportError: SMOTE needs imbalanced-learn, which is not installed. Run: pip install 'lopsided[peers]'
    """
    try:
        return getattr(import_module(module), name)
    except ImportError:
        package = module.partition(".")[0]
        needed = _DISTRIBUTIONS.get(package, package)
        raise ImportError(
            f"{name} needs {needed}, which is not installed. Run: pip install 'lopsided[peers]'"
        ) from None
