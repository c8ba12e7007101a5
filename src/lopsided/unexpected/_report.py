"""The report of `find_unexpected`: new texts, those least like the known ones first."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.report._ranked import RankedReport
from lopsided.report._ranked_page import RankedPage
from lopsided.report._reasons import Snippet

_LISTED = 5  # so many classes does a page name
_THRESHOLD = "The line: those above are flagged as unexpected, those below may well belong to a known class."


class UnexpectedRecord(NamedTuple):
    """One new text, and how unlike the known ones it is.

    Examples
    --------
    >>> words, snippet = ("Goalie",), Snippet("Goalie wanted.", ((0, 6),))
    >>> record = UnexpectedRecord(1, "a.txt", 0, 2.5, 0.001, True, words, snippet)
    >>> record.plain()["words"]
    ['Goalie']
    """

    rank: int
    id: str
    row: int  # its place among the new texts as given, from 0
    score: float  # the larger, the more unexpected; over 0 it is flagged, where there are flags
    pvalue: float | None  # how rarely a text of a known class is as odd; None where that was not estimated
    flagged: bool | None  # whether it counts as unexpected; None where that was not decided
    words: tuple[str, ...]  # that gave it away, the weightiest first, as the text spells them
    snippet: Snippet

    @property
    def over(self) -> bool | None:
        """Whether the text is flagged."""
        return self.flagged

    def figures(self) -> dict[str, str]:
        """Return the numbers that a list shows, by name."""
        p = {} if self.pvalue is None else {"p": f"{self.pvalue:.2g}"}
        return p | {"score": f"{self.score:+.2f}"}

    def plain(self) -> dict[str, Any]:
        """Return rank, id, score, p-value, flag, words and snippet as values that JSON can hold."""
        about = {"rank": self.rank, "id": self.id, "score": self.score, "pvalue": self.pvalue}
        return about | {"flagged": self.flagged, "words": list(self.words), "text": self.snippet.text}


@dataclass(frozen=True, eq=False, repr=False)
class UnexpectedReport(RankedReport[UnexpectedRecord]):
    """The new texts that `find_unexpected` ranked, the most unexpected first.

    Methods that take ``n`` give the first n texts, or all of them where it is None.

    Parameters
    ----------
    classes : dict of str to int
        Known texts of each class, copies counted once; one class without a name where none were given.
    n_new : int
        New texts as given.
    n_equal : int
        New texts that are equal to a known one, and therefore not ranked.
    n_wordless : int
        New texts that are not ranked because they hold no word.
    fdr : float or None
        The false-discovery rate at which texts are flagged; None where none was chosen.
    pvalues : array or None
        P-value of each ranked text; None where there were too few known texts, or the method has none.
    flagged : bool array or None
        Whether each ranked text is flagged; None where that was not decided.
    caveat : str or None
        Why there are no flags, or what else to know about them.
    scores : array
        Score of each ranked text, the most unexpected first; those over 0 are flagged.

    Attributes
    ----------
    n_known : int
        Known texts, copies counted once.
    n_flagged : int or None
        Texts that are flagged.
    records : list of UnexpectedRecord
        All ranked texts, the most unexpected first.

    Examples
    --------
    >>> from lopsided import find_unexpected, make_topics
    >>> texts, topic = make_topics(400, n_topics=4, random_state=0)
    >>> known, classes = zip(*[(text, t) for text, t in zip(texts[:300], topic) if t < 3])
    >>> report = find_unexpected(known, texts[300:], classes=classes)
    >>> {int(topic[300 + record.row]) for record in report.first(3)}
    {3}
    """

    _columns: ClassVar[tuple[str, ...]] = ("rank", "id", "score", "pvalue", "flagged", "words", "text")
    _title: ClassVar[str] = "The unexpected"
    _advice: ClassVar[str] = (
        "Nothing is flagged. Read the ranking from the top, raise the false discovery rate (--fdr), or add "
        "known texts: with more of them, rarer texts can be told apart."
    )

    classes: dict[str, int]
    n_new: int
    n_equal: int
    n_wordless: int
    fdr: float | None
    pvalues: NDArray[np.float64] | None
    flagged: NDArray[np.bool_] | None
    caveat: str | None

    @property
    def n_known(self) -> int:
        """Known texts, copies counted once."""
        return sum(self.classes.values())

    @property
    def n_flagged(self) -> int | None:
        """Texts that are flagged; None where that was not decided."""
        return None if self.flagged is None else int(self.flagged.sum())

    @property
    def n_over(self) -> int | None:
        """Number of texts over the threshold, by the name that all ranked lists have for it."""
        return self.n_flagged

    def summary(self) -> str:
        """Return one line: what was compared, and how many texts are unexpected.

        Returns
        -------
        line : str
        """
        of = f" of {len(self.classes):,} classes" if len(self.classes) > 1 else ""
        texts, ones = ("text" if len(self) == 1 else "texts"), ("one" if self.n_known == 1 else "ones")
        return f"{len(self):,} {texts} compared with {self.n_known:,} known {ones}{of}; {self._verdict()}"

    def left_out(self) -> list[str]:
        """Return which texts were not ranked, and why: a line each.

        Returns
        -------
        lines : list of str
        """
        lines = []
        if self.n_equal:
            lines.append(f"Not listed: {self.n_equal:,} equal to a known text.")
        if self.n_wordless:
            lines.append(f"Not listed: {self.n_wordless:,} without a word.")
        return lines

    def _verdict(self) -> str:
        if self.flagged is None:
            return f"none is flagged: {self.caveat}"
        if self.fdr is None:
            return f"{self.n_flagged:,} flagged as unexpected"
        at = f"at a false-discovery rate of {self.fdr:g}"
        if self.n_flagged == 0:
            return (
                f"none is flagged {at}: no threshold is so precise here. Read the ranking, or raise the rate"
            )
        return f"{self.n_flagged:,} flagged as unexpected {at}, which holds on average and not in every list"

    def _facts(self) -> dict[str, Any]:
        names = ("n_known", "classes", "n_new", "n_equal", "n_wordless", "fdr", "n_flagged", "caveat")
        return {**{name: getattr(self, name) for name in names}, "n_ranked": len(self)}

    def _page(self) -> RankedPage:
        lead = (
            "The texts least like the known ones come first; marked are the words that give them away. "
            "The p-value says how rarely a text of a known class is as odd."
        )
        if self.pvalues is None:
            lead = lead.partition(" The p-value")[0]
        number = "none" if self.n_flagged is None else f"{self.n_flagged:,}"
        return RankedPage(
            lead=lead,
            facts=[
                ("Known texts", f"{self.n_known:,}", self._class_sizes()),
                ("New texts compared", f"{len(self):,}", "known ones left out"),
                ("Flagged as unexpected", number, self._about_flags()),
            ],
            threshold=None if self.flagged is None else _THRESHOLD,
            badge="unexpected",
        )

    def _class_sizes(self) -> str:
        if len(self.classes) < 2:
            return "copies counted once"
        by_size = sorted(self.classes.items(), key=lambda item: (-item[1], item[0]))
        named = [f"{name}: {n:,}" for name, n in by_size[:_LISTED]]
        more = len(by_size) - len(named)
        return " · ".join(named) + (f" · and {more:,} more classes" if more else "")

    def _about_flags(self) -> str:
        if self.flagged is None:
            return str(self.caveat)
        if self.fdr is None:
            return "by LGN, which has no p-values"
        return f"false-discovery rate {self.fdr:g}: so large a share by mistake, on average over many lists"

    def _record(self, place: int, row: int, words: tuple[str, ...], snippet: Snippet) -> UnexpectedRecord:
        return UnexpectedRecord(
            rank=place + 1,
            id=self._ids[row],
            row=row,
            score=float(self.scores[place]),
            pvalue=None if self.pvalues is None else float(self.pvalues[place]),
            flagged=None if self.flagged is None else bool(self.flagged[place]),
            words=words,
            snippet=snippet,
        )
