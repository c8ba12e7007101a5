"""The report of `find_more`: unlabeled texts or rows, those most like the positives first."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple

from lopsided.pu._share import PositiveShare
from lopsided.pu._trials import RankerTrial
from lopsided.report._ranked import RankedReport
from lopsided.report._ranked_page import RankedPage
from lopsided.report._reasons import Snippet

_DECLINED = (
    "too few positives are known to say how many of the {items} are positive, so none is flagged; "
    "add positives"
)
_VAGUE = (
    "the positives are too few, or too much like the other {items}, to say how many of these are positive, "
    "so none is flagged"
)
_LEADS = {
    "texts": "The texts most like the known positives come first; marked are the words that speak for them. ",
    "rows": "The rows most like the known positives come first; marked are the cells that are more frequent "
    "among the positives. ",
}
_NUMBERS = ("n_hidden", "n_hidden_low", "n_hidden_high")


class FindRecord(NamedTuple):
    """One unlabeled text or row, and how much it is like the positives.

    Examples
    --------
    >>> record = FindRecord(1, "a.txt", 0, 0.3, True, ("Ships",), Snippet("Ships sail.", ((0, 5),)))
    >>> record.plain()["text"]
    'Ships sail.'
    """

    rank: int
    id: str
    row: int  # its place among the unlabeled items as given, from 0
    score: float  # 0 is the line
    found: bool  # whether it is over the line
    words: tuple[str, ...]  # that speak for it, the weightiest first, as the text spells them; cells of a row
    snippet: Snippet

    @property
    def over(self) -> bool:
        """Whether the score is over the threshold."""
        return self.found

    def figures(self) -> dict[str, str]:
        """Return the numbers that a list shows, by name."""
        return {"score": f"{self.score:+.2f}"}

    def plain(self) -> dict[str, Any]:
        """Return rank, id, score, found, words and snippet as values that JSON can hold."""
        about = {"rank": self.rank, "id": self.id, "score": self.score, "found": self.found}
        return about | {"words": list(self.words), "text": self.snippet.text}


@dataclass(frozen=True, eq=False, repr=False)
class FindReport(RankedReport[FindRecord]):
    """The unlabeled texts or rows that `find_more` ranked, the best first.

    Methods that take ``n`` give the best n items, or all of them where it is None. The words of a text are
    those that raise its score most. The cells of a row are those whose value is more frequent among the
    positives than among the unlabeled rows, by half at least; the models that rank are asked nothing there.

    Parameters
    ----------
    share : PositiveShare or None
        Estimated share of positives among the ranked items, with an interval, and their number ``n_hidden``.
        None where too few positives are known to estimate it; nothing is found then.
    n_positives : int
        Positives that differ from each other.
    n_unlabeled : int
        Unlabeled items as given.
    n_known : int
        Unlabeled items that are equal to a positive, and therefore not ranked.
    n_wordless : int
        Unlabeled texts that are not ranked because no word of theirs is in another text.
    trials : tuple of RankerTrial
        How well each model ranked known positives that were hidden from it (``held_out``, the smaller the
        better), and which are used (``chosen``). Empty with fewer than five positives.
    scores : array
        Score of each ranked item, the best first; 0 is the line.
    items : {"texts", "rows"}
        What is ranked.
    remarks : tuple of str
        Which columns of a table were not looked at, and why.

    Attributes
    ----------
    n_found : int
        Items over the line.
    records : list of FindRecord
        All ranked items, the best first.

    Examples
    --------
    >>> from lopsided import find_more, make_topics
    >>> texts, topic = make_topics(300, random_state=0)
    >>> wanted = [text for text, t in zip(texts, topic) if t == 0]
    >>> others = [text for text, t in zip(texts, topic) if t != 0]
    >>> report = find_more(wanted[:8], wanted[8:] + others)
    >>> all(record.row < 7 for record in report.first(5))  # where the hidden ones are
    True
    """

    _columns: ClassVar[tuple[str, ...]] = ("rank", "id", "score", "found", "words", "text")
    _title: ClassVar[str] = "More like these"
    _advice: ClassVar[str] = (
        "Nothing is flagged. The ranking still holds: read it from the top, add the positives you find there "
        "to the known ones, and run it again."
    )

    share: PositiveShare | None
    n_positives: int
    n_unlabeled: int
    n_known: int
    n_wordless: int
    trials: tuple[RankerTrial, ...]
    items: str = "texts"
    remarks: tuple[str, ...] = ()

    @property
    def n_found(self) -> int:
        """Number of items over the threshold."""
        return int((self.scores >= 0).sum())

    @property
    def n_over(self) -> int | None:
        """Number of items over the threshold; None where there is no estimate, and so no threshold."""
        return None if self.share is None else self.n_found

    def summary(self) -> str:
        """Return one line: how many items there are, and how many of them should be positive.

        Returns
        -------
        line : str
        """
        compared = f"{len(self):,} {self.items} compared with {self.n_positives:,} positives"
        if self.share is None:
            return f"{compared}; {self._declined}"
        if self.share.overlaps:
            return f"{compared}; {self._bound(self.share)}"
        return (
            f"{compared}; about {self.share.n_hidden:,} of them should be positive too "
            f"({self._interval(self.share)})"
        )

    def ranking(self) -> str:
        """Return a sentence that says which models rank the items, and why.

        Returns
        -------
        sentence : str
        """
        if not self.trials and self.items == "texts":
            return "Ranked by RocSVM: too few positives are known to compare it with other models."
        if not self.trials:
            return "Ranked by the mean of all models: too few positives are known to compare them."
        chosen = " and ".join(trial.name for trial in self.trials if trial.chosen)
        found = ", ".join(f"{trial.name} {100 * trial.held_out:.2g} %" for trial in self.trials)
        return (
            f"Ranked by {chosen}. Unlabeled {self.items} ranked above a known positive that was hidden "
            f"(geometric mean): {found}."
        )

    def left_out(self) -> list[str]:
        """Return what was not ranked or not looked at, and why: a line each.

        Returns
        -------
        lines : list of str
        """
        lines = list(self.remarks)
        if self.n_known:
            lines.append(f"Not listed: {self.n_known:,} equal to a known positive.")
        if self.n_wordless:
            lines.append(f"Not listed: {self.n_wordless:,} without a word that tells them from others.")
        return lines

    def _facts(self) -> dict[str, Any]:
        counts = ("n_positives", "n_unlabeled", "n_known", "n_wordless", "n_found")
        return {
            **{name: getattr(self, name) for name in counts},
            "n_ranked": len(self),
            "items": self.items,
            "share": None
            if self.share is None
            else asdict(self.share) | {name: getattr(self.share, name) for name in _NUMBERS},
            "rankers": [trial._asdict() for trial in self.trials],
        }

    def _page(self) -> RankedPage:
        share = self.share
        lead = _LEADS[self.items]
        known = ("Known positives", f"{self.n_positives:,}", "copies counted once")
        searched = (f"{self.items.capitalize()} searched", f"{len(self):,}", "known ones left out")
        title = "Estimated positives among them"
        if share is None:
            declined = f"{self._declined[0].upper()}{self._declined[1:]}."
            why = "too few positives are known" if not self.trials else "the positives do not stand out"
            facts = [known, searched, (title, "unknown", why)]
            lead = f"{lead}{declined} {self.ranking()}"
            return RankedPage(lead=lead, facts=facts, threshold=None, items=self.items)
        if share.overlaps:
            bound = self._bound(share)
            return RankedPage(
                lead=f"{lead}{bound[0].upper()}{bound[1:]}. {self.ranking()}",
                facts=[known, searched, (title, f"at most {share.n_hidden_high:,}", self._confidence(share))],
                threshold="The line: the data do not tell how many above it are positive.",
                items=self.items,
            )
        return RankedPage(
            lead=f"{lead}Score 0 is the line: over it are as many {self.items} as there should be positives "
            f"among them. {self.ranking()}",
            facts=[known, searched, (title, f"about {share.n_hidden:,}", self._interval(share))],
            threshold="The line: so many should be positive, those below are less likely.",
            items=self.items,
        )

    @property
    def _declined(self) -> str:
        return (_VAGUE if self.trials else _DECLINED).format(items=self.items)

    def _bound(self, share: PositiveShare) -> str:
        """Return what can be said where only the upper end says something."""
        return (
            f"at most {share.n_hidden_high:,} of them are positive too ({self._confidence(share)}). The "
            f"classes overlap: the data do not tell how many fewer there are, and many of the "
            f"{self.n_found:,} flagged {self.items} may be negative"
        )

    @staticmethod
    def _confidence(share: PositiveShare) -> str:
        return f"{100 * share.confidence:g} % confidence"

    @classmethod
    def _interval(cls, share: PositiveShare) -> str:
        return f"{share.n_hidden_low:,} to {share.n_hidden_high:,} at {cls._confidence(share)}"

    def _record(self, place: int, row: int, words: tuple[str, ...], snippet: Snippet) -> FindRecord:
        score = float(self.scores[place])
        return FindRecord(place + 1, self._ids[row], row, score, score >= 0, words, snippet)
