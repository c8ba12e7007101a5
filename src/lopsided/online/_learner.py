"""The protocol by which filters, streams and the mail filter teach a learner, one row at a time."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.online import Gate


class Learner(Protocol):
    """The protocol of learners, which score rows and learn their labels, 1 or -1, one at a time.

    Our estimators are learners (`OnlineLearner`), the mail filter's engine holds one, and `OneSidedFilter`
    makes one of any other estimator. What `rows` returns is known to the learner alone.

    Attributes
    ----------
    rows_at_a_time : int
        Rows learned in one go, between two moments at which Ctrl-C is heard.
    knows_positives : bool
        Whether a positive row was learned.
    n_unfinished : int
        Number of lessons that did not end as promised.
    """

    rows_at_a_time: int

    @property
    def knows_positives(self) -> bool: ...

    @property
    def n_unfinished(self) -> int: ...

    def rows(self, X: Any) -> Any:
        """Check rows once, so that they can be scored and learned many times."""

    def scores(self, rows: Any) -> NDArray[np.float64]:
        """Score checked rows; above 0 is the positive class."""

    def learn(self, rows: Any, i: int, sign: int) -> None:
        """Learn the label of the checked row i."""

    def replay(
        self,
        gate: Gate,
        rows: Any,
        first: int,
        signs: NDArray[np.int8],
        revealed: NDArray[np.bool_] | None,
        decided: tuple[NDArray[Any], ...],
    ) -> bool:
        """Let a gate decide about rows, and learn those whose label comes back.

        Returns False, and has done nothing, where this must be done row by row.
        """

    def state(self) -> dict[str, Any]:
        """Return what was learned, as plain numbers and arrays."""

    def warn_unfinished(self, before: int, n_lessons: int) -> None:
        """Warn if any of the last lessons did not end as promised; `n_unfinished` was ``before`` then."""
