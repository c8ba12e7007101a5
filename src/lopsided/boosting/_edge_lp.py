"""The linear program of LPBoost, which grows by a hypothesis a round and goes on from where it was.

    dual  (solved)   min  B   s.t.  sum_i u_i y_i h_j(x_i) <= B  for each hypothesis j,  sum_i u_i = 1,
                                    l_i <= u_i <= d_i
    primal           max  rho - sum_i d_i xi_i + sum_i l_i s_i
                     s.t.  y_i sum_j a_j h_j(x_i) + xi_i - s_i = rho,  sum_j a_j = 1,  a, xi, s >= 0

(equations 4 and 5 of the paper, with the lower bounds l.) The multipliers of the rows are the weights a.

Rows of one class on which all hypotheses so far agree enter the program as one variable, the sum of their u:
any way of sharing it out is as good, and ours, by the same fraction between their bounds, is the only one that
does not depend on the solver's whims. A new hypothesis adds one row, and a variable for each group that it
splits. As the new variable has the coefficients of the one it was split from, the basis stays dual feasible,
and the dual simplex needs a few steps.
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


class EdgeLP:
    """The program over hypotheses added so far.

    Parameters
    ----------
    signs : array of +1 and -1
        Labels.
    lower, upper : arrays
        Bounds of u; sum(lower) <= 1 <= sum(upper).
    """

    def __init__(
        self, signs: NDArray[np.int8], lower: NDArray[np.float64], upper: NDArray[np.float64]
    ) -> None:
        import highspy

        self._signs, self._lower, self._upper = signs.astype(np.float64), lower, upper
        # Around 1 in place of 1 / n, because the solver's tolerances are absolute.
        self._scale = float(len(signs))
        self._group = (signs > 0).astype(np.intp)
        self._coefficients = np.empty((2, 0))  # y h_j of each group, a row a group
        self._solver: Any = highspy.Highs()
        for option, value in (
            ("output_flag", False),
            ("threads", 1),
            ("presolve", "off"),
            ("solver", "simplex"),
            ("primal_feasibility_tolerance", 1e-10),
            ("dual_feasibility_tolerance", 1e-10),
        ):
            self._solver.setOptionValue(option, value)
        infinity = highspy.kHighsInf
        self._infinity = infinity
        self._solver.addRow(self._scale, self._scale, 0, _NO_INDEX, _NO_VALUE)  # sum of u
        self._solver.addCol(1.0, -infinity, infinity, 0, _NO_INDEX, _NO_VALUE)  # B
        for bounds in self._group_bounds():
            self._solver.addCol(0.0, *bounds, 1, _FIRST, _ONE)

    @property
    def n_hypotheses(self) -> int:
        """Added so far."""
        return self._coefficients.shape[1]

    def add(self, values: NDArray[np.float64]) -> None:
        """A hypothesis by its values on the rows of the data."""
        answers, code, counts = np.unique(values, return_inverse=True, return_counts=True)
        most = int(np.argmax(counts))
        for k in range(len(answers)):
            if k != most:
                self._split(np.flatnonzero(code == k))
        first = np.unique(self._group, return_index=True)[1]
        edges = (self._signs * values)[first]
        self._coefficients = np.column_stack([self._coefficients, edges])
        columns = np.concatenate([[0], np.arange(1, len(edges) + 1)]).astype(np.int32)
        row = np.concatenate([[-1.0], edges])
        self._solver.addRow(-self._infinity, 0.0, len(row), columns, row)

    def solve(self) -> Optimum:
        """Go on from the last optimum."""
        self._solver.run()
        status = self._solver.modelStatusToString(self._solver.getModelStatus())
        solution = self._solver.getSolution()
        n_steps = int(self._solver.getInfo().simplex_iteration_count)
        if status != "Optimal":
            raise ArithmeticError(f"HiGHS ended with status '{status}'")
        shares = np.asarray(solution.col_value)[1:] / self._scale
        a = np.maximum(-np.asarray(solution.row_dual)[1:], 0.0)
        a /= a.sum()
        u = self._share_out(shares)
        edges = self._edges(u)
        bound = float(edges.max())
        return Optimum(u, bound, a, bound - self._primal(a), n_steps)

    def _group_bounds(self) -> NDArray[np.float64]:
        """Lower and upper bound of each group, scaled."""
        bounds = [np.bincount(self._group, weights=part) for part in (self._lower, self._upper)]
        return np.column_stack(bounds) * self._scale

    def _split(self, rows: NDArray[np.intp]) -> None:
        """Give those of the rows a group of their own that others of their group are not among."""
        n_groups = len(self._coefficients)
        inside = np.bincount(self._group[rows], minlength=n_groups)
        cut = np.flatnonzero((inside > 0) & (inside < np.bincount(self._group, minlength=n_groups)))
        if len(cut) == 0:
            return
        new = np.full(n_groups, -1, dtype=np.intp)
        new[cut] = n_groups + np.arange(len(cut))
        number = new[self._group[rows]]
        self._group[rows[number >= 0]] = number[number >= 0]
        coefficients = self._coefficients[cut]
        self._coefficients = np.vstack([self._coefficients, coefficients])
        bounds = self._group_bounds()
        for group in cut:
            self._solver.changeColBounds(int(group) + 1, *bounds[group])
        n_rows = 1 + self.n_hypotheses
        values = np.column_stack([np.ones(len(cut)), coefficients])
        self._solver.addCols(
            len(cut),
            np.zeros(len(cut)),
            np.ascontiguousarray(bounds[n_groups:, 0]),
            np.ascontiguousarray(bounds[n_groups:, 1]),
            values.size,
            (np.arange(len(cut)) * n_rows).astype(np.int32),
            np.tile(np.arange(n_rows, dtype=np.int32), len(cut)),
            values.ravel(),
        )

    def _share_out(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """u of each row: as far between its bounds as the sum is between those of the group."""
        low, high = self._group_bounds().T / self._scale
        with np.errstate(invalid="ignore"):
            part = np.where(high > low, np.clip((shares - low) / (high - low), 0.0, 1.0), 0.0)
        return self._lower + part[self._group] * (self._upper - self._lower)

    def _edges(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """sum_i u_i y_i h_j(x_i) of each hypothesis."""
        return np.bincount(self._group, weights=u) @ self._coefficients

    def _primal(self, a: NDArray[np.float64]) -> float:
        """The largest value of the primal for these weights, over rho.

        It is concave and piecewise linear in rho, with breaks at the margins: the best rho is the margin at which
        the slope 1 - (d of the margins below) - (l of those above) turns negative.
        """
        margins = self._coefficients @ a
        order = np.argsort(margins)
        low, high = self._group_bounds().T / self._scale
        margins, low, high = margins[order], low[order], high[order]
        slope_after = 1 - np.cumsum(high) - (low.sum() - np.cumsum(low))
        rho = margins[min(int(np.argmax(slope_after <= 1e-12)), len(margins) - 1)]
        short, over = np.maximum(rho - margins, 0), np.maximum(margins - rho, 0)
        return float(rho - high @ short + low @ over)


_NO_INDEX, _NO_VALUE = np.empty(0, dtype=np.int32), np.empty(0)
_FIRST, _ONE = np.zeros(1, dtype=np.int32), np.ones(1)
