"""Items come into the session while an import goes on, and their words are kept for the next start."""

import threading

import pytest

from lopsided.screening import ScreeningSession
from lopsided.store import open_store
from lopsided.web._desk import Desk
from lopsided.web._incoming import Incoming
from web.served import make_records, wait_for


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr("lopsided.web._incoming._LEAST_KEPT", 10)
    monkeypatch.setattr("lopsided.web._incoming._FIRST", 20)


@pytest.fixture
def store(project):
    with open_store(project) as store:
        yield store


def bring(store):
    session = ScreeningSession(())
    assert Incoming(store).bring(session, 0, lambda: True) == store.n_items
    return session


def rank(session):
    session.answer(0, True)
    session.answer(1, False)
    return session.scores().tolist()


def test_words_are_read_once(store, monkeypatch):
    expected = rank(bring(store))
    monkeypatch.setattr(store, "items", lambda after: iter([store.item(i) for i in range(after + 1, 61)]))
    monkeypatch.setattr("lopsided.screening._features.parts_of", None)  # nothing is read
    assert rank(bring(store)) == expected


def test_what_came_later_follows_on_what_was_kept(store):
    bring(store)
    with store.importing("more") as batch:
        batch.add(make_records(120))
    expected = rank(bring(store))
    assert [first for first, _ in store.blocks("words")] == [0, 60]
    assert rank(bring(store)) == expected


@pytest.mark.parametrize("broken", [b"", b"nonsense"])
def test_a_broken_block_is_read_again_and_replaced(store, broken):
    expected = rank(bring(store))
    store.save_block("words", 0, broken)
    assert rank(bring(store)) == expected
    assert next(store.blocks("words"))[1] != broken


def test_words_of_more_items_than_there_are_count_for_nothing(store, tmp_path):
    bring(store)
    with open_store(tmp_path / "other.db") as other:
        with other.importing("a list") as batch:
            batch.add(make_records(40))
        for first, content in store.blocks("words"):
            other.save_block("words", first, content)
        assert bring(other).n_items == 40


def test_screening_begins_during_an_import(tmp_path):
    with open_store(tmp_path / "new.db") as store:
        desk = Desk(store)
        try:
            wait_for(lambda: desk.is_ready)
            go_on = threading.Event()

            def records():
                yield from make_records(4000)[:2000]
                assert go_on.wait(30)
                yield from make_records(4000)[2000:]

            def bring_all():
                with desk.expecting(), store.importing("a list") as batch:
                    batch.add(records())
                desk.read_again()

            thread = threading.Thread(target=bring_all)
            thread.start()
            wait_for(lambda: store.n_items == 2000)
            desk.read_again()
            wait_for(lambda: desk.is_ready)
            user = desk.local_user.id
            shown = desk.next(user)
            desk.answer(user, shown.item_id, 1, reason=shown.reason, token="0123456789")
            assert desk.session.n_labels == 1
            go_on.set()
            thread.join(30)
            desk.wait_until_read()
            assert desk.session.n_items == 4000
            assert desk.session.n_labels == 1
        finally:
            go_on.set()
            desk.close()


def test_copies_that_are_found_while_people_answer_are_labeled_once(store):
    desk = Desk(store)
    try:
        wait_for(lambda: desk.is_ready)
        user = desk.local_user.id
        desk.show(user, 21)
        desk.answer(user, 21, 1, reason="given", token="0123456789")
        store.set_groups({21: 11, 31: 11})
        desk.group_again()
        wait_for(lambda: desk.session.n_items == 58)
        assert [desk.session.label(row) for row in (10, 20, 30)] == [True, True, True]
        assert desk.session.n_labels == 1
    finally:
        desk.close()
