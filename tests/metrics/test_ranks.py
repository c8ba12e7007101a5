import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from lopsided.metrics import average_ranks, competition_ranks
from reference.ertekin2007 import AVERAGE_RANKS, METHODS, PRBEP, RANKS


def test_published_ranks():
    assert competition_ranks(PRBEP).tolist() == RANKS
    np.testing.assert_allclose(average_ranks(PRBEP), AVERAGE_RANKS, atol=0.005)


def test_takes_a_data_frame():
    np.testing.assert_array_equal(average_ranks(pd.DataFrame(PRBEP, columns=METHODS)), average_ranks(PRBEP))


def test_agrees_with_scipy():
    scores = np.random.default_rng(0).integers(0, 4, (50, 6))
    np.testing.assert_array_equal(competition_ranks(scores), rankdata(-scores, method="min", axis=1))


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([1, 2, 3], r"shape \(3,\)"),
        (np.empty((0, 2)), "a row for each data set"),
        ([[1, np.nan]], "NaN in 1"),
    ],
)
def test_bad_input(scores, words):
    with pytest.raises(ValueError, match=words):
        average_ranks(scores)
