import numpy as np
import pandas as pd
import polars as pl
import pytest

from lopsided.metrics import prbep_score, roc_auc_score
from lopsided.metrics._blocks import rank_into_blocks


def test_blocks_by_hand():
    blocks = rank_into_blocks([1, 0, 1, 0, 0], [2, 2, 5, 1, 2], pos_label=1)
    assert blocks.scores.tolist() == [5, 2, 1]
    assert blocks.positives.tolist() == [1, 1, 0]
    assert blocks.negatives.tolist() == [0, 2, 1]
    assert blocks.sizes.tolist() == [1, 3, 1]
    assert blocks.above.tolist() == [0, 1, 4]


def test_weights_stand_for_repetition():
    weighted = rank_into_blocks([1, 0, 1], [2, 2, 1], pos_label=1, sample_weight=[3, 2, 1])
    repeated = rank_into_blocks([1, 1, 1, 0, 0, 1], [2, 2, 2, 2, 2, 1], pos_label=1)
    np.testing.assert_equal(weighted, repeated)


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series])
@pytest.mark.parametrize(
    ("y", "pos_label"),
    [([1, 0, 1, 0], 1), ([1, -1, 1, -1], 1), ([True, False] * 2, 1), (["h", "s"] * 2, "h")],
)
def test_any_spelling_and_any_container(kind, y, pos_label):
    scores = kind([0.9, 0.4, 0.4, 0.1])
    assert roc_auc_score(kind(y), scores, pos_label=pos_label) == 3.5 / 4
    assert prbep_score(kind(y), scores, pos_label=pos_label) == 1.5 / 2
