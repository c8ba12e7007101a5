"""
==========================
Filtering a stream of mail
==========================

A mail filter learns from its reader, and the reader sees only the inbox: nobody labels the messages in the
spam folder. This example measures how much worse such a filter is than one that gets every label.

    python examples/plot_filter_a_stream_of_mail.py [picture.png]

The script prints a small table. It saves the picture, or shows it if no file is named. The mail is the
SpamAssassin corpus in the order of its file names. If it is not available, the script uses generated text,
and its first line says so.
"""

# %%
# The mail
# --------
# The messages are raw bytes, including headers. Ham is the positive class: the messages that the reader wants
# to see. The generated text is about twenty topics, of which the reader wants ten.

import sys

import matplotlib.pyplot as plt
import numpy as np

from lopsided import (
    ByteGramVectorizer,
    EpsilonGreedy,
    OneSidedFilter,
    RelaxedOnlineSVM,
    fetch_spamassassin,
    make_topics,
    run_stream,
)
from lopsided.datasets import DataUnavailable

try:
    mail = fetch_spamassassin()
except DataUnavailable as error:
    print(f"NOTICE: this mail is made up. {error}")
    texts, topic = make_topics(n_samples=1_000, n_words=200, random_state=0)
    messages, is_ham = [text.encode() for text in texts], topic < 10
else:
    messages, is_ham = mail.data, mail.target == 1

# %%
# Three readers
# -------------
# The features of a message are its byte 4-grams. The relaxed online SVM keeps the last 1,000 labeled
# messages, and makes a small update whenever one of them lies within its margin [1]_. The first reader labels
# the inbox. The second also finds one in twenty of the messages predicted to be spam there. The third labels
# everything, including the spam folder.

grams = ByteGramVectorizer(n_features=2**20)


def replay(explorer=None, feedback="one-sided"):
    one = OneSidedFilter(RelaxedOnlineSVM(random_state=0), explorer, random_state=0)
    return run_stream(one, messages, is_ham, feedback=feedback, vectorizer=grams)


reports = {
    "the inbox alone": replay(),
    "the inbox and 5 % of spam": replay(EpsilonGreedy(epsilon=0.05)),
    "everything": replay(feedback="full"),
}

print(f"{len(messages):,} messages, {is_ham.sum():,} of them ham\n")
print(f"{'the reader labels':26}{'labels':>8}{'F1':>8}{'ham lost':>10}{'spam shown':>12}{'retrained':>11}")
for name, report in reports.items():
    print(
        f"{name:26}{report.n_labels:8,}{report.f1:8.4f}{report.fn:10,}{report.fp:12,}{report.n_updates:11,}"
    )

# %%
# Estimating the ham in the spam folder
# -------------------------------------
# Messages that are shown at random, with a known probability, represent those that were hidden.

explored = reports["the inbox and 5 % of spam"]
print(
    f"\nHam in the spam folder, estimated from {explored.n_explored} explored messages: {explored.missed()}"
)
print(f"true number: {explored.fn}")

# %%
# The picture
# -----------
# A reader who labels only the inbox loses no more ham than one who labels everything. The price is more spam
# in the inbox, because the filter must show the spam that looks like ham in order to learn it. The right
# panel shows the scores of all messages in order, for the reader who labels only the inbox.

colors = dict(zip(reports, ["#0072B2", "#009E73", "0.4"], strict=True))
figure, axes = plt.subplots(1, 3, figsize=(15, 4.8), layout="constrained")
for ax, wrong, title in (
    (axes[0], lambda report: report.y & ~report.show, "Ham lost so far"),
    (axes[1], lambda report: ~report.y & report.show, "Spam shown so far"),
):
    for name, report in reports.items():
        ax.plot(np.cumsum(wrong(report)), color=colors[name], linewidth=2, label=name)
    ax.set(xlabel="messages", xlim=(0, len(messages)), ylim=(0, None))
    ax.set_title(title, loc="left")
    ax.grid(visible=True, alpha=0.25)
axes[0].legend(title="the reader labels", loc="upper left")

alone = reports["the inbox alone"]
score = np.clip(alone.score, -4, 4)
axes[2].plot(np.flatnonzero(~alone.y), score[~alone.y], ".", markersize=2, color="#D55E00", label="spam")
axes[2].plot(np.flatnonzero(alone.y), score[alone.y], ".", markersize=2, color="#0072B2", label="ham")
axes[2].axhline(0, color="black", linewidth=1)
axes[2].set(xlabel="messages", xlim=(0, len(messages)))
axes[2].set_title("Scores: messages below 0 go into the spam folder", loc="left")
axes[2].legend(loc="upper right", markerscale=5)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print(f"\nThe picture is in {sys.argv[1]}.")
else:
    plt.show()

# %%
# .. [1] D. Sculley, G. M. Wachman, "Relaxed Online SVMs for Spam Filtering", SIGIR 2007.
