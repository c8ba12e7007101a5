"""No compiled class is made of what it cannot use: recipes and states are checked before any memory is."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from lopsided._kernels.buffered_svm import BufferedSVM
from lopsided._kernels.bytegrams import GramTable
from lopsided._kernels.lasvm import Machine
from lopsided._kernels.online import AdaptivePerceptron, KernelPerceptron, Perceptron, Winnow
from lopsided._kernels.rows import Rows, RowStore
from lopsided.feedback._gate import Gate

RULE = {"margin": 2.0, "rate": 1.0, "cost_positive": 1.0, "cost_negative": 1.0, "moves_b": False, "b": 0.0}
KERNEL = {"kernel": "rbf", "gamma": 1.0, "coef0": 0.0, "degree": 3}
STORE = KERNEL | {"n_columns": 2, "sparse": False, "wide": True}
BOUNDS = {"C_positive": 1.0, "C_negative": 1.0, "margin": 1.0, "tol": 1e-3}
SVM = BOUNDS | {"n_columns": 2, "size": 5, "passes": 1}
WINNOW = {"n_columns": 2, "factor": 2.0, "b": 0.0}
GATE = {"explorer": "softmax", "parameter": 1.0, "bias": 0.0, "waits": True, "guards": True, "seed": 1}

NEVER_BELOW = ("alpha", "sign", "signs", "numbers", "places", "columns", "K", "lower", "upper")
NO_NUMBERS = [np.nan, np.inf, -np.inf]
NO_COUNTS = [-1, -(2**62), 2**31]
BAD = [
    *[(Perceptron, RULE | {"n_columns": 2, "wide": True}, "n_columns", value) for value in NO_COUNTS],
    *[
        (Perceptron, RULE | {"n_columns": 2, "wide": True}, name, value)
        for name in ("margin", "rate", "cost_positive", "cost_negative", "b")
        for value in [*NO_NUMBERS, *(() if name == "b" else (-1.0,))]
    ],
    (Perceptron, RULE | {"n_columns": 2, "wide": True}, "rate", 0.0),
    *[(Winnow, WINNOW, "n_columns", value) for value in NO_COUNTS],
    *[(Winnow, WINNOW, "factor", v) for v in (*NO_NUMBERS, 1.0, -2.0, 31.0)],
    *[(Winnow, WINNOW, "b", value) for value in NO_NUMBERS],
    *[(RowStore, STORE, "n_columns", value) for value in NO_COUNTS],
    *[(RowStore, STORE, "degree", value) for value in (-1, 1001, 2**31 - 1)],
    *[(RowStore, STORE, "gamma", value) for value in (*NO_NUMBERS, -1.0)],
    *[(RowStore, STORE, "coef0", value) for value in NO_NUMBERS],
    *[(RowStore, STORE, "kernel", value) for value in ("cosine", None, 3, [])],
    *[(BufferedSVM, SVM, "n_columns", value) for value in NO_COUNTS],
    *[(BufferedSVM, SVM, "size", value) for value in (*NO_COUNTS, 1)],
    *[(BufferedSVM, SVM, "passes", value) for value in (0, -1)],
    *[(BufferedSVM, SVM, "tol", value) for value in (*NO_NUMBERS, 0.0, -1.0, 1.0)],
    *[(BufferedSVM, SVM, "margin", value) for value in (*NO_NUMBERS, 0.0, -1.0, 1.5)],
    *[
        (BufferedSVM, SVM, name, v)
        for name in ("C_positive", "C_negative")
        for v in (*NO_NUMBERS, -1.0, 1e200)
    ],
    *[(Gate, GATE, "parameter", value) for value in (*NO_NUMBERS, -1.0)],
    *[(Gate, GATE, "bias", value) for value in (np.nan, -1.0)],
    (Gate, GATE, "explorer", "thompson"),
]


@pytest.mark.parametrize(("cls", "recipe", "name", "value"), BAD)
def test_a_recipe_that_is_none(cls, recipe, name, value):
    cls(**recipe)
    with pytest.raises(ValueError, match=name):
        cls(**{**recipe, name: value})


@pytest.mark.parametrize(("name", "value"), [("margin", np.nan), ("rate", 0.0), ("b", np.inf)])
def test_a_rule_of_a_kernel_perceptron_that_is_none(name, value):
    with pytest.raises(ValueError, match=name):
        KernelPerceptron(RowStore(**STORE), **{**RULE, name: value})


@pytest.mark.parametrize(("tol", "cache_bytes"), [(0.0, 10), (-1.0, 10), (np.nan, 10), (1e-3, -1)])
def test_a_machine_that_is_none(tol, cache_bytes):
    with pytest.raises(ValueError, match=r"tol|cache_bytes"):
        Machine(RowStore(**STORE), tol, cache_bytes)


def test_a_store_must_be_there():
    with pytest.raises(TypeError, match="store"):
        Machine(None, 1e-3, 10)
    with pytest.raises(TypeError, match="store"):
        KernelPerceptron(None, **RULE)


def states():
    """Name of each learner, how to make one, and a state of it."""
    X, signs = np.random.default_rng(0).normal(size=(30, 2)), np.tile([1, -1], 15).astype(np.int8)
    everything = np.arange(30)
    for make in (
        lambda state=None: Perceptron(2, True, **RULE, state=state),
        lambda state=None: AdaptivePerceptron(2, True, **RULE, state=state),
        lambda state=None: KernelPerceptron(RowStore(**STORE), **RULE, state=state),
        lambda state=None: Winnow(2, 2.0, -1.0, state=state),
        lambda state=None: BufferedSVM(**SVM | {"size": 40}, state=state),
    ):
        learner = make()
        learner.learn(Rows(np.abs(X)), everything, signs)
        yield type(learner).__name__, make, learner.state()
    machine = Machine(RowStore(**STORE), 1e-3, 10**6)
    machine.learn(Rows(X), everything, everything, signs, np.ones(30), *np.zeros((2, 30), int), np.zeros(30))
    yield "Machine", lambda state: Machine(RowStore(**STORE), 1e-3, 10**6, state), machine.state()


@pytest.mark.parametrize(("name_of_class", "make", "state"), list(states()))
def test_every_part_of_a_state_is_checked(name_of_class, make, state):
    again = make(state).state()
    for name, part in state.items():
        if not hasattr(part, "indptr"):
            np.testing.assert_array_equal(again[name], part)
        spoilt = [None, "a text", *NO_NUMBERS]
        if isinstance(part, np.ndarray):
            spoilt = [part[1:], part.astype(np.complex128), part[None]]
            spoilt += [np.full_like(part, value) for value in NO_NUMBERS if part.dtype.kind == "f"]
            spoilt += [np.full_like(part, -100)] if name in NEVER_BELOW else []
        elif isinstance(part, list):
            spoilt = [part[1:], [None, None], [2, 3]]
        elif isinstance(part, int):
            spoilt += [-1, 2**62, 1.5]
        for value in spoilt:
            with pytest.raises((ValueError, TypeError, AttributeError)):
                make({**state, name: value})
        with pytest.raises(KeyError):
            make({key: value for key, value in state.items() if key != name})


def test_states_of_another_size():
    for columns in (1, 3, 2**31 - 1):
        with pytest.raises(ValueError, match="w must be an array of float64 of shape"):
            Perceptron(columns, True, **RULE, state={"w": np.zeros(2), "b": 0.0, "n_updates": 0})
        with pytest.raises(ValueError, match="exponents must be an array of float64 of shape"):
            Winnow(columns, 2.0, 0.0, state={"exponents": np.zeros(2), "b": 0.0, "n_updates": 0})


def test_rows_that_are_not_there_are_not_stored():
    store, rows = RowStore(**STORE), Rows(np.zeros((3, 2)))
    for chosen in ([3], [-1], [0, 2**40]):
        with pytest.raises(ValueError, match="no row"):
            store.extend(rows, np.array(chosen), np.zeros(len(chosen), int))
    with pytest.raises(ValueError, match="2 rows, but 1 numbers"):
        store.extend(rows, np.array([0, 1]), np.array([0]))
    assert store.n == 0


def test_as_many_weights_as_rows():
    store, rows = RowStore(**STORE), Rows(np.zeros((3, 2)))
    store.extend(rows, np.arange(3), np.arange(3))
    for n in (2, 4, 0):
        with pytest.raises(ValueError, match=f"{n} weights for 3 rows"):
            store.scores(rows, np.ones((1, n)))
    assert store.scores(rows, np.ones((1, 3))).tolist() == [[3.0]] * 3


def test_a_guard_and_a_gate():
    state = Gate(**GATE).state()
    for name, value in {
        "n_rounds": -1,
        "n_found": 2**62,
        "largest_squared_norm": np.nan,
        "started": 1,
        "seed": -1,
        "sums": np.zeros((5, 31)),
        "guard": state["guard"][1:],
    }.items():
        with pytest.raises(ValueError, match=r"must|guard"):
            Gate(**GATE).restore({**state, name: value})
    for place in range(12):
        guard = list(state["guard"])
        guard[place] = -1
        with pytest.raises(ValueError, match=r"alarmed|of the guard"):
            Gate(**GATE).restore({**state, "guard": guard})


def test_rows_of_a_state_are_those_of_a_matrix():
    matrix = csr_array(np.eye(2))
    matrix.indices[1] = 7
    state = {"alphas": np.ones(2), "rows": matrix, "b": 0.0, "n_updates": 2}
    with pytest.raises(ValueError, match="lead out"):
        KernelPerceptron(RowStore(**STORE | {"sparse": True}), **RULE, state=state)


@pytest.mark.parametrize("n", [0, 9, -1])
def test_grams_of_no_length(n):
    with pytest.raises(ValueError, match="1 to 8 bytes"):
        GramTable(n, np.zeros(3, np.uint64))


def test_a_class_is_no_kernel():
    """A file of a model may name any class; it would fail only at the first prediction."""
    with pytest.raises(ValueError, match="kernel must be one of"):
        RowStore(str, 1.0, 0.0, 3, 2, False, False)
