"""What comes back is settled in one way: by labels and by values, now, again and corrected."""

import pytest

from lopsided.feedback._decision import ItemDecision
from lopsided.feedback._gate import Gate

SHOWN = ItemDecision(show=True, explored=False, score=0.5, probability=1.0)
EXPLORED = ItemDecision(show=True, explored=True, score=-0.5, probability=0.25)


def make_gate(**options):
    return Gate("epsilon-greedy", 0.25, 0.0, **{"waits": False, "guards": False, "seed": 0} | options)


def settle(gate, *answers):
    """Settle answers (decision, label, before); return what was said, and what was learned."""
    lessons = []
    return [
        gate.settle(decision, label, lessons.append, before) for decision, label, before in answers
    ], lessons


def test_the_first_label_is_counted_once():
    gate = make_gate()
    assert settle(gate, (SHOWN, 1, None), (SHOWN, 1, 1)) == (["learned", "again"], [1])
    assert (gate.n_labels, gate.n_mistakes) == (1, 0)


def test_a_correction_moves_the_find_and_not_the_count():
    gate = make_gate()
    told, lessons = settle(gate, (EXPLORED, 1, None), (EXPLORED, -1, 1), (EXPLORED, 1, -1))
    assert told == ["learned", "corrected", "corrected"]
    assert lessons == [1, -1, 1]
    assert (gate.n_labels, gate.n_found) == (1, 1)


def test_negatives_wait_for_the_first_positive():
    gate = make_gate(waits=True)
    assert settle(gate, (SHOWN, -1, None), (SHOWN, 1, None), (SHOWN, -1, None))[1] == [1, -1]
    assert (gate.n_labels, gate.n_mistakes) == (3, 1)  # of those after the wait, the last is a mistake


def test_an_explored_negative_may_teach_nothing_until_it_is_a_correction():
    gate = make_gate(only_finds=True)
    answers = (EXPLORED, -1, None), (EXPLORED, 1, -1), (EXPLORED, -1, 1)
    assert settle(gate, *answers) == (["learned", "corrected", "corrected"], [1, -1])


def test_a_value_is_positive_from_the_threshold_on():
    gate = make_gate(waits=True, any_teaches=True, threshold=2.0)
    assert settle(gate, (EXPLORED, 1.0, None))[1] == [1.0]
    assert gate.started
    told, lessons = settle(gate, (EXPLORED, 2.0, None), (EXPLORED, 3.0, 2.0), (EXPLORED, 1.9, 3.0))
    assert (told, lessons) == (["learned", "corrected", "corrected"], [2.0, 3.0, 1.9])
    assert (gate.n_labels, gate.n_found) == (2, 0)


@pytest.mark.parametrize("before", [None, -1])
def test_a_lesson_that_raises_is_not_counted(before):
    def learn(label):
        raise ValueError(label)

    gate = make_gate(waits=True)
    state = gate.state()
    for settle_or_admit in (lambda: gate.settle(EXPLORED, 1, learn, before), lambda: gate.admit(1, learn)):
        with pytest.raises(ValueError, match="1"):
            settle_or_admit()
    assert str(gate.state()) == str(state)


def test_a_label_from_elsewhere_ends_the_wait_and_is_not_counted():
    gate, lessons = make_gate(waits=True), []
    gate.admit(-1, lessons.append)
    assert not gate.started
    gate.admit(1, lessons.append)
    assert gate.started
    assert (lessons, gate.n_labels) == ([-1, 1], 0)


def test_a_label_from_elsewhere_is_told_apart_and_counts_nothing():
    gate, lessons = make_gate(waits=True), []
    told = [gate.admit(label, lessons.append, before) for label, before in ((-1, None), (-1, -1), (1, -1))]
    assert told == ["learned", "again", "corrected"]
    assert lessons == [-1, 1]
    assert (gate.n_labels, gate.started) == (0, True)
