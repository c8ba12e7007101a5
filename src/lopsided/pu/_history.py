"""``history_``: what happened in each step of a fit, as a dict of equally long arrays."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def as_columns(steps: Sequence[Mapping[str, Any]]) -> dict[str, NDArray[Any]]:
    """Return an array for each name, with one entry for each step.

    Parameters
    ----------
    steps : sequence of mappings
        All of them have the same names. None becomes NaN. A list of texts becomes one text, joined by "; ".
    """
    names = steps[0] if steps else ()
    return {name: np.array([_entry(step[name]) for step in steps]) for name in names}


def _entry(value: Any) -> Any:
    if value is None:
        return np.nan
    return "; ".join(value) if isinstance(value, list) else value
