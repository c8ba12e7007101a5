"""Forest cover types: 581,012 patches of land."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from lopsided.datasets._bunch import make_bunch
from lopsided.datasets._cache import blaming, load
from lopsided.datasets._download import from_scikit_learn
from lopsided.datasets._layout import Arrays, Copy, Counts, DataSet

_TYPES = (
    "Spruce/Fir",
    "Lodgepole Pine",
    "Ponderosa Pine",
    "Cottonwood/Willow",
    "Aspen",
    "Douglas-fir",
    "Krummholz",
)
_QUANTITIES = (
    "elevation",
    "aspect",
    "slope",
    "horiz_dist_hydrology",
    "vert_dist_hydrology",
    "horiz_dist_roadways",
    "hillshade_9am",
    "hillshade_noon",
    "hillshade_3pm",
    "horiz_dist_fire_points",
)
_N_WILDERNESS, _N_SOIL = 4, 40


def fetch_covtype() -> Bunch:
    """Load the forest cover types in their original order.

    Returns
    -------
    Bunch
        ``data`` (float32 array of the usual 54 columns: ten quantities, four wilderness areas and forty
        soil types as 0 and 1), ``target`` (index into ``target_names``: the published type less one),
        ``target_names``, ``split`` (None: there is none), ``feature_names``, ``provenance``, ``DESCR``.

    Examples
    --------
    >>> from lopsided.datasets import fetch_covtype
    >>> fetch_covtype().data.shape  # doctest: +SKIP
    (581012, 54)
    """
    loaded = load(COVTYPE)
    with blaming(loaded):
        arrays = loaded.contents[0]
        wilderness = np.eye(_N_WILDERNESS, dtype=np.float32)[arrays["wilderness"] - 1]
        soil = np.eye(_N_SOIL, dtype=np.float32)[arrays["soil"] - 1]
        names = [str(name) for name in arrays["names"]]
        names += [f"wilderness_{i + 1}" for i in range(_N_WILDERNESS)]
        names += [f"soil_{i + 1}" for i in range(_N_SOIL)]
        return make_bunch(
            COVTYPE,
            loaded,
            data=np.hstack([arrays["X"].astype(np.float32), wilderness, soil]),
            target=arrays["y"].astype(np.intp) - 1,
            target_names=list(_TYPES),
            feature_names=names,
        )


def fold(X: NDArray[Any], y: NDArray[Any]) -> Arrays:
    """Return the usual 54 columns as 12: those of 0 and 1 become two columns of numbers from 1."""
    n = len(_QUANTITIES)
    areas = X[:, n : n + _N_WILDERNESS]
    soils = X[:, n + _N_WILDERNESS :]
    if not (np.all(areas.sum(axis=1) == 1) and np.all(soils.sum(axis=1) == 1)):
        raise ValueError("expected exactly one wilderness area and one soil type in each row")
    return {
        "X": X[:, :n].astype(np.int16),
        "wilderness": (areas.argmax(axis=1) + 1).astype(np.uint8),
        "soil": (soils.argmax(axis=1) + 1).astype(np.uint8),
        "y": y.astype(np.uint8),
        "names": np.array(_QUANTITIES),
    }


def _build(folder: Path) -> tuple[Arrays]:
    from sklearn.datasets import fetch_covtype as fetch

    bunch = from_scikit_learn(fetch, folder)
    return (fold(bunch.data, bunch.target),)


def _count(arrays: Arrays) -> Counts:
    return {
        "rows": len(arrays["y"]),
        "quantities": arrays["X"].shape[1],
        "wilderness areas": len(np.unique(arrays["wilderness"])),
        "soil types": len(np.unique(arrays["soil"])),
        **{f"type {i}": int((arrays["y"] == i).sum()) for i in range(1, 8)},
    }


_BY_TYPE = (211840, 283301, 35754, 2747, 9493, 17367, 20510)
COVTYPE = DataSet(
    name="covtype",
    title="Forest cover types: 581,012 patches of 30 x 30 metres, seven types.",
    source="scikit-learn fetch_covtype",
    terms="UCI repository, CC BY 4.0 (Blackard, Colorado State University).",
    copies=(
        Copy(
            files=("covtype/covtype.npz",),
            fields=("X", "wilderness", "soil", "y", "names"),
            count=_count,
            build=_build,
            published={
                "rows": 581012,
                "quantities": 10,
                "wilderness areas": 4,
                "soil types": 40,
                **{f"type {i}": n for i, n in enumerate(_BY_TYPE, start=1)},
            },
        ),
    ),
)
