"""
=============================
Find the unexpected newsgroup
=============================

A classifier was trained on four newsgroups: graphics, cars, medicine and guns. Some of the new messages
belong to other groups, and the classifier would assign each of them to one of the four. This example finds
these messages and shows the words that distinguish them.

    python examples/plot_unexpected_newsgroup.py [picture.png]

The script prints the results. It saves the picture, or shows it if no file is named. The messages are those
of 20 Newsgroups. If they are not available, the script uses generated text, and its first line says so.
"""

# %%
# The messages
# ------------
# We use subject and body. The known messages are 70 % of the messages of four groups. The new messages are
# the others of these groups, and 60 messages of the sixteen other groups. The groups of the new messages are
# used only for evaluation.

import re
import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import roc_auc_score
from sklearn.svm import OneClassSVM

from lopsided import fetch_newsgroups, find_unexpected, make_topics
from lopsided.datasets import DataUnavailable
from lopsided.metrics import Counts

N_UNEXPECTED = 60


def text_of(message):
    """Return subject and body."""
    headers, _, body = message.partition("\n\n")
    subject = re.search(r"^Subject:(.*)", headers, flags=re.MULTILINE)
    return f"{subject[1] if subject else ''}\n{body}"


try:
    messages = fetch_newsgroups(remove=())
except DataUnavailable as error:
    print(f"NOTICE: this text is made up. {error}")
    texts, number = make_topics(n_samples=4_000, n_words=60, random_state=0)
    group, known_groups = np.array([f"topic {k}" for k in number]), [f"topic {k}" for k in range(4)]
else:
    texts = [text_of(message) for message in messages.data]
    group = np.array(messages.target_names)[messages.target]
    known_groups = ["comp.graphics", "rec.autos", "sci.med", "talk.politics.guns"]

rng = np.random.default_rng(0)
is_known = np.isin(group, known_groups)
mine = rng.permutation(np.flatnonzero(is_known))
known, expected = np.split(mine, [round(0.7 * len(mine))])
unexpected = rng.choice(np.flatnonzero(~is_known), N_UNEXPECTED, replace=False)
new = np.sort(np.concatenate([expected, unexpected]))
truth = np.isin(new, unexpected)
print(f"{len(known):,} known messages of {len(known_groups)} groups")
print(f"{len(new):,} new messages, {len(unexpected)} of them of other groups")

# %%
# One call
# --------
# Every new message gets a score and a p-value: the probability that a message of a known group is at least as
# unexpected. By default, messages are flagged at an expected false discovery rate of 30 %. The words show why
# a message was flagged.

report = find_unexpected([texts[i] for i in known], [texts[i] for i in new], classes=group[known])
print(report.summary())
ranked = np.array([record.row for record in report.records])
for record in report.first(5):
    print(f"  {record.rank}. {group[new[record.row]]}, p = {record.pvalue:.2g}: {', '.join(record.words)}")

# %%
# Two other methods
# -----------------
# LGN (Li, Liu and Ng, 2007), and a one-class SVM on tf-idf vectors of unit length, which is given the true
# share of unexpected messages.

lgn = find_unexpected([texts[i] for i in known], [texts[i] for i in new], method="lgn")
vectors = TfidfVectorizer(stop_words="english", sublinear_tf=True).fit([texts[i] for i in known])
svm = OneClassSVM(kernel="linear", nu=truth.mean()).fit(vectors.transform([texts[i] for i in known]))
svm_scores = -svm.decision_function(vectors.transform([texts[i] for i in new]))
methods = {
    "find_unexpected": (ranked, report.scores, report.flagged),
    "the same by LGN": (np.array([record.row for record in lgn.records]), lgn.scores, lgn.flagged),
    "one-class SVM": (np.arange(len(new)), svm_scores, svm_scores > 0),
}
print(f"\n{'':18}{'flagged':>8}{'precision':>11}{'recall':>8}{'F1':>7}{'AUC':>7}")
for name, (rows, scores, flagged) in methods.items():
    counts = Counts.from_predictions(truth[rows].astype(int), flagged.astype(int))
    area = roc_auc_score(truth[rows], scores)
    print(
        f"{name:18}{flagged.sum():8,}{counts.precision():11.3f}{counts.recall():8.3f}{counts.f():7.3f}{area:7.3f}"
    )

# %%
# The picture
# -----------
# Left: the scores of both kinds of messages, and the threshold. Right: the distribution of the p-values. For
# expected messages it should be uniform: one in ten has a p-value below 0.1, half of them below 0.5, and so
# on. For unexpected messages the p-values should be small.

blue, orange = "#0072B2", "#D55E00"
figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5.5), layout="constrained")
is_unexpected = truth[ranked]
low, high = np.quantile(report.scores, [0.005, 0.995])
bins = np.linspace(low, high, 50)
shown = np.clip(report.scores, low, high)
left.hist(
    shown[~is_unexpected], bins, color=blue, alpha=0.7, label=f"of known groups: {(~is_unexpected).sum():,}"
)
left.hist(
    shown[is_unexpected], bins, color=orange, alpha=0.8, label=f"of other groups: {is_unexpected.sum():,}"
)
left.axvline(0, color="black", linewidth=1, linestyle=":", label=f"threshold: {report.n_flagged:,} flagged")
left.set(xlabel="score: how unexpected", ylabel="messages", yscale="log")
left.set_title("The unexpected among the new messages", loc="left")
left.legend()

for mine, colour, name in (
    (~is_unexpected, blue, "of known groups"),
    (is_unexpected, orange, "of other groups"),
):
    p = np.sort(report.pvalues[mine])
    right.step(p, np.arange(1, len(p) + 1) / len(p), where="post", color=colour, linewidth=2, label=name)
right.plot([0, 1], [0, 1], "--", color="0.6", label="uniform distribution")
right.set(xlabel="p-value", ylabel="share of messages with at most this p-value", xlim=(0, 1), ylim=(0, 1.02))
right.set_title("Calibration of the p-values", loc="left")
right.legend(loc="lower right")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print(f"\nThe picture is in {sys.argv[1]}.")
else:
    plt.show()
