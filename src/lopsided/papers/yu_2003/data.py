"""Data of the paper, and draws of labeled positives and an unlabeled set from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack
from sklearn.datasets import load_breast_cancer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize, scale

from lopsided.datasets import make_islands
from lopsided.experiments import Published, check_name
from lopsided.problems import PositiveUnlabeled
from lopsided.problems.uci import read_letters
from lopsided.problems.webkb import read_pages

TABLE1 = Published.read(__package__, "table1")
ROWS = TABLE1.labels("row")
CANCER, ISLANDS = "b-cancer", "islands"
LETTERS = tuple(row for row in ROWS if row.startswith("letter_"))
PAGES = tuple(row for row in ROWS if row not in (*LETTERS, CANCER))  # kinds of pages of WebKB
QUICK_ROWS = ("letter_A", "letter_B", CANCER, "faculty")
PRESENCE, COUNTS, TFIDF = "presence", "counts", "tf-idf"  # of words; tables have one form


@dataclass(frozen=True, eq=False)
class Data:
    """A data set of which one class is wanted."""

    name: str
    forms: Mapping[str, Any]
    """Rows, in each form that a method may ask for; the first is what the paper's methods see."""
    is_positive: NDArray[np.bool_]
    gamma: float
    """Width of the kernel of the paper's methods."""
    overlap: bool = False
    """Whether P and U are drawn independently."""


@cache
def load(name: str) -> Data:
    """Read the data of a row of Table 1; a process reads and vectorizes each once."""
    check_name("data", name, ROWS)
    if name in LETTERS:
        X, letter = read_letters()
        check_name("letter", name[-1], np.unique(letter).tolist())
        return Data(name, {"": X}, letter == name[-1], gamma=14.0, overlap=True)
    if name == CANCER:
        X, benign = load_breast_cancer(return_X_y=True)
        return Data(name, {"": scale(X)}, benign == 0, gamma=1 / X.shape[1])
    forms, classes = _webkb()
    check_name("kind of page", name, np.unique(classes).tolist())
    return Data(name, forms, classes == name, gamma=1.0)  # which a linear kernel does not have


@cache
def _webkb() -> tuple[dict[str, Any], NDArray[Any]]:
    pages = read_pages()
    counts = CountVectorizer(stop_words="english", min_df=3, dtype=np.float64).fit_transform(pages.texts)
    presence = counts.copy()
    presence.data[:] = 1.0
    forms = {
        PRESENCE: normalize(presence),
        COUNTS: counts,
        TFIDF: TfidfTransformer(sublinear_tf=True).fit_transform(counts),
    }
    return forms, pages.classes


@dataclass(frozen=True, eq=False)
class PuDraw(PositiveUnlabeled):
    """One draw of labeled positives P, an unlabeled set U, and the rows that are in neither."""

    X_rest: Any
    truth_rest: NDArray[np.bool_]
    gamma: float | str
    seed: int = 0

    @property
    def kernel(self) -> str:
        """Linear for text."""
        return "linear" if issparse(self.X) else "rbf"


def draw(name: str, seed: int, form: str | None = None) -> PuDraw:
    """Return a random set-up: islands, or data with the published sizes."""
    if name == ISLANDS:
        return draw_islands(seed)
    data = load(name)
    n_labeled, n_unlabeled, n_hidden = (
        int(TABLE1.value(size, row=name) or 0) for size in ("n_P", "n_U", "n_PU")
    )
    rng = np.random.default_rng(seed)
    positives, negatives = (
        rng.permutation(np.flatnonzero(which)) for which in (data.is_positive, ~data.is_positive)
    )
    hidden = positives[:n_hidden]
    labeled = (rng.permutation(positives) if data.overlap else positives[n_hidden:])[:n_labeled]
    unlabeled = rng.permutation(np.concatenate([hidden, negatives[: n_unlabeled - n_hidden]]))
    rest = np.setdiff1d(np.arange(len(data.is_positive)), np.concatenate([labeled, unlabeled]))
    X = data.forms.get(form or "", next(iter(data.forms.values())))
    return PuDraw(
        X=_stack(X[labeled], X[unlabeled]),
        truth=data.is_positive[unlabeled],
        X_rest=X[rest],
        truth_rest=data.is_positive[rest],
        gamma=data.gamma,
        seed=seed,
    )


def draw_islands(seed: int) -> PuDraw:
    """Draw nine islands in the plane, of which the one in the middle is wanted; the rest is another draw."""
    X, y, is_positive = make_islands(random_state=seed)
    X_rest, _, is_rest_positive = make_islands(1, 5000, random_state=np.random.default_rng([seed, 1]))
    return PuDraw(X, is_positive[y == 0] == 1, X_rest, is_rest_positive == 1, "auto", seed)


def _stack(P: Any, U: Any) -> Any:
    return vstack([P, U], format="csr") if issparse(P) else np.vstack([P, U])
