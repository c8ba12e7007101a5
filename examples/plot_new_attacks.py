"""
======================
New attacks in KDD 99
======================

The training file of KDD Cup 1999 holds normal connections to a network and 22 types of attack. Its test file
holds 17 types more. A classifier of the known types has no word for them; a detector of the unexpected needs
none: it says which connections are like nothing it knows.

    python examples/plot_new_attacks.py [picture.png]

prints what was found and saves the picture, or shows it where no file is named. Where the connections cannot
be had, made-up points stand in, and the first line says so.
"""

# %%
# The connections
# ---------------
# Most rows are copies of others, sent by two attacks that flood the network, so copies are dropped. What is
# called unexpected is what the known connections do not explain, so they must be such as are met today: the
# known ones are 5,000 connections of known types out of the test file, whose traffic is not that of the
# training file. New are 3,000 others of the same file, as many of them of new types as it holds. Sizes and
# durations are put on a scale of logarithms, and each protocol, service and flag gets a column.

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import OneClassSVM

from lopsided import UnexpectedDetector, fetch_kdd99
from lopsided.datasets import DataUnavailable
from lopsided.metrics import Counts

N_KNOWN, N_NEW = 5_000, 3_000
rng = np.random.default_rng(0)

try:
    connections = fetch_kdd99()
except DataUnavailable as error:
    print(f"NOTICE: these points are made up. {error}")
    sizes = [500] * 8 + [50] * 4
    data, number = make_blobs(sizes, 8, centers=np.eye(12, 8) * 9, cluster_std=2.0, random_state=0)
    data, words = np.column_stack([data, number % 3]), [8]
    kind, is_train = np.array([f"type {k}" for k in number]), (np.arange(len(data)) % 9 == 0) & (number < 8)
else:
    data, kind = connections.data, np.array(connections.target_names)[connections.target]
    is_train = connections.split == "train"
    words = [connections.feature_names.index(name) for name in connections.categories]

known_kinds = np.unique(kind[is_train])
_, first = np.unique(data[~is_train], axis=0, return_index=True)
today = rng.permutation(np.flatnonzero(~is_train)[np.sort(first)])
new, rest = today[:N_NEW], today[N_NEW:]
known = rest[np.isin(kind[rest], known_kinds)][:N_KNOWN]
truth = ~np.isin(kind[new], known_kinds)

numbers = np.setdiff1d(np.arange(data.shape[1]), words)
scale = StandardScaler().fit(np.arcsinh(data[known][:, numbers]))
code = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(data[known][:, words])


def vectors(rows):
    """Numbers on a scale of logarithms, with mean 0 and variance 1; words as columns of 0 and 1."""
    return np.hstack(
        [scale.transform(np.arcsinh(data[rows][:, numbers])), code.transform(data[rows][:, words])]
    )


X_known, X_new = vectors(known), vectors(new)
print(
    f"{len(known):,} known connections of {len(np.unique(kind[known]))} types; {len(new):,} new ones, "
    f"{truth.sum()} of {len(np.unique(kind[new][truth]))} new types"
)

# %%
# The detector
# ------------
# It is told the known types, and sees the new connections without theirs: -1 stands for a row to be judged.

X = np.vstack([X_known, X_new])
y = np.concatenate([np.unique(kind[known], return_inverse=True)[1], np.full(len(new), -1)])
detector = UnexpectedDetector(random_state=0).fit(X, y)
oddness = -detector.decision_function(X_new)
flagged = detector.predict(X_new) == 0

# %%
# Beside it are two detectors of scikit-learn that take the known connections for one class. They are told
# which share of the new ones is unexpected.

svm = OneClassSVM(nu=truth.mean()).fit(X_known)
factor = LocalOutlierFactor(novelty=True, contamination=truth.mean()).fit(X_known)
methods = {
    "UnexpectedDetector": (oddness, flagged),
    "one-class SVM": (-svm.decision_function(X_new), svm.predict(X_new) < 0),
    "local outlier factor": (-factor.decision_function(X_new), factor.predict(X_new) < 0),
}
print(f"\n{'':22}{'flagged':>8}{'precision':>11}{'recall':>8}{'F1':>7}{'AUC':>7}")
for name, (scores, chosen) in methods.items():
    counts = Counts.from_predictions(truth.astype(int), chosen.astype(int))
    area = roc_auc_score(truth, scores)
    print(
        f"{name:22}{chosen.sum():8,}{counts.precision():11.3f}{counts.recall():8.3f}{counts.f():7.3f}{area:7.3f}"
    )

# %%
# The picture
# -----------
# Left: which types were flagged. Some new attacks look like nothing before them; others are made of ordinary
# requests, and no detector can tell them from what is known. Right: how odd the connections are.

blue, orange = "#0072B2", "#D55E00"
figure, (left, right) = plt.subplots(1, 2, figsize=(13, 6.5), layout="constrained")
many = [one for one in np.unique(kind[new]) if np.sum(kind[new] == one) >= 5]
share = {one: flagged[kind[new] == one].mean() for one in many}
many.sort(key=lambda one: (one not in known_kinds, share[one]))
left.barh(
    range(len(many)),
    [share[one] for one in many],
    color=[blue if one in known_kinds else orange for one in many],
)
left.set_yticks(range(len(many)), [f"{one} ({np.sum(kind[new] == one):,})" for one in many])
left.set(xlabel="share that was flagged", xlim=(0, 1))
left.set_title("Known types (blue) and new ones", loc="left")

low, high = np.quantile(oddness, [0.005, 0.995])
bins, shown = np.linspace(low, high, 60), np.clip(oddness, low, high)
right.hist(shown[~truth], bins, color=blue, alpha=0.7, label=f"of known types: {(~truth).sum():,}")
right.hist(shown[truth], bins, color=orange, alpha=0.8, label=f"of new types: {truth.sum():,}")
right.axvline(0, color="black", linewidth=1, linestyle=":", label=f"the line: {flagged.sum():,} flagged")
right.set(xlabel="score: how unexpected", ylabel="connections", yscale="log")
right.set_title("How odd they are", loc="left")
right.legend()

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print(f"\nThe picture is in {sys.argv[1]}.")
else:
    plt.show()
