"""What the published values of all papers have in common."""

from importlib.resources import files

import pytest

from lopsided.experiments import Published

TABLES = [
    (f"lopsided.papers.{package.name}", path)
    for package in files("lopsided.papers").iterdir()
    if package.joinpath("published").is_dir()
    for path in package.joinpath("published").iterdir()
]


def test_there_are_papers():
    assert len({package for package, _ in TABLES}) >= 2


@pytest.mark.parametrize(("package", "path"), TABLES, ids=lambda part: getattr(part, "name", part))
def test_published_values_name_their_source(package, path):
    assert path.read_text("utf-8").startswith("# Source: ")
    assert Published.read(package, path.name.removesuffix(".csv")).measurements()
