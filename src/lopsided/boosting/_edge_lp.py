"""The linear program of LPBoost, which grows by a hypothesis a round and goes on from where it was.

    dual  (solved)   min  B   s.t.  sum_i u_i y_i h_j(x_i) <= B  for each hypothesis j,  sum_i u_i = 1,
                                    l_i <= u_i <= d_i
    primal           max  rho - sum_i d_i xi_i + sum_i l_i s_i
                     s.t.  y_i sum_j a_j h_j(x_i) + xi_i - s_i = rho,  sum_j a_j = 1,  a, xi, s >= 0

(equations 4 and 5 of the paper, with the lower bounds l.) The multipliers of the rows are the weights a.

Rows of one class on which all hypotheses so far agree enter the program as one variable, the sum of their
u: any way of sharing it out is as good, and ours, by the same fraction between their bounds, does not depend
on the solver's whims. A new hypothesis adds one row, and a variable for each group that it splits. As the
new variable has the coefficients of the one it was split from, the basis stays dual feasible, and the dual
simplex needs a few steps.

A word is in few documents. With the balance of the classes s = sum_i u_i y_i as a variable of its own, a
hypothesis that says c wherever it says nothing else is c s + sum_i u_i y_i (h_j(x_i) - c): a sparse row.

From round to round few groups leave their bound. Those far from leaving it are kept out of the solver's
model, as constants; after each solve their reduced costs say which of them must come back (sifting).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Optimum:
    """The solution of the linear program."""

    u: NDArray[np.float64]
    """Weight of each row of the data."""
    bound: float
    """B: the largest edge of a hypothesis so far."""
    a: NDArray[np.float64]
    """Weight of each hypothesis; they sum to 1."""
    gap: float
    """B less the value of the primal at a, both computed from u and a alone: 0 at the optimum."""
    n_steps: int
    """Number of simplex iterations."""


class SolverStoppedError(ArithmeticError):
    """The solver has reached its limit, or lost its way twice."""


class EdgeLP:
    """The program over hypotheses added so far.

    Parameters
    ----------
    signs : array of +1 and -1
        Labels.
    lower, upper : arrays
        Bounds of u; sum(lower) <= 1 <= sum(upper).
    max_steps : int
        Simplex iterations of one solve.
    """

    def __init__(
        self,
        signs: NDArray[np.int8],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        max_steps: int = 1_000_000,
    ) -> None:
        self._signs, self._lower, self._upper = signs.astype(np.float64), lower, upper
        self._max_steps = max_steps
        # Around 1 in place of 1 / n, because the solver's tolerances are absolute.
        self._scale = float(len(signs))
        self._group = (signs > 0).astype(np.intp)
        self._sign = _Growing(np.array([[-1.0], [1.0]]))  # y of each group
        self._differs = _Growing(np.empty((2, 0)))  # y (h_j - c_j) of each group, a row a group
        self._usual = np.empty(0)  # c_j
        self._column = np.full(2, -1)  # of each group in the solver's model; -1 outside of it, at a bound
        self._at_upper = np.zeros(2, dtype=bool)
        self._n_columns, self._n_kept = 0, 0
        self._build(np.arange(2))

    @property
    def n_hypotheses(self) -> int:
        """Number of hypotheses added so far."""
        return len(self._usual)

    def add(self, values: NDArray[np.float64]) -> None:
        """Add a hypothesis by its values on the rows of the data."""
        answers, code, counts = np.unique(values, return_inverse=True, return_counts=True)
        usual = answers[np.argmax(counts)]
        for k in np.flatnonzero(answers != usual):
            self._split(np.flatnonzero(code == k))
        differs = np.zeros(len(self._differs.array))
        differs[self._group] = self._signs * (values - usual)
        self._differs.add_column(differs)
        self._usual = np.append(self._usual, usual)
        there = np.flatnonzero((differs != 0) & (self._column >= 0))
        columns = np.concatenate([[_B, _BALANCE], self._column[there]]).astype(np.int32)
        row = np.concatenate([[-1.0, usual], differs[there]])
        infinity = self._solver.getInfinity()
        self._solver.addRow(-infinity, -float(self._outside() @ differs), len(row), columns, row)

    def solve(self) -> Optimum:
        """Return the optimum, found from the last one."""
        n_steps = 0
        while True:
            self._run()
            n_steps += int(self._solver.getInfo().simplex_iteration_count)
            solution = self._solver.getSolution()
            duals = np.asarray(solution.row_dual)
            reduced = self._sign.array[:, 0] * duals[1] - duals[0] - self._differs.array @ duals[_FIRST_EDGE:]
            wrong = np.where(self._at_upper, reduced, -reduced) > _TOLERANCE
            back = np.flatnonzero(wrong & (self._column < 0))
            if len(back) == 0:
                break
            self._bring_back(back)
        shares = self._outside()
        inside = self._column >= 0
        shares[inside] = np.asarray(solution.col_value)[self._column[inside]]
        a = np.maximum(-duals[_FIRST_EDGE:], 0.0)
        a[a < _NOTHING * a.max()] = 0.0
        a /= a.sum()
        u = self._share_out(shares / self._scale)
        bound = float(self._edges(u).max())
        if self._n_columns > max(_MANY, 2 * self._n_kept):
            self._sift(shares, np.abs(reduced))
        return Optimum(u, bound, a, bound - self._primal(a), n_steps)

    def _run(self) -> None:
        self._solver.run()
        if not self._is_optimal():
            self._solver.clearSolver()  # rounding may have spoilt the basis: once more, from the beginning
            self._solver.run()
        if not self._is_optimal():
            status = self._solver.modelStatusToString(self._solver.getModelStatus())
            raise SolverStoppedError(f"HiGHS ended with status '{status}'")

    def _is_optimal(self) -> bool:
        return bool(self._solver.modelStatusToString(self._solver.getModelStatus()) == "Optimal")

    def _group_bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lower and the upper bound of the sum of each group."""
        return (
            np.bincount(self._group, weights=self._lower).astype(np.float64),
            np.bincount(self._group, weights=self._upper).astype(np.float64),
        )

    def _outside(self) -> NDArray[np.float64]:
        """Return the scaled value of each group that is kept out of the model; 0 of the others."""
        low, high = self._group_bounds()
        return np.where(self._column < 0, np.where(self._at_upper, high, low), 0.0) * self._scale

    def _split(self, rows: NDArray[np.intp]) -> None:
        """Divide each group of which only some rows are named; the named ones become a group of their own."""
        n_groups = len(self._differs.array)
        inside = np.bincount(self._group[rows], minlength=n_groups)
        cut = np.flatnonzero((inside > 0) & (inside < np.bincount(self._group, minlength=n_groups)))
        if len(cut) == 0:
            return
        new = np.full(n_groups, -1, dtype=np.intp)
        new[cut] = n_groups + np.arange(len(cut))
        number = new[self._group[rows]]
        self._group[rows[number >= 0]] = number[number >= 0]
        self._sign.add_rows(self._sign.array[cut])
        self._differs.add_rows(self._differs.array[cut])
        self._column = np.append(self._column, np.full(len(cut), -1))
        self._at_upper = np.append(self._at_upper, self._at_upper[cut])
        cut = cut[self._column[cut] >= 0]  # of the others both halves stay where they are
        low, high = (bounds[cut] * self._scale for bounds in self._group_bounds())
        self._solver.changeColsBounds(len(cut), self._column[cut].astype(np.int32), low, high)
        self._add_variables(new[cut])

    def _add_variables(self, groups: NDArray[np.intp]) -> None:
        """Add a variable to the model for each of these groups, which have none yet."""
        low, high = (bounds[groups] * self._scale for bounds in self._group_bounds())
        self._column[groups] = self._n_columns + np.arange(len(groups))
        self._n_columns += len(groups)
        entries = np.hstack(
            [np.ones((len(groups), 1)), -self._sign.array[groups], self._differs.array[groups]]
        )
        self._add_columns(entries, np.zeros(len(groups)), low, high)

    def _add_columns(self, entries: NDArray[np.float64], cost: Any, low: Any, high: Any) -> None:
        column, row = np.nonzero(entries)
        starts = np.searchsorted(column, np.arange(len(entries))).astype(np.int32)
        self._solver.addCols(
            len(entries), cost, low, high, len(row), starts, row.astype(np.int32), entries[column, row]
        )

    def _bring_back(self, groups: NDArray[np.intp]) -> None:
        """Bring groups into the model, at the bound where they are; the first step takes them off it."""
        self._add_variables(groups)
        lower, upper = self._row_bounds()
        rows = np.arange(len(upper), dtype=np.int32)
        self._solver.changeRowsBounds(len(rows), rows, lower, upper)

    def _row_bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the bounds of sum u, of balance - sum u y, and of the edges, less what is outside."""
        outside = self._outside()
        total, balance = self._scale - outside.sum(), outside @ self._sign.array[:, 0]
        edges = -(outside @ self._differs.array)
        none = np.full(len(edges), -self._solver.getInfinity())
        return np.concatenate([[total, balance], none]), np.concatenate([[total, balance], edges])

    def _sift(self, shares: NDArray[np.float64], distance: NDArray[np.float64]) -> None:
        """Keep the groups in the basis and those nearest to it; the rest are constants for now."""
        basis = self._solver.getBasis()
        status, rows = list(basis.col_status), list(basis.row_status)
        inside = np.flatnonzero(self._column >= 0)
        basic = np.array([status[column].name == "kBasic" for column in self._column[inside]])
        order = np.lexsort((distance[inside], ~basic))
        kept, left = np.split(inside[order], [int(basic.sum()) + _MANY // 4])
        kept_status = [status[column] for column in self._column[kept]]
        low, high = self._group_bounds()
        self._at_upper[left] = shares[left] > self._scale * (low + high)[left] / 2
        self._column[inside] = -1
        self._n_columns = 0
        self._build(kept)
        self._n_kept = self._n_columns
        basis.col_status = [*status[:_N_FREE], *kept_status]
        basis.row_status = rows
        self._solver.setBasis(basis)

    def _build(self, groups: NDArray[np.intp]) -> None:
        """Return the model with these groups as variables."""
        self._solver = _solver(self._max_steps)
        infinity = self._solver.getInfinity()
        self._n_columns = _N_FREE
        self._column[groups] = 0  # inside: not in the bounds of the rows
        for low, high in zip(*self._row_bounds(), strict=True):
            self._solver.addRow(low, high, 0, _NO_INDEX, _NO_VALUE)
        n = self.n_hypotheses
        free = np.vstack([np.concatenate([[0, 0], np.full(n, -1.0)]), np.concatenate([[0, 1], self._usual])])
        self._add_columns(free, np.array([1.0, 0.0]), np.full(2, -infinity), np.full(2, infinity))
        self._add_variables(groups)

    def _share_out(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return u of each row: as far between its bounds as the sum is between those of the group."""
        low, high = self._group_bounds()
        width = np.where(high > low, high - low, 1.0)
        part = np.clip((shares - low) / width, 0.0, 1.0)
        return self._lower + part[self._group] * (self._upper - self._lower)

    def _edges(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return sum_i u_i y_i h_j(x_i) of each hypothesis."""
        return np.bincount(self._group, weights=u) @ self._differs.array + self._usual * (u @ self._signs)

    def _primal(self, a: NDArray[np.float64]) -> float:
        """Return the largest value of the primal for these weights, over rho.

        It is concave and piecewise linear in rho, with breaks at the margins: the best rho is the margin at
        which the slope 1 - (d of the margins below) - (l of those above) turns negative.
        """
        margins = self._differs.array @ a + self._sign.array[:, 0] * (self._usual @ a)
        order = np.argsort(margins)
        low, high = (bounds[order] for bounds in self._group_bounds())
        margins = margins[order]
        slope_after = 1 - np.cumsum(high) - (low.sum() - np.cumsum(low))
        rho = margins[min(int(np.argmax(slope_after <= 1e-12)), len(margins) - 1)]
        short, over = np.maximum(rho - margins, 0), np.maximum(margins - rho, 0)
        return float(rho - high @ short + low @ over)


class _Growing:
    """A matrix to which rows and columns are added, with room for more so that it is seldom copied."""

    def __init__(self, start: NDArray[np.float64]) -> None:
        self._room, self._shape = start, start.shape

    @property
    def array(self) -> NDArray[np.float64]:
        return self._room[: self._shape[0], : self._shape[1]]

    def add_rows(self, rows: NDArray[np.float64]) -> None:
        first, n_columns = self._shape
        self._resize(first + len(rows), n_columns)
        self.array[first:] = rows

    def add_column(self, column: NDArray[np.float64]) -> None:
        n_rows, last = self._shape
        self._resize(n_rows, last + 1)
        self.array[:, last] = column

    def _resize(self, *shape: int) -> None:
        there, self._shape = self.array, shape
        if any(wanted > had for wanted, had in zip(shape, self._room.shape, strict=True)):
            self._room = np.zeros(
                [
                    max(2 * wanted, 16) if wanted > had else had
                    for wanted, had in zip(shape, self._room.shape, strict=True)
                ]
            )
            self._room[: there.shape[0], : there.shape[1]] = there


def _solver(max_steps: int) -> Any:
    try:
        import highspy  # late: only those who boost by linear programs wait for it
    except ImportError as error:
        raise ImportError(
            "boosting by linear programs needs highspy: pip install 'lopsided[boosting]'"
        ) from error

    # Its constructor is compiled, and has no types.
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (
        ("output_flag", False),
        ("threads", 1),
        ("presolve", "off"),
        ("solver", "simplex"),
        ("primal_feasibility_tolerance", 1e-10),
        ("dual_feasibility_tolerance", 1e-10),
        ("simplex_iteration_limit", max_steps),
    ):
        solver.setOptionValue(option, value)
    return solver


_NO_INDEX, _NO_VALUE = np.empty(0, dtype=np.int32), np.empty(0)
_NOTHING = 1e-12  # share of the largest weight that is rounding
_TOLERANCE = 1e-9  # of reduced costs
_MANY = 1000  # variables up to which all are kept
_B, _BALANCE, _N_FREE = 0, 1, 2  # columns that are no groups
_FIRST_EDGE = 2  # rows: sum, balance, and then the edges
