"""The width of the kernel, from the distances between positives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from lopsided.pu._width import gamma_of_positives


def by_hand(P):
    squared = ((P[:, None, :] - P[None, :, :]) ** 2).sum(axis=2)
    apart = [squared[i, j] for i in range(len(P)) for j in range(i)]
    nearest = [min(squared[i, j] for j in range(len(P)) if j != i) for i in range(len(P))]
    return min(1 / (4 * np.median(nearest)), 2.5 / np.median(apart))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize(("n", "d"), [(2, 1), (30, 1), (30, 2), (30, 40)])
def test_the_formula(form, n, d):
    P = np.random.default_rng(0).normal(size=(n, d))
    assert_allclose(gamma_of_positives(form(P), form(P)), by_hand(P))


def test_it_goes_with_the_square_of_the_scale_and_not_with_the_place():
    P = np.random.default_rng(0).normal(size=(30, 3))
    gamma = gamma_of_positives(P, P)
    assert_allclose(gamma_of_positives(10 * P, P), gamma / 100)
    assert_allclose(gamma_of_positives(P + 100.0, P), gamma)
    assert_allclose(gamma_of_positives(P.astype(np.float32), P), gamma, rtol=1e-5)


def test_of_many_positives_some_are_looked_at():
    P = np.random.default_rng(0).normal(size=(2500, 2))
    assert_allclose(gamma_of_positives(P, P), by_hand(P[::3][:834]))


def test_copies_alone_have_no_width_of_their_own():
    X = np.random.default_rng(0).normal(size=(50, 2))
    for P in (X[:1], np.repeat(X[:1], 9, axis=0)):
        assert_allclose(gamma_of_positives(P, X), 1 / (2 * X.var()))
    assert gamma_of_positives(np.ones((5, 2)), np.ones((9, 2))) == 1.0
    for seed, d in ((0, 3), (3, 7), (4, 20)):  # where rounding puts copies apart, or might
        X = np.random.default_rng(seed).normal(size=(60, d))
        assert_allclose(gamma_of_positives(np.repeat(X[:1], 5, axis=0), X), 1 / (d * X.var()))
    doubled = np.repeat(X[:20], 2, axis=0)  # the nearest other is a copy
    assert 0 < gamma_of_positives(doubled, X) < np.inf
