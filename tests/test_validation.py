import numpy as np
import polars as pl
import pytest

from lopsided._validation import as_generator, as_numbers, as_weights


def test_numbers():
    assert as_numbers([[1], [2]], "x").tolist() == [1, 2]
    assert as_numbers([np.inf, 0], "x").tolist() == [np.inf, 0]
    with pytest.raises(ValueError, match="x contains NaN in 1 of 2"):
        as_numbers(pl.Series([1.0, None]), "x")


def test_weights():
    assert as_weights(None, 3) is None
    with pytest.raises(ValueError, match=r"finite and not negative; got 1\.0 to inf"):
        as_weights([1, np.inf], 2)
    with pytest.raises(ValueError, match="not negative; got -1"):
        as_weights([1, -1], 2)


def test_one_generator_is_handed_on_and_the_global_one_never_used():
    generator = np.random.default_rng(0)
    assert as_generator(generator) is generator
    with pytest.raises(ValueError, match="random_state must be None"):
        as_generator(np.random)
