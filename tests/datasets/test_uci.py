import numpy as np
import pytest

from lopsided.datasets import DataUnavailable, fetch_uci, verify
from lopsided.datasets._layout import encode_file
from lopsided.datasets._table import CsvTable
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
def put(empty_machine, any_counts):
    def put_table(name, *lines):
        path = empty_machine / "uci" / f"{name}.csv.xz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_file(path, CsvTable(UCI[name].copies[0].fields, lines)))

    return put_table


def test_words_missing_cells_and_split(put):
    put(
        "adult",
        "train,91,State-gov,7,Bachelors,4,Never,Clerk,Single,White,Male,33,0,12,Atlantis,<=50K",
        "test,92,?,8,11th,5,Never,Farmer,Own-child,Black,Female,0,0,13,Utopia,>50K",
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
    put("breast_cancer_wisconsin_original", "71,9,8,7,6,5,?,4,3,2,2", "72,1,2,3,4,5,6,7,8,9,4")
    bunch = fetch_uci("breast_cancer_wisconsin_original")
    assert bunch.ids == ["71", "72"]
    assert bunch.data.shape == (2, 9)
    assert np.isnan(bunch.data[0, 5])
    assert [bunch.target_names[i] for i in bunch.target] == ["benign", "malignant"]


def test_rings_are_numbers(put):
    put("abalone", "M,0.4,0.3,0.1,0.5,0.2,0.1,0.15,29", "I,0.3,0.2,0.1,0.2,0.1,0.05,0.07,7")
    bunch = fetch_uci("abalone")
    assert bunch.target.tolist() == [29, 7]
    assert bunch.target_names == ["rings"]


@pytest.mark.parametrize("rings", ["many", "inf"])
def test_rings_that_are_no_number_name_the_file(put, rings):
    put("abalone", f"M,0.4,0.3,0.1,0.5,0.2,0.1,0.15,{rings}")
    with pytest.raises(DataUnavailable, match=r"abalone\.csv\.xz could not be read"):
        fetch_uci("abalone")
    assert "abalone.csv.xz could not be read" in verify("abalone").error


def test_word_among_the_features_names_file_and_column(put):
    put("letter", "H" + ",1" * 15 + ",wide")
    with pytest.raises(DataUnavailable, match=r"letter\.csv\.xz could not be read .*column 'yegvx'.*'wide'"):
        fetch_uci("letter")


def test_label_that_is_no_class_names_the_file(put):
    put("letter", "h" + ",1" * 16)
    with pytest.raises(DataUnavailable, match=r"letter\.csv\.xz could not be read \('h' is not known\)"):
        fetch_uci("letter")


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_header_alone(empty_machine, name):
    path = empty_machine / "uci" / f"{name}.csv.xz"
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_file(path, CsvTable(UCI[name].copies[0].fields, [])))
    facts = {fact.name: fact.found for fact in verify(name).facts}
    assert facts["rows"] == 0
    with pytest.raises(DataUnavailable, match=rf"{name}\.csv\.xz does not hold .*rows: expected .*, found 0"):
        fetch_uci(name)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "iris"}, "name must be one of 'abalone'"),
        ({"name": "lettre"}, r"Got 'lettre'\. Did you mean 'letter'\?"),
        ({"name": "letter", "subset": "train"}, "letter has no published split, so subset must be 'all'"),
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
