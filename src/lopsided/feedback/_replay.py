"""What replays of labels and of values share: whose feedback comes back."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def as_mask(feedback: str | ArrayLike, n: int) -> NDArray[np.bool_] | None:
    """For which items the answer comes back; None: for those that are shown.

    Examples
    --------
    >>> as_mask("full", 2)
    array([ True,  True])
    """
    if isinstance(feedback, str):
        if feedback not in ("one-sided", "full"):
            raise ValueError(f"feedback must be 'one-sided', 'full' or a mask; got {feedback!r}.")
        return None if feedback == "one-sided" else np.ones(n, dtype=bool)
    mask = np.asarray(feedback)
    if mask.shape != (n,) or mask.dtype.kind not in "bui" or not np.isin(mask, (0, 1)).all():
        raise ValueError(
            f"feedback must say True or False for each of {n} items; got an array of {mask.dtype} of shape "
            f"{mask.shape}."
        )
    return np.ascontiguousarray(mask, dtype=bool)
