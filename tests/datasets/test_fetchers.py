"""What holds for every fetcher."""

import inspect
import sys
from pathlib import Path

import pytest

from lopsided import datasets
from lopsided.datasets import _table_form
from lopsided.datasets._cache import DamagedFile, Loaded

# An argument for the fetchers of several data sets.
FIRST_NAMES = {"fetch_uci": "letter", "fetch_table": "glass", "fetch_screening": "adhd"}
FETCHERS = [name for name in datasets.__all__ if name.startswith("fetch_")]


@pytest.mark.parametrize("name", FETCHERS)
def test_content_that_cannot_be_converted_names_the_files(monkeypatch, name):
    fetch = getattr(datasets, name)

    def load(data_set, copies=None):
        files = data_set.copies[0].files
        paths = tuple(map(Path, files))
        return Loaded(data_set.copies[0], "LOPSIDED_DATA", paths, tuple(None for _ in files), {})

    for module in (sys.modules[fetch.__module__], _table_form):
        monkeypatch.setattr(module, "load", load, raising=False)
    arguments = [FIRST_NAMES[name]] if "name" in inspect.signature(fetch).parameters else []
    with pytest.raises(DamagedFile, match=r"^[\w-]+/\S+ .*could not be read \(.*Replace it by a whole copy"):
        fetch(*arguments)
