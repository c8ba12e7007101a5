"""The answer of every fetcher."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from lopsided.datasets._cache import Loaded
from lopsided.datasets._layout import DataSet


def check_choice(name: str, value: Any, choices: Sequence[Any]) -> None:
    """Refuse a value that is not one of the choices.

    Examples
    --------
    >>> check_choice("subset", "tarin", ("all", "train", "test"))
    Traceback (most recent call last):
        ...
    ValueError: subset must be one of 'all', 'train', 'test'. Got 'tarin'. Did you mean 'train'?
    """
    if value not in choices:
        close = get_close_matches(value, choices, n=1) if isinstance(value, str) else []
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}. Got {value!r}.{hint}")


def make_bunch(
    data_set: DataSet,
    loaded: Loaded,
    *,
    data: Any,
    target: Any,
    target_names: list[str],
    split: NDArray[Any] | None = None,
    subset: str = "all",
    rows: Mapping[str, Any] | None = None,
    **others: Any,
) -> Bunch:
    """Choose the rows of ``subset`` and put together what a fetcher returns.

    ``rows`` holds further values with one entry for each row; ``others`` hold for the whole set.
    """
    chosen: dict[str, Any] = {"data": data, "target": target, **(rows or {})}
    _check_rows(chosen if split is None else {**chosen, "split": split})
    if subset != "all":
        assert split is not None
        keep = np.flatnonzero(split == subset)
        chosen = {name: _take(value, keep) for name, value in chosen.items()}
        split = split[keep]
    source = loaded.copy.source or data_set.source
    provenance = {
        "name": data_set.name,
        "where": loaded.where,
        "path": ", ".join(str(path) for path in loaded.paths),
        "source": source,
        "terms": data_set.terms,
        "differs": loaded.copy.differs,
    }
    text = f"{data_set.title}\n\nSource: {source}\nTerms: {data_set.terms}\n{loaded.copy.differs}\n"
    return Bunch(
        **chosen, target_names=target_names, split=split, provenance=provenance, DESCR=text, **others
    )


def _check_rows(parts: Mapping[str, Any]) -> None:
    sizes = {name: len(v) if isinstance(v, list) else v.shape[0] for name, v in parts.items()}
    if len(set(sizes.values())) > 1:
        counts = ", ".join(f"{name} {n:,}" for name, n in sizes.items())
        raise ValueError(f"expected the same number of rows in all parts, got {counts}")


def _take(values: Any, rows: NDArray[np.intp]) -> Any:
    return [values[i] for i in rows] if isinstance(values, list) else values[rows]
