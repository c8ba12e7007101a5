import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from lopsided.datasets import DataUnavailable, fetch_covtype
from lopsided.datasets._covtype import fold


def row(quantities, wilderness, soil):
    return np.concatenate([quantities, np.eye(4)[wilderness - 1], np.eye(40)[soil - 1]])


def test_fold():
    X = np.array([row(range(10), 1, 29), row(range(10, 20), 4, 40)])
    arrays = fold(X, np.array([5, 2]))
    assert arrays["X"].tolist() == [list(range(10)), list(range(10, 20))]
    assert arrays["wilderness"].tolist() == [1, 4]
    assert arrays["soil"].tolist() == [29, 40]
    assert arrays["y"].tolist() == [5, 2]


def test_row_without_soil_is_refused():
    X = row(range(10), 1, 29)[None]
    X[0, -12:] = 0
    with pytest.raises(ValueError, match="exactly one wilderness area and one soil type"):
        fold(X, np.array([5]))


def test_small_answer_is_refused(empty_machine, monkeypatch):
    X = np.array([row(range(10), 1, 29)])
    answer = Bunch(data=X, target=np.array([5]))
    monkeypatch.setattr(sklearn.datasets, "fetch_covtype", lambda **options: answer)
    with pytest.raises(DataUnavailable, match=r"rows: expected 581,012, found 1"):
        fetch_covtype()


def test_real_patches(need):
    need("covtype")
    bunch = fetch_covtype()
    assert bunch.data.shape == (581012, 54)
    assert len(bunch.feature_names) == 54
    assert bunch.target_names[bunch.target[0]] == "Aspen"
    np.testing.assert_array_equal(bunch.data[:, 10:14].sum(axis=1), 1)
    np.testing.assert_array_equal(bunch.data[:, 14:].sum(axis=1), 1)
    # The first row as it is printed everywhere.
    assert bunch.data[0, :4].tolist() == [2596, 51, 3, 258]
    assert np.flatnonzero(bunch.data[0, 10:]).tolist() == [0, 4 + 28]
