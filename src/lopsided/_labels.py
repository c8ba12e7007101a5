"""The spellings of positive, negative and unlabeled: the only file that knows them.

Users spell labels in many ways; everything behind this file sees the int8 codes below. Each setting has
one function: two classes, positive + unlabeled, known classes with rows to be judged, one label against
the other (metrics and streams), and any classes.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

POSITIVE = np.int8(1)
NEGATIVE = np.int8(-1)
UNLABELED = np.int8(0)


def encode_two_classes(
    y: ArrayLike, classes: ArrayLike | None = None
) -> tuple[NDArray[np.int8], NDArray[Any]]:
    """Return the signs of two-class labels: +1 for the second class in sorted order, -1 for the first.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Any two labels, none of them missing.
    classes : array-like of two labels, optional
        Both labels, where ``y`` is a chunk of a stream and may hold only one of them.

    Returns
    -------
    signs : int8 array of shape (n_samples,)
    classes : array of shape (2,)
        Sorted, so that ``classes[1]`` is the positive.

    Examples
    --------
    >>> encode_two_classes(["ham", "spam", "ham"])
    (array([-1,  1, -1], dtype=int8), array(['ham', 'spam'], dtype='<U4'))
    """
    values = as_labels(y, "y", warn=True)
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError("y contains infinity; expected two class labels. Replace or drop those samples.")
    present = np.unique(values)
    if classes is None:
        if len(present) == 1:
            raise ValueError(
                f"fit needs two classes in y; got only {_show(present)} among {len(values)} samples. "
                "Add samples of the other class."
            )
        if len(present) > 2:
            raise ValueError(f"{_not_binary(present)} Compare y with one label to get two classes.")
        both = present
    else:
        both = np.unique(as_labels(classes, "classes"))
        if len(both) != 2:
            raise ValueError(f"classes must name two labels; got {_show(both)}. Pass both labels.")
        if _is_text(both) != _is_text(present) or not np.isin(present, both).all():
            raise ValueError(
                f"y holds {_show(present)}, but classes are {_show(both)}. Pass only those labels."
            )
    return _signs(values == both[1]), both


def encode_positive_unlabeled(y: ArrayLike) -> NDArray[np.int8]:
    """Return codes of positive + unlabeled labels: +1 for a labeled positive, 0 for unlabeled.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        1 (or True) for a labeled positive; 0, -1, False, NaN or None for unlabeled, one spelling at a time.

    Returns
    -------
    codes : int8 array of shape (n_samples,)

    Examples
    --------
    >>> encode_positive_unlabeled([1, None, None, 1])
    array([1, 0, 0, 1], dtype=int8)
    """
    labels, missing = _read(y, "y", warn=True)
    values = _plain(labels[~missing], "y")
    known = np.zeros(len(values), bool) if _is_text(values) else np.isin(values, [1, 0, -1])
    if not known.all():
        present = np.unique(values)
        wrong = f"{_not_binary(present)} " if len(present) > 2 else ""
        raise ValueError(
            f"{wrong}y may hold 1 (labeled positive) and one spelling of unlabeled (0, -1, False, NaN or "
            f"None); got also {_show(np.unique(values[~known]))}. Map labels to 1 and 0 first."
        )
    spellings = {"0": (values == 0).any(), "-1": (values == -1).any(), "NaN or None": missing.any()}
    used = [spelling for spelling, seen in spellings.items() if seen]
    if len(used) > 1:
        raise ValueError(
            f"y spells unlabeled as {' and as '.join(used)}; expected one spelling. Use 0 for all of them."
        )
    codes = np.full(len(labels), UNLABELED)
    codes[~missing] = np.where(values == 1, POSITIVE, UNLABELED)
    if not codes.any():
        raise ValueError(
            f"fit needs at least one labeled positive (y == 1); got 0 among {len(labels)} samples."
        )
    return codes


def encode_known_classes(y: ArrayLike) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return the class index of each row of a known class, and -1 for each row to be judged.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The known class of a row (any labels; 1 alone where classes are not known), or -1, NaN or None where
        the row is to be judged, one spelling at a time. Where the labels are exactly 0 and 1 and nothing is
        missing, 0 means to be judged as well, and a warning says so.

    Returns
    -------
    index : int array of shape (n_samples,)
        Index into ``classes``, or -1.
    classes : array
        The known classes, sorted.

    Examples
    --------
    >>> encode_known_classes(["autos", None, "space", "autos"])
    (array([ 0, -1,  1,  0]), array(['autos', 'space'], dtype='<U5'))
    >>> encode_known_classes([1, -1, -1, 1])
    (array([ 0, -1, -1,  0]), array([1]))
    """
    labels, missing = _read(y, "y", warn=True)
    marked = ~missing & _equals(labels, -1)
    if missing.any() and marked.any():
        raise ValueError(
            "y marks rows to be judged by -1 and by NaN or None; expected one spelling. "
            "Use None for all of them."
        )
    judged = missing | marked
    if judged.all():
        raise ValueError(
            f"fit needs at least one row of a known class; all {len(labels)} rows of y are to be judged "
            "(-1, NaN or None)."
        )
    values = _plain(labels[~judged], "y")
    if _is_text(values):
        if isinstance(y, np.ndarray) and _is_text(y):
            _refuse_turned_to_text(values)
    elif values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError("y holds an infinite label (inf). Name a class by a finite number or by text.")
    elif _is_continuous(values):
        raise ValueError(
            f"Unknown label type: continuous. y names classes, and holds {_show(np.unique(values))}. "
            "Name them by whole numbers or by text."
        )
    elif not judged.any() and np.array_equal(np.unique(values), [0, 1]):
        warnings.warn(
            "y holds only 0 and 1: rows with y == 0 are taken as rows to be judged, not as a known class. "
            "Mark rows to be judged by -1 or None, or name two known classes otherwise.",
            UserWarning,
            stacklevel=5,
        )
        judged = values == 0
        values = values[~judged]
    classes, index_of_known = np.unique(values, return_inverse=True)
    index = np.full(len(labels), -1, dtype=np.intp)
    index[~judged] = index_of_known
    return index, classes


def encode_against(pos_label: Any, **labels: ArrayLike) -> list[NDArray[np.int8]]:
    """Return the signs of each vector of labels: +1 for ``pos_label``, -1 for the one other label.

    All vectors must be spelled alike: together they hold ``pos_label`` and at most one other value.

    Parameters
    ----------
    pos_label : scalar
        The label of the positive class.
    **labels : array-like
        The vectors under the names by which error messages shall call them.

    Returns
    -------
    signs : list of int8 arrays
        One for each vector, in the order given.

    Examples
    --------
    >>> encode_against("ham", y_true=["ham", "spam"], y_pred=["spam", "spam"])
    [array([ 1, -1], dtype=int8), array([-1, -1], dtype=int8)]
    """
    values = [as_labels(vector, name) for name, vector in labels.items()]
    names = " and ".join(labels)
    if len({_is_text(vector) for vector in values}) > 1:
        raise ValueError(f"{names} mix text with numbers. Spell the labels alike in both.")
    present = np.unique(np.concatenate(values))
    same_kind = _is_text(present) == isinstance(pos_label, (str, bytes))
    others = present[present != pos_label] if same_kind else present
    if same_kind and len(others) < 2:
        return [_signs(vector == pos_label) for vector in values]
    if len(others) == len(present) <= 2:
        raise ValueError(
            f"pos_label={pos_label!r} is not a label of {names} (labels: {_show(present)}). "
            "Pass the positive one as pos_label."
        )
    raise ValueError(
        f"Expected pos_label={pos_label!r} and one other label in {names}; got {len(present)} labels "
        f"({_show(present)}). Spell the negatives alike, or compare with pos_label first."
    )


def as_labels(y: ArrayLike, name: str = "y", *, warn: bool = False) -> NDArray[Any]:
    """Return labels of any number of classes as a one-dimensional array; a missing one is an error.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels, in a column too.
    name : str, default="y"
        What error messages call them.
    warn : bool, default=False
        Warn about a column, as estimators do.

    Returns
    -------
    labels : array of shape (n_samples,)

    Examples
    --------
    >>> as_labels([["a"], ["b"]])
    array(['a', 'b'], dtype='<U1')
    """
    labels, missing = _read(y, name, warn)
    if missing.any():
        raise ValueError(
            f"{name} contains NaN or None in {missing.sum()} of {len(labels)} samples; expected a label "
            "for each. Drop those samples."
        )
    return _plain(labels, name)


def _read(y: ArrayLike, name: str, warn: bool) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels as a one-dimensional array, and where they are missing."""
    labels = np.asarray(y)
    if labels.dtype.kind in "US" and not hasattr(y, "dtype"):
        labels = np.asarray(y, dtype=object)  # NumPy would turn a None or NaN beside text into text
    if labels.ndim == 2 and labels.shape[1] == 1:
        if warn:
            _warn_about_column()
        labels = labels.ravel()
    if labels.ndim != 1:
        raise ValueError(f"{name} must be one label a sample; got an array of shape {labels.shape}.")
    if len(labels) == 0:
        raise ValueError(f"{name} holds no labels; expected at least one sample.")
    if labels.dtype.kind == "f":
        return labels, np.isnan(labels)
    if labels.dtype.kind == "O":
        return labels, np.fromiter((is_missing_label(label) for label in labels), bool, len(labels))
    return labels, np.zeros(len(labels), bool)


def _plain(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the labels of an object array in their natural type."""
    if values.dtype.kind != "O":
        return values
    is_text = [isinstance(value, (str, bytes)) for value in values]
    if any(is_text) and not all(is_text):
        raise ValueError(f"{name} mixes text with numbers. Spell all labels the same way.")
    return np.array(values.tolist())


def is_missing_label(label: Any) -> bool:
    """Return whether this is None, NaN, or the missing value of pandas."""
    if label is None:
        return True
    try:
        return bool(label != label)  # true of NaN and of NaT
    except TypeError:
        return True  # the missing value of nullable pandas columns is neither equal nor unequal to itself


def _equals(labels: NDArray[Any], value: int) -> NDArray[np.bool_]:
    if labels.dtype.kind == "O":
        return np.fromiter(
            (not is_missing_label(label) and label == value for label in labels), bool, len(labels)
        )
    if _is_text(labels):
        return np.zeros(len(labels), bool)
    return np.asarray(labels == value)


def _is_text(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "US"


def _is_continuous(values: NDArray[Any]) -> bool:
    return values.dtype.kind == "f" and bool(np.any(values != np.floor(values)))


def _refuse_turned_to_text(values: NDArray[Any]) -> None:
    """Refuse ["a", None] made into an array: it holds the text "None", which would be taken for a class."""
    marks = np.intersect1d(values.astype(str), ["-1", "nan", "None"])
    if len(marks):
        raise ValueError(
            f"y holds the text {_show(marks)} where a row to be judged is meant. "
            "Pass a list, or an array with dtype=object, and None."
        )


def _signs(positive: NDArray[np.bool_]) -> NDArray[np.int8]:
    return np.where(positive, POSITIVE, NEGATIVE)


def _not_binary(present: NDArray[Any]) -> str:
    """Return what is wrong with more than two labels, in the words that scikit-learn's checks look for."""
    kind = "continuous" if _is_continuous(present) else "multiclass"
    return (
        f"Only binary classification is supported. The type of the target is {kind}: y holds "
        f"{len(present)} values ({_show(present)})."
    )


def _show(values: NDArray[Any]) -> str:
    first = ", ".join(repr(value) for value in values[:5].tolist())
    return first + ", ..." if len(values) > 5 else first


def _warn_about_column() -> None:
    from sklearn.exceptions import DataConversionWarning

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Pass y.ravel() to be rid of this.",
        DataConversionWarning,
        stacklevel=5,
    )
