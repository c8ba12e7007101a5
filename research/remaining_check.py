"""Does the interval of :func:`lopsided.screening.estimate_remaining` cover the truth?

Run ``python research/remaining_check.py [--judge | --reviews] [--seeds N] [--checks SHARE]...``. It screens a
topic with its true labels as the answers, and compares the estimate at every fiftieth label with the truth.
The estimate was designed on the topics of ``DESIGN``; those of ``JUDGING`` had no part in it, nor had the
drug-class reviews.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from lopsided.datasets import fetch_reuters21578, fetch_screening
from lopsided.problems.newsgroups import read_messages
from lopsided.problems.webkb import read_bodies
from lopsided.screening import STRATEGIES, Screened, ScreeningSession, estimate_remaining
from lopsided.screening._model import Fitted
from lopsided.screening._simulate import choose_start
from lopsided.screening._stopping import truncate
from lopsided.screening._strategies import Choice, most_likely, random
from lopsided.terminal import align, echo

# Where a number follows the name, only so many relevant documents are kept, drawn with a fixed seed.
DESIGN = {
    "reuters": "dlr cpi gnp oilseed cocoa nat-gas trade crude livestock corn money-supply",
    "newsgroups": """alt.atheism comp.graphics:100 comp.os.ms-windows.misc comp.windows.x:100 rec.autos:60
    rec.sport.baseball sci.crypt:150 sci.med soc.religion.christian:200 talk.politics.misc""",
    "webkb": "faculty staff student:200",
}
JUDGING = {
    "reuters": "ship interest wheat gold coffee sugar veg-oil jobs reserves",
    "newsgroups": """comp.sys.mac.hardware misc.forsale:100 rec.motorcycles:60 rec.sport.hockey
    sci.electronics:150 sci.space talk.politics.guns:200 talk.religion.misc""",
    "webkb": "course department project",
}
REVIEWS = {
    "reviews": """adhd beta-blockers calcium-channel-blockers estrogens nsaids oral-hypoglycemics triptans""",
}
N_LABELS, STEP = 800, 50
_THINNING_SEED = 24


class Checkpoint(NamedTuple):
    """An estimate and the truth, after so many labels."""

    corpus: str
    topic: str
    n_labels: int
    found: int
    truth: int
    left: float
    low: int
    high: int
    can_tell: bool

    @property
    def covers(self) -> bool:
        """Whether the interval contains the truth."""
        return self.low <= self.truth <= self.high


@cache
def _corpus(name: str) -> tuple[Sequence[str], dict[str, NDArray[np.bool_]]]:
    """Return the texts of a corpus, and which of them are of each topic."""
    if name == "reuters":
        stories = fetch_reuters21578(subset="train")
        columns = np.asarray(stories.target.todense()).T > 0
        return stories.data, dict(zip(stories.target_names, columns, strict=True))
    if name == "newsgroups":
        messages = read_messages()
        return messages.texts, {g: messages.groups == g for g in np.unique(messages.groups)}
    pages = read_bodies()
    return pages.texts, {name: pages.classes == name for name in pages.names}


def read_topic(corpus: str, topic: str) -> tuple[Sequence[str], NDArray[np.bool_]]:
    """Return the texts to screen and whether each is relevant."""
    if corpus == "reviews":
        review = fetch_screening(topic)
        return review.data, review.included == 1
    name, _, n = topic.partition(":")
    texts, topics = _corpus(corpus)
    relevant = topics[name]
    if not n:
        return texts, relevant
    shuffled = np.random.default_rng(_THINNING_SEED).permutation(np.flatnonzero(relevant))
    kept = np.setdiff1d(np.arange(len(relevant)), shuffled[int(n) :])
    return [texts[i] for i in kept], relevant[kept]


def add_strategy(checks: float) -> str:
    """Register a strategy that shows the most likely record, or a random one with this probability."""
    name = f"{checks:.0%} checks"

    def choose(model: Fitted, left: NDArray[np.intp], rng: np.random.Generator) -> Choice:
        return random(model, left, rng) if rng.random() < checks else most_likely(model, left, rng)

    STRATEGIES[name] = choose
    return name


def screen(session: ScreeningSession, relevant: NDArray[np.bool_]) -> Screened:
    """Return the record of a session that is answered by the true labels."""
    for row in choose_start(relevant, np.arange(len(relevant)), session.seed, "both").tolist():
        session.answer(row, bool(relevant[row]))
    while session.n_labels < N_LABELS and (question := session.ask()) is not None:
        row = question.row
        session.answer(row, bool(relevant[row]), reason=question.reason, probability=question.probability)
    return session.screened()


def check(screened: Screened, n_relevant: int, corpus: str, topic: str) -> Iterator[Checkpoint]:
    """Yield an estimate beside the truth at every fiftieth label."""
    for n in range(STEP, len(screened.rows) + 1, STEP):
        told = estimate_remaining(truncate(screened, n))
        truth = n_relevant - told.found
        yield Checkpoint(corpus, topic, n, told.found, truth, told.left, told.low, told.high, told.can_tell)


_WIDTHS = (-32, 8, 8, 8, 10, 12, 12)
_HEAD = ("", "points", "told", "covered", "too low", "width/left", "width/all")


def describe(name: str, points: list[Checkpoint]) -> str:
    """Return a line: how often a number was told and right, and the median width of the interval."""
    told = [p for p in points if p.can_tell]
    if not told:
        return align((name, str(len(points)), "0", *[""] * 4), _WIDTHS)
    widths = np.array([p.high - p.low for p in told])
    truth, found = (np.array([getattr(p, key) for p in told]) for key in ("truth", "found"))
    return align(
        (
            name,
            str(len(points)),
            str(len(told)),
            f"{np.mean([p.covers for p in told]):.3f}",
            f"{np.mean([p.truth > p.high for p in told]):.3f}",
            f"{np.median(widths / np.maximum(truth, 1)):.2f}",
            f"{np.median(widths / (truth + found)):.2f}",
        ),
        _WIDTHS,
    )


@click.command()
@click.option("--judge", is_flag=True, help="Use the topics that had no part in the design.")
@click.option("--reviews", is_flag=True, help="Use the drug-class reviews.")
@click.option("--seeds", default=1, help="Number of runs of each topic.")
@click.option("--checks", multiple=True, type=float, help='Share of random checks  [default: as in "mixed"].')
@click.option("--topic", "chosen", multiple=True, help="Screen only this topic.")
def main(judge: bool, reviews: bool, seeds: int, checks: tuple[float, ...], chosen: tuple[str, ...]) -> None:
    """Print a line for each topic, and the totals by corpus and by number of labels."""
    topics = JUDGING if judge else REVIEWS if reviews else DESIGN
    for strategy in [add_strategy(share) for share in checks] or ["mixed"]:
        points: list[Checkpoint] = []
        echo(align((strategy, *_HEAD[1:]), _WIDTHS))
        for corpus, names in topics.items():
            for topic in names.split():
                if chosen and topic not in chosen:
                    continue
                points += (of_topic := list(_screen_topic(corpus, topic, strategy, seeds)))
                echo(describe(topic, of_topic))
        for corpus in topics:
            echo(describe(f"all of {corpus}", [p for p in points if p.corpus == corpus]))
        for n in sorted({p.n_labels for p in points}):
            echo(describe(f"after {n} labels", [p for p in points if p.n_labels == n]))
        echo(describe("all", points))


def _screen_topic(corpus: str, topic: str, strategy: str, seeds: int) -> Iterator[Checkpoint]:
    texts, relevant = read_topic(corpus, topic)
    base = ScreeningSession(texts)
    for seed in range(seeds):
        base.restart(strategy=strategy, seed=seed)
        screened = screen(base, relevant)
        yield from check(screened, int(relevant.sum()), corpus, topic)


if __name__ == "__main__":
    main()
