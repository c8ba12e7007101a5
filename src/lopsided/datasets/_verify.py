"""Count again what was published about a data set."""

from dataclasses import dataclass

from lopsided.datasets._cache import DamagedFile, read_at_hand
from lopsided.datasets._registry import get


@dataclass(frozen=True)
class Fact:
    """A count, as published and as found (None: nothing of the kind is there)."""

    name: str
    expected: int
    found: int | None

    @property
    def agrees(self) -> bool:
        """Whether the two are equal."""
        return self.expected == self.found


@dataclass(frozen=True)
class Verification:
    """The result of ``verify``: ``where`` is None if the data set is missing, ``error`` if it is damaged."""

    name: str
    where: str | None
    files: tuple[str, ...]
    facts: tuple[Fact, ...]
    error: str | None

    @property
    def agrees(self) -> bool:
        """Whether nothing speaks against the copy (also true where there is none)."""
        return self.error is None and all(fact.agrees for fact in self.facts)


def verify(name: str) -> Verification:
    """Return every published count of a data set beside the one found; nothing is fetched.

    Parameters
    ----------
    name : str
        A name of ``lopsided data list``.

    Returns
    -------
    Verification
        ``where``, ``files``, ``facts`` (name, expected, found, agrees), ``error``, ``agrees``.

    Examples
    --------
    >>> from lopsided.datasets import verify
    >>> verify("usps").agrees
    True
    """
    data_set = get(name)
    try:
        loaded = read_at_hand(data_set.copies)
    except DamagedFile as damaged:
        return Verification(name, None, tuple(map(str, damaged.found.paths)), (), str(damaged))
    if loaded is None:
        return Verification(name, None, (), (), None)
    expected = {**loaded.copy.published, **loaded.copy.peculiar}
    facts = tuple(Fact(fact, n, loaded.facts.get(fact)) for fact, n in expected.items())
    return Verification(name, loaded.where, tuple(map(str, loaded.paths)), facts, None)
