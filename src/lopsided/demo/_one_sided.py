"""One-sided stream: documents come one at a time, and a label comes back only for what was shown."""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

from lopsided.demo._corpus import Corpus
from lopsided.demo._result import Result
from lopsided.metrics import Counts, prbep_score

_WANTED = slice(1, 6)  # the five comp.* groups: about a quarter of the stream


def one_sided(corpus: Corpus) -> Iterator[Result]:
    """Show or withhold each document; the whole stream counts from the first one."""
    y = np.isin(corpus.group, np.unique(corpus.group)[_WANTED]).astype(int)
    order = np.random.default_rng(0).permutation(np.flatnonzero(corpus.is_train))
    X, y = corpus.X[order], y[order]
    shown, scores = _perceptron_stream(X, y)
    yield Result(
        setting="one-sided stream",
        task=f"comp.* among {len(y):,}" if "comp.graphics" in corpus.group else f"5 topics among {len(y):,}",
        method="baseline: perceptron (SGDClassifier)",
        n_labels=int(shown.sum()),
        counts=Counts.from_predictions(y, shown.astype(int)),
        prbep=prbep_score(y, scores),
    )


def _perceptron_stream(X: csr_matrix, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Until the first wanted document everything is shown; then what scores 0 or more."""
    model = SGDClassifier(
        loss="perceptron", learning_rate="constant", eta0=1.0, penalty=None, shuffle=False, random_state=0
    )
    shown, scores = np.zeros(len(y), dtype=bool), np.zeros(len(y))
    started = False
    for i in range(len(y)):
        row = X[i]
        if started:
            scores[i] = model.decision_function(row)[0]
        shown[i] = not started or scores[i] >= 0
        if shown[i] and (started or y[i] == 1):
            model.partial_fit(row, y[i : i + 1], classes=[0, 1])
            started = True
    return shown, scores
