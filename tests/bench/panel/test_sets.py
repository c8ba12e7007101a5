"""The data sets of the panel: split before anything is tuned, and read as declared."""

import numpy as np
import pytest

from lopsided.bench.panel._sets import MOST_ROWS, read_classes, read_split, read_wanted

SPLIT = read_split()
LEAST = {"rare": 25, "active": 20, "positives": 20, "one-sided": 8, "unexpected": 16, "rules": 15}


@pytest.mark.parametrize("regime", LEAST)
def test_there_are_enough_sets_and_none_is_on_both_sides(regime):
    tune, test = SPLIT[regime]["tune"], SPLIT[regime]["test"]
    assert len(tune) + len(test) >= LEAST[regime]
    assert len(set(tune + test)) == len(tune + test)


def test_no_set_is_tuned_in_one_regime_and_judged_in_another():
    wanted = [halves for regime, halves in SPLIT.items() if regime != "unexpected"]
    tuned = {name for halves in wanted for name in halves["tune"]}
    assert not tuned & {name for halves in wanted for name in halves["test"]}


def test_rare_has_tables_and_texts():
    names = SPLIT["rare"]["tune"] + SPLIT["rare"]["test"]
    assert sum(":" in name for name in names) >= 15
    assert sum(":" not in name for name in names) >= 10


def test_a_table(need):
    need("glass")
    data = read_wanted("tables/glass:7")
    assert data.is_wanted.sum() == 29
    assert data.rows.X.shape[0] == len(data.columns["RI"]) == 214
    np.testing.assert_allclose(data.rows.X.mean(axis=0), 0, atol=1e-9)


def test_a_large_set_is_cut_and_keeps_enough_of_the_wanted_class(need):
    need("shuttle")
    wanted = read_wanted("uci/shuttle:Fpv.Open").is_wanted
    assert len(wanted) == MOST_ROWS
    assert wanted.sum() == 150  # 171 in 58,000: their share would be 18


def test_a_stream_has_the_share_that_its_name_says(need):
    need("reuters21578")
    wanted = read_wanted("reuters/trade@5").is_wanted
    assert wanted.mean() == pytest.approx(0.05, abs=1e-3)


def test_classes_that_are_hidden(need):
    need("glass")
    data = read_classes("glass, 2 known")
    assert sorted(set(data.rows.labels)) == ["1", "2", "7"]
    assert data.hidden == ["7"]
