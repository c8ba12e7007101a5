"""
==========================
Filtering a stream of mail
==========================

A mail filter learns from its reader, and the reader sees the inbox alone: of what went into the spam folder
nothing is ever heard. How much worse is that than being told about every message?

    python examples/plot_filter_a_stream_of_mail.py [picture.png]

prints a small table and saves the picture, or shows it where no file is named. The mail is the SpamAssassin
corpus in the order of its file names; where it cannot be had, made-up text stands in, and the first line says
so.
"""

# %%
# The mail
# --------
# Raw bytes, headers and all. Ham is positive: it is what the reader wants to see. The made-up text is about
# twenty topics, of which the reader wants ten.

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
# A message becomes the set of its 4-grams of bytes. The relaxed online SVM keeps the last 1,000 messages it
# was told about, and improves itself a little whenever one of them lies within its margin [1]_. The first
# reader labels the inbox; the second finds one in twenty of the suspected messages there as well; the third
# labels everything, the spam folder too.

grams = ByteGramVectorizer(n_features=2**20)


def replay(explorer=None, feedback="one-sided"):
    one = OneSidedFilter(RelaxedOnlineSVM(random_state=0), explorer, random_state=0)
    return run_stream(one, messages, is_ham, feedback=feedback, vectorizer=grams)


reports = {
    "the inbox alone": replay(),
    "and a glance at the spam": replay(EpsilonGreedy(epsilon=0.05)),
    "everything": replay(feedback="full"),
}

print(f"{len(messages):,} messages, {is_ham.sum():,} of them ham\n")
print(f"{'the reader labels':26}{'labels':>8}{'F1':>8}{'ham lost':>10}{'spam shown':>12}{'retrained':>11}")
for name, report in reports.items():
    print(
        f"{name:26}{report.n_labels:8,}{report.f1:8.4f}{report.fn:10,}{report.fp:12,}{report.n_updates:11,}"
    )

# %%
# What the filter cannot see, it can still estimate
# -------------------------------------------------
# Messages that are shown by chance, with a chance that is known, stand for those that were not.

glance = reports["and a glance at the spam"]
print(f"\nHam in the spam folder, told from {glance.n_explored} glances: {glance.missed()}")
print(f"in truth: {glance.fn}")

# %%
# The picture
# -----------
# Whoever labels the inbox alone loses no more ham than who labels everything. The price is spam in the inbox:
# of what looks like ham the filter has to see it to learn. Right: the scores of all messages as they came,
# for the reader who labels the inbox.

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
axes[2].set_title("Scores: what is below 0 goes into the spam folder", loc="left")
axes[2].legend(loc="upper right", markerscale=5)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print(f"\nThe picture is in {sys.argv[1]}.")
else:
    plt.show()

# %%
# .. [1] D. Sculley, G. M. Wachman, "Relaxed Online SVMs for Spam Filtering", SIGIR 2007.
