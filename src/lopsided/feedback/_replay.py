"""What replays of labels and of values share: whose feedback comes back, and a progress bar."""

from typing import Any

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


class Bar:
    """A progress bar by rich, on a terminal."""

    def __init__(self, n: int) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._progress = Progress(console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task("items", total=n)

    def __enter__(self) -> Any:
        self._progress.start()
        return lambda done: self._progress.update(self._task, completed=done)

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
