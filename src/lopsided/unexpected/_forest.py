"""A forest that tells the rows to be judged from the known ones, each row answered by trees not shown it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from lopsided._stored import Check, Lengths, numbers, places

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_N_TREES = 200
_LEAST_LEAF = 3
_DEEPEST = 4000  # of a tree: one grown on _MOST_ROWS with leaves of _LEAST_LEAF is not as deep
_MOST_ROWS = 10_000  # a tree is grown on; more would only make it slower
_SUREST = 1e-3  # nearest a share comes to 0 or 1, so that it has log odds
_BLOCK = 10_000  # rows that walk down the trees together


@dataclass(frozen=True)
class Forest:
    """Trees as plain arrays, which can be saved and loaded without executing anything."""

    roots: NDArray[np.int64]
    """The first node of each tree."""
    feature: NDArray[np.int64]
    """The column a node looks at; -1 in a leaf."""
    threshold: Vector
    """Largest value with which a row goes left."""
    children: NDArray[np.int64]
    """The left and the right child of each node, of shape (n_nodes, 2); a leaf is its own child."""
    share: Vector
    """Share of the rows in a node that are to be judged."""

    _stored: ClassVar[dict[str, Check]] = {
        "feature": places("n_nodes", among="n_features", low=-1),
        "threshold": numbers("n_nodes"),
        "children": places("n_nodes", 2, among="n_nodes"),
        "share": numbers("n_nodes", low=0, high=1),
        "roots": places("n_trees", among="n_nodes"),
    }

    def _check_stored(self, lengths: Lengths) -> None:
        """Refuse trees in which a walk down might not end: children must come after their parents."""
        own, is_leaf = np.arange(len(self.feature))[:, None], self.feature[:, None] < 0
        if not np.where(is_leaf, self.children == own, self.children > own).all():
            raise ValueError("a node does not come before its children, or a leaf has some")
        nodes = np.unique(self.roots)
        for _ in range(_DEEPEST):
            nodes = np.unique(self.children[nodes[self.feature[nodes] >= 0]])
            if not len(nodes):
                return
        raise ValueError(f"a tree is deeper than {_DEEPEST} nodes")

    def answer(self, rows: Matrix) -> Vector:
        """Return the log odds of rows that were not in `fit`."""
        shares = [self._shares(rows[start : start + _BLOCK]) for start in range(0, len(rows), _BLOCK)]
        return _log_odds(np.concatenate([*shares, np.empty(0)]))

    def _shares(self, rows: Matrix) -> Vector:
        rows = rows.astype(np.float32)  # as the trees were grown
        node = np.tile(self.roots, (len(rows), 1))
        row = np.arange(len(rows))[:, None]
        while True:
            feature = self.feature[node]
            if (feature < 0).all():
                return np.asarray(self.share[node].mean(axis=1))
            right = rows[row, np.maximum(feature, 0)] > self.threshold[node]
            node = self.children[node, right.astype(np.intp)]


def fit_forest(rows: Matrix, is_new: NDArray[np.bool_], seed: int) -> tuple[Forest, Vector]:
    """Return trees grown on known rows and rows to be judged.

    Where the two are drawn alike, nothing tells them apart and all odds are those of their numbers; rows of a
    kind that is only among those to be judged give themselves away by being together.

    Parameters
    ----------
    rows : array of shape (n_samples, n_features)
    is_new : bool array of shape (n_samples,)
    seed : int

    Returns
    -------
    forest : Forest
    left_out : array of shape (n_samples,)
        Log odds of being one to be judged, of each row by the trees that were not shown it.
    """
    # Weights for the rarer kind would put its rows into every tree, and leave none to answer for them.
    model = RandomForestClassifier(
        _N_TREES,
        min_samples_leaf=_LEAST_LEAF,
        max_samples=min(1.0, _MOST_ROWS / len(rows)),
        oob_score=True,
        random_state=seed,
    ).fit(rows, is_new)
    trees = [tree.tree_ for tree in model.estimators_]
    roots = np.cumsum([0, *(tree.node_count for tree in trees[:-1])])
    children = [
        np.column_stack([tree.children_left, tree.children_right]) + root
        for tree, root in zip(trees, roots, strict=True)
    ]
    feature = np.concatenate([np.maximum(tree.feature, -1) for tree in trees]).astype(np.int64)
    own = np.arange(len(feature))[:, None]
    values = np.concatenate([tree.value[:, 0] for tree in trees])
    forest = Forest(
        roots=roots,
        feature=feature,
        threshold=np.concatenate([tree.threshold for tree in trees]),
        children=np.where(feature[:, None] < 0, own, np.concatenate(children)),
        share=values[:, 1] / values.sum(axis=1),
    )
    return forest, _log_odds(model.oob_decision_function_[:, 1])


def _log_odds(share: Vector) -> Vector:
    share = np.clip(share, _SUREST, 1 - _SUREST)
    return np.asarray(np.log(share / (1 - share)))
