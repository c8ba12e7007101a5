"""One-sided stream: documents come one at a time, and a label comes back only for what was shown."""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

from lopsided.demo._corpus import Corpus
from lopsided.demo._result import Result
from lopsided.feedback import OneSidedFilter, run_stream
from lopsided.online import MarginPerceptron, RelaxedOnlineSVM

_WANTED = slice(1, 6)  # the five comp.* groups: about a quarter of the stream
# Where most items are not wanted the SVM may give up after the first few. Of 0, 0.25 and 0.5 this was best in
# the mean of five orders of rec.*, sci.* and talk.*, not on these groups.
_BIAS = 0.5


def one_sided(corpus: Corpus) -> Iterator[Result]:
    """Yield the results of filters that show or withhold each document from the first one on."""
    y = np.isin(corpus.group, np.unique(corpus.group)[_WANTED]).astype(int)
    order = np.random.default_rng(0).permutation(np.flatnonzero(corpus.is_train))
    X, y = corpus.X[order], y[order]

    def result(method: str, shown: np.ndarray, scores: np.ndarray) -> Result:
        task = "comp.*" if "comp.graphics" in corpus.group else "5 topics"
        about = f"{task} among {len(y):,}"
        return Result.of("one-sided stream", about, method, int(shown.sum()), y, shown, scores)

    yield result("baseline: perceptron (SGDClassifier)", *_perceptron_stream(X, y))
    filters = {
        "MarginPerceptron": OneSidedFilter(MarginPerceptron()),
        f"RelaxedOnlineSVM, bias {_BIAS}": OneSidedFilter(RelaxedOnlineSVM(random_state=0), bias=_BIAS),
    }
    for name, one in filters.items():
        report = run_stream(one, X, y)
        yield result(name, report.show, report.score)


def _perceptron_stream(X: csr_matrix, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which documents are shown, and their scores; until the first wanted one, all are shown."""
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
