import numpy as np
import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from lopsided.papers.leskovec_2003 import PAPER
from lopsided.papers.leskovec_2003.data import (
    ALL,
    CATEGORIES,
    FACTS,
    LARGE,
    N_FOLDS,
    RARE,
    draw,
    load,
    rows_of,
)
from lopsided.papers.leskovec_2003.methods import N_ROUNDS


def test_what_the_text_states():
    assert FACTS["training_documents"] + FACTS["test_documents"] == FACTS["documents"] == 12902
    assert FACTS["features"] == 6242
    assert FACTS["categories"] == len(CATEGORIES) == 16
    assert (FACTS["rounds"], FACTS["folds"]) == (N_ROUNDS, N_FOLDS)


def test_the_number_of_stop_words_is_told():
    said = f"Stop words are scikit-learn's {len(ENGLISH_STOP_WORDS)}, where the paper has"
    assert any(text.startswith(said) for text in PAPER.general_deviations)


def test_folds_part_the_training_documents(made_data):
    has = made_data.train.labels("platinum") > 0
    held_out = []
    for k in range(5):
        rows, others = rows_of("platinum", ("fold", k))
        assert sorted([*rows, *others]) == list(range(240))
        assert abs(has[others].sum() - has.sum() / 5) < 1
        held_out += others.tolist()
    assert sorted(held_out) == list(range(240))


def test_discarding_positives_keeps_all_negatives(made_data):
    has = made_data.train.labels("earn") > 0
    rows, others = rows_of("earn", ("positives", 10, 0))
    assert len(others) == 0
    assert has[rows].sum() == 10
    assert set(np.flatnonzero(~has)) < set(rows)
    assert (np.diff(rows) > 0).all()
    other_draw = rows_of("earn", ("positives", 10, 1))[0]
    assert set(rows) != set(other_draw)
    assert set(rows_of("earn", ("positives", 5, 0))[0]) < set(rows)  # fewer of the same
    assert len(rows_of("earn", ALL)[0]) == 240


def test_unknown_names(made_data):
    with pytest.raises(ValueError, match=r"no category 'gold' .* earn, acq"):
        draw("gold", ALL)


@pytest.mark.slow
def test_reuters_as_in_the_paper(need):
    need("reuters21578")
    train, test, _ = load()
    n_train, n_stems = train.documents.shape
    assert n_train == FACTS["training_documents"]
    assert test.documents.shape[0] == FACTS["test_documents"]
    assert n_stems == 6401  # the paper has 6,242
    assert set(train.documents.data) == {1.0}
    assert list(train.names) == list(CATEGORIES)
    shares = {name: train.labels(name).mean() for name in CATEGORIES}
    assert {name for name, share in shares.items() if share > 0.01} == set(LARGE)
    assert {name for name, share in shares.items() if share <= 0.03} == set(RARE)
