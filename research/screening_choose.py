"""The data on which the defaults of `lopsided.screening` are chosen, and the data that judge them.

The four names below were written down before anything was measured. Nothing that is chosen may look at the
judging data.

    python research/screening_choose.py choosing|judging reviews|topics [strategy ...]

prints the labels to 95 % recall of each seed, the work saved and the time of a question.
"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from lopsided.datasets import fetch_reuters21578, fetch_screening
from lopsided.screening import simulate
from lopsided.text import Record

CHOOSING_REVIEWS = ("adhd", "calcium-channel-blockers", "estrogens")
JUDGING_REVIEWS = ("beta-blockers", "nsaids", "oral-hypoglycemics", "triptans")
# topics of the ModApte training stories of Reuters-21578
CHOOSING_TOPICS = ("corn", "cpi", "crude", "gnp", "money-supply", "trade")
JUDGING_TOPICS = ("coffee", "gold", "interest", "ship", "sugar", "wheat")


def read_review(name: str) -> tuple[list[Record], Any]:
    """Return the records of a review, and which were included."""
    review = fetch_screening(name)
    columns = zip(review.ids, review.titles, review.abstracts, review.keywords, strict=True)
    records = [Record(str(id), title, text, {"keywords": words}) for id, title, text, words in columns]
    return records, review.included == 1


def read_topics(topics: Sequence[str]) -> tuple[list[Record], dict[str, Any]]:
    """Return the training stories, and for each topic which have it."""
    stories = fetch_reuters21578(subset="train")
    parts = [text.partition("\n") for text in stories.data]
    records = [Record(str(i), title, body) for i, (title, _, body) in enumerate(parts)]
    target, names = stories.target.tocsc(), list(stories.target_names)
    return records, {topic: target[:, [names.index(topic)]].toarray().ravel() > 0 for topic in topics}


def main(side: str, kind: str, *strategies: str, n_seeds: int = 5) -> None:
    """Print what each strategy costs on one side of the split."""
    chosen = side == "choosing"
    if kind == "reviews":
        problems = {n: read_review(n) for n in (CHOOSING_REVIEWS if chosen else JUDGING_REVIEWS)}
    else:
        records, labels = read_topics(CHOOSING_TOPICS if chosen else JUDGING_TOPICS)
        problems = {topic: (records, relevant) for topic, relevant in labels.items()}
    means = []
    for name, (records, relevant) in problems.items():
        found = simulate(
            records, relevant, strategies=strategies or ("mixed",), seeds=n_seeds, until="recall"
        )
        for strategy in found.strategies:
            runs = found.of(strategy)
            costs = [run.labels_to() or run.n_items for run in runs]
            saved = np.mean([run.work_saved() for run in runs])
            means.append((strategy, np.mean(costs), saved))
            ms = 1000 * np.mean([run.seconds_a_label for run in runs])
            print(
                f"{name:26} {strategy:12} {costs} {np.mean(costs):6.0f} {saved:6.3f} {ms:6.1f} ms",
                flush=True,
            )
    for strategy in dict.fromkeys(m[0] for m in means):
        of = [m for m in means if m[0] == strategy]
        print(
            f"{'mean':26} {strategy:12} {np.mean([m[1] for m in of]):6.0f} {np.mean([m[2] for m in of]):6.3f}"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
