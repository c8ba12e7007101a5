import io

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

from histories import steps
from lopsided import LPUBoostStumps, LPUBoostStumpsCV, load, save

GRID = {
    "betas": (1, 4),
    "nus": (0.1, 0.3),
    "lower_bound_divisors": (None, 50),
    "weak_learners": ("real.mh", "disc.mh"),
}
SMALL = {"betas": (4,), "nus": (0.2,), "lower_bound_divisors": (None,), "weak_learners": ("real.lp",)}


def test_the_same_as_a_plain_search(words):
    """Sharing the work between settings changes nothing."""
    X, y = words()
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    ours = LPUBoostStumpsCV(**GRID, cv=3).fit(X, y)
    plain = GridSearchCV(
        LPUBoostStumps(),
        {
            "nu": GRID["nus"],
            "lower_bound_divisor": GRID["lower_bound_divisors"],
            "beta": GRID["betas"],
            "weak_learner": GRID["weak_learners"],
        },
        scoring="f1",
        cv=StratifiedKFold(3),
    ).fit(X, y)
    assert len(ours.cv_results_["params"]) == 16
    theirs = {str(sorted(p.items(), key=str)): k for k, p in enumerate(plain.cv_results_["params"])}
    places = [theirs[str(sorted(p.items(), key=str))] for p in ours.cv_results_["params"]]
    for name in ("split0_test_score", "split2_test_score", "mean_test_score", "std_test_score"):
        np.testing.assert_allclose(ours.cv_results_[name], plain.cv_results_[name][places])
    assert ours.best_score_ == pytest.approx(plain.best_score_)
    assert ours.best_score_ == ours.cv_results_["mean_test_score"][ours.best_index_]
    again = LPUBoostStumps(**ours.best_params_).fit(X, y)
    assert again.rules_ == ours.rules_
    np.testing.assert_array_equal(ours.decision_function(X), again.decision_function(X))
    np.testing.assert_array_equal(ours.predict(X), again.predict(X))
    assert str(ours.explain()) == str(again.explain())
    stages = list(ours.staged_decision_function(X))
    np.testing.assert_allclose(stages[-1], again.decision_function(X), atol=1e-12)


def test_the_grid_of_the_paper_is_the_default(words):
    settings = list(LPUBoostStumpsCV()._settings())
    assert len(settings) == 72
    pairs = {(setting["nu"], setting["lower_bound_divisor"]) for setting in settings}
    assert pairs == {(0.1, None), (0.1, 50), (0.2, None), (0.2, 50)}
    assert {setting["beta"] for setting in settings} == {2, 4, 8}


def test_jobs_and_forms_of_the_input_change_nothing(words):
    X, y = words()
    one = LPUBoostStumpsCV(**GRID, cv=3).fit(X, y)
    two = LPUBoostStumpsCV(**GRID, cv=3, n_jobs=2).fit(csr_array(X), y)
    assert one.best_params_ == two.best_params_
    assert one.rules_ == two.rules_
    for name, column in one.cv_results_.items():
        np.testing.assert_array_equal(column, two.cv_results_[name])


def test_equal_scores_go_to_fewer_rules(words):
    X, y = words()
    X[:, 17] = y > 0
    model = LPUBoostStumpsCV(**GRID, cv=3).fit(X, y)
    assert model.best_score_ == 1
    assert model.best_index_ == 0
    results = model.cv_results_
    assert results["share_converged"].tolist() == [1.0] * 16
    assert results["mean_n_rounds"].tolist() == [1.0] * 16


def test_words_as_labels_have_the_second_as_positive(words):
    X, y = words()
    named = LPUBoostStumpsCV(**SMALL, cv=3).fit(X, np.where(y > 0, "rare", "other"))
    assert named.classes_.tolist() == ["other", "rare"]
    assert named.best_score_ == LPUBoostStumpsCV(**SMALL, cv=3).fit(X, y).best_score_ > 0.3


def test_it_answers_as_the_best_booster_does(words):
    X, y = words()
    model = LPUBoostStumpsCV(**SMALL, cv=2).fit(X, y)
    for name in ("rules_", "n_rounds_", "n_iter_", "converged_", "duality_gap_"):
        assert getattr(model, name) == getattr(model.best_estimator_, name)
    assert steps(model) == steps(model.best_estimator_)
    for ours, best in zip(
        model.staged_decision_function(X), model.best_estimator_.staged_decision_function(X), strict=True
    ):
        np.testing.assert_array_equal(ours, best)


def test_another_score_and_other_folds(words):
    X, y = words()
    folds = KFold(4, shuffle=True, random_state=0)
    model = LPUBoostStumpsCV(**SMALL, cv=folds, scoring="roc_auc").fit(X, y)
    assert 0.7 < model.best_score_ < 1
    assert "split3_test_score" in model.cv_results_
    as_pairs = LPUBoostStumpsCV(**SMALL, cv=list(folds.split(X, y)), scoring="roc_auc").fit(X, y)
    assert as_pairs.best_score_ == model.best_score_


def test_more_classes_and_several_labels(words):
    X, y = words()
    kinds = np.where(y > 0, 2, X[:, 0].astype(int))
    model = LPUBoostStumpsCV(**SMALL, cv=2).fit(X, kinds)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.best_score_ > 0.5
    order = np.random.default_rng(0).permutation(len(y))
    X, Y = X[order], np.column_stack([y > 0, X[:, 0] != 0])[order].astype(int)
    for labels in (Y, csr_array(Y)):
        model = LPUBoostStumpsCV(**SMALL, cv=2).fit(X, labels)
        assert model.predict(X).shape == Y.shape
        assert f1_score(Y, model.predict(X), average="macro") > 0.5


def test_classifiers_can_be_weak_learners(words):
    X, y = words()
    model = LPUBoostStumpsCV(**{**SMALL, "weak_learners": ("real.lp", LogisticRegression())}, cv=2)
    model.fit(X, y)
    assert len(model.cv_results_["params"]) == 2
    assert (model.cv_results_["mean_n_rules"] > 0).all()


def test_weights_go_into_the_fits(words):
    X, y = words()
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = LPUBoostStumpsCV(**SMALL, cv=3).fit(X, y, sample_weight=weights)
    again = LPUBoostStumps(**model.best_params_).fit(X, y, sample_weight=weights)
    assert model.rules_ == again.rules_ != LPUBoostStumps(**model.best_params_).fit(X, y).rules_
    train, test = next(StratifiedKFold(3).split(X, y))
    inside = LPUBoostStumps(**model.best_params_).fit(X[train], y[train], weights[train])
    assert model.cv_results_["split0_test_score"][0] == f1_score(y[test], inside.predict(X[test]))


def test_few_positives_mean_few_folds(words):
    X, y = words(200, 20, 3)
    with pytest.warns(UserWarning, match="3 folds in place of cv=5: class 1 has only 3 rows") as warned:
        model = LPUBoostStumpsCV(**SMALL).fit(X, y)
    assert warned[0].filename == __file__  # the call of fit, not a line of ours
    assert "split2_test_score" in model.cv_results_
    assert "split3_test_score" not in model.cv_results_
    y[1:] = -1
    with pytest.raises(ValueError, match="needs at least 2 rows of each class; class 1 has 1 sample"):
        LPUBoostStumpsCV(**SMALL).fit(X, y)


def test_bounds_that_leave_no_room_are_left_out(words):
    X, y = words()
    grid = {**SMALL, "nus": (0.1, 0.2), "lower_bound_divisors": (None, 10)}
    with pytest.warns(UserWarning, match=r"nu=0\.1 with lower_bound_divisor=10 is left out") as warned:
        model = LPUBoostStumpsCV(**grid, cv=2).fit(X, y)
    assert warned[0].filename == __file__
    assert len(model.cv_results_["params"]) == 3


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"betas": (0.5,)}, "'beta' parameter of LPUBoostStumps must be"),
        ({"nus": (2.0,)}, "'nu' parameter of LPUBoostStumps must be"),
        ({"weak_learners": ("stump",)}, "'weak_learner' parameter of LPUBoostStumps must be"),
        ({"weak_learners": ()}, "at least one value"),
        ({"cv": 1}, "'cv' parameter of LPUBoostStumpsCV must be"),
    ],
)
def test_a_grid_that_cannot_be_walked_is_said_at_once(grid, message, words):
    X, y = words()
    with pytest.raises(ValueError, match=message):
        LPUBoostStumpsCV(**{**SMALL, **grid}).fit(X, y)


def test_one_wrong_value_is_found_before_the_work(words, monkeypatch):
    X, y = words()
    monkeypatch.setattr(LPUBoostStumpsCV, "_run", lambda *_: pytest.fail("it has begun"))
    with pytest.raises(ValueError, match="'beta' parameter of LPUBoostStumps must be"):
        LPUBoostStumpsCV(**{**SMALL, "betas": (2, -1)}).fit(X, y)


def test_a_bar_is_shown_on_a_terminal(words, monkeypatch):
    X, y = words()
    shown = io.StringIO()
    shown.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    LPUBoostStumpsCV(**SMALL, cv=2, progress=True).fit(X, y)
    assert "settings" in shown.getvalue()
    shown.truncate(0)
    LPUBoostStumpsCV(**SMALL, cv=2).fit(X, y)
    assert shown.getvalue().strip("\0") == ""


def test_it_can_be_saved(words, tmp_path):
    X, y = words()
    model = LPUBoostStumpsCV(**SMALL, cv=2).fit(X, y)
    save(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(load(tmp_path / "model.skops").predict(X), model.predict(X))


@pytest.mark.filterwarnings("ignore:no question about a column:UserWarning")
def test_rare_labels_of_rows_with_several():
    rng = np.random.default_rng(0)
    X = (rng.random((60, 6)) < 0.4).astype(float)
    Y = (rng.random((60, 3)) < [0.4, 0.3, 0.0]).astype(int)
    Y[:3, 2] = 1
    with pytest.warns(UserWarning, match="3 folds in place of cv=5: column 2 has only 3 rows"):
        model = LPUBoostStumpsCV(
            nus=[0.2], betas=[4.0], lower_bound_divisors=[None], weak_learners=["disc.lp"]
        ).fit(X, Y)
    assert model.predict(X).shape == Y.shape
    Y[1:3, 2] = 0
    with pytest.raises(ValueError, match="column 2 has 1"):
        LPUBoostStumpsCV().fit(X, Y)
