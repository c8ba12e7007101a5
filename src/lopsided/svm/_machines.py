"""One two-class machine for each class against the rest, all of them fed with the same rows."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse, vstack
from threadpoolctl import ThreadpoolController

from lopsided._kernels.checks import array_of, whole_number
from lopsided._kernels.lasvm import MOST_BYTES, Machine
from lopsided._kernels.rows import Rows, RowStore
from lopsided.svm._exact import Expansion

_STEPS_AT_A_TIME = 20_000  # of FINISH, between which Ctrl-C is heard
_STEPS_OF_DRIFT = 100_000  # after which gradients are computed anew
MOST_STEPS = 10_000_000
_MOST_CORRECTIONS = 10  # of gradients that kernel values in float32 have led astray
_FEW = 32  # members that tell whether they have
_MOST_VIOLATORS = 4096  # made members at a time: each costs a kernel row

_RECIPE = ("n_classes", "kernel", "tol", "cache_bytes", "n_jobs")  # what machines are made of

# what is known after each label, and its type
HISTORY = {"n_support_positive": np.int64, "n_support_negative": np.int64, "dual_gap": np.float64}


class Machines:
    """The machines of all classes; two classes need one, for the second against the first.

    ``kernel`` are the arguments of a `RowStore`: they say how rows are kept as well. With ``states``, one for
    each machine, they go on from there.
    """

    def __init__(
        self,
        n_classes: int,
        kernel: dict[str, Any],
        tol: float,
        cache_bytes: int,
        n_jobs: int | None,
        states: list[dict[str, Any]] | None = None,
    ) -> None:
        self.n_classes, self.kernel, self.tol = n_classes, kernel, tol
        self.cache_bytes, self.n_jobs = cache_bytes, n_jobs
        # the class that is positive for each machine
        self.positive = [1] if n_classes == 2 else list(range(n_classes))
        each = cache_bytes // len(self.positive)
        begun: list[Any] = [None] * len(self.positive) if states is None else states
        self.machines = [Machine(RowStore(**kernel), tol, each, state) for state in begun]
        # the machines for which kernel values in float32 were not enough
        self._corrected = [False] * len(self.machines)
        self.learned: dict[str, NDArray[Any]] = {}
        self._expansion: tuple[Any, ...] | None = None
        self._interrupted = Event()
        self._lock = Lock()  # the machines' workspaces are for one thread at a time

    def learn(
        self,
        rows: Rows,
        chosen: NDArray[np.int64],
        numbers: NDArray[np.int64],
        codes: NDArray[np.intp],
        bounds: NDArray[np.float64],
    ) -> None:
        """PROCESS and REPROCESS rows in order; `learned` becomes their history, up to a row that raised."""
        histories = [_blank_history(len(chosen)) for _ in self.machines]

        def one(k: int) -> None:
            signs = _signs(codes, self.positive[k])
            self.machines[k].learn(rows, chosen, numbers, signs, bounds, *histories[k])

        with self._lock, one_blas_thread:
            self._expansion = None
            for machine in self.machines:
                machine.n_learned = 0
            try:
                self._each(one)
            finally:
                n = max(machine.n_learned for machine in self.machines)
                self.learned = {
                    name: np.sum([history[place][:n] for history in histories], axis=0)
                    for place, name in enumerate(HISTORY)
                }

    def learn_one(self, rows: Rows, row: int, number: int, code: int, bound: float) -> tuple[int, int, float]:
        """Learn one row, whose kernel values are at hand if it was among the last candidates."""
        gap = 0.0
        self._expansion = None
        for machine, positive in zip(self.machines, self.positive, strict=True):
            gap += machine.learn_one(rows, row, number, 1 if code == positive else -1, bound)
        return (*self.n_support, gap)

    def closest(
        self, rows: Rows, candidates: NDArray[np.int64], asking: list[bool]
    ) -> tuple[int, float, list[float]]:
        """Return the place and |f| of the candidate nearest to the border of any machine that still asks."""
        found = [
            machine.closest(rows, candidates) if asks else (0, np.inf)
            for machine, asks in zip(self.machines, asking, strict=True)
        ]
        place, distance = min(found, key=lambda place_distance: place_distance[1])
        return place, distance, [each[1] for each in found]

    def finish(self) -> str | None:
        """FINISH every machine, and return what stopped one short of its optimum, or None."""
        with self._lock, one_blas_thread:
            self._expansion = None
            return next(filter(None, self._each(self._finish)), None)

    def _finish(self, k: int) -> str | None:
        """FINISH in pieces, between which Ctrl-C is heard: by this thread or by the one that waits for it."""
        machine = self.machines[k]
        if machine.n_steps > _STEPS_OF_DRIFT:
            machine.refresh()
        n_corrections = 0
        for _ in range(MOST_STEPS // _STEPS_AT_A_TIME):
            if machine.finish(_STEPS_AT_A_TIME):
                if self._is_verified(k):
                    return None
                n_corrections += 1
                if n_corrections > _MOST_CORRECTIONS:
                    return "at the precision of kernel values in float32"
            elif self._interrupted.is_set():
                break
        return f"after {MOST_STEPS:,} steps"

    def _is_verified(self, k: int) -> bool:
        """Return whether no pair violates the conditions by more than 2 tol, by exact kernel values.

        If one does, the gradients are corrected: FINISH goes on from there, and reaches further, since only
        what it adds to the alphas is rounded.
        """
        machine = self.machines[k]
        if machine.rounding <= machine.tol / 2:
            return True
        state = machine.state()
        if not np.isfinite(machine.delta) or not state["alpha"].any():
            return True
        expansion = Expansion(self.kernel, state)
        few = np.linspace(0, machine.n - 1, _FEW).astype(np.intp)
        error = state["sign"][few] - expansion.sums(state["rows"][few]) - state["g"][few]
        if np.abs(error).max() <= machine.tol / 4:  # the largest of all is hardly twice as large
            return True
        g = state["sign"] - expansion.sums(state["rows"])
        largest = np.max(g[state["alpha"] < state["upper"]], initial=-np.inf)
        smallest = np.min(g[state["alpha"] > state["lower"]], initial=np.inf)
        if largest - smallest <= 2 * machine.tol:
            return True
        machine.correct(g)
        self._corrected[k] = True
        return False

    def learn_again(
        self,
        rows: Rows,
        chosen: NDArray[np.int64],
        codes: NDArray[np.intp],
        bounds: NDArray[np.float64],
    ) -> None:
        """PROCESS rows that were seen before, each machine those outside its expansion."""
        with self._lock, one_blas_thread:
            self._expansion = None
            for machine, positive in zip(self.machines, self.positive, strict=True):
                again = chosen[_outside(machine, len(codes))[chosen]]
                signs = _signs(codes[again], positive)
                machine.learn(rows, again, again, signs, bounds[again], *_blank_history(len(again)))

    def admit_violators(
        self,
        rows: Rows,
        chosen: NDArray[np.int64],
        codes: NDArray[np.intp],
        bounds: NDArray[np.float64],
    ) -> tuple[int, float]:
        """Make members of the rows that violate the conditions: their number, and the duality gap on all."""

        def one(k: int) -> tuple[int, float]:
            machine = self.machines[k]
            others = chosen[_outside(machine, len(codes))[chosen]]
            signs = _signs(codes[others], self.positive[k])
            if self._corrected[k]:
                g = signs - Expansion(self.kernel, machine.state()).sums(rows.matrix[others])
            else:
                g = signs - (machine.scores(rows, others) - machine.b)  # of rows with alpha = 0
            # Taken together: rows that could each be satisfied by some offset may contradict each other.
            largest = max(machine.extremes[0], np.max(g[signs > 0], initial=-np.inf))
            smallest = min(machine.extremes[1], np.min(g[signs < 0], initial=np.inf))
            if largest - smallest <= machine.tol:
                ends = [
                    end for end in (largest, smallest) if np.isfinite(end)
                ]  # one, where a class is missing
                machine.set_offset(sum(ends) / len(ends))
            gap = bounds[others] @ np.maximum(0, signs * (g - machine.b)) + machine.expansion_gap
            if largest - smallest <= machine.tol:
                return 0, float(gap)
            violation = np.where(signs > 0, g - smallest, largest - g)
            worst = np.argsort(-violation, kind="stable")[:_MOST_VIOLATORS]
            worst = np.sort(worst[violation[worst] > machine.tol])
            again = others[worst]
            more_precise = (g[worst],) if self._corrected[k] else ()
            machine.admit(rows, again, again, signs[worst], bounds[again], *more_precise)
            return len(again), float(gap)

        with self._lock, one_blas_thread:
            self._expansion = None
            found = self._each(one)
        return sum(n for n, _ in found), sum(gap for _, gap in found)

    def predict_only(self, code: int) -> None:
        """Set the offsets of machines without a border so that this class is predicted for every row."""
        for machine, positive in zip(self.machines, self.positive, strict=True):
            machine.set_offset(1.0 if code == positive else -1.0)

    def scores(self, rows: Rows) -> NDArray[np.float64]:
        """Return f of every row and machine, as a matrix."""
        with self._lock, one_blas_thread:
            store, _, coefficients, intercepts = self._expanded()
            return store.scores(rows, coefficients) + intercepts

    @property
    def n_support(self) -> tuple[int, int]:
        """Support vectors on the positive and on the negative side, summed over the machines."""
        return sum(m.n_positive for m in self.machines), sum(m.n_negative for m in self.machines)

    @property
    def expansion_gap(self) -> float:
        """Duality gap of the problem on the expansion, summed over the machines."""
        return float(sum(machine.expansion_gap for machine in self.machines))

    @property
    def objective(self) -> float:
        """W(alpha), summed over the machines."""
        with self._lock:
            return float(sum(machine.objective for machine in self.machines))

    @property
    def is_ready(self) -> list[bool]:
        """Whether each machine has seen both sides, so that its border means something."""
        return [bool(np.isfinite(machine.delta)) for machine in self.machines]

    def expansion(self) -> tuple[NDArray[np.int64], Any, NDArray[np.float64], NDArray[np.float64]]:
        """Return numbers, rows, coefficients (a line for each machine) and offsets of the support vectors."""
        with self._lock:
            store, numbers, coefficients, intercepts = self._expanded()
            return numbers, store.rows(), coefficients, intercepts

    def _expanded(self) -> tuple[RowStore, NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the support vectors of all machines in one store: a row of several is compared once."""
        if self._expansion is None:
            states = [machine.state() for machine in self.machines]
            kept = [np.flatnonzero(state["alpha"]) for state in states]
            all_numbers = np.concatenate([s["numbers"][k] for s, k in zip(states, kept, strict=True)])
            numbers, first, place = np.unique(all_numbers, return_index=True, return_inverse=True)
            store = RowStore(**self.kernel)
            if len(numbers):
                stacked = _stack([s["rows"][k] for s, k in zip(states, kept, strict=True)])
                store.extend(Rows(stacked), first.astype(np.int64), numbers)
            coefficients = np.zeros((len(states), len(numbers)))
            done = 0
            for line, (state, k) in enumerate(zip(states, kept, strict=True)):
                coefficients[line, place[done : done + len(k)]] = state["alpha"][k]
                done += len(k)
            intercepts = np.array([machine.b for machine in self.machines])
            self._expansion = (store, numbers, coefficients, intercepts)
        return self._expansion

    def _each(self, work: Callable[[int], Any]) -> list[Any]:
        """Return what the work gives for the number of every machine, all side by side.

        Not left to joblib: after Ctrl-C it would return while its threads still work on the machines.
        """
        numbers = range(len(self.machines))
        n_threads = min(len(numbers), effective_n_jobs(self.n_jobs))
        self._interrupted.clear()
        if n_threads == 1:
            return [work(k) for k in numbers]
        with ThreadPoolExecutor(n_threads) as threads:  # waits for its threads, whatever happens
            futures = [threads.submit(work, k) for k in numbers]
            try:
                return [future.result() for future in futures]
            except BaseException:
                self._interrupted.set()
                for future in futures:
                    future.cancel()
                raise

    def state(self) -> dict[str, Any]:
        """Return everything that cannot be computed again, as numbers, strings and arrays."""
        return {name: getattr(self, name) for name in _RECIPE} | {
            "machines": [_flat(machine.state()) for machine in self.machines]
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the machines of a `state`, which may come from a stranger's file: it is not trusted."""
        recipe = {name: state[name] for name in _RECIPE}
        states, n_classes = state["machines"], recipe["n_classes"]
        # As many states as machines, before any is made.
        whole_number("n_classes", n_classes, 2, max(2, len(states)))
        if len(states) != (1 if n_classes == 2 else n_classes):
            raise ValueError(f"{len(states)} machines are not those of {n_classes} classes")
        whole_number("cache_bytes", recipe["cache_bytes"], 0, MOST_BYTES)
        if recipe["n_jobs"] is not None:
            whole_number("n_jobs", recipe["n_jobs"], -MOST_BYTES, MOST_BYTES)
        return cls(**recipe, states=[_matrices_joined(each, recipe["kernel"]) for each in states])

    def check_size(self, n_classes: int, n_columns: int, n_rows: int) -> None:
        """Refuse machines for other classes or columns, or with rows that were never seen."""
        if (self.n_classes, self.kernel["n_columns"]) != (n_classes, n_columns):
            raise ValueError(f"machines of {self.n_classes} classes and {self.kernel['n_columns']} columns")
        for machine in self.machines:
            array_of("numbers", machine.members(), np.int64, (machine.n,), 0, n_rows - 1)

    def __getstate__(self) -> dict[str, Any]:
        return self.state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(self.from_state(state).__dict__)


class _OneBlasThread:
    """Context in which BLAS uses one thread: machines run side by side instead, which costs less.

    Counted, since the limit holds for the whole process: the last to leave puts it back.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._controller: Any = None
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._controller is None:
                self._controller = ThreadpoolController()  # looks through the loaded libraries, once
            if self._inside == 0:
                self._limit = self._controller.limit(limits=1, user_api="blas")
                self._limit.__enter__()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limit.__exit__(None, None, None)


one_blas_thread = _OneBlasThread()


def _flat(state: dict[str, Any]) -> dict[str, Any]:
    """Return a machine's state with a sparse matrix taken apart."""
    rows = state.pop("rows")
    if issparse(rows):
        return state | {"values": rows.data, "columns": rows.indices, "starts": rows.indptr}
    return state | {"values": rows}


def _matrices_joined(flat: dict[str, Any], kernel: dict[str, Any]) -> dict[str, Any]:
    """Return a machine's state again; its `Machine` sees to it that it is one."""
    if not kernel["sparse"]:
        return flat | {"rows": flat["values"]}
    shape = (len(flat["starts"]) - 1, kernel["n_columns"])
    return flat | {"rows": csr_array((flat["values"], flat["columns"], flat["starts"]), shape=shape)}


def _blank_history(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return room for HISTORY after each of n rows."""
    return np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros(n)


def _outside(machine: Machine, n_rows: int) -> NDArray[np.bool_]:
    """Return which row numbers are not in the expansion."""
    mask = np.ones(n_rows, dtype=bool)
    mask[machine.members()] = False
    return mask


def _signs(codes: NDArray[np.intp], positive: int) -> NDArray[np.int8]:
    return np.where(codes == positive, np.int8(1), np.int8(-1))


def _stack(parts: list[Any]) -> Any:
    if not issparse(parts[0]):
        return np.concatenate(parts)
    stacked = csr_array(vstack(parts, format="csr"))
    stacked.indices, stacked.indptr = stacked.indices.astype(np.int32), stacked.indptr.astype(np.int32)
    return stacked
