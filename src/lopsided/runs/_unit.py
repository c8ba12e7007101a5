"""A unit of work."""

from importlib import import_module
from typing import Any, NamedTuple

from lopsided.runs._codec import from_text, to_text


class Unit(NamedTuple):
    """A function of a module, and what it is called with.

    Examples
    --------
    >>> unit = Unit("math", "hypot", (3.0, 4.0))
    >>> unit.key
    'math.hypot {"~": "tuple", "is": [3.0, 4.0]}'
    >>> unit.do()
    5.0
    """

    module: str
    function: str
    arguments: tuple[Any, ...]
    """Numbers, text, None, tuples of these, and records that the module declares."""

    @property
    def key(self) -> str:
        """The same for the same work, today and tomorrow."""
        return f"{self.module}.{self.function} {to_text(self.arguments)}"

    def do(self) -> Any:
        """Call the function."""
        return getattr(import_module(self.module), self.function)(*self.arguments)

    def write(self, result: Any) -> str:
        """A result of the function as text that `read` takes: what it does not take is refused here."""
        text = to_text(result)
        self.read(text)
        return text

    def read(self, text: str) -> Any:
        """What `write` was given."""
        return from_text(text, self.module)
