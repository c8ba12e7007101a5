"""The first messages of a filter that knows nothing: ham lost and spam shown, ours beside bogofilter.

Run ``python research/cold_start.py``. Every filter decides about each message in order. The user reads
what is shown, and says of each of these what it is; of what is hidden nobody hears. Ours has no other lesson,
bogofilter also takes its own decisions for lessons. Each has a threshold, and so a curve: fewer ham lost for
more spam shown. They are compared where they show the same amount of spam.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

import bogofilter
from lopsided.datasets import DataUnavailable
from lopsided.feedback import run_stream
from lopsided.mail._engine import BIAS
from lopsided.mail._message import HEAD
from lopsided.mail._settings import LEARNERS, Settings
from lopsided.mail._twin import filter_of, vectorizer_of
from lopsided.problems.mail import read_mail
from lopsided.terminal import align, echo

_WIDTHS = (-30, -34, 10, 12)
DATA = ("spamassassin", "trec07p")
BIASES = {
    "margin-perceptron": (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5),
    "relaxed-svm": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75),
}
# From just above what it gives to a message it knows nothing about (0.52), below which it hides everything.
CUTOFFS = (0.53, 0.6, 0.7, 0.8, 0.9, 0.99, 0.9999)
OTHERS = ("none", "label-efficient", "apple-tasting")


class Point(NamedTuple):
    """One filter at one threshold."""

    threshold: str
    ham_lost: float
    spam_shown: float
    is_default: bool = False


@dataclass(frozen=True)
class Curve:
    """A filter at several thresholds."""

    name: str
    points: tuple[Point, ...]

    def ham_lost(self, spam_shown: float) -> float | None:
        """Return the least ham lost by points that show no more spam than that; None if all show more.

        Examples
        --------
        >>> curve = Curve("it", (Point("low", 9, 10), Point("high", 2, 30)))
        >>> curve.ham_lost(5), curve.ham_lost(20), curve.ham_lost(30)
        (None, 9, 2)
        """
        return min((p.ham_lost for p in self.points if p.spam_shown <= spam_shown), default=None)


class Stretch(NamedTuple):
    """Messages in order, the first that a new filter sees; 1 for ham."""

    messages: list[bytes]
    y: NDArray[np.intp]


def stretches(messages: list[bytes], y: NDArray[np.intp], length: int, n: int) -> list[Stretch]:
    """Return ``n`` stretches, spaced evenly over the stream; a length of 0 is all of it.

    Examples
    --------
    >>> [len(s.y) for s in stretches([b""] * 10, np.ones(10, int), 4, 2)]
    [4, 4]
    """
    size = min(length or len(y), len(y))
    starts = np.linspace(0, len(y) - size, n).astype(int) if n > 1 else [0]
    return [Stretch(messages[start : start + size], y[start : start + size]) for start in starts]


def counts(y: NDArray[np.intp], show: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the numbers of ham lost and spam shown."""
    return int(np.sum(~show & (y == 1))), int(np.sum(show & (y != 1)))


def ours(
    learner: str, parts: Sequence[Stretch], rows: Sequence[Any], biases: Sequence[float], seeds: int
) -> Curve:
    """Return the curve of a learner of `lopsided filter`: means over seeds, sums over stretches."""
    settings = Settings.of(learner)
    points = [
        _mean(f"bias {bias:g}", settings, bias, parts, rows, seeds, bias == BIAS[learner]) for bias in biases
    ]
    return Curve(f"ours, {learner}", tuple(points))


def other_explorers(learner: str, parts: Sequence[Stretch], rows: Sequence[Any], seeds: int) -> Curve:
    """Return the curve of the explorers that are not the default, without the guard."""
    points = []
    for name in OTHERS:
        settings = Settings.of(learner, name, guard=False)
        words = f"{settings.explorer_in_words}, no guard"
        points.append(_mean(words, settings, BIAS[learner], parts, rows, seeds))
    return Curve(f"ours, {learner}", tuple(points))


def theirs(
    name: str, parts: Sequence[Stretch], cutoffs: Sequence[float], updates: bool, program: str = "bogofilter"
) -> Curve:
    """Return the curve of bogofilter, which draws nothing at random: sums over stretches."""
    points = []
    for cutoff in cutoffs:
        found = [counts(y, bogofilter.replay(m, y, cutoff, updates, program)) for m, y in parts]
        lost, shown = np.sum(found, axis=0).tolist()
        points.append(Point(f"cutoff {cutoff:g}", lost, shown, cutoff == bogofilter.SPAM_CUTOFF))
    return Curve(name, tuple(points))


def at_equal_spam(reference: Curve, curves: Sequence[Curve]) -> Iterator[tuple[float, list[float | None]]]:
    """Yield each amount of spam that ``reference`` shows, and the ham that each curve loses there."""
    for shown in sorted({point.spam_shown for point in reference.points}):
        yield shown, [curve.ham_lost(shown) for curve in (reference, *curves)]


def _mean(
    threshold: str,
    settings: Settings,
    bias: float,
    parts: Sequence[Stretch],
    rows: Sequence[Any],
    seeds: int,
    is_default: bool = False,
) -> Point:
    found = []
    for seed in range(seeds):
        reports = [
            run_stream(filter_of(settings, seed, bias), X, part.y)
            for X, part in zip(rows, parts, strict=True)
        ]
        found.append(np.sum([(report.fn, report.fp) for report in reports], axis=0))
    lost, shown = np.mean(found, axis=0).tolist()
    return Point(threshold, lost, shown, is_default)


def _compare(parts: Sequence[Stretch], learners: Sequence[str], seeds: int, cutoffs: Sequence[float]) -> None:
    vectorizer = vectorizer_of(Settings())
    rows = [vectorizer.transform(part.messages) for part in parts]
    curves = []
    for learner in learners:
        curves.append(ours(learner, parts, rows, BIASES[learner], seeds))
        _print_curve(curves[-1])
        _print_curve(other_explorers(learner, parts, rows, seeds))
    if bogofilter.installed() is None:
        echo("bogofilter is not installed and left out. On Debian: apt-get install bogofilter")
        return
    peers = [theirs("bogofilter -u", parts, cutoffs, updates=True)]
    _print_curve(peers[0])
    cut = [Stretch([message[:HEAD] for message in part.messages], part.y) for part in parts]
    if any(a.messages != b.messages for a, b in zip(cut, parts, strict=True)):
        peers.append(theirs(f"bogofilter -u, {HEAD:,} bytes", cut, cutoffs, updates=True))
        _print_curve(peers[-1])
    peers.append(theirs("bogofilter, told only", parts, cutoffs, updates=False))
    _print_curve(peers[-1])
    for peer in peers:
        _print_comparison(peer, curves)


def _print_curve(curve: Curve) -> None:
    for threshold, lost, shown, is_default in curve.points:
        mark = "  default" if is_default else ""
        cells = [curve.name, threshold, f"{lost:,.1f}", f"{shown:,.1f}"]
        echo(align(cells, _WIDTHS) + mark)


def _print_comparison(peer: Curve, curves: Sequence[Curve]) -> None:
    echo(f"\nham lost at no more spam shown than by {peer.name}")
    names = [peer.name, *(curve.name for curve in curves)]
    widths = [12, *(30 for _ in names)]
    echo(align(["spam shown", *names], widths))
    for shown, lost in at_equal_spam(peer, curves):
        cells = ["-" if value is None else f"{value:,.1f}" for value in lost]
        echo(align([f"{shown:,.0f}", *cells], widths))


@click.command()
@click.option("--data", "names", multiple=True, type=click.Choice(DATA), help="All, if not given.")
@click.option("--learner", "learners", multiple=True, type=click.Choice(list(LEARNERS)), help="Likewise.")
@click.option("--messages", type=click.IntRange(0), default=1000, show_default=True, help="0 for all.")
@click.option(
    "--starts", type=click.IntRange(1), default=1, show_default=True, help="Cold starts along the stream."
)
@click.option("--seeds", type=click.IntRange(1), default=5, show_default=True, help="Runs that explore.")
@click.option("--cutoff", "cutoffs", multiple=True, type=click.FloatRange(0, 1), help="Of bogofilter.")
def main(
    names: tuple[str, ...],
    learners: tuple[str, ...],
    messages: int,
    starts: int,
    seeds: int,
    cutoffs: tuple[float, ...],
) -> None:
    """Print ham lost and spam shown by filters that know nothing at first, beside bogofilter."""
    if program := bogofilter.installed():
        echo(program)
    for name in names or DATA:
        try:
            mail = read_mail(name)
        except DataUnavailable as error:
            echo(f"{name} is left out: {error}")
            continue
        parts = stretches(mail.messages, mail.y, messages, starts)
        n_ham, n = sum(int(part.y.sum()) for part in parts), sum(len(part.y) for part in parts)
        whole = "in " + (f"{starts} starts" if starts > 1 else "one start")
        echo(f"\n{name}: {n:,} messages {whole}, {n_ham:,} ham and {n - n_ham:,} spam")
        echo(align(["", "", "ham lost", "spam shown"], _WIDTHS))
        _compare(parts, learners or tuple(LEARNERS), seeds, cutoffs or CUTOFFS)


if __name__ == "__main__":
    main()
