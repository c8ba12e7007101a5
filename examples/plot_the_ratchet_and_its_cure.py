"""
==========================
The ratchet, and its cures
==========================

A filter shows or hides each item, and learns the label only of the items that it shows. A perceptron changes
its weights after a mistake, but here it observes only one kind of mistake: an unwanted item that was shown.
Each update makes it show less, none makes it show more, and in the end it shows almost nothing [1]_. This
example demonstrates the effect and two remedies.

    python examples/plot_the_ratchet_and_its_cure.py [picture.png]

The script prints a small table. It saves the picture, or shows it if no file is named. The stream is mail
from the SpamAssassin corpus. If it is not available, the script uses generated text, and its first line says
so.
"""

# %%
# The mail
# --------
# The messages are in their original order, as byte 4-grams. Ham, the wanted mail, is the positive class.
# Nobody looks into the spam folder.

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
# With a margin, the perceptron also learns from messages that it showed correctly but with a small score,
# which corrects the bias. Apple tasting occasionally shows a message that the perceptron would hide, and does
# so more often while this finds ham.

filters = {
    "perceptron": OneSidedFilter(MarginPerceptron(margin=0)),
    "with a margin of 2": OneSidedFilter(MarginPerceptron(margin=2)),
    "with apple tasting": OneSidedFilter(MarginPerceptron(margin=0), AppleTasting(), random_state=0),
}
reports = {name: run_stream(one, X, is_ham) for name, one in filters.items()}
everything = run_stream(OneSidedFilter(MarginPerceptron(margin=0)), X, is_ham, feedback="full")

print(f"{kind}: {is_ham.sum():,} ham among {len(is_ham):,} messages\n")
print(f"{'':32}{'F1':>7}{'ham lost':>10}{'spam shown':>12}{'labels':>8}")
for name, report in {**reports, "all labels known": everything}.items():
    print(f"{name:32}{report.f1:7.3f}{report.fn:10,}{report.fp:12,}{report.n_labels:8,}")

# %%
# The effect on the ham
# ---------------------
# Each dot is a wanted message. Messages below zero were hidden, and provided no feedback.

colors = dict(zip(reports, ["#D55E00", "#0072B2", "#009E73"], strict=True))
figure, axes = plt.subplots(2, 2, figsize=(12, 8), sharex=True, layout="constrained")
for ax, (name, report) in zip(axes.flat, reports.items(), strict=False):
    limit = np.quantile(np.abs(report.score[report.y]), 0.99)
    for which, color, word in (
        (report.y & ~report.show, "0.6", "hidden"),
        (report.y & report.show & ~report.explored, colors[name], "shown"),
        (report.y & report.explored, "black", "shown by exploring"),
    ):
        if which.any():
            label = f"{word}: {which.sum():,}"
            ax.plot(np.flatnonzero(which), report.score[which], ".", color=color, markersize=3, label=label)
    ax.axhline(0, color="black", linewidth=1)
    ax.set(ylabel="score of the ham", ylim=(-1.1 * limit, 1.1 * limit))
    ax.set_title(name[0].upper() + name[1:], loc="left", color=colors[name])
    ax.legend(loc="lower right", ncols=3, markerscale=3, handletextpad=0.1, framealpha=0.9)

last = axes[1, 1]
for name, report in reports.items():
    curve = report.curve()
    last.plot(curve["n_seen"], curve["recent_recall"], color=colors[name], linewidth=2, label=name)
curve = everything.curve()
last.plot(curve["n_seen"], curve["recent_recall"], "--", color="0.5", label="all labels known")
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
