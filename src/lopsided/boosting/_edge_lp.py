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
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Optimum:
    """What a solve gave."""

    u: NDArray[np.float64]
    """Weight of each row of the data."""
    bound: float
    """B: the largest edge of a hypothesis so far."""
    a: NDArray[np.float64]
    """Weight of each hypothesis; they sum to 1."""
    gap: float
    """B less the value of the primal at a, both computed from u and a alone: 0 at the optimum."""
    n_steps: int
    """Simplex iterations."""


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
        # Around 1 in place of 1 / n, because the solver's tolerances are absolute.
        self._scale = float(len(signs))
        self._group = (signs > 0).astype(np.intp)
        self._sign = _Growing(np.array([[-1.0], [1.0]]))  # y of each group
        self._differs = _Growing(np.empty((2, 0)))  # y (h_j - c_j) of each group, a row a group
        self._usual = np.empty(0)  # c_j
        self._solver = _solver(max_steps)
        self._solver.addRow(self._scale, self._scale, 0, _NO_INDEX, _NO_VALUE)  # sum of u
        self._solver.addRow(0.0, 0.0, 0, _NO_INDEX, _NO_VALUE)  # balance - sum of u y
        infinity = self._solver.getInfinity()
        self._solver.addCol(1.0, -infinity, infinity, 0, _NO_INDEX, _NO_VALUE)  # B
        self._solver.addCol(0.0, -infinity, infinity, 1, _BALANCE, np.ones(1))
        self._add_variables(np.arange(2))

    @property
    def n_hypotheses(self) -> int:
        """Added so far."""
        return len(self._usual)

    def add(self, values: NDArray[np.float64]) -> None:
        """A hypothesis by its values on the rows of the data."""
        answers, code, counts = np.unique(values, return_inverse=True, return_counts=True)
        usual = answers[np.argmax(counts)]
        for k in np.flatnonzero(answers != usual):
            self._split(np.flatnonzero(code == k))
        differs = np.zeros(len(self._differs.array))
        differs[self._group] = self._signs * (values - usual)
        self._differs.add_column(differs)
        self._usual = np.append(self._usual, usual)
        there = np.flatnonzero(differs)
        columns = np.concatenate([[0, 1], there + _FIRST_GROUP]).astype(np.int32)
        row = np.concatenate([[-1.0, usual], differs[there]])
        self._solver.addRow(-self._solver.getInfinity(), 0.0, len(row), columns, row)

    def solve(self) -> Optimum:
        """Go on from the last optimum."""
        self._solver.run()
        if not self._is_optimal():
            self._solver.clearSolver()  # rounding may have spoilt the basis: once more, from the beginning
            self._solver.run()
        if not self._is_optimal():
            status = self._solver.modelStatusToString(self._solver.getModelStatus())
            raise SolverStoppedError(f"HiGHS ended with status '{status}'")
        solution = self._solver.getSolution()
        shares = np.asarray(solution.col_value)[_FIRST_GROUP:] / self._scale
        a = np.maximum(-np.asarray(solution.row_dual)[_FIRST_EDGE:], 0.0)
        a[a < _NOTHING * a.max()] = 0.0
        a /= a.sum()
        u = self._share_out(shares)
        bound = float(self._edges(u).max())
        return Optimum(
            u, bound, a, bound - self._primal(a), int(self._solver.getInfo().simplex_iteration_count)
        )

    def _is_optimal(self) -> bool:
        return bool(self._solver.modelStatusToString(self._solver.getModelStatus()) == "Optimal")

    def _group_bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper bound of the sum of each group."""
        return (
            np.bincount(self._group, weights=self._lower).astype(np.float64),
            np.bincount(self._group, weights=self._upper).astype(np.float64),
        )

    def _split(self, rows: NDArray[np.intp]) -> None:
        """Give those of the rows a group of their own that others of their group are not among."""
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
        low, high = self._group_bounds()
        columns = (cut + _FIRST_GROUP).astype(np.int32)
        self._solver.changeColsBounds(len(cut), columns, low[cut] * self._scale, high[cut] * self._scale)
        self._add_variables(new[cut])

    def _add_variables(self, groups: NDArray[np.intp]) -> None:
        """Of groups that are not yet in the program."""
        low, high = self._group_bounds()
        entries = np.hstack(
            [np.ones((len(groups), 1)), -self._sign.array[groups], self._differs.array[groups]]
        )
        column, row = np.nonzero(entries)
        starts = np.searchsorted(column, np.arange(len(groups))).astype(np.int32)
        self._solver.addCols(
            len(groups),
            np.zeros(len(groups)),
            low[groups] * self._scale,
            high[groups] * self._scale,
            len(row),
            starts,
            row.astype(np.int32),
            entries[column, row],
        )

    def _share_out(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """u of each row: as far between its bounds as the sum is between those of the group."""
        low, high = self._group_bounds()
        width = np.where(high > low, high - low, 1.0)
        part = np.clip((shares - low) / width, 0.0, 1.0)
        return self._lower + part[self._group] * (self._upper - self._lower)

    def _edges(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """sum_i u_i y_i h_j(x_i) of each hypothesis."""
        return np.bincount(self._group, weights=u) @ self._differs.array + self._usual * (u @ self._signs)

    def _primal(self, a: NDArray[np.float64]) -> float:
        """The largest value of the primal for these weights, over rho.

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
    import highspy  # late: only those who boost by linear programs wait for it

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
_BALANCE = np.ones(1, dtype=np.int32)  # the row that defines it
_FIRST_GROUP = _FIRST_EDGE = 2  # columns B and balance; rows sum and balance
