"""One line of the tour's table."""

from dataclasses import dataclass
from typing import Any

from lopsided.metrics import Counts


@dataclass(frozen=True)
class Result:
    """How one method did on one task; ``counts`` are of the class the task is about."""

    setting: str
    task: str
    method: str
    n_labels: int
    counts: Counts
    prbep: float
    rules: tuple[str, ...] = ()  # that the method goes by, the weightiest first, where they can be read

    def record(self) -> dict[str, Any]:
        """The result as plain values, for JSON and for the table."""
        counts = self.counts
        return {
            "setting": self.setting,
            "task": self.task,
            "method": self.method,
            "labels": self.n_labels,
            "tp": int(counts.tp),
            "fp": int(counts.fp),
            "fn": int(counts.fn),
            "tn": int(counts.tn),
            "precision": float(counts.precision()),
            "recall": float(counts.recall()),
            "f1": float(counts.f()),
            "g_means": float(counts.geometric_mean()),
            "prbep": float(self.prbep),
            "rules": list(self.rules),
        }
