"""Published experiments run again on real data: one package per paper."""

from importlib import import_module

from lopsided.experiments import Paper

PAPERS = {"sculley-2007": 21, "li-2007": 10, "ertekin-2007": 14, "leskovec-2003": 13, "yu-2003": 9}
"""The ids of all papers, in the order of a report, and the number of claims of each."""


def find_paper(id_: str) -> Paper:
    """Return the paper of an id; its package is imported only now."""
    paper: Paper = import_module(f"lopsided.papers.{id_.replace('-', '_')}").PAPER
    return paper
