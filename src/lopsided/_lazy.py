"""Packages that load a name on first use, or that may not be there."""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def load_on_first_use(package: str, home: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package whose names are loaded from its modules on first use.

    Parameters
    ----------
    package : str
        Name of the package.
    home : dict
        The module of each public name.

    Examples
    --------
    >>> look_up = load_on_first_use("lopsided.text", {"mail_text": "_mail"})
    >>> look_up("mail_text").__name__
    'mail_text'
    """

    def look_up(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(import_module(package), name, value)
        return value

    return look_up


def is_installed(module: str) -> bool:
    """Return whether the package of a module is installed, without loading it.

    Examples
    --------
    >>> is_installed("numpy.random"), is_installed("no_such_package")
    (True, False)
    """
    return find_spec(module.partition(".")[0]) is not None
