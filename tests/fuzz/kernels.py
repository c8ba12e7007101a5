"""The compiled loops, through the doors that users have: strange rows, labels and texts.

Run on a core with sanitisers, they show what reads or writes outside its arrays.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import lopsided as ls
from fuzz.target import Target
from lopsided._kernels.bytegrams import GramTable, hashed_columns, packed_columns, unpacked_columns
from lopsided._kernels.stumps import LEARNERS, best_stump

_MOST_ROWS = 24
_MAKE: tuple[Callable[[], Any], ...] = (
    lambda: ls.LASVC(random_state=0),
    lambda: ls.LASVC(kernel="linear", C=1e6, selection="active", max_labels=10, random_state=0),
    lambda: ls.LASVC(kernel="poly", degree=3, random_state=0),
    lambda: ls.MarginPerceptron(),
    lambda: ls.MarginPerceptron(kernel="rbf", fit_intercept=True),
    lambda: ls.Winnow(),
    lambda: ls.OnlineSVM(),
    lambda: ls.RelaxedOnlineSVM(buffer_size=3, max_passes=20),
    lambda: ls.AdaBoostStumps(n_rounds=3, stumps="threshold"),
    lambda: ls.AdaUBoostStumps(n_rounds=3, stumps="presence"),
    lambda: ls.LPBoostStumps(n_rounds=3, stumps="threshold"),
    lambda: ls.OnlineRegressor(),
)


def _check_rows(data: bytes) -> None:
    """Five bytes say which learner and what kind of rows; the others are numbers, bit by bit."""
    if len(data) < 6:
        return
    which, kind, width, n, seed = data[:5]
    n_columns = 1 + width % 6
    dtype = (np.float32, np.float64)[kind % 2]
    body = data[5:]
    numbers = np.frombuffer(body[: len(body) // 8 * 8], dtype)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind & 2:
            rows = _sparse(numbers, body, n_columns, broken=bool(kind & 4), long=bool(kind & 8))
        else:
            n_rows = min(len(numbers) // n_columns, 1 + n % _MOST_ROWS)
            rows = numbers[: n_rows * n_columns].reshape(n_rows, n_columns)
            if kind & 4:
                rows = np.asfortranarray(rows)
        labels = np.random.default_rng(seed).integers(0, 2 + (seed % 3 == 0), rows.shape[0])
        model = _MAKE[which % len(_MAKE)]()
        try:
            model.fit(rows, labels)
            model.predict(rows[::-1] if kind & 16 else rows)
            if hasattr(model, "partial_fit") and kind & 32:
                model.partial_fit(rows, labels)
                model.predict(rows)
        except ValueError:
            pass  # scikit-learn's own checks speak in several lines


def _sparse(numbers: Any, body: bytes, n_columns: int, broken: bool, long: bool) -> csr_array:
    n_entries = min(len(numbers), 60)
    small = np.frombuffer(body, np.int8).astype(np.int64 if long else np.int32)
    columns = small[:n_entries] if broken else np.abs(small[:n_entries]) % n_columns
    n_rows = max(1, min(n_entries // 2, _MOST_ROWS))
    starts = np.sort(np.abs(small[: n_rows + 1])) if not broken else small[: n_rows + 1].copy()
    if not broken:
        starts = np.minimum(starts, n_entries)
        starts[0] = 0
        starts[-1] = n_entries
    matrix = csr_array((len(starts) - 1, n_columns), dtype=numbers.dtype)
    # past SciPy's own checks, as a caller may who changes a matrix in place
    matrix.data, matrix.indices, matrix.indptr = numbers[:n_entries].copy(), columns, starts
    return matrix


def _check_grams(data: bytes) -> None:
    if len(data) < 2:
        return
    n, features = 1 + data[0] % 8, 2 ** (1 + data[1] % 25)
    texts = data[2:].split(b"\n")
    columns, starts = hashed_columns(texts, n, features)
    assert len(starts) == len(texts) + 1
    assert columns.size == 0 or 0 <= columns.min() <= columns.max() < features
    first = np.ascontiguousarray(columns[: starts[1]])
    packed = packed_columns(first)
    assert np.array_equal(unpacked_columns(packed, features), first)
    table = GramTable(n)
    learned, _ = table.learn(texts)
    again, _ = GramTable(n, table.keys).look_up(texts)
    assert np.array_equal(learned, again)


def _check_packed(data: bytes) -> None:
    try:
        columns = unpacked_columns(data, 2**18)
    except ValueError:
        return
    assert columns.size == 0 or (0 <= columns.min() <= columns.max() < 2**18 and (np.diff(columns) > 0).all())
    assert np.array_equal(unpacked_columns(packed_columns(columns), 2**18), columns)


def _check_stumps(data: bytes) -> None:
    numbers = np.frombuffer(data[: len(data) // 8 * 8])
    if len(numbers) < 4:
        return
    positive, negative, beta, eps, *weights = numbers.tolist()
    pairs = np.array(weights[: len(weights) // 2 * 2]).reshape(-1, 2)
    for learner in LEARNERS.values():
        number, *_ = best_stump(pairs, positive, negative, learner, beta, eps)
        assert -1 <= number < len(pairs)


def _rows() -> list[bytes]:
    X, _ = ls.make_lopsided(20, 3, 0.3, random_state=0)
    return [
        bytes([which, kind, 2, 19, 1]) + X.astype((np.float32, np.float64)[kind % 2]).tobytes()
        for which in range(len(_MAKE))
        for kind in (0, 1, 2, 3, 51)
    ]


def _stumps() -> list[bytes]:
    weights = [[0.5, 0.5, 2.0, 0.1, 0.2, 0.1, 0.3, 0.4], [1.0, 1.0, 1.0, 0.0, np.nan, np.nan]]
    return [np.array(each).tobytes() for each in weights]


_NUMBERS = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, -1e300, 5e-324, 1e38, 1.0)
_WORDS = tuple(np.float64(x).tobytes() for x in _NUMBERS)
TARGETS = {
    "rows": Target(
        _check_rows,
        _rows,
        (*_WORDS, *(np.float32(x).tobytes() for x in _NUMBERS if abs(x) != 1e300)),
    ),
    "stumps": Target(_check_stumps, _stumps, _WORDS),
    "grams": Target(_check_grams, lambda: [b"\x03\x12free money\nhello\n\nx", b"\x00\x00" + b"ab" * 50]),
    "packed": Target(_check_packed, lambda: [bytes.fromhex("0500e107"), b""], (b"\xff" * 10, b"\x80\x00")),
}
