import numpy as np
import pytest

from lopsided import fetch_table
from lopsided.datasets._small_tables import SMALL_TABLES


@pytest.mark.parametrize("name", SMALL_TABLES)
def test_real_tables(need, name):
    need(name)
    table = fetch_table(name)
    assert table.data.shape == (len(table.target), len(table.feature_names))
    assert np.isfinite(table.data).all()
    assert set(table.target) == set(range(len(table.target_names)))  # every class is there
    assert table.split is None


def test_words_are_coded(need):
    need("german")
    table = fetch_table("german")
    assert table.categories["a1"] == ["A11", "A12", "A13", "A14"]
    assert table.data[0, :3].tolist() == [0, 6, table.categories["a3"].index("A34")]
    assert table.target_names[table.target[0]] == "1"


def test_a_name_that_is_not_there():
    with pytest.raises(ValueError, match=r"name must be one of 'ecoli', .*Got 'iris'"):
        fetch_table("iris")


def test_it_is_never_downloaded(empty_machine):
    with pytest.raises(OSError, match=r"is never downloaded .*put tables/glass\.csv\.xz into"):
        fetch_table("glass")
