"""Answers, skips, undo, notes, tags and resolutions: stored once, each with its author and reason."""

from datetime import datetime

import pytest

pytest.importorskip("sqlalchemy", reason="needs lopsided[web]")

from lopsided.store import StoreError, open_store, replay
from lopsided.text import Record


def test_an_answer_has_all_that_the_audit_log_needs(ten):
    event = ten.answer(3, 1, 2, reason="border", score=-0.25, token="a", seconds=4.5)
    assert event == ten.event(1) == next(ten.events())
    assert event[2:] == (1, "answer", 3, 2, None, None, None, "border", -0.25, 4.5, "a")
    assert abs(datetime.fromisoformat(event.time).timestamp() - datetime.now().timestamp()) < 60
    assert ten.current() == {3: {1: 2}}
    assert ten.n_events == 1


def test_a_token_that_is_sent_twice_stores_one_event(ten):
    first = ten.answer(3, 1, 2, token="a", reason="border")
    ten.answer(3, 1, 1, token="b")
    assert ten.answer(3, 1, 2, token="a", reason="border") == first
    assert ten.n_events == 2
    assert ten.current() == {3: {1: 1}}  # the later answer stands


@pytest.mark.parametrize("other", [(4, 1, 2), (3, 2, 2), (3, 1, 1), (3, 1, None)])
def test_a_token_names_one_event_only(ten, other):
    ten.answer(3, 1, 2, token="a")
    with pytest.raises(StoreError, match="token 'a' was used for another event") as error:
        ten.answer(*other, token="a")
    assert error.value.kind == "conflict"
    assert ten.n_events == 1


def test_a_skip_takes_the_place_of_a_label_and_back(ten):
    ten.answer(3, 1, 2, token="a")
    assert ten.answer(3, 1, None, token="b").kind == "skip"
    assert ten.current() == {}
    assert ten.skipped(1) == {3}
    ten.answer(3, 1, 1, token="c")
    assert ten.current() == {3: {1: 1}}
    assert ten.skipped(1) == set()


def test_undo_takes_back_the_latest_answer_of_this_user(ten):
    ten.answer(3, 1, 2, token="a", reason="border", score=0.5)
    ten.answer(3, 1, 1, token="b")
    ten.answer(4, 2, 1, token="c")
    back = ten.undo(1, "d")
    assert (back.kind, back.undoes, back.item_id, back.label_id) == ("undo", 2, 3, 1)
    assert ten.current() == {3: {1: 2}, 4: {2: 1}}
    assert ten.undo(1, "d") == back  # sent twice
    assert ten.undo(1, "e").reason == "border"
    assert ten.current() == {4: {2: 1}}
    assert ten.undo(1, "f") is None
    assert ten.n_events == 5


def test_an_item_can_be_answered_and_undone_many_times(ten):
    for i in range(5):
        ten.answer(3, 1, 1 + i % 2, token=f"a{i}")
        assert ten.undo(1, f"u{i}").undoes == 2 * i + 1
        assert ten.current() == {}
    assert ten.undo(1, "more") is None


def test_undo_passes_over_notes_and_tags(ten):
    tag = ten.add_tag("funny")
    ten.answer(3, 1, 2, token="a")
    ten.note(3, 1, "look again", "b")
    ten.tag(3, 1, tag.id, "c")
    assert ten.undo(1, "d").undoes == 1
    assert ten.notes(3) == {1: "look again"}
    assert ten.tags_of(3) == {1: {tag.id}}


def test_notes_and_tags_belong_to_their_users(ten):
    tag = ten.add_tag("funny")
    ten.note(3, 1, "one", "a")
    ten.note(3, 1, "two", "b")
    ten.note(3, 2, "three", "c")
    ten.tag(3, 1, tag.id, "d")
    ten.tag(3, 1, tag.id, "e")  # there already
    ten.tag(3, 2, tag.id, "f")
    assert ten.notes(3) == {1: "two", 2: "three"}
    ten.note(3, 1, "", "g")
    ten.untag(3, 2, tag.id, "h")
    assert ten.notes(3) == {2: "three"}
    assert ten.tags_of(3) == {1: {tag.id}}


def test_both_labels_of_two_reviewers_are_kept(ten):
    ten.answer(3, 1, 1, token="a")
    ten.answer(3, 2, 2, token="b")
    ten.answer(4, 1, 1, token="c")
    ten.answer(4, 2, 1, token="d")
    assert ten.current() == {3: {1: 1, 2: 2}, 4: {1: 1, 2: 1}}
    assert ten.label_pairs(1, 2) == [(1, 2), (1, 1)]
    assert ten.label_pairs(2, 1) == [(2, 1), (1, 1)]


def test_a_conflict_is_there_until_it_is_resolved_or_withdrawn(ten):
    maybe = ten.add_label("maybe relevant", True, "m")
    ten.answer(3, 1, 1, token="a")
    ten.answer(3, 2, maybe.id, token="b")
    assert ten.conflicts() == {}  # both say relevant
    ten.answer(3, 2, 2, token="c")
    ten.answer(4, 1, 2, token="d")
    ten.answer(4, 2, None, token="e")  # a skip contradicts nobody
    assert ten.conflicts() == {3: {1: 1, 2: 2}}
    ten.resolve(3, 1, 2, "f")
    assert ten.conflicts() == {}
    assert ten.resolved() == {3: 2}
    assert ten.current()[3] == {1: 1, 2: 2}  # what they said is kept
    assert ten.undo(1, "g").kind == "undo"
    assert ten.conflicts() == {3: {1: 1, 2: 2}}


def test_an_item_is_dismissed_and_back(ten):
    ten.dismiss(3, 1, "a")
    ten.dismiss(3, 2, "b")
    assert ten.dismissed() == {3}
    ten.undo(2, "c")
    assert ten.dismissed() == {3}  # the other user dismissed it too
    ten.undo(1, "d")
    assert ten.dismissed() == set()


def test_a_blind_reviewer_sees_own_labels_and_what_is_resolved(ten):
    ten.answer(3, 1, 1, token="a")
    ten.answer(3, 2, 2, token="b")
    ten.answer(4, 2, 2, token="c")
    everything = {3: {1: 1, 2: 2}, 4: {2: 2}}
    assert ten.current(seen_by=1) == everything
    ten.update_project(blind=True)
    assert ten.current(seen_by=1) == {3: {1: 1}}
    assert ten.current() == everything
    assert [one.user_id for one in ten.answers(item_id=3, seen_by=1)] == [1]
    ten.resolve(3, 2, 2, "d")
    assert ten.current(seen_by=1) == {3: {1: 1, 2: 2}}


def test_answers_tell_when_and_why(ten):
    ten.answer(3, 1, 1, token="a", reason="search", score=2.0)
    ten.answer(2, 1, None, token="b")
    skip, label = ten.answers()
    assert (skip.item_id, skip.label_id) == (2, None)
    assert label[:4] == (3, 1, 1, 1)
    assert label[5:] == ("search", 2.0)
    assert [one.item_id for one in ten.answers(after=2)] == [3]
    assert [one.item_id for one in ten.answers(item_id=2)] == [2]
    assert ten.counts() == {1: {1: 1, None: 1}}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda store: store.answer(11, 1, 1, token="a"),
            "no item 11 in this project. Its items are 1 to",
        ),
        (lambda store: store.answer(0, 1, 1, token="a"), "no item 0"),
        (lambda store: store.answer(1, 9, 1, token="a"), r"no user 9 in this project. users\(\) lists them"),
        (lambda store: store.answer(1, 1, 9, token="a"), "no label 9"),
        (lambda store: store.tag(1, 1, 9, "a"), "no tag 9"),
        (lambda store: store.answer(1, 1, 1, token=""), "a token has 1 to 200 characters, got 0"),
        (lambda store: store.answer(1, 1, 1, token="a" * 201), "got 201"),
        (lambda store: store.undo(1, ""), "a token has"),
        (lambda store: store.event(5), "no event 5"),
    ],
)
def test_what_is_not_there_is_named_and_nothing_is_stored(ten, call, says):
    with pytest.raises(StoreError, match=says):
        call(ten)
    assert ten.n_events == 0
    assert ten.answer(1, 1, 1, token="a").id == 1


def test_text_that_no_database_holds_is_mended(ten):
    ten.note(1, 1, "a\0b\ud800c 😀", "t\0")
    assert ten.notes(1) == {1: "ab\ufffdc 😀"}
    assert ten.answer(1, 1, 1, token="\udfff", reason="x\0").reason == "x"


def test_all_is_there_after_closing(place):
    with open_store(place) as store:
        with store.importing("one") as batch:
            batch.add([Record("r1")])
        store.add_user("Ada")
        store.answer(1, 1, 1, token="a")
    with open_store(place, create=False) as store:
        assert store.current() == {1: {1: 1}}
        assert replay(store.events()) == store.state()


def test_labels_of_the_source_become_answers_once(store):
    with store.importing("labeled") as batch:
        batch.add(Record(f"r{i}", label=("yes", "no", "", "perhaps")[i % 4]) for i in range(4000))
    ada = store.add_user("Ada")
    assert store.given_labels() == {"no": 1000, "perhaps": 1000, "yes": 1000}
    store.answer(1, ada.id, 2, token="mine")  # item 1 said yes: what the user said stays
    assert store.accept_given(ada.id, {"yes": 1, "no": 2}) == 1999
    assert store.accept_given(ada.id, {"yes": 1, "no": 2}) == 0
    assert store.counts() == {ada.id: {1: 999, 2: 1001}}
    assert store.event(2).reason == "given"
    assert store.n_events == 2000
    assert replay(store.events()) == store.state()
    back = store.undo(ada.id, "u")
    assert store.accept_given(ada.id, {"yes": 1, "no": 2}) == 0  # what was taken back stays away
    assert back.item_id not in store.current()
