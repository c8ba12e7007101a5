import numpy as np
import pytest
from scipy.sparse import issparse

from lopsided.papers.yu_2003 import data
from lopsided.papers.yu_2003.data import ROWS, TABLE1

PRINTED = (
    *(f"letter_{letter}" for letter in "ABCDE"),
    "b-cancer",
    *("course", "faculty", "student"),
)


def test_a_row_without_data_is_named(monkeypatch):
    monkeypatch.setattr(data, "ROWS", (*ROWS, "project"))
    monkeypatch.setattr(data, "_webkb", lambda: ({"": np.zeros((2, 1))}, np.array(["course", "student"])))
    with pytest.raises(ValueError, match=r"no kind of page 'project'.*course, student"):
        data.load.__wrapped__("project")


def test_the_published_table_is_whole():
    assert set(PRINTED) <= set(ROWS)
    for row in PRINTED:
        assert all(TABLE1.value(size, row=row) for size in ("n_P", "n_U", "n_PU"))
        for method in ("TSVM", "SMC", "SVMC", "OSVM", "SVM_NN"):
            assert 0 <= TABLE1.value("f1", row=row, method=method) <= 1
            assert 1 < TABLE1.value("acc", row=row, method=method) <= 100
        assert TABLE1.value("seconds", row=row, method="SMC") > TABLE1.value(
            "seconds", row=row, method="SVMC"
        )
    assert TABLE1.value("acc", row="letter_C", method="TSVM") == 99.23  # as printed
    assert TABLE1.value("f1", row="student", method="SVM_NN") == 0


def test_sizes_say_which_sets_overlap():
    """P and the positives in U together are the whole class but for the letters, of which they are more."""
    classes = {"b-cancer": 212, "course": 930, "faculty": 1124, "student": 1641}
    for row in PRINTED:
        n = TABLE1.value("n_P", row=row) + TABLE1.value("n_PU", row=row)
        assert n == classes[row] if row in classes else n > 813  # the most frequent letter


def rows_of(X):
    return {row.tobytes() for row in np.asarray(X)}


@pytest.mark.parametrize("name", ["letter_B", "b-cancer"])
def test_a_set_up_has_the_printed_sizes(made_data, name):
    setup = data.draw(name, 7)
    assert (setup.n_known, len(setup.truth), setup.truth.sum()) == (40, 300, 30)
    assert (setup.is_known == 1).sum() == 40
    assert setup.X.shape == (340, 5)
    assert setup.U.shape == (300, 5)
    whole = data.load(name)
    is_positive = dict(zip((row.tobytes() for row in whole.forms[""]), whole.is_positive, strict=True))
    assert all(is_positive[row.tobytes()] for row in setup.X[:40])
    assert [is_positive[row.tobytes()] for row in setup.U] == setup.truth.tolist()
    assert [is_positive[row.tobytes()] for row in setup.X_rest] == setup.truth_rest.tolist()


def test_p_and_u_of_letters_overlap(made_data):
    for name, overlap in (("letter_A", True), ("b-cancer", False)):
        setup = data.draw(name, 0)
        labeled, unlabeled, rest = (rows_of(X) for X in (setup.X[:40], setup.U, setup.X_rest))
        assert bool(labeled & unlabeled) == overlap
        assert not rest & (labeled | unlabeled)
        assert len(rest | labeled | unlabeled) == 600


def test_set_ups_differ_by_their_seed_alone(made_data):
    first, again, other = (data.draw("b-cancer", seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.X, again.X)
    assert rows_of(first.U) != rows_of(other.U)


def test_islands():
    setup = data.draw_islands(2)
    assert (setup.X.shape, setup.n_known) == ((660, 2), 60)
    assert len(setup.truth) == 600
    assert not rows_of(setup.X_rest) & rows_of(setup.X)  # new points


def test_letters(need):
    need("letter")
    setup = data.draw("letter_A", 0)
    assert setup.X.shape == (521 + 10007, 16)
    assert setup.truth.sum() == 384
    assert (setup.X.min(), setup.X.max()) == (0, 1)
    assert 100 < setup.truth_rest.sum() < 170  # the 789 less those in P or U


def test_cancer():
    setup = data.draw("b-cancer", 0)
    assert (len(setup.truth), setup.truth.sum(), setup.truth_rest.sum()) == (259, 77, 0)
    np.testing.assert_allclose(data.load("b-cancer").forms[""].std(axis=0), 1)


@pytest.mark.slow
def test_pages(need):
    need("webkb")
    setup = data.draw("faculty", 0)
    assert issparse(setup.X)
    assert setup.X.shape[0] == 532 + 4209
    assert (setup.truth.sum(), setup.truth_rest.sum()) == (592, 0)
    np.testing.assert_allclose(setup.X.multiply(setup.X).sum(axis=1), 1)
    assert len(np.unique(setup.X[0].data)) == 1  # words are there or not
    assert data.draw("faculty", 0, data.COUNTS).X.max() > 1
    assert data.draw("course", 0).X.shape[1] == setup.X.shape[1]


def test_names_that_are_not_there():
    with pytest.raises(ValueError, match=r"no data 'letter_Z'.*letter_A"):
        data.load("letter_Z")
