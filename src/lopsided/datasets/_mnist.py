"""MNIST: handwritten digits, 28 x 28 pixels."""

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

_N_TRAIN = 60_000


def fetch_mnist(*, subset: str = "all") -> Bunch:
    """Load MNIST.

    Parameters
    ----------
    subset : {"all", "train", "test"}, default="all"
        Which side of the published split (60,000 / 10,000).

    Returns
    -------
    Bunch
        ``data`` (uint8 array, 784 pixels from 0 to 255), ``target`` (the digit), ``target_names``,
        ``split``, ``provenance``, ``DESCR``.

    Examples
    --------
    >>> from lopsided.datasets import fetch_mnist
    >>> fetch_mnist(subset="test").data.shape  # doctest: +SKIP
    (10000, 784)
    """
    check_choice("subset", subset, ("all", "train", "test"))
    loaded = load(MNIST)
    with blaming(loaded):
        arrays = loaded.contents[0]
        return make_bunch(
            MNIST,
            loaded,
            subset=subset,
            data=np.vstack([arrays["x_train"], arrays["x_test"]]).reshape(-1, 784),
            target=np.concatenate([arrays["y_train"], arrays["y_test"]]).astype(np.intp),
            target_names=[str(digit) for digit in range(10)],
            split=np.repeat(["train", "test"], [len(arrays["y_train"]), len(arrays["y_test"])]),
        )


def convert_openml(X: NDArray[Any], y: NDArray[Any]) -> Arrays:
    """Take apart OpenML's table: training rows first, the digits as text."""
    images = np.asarray(X).astype(np.uint8).reshape(-1, 28, 28)
    digits = np.asarray(y).astype(float).astype(np.uint8)
    return {
        "x_train": images[:_N_TRAIN],
        "y_train": digits[:_N_TRAIN],
        "x_test": images[_N_TRAIN:],
        "y_test": digits[_N_TRAIN:],
    }


def _build(folder: Path) -> tuple[Arrays]:
    return (convert_openml(*from_openml(554, folder)),)


def _count(arrays: Arrays) -> Counts:
    return {"pixels": int(np.prod(arrays["x_train"].shape[1:])), **count_digits(arrays)}


MNIST = DataSet(
    name="mnist",
    title="MNIST: 70,000 handwritten digits, 28 x 28 pixels.",
    source="OpenML data set 554 (mnist_784)",
    terms="LeCun, Cortes, Burges; commonly given as CC BY-SA 3.0.",
    copies=(
        Copy(
            files=("mnist/mnist.npz",),
            fields=("x_train", "y_train", "x_test", "y_test"),
            count=_count,
            build=_build,
            published={
                "pixels": 784,
                "train digits": 60000,
                "test digits": 10000,
                **by_digit("train", "5923 6742 5958 6131 5842 5421 5918 6265 5851 5949"),
                **by_digit("test", "980 1135 1032 1010 982 892 958 1028 974 1009"),
            },
        ),
    ),
)
