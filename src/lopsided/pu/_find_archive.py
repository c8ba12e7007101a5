"""More like these, in an archive that need not fit in memory."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from lopsided.pu._archives import Archive, Fetched, FetchedColumn, Tell
from lopsided.pu._find import NOTHING_SHARED, check_numbers_of_texts
from lopsided.pu._find_report import FindReport
from lopsided.pu._folds import PositiveUnlabeledFold
from lopsided.pu._rankers import learn_ranking
from lopsided.pu._share import PositiveShare, linear_scorer, share_of_scores, thin_kinds
from lopsided.pu._stem_spool import StemCounter, StemRows, StemSpool, count_stems
from lopsided.pu._threshold import draw_line, unless_vague
from lopsided.pu._trials import FEWEST_POSITIVES, MOST_UNLABELED
from lopsided.report._reasons import Reasons
from lopsided.text._input import normalize_space, read_texts, tell_apart
from lopsided.text._stemmed import locate_stems

_SPLITS = 5  # models of `estimate_positive_share`
_CONFIDENCE = 0.95


def find_in_archive(
    positives: Iterable[str | bytes], archive: Archive, tell: Tell = lambda done, n: None
) -> FindReport:
    """Rank the documents of an archive by how much they are like the positives, as `find_more` does.

    Documents are read once. Their counts of stems are kept in a temporary folder, which goes with the report.
    The models learn from the positives and at most 50,000 other documents, drawn at random; all documents
    are scored. With no more documents than that the result is that of `find_more`, up to rounding.

    Parameters
    ----------
    positives : iterable of str or bytes
    archive : Archive
    tell : callable
        Told how many parts of the archive are read, and how many there are.
    """
    known = read_texts("positives", positives, needed_by="find_more")
    places, _ = tell_apart(known, [])
    folder = _WorkFolder()
    rows = _count_all([known[i] for i in places], archive, folder.path, tell)
    n_first = len(places)
    check_numbers_of_texts(n_first, len(known), int((~rows.known[n_first:]).sum()), len(archive))
    says_something = rows.says_something()
    is_positive = np.arange(len(says_something)) < n_first
    n_positives = int(says_something[:n_first].sum())
    if n_positives < 2 or says_something[n_first:].sum() < 2:
        raise ValueError(NOTHING_SHARED.format(n=int((~rows.known).sum())))
    looked_at = np.flatnonzero(says_something)
    sample, y = _draw(looked_at, is_positive)
    (coef, intercept), trials = learn_ranking(rows[sample], y)
    measure = _ShareModels(rows, looked_at, is_positive[looked_at])
    weights = np.column_stack([coef, *measure.coefs])
    scored = np.concatenate(rows.map(partial(_score, weights), rows=looked_at))
    share = measure.estimate(scored[:, 1:])
    scores = scored[n_positives:, 0] + intercept
    order = np.argsort(-scores, kind="stable")
    fetched = Fetched(archive)
    ranked = looked_at[n_positives:][order]
    return _ArchiveReport(
        share=share,
        n_positives=n_positives,
        n_unlabeled=len(archive),
        n_known=int(rows.known.sum()),
        n_wordless=int((~says_something[n_first:] & ~rows.known[n_first:]).sum()),
        trials=trials,
        scores=scores[order] - draw_line(scores, share.n_hidden if share else 0),
        _rows=ranked - n_first,
        _ids=FetchedColumn(fetched, "id"),
        _texts=FetchedColumn(fetched, "text"),
        _evidence=_Evidence(rows, n_first, ranked, coef, fetched, folder),
        _reasons=Reasons(rows.stems, locate_stems),
    )


def _count_all(positives: list[str], archive: Archive, folder: Path, tell: Tell) -> StemRows:
    """Return the rows of the positives, then of all documents of the archive."""
    spool = StemSpool(folder)
    if positives:
        spool.add(count_stems(positives, np.zeros(len(positives), dtype=bool)))
    counter = StemCounter(frozenset(map(normalize_space, positives)))
    for counted in archive.count(counter, tell):
        spool.add(counted)
    return spool.rows()


def _draw(
    looked_at: NDArray[np.intp], is_positive: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the positives and at most so many other rows, in their order, and which are positive."""
    positive = is_positive[looked_at]
    others = looked_at[~positive]
    if len(others) > MOST_UNLABELED:
        others = np.random.default_rng(0).choice(others, MOST_UNLABELED, replace=False)
    sample = np.sort(np.concatenate([looked_at[positive], others]))
    return sample, is_positive[sample].astype(int)


class _ShareModels:
    """The models of `estimate_positive_share`, whose scores come from a pass that others share."""

    def __init__(self, rows: StemRows, looked_at: NDArray[np.intp], positive: NDArray[np.bool_]) -> None:
        self.coefs: list[NDArray[np.float64]] = []
        self._intercepts: list[float] = []
        self._positive = positive
        self._fold_of = np.zeros(len(positive), dtype=np.intp)
        self._generator = generator = np.random.default_rng(0)
        if positive.sum() < FEWEST_POSITIVES:
            return
        n_splits = min(_SPLITS, int(min(positive.sum(), (~positive).sum())))
        folds = list(PositiveUnlabeledFold(n_splits, generator).split(np.zeros((len(positive), 1)), positive))
        train = [thin_kinds(learned, positive, generator) for learned, _ in folds]
        generator.integers(2**31 - 1, size=len(folds))  # seeds, which logistic regression does not use
        for fold, (learned, (_, held_out)) in enumerate(zip(train, folds, strict=True)):
            self._fold_of[held_out] = fold
            y = positive[learned].astype(int)
            model = linear_scorer(positive[learned]).fit(rows[looked_at[learned]], y)
            self.coefs.append(model.coef_[0])
            self._intercepts.append(float(model.intercept_[0]))

    def estimate(self, scored: NDArray[np.float64]) -> PositiveShare | None:
        """Return the share, from the products of all rows with the weights of each model."""
        if not self.coefs:
            return None
        held_out = scored[np.arange(len(scored)), self._fold_of] + np.array(self._intercepts)[self._fold_of]
        return unless_vague(*share_of_scores(held_out, self._positive, _CONFIDENCE, self._generator))


class _WorkFolder:
    """A temporary folder that is removed when nothing refers to it any more."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="lopsided-find-"))
        finalize(self, rmtree, self.path, ignore_errors=True)


class _Evidence:
    """The part of each word in the score of a ranked document, read when it is asked for."""

    def __init__(
        self,
        rows: StemRows,
        n_first: int,
        ranked: NDArray[np.intp],
        coef: NDArray[np.float64],
        fetched: Fetched,
        folder: _WorkFolder,
    ) -> None:
        self._rows, self._n_first, self._ranked, self._coef = rows, n_first, ranked, coef
        self._fetched = fetched
        self._folder = folder  # which is removed with the last report that needs it

    def read(self, n: int) -> Any:
        """Return the evidence of the first n as CSR rows, and fetch their documents."""
        self._fetched.fetch((self._ranked[:n] - self._n_first).tolist())
        found = self._rows[self._ranked[:n]].copy()
        found.data *= self._coef[found.indices]
        return found


class _ArchiveReport(FindReport):
    """A report whose texts and reasons are read when they are asked for."""

    def __repr__(self) -> str:
        return f"<FindReport: {self.summary()}>"

    def _make(self, n: int) -> list[Any]:
        evidence = self._evidence.read(n)
        records = []
        for place, row in enumerate(self._rows[:n].tolist()):
            mine = slice(*evidence.indptr[place : place + 2])
            reasons = self._reasons.explain(self._texts[row], evidence.indices[mine], evidence.data[mine])
            records.append(self._record(place, row, *reasons))
        return records


def _score(weights: NDArray[np.float64], block: Any, chosen: None) -> Any:
    return np.asarray(block @ weights)
