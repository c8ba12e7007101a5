"""The tour as one page: a table and two pictures a setting."""

from collections.abc import Sequence
from itertools import groupby

from lopsided.demo._corpus import Corpus
from lopsided.demo._result import Result, compare_results
from lopsided.report import Bars, Block, Cell, Plot, Table
from lopsided.report._templates import group_blocks, render_page

TITLE = "A tour of lopsided labels"
_LEAD = (
    "Four ways in which labels are lopsided, on real text: the strongest plain baselines of scikit-learn, "
    "and what lopsided has beside them."
)
_MEANING = {
    "rare class": "One group, of which there is little to learn from; asking at the border needs few labels.",
    "positive + unlabeled": (
        "Some positives are known, and the unlabeled documents hide the others. The balanced baselines take "
        "unlabeled documents as negative."
    ),
    "one-sided stream": "Documents come one by one, and a label comes back only for what was shown.",
    "unexpected groups": "The new documents hold some of a group that the known ones do not.",
}
TRIAGE = "http://127.0.0.1:8642/"  # the address of `lopsided serve` where no other port is named
_SCORES = ("precision", "recall", "f1", "g_means", "prbep")
_NAMES = ("labels", "precision", "recall", "F1", "g-mean", "PRBEP")


def render_tour(results: Sequence[Result], corpus: Corpus) -> str:
    """Return the page of all results."""
    n_documents, n_words = corpus.X.shape
    settings = []
    for k, (setting, group) in enumerate(groupby(results, key=lambda result: result.setting)):
        some = list(group)
        settings.append(
            {
                "name": setting.capitalize(),
                "task": some[0].task,
                "meaning": f"{_MEANING.get(setting, '')} {compare_results(some)}".strip(),
                "blocks": group_blocks(_blocks(some), f"tour-{k}"),
                "results": some,
            }
        )
    lead = f"{_LEAD} {corpus.name}: {n_documents:,} documents, {n_words:,} stemmed words."
    return render_page(
        "demo", title=TITLE, notes=[corpus.notice], lead=lead, settings=settings, triage=TRIAGE
    )


def _blocks(results: Sequence[Result]) -> list[Block]:
    lines = []
    for result in results:
        record = result.record()
        cells: list[Cell | str] = [f"{result.n_labels:,}", *(Cell(record[s], digits=3) for s in _SCORES)]
        lines.append((result.method, cells))
    f1 = [(result.method, [float(result.counts.f())]) for result in results]
    return [
        Table(_NAMES, lines),
        Bars([""], f1, "F1", "F1 of the answers"),
        Plot([result.curve for result in results], "recall", "precision", "Along the ranking"),
    ]
