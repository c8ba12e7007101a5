"""
=======================================
Labelling a rare topic by 300 questions
=======================================

Of the 7,770 training documents of Reuters-21578 (the 90 topics of the ModApte split), 212 are about wheat.
There are two ways to label data for a classifier of this topic. One is to label documents as they come, and
to read 36 others for each one about wheat. The other is to let the classifier query the documents that it is
least certain about. In this example it has a labelling budget of 300.

    python examples/plot_label_a_rare_topic.py [picture.png]

The script prints a small table. It saves the picture, or shows it if no file is named. If Reuters-21578 is
not available, the script uses generated text, and its first line says so.
"""

# %%
# The documents
# -------------
# The features are tf-idf weights of stemmed words, in rows of length 1. C and gamma are those of Table 2 of
# the paper for wheat [1]_; nothing is tuned here.

import sys

import matplotlib.pyplot as plt
import numpy as np

from lopsided import (
    LASVC,
    LabelCurveDisplay,
    MarginImbalanceDisplay,
    StemmedVectorizer,
    SupportRatioDisplay,
    fetch_reuters21578,
    geometric_mean_score,
    label_curve,
    make_topics,
    prbep_score,
)
from lopsided.datasets import DataUnavailable
from lopsided.metrics import fbeta_score

N_QUESTIONS = 300
PARAMETERS = {"C": 1.0, "gamma": 0.5}

try:
    reuters = fetch_reuters21578(categories="90")
except DataUnavailable as error:
    print(f"NOTICE: this text is made up. {error}")
    documents, number = make_topics(n_samples=3_000, n_words=30, random_state=0)
    topic, is_wanted, is_train = "topic 0", number == 0, np.arange(3_000) < 2_000
else:
    documents, topic, is_train = reuters.data, "wheat", reuters.split == "train"
    is_wanted = reuters.target[:, [reuters.target_names.index(topic)]].toarray().ravel() == 1

words = StemmedVectorizer(min_df=3).fit([text for text, old in zip(documents, is_train, strict=True) if old])
X, y = words.transform(documents), np.where(is_wanted, topic, "other")
X_train, X_test, y_train, y_test = X[is_train], X[~is_train], y[is_train], y[~is_train]

# %%
# 300 questions
# -------------
# The model gets no labels. It gets an oracle: a function that it calls with one document at a time, and which
# could ask a person. Queries are random until a document of each class has been found, and these queries
# count.

asked = []


def answer(rows):
    """Return the labels of some rows and record that they were queried."""
    asked.extend(rows)
    return y_train[rows]


border = LASVC(selection="active", max_labels=N_QUESTIONS, random_state=0, **PARAMETERS).fit(X_train, answer)
assert len(asked) == border.n_labels_ == N_QUESTIONS

# %%
# Two baselines: random labels, and all labels
# --------------------------------------------

chance = LASVC(max_labels=N_QUESTIONS, random_state=0, **PARAMETERS).fit(X_train, y_train)
everything = LASVC(random_state=0, **PARAMETERS).fit(X_train, y_train)
models = {
    f"{N_QUESTIONS} questions": border,
    f"{N_QUESTIONS} random labels": chance,
    "all labels": everything,
}

n_wanted = np.sum(y_train == topic)
print(f"{topic}: {n_wanted} of {len(y_train):,} documents; scores on {len(y_test):,} others\n")
print(f"{'':18}{'labels':>8}{'of them ' + topic:>17}{'F1':>7}{'g-mean':>8}{'PRBEP':>7}")
for name, model in models.items():
    predicted, scores = model.predict(X_test), model.decision_function(X_test)
    print(
        f"{name:18}{model.n_labels_:8,}{np.sum(y_train[model.queried_] == topic):17,}"
        f"{fbeta_score(y_test, predicted, pos_label=topic):7.3f}"
        f"{geometric_mean_score(y_test, predicted, pos_label=topic):8.3f}"
        f"{prbep_score(y_test, scores, pos_label=topic):7.3f}"
    )

# %%
# Why it works
# ------------
# Left: the scores as a function of the number of labels, as means of five runs. With queries at the decision
# boundary, 300 labels are worth about as much as all of them. Right: within the margin the classes are far
# less imbalanced than in the whole training set. A learner that queries there has support vectors of both
# classes from the beginning.

ways = {"at the boundary": "active", "random": "random"}
most = 1_500  # number of labels at which the curves end

curves = [
    label_curve(
        LASVC(selection=selection, random_state=seed, **PARAMETERS),
        *(X_train, y_train, X_test, y_test),
        n_points=20,
        max_labels=most,
        name=name,
    )
    for name, selection in ways.items()
    for seed in range(5)
]
histories = {
    name: LASVC(selection=selection, max_labels=most, random_state=0, **PARAMETERS)
    .fit(X_train, y_train)
    .history_
    for name, selection in ways.items()
}

figure, axes = plt.subplots(2, 2, figsize=(13, 9), layout="constrained")
LabelCurveDisplay.from_curves(curves, scores=["g_mean", "prbep"], ax=axes[:, 0])
SupportRatioDisplay.from_histories(histories, len(y_train) / n_wanted - 1, ax=axes[0, 1])
MarginImbalanceDisplay.from_estimator(everything, X_train, y_train, ax=axes[1, 1])
for ax in (*axes[:, 0], axes[0, 1]):
    ax.axvline(N_QUESTIONS, color="0.5", linewidth=1, linestyle=":")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print(f"\nThe picture is in {sys.argv[1]}.")
else:
    plt.show()

# %%
# .. [1] S. Ertekin, J. Huang, L. Bottou, C. L. Giles, "Learning on the Border: Active Learning in Imbalanced
#    Data Classification", CIKM 2007.
