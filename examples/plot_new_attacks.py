"""
======================
New attacks in KDD 99
======================

The training file of KDD Cup 1999 contains normal network connections and 22 types of attack. Its test file
contains 17 more types. A classifier of the known types cannot predict a new one. A detector of the unexpected
can flag connections that differ from everything it knows.

    python examples/plot_new_attacks.py [picture.png]

The script prints the results. It saves the picture, or shows it if no file is named. If the connections are
not available, the script uses generated points, and its first line says so.
"""

# %%
# The connections
# ---------------
# Most rows are duplicates, sent by two attacks that flood the network, so duplicates are dropped. The
# detector flags connections that the known ones do not explain, so the known ones must be representative of
# current traffic. The traffic of the training file is different from that of the test file. The known
# connections are therefore 5,000 connections of known types from the test file. The new ones are 3,000 others
# from the same file, which include new types in their natural proportion. Sizes and durations are transformed
# to a logarithmic scale, and each protocol, service and flag becomes a column.

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
    """Return numbers on a logarithmic scale, with mean 0 and variance 1, and words as columns of 0 and 1."""
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
# The detector gets the known connections with their types and the new connections without theirs: the label
# -1 marks a row to be predicted.

X = np.vstack([X_known, X_new])
y = np.concatenate([np.unique(kind[known], return_inverse=True)[1], np.full(len(new), -1)])
detector = UnexpectedDetector(random_state=0).fit(X, y)
oddness = -detector.decision_function(X_new)
flagged = detector.predict(X_new) == 0

# %%
# We compare it with two detectors of scikit-learn, which treat all known connections as one class. They are
# given the true share of unexpected connections among the new ones.

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
# Left: the share of flagged connections of each type. Some new attacks are unlike anything before; others
# consist of ordinary requests, and no detector can distinguish them from known traffic. Right: the
# distribution of the scores.

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
left.set(xlabel="share flagged", xlim=(0, 1))
left.set_title("Known types (blue) and new ones", loc="left")

low, high = np.quantile(oddness, [0.005, 0.995])
bins, shown = np.linspace(low, high, 60), np.clip(oddness, low, high)
right.hist(shown[~truth], bins, color=blue, alpha=0.7, label=f"of known types: {(~truth).sum():,}")
right.hist(shown[truth], bins, color=orange, alpha=0.8, label=f"of new types: {truth.sum():,}")
right.axvline(0, color="black", linewidth=1, linestyle=":", label=f"threshold: {flagged.sum():,} flagged")
right.set(xlabel="score: how unexpected", ylabel="connections", yscale="log")
right.set_title("Scores of the new connections", loc="left")
right.legend()

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print(f"\nThe picture is in {sys.argv[1]}.")
else:
    plt.show()
