"""The audit log alone leads to the state that the tables have, whatever several users do."""

import itertools
from collections import defaultdict

import pytest

pytest.importorskip("sqlalchemy", reason="needs lopsided[web]")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lopsided.store import replay

USERS, ITEMS, TAGS = st.integers(1, 3), st.integers(1, 3), st.integers(1, 2)
STEPS = st.one_of(
    st.tuples(st.just("answer"), ITEMS, USERS, st.sampled_from([1, 2, None])),
    st.tuples(st.just("undo"), USERS),
    st.tuples(st.just("note"), ITEMS, USERS, st.sampled_from(["", "one", "two"])),
    st.tuples(st.sampled_from(["tag", "untag"]), ITEMS, USERS, TAGS),
    st.tuples(st.just("resolve"), ITEMS, USERS, st.integers(1, 2)),
    st.tuples(st.just("dismiss"), ITEMS, USERS),
    st.tuples(st.just("again"), st.integers(0, 5)),  # an earlier call, sent once more
)


class Model:
    """What users see, kept in the plainest way: per item and user, a stack of what they said."""

    def __init__(self):
        self.said = defaultdict(list)  # (item, user) -> labels
        self.held = defaultdict(list)  # item -> (step, label)
        self.gone = defaultdict(list)  # item -> (step, user)
        self.done = defaultdict(list)  # user -> how to take it back

    def do(self, step, what, *values):
        if what == "answer":
            item, user, label = values
            self.put(self.said[item, user], (step, label), user)
        elif what == "resolve":
            item, user, label = values
            self.put(self.held[item], (step, label), user)
        elif what == "dismiss":
            item, user = values
            self.put(self.gone[item], (step, user), user)
        elif what == "undo" and self.done[values[0]]:
            stack, entry = self.done[values[0]].pop()
            stack.remove(entry)

    def put(self, stack, entry, user):
        stack.append(entry)
        self.done[user].append((stack, entry))

    def agrees_with(self, state):
        assert state.answers == {key: stack[-1][1] for key, stack in self.said.items() if stack}
        assert state.resolutions == {key: stack[-1][1] for key, stack in self.held.items() if stack}
        assert state.dismissals == {key: stack[-1][1] for key, stack in self.gone.items() if stack}


def test_replay_gives_the_state_of_the_tables(ten):
    """The examples go on where the last one ended: the log grows, and so does what can be undone."""
    ten.add_user("Cid")
    ten.add_tag("one"), ten.add_tag("two")
    model, steps, calls = Model(), itertools.count(), []

    @settings(max_examples=20, suppress_health_check=list(HealthCheck))
    @given(st.lists(STEPS, min_size=5, max_size=25))
    def check(script):
        for what, *values in script:
            if what == "again":
                if calls:
                    call, event = calls[-1 - values[0] % len(calls)]
                    n_events = ten.n_events
                    assert call() == event
                    assert ten.n_events == n_events
                continue
            step = next(steps)
            call = prepare(what, values, f"token {step}")
            event = call()
            if event is not None:  # nothing to undo is not remembered
                calls.append((call, event))
            model.do(step, what, *values)
        state = ten.state()
        assert replay(ten.events()) == state
        model.agrees_with(state)

    def prepare(what, values, token):
        if what in ("answer", "resolve", "dismiss", "tag", "untag", "note", "undo"):
            return lambda: getattr(ten, what)(*values, token=token)
        raise AssertionError(what)

    check()
    assert ten.n_events > 100
    assert [event.id for event in ten.events()] == list(range(1, ten.n_events + 1))


def test_events_of_one_item_or_one_user(ten):
    ten.answer(3, 1, 1, token="a")
    ten.answer(4, 2, 1, token="b")
    ten.answer(3, 2, 2, token="c")
    assert [event.token for event in ten.events(item_id=3)] == ["a", "c"]
    assert [event.token for event in ten.events(user_id=2)] == ["b", "c"]
    assert [event.token for event in ten.events(after=1)] == ["b", "c"]


def test_a_long_log_is_read_in_pages(ten, monkeypatch):
    from lopsided.store import _current, _events

    monkeypatch.setattr(_events, "PAGE", 3)
    monkeypatch.setattr(_current, "PAGE", 2)
    for i in range(7):
        ten.answer(i + 1, 1, 1, token=f"a{i}")
        ten.answer(i + 1, 2, 1, token=f"b{i}")
    assert len(list(ten.events())) == 14
    assert [(one.item_id, one.user_id) for one in ten.answers()] == [
        (item, user) for item in range(1, 8) for user in (1, 2)
    ]
