"""How the defaults of ``lopsided filter`` were chosen: on SpamAssassin, in many orders.

Run ``python research/mail_defaults.py``. What one order shows is luck: some ham comes early, or not. So
each candidate goes through the corpus as it came and in other orders, with new kinds of mail late, with some
labels wrong, and with little ham. ``--test`` shows what the choice does on trec07p, which had no part in it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from lopsided.feedback import EpsilonGreedy, LabelEfficient, OneSidedFilter, run_stream
from lopsided.mail._engine import BIAS
from lopsided.mail._settings import Settings
from lopsided.mail._twin import learner_of, vectorizer_of
from lopsided.online import MarginPerceptron, RelaxedOnlineSVM
from lopsided.problems.mail import read_mail
from lopsided.terminal import align, echo

HAM_PRICE = 10  # a ham that is lost is as bad as so many spam that are shown


class Stream(NamedTuple):
    """Messages of the corpus by number, in order, and the labels the user gives them, 1 for ham."""

    kind: str
    order: NDArray[np.intp]
    told: NDArray[np.intp]


RARELY = EpsilonGreedy(Settings.parameter)


@dataclass(frozen=True)
class Candidate:
    """A candidate for the default filter."""

    learner: Any
    bias: float = 0.0
    explorer: Any = RARELY
    guard: bool = True
    only_finds: bool = True

    def __str__(self) -> str:
        bias = f", bias {self.bias:g}" if self.bias else ""
        guard = ", guard" if self.guard else ""
        teaches = "" if self.only_finds else ", explored spam teaches"
        return f"{self.learner}{bias}, {self.explorer or 'no explorer'}{guard}{teaches}"

    def make(self, seed: int) -> OneSidedFilter:
        """Return a filter that has learned nothing."""
        return OneSidedFilter(
            clone(self.learner),
            self.explorer,
            bias=self.bias,
            guard=self.guard,
            only_finds=self.only_finds,
            random_state=seed,
        )


PLAIN = MarginPerceptron()
PERCEPTRON = learner_of(Settings.of("margin-perceptron"))
SVM, BORDER = learner_of(Settings.of("relaxed-svm")), BIAS["relaxed-svm"]
CHOSEN = Candidate(SVM, BORDER)
CANDIDATES = (
    Candidate(PLAIN, explorer=None, guard=False),
    Candidate(PLAIN, explorer=EpsilonGreedy(0.01), only_finds=False),
    Candidate(PLAIN, explorer=EpsilonGreedy(0.01), guard=False),
    *(
        Candidate(MarginPerceptron(class_weight={1: weight}), explorer=None)
        for weight in (1.0, 1.5, 2.0, 3.0)
    ),
    Candidate(PERCEPTRON, explorer=None, guard=False),
    *(Candidate(PERCEPTRON, explorer=EpsilonGreedy(rate)) for rate in (0.002, 0.005, 0.01)),
    Candidate(PERCEPTRON, explorer=LabelEfficient(1e-4)),
    *(Candidate(SVM, bias) for bias in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)),
    *(Candidate(RelaxedOnlineSVM(C, buffer_size=SVM.buffer_size), BORDER) for C in (1.0, 10.0, 100.0)),
    *(Candidate(RelaxedOnlineSVM(SVM.C, buffer_size=size), BORDER) for size in (125, 500, 1000)),
    Candidate(RelaxedOnlineSVM(1.0, {1: 2.0}, SVM.buffer_size), BORDER),
    Candidate(SVM, BORDER, explorer=None),
    Candidate(SVM, BORDER, explorer=None, guard=False),
    *(Candidate(SVM, BORDER, EpsilonGreedy(rate)) for rate in (0.002, 0.01)),
    Candidate(SVM, BORDER, LabelEfficient(1e-4)),
)
TESTED = (
    CHOSEN,
    Candidate(SVM, BORDER, EpsilonGreedy(0.01)),
    Candidate(SVM, BORDER, explorer=None),
    Candidate(SVM, BORDER, explorer=None, guard=False),
    Candidate(RelaxedOnlineSVM(1.0, {1: 2.0}, SVM.buffer_size), BORDER),
    Candidate(RelaxedOnlineSVM(), BORDER),
    Candidate(PERCEPTRON),
    Candidate(PERCEPTRON, explorer=None, guard=False),
    Candidate(PLAIN, explorer=None, guard=False),
)


def streams(y: NDArray[np.intp], is_late: NDArray[np.bool_]) -> Iterator[Stream]:
    """Yield the streams; ``is_late`` marks the messages that come last where new kinds come late.

    Examples
    --------
    >>> y = np.arange(400) % 2
    >>> len({stream.kind for stream in streams(y, np.arange(400) < 100)})
    5
    """
    n = len(y)
    everything = np.arange(n)
    for order in (everything, everything[: n // 2], everything[n // 2 :]):
        yield Stream("as it came, halves", order, y[order])
    shuffled = [np.random.default_rng(seed).permutation(n) for seed in range(3)]
    for order in (everything[::-1], *shuffled):
        yield Stream("other orders", order, y[order])
    order = np.concatenate([everything[~is_late], everything[is_late]])
    yield Stream("new kinds late", order, y[order])
    for seed in (10, 11):
        wrong = np.random.default_rng(seed).random(n) < 0.02
        yield Stream("2 % wrong labels", everything, np.where(wrong, 1 - y, y))
    for seed in (20, 21, 22):
        order = everything[(y == 0) | (np.random.default_rng(seed).random(n) < 0.05)]
        yield Stream("one ham in ten", order, y[order])


def try_out(
    candidate: Candidate, X: Any, y: NDArray[np.intp], parts: Sequence[Stream], seeds: int
) -> dict[str, NDArray[np.float64]]:
    """Return ham lost and spam shown (means over seeds), summed over the streams of each kind."""
    found: dict[str, NDArray[np.float64]] = {}
    for kind, order, told in parts:
        is_ham = y[order] == 1
        shown = [run_stream(candidate.make(seed), X[order], told).show for seed in range(seeds)]
        lost_and_shown = [(np.sum(~show & is_ham), np.sum(show & ~is_ham)) for show in shown]
        found[kind] = found.get(kind, np.zeros(2)) + np.mean(lost_and_shown, axis=0)
    return found


def price(found: dict[str, NDArray[np.float64]]) -> float:
    """Return the price of a candidate over all streams."""
    lost, shown = sum(found.values(), np.zeros(2))
    return float(HAM_PRICE * lost + shown)


@click.command()
@click.option("--seeds", type=click.IntRange(1), default=3, show_default=True, help="Runs that explore.")
@click.option("--test", is_flag=True, help="The choice, and what it was chosen over, on trec07p.")
def main(seeds: int, test: bool) -> None:
    """Print ham lost and spam shown by each candidate for the default filter."""
    vectorizer = vectorizer_of(Settings())
    if test:
        mail = read_mail("trec07p")
        rows = vectorizer.transform(mail.messages)
        everything = [Stream("trec07p", np.arange(len(mail.y)), mail.y)]
        for candidate in TESTED:
            lost, shown = try_out(candidate, rows, mail.y, everything, seeds)["trec07p"]
            echo(align([str(candidate), f"{lost:,.1f}", "/", f"{shown:,.1f}"], (-104, 8, 2, 8)))
        return
    mail = read_mail("spamassassin")
    assert mail.folders is not None
    rows = vectorizer.transform(mail.messages)
    parts = list(streams(mail.y, np.isin(mail.folders, ["hard_ham", "spam_2"])))
    kinds = list(dict.fromkeys(part.kind for part in parts))
    widths = (-104, 8, *(20 for _ in kinds))
    echo(align(["", "price", *kinds], widths))
    for candidate in CANDIDATES:
        found = try_out(candidate, rows, mail.y, parts, seeds)
        cells = [f"{found[kind][0]:,.0f} / {found[kind][1]:,.0f}" for kind in kinds]
        line = align([str(candidate), f"{price(found):,.0f}", *cells], widths)
        echo(line + "  chosen" * (candidate == CHOSEN))


if __name__ == "__main__":
    main()
