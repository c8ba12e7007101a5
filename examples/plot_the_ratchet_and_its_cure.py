"""
==========================
The ratchet, and its cures
==========================

A filter shows an item or hides it, and learns its label only if it was shown. A perceptron moves when it was
wrong, and of all its mistakes it hears of one kind alone: something shown that should not have been. Each of
them makes it show less, nothing makes it show more, and in the end it shows next to nothing [1]_.

    python examples/plot_the_ratchet_and_its_cure.py [picture.png]

prints a small table and saves the picture, or shows it where no file is named. The stream is mail (the
SpamAssassin corpus); where that cannot be had, made-up text stands in, and the first line says so.
"""

# %%
# The mail
# --------
# In the order it came, as 4-grams of bytes. Ham is positive: it is what one wants to see. Nobody looks into
# the spam folder.

import sys

import matplotlib.pyplot as plt
import numpy as np

from lopsided import (
    AppleTasting,
    ByteGramVectorizer,
    MarginPerceptron,
    OneSidedFilter,
    fetch_spamassassin,
    make_topics,
    run_stream,
)
from lopsided.datasets import DataUnavailable

try:
    mail = fetch_spamassassin()
except DataUnavailable as error:
    print(f"NOTICE: this mail is made up. {error}")
    messages, topic = make_topics(n_samples=3_000, n_words=200, random_state=0)
    is_ham, kind = topic < 10, "Made-up mail"
else:
    messages, is_ham, kind = mail.data, mail.target == 1, "SpamAssassin"

X = ByteGramVectorizer().transform(messages)

# %%
# A perceptron and two cures
# --------------------------
# A margin lets the perceptron learn from what it showed rightly, but only just: that brings it down again.
# Apple tasting shows, now and then, what the perceptron would hide, more often while that finds something.

filters = {
    "perceptron": OneSidedFilter(MarginPerceptron(margin=0)),
    "with a margin of 2": OneSidedFilter(MarginPerceptron(margin=2)),
    "with apple tasting": OneSidedFilter(MarginPerceptron(margin=0), AppleTasting(), random_state=0),
}
reports = {name: run_stream(one, X, is_ham) for name, one in filters.items()}
everything = run_stream(OneSidedFilter(MarginPerceptron(margin=0)), X, is_ham, feedback="full")

print(f"{kind}: {is_ham.sum():,} ham among {len(is_ham):,} messages\n")
print(f"{'':32}{'F1':>7}{'ham lost':>10}{'spam shown':>12}{'labels':>8}")
for name, report in {**reports, "told about everything": everything}.items():
    print(f"{name:32}{report.f1:7.3f}{report.fn:10,}{report.fp:12,}{report.n_labels:8,}")

# %%
# What becomes of the ham
# -----------------------
# Each dot is a message that somebody wanted. Those below the line were hidden, and taught nothing.

colors = dict(zip(reports, ["#D55E00", "#0072B2", "#009E73"], strict=True))
figure, axes = plt.subplots(2, 2, figsize=(12, 8), sharex=True, layout="constrained")
for ax, (name, report) in zip(axes.flat, reports.items(), strict=False):
    spread = np.quantile(np.abs(report.score[report.y]), 0.99)
    for which, color, word in (
        (report.y & ~report.show, "0.6", "hidden"),
        (report.y & report.show & ~report.explored, colors[name], "shown"),
        (report.y & report.explored, "black", "shown by chance"),
    ):
        if which.any():
            label = f"{word}: {which.sum():,}"
            ax.plot(np.flatnonzero(which), report.score[which], ".", color=color, markersize=3, label=label)
    ax.axhline(0, color="black", linewidth=1)
    ax.set(ylabel="score of the ham", ylim=(-1.1 * spread, 1.1 * spread))
    ax.set_title(name[0].upper() + name[1:], loc="left", color=colors[name])
    ax.legend(loc="lower right", ncols=3, markerscale=3, handletextpad=0.1, framealpha=0.9)

last = axes[1, 1]
for name, report in reports.items():
    curve = report.curve()
    last.plot(curve["n_seen"], curve["recent_recall"], color=colors[name], linewidth=2, label=name)
curve = everything.curve()
last.plot(curve["n_seen"], curve["recent_recall"], "--", color="0.5", label="told about everything")
last.set(ylabel="share of the ham that is shown", ylim=(0, 1.02), xlim=(0, len(is_ham)))
last.set_title("Over the last tenth of the stream", loc="left")
last.legend(loc="best")
for ax in axes[1]:
    ax.set_xlabel("messages")
figure.suptitle(f"{kind}: labels come back only for what was shown", ha="left", x=0.01)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print(f"\nThe picture is in {sys.argv[1]}.")
else:
    plt.show()

# %%
# .. [1] D. Sculley, "Practical Learning from One-Sided Feedback", KDD 2007.
