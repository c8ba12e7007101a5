"""
=========================================
Rules for a rare class in a numeric table
=========================================

This example learns rules for a rare class from numeric columns. The table contains 58,000 rows of nine sensor
values of a space shuttle's radiator. 50 of the rows belong to the class "Fpv.Close": one in 1,160.

    python examples/plot_rules_table.py [picture.png]

The script prints the rules. It saves the picture, or shows it if no file is named. The table is UCI's
shuttle. If it is not available, the script uses generated numbers, and its first line says so.
"""

# %%
# The table
# ---------
# The input is a dict of columns, as here, or a data frame.

import sys

import matplotlib.pyplot as plt
import numpy as np

from lopsided import fetch_uci, find_rules, make_lopsided
from lopsided.datasets import DataUnavailable

try:
    shuttle = fetch_uci(name="shuttle")
except DataUnavailable as error:
    print(f"NOTICE: these numbers are made up. {error}")
    numbers, is_rare = make_lopsided(5_000, 4, 0.02, separation=6, random_state=0)
    table, rare = {f"x{j}": column for j, column in enumerate(numbers.T)}, "rare"
    label = np.where(is_rare == 1, rare, "common")
else:
    table, rare = dict(zip(shuttle.feature_names, shuttle.data.T, strict=True)), "Fpv.Close"
    label = np.array(shuttle.target_names)[shuttle.target]

# %%
# One call
# --------
# A condition tests whether a number is above a threshold, or not. A rule matches if all its conditions are
# true, and then adds its points. A row is predicted positive if its points add up to more than the threshold
# of the list. All figures come from a held-out quarter of the rows.

report = find_rules(table, label, positive=rare, random_state=0)
print("\n".join(report.about()))
print(f"\n{'rule':34}{'points':>8}{'holds for':>11}{'correct':>9}{'precision':>11}")
for rule in report.rules:
    print(f"{rule.text:34}{rule.points:8.2f}{rule.n_holds:11,}{rule.n_right:9,}{rule.precision or 0:11.3f}")
counts = report.counts
together = f"{counts.tp + counts.fp:11,.0f}{counts.tp:9,.0f}{counts.precision():11.3f}"
print(f"{'together':34}{'':8}{together}   recall {counts.recall():.3f}")

# %%
# The picture
# -----------
# The plot shows the two columns that occur most often in the rules, and the thresholds on them. No condition
# is precise alone, but together they cut out the corner of the rare rows.

asked = [condition for rule in report.rules for condition in rule.conditions]
times = {name: sum(condition.feature == name for condition in asked) for name in table}
first, second = sorted(times, key=times.__getitem__, reverse=True)[:2]
is_wanted = label == rare
blue, orange = "#0072B2", "#D55E00"
figure, axes = plt.subplots(figsize=(8.5, 6), layout="constrained")
for rows, colour, size, name in (
    (~is_wanted, blue, 4, f"other: {(~is_wanted).sum():,}"),
    (is_wanted, orange, 22, f"{rare}: {is_wanted.sum():,}"),
):
    axes.scatter(np.asarray(table[first])[rows], np.asarray(table[second])[rows], size, colour, label=name)
for condition in asked:
    if condition.kind == "number" and condition.feature in (first, second):
        is_first = condition.feature == first
        draw = axes.axvline if is_first else axes.axhline
        draw(condition.value, color="black", linewidth=1, linestyle="--")
        where = {"x": condition.value, "y": 1.01} if is_first else {"x": 1.01, "y": condition.value}
        across = axes.get_xaxis_transform() if is_first else axes.get_yaxis_transform()
        axes.text(**where, s=condition.text, transform=across, rotation=30 if is_first else 0, fontsize=9)
if np.ptp(table[first]) > 500:
    axes.set_xscale("symlog", linthresh=10)
if np.ptp(table[second]) > 500:
    axes.set_yscale("symlog", linthresh=10)
axes.set(xlabel=first, ylabel=second)
axes.legend(loc="lower left")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=120)
else:
    plt.show()
