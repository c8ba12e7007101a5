"""Items come into the session while an import goes on, and their words are kept for the next start."""

import threading

import pytest

from lopsided.store import StoreError, open_store
from lopsided.web import _following
from lopsided.web._desk import Desk
from lopsided.web._following import Expected, FollowingSession
from web.served import make_records, wait_for


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(_following, "_LEAST_KEPT", 10)
    monkeypatch.setattr(_following, "_FIRST", 20)
    monkeypatch.setattr(_following, "_MOMENT", 0.01)


@pytest.fixture
def store(project):
    with open_store(project) as store:
        yield store


@pytest.fixture
def desk(store):
    desk = Desk(store)
    desk.start()
    wait_for(lambda: desk.is_ready)
    yield desk
    desk.close()


def read(store):
    following = FollowingSession(store)
    following.read_items(Expected(), lambda: True)
    following.read_events()
    assert following.n_items == store.n_items
    return following.session


def rank(session):
    session.answer(0, True)
    session.answer(1, False)
    return session.scores().tolist()


def add_records(store, n):
    with store.importing("more") as batch:
        batch.add(make_records(n))


class TestKeptWords:
    def test_nothing_is_read_twice(self, store, monkeypatch):
        expected = rank(read(store))
        monkeypatch.setattr("lopsided.screening._features.parts_of", None)
        assert rank(read(store)) == expected

    def test_later_ones_follow_on_those_that_were_kept(self, store):
        read(store)
        add_records(store, 120)
        expected = rank(read(store))
        assert [first for first, _ in store.blocks("words")] == [0, 60]
        assert rank(read(store)) == expected

    @pytest.mark.parametrize("broken", [b"", b"nonsense"])
    def test_a_broken_block_is_read_again_and_replaced(self, store, broken):
        expected = rank(read(store))
        store.save_block("words", 0, broken)
        assert rank(read(store)) == expected
        assert next(store.blocks("words"))[1] != broken

    def test_those_of_more_items_than_there_are_count_for_nothing(self, store, tmp_path):
        read(store)
        with open_store(tmp_path / "other.db") as other:
            add_records(other, 40)
            for first, content in store.blocks("words"):
                other.save_block("words", first, content)
            assert read(other).n_items == 40

    def test_a_store_that_keeps_nothing_is_no_hindrance(self, store, monkeypatch, capsys):
        def fail(*_):
            raise StoreError("no space left", "Free some.", "full")

        monkeypatch.setattr(store, "save_block", fail)
        assert read(store).n_items == 60
        assert "no space left" in capsys.readouterr().err


class TestTheLog:
    def test_labels_of_items_that_have_not_been_read_wait_for_them(self, store):
        """And what came after counts at once; later the order is that of the log."""
        user, (yes, no) = store.add_user("Ada").id, (label.id for label in store.labels())
        following = read_into(store)
        add_records(store, 120)
        for item, label in ((1, yes), (100, yes), (2, no), (1, no), (70, no)):
            store.answer(item, user, label, reason="given", token=f"token-{len(list(store.events()))}")
        following.read_events()
        assert (following.session.n_labels, following.session.n_found) == (2, 0)
        following.read_items(Expected(), lambda: True)
        following.read_events()
        session = following.session
        assert (session.n_labels, session.n_found) == (4, 1)
        assert session.ask() == read(store).ask()
        given = [(0, True), (99, True), (1, False), (0, False), (69, False)]
        assert [session.undo() for _ in given] == given[::-1]

    def test_a_screen_goes_on_while_an_earlier_label_waits(self, store, desk):
        user = desk.local_user.id
        with desk._expected.expecting():  # so that what comes is not read at once
            add_records(store, 70)
            desk.answer(user, 65, 1, reason="given", token="a-token-1")
            shown = desk.next(user)
            desk.answer(user, shown.item_id, 2, reason=shown.reason, token="a-token-2")
            assert desk.next(user).item_id != shown.item_id
            assert desk.session.n_labels == 1
        desk.read_again()
        wait_for(lambda: desk.session.n_labels == 2)


def read_into(store):
    following = FollowingSession(store)
    following.read_items(Expected(), lambda: True)
    following.read_events()
    return following


def test_a_failure_keeps_what_was_read(store, monkeypatch):
    items, lost = store.items, [True]

    def reading(**bounds):
        for item in items(**bounds):
            if lost[0] and item.id > 30:
                raise StoreError("no connection", "Wait.", "lost")
            yield item

    monkeypatch.setattr(store, "items", reading)
    following = FollowingSession(store)
    with pytest.raises(StoreError, match="no connection"):
        following.read_items(Expected(), lambda: True)
    assert following.n_items == 30
    lost[0] = False
    following.read_items(Expected(), lambda: True)
    assert following.n_items == 60
    monkeypatch.undo()
    assert rank(following.session) == rank(read(store))


def test_screening_begins_during_an_import(tmp_path):
    with open_store(tmp_path / "new.db") as store:
        desk = Desk(store)
        desk.start()
        wait_for(lambda: desk.is_ready)
        go_on = threading.Event()

        def records():
            yield from make_records(4000)[:2000]
            assert go_on.wait(30)
            yield from make_records(4000)[2000:]

        def bring_all():
            with desk.expecting(), store.importing("a list") as batch:
                batch.add(records())

        thread = threading.Thread(target=bring_all)
        thread.start()
        try:
            wait_for(lambda: 20 <= desk.session.n_items < 4000)
            user = desk.local_user.id
            shown = desk.next(user)
            desk.answer(user, shown.item_id, 1, reason=shown.reason, token="0123456789")
            assert desk.session.n_labels == 1
            assert thread.is_alive()
            go_on.set()
            thread.join(30)
            wait_for(lambda: desk.session.n_items == 4000)
            assert desk.session.n_labels == 1
        finally:
            go_on.set()
            thread.join(30)
            desk.close()


def test_settings_that_change_during_an_import_lose_no_label(store, desk):
    user = desk.local_user.id
    for item in (5, 50):
        desk.answer(user, item, 1, reason="given", token=f"a-token-{item}")
    store.remove_blocks("words")
    with desk.expecting():
        desk.start_anew()
        wait_for(lambda: desk.is_ready)  # with all 60, though 20 were enough for a new project
        assert (desk.session.n_items, desk.session.n_labels) == (60, 2)


def test_copies_that_are_found_while_people_answer_are_labeled_once(store, desk):
    user = desk.local_user.id
    desk.show(user, 21)
    desk.answer(user, 21, 1, reason="given", token="0123456789")
    store.set_groups({21: 11, 31: 11})
    desk.read_again()
    wait_for(lambda: desk.session.n_items == 58)
    assert [desk.session.label(row) for row in (10, 20, 30)] == [True, True, True]
    assert desk.session.n_labels == 1
    wait_for(lambda: desk.standing is not None and desk.standing.n_events == 1)
