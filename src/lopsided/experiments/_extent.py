"""The extent of a run: which runs, items and methods of an experiment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lopsided.runs import Unit

N_RUNS = 10  # the papers' figures are means of ten runs


def seeds(n: int = N_RUNS, master: int = 0) -> tuple[int, ...]:
    """Return the seeds of ``n`` runs; run r has the same one whatever ``n`` is.

    Examples
    --------
    >>> seeds(2) == seeds(5)[:2], len(set(seeds(10)))
    (True, 10)
    """
    return tuple(int(child.generate_state(1)[0]) for child in np.random.SeedSequence(master).spawn(n))


@dataclass(frozen=True)
class Extent:
    """The part of a paper that is run."""

    seeds: tuple[int, ...]
    quick: bool
    """Whether grids leave out what their ``quick`` does not name."""


Ask = Callable[[Sequence[Unit]], list[Any]]
"""Does units that others depend on, such as those that find a parameter, and returns their results."""
