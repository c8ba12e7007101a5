"""
===========================
A minority class with costs
===========================

This example filters a stream of newswire stories for those about ships, which are one in fifty. The filter
learns a label only for the stories that it shows. With a class this rare, a learner soon shows nothing at
all, because nearly all of its feedback is negative. There are two remedies: give a missed story a higher cost
than a false positive, or lower the threshold for showing [1]_.

    python examples/plot_a_minority_class_with_costs.py [picture.png]

The script prints the best value of each parameter. It saves the picture, or shows it if no file is named. If
Reuters-21578 is not available, the script uses generated text, and its first line says so.
"""

# %%
# The stories
# -----------
# The stream is the one of the paper: the training documents of the ModApte split that have a body, in their
# original order. The features are stemmed words, present or absent, in rows of length 1. The first story
# about a ship is moved to the front, so that the learner starts with a positive.

import sys

import matplotlib.pyplot as plt
import numpy as np

from lopsided import (
    AppleTasting,
    LabelEfficient,
    MarginPerceptron,
    OneSidedFilter,
    RelaxedOnlineSVM,
    StemmedVectorizer,
    fetch_reuters21578,
    make_topics,
    run_stream,
)
from lopsided.datasets import DataUnavailable

try:
    reuters = fetch_reuters21578(subset="train", categories="top10")
except DataUnavailable as error:
    print(f"NOTICE: this text is made up. {error}")
    documents, number = make_topics(n_samples=1_000, random_state=0)
    topic, is_wanted = "topic 0", number == 0
else:
    topic = "ship"
    with_body = [i for i, text in enumerate(reuters.data) if text.partition("\n")[2]]
    documents = [reuters.data[i] for i in with_body]
    column = reuters.target[:, [reuters.target_names.index(topic)]].toarray().ravel()
    is_wanted = column[with_body] == 1

first = int(np.argmax(is_wanted))
order = np.append(first, np.delete(np.arange(len(documents)), first))
X, y = StemmedVectorizer(weighting="binary").fit_transform(documents)[order], is_wanted[order].astype(int)

# %%
# Costs for one learner, a lower threshold for the other
# ------------------------------------------------------
# The margin perceptron multiplies its step by c for a story that is wanted. The SVM shows stories that score
# above -theta, and learns as if the threshold were 0. Each learner also runs with an explorer, which
# occasionally shows a story that would be hidden.

EXPLORERS = {
    "no explorer": None,
    "label efficient": LabelEfficient(beta=1e-4),
    "apple tasting": AppleTasting(),
}
COSTS = [1, 2, 4, 8, 16, 32, 64, 128]
N_RUNS = 3  # explorers are random, and so is the SVM
THRESHOLDS = [0, 0.008, 0.016, 0.032, 0.064, 0.128, 0.25, 0.75, 1]


def by_cost(cost, explorer, seed):
    learner = MarginPerceptron(class_weight={1: float(cost)})
    return run_stream(OneSidedFilter(learner, explorer, random_state=seed), X, y)


def by_threshold(theta, explorer, seed):
    learner = RelaxedOnlineSVM(random_state=seed)
    return run_stream(OneSidedFilter(learner, explorer, bias=theta, random_state=seed), X, y)


panels = {
    "Margin perceptron: a missed story costs c times as much": (by_cost, COSTS, "c"),
    "Relaxed online SVM: shown if the score is above -theta": (by_threshold, THRESHOLDS, "theta"),
}
reports = {
    (title, name): [[replay(value, explorer, seed) for seed in range(N_RUNS)] for value in values]
    for title, (replay, values, _) in panels.items()
    for name, explorer in EXPLORERS.items()
}


def mean(runs, score):
    return np.mean([getattr(report, score) for report in runs])


print(f"{topic}: {y.sum()} of {len(y):,} documents\n")
for title, (_, values, letter) in panels.items():
    print(f"{title}\n{'':18}{'F1 at ' + letter + f' = {values[0]}':>15}{'best':>7}{'at':>7}", end="")
    print(f"{'found':>7}{'false positives':>17}")
    for name in EXPLORERS:
        f1 = [mean(runs, "f1") for runs in reports[title, name]]
        best = int(np.argmax(f1))
        found, false_positives = (mean(reports[title, name][best], count) for count in ("tp", "fp"))
        print(
            f"  {name:16}{f1[0]:15.3f}{f1[best]:7.3f}{values[best]:7g}{found:7,.0f}{false_positives:17,.0f}"
        )

# %%
# The picture
# -----------
# The best value is not known in advance, so the width of the good range matters. The lower panels show, for
# the runs without an explorer, the number of true and false positives.

colors = dict(zip(EXPLORERS, ["#0072B2", "#009E73", "#D55E00"], strict=True))
figure, axes = plt.subplots(2, 2, figsize=(12, 7.5), sharex="col", sharey="row", layout="constrained")
for (title, (_, values, letter)), (top, below) in zip(panels.items(), axes.T, strict=True):
    place = np.arange(len(values))
    for name, color in colors.items():
        runs = np.array([[report.f1 for report in runs] for runs in reports[title, name]])
        line = "o--" if name == "label efficient" else "o-"  # it covers another curve
        top.plot(place, runs.mean(axis=1), line, color=color, linewidth=2, label=name)
        top.fill_between(place, runs.min(axis=1), runs.max(axis=1), color=color, alpha=0.15, linewidth=0)
    top.set_title(title, loc="left")
    top.set(ylabel="F1", ylim=(0, None))
    plain = reports[title, "no explorer"]
    found, false_positives = ([mean(runs, count) for runs in plain] for count in ("tp", "fp"))
    below.bar(place - 0.2, found, 0.4, color="#0072B2", label=f"found (of {y.sum()})")
    below.bar(place + 0.2, false_positives, 0.4, color="0.7", label="false positives")
    below.axhline(y.sum(), color="#0072B2", linewidth=1, linestyle=":")
    below.set(xlabel=letter, ylabel="documents shown")
    below.set_xticks(place, [f"{value:g}" for value in values])
axes[0, 0].legend(loc="upper right", title=f"mean and range of {N_RUNS} runs")
axes[1, 0].legend(loc="upper left")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print(f"\nThe picture is in {sys.argv[1]}.")
else:
    plt.show()

# %%
# .. [1] D. Sculley, "Practical Learning from One-Sided Feedback", KDD 2007. Tables 2 and 3.
