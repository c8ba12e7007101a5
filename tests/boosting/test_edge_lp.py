import numpy as np
import pytest

from lopsided.boosting import _edge_lp
from lopsided.boosting._edge_lp import EdgeLP, SolverStoppedError
from reference import boosting as twin


@pytest.fixture(params=[1000, 8], ids=["all", "sifted"], autouse=True)
def many(request, monkeypatch):
    """Variables up to which all are kept in the model; with few of them most are constants, in and out."""
    monkeypatch.setattr(_edge_lp, "_MANY", request.param)
    return request.param


def columns(kind, n, m, seed=0):
    """Hypotheses of two or more values, some of them equal, constant or opposite."""
    rng = np.random.default_rng(seed)
    if kind == "signs":
        H = np.where(rng.random((n, m)) < 0.3, 1.0, -1.0)
    elif kind == "words":
        H = np.where(rng.random((n, m)) < 0.05, rng.normal(1, 0.3, (n, 1)), rng.normal(-0.2, 0.1, (n, 1)))
    else:
        H = rng.normal(size=(n, m))
    H[3] = H[1]
    H[5] = -H[2]
    H[6] = -1.0
    return H


@pytest.mark.parametrize("lower", [0.0, 0.001])
@pytest.mark.parametrize("beta", [1, 4])
@pytest.mark.parametrize("kind", ["signs", "words", "numbers"])
def test_each_round_is_the_optimum_of_a_fresh_program(kind, beta, lower):
    m = 150
    H = columns(kind, 12, m)
    y = np.where(np.arange(m) < 25, 1, -1)
    low, high = twin.bounds(y, 0.2, beta, lower)
    program = EdgeLP(y.astype(np.int8), low, high)
    for n in range(1, len(H) + 1):
        program.add(H[n - 1])
        optimum = program.solve()
        edges = H[:n] @ (optimum.u * y)
        B = twin.solve_dual(H[:n], y, low, high)[1]
        # The dual: feasible, and as low as another solver finds.
        assert optimum.u.sum() == pytest.approx(1, abs=1e-9)
        assert (optimum.u >= low - 1e-12).all()
        assert (optimum.u <= high + 1e-12).all()
        assert optimum.bound == pytest.approx(edges.max(), abs=1e-12) == pytest.approx(B, abs=1e-8)
        # The primal: weights that sum to 1, and the same value.
        assert (optimum.a >= 0).all()
        assert optimum.a.sum() == pytest.approx(1)
        assert abs(optimum.gap) <= 1e-8
        assert twin.solve_primal(H[:n], y, low, high) == pytest.approx(B, abs=1e-8)
        # Complementary slackness: a hypothesis with a weight has the largest edge; a row between its bounds
        # has the margin rho.
        assert edges[optimum.a > 1e-9] == pytest.approx(optimum.bound, abs=1e-8)
        margins = y * (optimum.a @ H[:n])
        free = (optimum.u > low + 1e-9) & (optimum.u < high - 1e-9)
        if free.any():
            assert np.ptp(margins[free]) < 1e-7
            rho = margins[free].mean()
            assert (margins[optimum.u >= high - 1e-9] <= rho + 1e-7).all()
            assert (margins[optimum.u <= low + 1e-9] >= rho - 1e-7).all()


def test_the_bound_rises_and_equal_rows_share_alike():
    m = 200
    rng = np.random.default_rng(0)
    H = np.repeat(np.where(rng.random((15, m // 2)) < 0.4, 1.0, -1.0), 2, axis=1)  # rows in pairs
    y = np.repeat(np.where(np.arange(m // 2) < 20, 1, -1), 2)
    low, high = twin.bounds(y, 0.3, 2, 0.0)
    program, before = EdgeLP(y.astype(np.int8), low, high), -np.inf
    for values in H:
        program.add(values)
        optimum = program.solve()
        assert optimum.bound >= before - 1e-9
        before = optimum.bound
        np.testing.assert_array_equal(optimum.u[::2], optimum.u[1::2])
    assert program.n_hypotheses == 15


def test_rows_of_different_weight_keep_their_own_bounds():
    rng = np.random.default_rng(0)
    H, y = columns("signs", 8, 60), np.where(np.arange(60) < 15, 1, -1)
    weights = rng.uniform(0.2, 2, 60)
    low, high = 0.2 / 60 * weights, weights / weights.sum() / 0.2
    program = EdgeLP(y.astype(np.int8), low, high)
    for n, values in enumerate(H, 1):
        program.add(values)
        optimum = program.solve()
        assert optimum.bound == pytest.approx(twin.solve_dual(H[:n], y, low, high)[1], abs=1e-8)
        assert (optimum.u >= low - 1e-12).all()
        assert (optimum.u <= high + 1e-12).all()


def test_the_same_program_gives_the_same_answer():
    H, y = columns("words", 10, 120), np.where(np.arange(120) < 20, 1, -1)
    answers = []
    for _ in range(2):
        program = EdgeLP(y.astype(np.int8), *twin.bounds(y, 0.1, 4, 0.0))
        for values in H:
            program.add(values)
            answers.append(program.solve().u)
    np.testing.assert_array_equal(answers[:10], answers[10:])


def test_few_variables_are_in_the_model_where_it_is_sifted(many):
    H, y = columns("words", 12, 400), np.where(np.arange(400) < 60, 1, -1)
    program = EdgeLP(y.astype(np.int8), *twin.bounds(y, 0.1, 4, 0.0))
    inside = []
    for values in H:
        program.add(values)
        program.solve()
        inside.append((program._column >= 0).sum())
    n_groups = len(program._differs.array)
    assert (inside[-1] == n_groups) == (many == 1000)
    assert max(inside[4:]) < n_groups or many == 1000


def test_a_limit_is_said():
    H, y = columns("numbers", 8, 60), np.where(np.arange(60) < 15, 1, -1)
    program = EdgeLP(y.astype(np.int8), *twin.bounds(y, 0.1, 1, 0.0), max_steps=1)
    for values in H:
        program.add(values)
    with pytest.raises(SolverStoppedError, match="HiGHS ended with status 'Iteration limit reached'"):
        program.solve()
