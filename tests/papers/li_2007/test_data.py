import numpy as np
import pytest

from lopsided.papers.li_2007 import data
from lopsided.papers.li_2007.data import (
    NEWSGROUPS,
    REUTERS,
    ROWS,
    TABLE1,
    TEN_CLASSES,
    TEN_NEWSGROUPS,
    TEN_REUTERS,
    VOCABULARIES,
    Words,
    count_words,
    draw,
)
from lopsided.papers.li_2007.methods import BASELINES, LGN_
from lopsided.problems import Texts

PRINTED = [
    f"{computer}-{science}"
    for computer in ("graphic", "os", "windows", "ibm.hardware", "mac.hardware")
    for science in ("crypt", "electronics" if computer == "os" else "electro", "med", "space")
]


def test_the_published_figures_are_whole():
    assert set(PRINTED) <= set(ROWS)
    assert TABLE1.labels("method") == (*BASELINES, LGN_)
    means = [
        np.mean([TABLE1.value("f", data=row, method=method) for row in PRINTED])
        for method in (*BASELINES, LGN_)
    ]
    np.testing.assert_allclose(means, [20.2, 44.2, 16.8, 0.5, 77.0], atol=0.051)  # as printed
    assert TEN_CLASSES.labels("share") == ("5", "10", "15", "20", "40")
    assert TEN_CLASSES.value("gain", data=TEN_REUTERS, share=5) == 32.77
    assert TEN_CLASSES.value("gain", data=TEN_NEWSGROUPS, share=5) == 10.56


def test_a_set_up_has_the_sizes_of_the_paper(made_data):
    setup = draw("graphic-crypt", 50, "B", 3)
    assert setup.n_known == 2 * 21
    assert (len(setup.truth), setup.truth.sum()) == (18 + 9, 9)
    assert setup.X.shape[0] == 42 + 27
    assert (setup.y == -1).sum() == 27
    names = data.load(NEWSGROUPS).names
    assert {names[label] for label in setup.classes} == {"comp.graphics", "sci.crypt"}
    assert (setup.y[:42] == setup.classes).all()
    assert setup.is_known.tolist() == [1] * 42 + [0] * 27
    lengths = np.asarray(setup.tfidf.X.power(2).sum(axis=1)).ravel()
    np.testing.assert_allclose(lengths, 1)


def test_unexpected_documents_are_of_other_classes(made_data):
    for name, n_classes in (("os-med", 2), ("os-med+", 3), (TEN_NEWSGROUPS, 10)):
        setup = draw(name, 100, "B", 0)
        assert len(set(setup.classes)) == n_classes
        own = [12 * label + k for label in set(setup.classes) for k in range(12)]
        uses_own = np.asarray(setup.U[:, own].sum(axis=1)).ravel() > 0
        assert not uses_own[setup.truth].any()
        assert uses_own[~setup.truth].all()
        assert setup.truth.sum() == n_classes * 9
    assert data.count(NEWSGROUPS, "A").shape[1] < data.count(NEWSGROUPS, "B").shape[1]


def test_small_shares_are_part_of_large_ones(made_data):
    small, large = (draw("os-med", share, "A", 1) for share in (20, 100))
    n = small.X.shape[0]
    assert (large.X[:n] != small.X).nnz == 0
    assert (small.truth == large.truth[: len(small.truth)]).all()


def test_set_ups_differ_by_seed_and_data_alone(made_data):
    first, again, other = (draw("os-med", 10, "A", seed) for seed in (1, 1, 2))
    assert (first.X != again.X).nnz == 0
    assert (first.X != other.X).nnz > 0


def test_the_ten_largest_of_reuters(made_data):
    assert set(draw(TEN_REUTERS, 10, "A", 0).classes) == set(range(10))  # all are as large


def test_words_and_stems():
    assert count_words(["apple pear the", "pear apples apple"]).toarray().tolist() == [[1, 0, 1], [1, 1, 1]]
    assert count_words(["apple pear the", "pear apples apple"], stems=True).toarray().tolist() == [
        [1, 1],
        [2, 1],
    ]


@pytest.fixture
def messages(monkeypatch, forget):
    """Replace the collection by ten messages; with their headers, each has one word more."""
    texts = [*["apple pear plum"] * 2, *["apple pear"] * 5, *["apple"] * 3]

    def read(headers=False):
        return Texts([f"{text} header" if headers else text for text in texts], np.zeros(10, int), ["a"])

    monkeypatch.setattr(data, "read_subjects_and_bodies", read)
    forget()
    yield
    forget()


@pytest.mark.parametrize(
    ("words", "n_words"),
    [
        (Words(), 3),
        (Words(least=3), 2),
        (Words(least=8), 1),
        (Words(most=0.7), 2),
        (Words(most=0.2), 1),
        (Words(headers=True), 4),
    ],
)
def test_words_of_the_collection(messages, monkeypatch, words, n_words):
    monkeypatch.setitem(VOCABULARIES, "made", words)
    assert data.count(NEWSGROUPS, "made").shape == (10, n_words)


def test_a_vocabulary_is_named_by_what_differs_from_a():
    assert VOCABULARIES["A"] == Words(least=3)
    assert VOCABULARIES["A, headers, stems, df >= 10, df <= 10 %"] == Words(True, True, 10, 0.1)
    assert len(VOCABULARIES) == 25


def test_data_that_are_not_there(made_data):
    with pytest.raises(ValueError, match=r"no data 'graphic-cars'.*graphic-crypt"):
        draw("graphic-cars", 5, "A", 0)


@pytest.mark.slow
def test_reuters_has_enough_unexpected_documents(need):
    need("reuters21578")
    setup = draw(TEN_REUTERS, 40, "A", 0)
    assert setup.truth.sum() == round(0.4 * (~setup.truth).sum())
    names = data.load(REUTERS).names
    assert {"earn", "acq", "crude"} < {names[label] for label in setup.classes}
