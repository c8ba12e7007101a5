from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from lopsided.datasets._bunch import check_choice, make_bunch
from lopsided.datasets._cache import Loaded
from lopsided.datasets._registry import get


@pytest.mark.parametrize(("subset", "rows"), [("all", [0, 1, 2]), ("train", [0, 2]), ("test", [1])])
@pytest.mark.parametrize("convert", [list, np.array, lambda x: csr_matrix(np.array(x)[:, None])])
def test_subset_takes_the_same_rows_of_everything(subset, rows, convert):
    values = [10, 11, 12]
    data_set = get("letter")
    loaded = Loaded(data_set.copies[0], "cache", (Path("a"), Path("b")), (), {})
    bunch = make_bunch(
        data_set,
        loaded,
        data=convert(values),
        target=np.array(values),
        target_names=["x"],
        split=np.array(["train", "test", "train"]),
        subset=subset,
        rows={"ids": values},
        feature_names=["whole"],
    )
    expected = [values[i] for i in rows]
    got = bunch.data.toarray().ravel().tolist() if hasattr(bunch.data, "toarray") else list(bunch.data)
    assert got == bunch.target.tolist() == bunch.ids == expected
    assert len(bunch.split) == len(rows)
    assert bunch.feature_names == ["whole"]
    assert bunch.provenance["path"] == "a, b"
    assert set(bunch.provenance) == {"name", "where", "path", "source", "terms", "differs"}


@pytest.mark.parametrize(
    "wrong", [{"target": np.zeros(4)}, {"split": np.array(["train"] * 4)}, {"rows": {"ids": [1, 2]}}]
)
def test_unequal_numbers_of_rows_are_refused(wrong):
    data_set = get("letter")
    loaded = Loaded(data_set.copies[0], "cache", (), (), {})
    parts = {"data": np.zeros((3, 2)), "target": np.zeros(3), "target_names": ["x"], **wrong}
    with pytest.raises(ValueError, match=r"same number of rows in all parts, got data 3, .* [24]"):
        make_bunch(data_set, loaded, **parts)


def test_choice():
    check_choice("subset", "all", ("all",))
    with pytest.raises(ValueError, match=r"subset must be one of 'all', 'train'\. Got 3\.$"):
        check_choice("subset", 3, ("all", "train"))
    with pytest.raises(ValueError, match=r"Got 'trian'\. Did you mean 'train'\?$"):
        check_choice("subset", "trian", ("all", "train"))
