"""Criteria say the numbers of their checks, and take them from there."""

import re
import tomllib
from importlib.resources import files

import pytest

from lopsided.papers import PAPERS

# Papers whose criteria still spell their points out.
SPELLED_OUT = ("li-2007", "sculley-2007")
POINTS = re.compile(r"\d(?:\.\d+)? points")


def criteria(paper):
    package = f"lopsided.papers.{paper.replace('-', '_')}"
    texts = tomllib.loads(files(package).joinpath("paper.toml").read_text("utf-8"))
    return {id_: " ".join(claim["criterion"].split()) for id_, claim in texts["claims"].items()}


@pytest.mark.parametrize("paper", PAPERS)
def test_no_criterion_spells_out_points(paper):
    found = {id_ for id_, text in criteria(paper).items() if POINTS.search(text)}
    assert bool(found) == (paper in SPELLED_OUT), sorted(found)
