"""The classifier that is learned from the labels of a session, to be used on other texts."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lopsided.svm import LASVC
from lopsided.text import ByteGramVectorizer, StemmedVectorizer

Features = Literal["stems", "bytes"]
_C = 10.0  # firm: rows of unit length, and few of them (docs/label.md has the figures)
_TOL = 1e-3


def train_classifier(
    texts: Sequence[str], rows: Sequence[int], relevant: Sequence[bool], *, features: Features = "stems"
) -> Pipeline | None:
    """Return a pipeline of a vectorizer and the exact SVM of all labels; None without a yes and a no.

    The model that a session asks by ranks: in it the relevant records weigh more than the others, so its
    border is no line between the two. This one takes all labels as equal. Who is shown the most likely
    texts labels few irrelevant ones; as many random texts without a label stand in for them as there are
    more of a yes than of a no.

    Parameters
    ----------
    texts : sequence of str
        All texts: the weights of words are those of all of them.
    rows : sequence of int
        The rows that have a label.
    relevant : sequence of bool
        Their labels.
    features : {"stems", "bytes"}, default="stems"
        tf-idf of stemmed words; or byte grams, where words are not apart.

    Returns
    -------
    model : Pipeline or None
        Predicts 1 and 0.

    Examples
    --------
    >>> model = train_classifier(["a ship", "wheat", "the ship sinks", "corn"], [0, 1], [True, False])
    >>> model.predict(["ships", "wheat"]).tolist()
    [1, 0]
    """
    if len(set(relevant)) < 2:
        return None
    n_borrowed = max(0, 2 * sum(relevant) - len(relevant))
    unlabeled = np.setdiff1d(np.arange(len(texts)), rows)
    borrowed = np.random.default_rng(0).permutation(unlabeled)[:n_borrowed].tolist()
    y = [int(is_relevant) for is_relevant in relevant] + [0] * len(borrowed)
    vectorizer = StemmedVectorizer() if features == "stems" else ByteGramVectorizer()
    X = vectorizer.fit_transform(texts)
    model = LASVC(C=_C, kernel="linear", tol=_TOL, selection="sequential", n_epochs="converge")
    model.fit(X[[*rows, *borrowed]], y)
    return Pipeline([("vectorizer", vectorizer), ("svm", model)])


def scores_of(model: Pipeline, texts: Sequence[str]) -> NDArray[np.float64]:
    """Return the score of each text: above 0 is a yes.

    Examples
    --------
    >>> model = train_classifier(["a ship", "wheat", "the ship sinks", "corn"], [0, 1], [True, False])
    >>> (scores_of(model, ["ships", "wheat"]) > 0).tolist()
    [True, False]
    """
    vectorizer, svm = model["vectorizer"], model["svm"]
    # The kernel is linear: one product, instead of kernel values of all rows with all support vectors.
    weights = svm.support_vectors_.T @ svm.dual_coef_[0]
    scores: NDArray[np.float64] = vectorizer.transform(texts) @ weights + svm.intercept_[0]
    return scores
