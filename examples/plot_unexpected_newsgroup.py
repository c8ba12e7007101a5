"""
=============================
Find the unexpected newsgroup
=============================

A classifier was taught four newsgroups: graphics, cars, medicine and guns. Among the messages it gets are
some of other groups that nobody told it about, and it would put each of them into one of the four. Which are
they, and what are they about?

    python examples/plot_unexpected_newsgroup.py [picture.png]

prints what was found and saves the picture, or shows it where no file is named. The messages are those of 20
Newsgroups; where they cannot be had, made-up text stands in, and the first line says so.
"""

# %%
# The messages
# ------------
# Subject and body. Known are seven in ten of the messages of four groups. New are the others, and 60 of the
# sixteen groups that are not known; which these are is used to judge, and for nothing else.

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

N_STRANGE = 60


def text_of(message):
    """Subject and body."""
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
strangers = rng.choice(np.flatnonzero(~is_known), N_STRANGE, replace=False)
new = np.sort(np.concatenate([expected, strangers]))
truth = np.isin(new, strangers)
print(f"{len(known):,} known messages of {len(known_groups)} groups")
print(f"{len(new):,} new messages, {len(strangers)} of them of other groups")

# %%
# One call
# --------
# Every new message gets a score and a p-value: how rarely a message of a known group is as odd. So many are
# flagged that about 3 in 10 of them should be mistakes, a rate that may be chosen. The words say what gave a
# message away.

report = find_unexpected([texts[i] for i in known], [texts[i] for i in new], classes=group[known])
print(report.summary())
ranked = np.array([record.row for record in report.records])
for record in report.first(5):
    print(f"  {record.rank}. {group[new[record.row]]}, p = {record.pvalue:.2g}: {', '.join(record.words)}")

# %%
# Beside it
# ---------
# LGN (Li, Liu and Ng, 2007), and a one-class SVM on tf-idf of unit length, told the share of the strangers.

lgn = find_unexpected([texts[i] for i in known], [texts[i] for i in new], method="lgn")
vectors = TfidfVectorizer(stop_words="english", sublinear_tf=True).fit([texts[i] for i in known])
svm = OneClassSVM(kernel="linear", nu=truth.mean()).fit(vectors.transform([texts[i] for i in known]))
oddness = -svm.decision_function(vectors.transform([texts[i] for i in new]))
methods = {
    "find_unexpected": (ranked, report.scores, report.flagged),
    "the same by LGN": (np.array([record.row for record in lgn.records]), lgn.scores, lgn.flagged),
    "one-class SVM": (np.arange(len(new)), oddness, oddness > 0),
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
# Left: the scores of both kinds, and the line. Right: a p-value below 0.1 should come to one expected message
# in ten, one below 0.5 to every other, and so on, while those of the strangers should be small.

blue, orange = "#0072B2", "#D55E00"
figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5.5), layout="constrained")
is_strange = truth[ranked]
low, high = np.quantile(report.scores, [0.005, 0.995])
bins = np.linspace(low, high, 50)
shown = np.clip(report.scores, low, high)
left.hist(shown[~is_strange], bins, color=blue, alpha=0.7, label=f"of known groups: {(~is_strange).sum():,}")
left.hist(shown[is_strange], bins, color=orange, alpha=0.8, label=f"of other groups: {is_strange.sum():,}")
left.axvline(0, color="black", linewidth=1, linestyle=":", label=f"the line: {report.n_flagged:,} flagged")
left.set(xlabel="score: how unexpected", ylabel="messages", yscale="log")
left.set_title("The strangers among the new messages", loc="left")
left.legend()

for mine, colour, name in (
    (~is_strange, blue, "of known groups"),
    (is_strange, orange, "of other groups"),
):
    p = np.sort(report.pvalues[mine])
    right.step(p, np.arange(1, len(p) + 1) / len(p), where="post", color=colour, linewidth=2, label=name)
right.plot([0, 1], [0, 1], "--", color="0.6", label="what p-values promise")
right.set(xlabel="p-value", ylabel="share of messages with a p-value so low", xlim=(0, 1), ylim=(0, 1.02))
right.set_title("What the p-values are worth", loc="left")
right.legend(loc="lower right")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print(f"\nThe picture is in {sys.argv[1]}.")
else:
    plt.show()
