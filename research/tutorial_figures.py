"""Draw the figures of the tutorials, on real data, into docs/images/tutorials.

``python research/tutorial_figures.py [NAME ...]`` draws all of them or those named. The data must be at hand
(docs/data.md); the site itself is built without them.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import matplotlib
import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure
from numpy.typing import NDArray

from lopsided import (
    LASVC,
    ByteGramVectorizer,
    LabelCurveDisplay,
    MarginPerceptron,
    OneSidedFilter,
    RelaxedOnlineSVM,
    StemmedVectorizer,
    StreamDisplay,
    fetch_newsgroups,
    fetch_reuters21578,
    fetch_spamassassin,
    find_more,
    find_rules,
    find_unexpected,
    label_curve,
    run_stream,
)

FOLDER = Path(__file__).parents[1] / "docs" / "images" / "tutorials"
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"


def _has_topic(reuters: Any, topic: str) -> NDArray[Any]:
    return reuters.target[:, [reuters.target_names.index(topic)]].toarray().ravel()


def rare() -> Figure:
    """Return what each label buys, near the boundary and at random, on stories about ships."""
    reuters = fetch_reuters21578(categories="90")
    is_train = np.asarray(reuters.split) == "train"
    y = _has_topic(reuters, "ship")
    words = StemmedVectorizer(min_df=3)
    words.fit([text for text, old in zip(reuters.data, is_train, strict=True) if old])
    X = words.transform(reuters.data)
    curves = [
        label_curve(
            LASVC(gamma=0.5, class_weight={1: 10}, selection=selection, random_state=seed),
            *(X[is_train], y[is_train], X[~is_train], y[~is_train]),
            n_points=16,
            max_labels=1_000,
            name=name,
        )
        for name, selection in {"near the boundary": "active", "at random": "random"}.items()
        for seed in range(5)
    ]
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    LabelCurveDisplay.from_curves(curves, scores=["g_mean", "prbep"], ax=axes)
    return figure


def positives() -> Figure:
    """Return precision and recall along the ranking of posts, and the estimated number of positives."""
    news = fetch_newsgroups()
    group = np.array(news.target_names)[news.target]
    is_candidate = np.array([name.startswith(("rec.", "sci.")) for name in group])
    is_candidate &= np.asarray(news.split) == "train"
    hockey = np.flatnonzero(is_candidate & (group == "rec.sport.hockey"))
    known = np.random.default_rng(0).choice(hockey, 50, replace=False)
    rest = np.setdiff1d(np.flatnonzero(is_candidate), known)
    truth = group[rest] == "rec.sport.hockey"
    report = find_more([news.data[i] for i in known], [news.data[i] for i in rest])
    hits = np.cumsum(truth[[record.row for record in report.records]])[:1_500]
    read = np.arange(1, len(hits) + 1)

    figure, ax = pyplot.subplots(figsize=(7, 4), layout="constrained")
    ax.plot(read, hits / read, color=BLUE, linewidth=2, label="precision")
    ax.plot(read, hits / truth.sum(), color=ORANGE, linewidth=2, label="recall")
    assert report.share is not None
    low, high = (bound * report.n_unlabeled for bound in (report.share.low, report.share.high))
    ax.axvspan(low, high, color="0.5", alpha=0.15, linewidth=0, label="95 % confidence interval")
    ax.axvline(report.n_found, color="0.4", linestyle="--", label=f"estimated: {report.n_found}")
    ax.axvline(truth.sum(), color="black", linestyle=":", label=f"true number: {truth.sum()}")
    ax.set(xlabel="posts read, from the top of the ranking", xlim=(0, len(hits)), ylim=(0, 1.02))
    ax.legend(loc="lower right")
    return figure


def feedback() -> Figure:
    """Return the recall of three learners along a stream of news stories, and how many each shows."""
    reuters = fetch_reuters21578(subset="train", categories="top10")
    X, y = StemmedVectorizer(weighting="binary").fit_transform(reuters.data), _has_topic(reuters, "trade")
    learners = {
        "perceptron": MarginPerceptron(margin=0),
        "with a margin": MarginPerceptron(),
        "adaptive steps": MarginPerceptron(step="adaptive", fit_intercept=True),
    }
    reports = {name: run_stream(OneSidedFilter(one), X, y) for name, one in learners.items()}
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    StreamDisplay(reports).plot(scores=["recall", "n_labels"], ax=axes)
    return figure


def unexpected() -> Figure:
    """Return the scores of new posts, of known groups and of one that is not known."""
    news = fetch_newsgroups()
    group = np.array(news.target_names)[news.target]
    expected = np.isin(group, ["comp.graphics", "rec.autos", "sci.med", "talk.politics.guns"])
    rng = np.random.default_rng(0)
    rows = rng.permutation(np.flatnonzero(expected))
    known, later = np.split(rows, [round(0.7 * len(rows))])
    space = rng.choice(np.flatnonzero(group == "sci.space"), 60, replace=False)
    new = np.sort(np.concatenate([later, space]))
    report = find_unexpected([news.data[i] for i in known], [news.data[i] for i in new], classes=group[known])
    is_space = np.isin(new[[record.row for record in report.records]], space)
    scores = np.clip(report.scores, *np.quantile(report.scores, [0.002, 0.998]))
    figure, ax = pyplot.subplots(figsize=(7, 4), layout="constrained")
    bins = np.linspace(scores.min(), scores.max(), 45).tolist()
    ax.hist(scores[~is_space], bins, color=BLUE, alpha=0.7, label=f"known groups: {(~is_space).sum():,}")
    ax.hist(scores[is_space], bins, color=ORANGE, alpha=0.8, label=f"sci.space: {is_space.sum()}")
    ax.axvline(0, color="black", linestyle=":", label=f"threshold: {report.n_flagged} flagged")
    ax.set(xlabel="score (higher is more unusual)", ylabel="new posts", yscale="log")
    ax.legend()
    return figure


def rules() -> Figure:
    """Return precision and recall of the rules for five topics on held-out stories."""
    reuters = fetch_reuters21578(categories="90")
    topics = ("coffee", "cocoa", "gold", "sugar", "ship")
    bars = {}
    for topic in topics:
        labels = np.where(_has_topic(reuters, topic) == 1, topic, "other").tolist()
        report = find_rules(reuters.data, labels, positive=topic, random_state=0)
        n_rules = f"{len(report.rules)} rule{'s' if len(report.rules) > 1 else ''}"
        bars[f"{topic}\n({n_rules})"] = (report.counts.precision(), report.counts.recall())
    figure, ax = pyplot.subplots(figsize=(7, 3.8), layout="constrained")
    place = np.arange(len(topics))
    precision, recall = zip(*bars.values(), strict=True)
    ax.bar(place - 0.2, precision, 0.4, color=BLUE, label="precision")
    ax.bar(place + 0.2, recall, 0.4, color=ORANGE, label="recall")
    ax.set_xticks(place, list(bars))
    ax.set(ylim=(0, 1.15), ylabel="on held-out stories")
    ax.legend(loc="upper right", ncols=2)
    return figure


def mail() -> Figure:
    """Return the ham hidden and the spam shown along the SpamAssassin corpus."""
    corpus = fetch_spamassassin()
    X = ByteGramVectorizer(n_features=2**18).transform(corpus.data)
    learners = {
        "perceptron": MarginPerceptron(margin=0),
        "perceptron with a margin": MarginPerceptron(),
        "relaxed online SVM": RelaxedOnlineSVM(random_state=0),
    }
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for (name, learner), color in zip(learners.items(), (ORANGE, GREEN, BLUE), strict=True):
        report = run_stream(OneSidedFilter(learner, random_state=0), X, corpus.target)
        hidden, shown = report.y & ~report.show, ~report.y & report.show
        for ax, wrong in zip(axes, (hidden, shown), strict=True):
            ax.plot(np.cumsum(wrong), color=color, linewidth=2, label=name)
    axes[0].set(title="Ham hidden so far", yscale="symlog", ylim=(0, None))
    axes[1].set(title="Spam shown so far", ylim=(0, None))
    for ax in axes:
        ax.set(xlabel="messages", xlim=(0, len(corpus.target)))
        ax.grid(visible=True, alpha=0.25)
    axes[1].legend(loc="upper left")
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    draw.__name__: draw for draw in (rare, positives, feedback, unexpected, rules, mail)
}


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(FIGURES)))
def main(names: tuple[str, ...]) -> None:
    """Draw the figures NAMES, or all of them."""
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "lopsided"  # equal figures give equal files
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or FIGURES:
        FIGURES[name]().savefig(FOLDER / f"{name}.svg", metadata={"Date": None})
        click.echo(FOLDER / f"{name}.svg")
        pyplot.close("all")


if __name__ == "__main__":
    main()
