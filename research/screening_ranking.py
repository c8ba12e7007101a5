"""Which vectors and which model find relevant records soonest, the most likely one asked first?

Only data that judge nothing are read: the choosing reviews with their keywords and without ("bare"), by both
of their labels; six topics of Reuters, three newsgroups and two classes of web pages, thinned. The model is
fitted again after each 25th part of the labels, which is coarser than a session and much faster.

    python research/screening_ranking.py [--seeds N] [--candidate NAME]...

prints the regret of each candidate: the mean, over the sets of a kind, of the logarithm of its labels to 95 %
recall divided by those of the best candidate of that set. 0.05 means 5 % more labels than the best.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import click
import numpy as np
from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from lopsided.datasets import fetch_screening
from lopsided.screening._features import Features
from lopsided.screening._simulate import choose_start
from lopsided.screening._words import parts_of
from remaining_check import read_topic
from screening_choose import CHOOSING_REVIEWS, read_review, read_topics

TOPICS = ("corn", "cpi", "gnp", "trade", "oilseed", "nat-gas")
KEPT_TOPICS = ("crude", "money-supply", "dlr", "cocoa")  # their stories are kept too, half of the others
NEWSGROUPS = {"sci.med": 150, "rec.autos": 60, "talk.politics.misc": 120}
PAGES = {"faculty": 100, "student": 150}
N_OTHERS = 4_000  # irrelevant documents that are kept of a newsgroup or class

Parts = tuple[tuple[str, float], ...]
NOW: Parts = (("stems", 1), ("keywords", 0.7), ("pairs", 0.5))


class Candidate(NamedTuple):
    """Vectors, which are parts and their weights, and a model."""

    parts: Parts = NOW
    C: float = 0.02
    preference: float = 10
    borrowed: int = 0


CANDIDATES = {
    "as before": Candidate(),
    "30 unlabeled records": Candidate(borrowed=30),
    "100 unlabeled records": Candidate(borrowed=100),
    "300 unlabeled records": Candidate(borrowed=300),
    "C = 0.01": Candidate(C=0.01),
    "C = 0.04": Candidate(C=0.04),
    "3 times": Candidate(preference=3),
    "30 times": Candidate(preference=30),
    "no pairs": Candidate(NOW[:2]),
    "ASReview's words": Candidate((("words", 1),)),
    "words and keywords": Candidate((("words", 1), ("keywords", 0.7))),
    "stems, keywords, words": Candidate((*NOW[:2], ("words", 1))),
}


def sets_of_records() -> Iterator[tuple[str, Sequence[Any], dict[str, Any]]]:
    """Yield kinds of sets: records, and which are relevant under each name."""
    for name in CHOOSING_REVIEWS:
        records, included = read_review(name)
        labels = {name: included, f"{name}, passed": np.asarray(fetch_screening(name).target) == 1}
        if (labels[name] == labels[f"{name}, passed"]).all():
            labels.popitem()
        yield "reviews", records, labels
        yield "bare", [record._replace(fields={}) for record in records], labels
    records, topics = read_topics([*TOPICS, *KEPT_TOPICS])
    kept = np.random.default_rng(5).random(len(records)) < 0.5
    kept |= np.any(list(topics.values()), axis=0)
    rows = np.flatnonzero(kept)
    yield "Reuters", [records[i] for i in rows], {name: topics[name][rows] for name in TOPICS}
    for corpus, names in (("newsgroups", NEWSGROUPS), ("webkb", PAGES)):
        for name, n in names.items():
            texts, relevant = read_topic(corpus, name)
            rng = np.random.default_rng(24)
            few, others = (rng.permutation(np.flatnonzero(relevant == y)) for y in (True, False))
            rows = np.sort(np.concatenate([few[:n], others[:N_OTHERS]]))
            yield corpus, [texts[i] for i in rows.tolist()], {name: relevant[rows]}


def parts_of_all(records: Sequence[Any]) -> dict[str, Any]:
    """Return the parts of the vectors, each of unit length: ours, and words as ASReview has them."""
    features = Features()
    features.add(records)
    ours = [normalize(part.astype(float)) for part in features.vectors.parts]
    texts = ["\n".join(parts_of(record)[:2]) for record in records]
    words = TfidfVectorizer(sublinear_tf=True, max_df=0.95, ngram_range=(1, 2)).fit_transform(texts)
    return dict(zip(("stems", "keywords", "pairs", "words"), (*ours, words), strict=True))


def count_labels(X: Any, relevant: Any, candidate: Candidate, seed: int) -> int:
    """Return the number of labels to 95 % recall."""
    rows = choose_start(relevant, np.arange(len(relevant)), seed, "both").tolist()
    left = np.ones(len(relevant), dtype=bool)
    left[rows] = False
    fitted = 0
    while relevant[rows].sum() < np.ceil(0.95 * relevant.sum() - 1e-9):
        if len(rows) >= fitted + max(1, fitted // 25):
            fitted, scores = len(rows), score(X, rows, relevant[rows], np.flatnonzero(left), candidate, seed)
        row = int(np.where(left, scores, -np.inf).argmax())
        rows.append(row)
        left[row] = False
    return len(rows)


def score(X: Any, rows: list[int], relevant: Any, left: Any, candidate: Candidate, seed: int) -> Any:
    """Return the scores of all records."""
    rng = np.random.default_rng([seed, len(rows)])
    borrowed = rng.choice(left, min(candidate.borrowed, len(left)), replace=False)
    y = np.append(relevant, np.zeros(len(borrowed), dtype=bool))
    weight = len(y) / 2 / np.where(y, y.sum() / candidate.preference, (~y).sum())
    svm = LinearSVC(C=candidate.C, random_state=0)
    svm.fit(X[[*rows, *borrowed]], y, sample_weight=weight)
    return X @ svm.coef_[0]


@click.command()
@click.option("--seeds", default=2, help="Number of runs of each candidate on each set.")
@click.option("--candidate", "chosen", multiple=True, help="Try only this candidate.")
def main(seeds: int, chosen: tuple[str, ...]) -> None:
    """Print the labels of each set, and the regret of each candidate."""
    names = chosen or tuple(CANDIDATES)
    regrets: dict[str, list[Any]] = {}
    for kind, records, labels in sets_of_records():
        parts = parts_of_all(records)
        matrices = {}
        for name in names:
            matrices[name] = normalize(
                hstack([w * parts[p] for p, w in CANDIDATES[name].parts], format="csr")
            )
        for of, relevant in labels.items():
            labels_of = [
                [count_labels(matrices[n], relevant, CANDIDATES[n], s) for s in range(seeds)] for n in names
            ]
            costs = np.log(labels_of).mean(axis=1)
            regrets.setdefault(kind, []).append(costs - costs.min())
            print(f"{kind:12}{of:34}", *(f"{np.exp(cost):6.0f}" for cost in costs), flush=True)
    print(f"{'regret':26}", *(f"{kind:>10}" for kind in regrets), f"{'all':>10}")
    means = np.array([np.mean(of_kind, axis=0) for of_kind in regrets.values()])
    for i, name in enumerate(names):
        print(f"{name:26}", *(f"{mean:10.3f}" for mean in means[:, i]), f"{means[:, i].mean():10.3f}")


if __name__ == "__main__":
    main()
