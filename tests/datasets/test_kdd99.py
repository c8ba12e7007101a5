import gzip

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from lopsided.datasets import DataUnavailable, _kdd99, fetch_kdd99
from lopsided.datasets._kdd99 import convert_scikit_learn, parse_lines
from lopsided.datasets._layout import encode_file


def line(protocol, label, count="3", rate="0.50"):
    return ",".join(["0", protocol, "http", "SF", count, *["0"] * 35, rate, label])


TRAIN = [line("tcp", "normal"), line("tcp", "smurf", count="7"), line("tcp", "normal")]
TEST = [line("udp", "normal"), line("tcp", "mailbomb")]


def test_parse_lines():
    table = parse_lines("".join(f"{row}.\n" for row in TEST))
    assert list(table.lines()) == TEST


def test_convert_scikit_learn():
    row = [0, b"tcp", b"http", b"SF", 3, *[0] * 35, 0.5]
    table = convert_scikit_learn(np.array([row], dtype=object), np.array([b"normal."], dtype=object))
    assert list(table.lines()) == [line("tcp", "normal", rate="0.5")]


@pytest.fixture
def small(empty_machine, any_counts):
    for name, lines in (("10pct", TRAIN), ("corrected_test", TEST)):
        path = empty_machine / "kdd99" / f"kdd99_{name}.csv.xz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_file(path, _kdd99.CsvTable(_kdd99._COLUMNS, lines)))


def test_codes_are_the_same_in_every_subset(small):
    whole = fetch_kdd99()
    assert whole.target_names == ["mailbomb", "normal", "smurf"]
    assert whole.target.tolist() == [1, 2, 1, 1, 0]
    assert whole.split.tolist() == ["train"] * 3 + ["test"] * 2
    assert whole.categories["protocol_type"] == ["tcp", "udp"]
    for subset, rows in (("train", slice(0, 3)), ("test", slice(3, 5))):
        part = fetch_kdd99(subset=subset)
        np.testing.assert_array_equal(part.data, whole.data[rows])
        np.testing.assert_array_equal(part.target, whole.target[rows])
        assert part.target_names == whole.target_names


def test_facts_by_hand():
    facts = _kdd99._count(_kdd99.CsvTable(_kdd99._COLUMNS, TRAIN), _kdd99.CsvTable(_kdd99._COLUMNS, TEST))
    assert facts["unseen attack types"] == 1
    assert facts["test rows of unseen attack types"] == 1
    assert facts["distinct train rows"] == 2
    assert facts["repeated train rows, percent"] == 33
    assert facts["train attack types"] == 1


def test_small_answer_is_refused(empty_machine, monkeypatch):
    row = [0, b"tcp", b"http", b"SF", 3, *[0] * 35, 0.5]
    answer = Bunch(data=np.array([row], dtype=object), target=np.array([b"normal."], dtype=object))
    monkeypatch.setattr(sklearn.datasets, "fetch_kddcup99", lambda **options: answer)

    def download(url, folder):
        path = folder / "corrected.gz"
        path.write_bytes(gzip.compress("".join(f"{row}.\n" for row in TEST).encode()))
        return path

    monkeypatch.setattr(_kdd99, "download", download)
    with pytest.raises(DataUnavailable, match=r"train rows: expected 494,021, found 1"):
        fetch_kdd99()


def test_real_connections(need):
    need("kdd99")
    bunch = fetch_kdd99(subset="test")
    assert bunch.data.shape == (311029, 41)
    assert len(bunch.target_names) == 40
    assert (bunch.target == bunch.target_names.index("normal")).sum() == 60593
    assert not np.isnan(bunch.data).any()
