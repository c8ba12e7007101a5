"""
==================================
The boundary closes in, in a plane
==================================

This example compares learning from positive and unlabeled data with one-class SVMs, on points in the plane.
Sixty points of one island are labeled as positive; six hundred points of all nine islands are unlabeled. The
task is to find the boundary of the known island. A one-class SVM uses only the sixty positives. Mapping
Convergence also uses the unlabeled points: it starts with those that are certainly negative and moves the
boundary in each iteration, until it reaches the gap around the positives [1]_.

    python examples/plot_mapping_convergence.py [picture.png]

The script prints a small table. It saves the picture, or shows it if no file is named. The points are
generated, so that the boundaries can be drawn in the plane. `plot_find_faculty_pages.py` uses real pages.
"""

# %%
# Nine islands
# ------------
# ``y`` is 1 for the known points. No method is told which of the other points belong to the island in the
# middle.

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import NuSVC, OneClassSVM

from lopsided import SVMC, BoundaryDisplay, make_islands
from lopsided.metrics import Counts

X, y, is_positive = make_islands(random_state=4)
X_new, _, is_new_positive = make_islands(1, 5_000, random_state=5)  # test set

# %%
# From the first classifier to the boundary
# -----------------------------------------
# With ``kappa=4`` the first classifier rejects hardly any points. This is intentional, because the points
# that it rejects must be negative.

model = SVMC(kappa=4).fit(X, y)
print("unlabeled points rejected in each iteration, starting with the first classifier:")
print("  " + ", ".join(map(str, model.history_["n_new_negatives"])) + "\n")

# %%
# Four others
# -----------
# An SVM of the same kind that knows the true negatives gives the best result to be expected. One-class SVMs
# know only the positives: one has the same kernel, one a wider kernel, one a narrower kernel. The positives
# alone do not show which of the three is right.

known, negative = X[y == 1], X[is_positive == 0]
told = NuSVC(nu=0.01, gamma=model.gamma_).fit(
    np.vstack([known, negative]), np.repeat([1, 0], [len(known), len(negative)])
)
ours, best = "SVMC: positives and unlabeled", "SVM with known negatives"
models = {ours: model, best: told} | {
    f"One-class SVM, {word}": OneClassSVM(nu=0.01, gamma=factor * model.gamma_).fit(known)
    for word, factor in (("the same kernel", 1), ("a wider kernel", 0.02), ("a narrower kernel", 8))
}
print(f"{'':42}{'F1':>7}{'precision':>11}{'recall':>8}   support vectors")
for name, one in models.items():
    counts = Counts.from_predictions(is_new_positive, (one.decision_function(X_new) >= 0).astype(int))
    n_support = model.history_["n_support"][-1] if one is model else len(one.support_)
    print(f"{name:42}{counts.f():7.3f}{counts.precision():11.3f}{counts.recall():8.3f}{n_support:18}")

# %%
# The picture
# -----------

figure, axes = plt.subplots(2, 3, figsize=(14, 10), layout="constrained")
first, second, *rest = axes.flat
boundaries = BoundaryDisplay.from_estimator(model, X, y, ax=first)
boundaries.plot(second, names=[f"iteration {model.n_iter_}"])
for ax, one in zip(rest, list(models.values())[1:], strict=True):
    BoundaryDisplay.from_estimator(one, X, y, ax=ax)
for ax, title in zip(axes.flat, ("SVMC: from the first to the last boundary", *models), strict=True):
    ax.get_legend().remove()
    ax.set_title(title, loc="left")
figure.legend(*first.get_legend_handles_labels(), loc="outside lower left", ncols=8, frameon=False)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print(f"\nThe picture is in {sys.argv[1]}.")
else:
    plt.show()

# %%
# .. [1] H. Yu, "SVMC: Single-Class Classification With Support Vector Machines", IJCAI 2003.
