"""
========================================
A few words decide: rare topics by rules
========================================

What makes a story of Reuters one about tin, or about ships? For a rare topic a handful of words often decides
[1]_, and a list that short can be read, argued with, and handed to somebody else.

    python examples/plot_rules_reuters.py [picture.png]

prints the rules for five rare topics and saves the picture, or shows it where no file is named. The stories
are those of Reuters-21578 (ModApte split, both parts); where they cannot be had, made-up text stands in, and
the first line says so.
"""

# %%
# The stories
# -----------
# A story may be about several topics: its label is a list of them.

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
# One call a topic
# ----------------
# Rules are learned from three stories in four, and judged on the others. A rule is a word that is there, or
# is not, or several such conditions; a story counts as one about the topic where the points of the rules
# that hold are more than the bar.

reports = {topic: find_rules(stories, topics, positive=topic, random_state=0) for topic in wanted}
for topic, report in reports.items():
    print(f"{topic}: {report.n_positives:,} of {report.n_rows:,} stories")
    for rule in report.rules:
        right = f"holds for {rule.n_holds:,}, {rule.n_right:,} of them right"
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
# Each rule by itself, and all together: how many of the stories it holds for are about the topic, and for how
# many of those about the topic it holds.

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
    judged = f"{report.n_judged_positives:,} of {report.n_judged:,} stories held out"
    panel.set_title(f"{topic}: {judged}", loc="left", fontsize=10)
    panel.grid(axis="x", alpha=0.3)
panels[0].legend(loc="lower left", fontsize=9)
panels[-1].set_xlabel("precision and recall on the stories held out")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=120)
else:
    plt.show()

# %%
# .. [1] J. Leskovec, J. Shawe-Taylor, "Linear Programming Boosting for Uneven Datasets", ICML 2003.
