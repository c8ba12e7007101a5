"""The rows of the mail filter as a service."""

import numpy as np
import pytest

from lopsided import make_topics
from lopsided.bench import _mail


@pytest.mark.parametrize("in_flight", [1, 8])
def test_every_message_is_decided_and_every_shown_one_gets_its_label(in_flight):
    texts, topic = make_topics(60, random_state=0)
    messages = [text.encode()[:3000] for text in texts]
    replayed = _mail.replay(messages, np.where(topic % 3 == 0, 1, 0), in_flight)
    assert (replayed.n_messages, replayed.seconds > 0) == (60, True)
    assert 1 <= replayed.n_labels < 60
    assert "messages a second" in replayed.figures


def test_the_peer_is_what_is_wanted(need):
    need("spamassassin")
    rows = list(_mail.rows())
    assert [row.peer().seconds for row in rows] == pytest.approx([1.0, 2.0, 2.0], abs=0.1)
    assert {(row.must, row.name.split()[0]) for row in rows} == {(1, "T7b")}


def test_messages_without_labels():
    texts, topic = make_topics(60, random_state=0)
    messages = [text.encode() for text in texts]
    replayed = _mail.replay(messages, np.where(topic % 3 == 0, 1, 0), 1, n_before=40, told=False)
    assert (replayed.n_messages, replayed.n_labels) == (20, 0)
