"""What scikit-learn asks of every estimator, asked of every public one of ours."""

import inspect
import pickle
import re
import warnings
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils import estimator_checks

import lopsided
from hostile_files import fitted_models
from lopsided.utils import all_estimators

# The estimators to check, at their defaults. Where a parameter chooses between ways of working, all are here.
NUMBERS = {"stumps": "threshold", "n_rounds": 10}
WITH_UNEXPECTED_NUMBER = {"classifier": LogisticRegression(), "unexpected_label": -5}
VARIANTS = {
    "AdaBoostStumps": [{}, NUMBERS],
    "AdaUBoostStumps": [{}, NUMBERS, {**NUMBERS, "weak_learner": "disc.u"}],
    "ByteGramVectorizer": [{}, {"n_features": None}],
    "LASVC": [
        {},
        {"kernel": "linear", "selection": "sequential", "n_epochs": "converge"},
        {"selection": "active", "stopping": "saturation"},
    ],
    "LPBoostStumps": [{}, {**NUMBERS, "nu": 0.3}],
    "LPUBoostStumps": [
        {},
        {**NUMBERS, "nu": 0.3},
        {**NUMBERS, "weak_learner": "disc.lp", "lower_bound_divisor": 50},
    ],
    # One setting: which of several is best depends on folds, and copies of a row fall into several of them.
    "LPUBoostStumpsCV": [
        {},
        {
            **NUMBERS,
            "betas": (2,),
            "nus": (0.3,),
            "lower_bound_divisors": (None,),
            "weak_learners": ("real.mh",),
            "cv": 2,
        },
    ],
    "MarginPerceptron": [{}, {"kernel": "linear"}],
    "OpenSetClassifier": [{"classifier": LogisticRegression()}, WITH_UNEXPECTED_NUMBER],
    "StemmedVectorizer": [{}],
}


class Known(NamedTuple):
    """Checks that estimators are expected to fail, and why."""

    names: tuple[str, ...]
    checks: tuple[str, ...]
    reason: str

    def row(self):
        """Return a row of the table in docs/reference.md."""
        names, checks = (", ".join(f"`{name}`" for name in part) for part in (self.names, self.checks))
        return f"| {names} | {checks} | {self.reason} |"


FROM_POSITIVES = ("MappingConvergence", "PEBL", "RocSVM", "SMC", "SVMC", "SpyEM")
TEXT_AMONG_NUMBERS = (
    "check_classifier_data_not_an_array",
    "check_estimators_pickle",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_supervised_y_2d",
)
KNOWN_FAILURES = (
    Known(
        ("ArtificialNegatives",),
        (
            "check_dict_unchanged",
            "check_dont_overwrite_parameters",
            "check_dtype_object",
            "check_estimator_sparse_array",
            "check_estimator_sparse_matrix",
            "check_estimator_sparse_tag",
            "check_estimators_dtypes",
            "check_estimators_fit_returns_self",
            "check_estimators_nan_inf",
            "check_estimators_overwrite_params",
            "check_f_contiguous_array_estimator",
            "check_fit2d_1feature",
            "check_fit2d_predict1d",
            "check_fit_score_takes_y",
            "check_methods_sample_order_invariance",
            "check_methods_subset_invariance",
            "check_n_features_in_after_fitting",
            "check_positive_only_tag_during_fit",
            "check_readonly_memmap_input",
        ),
        "`fit` needs rows to be judged beside the known ones; the checks pass known classes only",
    ),
    Known(
        ("LASVC",),
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
        "the solutions are equal within `tol`, not to seven digits",
    ),
    Known(
        ("LASVCCV",),
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
        "`cv` takes a number or a splitter, not the list of folds that the checks pass",
    ),
    Known(
        ("LASVCCV",),
        ("check_class_weight_classifiers",),
        "the threshold balances the recalls of both classes, whatever their weights",
    ),
    Known(
        ("LGN",),
        ("check_classifier_data_not_an_array", "check_estimators_dtypes"),
        "`fit` needs rows to be judged beside the known ones; the checks pass known classes only",
    ),
    Known(
        ("LGN", "UnexpectedDetector"),
        ("check_classifier_not_supporting_multiclass", "check_classifiers_classes"),
        "labels name known classes, any number of them; predictions are 1 (expected) and 0",
    ),
    Known(
        FROM_POSITIVES,
        ("check_classifier_data_not_an_array", "check_classifiers_classes", "check_estimators_dtypes"),
        "labels must be 1 (positive) and 0 or -1 (unlabeled); two others do not say which is positive",
    ),
    Known(
        tuple(name for name in FROM_POSITIVES if name != "SpyEM"),
        ("check_fit2d_1feature",),
        "the check passes three labels, which are refused",
    ),
    Known(
        ("MarginPerceptron",),
        ("check_class_weight_classifiers",),
        "class weights make steps longer and weigh no loss: rows with a sufficient margin change nothing",
    ),
    Known(
        ("OpenSetClassifier",),
        ("check_classifiers_classes", "check_classifiers_train"),
        "predictions are the known classes and one more",
    ),
    Known(
        ("OpenSetClassifier",),
        TEXT_AMONG_NUMBERS,
        'the default `unexpected_label="unexpected"` is text, and the checks name classes by numbers; '
        "they pass where it is a number",
    ),
    Known(
        ("SpyEM", "Winnow"),
        ("check_classifier_not_supporting_multiclass",),
        "the check passes negative features, which are refused first",
    ),
)
# (estimator, check) -> why it cannot pass. Strict: a check that passes must leave the list.
EXPECTED_FAILURES = {
    (name, check): known.reason for known in KNOWN_FAILURES for name in known.names for check in known.checks
}


def expected_failure(estimator, check_name):
    name = type(estimator).__name__
    is_named_by_number = name == "OpenSetClassifier" and estimator.unexpected_label != "unexpected"
    if is_named_by_number and check_name in TEXT_AMONG_NUMBERS:
        return None
    return EXPECTED_FAILURES.get((name, check_name))


INSTANCES = [cls(**variant) for name, cls in all_estimators() for variant in VARIANTS.get(name, [{}])]
TEXTS = ["cheap pills here", "meeting at noon", "", "cheap meeting with pills", "nothing at noon"]


# scikit-learn's generator gives text estimators one check only; these need no data, so they apply to them.
CHECKS_WITHOUT_DATA = [
    estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
    estimator_checks.check_estimator_repr,
    estimator_checks.check_estimator_tags_renamed,
    estimator_checks.check_get_params_invariance,
    estimator_checks.check_mixin_order,
    estimator_checks.check_no_attributes_set_in_init,
    estimator_checks.check_parameters_default_constructible,
    estimator_checks.check_set_params,
    estimator_checks.check_valid_tag_types,
]

# Estimator -> one that has the same methods and the same defaults, so that checks with data cannot differ.
SIBLINGS = {"SVMC": "MappingConvergence"}


def checks():
    for estimator in INSTANCES:
        name = type(estimator).__name__
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SkipTestWarning)  # it says what the comment above says
            pairs = list(estimator_checks.estimator_checks_generator(estimator))
        if name in SIBLINGS:
            pairs = []
        if is_text(estimator) or name in SIBLINGS:
            pairs += [(estimator, partial(check, name)) for check in CHECKS_WITHOUT_DATA]
        for instance, check in pairs:
            check_name = check.func.__name__
            reason = expected_failure(instance, check_name)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            if name == "LPUBoostStumpsCV" and instance.n_rounds > 10:
                marks.append(pytest.mark.slow)  # each check searches 36 settings
            yield pytest.param(instance, check, id=f"{instance}-{check_name}", marks=marks)


def is_text(estimator):
    return estimator.__sklearn_tags__().input_tags.string


def test_the_list_of_estimators_is_the_documented_one():
    page = (Path(__file__).parents[1] / "docs" / "reference.md").read_text(encoding="utf-8")
    section = page.split("## Estimators")[1].split("\n### ")[0]
    documented = re.findall(r"^\| `(\w+)`", section, flags=re.MULTILINE)
    assert documented == [name for name, _ in all_estimators()]
    assert set(VARIANTS) <= set(documented)


def test_the_checks_that_are_expected_to_fail_are_documented():
    page = (Path(__file__).parents[1] / "docs" / "reference.md").read_text(encoding="utf-8")
    section = page.split("### Estimator checks")[1].split("\n## ")[0]
    rows = [known.row() for known in KNOWN_FAILURES]
    assert [line for line in section.splitlines() if line.startswith("| `")] == rows


@pytest.mark.parametrize("name", SIBLINGS)
def test_siblings_differ_in_nothing_that_data_would_show(name):
    one, other = getattr(lopsided, name), getattr(lopsided, SIBLINGS[name])
    own = {member for member, thing in vars(one).items() if callable(thing)}
    assert issubclass(one, other)
    assert own == {"__init__"}
    learned_with = {parameter: getattr(one(), parameter) for parameter in other().get_params()}
    assert learned_with == other().get_params()


def test_no_public_name_has_a_seed_by_default():
    """As in scikit-learn: whoever wants equal results for equal calls passes random_state."""
    public = {name: getattr(lopsided, name) for name in lopsided.__all__ if callable(getattr(lopsided, name))}
    methods = {
        f"{name}.{member}": function
        for name, thing in public.items()
        for member, function in inspect.getmembers(thing, inspect.isfunction)
        if inspect.isclass(thing) and not member.startswith("_")
    }
    defaults = {
        name: inspect.signature(function).parameters["random_state"].default
        for name, function in (public | methods).items()
        if "random_state" in inspect.signature(function).parameters
    }
    assert len(defaults) > 15
    assert {name: default for name, default in defaults.items() if default is not None} == {}


@pytest.mark.filterwarnings("ignore")  # of models that are fitted to next to nothing
def test_every_history_is_a_dict_of_equally_long_arrays():
    histories = {
        name: model.history_ for name, (model, _) in fitted_models().items() if hasattr(model, "history_")
    }
    assert len(histories) > 12
    for name, history in histories.items():
        assert {type(column) for column in history.values()} == {np.ndarray}, name
        assert len({column.shape for column in history.values()}) == 1, name


# One check fits labels without sense on features around 100: a solver may say that this has no end.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:UnexpectedDetector needs")  # more rows than most checks have
@pytest.mark.filterwarnings("ignore:y holds only 0 and 1")
@pytest.mark.filterwarnings("ignore:no question about a column")  # of sparse rows, which have no zeros here
@pytest.mark.filterwarnings(
    "ignore:all training rows are predicted alike"
)  # labels of some checks are random
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", list(filter(is_text, INSTANCES)), ids=str)
def test_text_vectorizers(estimator):
    """The laws of a transformer, for the estimators that scikit-learn's checks pass over."""
    texts, parameters = list(TEXTS), estimator.get_params()
    fitted = clone(estimator)
    X = fitted.fit_transform(texts)
    assert texts == TEXTS, "the input was changed"
    assert fitted.get_params() == parameters, "fit changed a parameter"
    assert X.shape[0] == len(TEXTS)
    assert X[2].nnz == 0
    assert np.isfinite(X.data).all()
    for again in (fitted, clone(estimator).fit(texts), pickle.loads(pickle.dumps(fitted))):
        assert abs(again.transform(texts) - X).max() == 0
    one_by_one = [fitted.transform([text]).toarray()[0] for text in texts]
    np.testing.assert_array_equal(one_by_one, X.toarray())
    if hasattr(fitted, "get_feature_names_out"):
        assert len(fitted.get_feature_names_out()) == X.shape[1]
