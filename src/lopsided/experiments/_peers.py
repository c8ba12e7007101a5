"""Methods of other packages, which may be absent."""

from importlib import import_module
from typing import Any


def import_peer(module: str, name: str) -> Any:
    """Return a class of a peer; the error says how to install it.

    Examples
    --------
    >>> import_peer("no_such_package.part", "Forest")
    Traceback (most recent call last):
        ...
    ImportError: Forest needs no_such_package, which is not installed. Run: pip install 'lopsided[peers]'
    """
    try:
        return getattr(import_module(module), name)
    except ImportError:
        package = module.partition(".")[0]
        raise ImportError(
            f"{name} needs {package}, which is not installed. Run: pip install 'lopsided[peers]'"
        ) from None
