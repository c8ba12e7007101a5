"""Settings, labels, tags, inbox, snapshots and blocks."""

import pytest

pytest.importorskip("sqlalchemy", reason="needs lopsided[web]")

from lopsided.store import NewDecision, StoreError, open_store


def test_a_new_project_has_settings_and_two_labels(store):
    settings = store.project
    assert settings.name in ("project", "postgres")
    assert settings[1:-1] == ("", "", (), "mixed", 0, 1, False, {})
    assert settings.created > "2020"
    assert [(one.name, one.key, one.relevant) for one in store.labels()] == [
        ("relevant", "y", True),
        ("not relevant", "n", False),
    ]


def test_settings_are_kept(place):
    changes = {
        "name": "Ships",
        "question": "ships?",
        "criteria": "1. ships\n2. boats",
        "highlights": ("ship", "boat"),
        "strategy": "random",
        "seed": 2**40,
        "reviewers_per_item": 2,
        "blind": True,
        "options": {"stop": ["target"], "recall": 0.95},
    }
    with open_store(place) as store:
        created = store.project.created
        assert store.update_project(**changes)._asdict() == {**changes, "created": created}
        assert store.update_project() == store.project
    with open_store(place) as store:
        assert store.project._asdict() == {**changes, "created": created}


@pytest.mark.parametrize("name", ["colour", "created", "id"])
def test_settings_that_do_not_exist(store, name):
    with pytest.raises(TypeError, match=f"no setting '{name}'. It has name, question"):
        store.update_project(**{name: "x"})


def test_labels_can_be_added_renamed_and_moved(store):
    maybe = store.add_label(" maybe ", True, "m")
    assert maybe == (3, "maybe", "m", True, 3)
    assert store.update_label(3, name="perhaps", position=0) == (3, "perhaps", "m", True, 0)
    assert store.update_label(1, key="1").key == "1"
    assert [one.name for one in store.labels()] == ["perhaps", "relevant", "not relevant"]
    assert store.update_label(3, name="perhaps").name == "perhaps"
    for call in (lambda: store.add_label("relevant", True), lambda: store.update_label(3, name="relevant")):
        with pytest.raises(StoreError, match="there is a label 'relevant' already"):
            call()
    with pytest.raises(StoreError, match="no label 9"):
        store.update_label(9, name="x")
    with pytest.raises(StoreError, match="1 to 200 characters, got 0"):
        store.add_label(" ", True)


def test_tags_can_be_added_renamed_and_retired(store):
    funny = store.add_tag("funny")
    reason = store.add_tag("funny", "exclusion reason")
    assert store.tags() == [funny, reason]
    assert store.update_tag(funny.id, retired=True).retired
    assert store.add_tag("funny") == funny  # back again
    assert store.update_tag(reason.id, name="not about ships").name == "not about ships"
    store.add_tag("odd")
    with pytest.raises(StoreError, match="there is a tag 'odd' already"):
        store.update_tag(funny.id, name="odd")
    with pytest.raises(StoreError, match="no kind of tag 'colour'"):
        store.add_tag("red", "colour")
    with pytest.raises(StoreError, match="no tag 9"):
        store.update_tag(9, name="x")


def test_one_decision_an_item(ten):
    first = ten.decide(3, True, False, 0.5, 0.7)
    assert first == ten.decision(3)
    assert first[:2] == (1, 3)
    assert first[3:] == (True, False, 0.5, 0.7, 0)
    assert ten.decide(3, False, True, 0.1, None) == first
    ten.answer(3, 1, 1, token="a", reason="inbox")
    made = ten.decide_all(
        [
            NewDecision(5, False, False, -1.0, 0.1),
            NewDecision(3, False, False, 0.0, 0.0),
            NewDecision(4, True, True, None, None),
        ]
    )
    assert [(one.id, one.item_id, one.after_event) for one in made] == [(2, 5, 1), (1, 3, 0), (3, 4, 1)]
    assert [one.item_id for one in ten.decisions()] == [3, 5, 4]
    assert [one.item_id for one in ten.decisions(after=2)] == [4]
    assert ten.decision(9) is None


def test_shown_items_wait_until_somebody_answers(ten):
    ten.decide_all([NewDecision(i, i % 2 == 1, False, 0.0, 0.5) for i in range(10, 0, -1)])
    assert [one.item_id for one in ten.waiting()] == [9, 7, 5, 3, 1]
    ten.answer(7, 1, 2, token="a", reason="inbox")
    ten.answer(3, 2, None, token="b", reason="inbox")
    assert [one.item_id for one in ten.waiting()] == [9, 5, 1]
    assert [one.item_id for one in ten.waiting(limit=2)] == [9, 5]
    assert [one.item_id for one in ten.waiting(after=ten.waiting()[0].id)] == [5, 1]
    ten.undo(1, "c")
    assert [one.item_id for one in ten.waiting()] == [9, 7, 5, 1]


def test_decisions_about_nothing_are_refused_together(ten):
    with pytest.raises(StoreError, match="no item 11"):
        ten.decide_all([NewDecision(1, True, False, 0, 0), NewDecision(11, True, False, 0, 0)])
    assert list(ten.decisions()) == []


def test_the_latest_snapshot_of_a_kind(store):
    assert store.latest_snapshot("model") is None
    for i in range(5):
        store.save_snapshot("model", 10 * i, bytes([i]) * 1000)
    store.save_snapshot("other", 1, b"")
    latest = store.latest_snapshot("model")
    assert (latest.kind, latest.n_events, latest.content) == ("model", 40, b"\x04" * 1000)
    assert store.latest_snapshot("other").content == b""


def test_only_two_snapshots_of_a_kind_take_space(store):
    from sqlalchemy import func, select

    from lopsided.store._schema import snapshots

    for i in range(5):
        store.save_snapshot("model", i, b"x")
        store.save_snapshot("other", i, b"x")
    with store.database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(snapshots)).scalar() == 4


def test_blocks_come_in_order(store):
    for first in (2001, 1, 1001, 1):
        store.save_block("words", first, b"\0" * first)
    store.save_block("other", 1, b"x")
    assert [(first, len(content)) for first, content in store.blocks("words")] == [
        (1, 1),
        (1001, 1001),
        (2001, 2001),
    ]
    store.remove_blocks("words")
    assert list(store.blocks("words")) == []
    assert list(store.blocks("other")) == [(1, b"x")]
