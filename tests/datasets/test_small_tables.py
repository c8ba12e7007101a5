import subprocess
import zipfile
from pathlib import Path

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
    with pytest.raises(ValueError, match=r"name must be one of 'caravan', .*Got 'iris'"):
        fetch_table("iris")


def test_it_is_never_downloaded(empty_machine):
    with pytest.raises(OSError, match=r"is never downloaded .*put tables/glass\.csv\.xz into"):
        fetch_table("glass")


def test_a_wheel_that_cannot_be_downloaded_says_why(empty_machine, monkeypatch):
    failed = subprocess.CompletedProcess([], 1, "", "WARNING: slow\nERROR: no such package\n")
    monkeypatch.setattr(subprocess, "run", lambda *args, **options: failed)
    with pytest.raises(OSError, match=r"pip could not download ISLP \(ERROR: no such package\).*by hand"):
        fetch_table("caravan")


def test_a_table_is_read_from_the_wheel(empty_machine, monkeypatch):
    def download(command, **options):
        with zipfile.ZipFile(
            Path(command[command.index("--dest") + 1]) / "islp-1-py3-none-any.whl", "w"
        ) as wheel:
            rows = ["No,No,1.5,2"] * 6723 + ["No,Yes,1.5,2"] * 2944 + ["Yes,No,3,4"] * 333
            wheel.writestr("ISLP/data/Default.csv", "\n".join(["default,student,balance,income", *rows]))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", download)
    table = fetch_table("default")
    assert table.target.sum() == 333
    assert table.data[-1].tolist() == [0, 3, 4]
