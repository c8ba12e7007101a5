import numpy as np
import pytest

from lopsided.datasets import DataUnavailable, _citeseer, fetch_citeseer
from lopsided.datasets._citeseer import parse_files

CONTENT = "100 0 1 1 DB\ntoy-b 1 0 0 HCI\n300 0 0 0 Agents\n"
CITES = "100 toy-b\n100 toy-b\ntoy-b 100\n300 300\n999 100\n100 999\n"


def test_parse_files():
    arrays = parse_files(CONTENT, CITES)
    assert list(zip(arrays["doc"], arrays["word"], strict=True)) == [(0, 1), (0, 2), (1, 0)]
    assert arrays["y"].tolist() == [2, 5, 0]
    assert arrays["shape"].tolist() == [3, 3]
    # Once each; those with 999, which is not in the set, are gone.
    assert arrays["edges"].tolist() == [[0, 1], [1, 0], [2, 2]]


def test_archive_through_to_the_bunch(empty_machine, monkeypatch, make_tar):
    def download(url, folder):
        path = folder / "citeseer.tgz"
        files = {"citeseer/README": b"-", "citeseer/citeseer.content": CONTENT.encode()}
        path.write_bytes(make_tar({**files, "citeseer/citeseer.cites": CITES.encode()}))
        return path

    monkeypatch.setattr(_citeseer, "download", download)
    with pytest.raises(DataUnavailable, match=r"documents: expected 3,312, found 3"):
        fetch_citeseer()


def test_real_matrix(need):
    need("citeseer")
    bunch = fetch_citeseer()
    assert bunch.data.shape == (3312, 3703)
    assert bunch.data.sum() == 105165
    assert np.bincount(bunch.target).tolist() == [596, 249, 701, 668, 590, 508]
    assert bunch.edges.shape == (4714, 2)
    assert bunch.edges.max() < 3312
