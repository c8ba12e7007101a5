"""The fit of the pace: a search by true labels, and the loss beside the estimate that it was made for."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import remaining_fit as fit
from lopsided.screening._finding_rate import log_density, read_pace
from lopsided.screening._stopping import truncate

Y = np.arange(400) < 40
RNG = np.random.default_rng(0)
X = csr_matrix(np.abs(RNG.normal(size=(400, 6))) + np.outer(Y, [3, 2, 0, 0, 0, 0]))


@pytest.mark.parametrize("variant", fit.VARIANTS[:4], ids=lambda v: type(v.learner).__name__)
def test_a_search_finds_most_and_labels_each_item_once(variant):
    screened = fit.screen(X, Y, variant, seed=0)
    assert len(set(screened.rows)) == len(screened.rows) == 320
    assert screened.relevant[:160].sum() > 30
    assert ("border" in screened.reasons) == (variant.border > 0)


def test_points_lie_at_the_truth_and_read_what_the_library_reads():
    screened = fit.screen(X, Y, fit.VARIANTS[0], seed=0)
    points = list(fit.points(screened, 40))
    assert len(points) == 6
    for n, p in zip(range(50, 301, 50), points, strict=True):
        left = 40 - screened.relevant[:n].sum()
        assert p.numbers[p.truth] <= left < p.numbers[p.truth] + p.size[p.truth]


def test_the_constants_of_the_library_give_the_density_of_the_library():
    """The loss of one point, by the constants that the library has, against its own density."""
    constants = np.array([-2.05, 0.61, -0.41, 0.83, 0.14, 1.52, -0.38, 0.48, -0.145, 0.285, -0.36])
    screened = fit.screen(X, Y, fit.VARIANTS[0], seed=0)
    for n, p in zip(range(50, 301, 50), fit.points(screened, 40), strict=True):
        density = log_density(read_pace(truncate(screened, n)), p.numbers) + p.checks
        weight = density + np.log(p.size)
        told = np.logaddexp.reduce(weight) - density[p.truth]
        assert fit.loss(constants, [p]) == pytest.approx(told + 1e-3 * constants @ constants)
