import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.neighbors import KNeighborsClassifier

from lopsided import AdaBoostStumps, AdaUBoostStumps, LPBoostStumps, LPUBoostStumps

BOOSTERS = [AdaBoostStumps, AdaUBoostStumps, LPBoostStumps, LPUBoostStumps]


@pytest.mark.parametrize("booster", BOOSTERS)
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_refused(booster, label, words):
    X, y = words()
    with pytest.raises(ValueError, match=rf"at least two classes in y; got only {label} among 300 samples"):
        booster().fit(X, np.full(len(y), label))


def test_a_label_that_no_row_has_is_named(words):
    X, y = words()
    Y = np.column_stack([y > 0, np.zeros(len(y))]).astype(int)
    with pytest.raises(ValueError, match=r"at least two classes .* for class 1 against the rest"):
        LPUBoostStumps().fit(X, Y)


def test_weights_that_leave_one_class_are_refused(words):
    X, y = words()
    with pytest.raises(ValueError, match="at least two classes"):
        LPUBoostStumps().fit(X, y, sample_weight=(y < 0).astype(float))
    with pytest.raises(ValueError, match="all 300 sample weights are zero"):
        LPUBoostStumps().fit(X, y, sample_weight=np.zeros(len(y)))


@pytest.mark.parametrize("stumps", ["presence", "threshold"])
@pytest.mark.parametrize("booster", BOOSTERS)
def test_where_no_column_helps_all_rows_are_negative(booster, stumps, words):
    _, y = words()
    with pytest.warns(UserWarning, match="no question about a column gains anything: all rows get the same"):
        model = booster(stumps=stumps).fit(np.ones((len(y), 3)), y)
    assert (model.predict(np.ones((5, 3))) == -1).all()
    assert model.converged_
    assert model.n_rounds_ <= 30
    assert isinstance(str(model.explain()), str)


def test_numbers_asked_for_presence_are_told_of_thresholds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    with pytest.warns(UserWarning, match="Numbers need stumps='threshold'"):
        LPUBoostStumps(stumps="presence").fit(X, X[:, 0] > 0)


@pytest.mark.parametrize("booster", BOOSTERS)
@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_none_are_refused(booster, form, bad, words):
    X, y = words()
    X[3, 4] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        booster().fit(form(X), y)


@pytest.mark.parametrize("booster", BOOSTERS)
def test_numbers_below_zero_are_there_and_below_thresholds(booster, words):
    X, y = words()
    asked = booster(n_rounds=20, stumps="presence")
    assert asked.fit(-X, y).rules_ == asked.fit(X, y).rules_
    model = booster(n_rounds=20, stumps="threshold").fit(-X, y)
    assert all(rule.threshold == -0.5 or rule.is_constant for rule in model.rules_)


def test_lower_bounds_that_cannot_hold_name_the_inequality_and_a_value(words):
    X, y = words()
    message = r"lower_bound \* n_samples must be at most 1.*got 0\.01 \* 300\. Use at most 0\.00333\."
    with pytest.raises(ValueError, match=message):
        LPUBoostStumps(lower_bound=0.01).fit(X, y)
    LPUBoostStumps(lower_bound=0.00333).fit(X, y)
    message = r"nu \* lower_bound_divisor must be at least 1.*got 0\.1 \* 5\. Use a divisor of at least 10\."
    with pytest.raises(ValueError, match=message):
        LPUBoostStumps(nu=0.1, lower_bound_divisor=5).fit(X, y)
    LPUBoostStumps(nu=0.1, lower_bound_divisor=10).fit(X, y)
    with pytest.raises(ValueError, match=r"name the same bound; got 0\.001 and 50\. Pass one of them"):
        LPUBoostStumps(lower_bound=0.001, lower_bound_divisor=50).fit(X, y)


@pytest.mark.parametrize(
    "parameters",
    [{"nu": 0}, {"nu": 1.0}, {"nu": -0.1}, {"beta": 0.5}, {"lower_bound": -1}, {"lower_bound_divisor": 0},
     {"n_rounds": 0}, {"tol": -1}, {"max_iter": 0}, {"weak_learner": "stump"}, {"stumps": "words"}],
    ids=str,
)  # fmt: skip
def test_parameters_out_of_range_are_named(parameters, words):
    X, y = words()
    (name,) = parameters
    with pytest.raises(ValueError, match=f"'{name}' parameter of LPUBoostStumps must be"):
        LPUBoostStumps(**parameters).fit(X, y)


def test_a_weak_learner_must_take_weights(words):
    X, y = words()
    with pytest.raises(ValueError, match="must take sample_weight in fit; KNeighborsClassifier does not"):
        AdaBoostStumps(weak_learner=KNeighborsClassifier()).fit(X, y)


def test_rows_and_labels_must_be_as_many(words):
    X, y = words()
    with pytest.raises(ValueError, match="X has 300 rows, but y 299"):
        LPUBoostStumps().fit(X, y[1:])


def test_other_columns_in_predict_are_refused(words):
    X, y = words()
    model = AdaBoostStumps(n_rounds=3).fit(X, y)
    with pytest.raises(ValueError, match="43 features, but AdaBoostStumps is expecting 44"):
        model.predict(X[:, 1:])
