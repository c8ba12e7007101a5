"""Reuters-21578, as the paper has it."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import f1_score

from lopsided import LPBoostStumps, LPUBoostStumps, fetch_reuters21578
from reference import boosting as twin


@pytest.fixture(scope="module")
def reuters(need):
    """Presence of words in at least four training documents, and the topics, of either part."""
    need("reuters21578")
    train, test = (fetch_reuters21578(subset=part) for part in ("train", "test"))
    words = CountVectorizer(min_df=4, stop_words="english", binary=True, dtype=np.float64)
    X, X_test = words.fit_transform(train.data), words.transform(test.data)

    def topic(name):
        column = train.target_names.index(name)
        return (np.asarray(part.target[:, [column]].todense()).ravel() > 0 for part in (train, test))

    return X, X_test, topic, words.get_feature_names_out()


@pytest.mark.parametrize("name", ["real.mh", "real.lp", "disc.lp"])
def test_platinum_needs_one_word(name, reuters):
    """Claim B4: some of the smallest categories need one rule and make no error."""
    X, X_test, topic, words = reuters
    y, y_test = topic("platinum")
    model = LPUBoostStumps(4, 0.1, weak_learner=name).fit(X, y)
    assert [words[rule.feature] for rule in model.rules_] == ["platinum"]
    assert f1_score(y_test, model.predict(X_test)) == 1
    assert [row.question for row in model.explain(words).rows] == ["platinum"]


def test_uneven_costs_help_ship(reuters):
    X, X_test, topic, _ = reuters
    y, y_test = topic("ship")
    even = LPBoostStumps(0.1, weak_learner="real.lp").fit(X, y)
    uneven = LPUBoostStumps(4, 0.1, weak_learner="real.lp").fit(X, y)
    assert f1_score(y_test, uneven.predict(X_test)) > 0.6 > f1_score(y_test, even.predict(X_test))
    assert len(uneven.rules_) <= 6
    assert uneven.converged_
    assert abs(uneven.duality_gap_) < 1e-7


def test_the_optimum_of_a_real_program_is_that_of_another_solver(reuters):
    """Column generation with Disc.LP ends at the optimum over all stumps that it made."""
    X, _, topic, _ = reuters
    y, _ = topic("coffee")
    model = LPUBoostStumps(4, 0.2, weak_learner="disc.lp").fit(X, y)
    assert model.converged_
    signs = np.where(y, 1, -1)
    H = np.array([member.says(csr_matrix(X)) for member in model.ensembles_[0].members])
    bound = twin.solve_dual(H, signs, *twin.bounds(signs, 0.2, 4, 0.0))[1]
    assert model.history_["bound"][-1] == pytest.approx(bound, abs=1e-8)
