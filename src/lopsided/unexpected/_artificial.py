"""Many artificial negatives, so that any classifier can be trained on the known rows against them."""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse, vstack
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from lopsided._compat import Interval, StrOptions, chosen_sparse, fit_context
from lopsided._kernels.checks import MOST_COLUMNS, check_numbers
from lopsided._stored import Check, Lengths, numbers, optional, part, places, text, whole
from lopsided._validation import as_generator
from lopsided.pu._naive_bayes import as_counts
from lopsided.unexpected._base import TO_BE_JUDGED, KnownAndNew
from lopsided.unexpected._lgn import Contrast, Use

COUNTS, NUMBERS = "counts", "numbers"
_SURE = 2.0  # standard errors by which new rows must outnumber the known ones around them
_FOR_EACH = 2  # known row: artificial ones, unless another number is asked for
_OF_COUNTS, _OF_NUMBERS = ("word_probability_", "lengths_", "_use"), ("excess_", "_new", "_near", "_is_new")
_NOTHING = (
    "nothing in the rows to be judged differs enough from the known ones to make an artificial row of. "
    "Add rows to be judged, or train without artificial ones."
)


class ArtificialNegatives(KnownAndNew):
    """Rows such as the new ones have and the known ones lack, as many as wanted.

    The one artificial document of `LGN` suits naive Bayes alone. Here its words are dealt out to many
    documents, for a linear SVM, `LASVC` or boosting to be trained against: each has about as many words as
    one of the new documents, a word is in them the more often the more telling it is, and its frequency
    there is drawn as that of `LGN` is. Of rows of numbers, artificial ones lie between new rows where these
    are denser than the known ones. It has the ``fit_resample`` of the samplers of imbalanced-learn, and works
    in its ``Pipeline``.

    Parameters
    ----------
    n_samples : int, default=None
        How many to make; None makes two for each known row.
    kind : {"auto", "counts", "numbers"}, default="auto"
        Whether features are whole counts of words or any numbers; "auto" takes sparse rows for counts.
    entropy : {"counts", "posterior", "printed"}, default="counts"
        Of counts: what makes a word telling, as in `LGN`.
    n_neighbors : int, default=20
        Of numbers: how many of the nearest rows say how dense new and known rows are.
    random_state : None, int, Generator or RandomState, default=None
        Makes the rows.

    Attributes
    ----------
    known_classes_ : array
        The known classes.
    kind_ : str
        "counts" or "numbers".
    word_probability_ : array of shape (n_features,)
        Of counts: how likely a word drawn for an artificial document is this one.
    lengths_ : int array
        Of counts: how many different words the new documents have, without those that have none.
    excess_ : array of shape (n_judged,)
        Of numbers: for each row that was to be judged the estimated share by which new rows around it are
        more than known rows would explain.
    n_features_in_ : int
        Number of features.

    References
    ----------
    .. [1] X. Li, B. Liu, S.-K. Ng, "Learning to Identify Unexpected Instances in the Test Set", IJCAI 2007,
       section 5 (future work).

    Examples
    --------
    New rows have a cloud of their own at 5; an SVM of the known rows against artificial ones finds it:

    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from lopsided import ArtificialNegatives
    >>> rng = np.random.default_rng(0)
    >>> known, new = rng.normal(size=(300, 2)), rng.normal(size=(140, 2))
    >>> new[100:] += 5
    >>> X, y = np.vstack([known, new]), np.repeat([1, -1], [300, 140])
    >>> X_train, y_train = ArtificialNegatives(random_state=0).fit_resample(X, y)
    >>> answers = SVC().fit(X_train, y_train).predict(new)
    >>> bool((answers[:100] == 1).mean() > 0.95), bool((answers[100:] == 0).mean() > 0.95)
    (True, True)
    """

    _needs_judged: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_samples": [None, Interval(Integral, 1, None, closed="left")],
        "kind": [StrOptions({"auto", COUNTS, NUMBERS})],
        "entropy": [StrOptions({"counts", "posterior", "printed"})],
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }
    _stored: ClassVar[dict[str, Check]] = {
        "_n_known": whole(1),
        "kind_": text(COUNTS, NUMBERS),
        "word_probability_": optional(numbers("n_features", low=0, high=1)),
        "lengths_": optional(places("n_documents", among="n_features", low=1)),
        "_use": optional(part(Use)),
        "excess_": optional(numbers("n_judged", low=0)),
        "_new": optional(numbers("n_judged", "n_features", dtype=np.floating)),
        "_is_new": optional(numbers("n_judged", "n_near", dtype=np.bool_)),
        "_near": optional(places("n_judged", "n_near", low=-MOST_COLUMNS)),
    }

    def __init__(
        self,
        n_samples: int | None = None,
        kind: str = "auto",
        entropy: str = "counts",
        n_neighbors: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_samples = n_samples
        self.kind = kind
        self.entropy = entropy
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn what the new rows have and the known ones lack.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
            Counts of words, or dense rows of numbers.
        y : array-like of shape (n_samples,)
            The class of a known row; -1, NaN or None for a new one, as in `LGN`.

        Returns
        -------
        self
        """
        self._learn(X, y)
        return self

    def sample(self, n_samples: int | None = None, random_state: Any = None) -> Any:
        """Make artificial rows.

        Parameters
        ----------
        n_samples : int, default=None
            How many; None is the parameter of the same name.
        random_state : None, int, Generator or RandomState, default=None
            None is the parameter of the same name: where that is an int, every call makes the same rows.

        Returns
        -------
        rows : CSR for counts, array for numbers, of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        n = n_samples if n_samples is not None else self.n_samples or _FOR_EACH * self._n_known
        if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
            raise ValueError(f"n_samples must be a whole number of at least 1; got {n_samples!r}.")
        return self._make(int(n), as_generator(self.random_state if random_state is None else random_state))

    @fit_context(prefer_skip_nested_validation=True)
    def fit_resample(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, NDArray[np.int64]]:
        """Return known rows, labeled 1, and artificial ones, labeled 0, for a classifier to be trained on.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
            Counts of words, or dense rows of numbers.
        y : array-like of shape (n_samples,)
            The class of a known row; -1, NaN or None for a new one, as in `LGN`.

        Returns
        -------
        X_resampled : array or CSR
        y_resampled : int array
        """
        known, generator = self._learn(X, y), as_generator(self.random_state)
        artificial = self._make(self.n_samples or _FOR_EACH * known.shape[0], generator)
        both = (
            vstack([known, artificial], format="csr")
            if issparse(artificial)
            else np.vstack([known, artificial])
        )
        return both, np.repeat([1, 0], [known.shape[0], artificial.shape[0]])

    def _check_stored(self, lengths: Lengths) -> None:
        if not hasattr(self, "kind_"):
            return
        needed = _OF_COUNTS if self.kind_ == COUNTS else _OF_NUMBERS
        missing = [name for name in needed if not hasattr(self, name)]
        if missing:
            raise ValueError(f"ArtificialNegatives lacks {', '.join(missing)}.")
        chances = self.word_probability_ if self.kind_ == COUNTS else self.excess_
        if not (chances.any() and (self.kind_ == NUMBERS or len(self.lengths_))):
            raise ValueError("there is nothing to make artificial rows of")
        if self.kind_ == NUMBERS:
            check_numbers("_near", self._near[self._is_new], 0, len(self._new) - 1)

    def _learn(self, X: Any, y: Any) -> Any:
        """Learn the distribution of the artificial rows, and return the known rows."""
        rows, index = self._read(X, y)
        known, new = rows[index != TO_BE_JUDGED], rows[index == TO_BE_JUDGED]
        self._n_known = known.shape[0]
        self.kind_ = self.kind if self.kind != "auto" else COUNTS if issparse(rows) else NUMBERS
        if self.kind_ == COUNTS:
            self._check_whole(rows)
            known, new = as_counts(known), as_counts(new)
            new.eliminate_zeros()
            contrast = Contrast.between(rows, index == TO_BE_JUDGED, self.entropy)
            if not contrast.n_draws.any():
                raise ValueError(_NOTHING)
            # By documents, not by occurrences: one long table of numbers would be all the rest learns from.
            self.word_probability_ = contrast.n_draws / contrast.n_draws.sum()
            lengths = np.diff(new.indptr)
            self.lengths_, self._use = lengths[lengths > 0], contrast.use
            return chosen_sparse(known)
        if issparse(rows):
            raise ValueError("kind='numbers' takes dense rows; got sparse ones. Pass X.toarray() or counts.")
        self._compare(known, new)
        return known

    def _check_whole(self, rows: Any) -> None:
        numbers = rows.data if issparse(rows) else rows
        if numbers.size and (numbers.min() < 0 or (numbers != np.floor(numbers)).any()):
            raise ValueError(
                "artificial documents are made of whole words, and X holds other numbers. Pass counts and "
                "weight them (tf-idf) after this step, or kind='numbers' for dense rows of numbers."
            )

    def _compare(self, known: NDArray[Any], new: NDArray[Any]) -> None:
        """Learn where new rows are denser than known ones."""
        scale = np.vstack([known, new]).std(axis=0)
        scale[scale == 0] = 1.0
        rows = np.vstack([known, new]) / scale
        k = min(self.n_neighbors, len(rows) - 1)
        search = NearestNeighbors(n_neighbors=k + 1).fit(rows)
        near = search.kneighbors(rows[len(known) :], return_distance=False)
        own = near == np.arange(len(known), len(rows))[:, None]
        own[~own.any(axis=1), -1] = True  # among many equal rows it may not find itself
        near = near[~own].reshape(len(new), k)
        is_new = near >= len(known)
        n_new = is_new.sum(axis=1)
        # If new rows were as the known ones, there would be so many for the known ones that are around.
        explained = (k - n_new) * len(new) / len(known)
        surplus = n_new - explained - _SURE * np.sqrt(explained)
        self.excess_ = np.maximum(surplus, 0.0) / np.maximum(n_new, 1)
        if not self.excess_.any():
            raise ValueError(_NOTHING)
        self._new, self._near, self._is_new = new, near - len(known), is_new

    def _make(self, n: int, generator: np.random.Generator) -> Any:
        if self.kind_ == COUNTS:
            return self._make_documents(n, generator)
        start = generator.choice(len(self._new), n, p=self.excess_ / self.excess_.sum())
        # Towards a neighbour that is a new row as well, chosen by its own excess: a place between the two.
        weight = np.where(self._is_new, self.excess_[np.where(self._is_new, self._near, 0)], 0.0)[start]
        total = weight.cumsum(axis=1)
        place = (total > generator.random((n, 1)) * total[:, -1:]).argmax(axis=1)
        end = np.where(total[:, -1] > 0, self._near[start, place], start)
        part = generator.random((n, 1))
        return self._new[start] + part * (self._new[end] - self._new[start])

    def _make_documents(self, n: int, generator: np.random.Generator) -> Any:
        lengths = generator.choice(self.lengths_, n)
        bounds = np.cumsum(self.word_probability_)
        drawn = np.searchsorted(bounds, generator.random(lengths.sum()) * bounds[-1], side="right")
        ends = np.concatenate([[0], np.cumsum(lengths)])
        documents = csr_array((np.ones(len(drawn)), drawn, ends), shape=(n, self.n_features_in_))
        documents.sum_duplicates()
        mean, deviation = self._use.mean[documents.indices], np.sqrt(self._use.variance[documents.indices])
        frequencies = np.round(mean + deviation * generator.standard_normal(documents.nnz))
        documents.data = np.maximum(frequencies, 1.0)  # a word that is there is there at least once
        return chosen_sparse(documents)
