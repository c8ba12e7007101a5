"""What `find_more` found: unlabeled texts, those most like the positives first."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple

from lopsided.pu._share import PositiveShare
from lopsided.report._ranked import RankedReport
from lopsided.report._ranked_page import RankedPage
from lopsided.report._reasons import Snippet

_NUMBERS = ("n_hidden", "n_hidden_low", "n_hidden_high")


class FindRecord(NamedTuple):
    """One unlabeled text, and how much it is like the positives.

    Examples
    --------
    >>> record = FindRecord(1, "a.txt", 0, 0.3, True, ("Ships",), Snippet("Ships sail.", ((0, 5),)))
    >>> record.plain()["text"]
    'Ships sail.'
    """

    rank: int
    id: str
    row: int  # its place among the unlabeled texts as given, from 0
    score: float  # 0 is the line
    found: bool  # whether it is over the line
    words: tuple[str, ...]  # that speak for it, the weightiest first, as the text spells them
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
    """What `find_more` found, the best first.

    Methods that take ``n`` give the best n texts, or all of them where it is None.

    Parameters
    ----------
    share : PositiveShare
        Estimated share of positives among the ranked texts, with an interval, and their number ``n_hidden``.
    n_positives : int
        Positives that differ from each other.
    n_unlabeled : int
        Unlabeled texts as given.
    n_known : int
        Unlabeled texts that are equal to a positive, and therefore not ranked.
    n_wordless : int
        Unlabeled texts that are not ranked because no word of theirs is in another text.
    scores : array
        Score of each ranked text, the best first; 0 is the line.

    Attributes
    ----------
    n_found : int
        Texts over the line.
    records : list of FindRecord
        All ranked texts, the best first.

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

    share: PositiveShare
    n_positives: int
    n_unlabeled: int
    n_known: int
    n_wordless: int

    @property
    def n_found(self) -> int:
        """Number of texts over the threshold."""
        return int((self.scores >= 0).sum())

    @property
    def n_over(self) -> int:
        """Number of texts over the threshold, by the name that all ranked lists have for it."""
        return self.n_found

    def summary(self) -> str:
        """Return one line: how many texts there are, and how many of them should be positive.

        Returns
        -------
        line : str
        """
        share = self.share
        return (
            f"{len(self):,} texts compared with {self.n_positives:,} positives; about {share.n_hidden:,} "
            f"of them should be positive too ({share.n_hidden_low:,} to {share.n_hidden_high:,} at "
            f"{100 * share.confidence:g} % confidence)"
        )

    def left_out(self) -> list[str]:
        """Return which texts were not ranked, and why: a line each.

        Returns
        -------
        lines : list of str
        """
        lines = []
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
            "share": asdict(self.share) | {name: getattr(self.share, name) for name in _NUMBERS},
        }

    def _page(self) -> RankedPage:
        share = self.share
        interval = (
            f"{share.n_hidden_low:,} to {share.n_hidden_high:,} at {100 * share.confidence:g} % confidence"
        )
        return RankedPage(
            lead="The texts most like the known positives come first; marked are the words that speak for "
            "them. Score 0 is the line: over it are as many texts as there should be positives among them.",
            facts=[
                ("Known positives", f"{self.n_positives:,}", "copies counted once"),
                ("Texts searched", f"{len(self):,}", "known ones left out"),
                ("Estimated positives among them", f"about {share.n_hidden:,}", interval),
            ],
            threshold="The line: so many should be positive, those below are less likely.",
        )

    def _record(self, place: int, row: int, words: tuple[str, ...], snippet: Snippet) -> FindRecord:
        score = float(self.scores[place])
        return FindRecord(place + 1, self._ids[row], row, score, score >= 0, words, snippet)
