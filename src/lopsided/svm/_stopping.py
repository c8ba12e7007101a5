"""Stopping rules: the support vectors stop growing, or nothing unseen lies within the margin."""

from math import ceil
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.rows import Rows
from lopsided.svm._selection import Chooser

FEWEST = 5  # labels of the rarer class below which nothing is believed
GLANCE = 2000  # unseen examples looked at before a plateau is believed
_WELL_INSIDE = 0.9  # |f| below which one of them counts: just inside the margin lies what rounding put there


class LastLabel(NamedTuple):
    """The label read last, as one machine sees it."""

    machine: Any
    """The `Machine`, which has learned the label."""
    is_positive: bool
    distance: float | None
    """|f| of the row when this machine chose it; None if it did not."""
    probed: float | None
    """f of the row before its label was known, if it was a random one and the machine probes."""
    n_labels: int
    n_positive: int

    @property
    def n_rarer(self) -> int:
        """Labels read of the rarer side."""
        return min(self.n_positive, self.n_labels - self.n_positive)


class UnseenScores:
    """Scores of rows whose labels were not read: looking at them spends no label.

    Parameters
    ----------
    rows : Rows
        All rows.
    chooser : Chooser
        Knows which of them are unseen.
    rng : Generator
        Draws the rows that are looked at.
    """

    def __init__(self, rows: Rows, chooser: Chooser, rng: np.random.Generator) -> None:
        self._rows, self._chooser, self._rng = rows, chooser, rng
        self._watched: NDArray[np.int64] | None = None

    @property
    def left(self) -> int:
        """Number of unseen rows."""
        return self._chooser.left

    def of_others(self, machine: Any) -> NDArray[np.float64]:
        """Return f of many unseen rows, or of fewer if one of them lies well within the margin."""
        rows = self._chooser.sample(GLANCE, self._rng)
        scores: list[NDArray[np.float64]] = []
        for first in range(0, len(rows), 256):
            scores.append(machine.scores(self._rows, rows[first : first + 256]))
            if any_well_inside(scores[-1]):
                break
        return np.concatenate(scores) if scores else np.empty(0)

    def of_watched(self, machine: Any) -> NDArray[np.float64]:
        """Return f of many rows, always the same, which were unseen at the first look."""
        if self._watched is None:
            self._watched = self._chooser.sample(GLANCE, self._rng)
        return np.asarray(machine.scores(self._rows, self._watched))


class StoppingRule(Protocol):
    """Tells after each label whether a machine needs another one."""

    @property
    def is_probing(self) -> bool:
        """Whether the next example should be a random one."""

    def is_over(self, last: LastLabel, unseen: UnseenScores) -> bool:
        """Take in the last label; return whether the machine needs no further one."""


def stopping_rule(name: str | None, tol: float, searched_all: bool, weighted: bool) -> StoppingRule:
    """Return a fresh rule by its name; ``weighted``: the classes differ in their costs."""
    if name != "saturation":
        return MarginExhaustion(tol, searched_all)
    return Settling() if weighted else Saturation()


class _LookingRule:
    """The base of `Saturation` and `Settling`, which look at unseen rows, and probe before they believe."""

    _looks: ClassVar[Any]
    """The method of `UnseenScores` that gives the scores."""

    def __init__(self) -> None:
        self._probe_left = 0
        self._in_probe = False
        self._rarer_is_positive = True

    @property
    def is_probing(self) -> bool:
        """Whether the next example should be a random one."""
        return self._probe_left > 0

    def is_over(self, last: LastLabel, unseen: UnseenScores) -> bool:
        """Take in the last label; return whether the machine needs no further one."""
        if self.is_probing and last.probed is None:
            return False  # it waits for its turn: the last row was not a random one
        rarer = last.is_positive == self._rarer_is_positive
        missed = last.probed is not None and rarer and (last.probed > 0) != last.is_positive
        n_support = last.machine.n_positive + last.machine.n_negative
        if not self.wants_to_look(n_support, missed=missed) or last.n_rarer < FEWEST:
            return False
        scores = self._looks(unseen, last.machine)
        n_guessed = unseen.left * float(np.mean(scores > 0)) if len(scores) else 0.0
        share = (last.n_positive + n_guessed) / (last.n_labels + unseen.left)
        self._rarer_is_positive = share <= 0.5
        return self.is_done(scores, min(share, 1 - share))

    def wants_to_look(self, n_support: int, *, missed: bool) -> bool:
        """Take in one more label, and say whether it is time to look at the unseen."""
        raise NotImplementedError

    def is_done(self, scores: NDArray[np.float64], rarer_share: float) -> bool:
        """Return whether to stop, by f of unseen examples; if not, go on asking or begin a probe."""
        raise NotImplementedError


class Saturation(_LookingRule):
    """Rule that stops when the support vectors have stopped growing (section 3.4 of Ertekin et al. 2007).

    Three things must come together, once five examples of the rarer class are known:

    - The number of support vectors levels off. While informative examples remain, nearly every label adds
      one. With s of them after t labels, and a window of w = max(50, t / 10) labels, the curve is flat if it
      rose by at most w / 2 within the window, for three labels in a row and not before t = 2 w.
    - A look at many unseen examples, which spends no label, finds none well within the margin. A plateau
      alone may be false: on letter-A the count stands still from 200 to 360 labels and then doubles.
    - A probe. The next labels are those of random examples: islands of the rarer class far from the border
      are found by chance alone, and the closest examples give chance none. 10 / (share of the rarer class)
      labels meet it ten times; up to three times as many are spent where labels have added few support
      vectors (2 (t - s) / s), so that a simple border is not believed too early; never more than t. If the
      margin has filled by then, asking goes on, and if that may come from an example of the rarer class on
      the wrong side, another probe is due. (Where classes overlap there are always such examples; they teach
      nothing and fill no margin.)

    The constants were chosen by labels and test scores on letter-A, satimage, USPS and four Reuters topics.
    """

    slope = 0.5
    patience = 3
    _looks = staticmethod(UnseenScores.of_others)

    def __init__(self) -> None:
        super().__init__()
        self._counts: list[int] = []
        self._n_flat = 0
        self._look_at = 0
        self._needs_probe = True
        self._missed = False

    def wants_to_look(self, n_support: int, *, missed: bool) -> bool:
        """Take in one more label, and say whether it is time to look at the unseen.

        ``missed``: the label was that of a rarer example on the wrong side.
        """
        self._counts.append(n_support)
        t = len(self._counts)
        if self._probe_left:
            self._probe_left -= 1
            self._missed = self._missed or missed
            return self._probe_left == 0
        window = max(50, ceil(t / 10))
        flat = t >= 2 * window and n_support - self._counts[t - 1 - window] <= self.slope * window
        self._n_flat = self._n_flat + 1 if flat else 0
        return self._n_flat >= self.patience and t >= self._look_at

    def is_done(self, scores: NDArray[np.float64], rarer_share: float) -> bool:
        """Return whether to stop, by f of unseen examples; if not, go on asking or begin a probe."""
        t = len(self._counts)
        clean = not any_well_inside(scores)
        if self._in_probe:
            self._in_probe, self._needs_probe = False, self._missed and not clean
        if not clean:
            self._look_at = t + max(10, t // 20)
            return False
        if not self._needs_probe:
            return True
        self._in_probe, self._missed = True, False
        self._probe_left = self._probe_size(t, rarer_share)
        return False

    def _probe_size(self, t: int, rarer_share: float) -> int:
        n_support = max(1, self._counts[-1])
        ease = min(3, max(1, 2 * (t - n_support) / n_support))
        return probe_size(t, rarer_share, ease)


class Settling(_LookingRule):
    """Rule that stops when the predictions have settled; it suits classes that weigh differently.

    With class weights, and classes that overlap, the margin never empties, and nearly each label of the
    common class becomes a support vector: `Saturation` never fires. So the same many unseen rows are looked
    at again and again, every max(25, t / 10) labels of the t labels read so far. They have settled if those
    on the rarer side differ by at most 15 % from those of the last look, three looks in a row. Then comes a
    probe, as in `Saturation`; if they have changed after it, asking goes on.

    The constants were chosen among five pairs by labels and test scores on abalone-7, satimage-4, red wine,
    covtype, Reuters ship and a made-up problem.
    """

    patience = 3
    changed = 0.15
    _looks = staticmethod(UnseenScores.of_watched)

    def __init__(self) -> None:
        super().__init__()
        self._t = 0
        self._look_at = 50
        self._n_settled = 0
        self._last: NDArray[np.bool_] | None = None

    def wants_to_look(self, n_support: int, *, missed: bool) -> bool:
        """Take in one more label, and say whether it is time to look at the unseen."""
        self._t += 1
        if self._probe_left:
            self._probe_left -= 1
            return self._probe_left == 0
        return self._t >= self._look_at

    def is_done(self, scores: NDArray[np.float64], rarer_share: float) -> bool:
        """Return whether to stop, by f of the watched rows; if not, go on asking or begin a probe."""
        if len(scores) == 0:  # no row was left to watch
            return False
        rarer = scores > 0 if np.mean(scores > 0) <= 0.5 else scores <= 0
        last, self._last = self._last, rarer
        self._look_at = self._t + max(25, self._t // 10)
        same = last is not None and (rarer != last).sum() <= self.changed * (rarer | last).sum()
        self._n_settled = self._n_settled + 1 if same else 0
        if self._in_probe:
            self._in_probe = False
            return same
        if self._n_settled >= self.patience:
            self._in_probe, self._probe_left = True, probe_size(self._t, rarer_share)
        return False


def probe_size(t: int, rarer_share: float, ease: float = 1.0) -> int:
    """Return how many random labels meet the rarer class 10 times, or more by a factor; t at most."""
    return max(1, min(t, ceil(10 * ease / max(rarer_share, 1 / t))))


def any_well_inside(scores: NDArray[np.float64]) -> bool:
    """Return whether an example lies within the margin, and not just so."""
    return bool(np.any(np.abs(scores) < _WELL_INSIDE))


class MarginExhaustion:
    """Rule that stops when no candidate is closer to the border than the free support vectors, at |f| = 1.

    One such candidate is enough if all unseen examples were searched; a random pool bounds only the closest
    few per cent, so there it must happen ten times in a row.
    """

    is_probing = False

    def __init__(self, tol: float, searched_all: bool) -> None:
        self._least = 1 - tol
        self._patience = 1 if searched_all else 10
        self._n_outside = 0

    def is_exhausted(self, distance: float) -> bool:
        """Take in the |f| of the chosen candidate."""
        self._n_outside = self._n_outside + 1 if distance >= self._least else 0
        return self._n_outside >= self._patience

    def is_over(self, last: LastLabel, unseen: UnseenScores) -> bool:
        """Take in the last label; return whether the machine needs no further one.

        One or two labels of a class, atypical ones perhaps, make an empty margin that means nothing.
        """
        return last.distance is not None and self.is_exhausted(last.distance) and last.n_rarer >= FEWEST
