"""The examples in the docstrings of the research scripts run."""

import doctest
import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "research"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_examples_in_docstrings(script):
    failed, _ = doctest.testmod(importlib.import_module(script))
    assert failed == 0


def test_the_readme_names_every_script():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert {script for script in SCRIPTS if f"`{script}.py" not in readme} == set()
