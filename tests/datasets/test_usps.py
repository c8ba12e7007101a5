import numpy as np
import pytest

from lopsided.datasets import _usps, fetch_usps
from lopsided.datasets._usps import convert_openml


def test_convert_openml(monkeypatch):
    monkeypatch.setattr(_usps, "_N_TRAIN", 2)
    X = np.array([[-1.0, 0.148], [1.0, -0.631], [0.0, -0.948]])
    arrays = convert_openml(X, np.array(["7", "1", "10"], dtype=object))
    assert arrays["y_train"].tolist() == [6, 0]
    assert arrays["y_test"].tolist() == [9]
    assert arrays["x_train_milli"].tolist() == [[-1000, 148], [1000, -631]]
    assert arrays["x_train"].tolist() == [[0, 146], [255, 47]]
    assert arrays["x_test"].tolist() == [[128, 7]]


def test_bad_subset():
    with pytest.raises(ValueError, match="subset must be one of"):
        fetch_usps(subset="valid")


def test_real_digits(need):
    need("usps")
    train, test = fetch_usps(subset="train"), fetch_usps(subset="test")
    assert train.data.shape == (7291, 256)
    assert test.data.shape == (2007, 256)
    assert (train.data.min(), train.data.max()) == (-1, 1)
    assert (test.target == 4).sum() == 200
    both = fetch_usps()
    np.testing.assert_array_equal(both.data[:7291], train.data)


def test_real_grey_is_what_we_would_make_of_the_exact_values(need):
    """The conversion from OpenML must give the layout's own grey values."""
    need("usps")
    from lopsided.datasets._cache import load

    arrays = load(_usps.USPS).contents[0]
    milli = np.vstack([arrays["x_train_milli"], arrays["x_test_milli"]])
    made = convert_openml(milli / 1000, np.concatenate([arrays["y_train"], arrays["y_test"]]) + 1)
    # Halves may have been rounded the other way, nothing more.
    assert np.abs(made["x_train"].astype(int) - arrays["x_train"]).max() <= 1
    np.testing.assert_array_equal(made["x_test_milli"], arrays["x_test_milli"])
    np.testing.assert_array_equal(made["y_train"], arrays["y_train"])
