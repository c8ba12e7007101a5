import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lopsided.metrics import fbeta_score, lee_liu_score


def test_by_hand():
    # recall 2/3 on the labeled, 1 of 4 unlabeled predicted positive
    assert lee_liu_score([1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0]) == pytest.approx(
        (2 / 3) ** 2 / (1 / 4)
    )


@pytest.mark.parametrize("unlabeled", [0, -1, None, np.nan, False])
@pytest.mark.parametrize("rest", [0, -1])
def test_spellings(unlabeled, rest):
    assert lee_liu_score([1, 1, unlabeled, unlabeled], [1, rest, 1, rest]) == 0.25 / 0.5


def test_nothing_predicted_positive():
    assert lee_liu_score([1, 0, 0], [0, 0, 0]) == 0
    assert lee_liu_score([1, 0, 0], [1, 0, 0]) == 0  # nothing new


def test_ranks_nested_classifiers_as_f1_does():
    """A perfect score cut at many places: the best cut of F1 and of Lee-Liu coincide."""
    generator = np.random.default_rng(0)
    truth = np.arange(4000) < 800
    labeled = truth & (generator.random(4000) < 0.5)
    unlabeled = ~labeled
    scores = truth * 2.0 + generator.normal(size=4000)
    cuts = np.quantile(scores, np.linspace(0.02, 0.98, 49))
    lee_liu = [lee_liu_score(labeled, scores > cut) for cut in cuts]
    f1 = [fbeta_score(truth[unlabeled], scores[unlabeled] > cut) for cut in cuts]
    assert f1[int(np.argmax(lee_liu))] > 0.97 * max(f1)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30))
def test_bounds(pairs):
    y, predicted = map(np.array, zip(*pairs, strict=True))
    if y.any() and not y.all():
        # at most recall 1 over a single unlabeled row
        assert 0 <= lee_liu_score(y, predicted) <= (~y).sum()


@pytest.mark.parametrize(
    ("y", "predicted", "words"),
    [
        ([0, 0], [1, 0], "at least one labeled positive"),
        ([1, 1], [1, 0], "needs unlabeled rows"),
        ([1, 0], [1, 2, 0], "got 3 labels"),
        ([1, 0], [1], "y_true 2, y_pred 1"),
    ],
)
def test_bad_input(y, predicted, words):
    with pytest.raises(ValueError, match=words):
        lee_liu_score(y, predicted)
