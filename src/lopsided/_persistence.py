"""Models in files that execute nothing when they are loaded."""

import zipfile
from os import PathLike
from pathlib import Path
from typing import Any

from lopsided._archive import memory_limit, memory_needed, plain_archive
from lopsided._files import write_atomically
from lopsided._stored import check_stored
from lopsided.terminal import one_line


def save(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted model to one file that `load` reads back.

    The format is that of skops: a zip of plain arrays and JSON. Unlike a pickle it cannot run code. Needs the
    extra ``save``.

    Parameters
    ----------
    model : estimator
        One of ours, or a scikit-learn estimator or pipeline around them.
    path : path
        The file is replaced only once the new one is complete.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from lopsided import ByteGramVectorizer, load, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.skops"
    ...     save(ByteGramVectorizer(n_features=None).fit([b"a message"]), path)
    ...     load(path).transform([b"a message"]).shape
    (1, 6)
    """
    skops_io = _skops_io()
    try:
        check_stored(model)
    except ValueError as error:
        raise ValueError(
            f"cannot save: the model is not as fit leaves it ({_one_line(error)}). Fit it again."
        ) from error
    data = skops_io.dumps(model, compression=zipfile.ZIP_DEFLATED)
    if memory_needed(data) > memory_limit(len(data)):  # nearly all zeros: load would take it for a trap
        data = skops_io.dumps(model, compression=zipfile.ZIP_STORED)
    foreign = _foreign_types(skops_io, data)
    if foreign:
        raise ValueError(
            f"cannot save: the model holds {', '.join(foreign)}, which load would refuse. {_way_out(foreign)}"
        )
    with write_atomically(path) as file:
        file.write(data)


def load(path: str | PathLike[str]) -> Any:
    """Read a model that `save` wrote.

    Nothing in the file is executed. A file is refused with a `ValueError` if it holds types that lopsided
    does not know, if a parameter or a learned attribute of one of our classes is not what `fit` could have
    left there, or if it would take more than 512 MiB of memory and more than 100 times its own size.

    Estimators of scikit-learn inside the model, in a pipeline say, are restored as they are in the file;
    their attributes are not checked. Some of these estimators hand their arrays to compiled code that relies
    on them: nearest neighbours, `KMeans`, `SGDClassifier` and its relatives, and all that use LIBSVM, such as
    `SVC`. Load a model with such parts only if you trust whoever made it. Trees and forests of scikit-learn
    are refused.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    model : estimator
    """
    skops_io = _skops_io()
    data = Path(path).read_bytes()
    if not data:
        raise ValueError(f"{path} is empty, not a model written by lopsided.save.")
    # Whatever a strange or damaged file makes the reader stumble over, it means the same to the caller.
    try:
        plain = plain_archive(data)
        foreign = _foreign_types(skops_io, plain)
        model = None if foreign else skops_io.loads(plain, trusted=sorted(_own_types()))
        check_stored(model)
    except Exception as error:
        raise ValueError(
            f"{path} is not a whole model written by lopsided.save ({_one_line(error)})."
        ) from error
    if foreign:
        raise ValueError(
            f"{path} holds types that lopsided does not know: {one_line(', '.join(foreign), 'utf-8')}. "
            "It was not loaded; "
            "only open it with skops.io.load if you trust who made it."
        )
    return model


def _one_line(error: Exception) -> str:
    """Return what an error says, which may quote the file, or its name if it says nothing."""
    return one_line(str(error), "utf-8").rstrip(".") or type(error).__name__


def _skops_io() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError("saving and loading models needs skops: pip install 'lopsided[save]'") from error
    return skops.io


def _own_types() -> set[str]:
    from scipy.sparse import csr_array, csr_matrix

    from lopsided import feedback
    from lopsided._probabilities import Sigmoids
    from lopsided.boosting._ensemble import Ensemble, Member
    from lopsided.boosting._rules import Rule
    from lopsided.pu._mappers import PresenceModel
    from lopsided.pu._models import EstimatorModel, KernelModel, LinearModel
    from lopsided.unexpected._forest import Forest
    from lopsided.unexpected._lgn import Use
    from lopsided.unexpected._numbers import NumberEvidence
    from lopsided.unexpected._score import Score, Weights
    from lopsided.unexpected._words import WordEvidence
    from lopsided.utils import all_estimators

    filters = (feedback.OneSidedFilter, feedback.ValueFilter)
    explorers = (
        feedback.AppleTasting,
        feedback.EpsilonGreedy,
        feedback.LabelEfficient,
        feedback.SoftmaxExplorer,
    )
    models = (KernelModel, LinearModel, EstimatorModel, PresenceModel)
    judging = (Forest, Score, Weights, WordEvidence, NumberEvidence, Use)
    boosting = (Ensemble, Member, Rule)
    sparse = (csr_array, csr_matrix)  # read as plain arrays
    estimators = (cls for _, cls in all_estimators())
    ours = (*estimators, *filters, *explorers, *models, *judging, *boosting, *sparse, Sigmoids)
    return {f"{cls.__module__}.{cls.__qualname__}" for cls in ours}


def _way_out(foreign: list[str]) -> str:
    if any(name.startswith("sklearn.tree.") for name in foreign):
        return "A file can hold a tree that reads beyond its memory. Use a model without trees."
    return "Use parameters that are numbers, strings or scikit-learn's and lopsided's own classes."


def _foreign_types(skops_io: Any, data: bytes) -> list[str]:
    return sorted(set(skops_io.get_untrusted_types(data=data)) - _own_types())
