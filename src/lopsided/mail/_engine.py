"""Deciding and learning about one message: the learner and the gate of `OneSidedFilter`.

No scikit-learn, which takes longer to load than a message to judge. Decisions are those of `run_stream`,
bit for bit.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from lopsided._kernels.online import squared_norms
from lopsided._kernels.rows import Rows
from lopsided.feedback._decision import ItemDecision
from lopsided.feedback._gate import Gate
from lopsided.mail._features import Columns, pack, unpack
from lopsided.mail._settings import Settings
from lopsided.online._core_learner import CoreLearner
from lopsided.online._recipes import make_perceptron, make_svm, perceptron_rule, svm_recipe

Arrays = dict[str, NDArray[Any]]
_GATE_COUNTS = ("n_rounds", "n_labels", "n_explored", "n_found", "n_mistakes", "n_unreachable", "started")
_NONE = np.empty(0)
HAM_WEIGHS = 2.0  # for the margin perceptron: a step for ham is so many times as long
C, BUFFER = 3.0, 250  # of the SVM
# Shown is what scores minus this or more. All were chosen on SpamAssassin: docs/mail.md
BIAS = {"margin-perceptron": 0.0, "relaxed-svm": 0.4}


class MessageLearner(CoreLearner):
    """The learner that the settings name, as a `Learner`.

    Its estimator, which learns the same, is that of `lopsided.mail._twin.learner_of`.
    """

    def __init__(self, settings: Settings, state: dict[str, Any] | None = None) -> None:
        self.settings = settings
        if settings.learner == "margin-perceptron":
            rule = perceptron_rule(cost_positive=HAM_WEIGHS)
            recipe = {"n_columns": settings.n_features, "wide": False, "rule": rule}
            super().__init__(make_perceptron(recipe, state))
        else:
            super().__init__(make_svm(svm_recipe(settings.n_features, C, C, BUFFER), state))

    @property
    def n_updates(self) -> int:
        """Number of lessons that changed the learner."""
        return self._core.n_updates

    def rows(self, columns: Columns) -> Rows:
        """Return the features of one message as a row."""
        return Rows.of_columns(columns, self.settings.n_features)


class Engine:
    """A learner and a gate.

    Examples
    --------
    >>> from lopsided.mail._features import columns_of
    >>> engine = Engine(Settings(), seed=0)
    >>> engine.decide(columns_of(b"Subject: lunch?", 2**18))
    ItemDecision(show=True, explored=False, score=0.0, probability=1.0)
    """

    def __init__(self, settings: Settings, seed: int) -> None:
        self.settings = settings
        bias, waits = BIAS[settings.learner], True
        self.gate = Gate(
            settings.explorer, settings.parameter, bias, waits, settings.guard, seed, only_finds=True
        )
        self._learner = MessageLearner(settings)

    def decide(self, columns: Columns) -> ItemDecision:
        """Return the decision about a message; the learner stays as it is."""
        rows = self._learner.rows(columns)
        scores = self._learner.scores(rows)
        norms = squared_norms(rows) if self.gate.needs_norms else _NONE
        show, explored, probability = self.gate.judge(scores, norms, True)
        return ItemDecision(bool(show[0]), bool(explored[0]), float(scores[0]), float(probability[0]))

    def explain(self, columns: Columns) -> tuple[float, float, NDArray[np.float64]]:
        """Return the score of a message, that of an empty one, and what each column adds to it."""
        n = len(columns)
        starts = np.arange(n + 1, dtype=np.int32)
        single = _matrix(np.ascontiguousarray(columns), starts, self.settings.n_features)
        empty = self._learner.rows(np.empty(0, np.int32))
        constant = float(self._learner.scores(empty)[0])
        adds = self._learner.scores(Rows(single)) - constant if n else np.empty(0)
        score = float(self._learner.scores(self._learner.rows(columns))[0])
        return score, constant, adds / np.sqrt(max(n, 1))

    def teach(self, columns: Columns, sign: int) -> None:
        """Teach the learner one message that is ham (+1) or spam (-1)."""
        self._learner.learn(self._learner.rows(columns), 0, sign)

    @property
    def n_updates(self) -> int:
        """Number of lessons that changed the learner."""
        return self._learner.n_updates

    def learned(self) -> Arrays:
        """Return what was learned, as plain arrays."""
        state = self._learner.state()
        rows = state.pop("rows", None)
        arrays = {name: np.asarray(value) for name, value in state.items()}
        if rows is not None:
            columns, starts = rows["indices"], rows["indptr"]
            packed = [pack(columns[a:b]) for a, b in pairwise(starts)]
            arrays["rows"] = np.frombuffer(b"".join(packed), np.uint8)
            arrays["row_bytes"] = np.array([len(part) for part in packed], np.int32)
        return arrays

    def relearn(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Put `learned` back; ValueError or KeyError if it is not of this learner."""
        state: dict[str, Any] = {
            name: value.item() if value.ndim == 0 else value for name, value in arrays.items()
        }
        if "rows" in state:
            state["rows"] = self._buffered(state.pop("rows"), state.pop("row_bytes"))
            state["saw"] = state["saw"].tolist()
        self._learner = MessageLearner(self.settings, state)

    def gate_state(self) -> bytes:
        """Return the gate as bytes: counts, sums, and what its guard remembers."""
        state = self.gate.state()
        counts = np.array([int(state[name]) for name in _GATE_COUNTS], "<i8")
        numbers = np.array([state["largest_squared_norm"], *state["guard"]], "<f8")
        return b"".join(
            (
                counts.tobytes(),
                state["seed"].to_bytes(8, "little"),
                numbers.tobytes(),
                state["sums"].tobytes(),
            )
        )

    def restore_gate(self, state: bytes) -> None:
        """Put `gate_state` back; ValueError if it is none."""
        now = self.gate.state()
        n_counts, n_numbers = len(_GATE_COUNTS), 1 + len(now["guard"])
        numbers = np.frombuffer(state, "<f8")
        if len(numbers) != n_counts + 1 + n_numbers + now["sums"].size:
            raise ValueError("a gate of the wrong size")
        counts = np.frombuffer(state[: 8 * n_counts], "<i8").tolist()
        largest, *guard = numbers[n_counts + 1 : n_counts + 1 + n_numbers].tolist()
        sums = numbers[n_counts + 1 + n_numbers :].reshape(now["sums"].shape)
        if not np.isfinite(guard).all() or counts[-1] not in (0, 1):
            raise ValueError("a gate or a guard out of range")
        self.gate.restore(
            dict(zip(_GATE_COUNTS, counts, strict=True))
            | {
                "started": bool(counts[-1]),
                "seed": int.from_bytes(state[8 * n_counts : 8 * n_counts + 8], "little"),
                "largest_squared_norm": largest,
                "guard": [bool(guard[0]), *guard[1:7], *(int(count) for count in guard[7:])],
                "sums": sums,
            }
        )

    def _buffered(self, packed: NDArray[np.uint8], n_bytes: NDArray[np.int32]) -> csr_array:
        ends = np.cumsum(n_bytes)
        if n_bytes.min(initial=0) < 0 or (ends[-1] if len(ends) else 0) != len(packed):
            raise ValueError("a buffer of the wrong size")
        parts = [
            unpack(packed[end - n : end].tobytes(), self.settings.n_features)
            for end, n in zip(ends.tolist(), n_bytes.tolist(), strict=True)
        ]
        columns = np.concatenate([np.empty(0, np.int32), *parts])
        starts = np.cumsum([0, *map(len, parts)]).astype(np.int32)
        return _matrix(columns, starts, self.settings.n_features).astype(np.float64)


def _matrix(columns: Columns, starts: NDArray[np.int32], n_features: int) -> csr_array:
    """Return rows of length 1, as `ByteGramVectorizer` makes them."""
    counts = np.diff(starts)
    values = (1.0 / np.sqrt(np.maximum(counts, 1))).astype(np.float32)
    return csr_array((np.repeat(values, counts), columns, starts), shape=(len(counts), n_features))
