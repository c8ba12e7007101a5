"""Classes that nobody expected, among topics of Reuters; and the rate of mistakes among flagged rows."""

from dataclasses import replace

import numpy as np
from scipy.sparse import vstack
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors

from lopsided.bench.panel._sets import read_classes, read_split
from lopsided.bench.panel.found._table import (
    Finding,
    FoundColumn,
    FoundTable,
    Measured,
    count,
    extremes,
    mean,
    median,
    total_mean,
)
from lopsided.compare._method import judge
from lopsided.compare._unexpected import METHODS, draw
from lopsided.unexpected import UnexpectedDetector
from lopsided.unexpected._calibration import adjusted

_METHODS = (
    "UnexpectedDetector",
    "LinearSVC, largest margin",
    "LogisticRegression, largest softmax",
    "OneClassSVM",
    "10 nearest neighbours",
    "LGN",
)
_AMONG_ALL = "10 nearest of all rows"
_TEXTS = ("reuters", "newsgroups", "webkb", "reviews")
_RATES = (0.1, 0.3)
_RANKING = (FoundColumn("AUC", "AUC", mean()), FoundColumn("average precision", "average precision", mean()))


def _rank(data_set: str, method: str, seed: int) -> Measured:
    data = read_classes(data_set)
    task, truth = draw(data.rows, np.isin(data.rows.labels, data.hidden), seed)
    scores = np.ravel(METHODS[method].learn(task))
    outcome = judge(method, seed, truth, scores, 0, 0.0)
    ranked = truth[np.argsort(-scores, kind="stable")]
    return {
        "AUC": outcome.auc,
        "average precision": outcome.average_precision,
        "F1": outcome.counts.f(),
        "flagged": float((scores > 0).sum()),
        "first": float(np.argmax(ranked) + 1),
    }


def _among_whom(row: str, seed: int) -> Measured:
    """Hide the topic cpi alone, and rank by the tenth nearest of all rows or of known ones."""
    rows = read_classes("reuters, 3 known").rows
    kept = np.flatnonzero(~np.isin(rows.labels, ["oilseed", "dlr"]))
    rows = replace(rows, X=rows.X[kept], labels=rows.labels[kept], texts=[rows.texts[int(i)] for i in kept])
    task, truth = draw(rows, rows.labels == "cpi", seed)
    if row == _AMONG_ALL:
        X = rows.X[np.concatenate([task.known, task.new])]
        nearest = NearestNeighbors(n_neighbors=11).fit(X)  # a row is its own nearest one
        scores = nearest.kneighbors(rows.X[task.new])[0][:, -1]
    else:
        scores = np.ravel(METHODS[row].learn(task))
    return {"AUC": float(roc_auc_score(truth, scores))}


def _mistakes(data_set: str, seed: int) -> Measured:
    """Return the share of mistakes among the flagged rows; NaN where nothing is flagged."""
    data = read_classes(data_set)
    task, truth = draw(data.rows, np.isin(data.rows.labels, data.hidden), seed)
    form = task.rows.counts if task.rows.is_text else task.rows.X
    known, new = form[task.known], form[task.new]
    X = vstack([known, new], format="csr") if task.rows.is_text else np.vstack([known, new])
    y = np.concatenate([task.classes, np.full(len(task.new), -1)])
    detector = UnexpectedDetector(random_state=0).fit(X, y)
    rates = adjusted(detector.pvalues(new))
    measured = {"AUC": float(roc_auc_score(truth, -detector.decision_function(new)))}
    for fdr in _RATES:
        flagged = rates <= fdr
        measured[f"nothing at {fdr}"] = float(not flagged.any())
        measured[f"mistakes at {fdr}"] = float((~truth[flagged]).mean()) if flagged.any() else float("nan")
    return measured


def _columns_of(fdr: float) -> tuple[FoundColumn, ...]:
    return (
        FoundColumn(f"{fdr:g}: mean rate", f"mistakes at {fdr}", total_mean),
        FoundColumn(f"{fdr:g}: rate, lowest to highest", f"mistakes at {fdr}", extremes()),
        FoundColumn(f"{fdr:g}: draws that flag nothing", f"nothing at {fdr}", count),
    )


FINDING = Finding(
    "Unexpected classes beyond newsgroups",
    "With crude, trade and ship known, and oilseed, cpi and dlr hidden, the detector had an AUC of .54 and "
    "flagged nothing, and its first hit had rank 24; the largest margin of LinearSVC had .945, the largest "
    "softmax .94, a one-class SVM .83. With eight topics known and one hidden, AUC .674 and average "
    "precision .117 stood against .830 and .372. Ten nearest neighbours ranked the topic cpi with an AUC of "
    ".355 among all rows and .641 among known rows: newcomers vouched for each other. At a false discovery "
    "rate of .1 nothing was flagged in nine of nine draws of texts; at .3 the realised rate ranged from "
    ".15 to 1. LGN had an F1 of .01 to .03.",
    {
        "3 topics": FoundTable(
            "Reuters, crude, trade and ship known, oilseed, cpi and dlr hidden (LGN is the published method)",
            _METHODS,
            (
                *_RANKING,
                FoundColumn("F1", "F1", mean()),
                FoundColumn("flagged", "flagged", mean(1)),
                FoundColumn("median rank of the first hit", "first", median()),
            ),
            lambda row, seed: _rank("reuters, 3 known", row, seed),
        ),
        "8 topics": FoundTable(
            "Reuters, eight topics known, coffee hidden",
            _METHODS,
            _RANKING,
            lambda row, seed: _rank("reuters, 8 known", row, seed),
        ),
        "cpi": FoundTable(
            "Reuters, crude, trade and ship known, cpi hidden (10 nearest neighbours: of the known rows)",
            ("UnexpectedDetector", "10 nearest neighbours", _AMONG_ALL),
            _RANKING[:1],
            _among_whom,
        ),
        "LGN": FoundTable(
            "LGN, the published method, with its defaults, on the text sets of the tune half",
            tuple(name for name in read_split()["unexpected"]["tune"] if name.partition(",")[0] in _TEXTS),
            (FoundColumn("F1", "F1", mean()), FoundColumn("flagged", "flagged", mean(1)), *_RANKING),
            lambda row, seed: _rank(row, "LGN", seed),
        ),
        "mistakes": FoundTable(
            "UnexpectedDetector at a false discovery rate of .1 and of .3, on all tune sets: the share of "
            "mistakes among the flagged rows. A draw that flags nothing counts as 0 in the mean and is left "
            "out of the range",
            tuple(read_split()["unexpected"]["tune"]),
            (
                FoundColumn("AUC", "AUC", mean()),
                *_columns_of(0.1),
                *_columns_of(0.3),
            ),
            _mistakes,
        ),
    },
)
