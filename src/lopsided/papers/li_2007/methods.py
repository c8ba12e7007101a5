"""The methods that the paper compares, our detector, and others that find unexpected documents."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import IsolationForest
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC, OneClassSVM

from lopsided.experiments import import_peer, without_convergence_warnings
from lopsided.papers.li_2007.data import READ, SMALL, SetUp, draw
from lopsided.problems import PositiveUnlabeled
from lopsided.pu import PEBL, RocSVM, SpyEM
from lopsided.unexpected import LGN, ArtificialNegatives, UnexpectedDetector

Scores = NDArray[np.float64]  # of U; 0 and above is expected
OSVM, S_EM, ROC_SVM, LGN_, OURS = "OSVM", "S-EM", "Roc-SVM", "LGN", "detector"
BASELINES = (OSVM, S_EM, ROC_SVM, "PEBL")
READINGS = {LGN_: "counts", "LGN posterior": "posterior", "LGN printed": "printed"}  # of the entropy
_N_TOPICS = 50  # of the SVD for detectors that take dense rows


@contextmanager
def quietly() -> Iterator[None]:
    """Hide warnings of what spoils a method or cuts it short: the scores tell."""
    with without_convergence_warnings():
        warnings.filterwarnings("ignore", message="feature .* is in", category=UserWarning)
        yield


def fitted(model: Any, rows: PositiveUnlabeled, y: NDArray[Any]) -> Scores:
    """Fit a model on P and U, and return its scores of U."""
    with quietly():
        return np.asarray(model.fit(rows.X, y).decision_function(rows.U))


def spy_em(setup: SetUp, **settings: Any) -> Scores:
    """Return the scores of S-EM, which learns which documents are known."""
    return fitted(SpyEM(random_state=setup.seed, **settings), setup, setup.is_known)


def lgn(setup: SetUp, **settings: Any) -> Scores:
    """Return the scores of LGN, which learns the classes of the known documents."""
    return fitted(LGN(random_state=setup.seed, **settings), setup, setup.y)


def _read_lgn(setup: SetUp, model: tuple[str, str, bool, float]) -> Scores:
    """Return the scores of LGN as it may be read."""
    entropy, draws, binary, smoothing = model
    counts = setup.X.sign() if binary else setup.X
    own = LGN(random_state=setup.seed, entropy=entropy, draws=draws, smoothing=smoothing)
    return fitted(own, PositiveUnlabeled(counts, setup.truth), setup.y)


def _name_reading(entropy: str, draws: str, binary: bool, smoothing: float) -> str:
    """Return how a reading differs from LGN as it comes."""
    (name,) = (name for name, own in READINGS.items() if own == entropy)
    told = {"one frequency": draws == "one", "binary": binary, f"lambda {smoothing:g}": smoothing != 1}
    return ", ".join([name, *(name for name, is_so in told.items() if is_so)])


def _one_class(setup: SetUp, nu: float = 0.5) -> Scores:
    weights, intercept = _trained_one_class(nu, setup.data, setup.protocol, setup.seed)
    return np.asarray(setup.tfidf.U @ weights + intercept)


@lru_cache(maxsize=64)
def _trained_one_class(nu: float, data: str, protocol: str, seed: int) -> tuple[Scores, float]:
    """Train a one-class SVM on P, which is the same for every share; return weights and intercept."""
    P = draw(data, SMALL, protocol, seed).tfidf.P
    # All products at once: LIBSVM, which makes them one by one, takes seven times as long for the same.
    machine = OneClassSVM(kernel="precomputed", nu=nu).fit((P @ P.T).toarray())
    weights = P[machine.support_].T @ machine.dual_coef_.ravel()
    return weights, float(machine.intercept_[0])


def _against_artificial(setup: SetUp) -> Scores:
    machine = make_pipeline(TfidfTransformer(sublinear_tf=True), LinearSVC())
    with quietly():
        machine.fit(*ArtificialNegatives(random_state=setup.seed).fit_resample(setup.X, setup.y))
    return np.asarray(machine.decision_function(setup.U))


def _topics(setup: SetUp) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return P and U in the main directions of P, in rows of unit length.

    Without unit length, a document with little weight in these directions would lie in the middle of all
    documents and look like the most normal one.
    """
    svd = TruncatedSVD(_N_TOPICS, random_state=setup.seed % 2**32).fit(setup.tfidf.P)
    return normalize(svd.transform(setup.tfidf.P)), normalize(svd.transform(setup.tfidf.U))


def _isolation_forest(setup: SetUp) -> Scores:
    P, U = _topics(setup)
    forest = IsolationForest(random_state=setup.seed % 2**32, contamination=SMALL / 100).fit(P)
    return np.asarray(forest.decision_function(U))


def _local_outlier_factor(setup: SetUp) -> Scores:
    # As brute force finds the neighbours of sparse rows, it makes one dense row of distances at a time.
    model = LocalOutlierFactor(metric="cosine", novelty=True, contamination=SMALL / 100)
    return np.asarray(model.fit(setup.tfidf.P).decision_function(setup.tfidf.U))


def _pyod(module: str, name: str, setup: SetUp) -> Scores:
    """Return the scores of a detector of PyOD (version 2 or 3), relative to its own threshold."""
    kind = import_peer(f"pyod.models.{module}", name)
    P, U = _topics(setup)
    model = kind(contamination=SMALL / 100).fit(P)
    return float(model.threshold_) - np.asarray(model.decision_function(U), dtype=np.float64)


NUS = (0.01, 0.05, 0.1, 0.2, 0.3)
MODELS = {_name_reading(*model): model for model in product(*READ["model"].values())}
READ_LGN = {name: partial(_read_lgn, model=model) for name, model in MODELS.items()}
METHODS: dict[str, Callable[[SetUp], Scores]] = {
    OSVM: _one_class,
    S_EM: spy_em,
    ROC_SVM: lambda s: fitted(RocSVM(), s.tfidf, s.is_known),
    "PEBL": lambda s: fitted(PEBL(), s.tfidf, s.is_known),
    **READ_LGN,
    **{name: partial(lgn, entropy=entropy) for name, entropy in READINGS.items()},
    OURS: lambda s: fitted(UnexpectedDetector(random_state=s.seed), s, s.y),
    **{f"OSVM nu {nu:g}": partial(_one_class, nu=nu) for nu in NUS},
    "artificial + SVM": _against_artificial,
    "isolation forest": _isolation_forest,
    "LOF": _local_outlier_factor,
    "ECOD": partial(_pyod, "ecod", "ECOD"),
    "COPOD": partial(_pyod, "copod", "COPOD"),
    "kNN": partial(_pyod, "knn", "KNN"),
}
COMPARED = (*BASELINES, *READINGS, OURS)
OTHERS = tuple(name for name in METHODS if name not in (*COMPARED, *READ_LGN))
# Those that start from negatives which they extract from U: the model, and the rows that it is given.
EXTRACTORS: dict[str, Callable[[SetUp], tuple[Any, PositiveUnlabeled]]] = {
    S_EM: lambda setup: (SpyEM(random_state=setup.seed), setup),
    ROC_SVM: lambda setup: (RocSVM(), setup.tfidf),
    "PEBL": lambda setup: (PEBL(), setup.tfidf),
}
