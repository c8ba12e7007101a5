"""One-sided stream: documents come one at a time, and a label comes back only for what was shown."""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

from lopsided.demo._corpus import Corpus
from lopsided.demo._result import Result
from lopsided.feedback import OneSidedFilter, run_stream
from lopsided.online import MarginPerceptron

_WANTED = slice(1, 6)  # the five comp.* groups: about a quarter of the stream
_PERCEPTRON = {"loss": "perceptron", "learning_rate": "constant"}
_PASSIVE_AGGRESSIVE = {"loss": "hinge", "learning_rate": "pa1"}


def one_sided(corpus: Corpus) -> Iterator[Result]:
    """Yield the results of filters that show or withhold each document from the first one on."""
    y = np.isin(corpus.group, np.unique(corpus.group)[_WANTED]).astype(int)
    order = np.random.default_rng(0).permutation(np.flatnonzero(corpus.is_train))
    X, y = corpus.X[order], y[order]

    def result(method: str, shown: np.ndarray, scores: np.ndarray) -> Result:
        task = "comp.*" if "comp.graphics" in corpus.group else "5 topics"
        about = f"{task} among {len(y):,}"
        return Result.of("one-sided stream", about, method, int(shown.sum()), y, shown, scores)

    # The perceptron is here to show what the setting does to a learner that never explores.
    yield result("baseline: perceptron (SGD), no margin", *_plain_stream(X, y, _PERCEPTRON))
    yield result("baseline: passive-aggressive (SGD)", *_plain_stream(X, y, _PASSIVE_AGGRESSIVE))
    learner = MarginPerceptron(step="adaptive", fit_intercept=True)
    report = run_stream(OneSidedFilter(learner), X, y)
    yield result("MarginPerceptron, adaptive", report.show, report.score)


def _plain_stream(X: csr_matrix, y: np.ndarray, settings: dict[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """Return which documents are shown, and their scores; until the first wanted one, all are shown."""
    model = SGDClassifier(eta0=1.0, penalty=None, shuffle=False, random_state=0, **settings)
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
