"""The rows of the page come from a real server, which a reviewer asks over HTTP."""

import csv

import numpy as np
import pytest

from lopsided.bench import Measured
from lopsided.bench._screening import _page_rows
from lopsided.bench._served import write_records


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr("lopsided.bench._served._N_ANSWERS", 5)
    monkeypatch.setattr("lopsided.bench._served._PAUSE", (0.0, 0.01))


def test_made_up_records_say_which_are_relevant(tmp_path):
    relevant = write_records(tmp_path / "a.csv", 3000)
    again = write_records(tmp_path / "b.csv", 3000)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    np.testing.assert_array_equal(relevant, again)
    with (tmp_path / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [str(i) for i in range(3000)]
    np.testing.assert_array_equal(["gravity" in row["abstract"] for row in rows], relevant)
    assert 10 < relevant.sum() < 60
    texts = {row["title"] + row["abstract"] for row in rows}
    assert 2900 < len(texts) < 3000  # some are copies


def test_the_page_is_measured_once_for_all_its_rows(quick):
    from lopsided.bench import measure

    rows = list(_page_rows(1000))
    assert [row.name for row in rows] == ["T11c created", "T11c model", "T11c next"]
    for package in ("fastapi", "sqlalchemy", "uvicorn"):
        pytest.importorskip(package, reason="needs lopsided[web]")  # all else is a failure
    results = [measure(row) for row in rows]
    assert all(isinstance(result, Measured) for result in results)
    assert len({result.quality.figures for result in results}) == 1
    assert "peak memory" in results[0].quality.figures
    assert all(0 < result.ours < 120 for result in results)
