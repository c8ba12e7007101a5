"""Packages that load a name on first use."""

from collections.abc import Callable, Mapping
from importlib import import_module
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
