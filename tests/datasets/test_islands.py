import numpy as np
import pytest

from lopsided import make_islands


def test_islands_law():
    X, y, is_positive = make_islands(5_000, 45_000, random_state=0)
    assert X.shape == (50_000, 2)
    assert y.tolist() == [1] * 5_000 + [0] * 45_000
    assert is_positive[y == 1].all()
    place = np.round(X / 2).clip(-1, 1)  # the nearest of nine; a few points of each are nearer to another
    middle = (place == 0).all(axis=1)
    assert np.mean(middle == is_positive) > 0.99
    heap = y == 0
    assert is_positive[heap].mean() == pytest.approx(1 / 9, abs=0.006)
    for centre in np.ndindex(3, 3):
        here = heap & (place == np.array(centre) - 1).all(axis=1)
        assert here.sum() == pytest.approx(5_000, abs=300)
        np.testing.assert_allclose(X[here].mean(axis=0), 2.0 * (np.array(centre) - 1), atol=0.03)
    wanted = X[is_positive == 1]
    np.testing.assert_allclose(np.cov(wanted.T), 0.35**2 * np.eye(2), atol=0.005)
    np.testing.assert_allclose(X[y == 1].std(axis=0), X[heap & (is_positive == 1)].std(axis=0), atol=0.015)


def test_islands_have_no_order_to_go_by():
    """Where a point of the heap comes says nothing about where it lies."""
    _, y, is_positive = make_islands(10, 20_000, random_state=0)
    heap = is_positive[y == 0]
    assert abs(heap[:10_000].mean() - heap[10_000:].mean()) < 0.015


def test_equal_seeds_give_equal_islands():
    for one, two in zip(make_islands(random_state=3), make_islands(random_state=3), strict=True):
        np.testing.assert_array_equal(one, two)
    generator = make_islands(random_state=np.random.default_rng(3))
    np.testing.assert_array_equal(generator[0], make_islands(random_state=3)[0])
    assert not np.array_equal(make_islands(random_state=4)[0], generator[0])
    assert [len(part) for part in make_islands()] == [660] * 3


def test_the_smallest_islands():
    X, y, is_positive = make_islands(1, 1, random_state=0)
    assert X.shape == (2, 2)
    assert y.tolist() == [1, 0]
    assert is_positive[0] == 1


@pytest.mark.parametrize("name", ["n_positives", "n_unlabeled"])
def test_no_islands(name):
    with pytest.raises(ValueError, match=f"{name} must be 1 or more; got 0"):
        make_islands(**{name: 0})
    with pytest.raises(ValueError, match="random_state"):
        make_islands(random_state="now")
