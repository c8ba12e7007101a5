"""Handwritten digits: USPS and MNIST in their own splits."""

from functools import cache

import numpy as np
from sklearn.preprocessing import normalize

from lopsided.datasets import fetch_mnist, fetch_usps
from lopsided.problems._records import Split


@cache
def read_mnist() -> Split:
    """Return MNIST with its pixels between 0 and 1 in single precision."""
    train, test = (fetch_mnist(subset=side) for side in ("train", "test"))
    X_train, X_test = (digits.data.astype(np.float32) / np.float32(255) for digits in (train, test))
    return Split(X_train, train.target, X_test, test.target)


@cache
def read_usps() -> Split:
    """Return USPS in rows of unit length."""
    train, test = (fetch_usps(subset=side) for side in ("train", "test"))
    # On grey levels as they are, gamma = 2 makes every image its own island (the kernel is the identity).
    X_train, X_test = (normalize((digits.data + 1) / 2) for digits in (train, test))
    return Split(X_train, train.target, X_test, test.target)
