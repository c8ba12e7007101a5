"""What happened at each label: arrays that grow by pieces and are joined when somebody looks."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Record:
    """Named arrays; appending costs the piece alone, however much there is already.

    Examples
    --------
    >>> record = Record(distance=float)
    >>> record.append(distance=[0.5])
    >>> record.append(distance=[0.25, 1.0])
    >>> record["distance"]
    array([0.5 , 0.25, 1.  ])
    """

    def __init__(self, **types: Any) -> None:
        self._pieces = {name: [np.empty(0, dtype=dtype)] for name, dtype in types.items()}

    def append(self, **pieces: Any) -> None:
        """Add a piece to some of the arrays."""
        for name, piece in pieces.items():
            held = self._pieces[name]
            held.append(np.asarray(piece, dtype=held[0].dtype))

    def __getitem__(self, name: str) -> NDArray[Any]:
        held = self._pieces[name]
        if len(held) > 1:
            held[:] = [np.concatenate(held)]
            held[0].flags.writeable = False  # it is the record, not a copy
        return held[0]

    def state(self) -> dict[str, NDArray[Any]]:
        """All arrays by name."""
        return {name: self[name] for name in self._pieces}
