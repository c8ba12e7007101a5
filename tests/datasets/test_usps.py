import numpy as np
import pytest

from lopsided.datasets import DataUnavailable, _usps, fetch_usps, verify
from lopsided.datasets._layout import encode_file
from lopsided.datasets._usps import convert_openml


def test_convert_openml(monkeypatch):
    monkeypatch.setattr(_usps, "_N_TRAIN", 2)
    X = np.array([[-1.0, 0.25], [1.0, -0.5], [0.0, -0.9]])
    arrays = convert_openml(X, np.array(["7", "1", "10"], dtype=object))
    assert arrays["y_train"].tolist() == [6, 0]
    assert arrays["y_test"].tolist() == [9]
    assert arrays["x_train_milli"].tolist() == [[-1000, 250], [1000, -500]]
    assert arrays["x_train"].tolist() == [[0, 159], [255, 64]]
    assert arrays["x_test"].tolist() == [[128, 13]]


def arrays(**wrong):
    sides = {f"x_{side}": np.zeros((n, 256), np.uint8) for side, n in (("train", 3), ("test", 2))}
    milli = {f"{name}_milli": x.astype(np.int16) for name, x in sides.items()}
    return sides | milli | {"y_train": np.array([0, 1, 2]), "y_test": np.array([3, 4])} | wrong


@pytest.fixture
def put(empty_machine):
    def put_arrays(**wrong):
        path = empty_machine / "usps" / "usps.npz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_file(path, arrays(**wrong)))
        return path

    return put_arrays


def test_flat_arrays_are_no_digits(put):
    path = put(x_train=np.zeros(3), x_test=np.zeros(2))
    verdict = verify("usps")
    assert not verdict.agrees
    assert f"{path} could not be read" in verdict.error
    with pytest.raises(DataUnavailable, match=r"usps\.npz could not be read"):
        fetch_usps()


def test_fewer_images_than_digits(put, any_counts):
    put(x_test_milli=np.zeros((1, 256)))
    with pytest.raises(DataUnavailable, match=r"usps\.npz could not be read .*data 4, target 5"):
        fetch_usps()


def test_other_digits_than_the_published_ones(put):
    put()
    with pytest.raises(
        DataUnavailable, match=r"usps\.npz does not hold .*train digits: expected 7,291, found 3"
    ):
        fetch_usps()


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
