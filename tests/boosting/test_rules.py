import numpy as np
from scipy.sparse import csr_array

from lopsided import Rule
from lopsided.boosting._rules import score_rules

RULES = [
    Rule(0, None, 1.0, -0.5, 2.0),
    Rule(2, None, -1.0, 0.25, 1.0),
    Rule(0, None, 0.5, 0.0, 1.0),
    Rule(1, 1.5, 3.0, -1.0, 0.5),
    Rule(1, -1.0, 1.0, 0.0, 1.0),
    Rule(0, None, -1.0, -1.0, 0.25),  # a constant
]
X = np.array([[0, 0, 0], [1, 2, 0], [-1, 1, 3], [0, -2, 1.0]])


def test_scores_by_hand():
    wanted = [
        -1 + 0.25 + 0 - 0.5 + 1 - 0.25,
        2 + 0.25 + 0.5 + 1.5 + 1 - 0.25,
        2 - 1 + 0.5 - 0.5 + 1 - 0.25,
        -1 - 1 + 0 - 0.5 + 0 - 0.25,
    ]
    np.testing.assert_allclose(score_rules(X, RULES), wanted)
    np.testing.assert_allclose(score_rules(csr_array(X), RULES), wanted)
    assert score_rules(X, []).tolist() == [0, 0, 0, 0]


def test_questions_by_hand():
    assert RULES[0].applies(X).tolist() == [False, True, True, False]
    assert RULES[3].applies(csr_array(X)).tolist() == [False, True, False, False]
    assert RULES[4].applies(csr_array(X)).tolist() == [True, True, True, False]
    assert [rule.is_constant for rule in RULES] == [False] * 5 + [True]
