"""
==================================
The boundary closes in, in a plane
==================================

Sixty points of an island are known, and six hundred points of all nine islands are not. Where does the known
island end? A one-class SVM looks at the sixty alone and draws its line around them. Mapping Convergence looks
at the others too: it begins with those that are surely negative and goes on, from boundary to boundary, until
it meets the gap around the positives [1]_.

    python examples/plot_mapping_convergence.py [picture.png]

prints a small table and saves the picture, or shows it where no file is named. The points are made up: in the
plane one can see what happens. `plot_find_faculty_pages.py` has real pages.
"""

# %%
# Nine islands
# ------------
# ``y`` is 1 for the known points; which of the others belong to the island in the middle, nobody is told.

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import NuSVC, OneClassSVM

from lopsided import SVMC, BoundaryDisplay, make_islands
from lopsided.metrics import Counts

X, y, is_positive = make_islands(random_state=4)
X_new, _, is_new_positive = make_islands(1, 5_000, random_state=5)  # to judge by

# %%
# From a rough look to the boundary
# ---------------------------------
# With ``kappa=4`` the first look rejects next to nothing, on purpose: what it rejects has to be negative, and
# that is all that is asked of it.

model = SVMC(kappa=4).fit(X, y)
print("unlabeled points rejected in each iteration, the first look first:")
print("  " + ", ".join(map(str, model.history_["n_new_negatives"])) + "\n")

# %%
# Four others
# -----------
# An SVM of the same kind that is told the negatives is as good as it gets. One-class SVMs are told nothing
# but the positives: one with the same kernel, one with a wider, one with a narrower. Which of the three is
# right, the positives cannot say.

known, negative = X[y == 1], X[is_positive == 0]
told = NuSVC(nu=0.01, gamma=model.gamma_).fit(
    np.vstack([known, negative]), np.repeat([1, 0], [len(known), len(negative)])
)
ours, best = "SVMC: positives and the others", "SVM that is told the negatives"
models = {ours: model, best: told} | {
    f"One-class SVM, {word}": OneClassSVM(nu=0.01, gamma=factor * model.gamma_).fit(known)
    for word, factor in (("the same kernel", 1), ("a wider one", 0.02), ("a narrower one", 8))
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
for ax, title in zip(axes.flat, ("SVMC: from the first look to the last boundary", *models), strict=True):
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
