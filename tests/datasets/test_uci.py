import numpy as np
import pytest

from lopsided.datasets import fetch_uci
from lopsided.datasets._layout import encode_file
from lopsided.datasets._table import Table
from lopsided.datasets._uci import UCI

SHAPES = {
    "abalone": (4177, 8),
    "adult": (48842, 14),
    "breast_cancer_wisconsin_original": (699, 9),
    "letter": (20000, 16),
    "satimage": (6435, 36),
    "shuttle": (58000, 9),
    "spambase": (4601, 57),
}


@pytest.fixture
def put(empty_machine):
    def put_table(name, *lines):
        path = empty_machine / "uci" / f"{name}.csv.xz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_file(path, Table(UCI[name].copies[0].fields, lines)))

    return put_table


def test_words_missing_cells_and_split(put):
    put(
        "adult",
        "train,39,State-gov,7,Bachelors,13,Never,Clerk,Single,White,Male,2174,0,40,Atlantis,<=50K",
        "test,25,?,8,11th,7,Never,Farmer,Own-child,Black,Female,0,0,35,Utopia,>50K",
    )
    bunch = fetch_uci("adult")
    assert bunch.feature_names[:2] == ["age", "workclass"]
    assert bunch.categories["education"] == ["11th", "Bachelors"]
    assert bunch.data[:, bunch.feature_names.index("education")].tolist() == [1, 0]
    np.testing.assert_array_equal(bunch.data[:, 1], [0, np.nan])
    assert bunch.target.tolist() == [0, 1]
    assert bunch.split.tolist() == ["train", "test"]
    test = fetch_uci("adult", subset="test")
    np.testing.assert_array_equal(test.data, bunch.data[1:])  # the codes are those of the whole


def test_ids_are_no_feature(put):
    put("breast_cancer_wisconsin_original", "1000,5,1,1,1,2,?,3,1,1,2", "1001,5,4,4,5,7,10,3,2,1,4")
    bunch = fetch_uci("breast_cancer_wisconsin_original")
    assert bunch.ids == ["1000", "1001"]
    assert bunch.data.shape == (2, 9)
    assert np.isnan(bunch.data[0, 5])
    assert [bunch.target_names[i] for i in bunch.target] == ["benign", "malignant"]


def test_rings_are_numbers(put):
    put("abalone", "M,0.4,0.3,0.1,0.5,0.2,0.1,0.15,29", "I,0.3,0.2,0.1,0.2,0.1,0.05,0.07,7")
    bunch = fetch_uci("abalone")
    assert bunch.target.tolist() == [29, 7]
    assert bunch.target_names == ["rings"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "iris"}, "name must be one of 'abalone'"),
        ({"name": "letter", "subset": "train"}, "subset must be one of 'all'"),
        ({"name": "adult", "subset": "dev"}, "subset must be one of 'all', 'train', 'test'"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        fetch_uci(**arguments)


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_real_tables(need, name):
    need(name)
    bunch = fetch_uci(name)
    assert bunch.data.shape == SHAPES[name]
    assert len(bunch.feature_names) == bunch.data.shape[1]
    assert bunch.data.dtype == np.float64
    if name != "abalone":
        assert len(np.unique(bunch.target)) == len(bunch.target_names)
        assert bunch.target.max() == len(bunch.target_names) - 1
    missing = {"adult": 3620, "breast_cancer_wisconsin_original": 16}
    assert np.isnan(bunch.data).any(axis=1).sum() == missing.get(name, 0)
