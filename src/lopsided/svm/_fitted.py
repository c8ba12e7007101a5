"""The learned attributes of an online SVM, in memory and stored: expansion and record of the labels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from lopsided._probabilities import Sigmoids
from lopsided._stored import (
    FEATURES,
    Check,
    Lengths,
    a_generator,
    by_text,
    flag,
    labels,
    made_again,
    optional,
    or_none,
    part,
    real,
    text,
)
from lopsided.svm._machines import Machines
from lopsided.svm._record import LabelRecord

_NOT_NEEDED = ("feature_names_in_", "stop_reason_", "_sigmoids")  # by a fitted model


class FittedLASVM(BaseEstimator):
    """The learned attributes of an estimator with machines and a record, in memory and in a file."""

    # An interrupted fit leaves some of these.
    _stored: dict[str, Check] = {
        name: optional(check)
        for name, check in (
            FEATURES
            | {
                "classes_": labels("n_classes"),
                "gamma_": real(low=0),
                "_rows_kept": by_text(flag()),
                "_generator": a_generator,
                "_record": made_again(LabelRecord),
                "_machines": made_again(Machines),
                "dual_gap_": real(or_not_finite=True),
                "converged_": flag(),
                "stop_reason_": or_none(text()),
                "_sigmoids": part(Sigmoids),
            }
        ).items()
    }

    classes_: NDArray[Any]
    n_features_in_: int
    gamma_: float
    stop_reason_: str | None
    converged_: bool
    dual_gap_: float
    _machines: Machines  # is there once two classes are known
    _record: LabelRecord
    _sigmoids: Sigmoids  # is there if probabilities were asked for
    _rows_kept: dict[str, bool]

    @property
    def support_(self) -> NDArray[np.int64]:
        """Numbers of the rows that are support vectors."""
        return self._fitted_machines("support_").expansion()[0]

    @property
    def support_vectors_(self) -> Any:
        """The support vectors."""
        return self._fitted_machines("support_vectors_").expansion()[1]

    @property
    def dual_coef_(self) -> NDArray[np.float64]:
        """Coefficients of the support vectors."""
        return self._fitted_machines("dual_coef_").expansion()[2]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Offset of each machine."""
        return self._fitted_machines("intercept_").expansion()[3]

    @property
    def n_support_(self) -> NDArray[np.intp]:
        """Support vectors in each class."""
        support = self._fitted_machines("n_support_").expansion()[0]
        return np.bincount(self._record.class_of[support], minlength=len(self.classes_))

    @property
    def n_labels_(self) -> int:
        """Number of labels that were read."""
        return self._recorded("n_labels_").n_labels

    @property
    def queried_(self) -> NDArray[np.int64]:
        """The rows whose labels were read, in order."""
        return self._recorded("queried_").queried

    @property
    def history_(self) -> dict[str, NDArray[Any]]:
        """The numbers after each label, as equally long arrays by name."""
        return self._recorded("history_").history

    @property
    def dual_objective_(self) -> float:
        """Value of the dual."""
        return self._fitted_machines("dual_objective_").objective

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_machines")

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_record" in state:
            state["_record"] = self._record.state()
        if "_machines" in state:
            state["_machines"] = self._machines.state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        record, machines = state.pop("_record", None), state.pop("_machines", None)
        super().__setstate__(state)
        if record is not None:
            self._record = LabelRecord.from_state(record)
        if machines is not None:
            self._machines = Machines.from_state(machines)

    def _check_stored(self, lengths: Lengths) -> None:
        if not self.__sklearn_is_fitted__():
            return
        missing = [name for name in type(self)._stored if name not in vars(self) and name not in _NOT_NEEDED]
        if missing:
            raise ValueError(f"{type(self).__name__} lacks {', '.join(missing)}.")
        if self._rows_kept.keys() != {"sparse", "wide"}:
            raise ValueError("_rows_kept must say how rows are kept")
        self._machines.check_size(max(2, lengths["n_classes"]), lengths["n_features"], self._record.n_rows)
        self._record.check(lengths["n_classes"])

    def _recorded(self, name: str) -> LabelRecord:
        if not hasattr(self, "_record"):
            raise AttributeError(f"{type(self).__name__} has no {name} before fit")
        return self._record

    def _fitted_machines(self, name: str) -> Machines:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"{type(self).__name__} has no {name} before fit")
        return self._machines
