import numpy as np
import pytest

from lopsided.svm._record import LabelRecord


def make_record():
    record = LabelRecord()
    record.add_rows([0, 1, -1])
    record.add_labels([1], n_support_positive=[1], n_support_negative=[0], dual_gap=[np.inf], distance=[0.25])
    record.add_labels([0], n_support_positive=[1], n_support_negative=[1], dual_gap=[0.5])
    return record


def test_pieces_are_joined():
    record = make_record()
    assert (record.n_rows, record.n_labels) == (3, 2)
    assert record.class_of.tolist() == [0, 1, -1]
    assert record.queried.tolist() == [1, 0]
    history = {name: column.tolist() for name, column in record.history.items()}
    assert history.pop("distance") == pytest.approx([0.25, np.nan], nan_ok=True)
    assert history == {
        "n_labels": [1, 2],
        "n_support_positive": [1, 1],
        "n_support_negative": [0, 1],
        "dual_gap": [np.inf, 0.5],
    }


def test_what_it_gives_is_not_to_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        make_record().queried[0] = 5


def test_it_goes_on_from_its_state():
    record = LabelRecord.from_state(make_record().state())
    record.check(n_classes=2)
    record.add_labels([2], n_support_positive=[1], n_support_negative=[1], dual_gap=[0.0])
    assert record.queried.tolist() == [1, 0, 2]
    assert record.n_labels == 3


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"class_of": np.array([0, 1, 2])}, "class_of"),  # a class that is not there
        ({"queried": np.array([1, 3])}, "queried"),  # a row that never came
        ({"queried": np.array([[1, 0]])}, "same number of dimensions"),
        ({"dual_gap": np.zeros(3)}, "dual_gap must have an entry for each of 2 labels"),
        ({"distance": np.zeros(1)}, "distance must have"),
    ],
)
def test_a_state_that_no_fit_makes_is_refused(changes, match):
    record = LabelRecord.from_state(make_record().state() | changes)
    with pytest.raises(ValueError, match=match):
        record.check(n_classes=2)
