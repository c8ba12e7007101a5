import numpy as np

from lopsided.datasets import _mnist, fetch_mnist
from lopsided.datasets._mnist import convert_openml


def test_convert_openml(monkeypatch):
    monkeypatch.setattr(_mnist, "_N_TRAIN", 1)
    X = np.arange(2 * 784).reshape(2, 784) % 256.0
    arrays = convert_openml(X, np.array(["5", "0"], dtype=object))
    assert arrays["x_train"].shape == arrays["x_test"].shape == (1, 28, 28)
    assert arrays["x_train"][0, 1, 0] == 28  # row by row
    assert (arrays["y_train"].tolist(), arrays["y_test"].tolist()) == ([5], [0])


def test_real_digits(need):
    need("mnist")
    bunch = fetch_mnist()
    assert bunch.data.shape == (70000, 784)
    assert bunch.data.dtype == np.uint8
    assert bunch.target[:3].tolist() == [5, 0, 4]
    test = fetch_mnist(subset="test")
    assert (test.target == 8).sum() == 974
    np.testing.assert_array_equal(test.data, bunch.data[60000:])
