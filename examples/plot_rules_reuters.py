"""
========================================
A few words decide: rare topics by rules
========================================

This example learns short lists of rules for rare topics of Reuters, such as tin or ships. For a rare topic, a
handful of words is often enough [1]_, and people can read, discuss and share such a short list.

    python examples/plot_rules_reuters.py [picture.png]

The script prints the rules for five rare topics. It saves the picture, or shows it if no file is named. The
stories are those of Reuters-21578 (ModApte split, both parts). If they are not available, the script uses
generated text, and its first line says so.
"""

# %%
# The stories
# -----------
# A story may have several topics: its label is a list.

import sys

import matplotlib.pyplot as plt

from lopsided import fetch_reuters21578, find_rules, make_topics
from lopsided.datasets import DataUnavailable

try:
    reuters = fetch_reuters21578()
except DataUnavailable as error:
    print(f"NOTICE: this text is made up. {error}")
    stories, number = make_topics(n_samples=1_000, random_state=0)
    topics = [[f"topic {k}"] for k in number]
    wanted = [f"topic {k}" for k in range(2)]
else:
    used = [i for i, part in enumerate(reuters.split) if part in ("train", "test")]
    stories = [reuters.data[i] for i in used]
    topics = [[reuters.target_names[j] for j in reuters.target[[i]].indices] or ["none"] for i in used]
    wanted = ["ship", "gold", "cocoa", "tin", "platinum"]

# %%
# One call for each topic
# -----------------------
# The rules are learned from three quarters of the stories and evaluated on the rest. A rule has one or more
# conditions; each requires that a word is present, or that it is absent. A story is predicted positive if the
# points of its matching rules add up to more than the threshold.

reports = {topic: find_rules(stories, topics, positive=topic, random_state=0) for topic in wanted}
for topic, report in reports.items():
    print(f"{topic}: {report.n_positives:,} of {report.n_rows:,} stories")
    for rule in report.rules:
        right = f"holds for {rule.n_holds:,}, {rule.n_right:,} correctly"
        print(f"  {rule.points:5.2f}  {rule.whole:45} {right}")
    print(f"  {report.rule_list.decision()}")
    print(f"  together: {report.verdict()}")

print(f"\n{'':12}{'stories':>9}{'rules':>7}{'precision':>11}{'recall':>8}{'F1':>7}")
for topic, report in reports.items():
    counts = report.counts
    scores = f"{counts.precision():11.3f}{counts.recall():8.3f}{counts.f():7.3f}"
    print(f"{topic:12}{report.n_positives:9,}{len(report.rules):7}{scores}")

# %%
# The picture
# -----------
# Precision and recall of each rule alone, and of all rules together. Precision is the share of the matching
# stories that are about the topic; recall is the share of the stories about the topic that match.

blue, orange = "#0072B2", "#D55E00"
heights = [len(report.rules) + 1 for report in reports.values()]
figure, panels = plt.subplots(
    len(reports),
    1,
    figsize=(9, 2.5 + 0.42 * sum(heights)),
    height_ratios=heights,
    sharex=True,
    layout="constrained",
)
for panel, (topic, report) in zip(panels, reports.items(), strict=True):
    names = [rule.text for rule in report.rules] + ["together"]
    precision = [rule.precision or 0.0 for rule in report.rules] + [report.counts.precision()]
    recall = [rule.recall or 0.0 for rule in report.rules] + [report.counts.recall()]
    places = range(len(names))
    panel.hlines(places, precision, recall, color="lightgrey", linewidth=3, zorder=1)
    panel.plot(precision, places, "o", color=blue, label="precision")
    panel.plot(recall, places, "s", color=orange, markerfacecolor="none", markeredgewidth=1.6, label="recall")
    panel.set(yticks=places, yticklabels=names, ylim=(len(names) - 0.4, -0.6), xlim=(-0.02, 1.02))
    panel.get_yticklabels()[-1].set_fontweight("bold")
    judged = f"{report.n_judged_positives:,} of {report.n_judged:,} held-out stories"
    panel.set_title(f"{topic}: {judged}", loc="left", fontsize=10)
    panel.grid(axis="x", alpha=0.3)
panels[0].legend(loc="lower left", fontsize=9)
panels[-1].set_xlabel("precision and recall on the held-out stories")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=120)
else:
    plt.show()

# %%
# .. [1] J. Leskovec, J. Shawe-Taylor, "Linear Programming Boosting for Uneven Datasets", ICML 2003.
