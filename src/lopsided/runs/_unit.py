"""A unit of work, and what the module of its function declares."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

from lopsided.runs._codec import check_records, from_text, to_text


@dataclass(frozen=True)
class Work:
    """The declaration of a module of unit functions, under the name ``WORK``.

    Parameters
    ----------
    name : str
        What the keys of its units begin with. It outlives a move of the module, and so do kept results.
    records : mapping of str to type, optional
        Dataclasses and named tuples that units take or return, by the names under which they are written.

    Examples
    --------
    >>> from lopsided.metrics import Counts
    >>> WORK = Work("my.experiments", {"Counts": Counts})
    """

    name: str
    records: Mapping[str, type] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_records(self.records)


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
    """Numbers, text, None, tuples of these, and records of the module's `Work`."""

    @property
    def work(self) -> Work:
        """The declaration of the module; a module without one has no records."""
        found: Work = getattr(import_module(self.module), "WORK", None) or Work(self.module)
        return found

    @property
    def key(self) -> str:
        """The name of the unit, the same for the same work in every run."""
        work = self.work
        return f"{work.name}.{self.function} {to_text(self.arguments, work.records)}"

    def do(self) -> Any:
        """Call the function and return its result."""
        return getattr(import_module(self.module), self.function)(*self.arguments)

    def write(self, result: Any) -> str:
        """Return a result of the function as text that `read` takes: what it does not take is refused."""
        text = to_text(result, self.work.records)
        self.read(text)
        return text

    def read(self, text: str) -> Any:
        """Return what `write` was given."""
        return from_text(text, self.work.records)
