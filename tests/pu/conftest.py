"""What the tests of Mapping Convergence, Roc-SVM and PEBL share."""

import pytest

from lopsided.pu import _solvers


@pytest.fixture
def solved(monkeypatch):
    """Rows, signs, the number left out and the solution of every call of a solver."""
    calls = []
    for solver in (_solvers.NuSolver, _solvers.LASVMSolver, _solvers.LinearSolver, _solvers.EstimatorSolver):

        def remember(self, X, chosen, signs, n_left_out, *, solve=solver.solve):
            solution = solve(self, X, chosen, signs, n_left_out)
            calls.append((chosen, signs, n_left_out, solution))
            return solution

        monkeypatch.setattr(solver, "solve", remember)
    return calls
