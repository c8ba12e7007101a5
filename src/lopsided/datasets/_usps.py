"""USPS: digits from envelopes, 16 x 16 pixels."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from lopsided.datasets._bunch import check_choice, make_bunch
from lopsided.datasets._cache import blaming, load
from lopsided.datasets._digits import by_digit, count_digits
from lopsided.datasets._download import from_openml
from lopsided.datasets._layout import Arrays, Copy, Counts, DataSet

_N_TRAIN = 7291


def fetch_usps(*, subset: str = "all") -> Bunch:
    """Load the USPS digits.

    Parameters
    ----------
    subset : {"all", "train", "test"}, default="all"
        Which side of the published split (7,291 / 2,007).

    Returns
    -------
    Bunch
        ``data`` (float array, 256 pixels from -1 to 1 in thousandths, as in the original), ``target`` (the
        digit), ``target_names``, ``split``, ``provenance``, ``DESCR``.

    Examples
    --------
    >>> from lopsided.datasets import fetch_usps
    >>> fetch_usps(subset="test").data.shape  # doctest: +SKIP
    (2007, 256)
    """
    check_choice("subset", subset, ("all", "train", "test"))
    loaded = load(USPS)
    with blaming(loaded):
        arrays = loaded.contents[0]
        return make_bunch(
            USPS,
            loaded,
            subset=subset,
            data=np.vstack([arrays["x_train_milli"], arrays["x_test_milli"]]) / 1000.0,
            target=np.concatenate([arrays["y_train"], arrays["y_test"]]).astype(np.intp),
            target_names=[str(digit) for digit in range(10)],
            split=np.repeat(["train", "test"], [len(arrays["y_train"]), len(arrays["y_test"])]),
        )


def convert_openml(X: NDArray[Any], y: NDArray[Any]) -> Arrays:
    """Take apart OpenML's table: training rows first, pixels from -1 to 1, classes "1" to "10"."""
    milli = np.rint(np.asarray(X, dtype=float) * 1000).astype(np.int16)
    digit = (np.asarray(y, dtype=float) - 1).astype(np.uint8)
    grey = np.rint((milli.astype(float) + 1000) * 255 / 2000).astype(np.uint8)
    return {
        "x_train": grey[:_N_TRAIN],
        "y_train": digit[:_N_TRAIN],
        "x_test": grey[_N_TRAIN:],
        "y_test": digit[_N_TRAIN:],
        "x_train_milli": milli[:_N_TRAIN],
        "x_test_milli": milli[_N_TRAIN:],
    }


def _build(folder: Path) -> tuple[Arrays]:
    return (convert_openml(*from_openml(41082, folder)),)


def _count(arrays: Arrays) -> Counts:
    milli = np.vstack([arrays["x_train_milli"], arrays["x_test_milli"]])
    return {
        "pixels": arrays["x_train"].shape[1],
        **count_digits(arrays),
        "pixels in thousandths": milli.shape[1],
        "lowest thousandths": int(milli.min()),
        "highest thousandths": int(milli.max()),
    }


USPS = DataSet(
    name="usps",
    title="USPS: 9,298 digits from envelopes, 16 x 16 pixels.",
    source="OpenML data set 41082",
    terms="No formal licence, customary research use.",
    copies=(
        Copy(
            files=("usps/usps.npz",),
            fields=("x_train", "y_train", "x_test", "y_test", "x_train_milli", "x_test_milli"),
            count=_count,
            build=_build,
            published={
                "pixels": 256,
                "train digits": 7291,
                "test digits": 2007,
                **by_digit("train", "1194 1005 731 658 652 556 664 645 542 644"),
                **by_digit("test", "359 264 198 166 200 160 170 147 166 177"),
                "pixels in thousandths": 256,
                "lowest thousandths": -1000,
                "highest thousandths": 1000,
            },
        ),
    ),
)
