import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from lopsided.metrics import wilcoxon_signed_rank
from reference.ertekin2007 import METHODS, PRBEP
from reference.signed_rank import all_signs_pvalue


def test_published_comparison():
    al, us = PRBEP[:, METHODS.index("al")], PRBEP[:, METHODS.index("us")]
    normal = wilcoxon_signed_rank(al, us)
    assert (normal.n, normal.statistic) == (17, 9)  # one data set is a tie at 100 %
    assert round(normal.pvalue, 5) == 0.00152
    assert round(wilcoxon_signed_rank(al, us, method="exact").pvalue, 4) == 0.0005


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=10))
def test_exact_equals_all_signs(differences):
    result = wilcoxon_signed_rank(differences, np.zeros(len(differences)), method="exact")
    if any(differences):
        assert result.pvalue == pytest.approx(all_signs_pvalue(differences))
    else:
        assert result == (0.0, 1.0, 0)


def test_agrees_with_scipy():
    generator = np.random.default_rng(0)
    for _ in range(50):
        d = generator.integers(-8, 12, 25)  # ties and zeros
        expected = wilcoxon(d, zero_method="wilcox", correction=True, method="asymptotic")
        found = wilcoxon_signed_rank(d, np.zeros(25))
        assert found.statistic == expected.statistic
        assert found.pvalue == pytest.approx(expected.pvalue)
        x = generator.normal(size=15)  # neither
        expected = wilcoxon(x, method="exact")
        assert wilcoxon_signed_rank(x, np.zeros(15), method="exact").pvalue == pytest.approx(expected.pvalue)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=20))
def test_sides_and_units_do_not_matter(pairs):
    x, y = map(np.array, zip(*pairs, strict=True))
    expected = wilcoxon_signed_rank(x, y)
    assert wilcoxon_signed_rank(y, x) == expected
    assert wilcoxon_signed_rank(x / 10, y / 10) == expected  # tenths are not exact in binary


def test_differences_equal_but_for_rounding_are_tied():
    assert 0.9 - 0.8 != 0.8 - 0.7
    # |d| = 0.1, 0.1, 0.2 with signs +, -, +: ranks 1.5, 1.5, 3
    assert wilcoxon_signed_rank([0.9, 0.7, 0.5], [0.8, 0.8, 0.3]).statistic == 1.5
    assert wilcoxon_signed_rank([0.1 + 0.2], [0.3]).n == 0


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ([], [], "at least one pair"),
        ([1, 2], [1], "x 2, y 1"),
        ([np.nan], [1], "x contains NaN"),
        ([np.inf], [1], "finite"),
    ],
)
def test_bad_input(x, y, words):
    with pytest.raises(ValueError, match=words):
        wilcoxon_signed_rank(x, y)


def test_unknown_method():
    with pytest.raises(ValueError, match="method must be 'normal' or 'exact'; got 'auto'"):
        wilcoxon_signed_rank([1], [2], method="auto")
