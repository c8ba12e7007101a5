"""Import, items, texts and groups."""

import pytest

pytest.importorskip("sqlalchemy", reason="needs lopsided[web]")

from lopsided.store import ImportCounts, StoreError, open_store
from lopsided.text import Record


def add(store, records, **options):
    with store.importing("a source", "csv", {"text": ["body"]}, **options) as batch:
        return batch.add(records)


def test_an_item_is_what_the_record_was(store):
    record = Record(
        "pmid:7", "Títle", "Text \x1f\n'); DROP TABLE items; --", {"b": "2", "a": "", "": "x"}, "yes"
    )
    assert add(store, [record]) == (1, 0)
    item = store.item(1)
    assert (item.id, item.key, item.title, item.text, item.given) == (1, *record[:3], "yes")
    assert list(item.fields.items()) == [("b", "2"), ("a", ""), ("", "x")]
    assert (item.copy, item.group, item.source_id) == (0, 1, 1)
    assert store.find_items("pmid:7") == [item]
    assert store.find_items("pmid:8") == []


def test_ids_follow_the_order_of_arrival_without_gaps(store):
    records = [Record(f"r{i}", text=str(i)) for i in range(4500)]  # three chunks
    assert add(store, records[:10]) == (10, 0)
    assert add(store, reversed(records)) == (4490, 10)
    assert store.n_items == 4500
    assert [item.id for item in store.items()] == list(range(1, 4501))
    assert [text for _, _, text in store.texts()] == [r.text for r in records[:10] + records[:9:-1]]
    assert [(item.id, item.key) for item in store.items(after=9, limit=2)] == [(10, "r9"), (11, "r4499")]
    assert list(store.items(after=4500)) == []
    assert next(store.texts(after=4499))[0] == 4500
    assert list(store.items(limit=0)) == []


def test_a_record_is_added_once(store):
    records = [Record("a", text="one"), Record("b", text="two"), Record("a", text="one")]
    assert add(store, records) == ImportCounts(n_new=2, n_known=1)
    assert add(store, records) == (0, 3)
    assert add(store, [Record("a", text="one", label="yes")]) == (0, 1)
    assert store.n_items == 2


def test_other_records_of_the_same_id_are_not_lost(store):
    assert add(store, [Record("1", text="one"), Record("1", text="two"), Record("1", text="one")]) == (2, 1)
    assert add(store, [Record("1", text="two"), Record("1", text="three")]) == (1, 1)
    assert [(item.copy, item.text) for item in store.find_items("1")] == [
        (0, "one"),
        (1, "two"),
        (2, "three"),
    ]


def test_an_id_may_name_one_record_for_ever(store):
    assert add(store, [Record("1", text="one"), Record("1", text="two")], one_text_per_id=True) == (1, 1)
    assert add(store, [Record("1", text="three")], one_text_per_id=True) == (0, 1)
    assert store.item(1).text == "one"


def test_an_import_that_breaks_off_keeps_its_chunks_and_can_be_repeated(store):
    def broken():
        yield from (Record(f"r{i}") for i in range(2500))
        raise RuntimeError("the file ended in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        add(store, broken())
    assert store.n_items == 2000
    assert add(store, (Record(f"r{i}") for i in range(3000))) == (1000, 2000)
    broken_off, whole = store.sources()
    assert (broken_off.finished, broken_off.n_new, broken_off.n_known) == (None, 2000, 0)
    assert (whole.n_new, whole.n_known, whole.name, whole.format) == (1000, 2000, "a source", "csv")
    assert whole.started <= whole.finished
    assert whole.roles == {"text": ["body"]}


@pytest.mark.parametrize("name", ["long", "unicode"])
def test_ids_of_any_length_are_told_apart(store, name):
    long = {"long": "x", "unicode": "\N{SNOWMAN}"}[name] * 3000
    assert add(store, [Record(long + "a"), Record(long + "b"), Record(long + "a")]) == (2, 1)
    assert store.find_items(long + "b")[0].id == 2


def test_text_that_no_database_holds_is_mended(store):
    dirty = "a\0b\ud800"
    add(store, [Record(dirty, dirty, dirty, {dirty: dirty}, dirty)])
    item = store.item(1)
    assert [item.key, item.title, item.text, item.given, *item.fields, *item.fields.values()] == [
        "ab\ufffd"
    ] * 6


def test_a_record_without_an_id_is_refused(store):
    with pytest.raises(StoreError, match=r"a record has no id\. Name another column"):
        add(store, [Record("")])


def test_ten_thousand_columns(store):
    fields = {f"column {i}": str(i) for i in range(10_000)}
    add(store, [Record("1", fields=fields)])
    assert store.item(1).fields == fields


def test_groups_of_duplicates(ten):
    assert ten.groups() == {}
    ten.set_groups({4: 2, 6: 2, 9: 3})
    assert ten.groups() == {4: 2, 6: 2, 9: 3}
    assert ten.members(6) == ten.members(2) == [2, 4, 6]
    assert ten.members(1) == [1]
    assert [item.group for item in ten.items(limit=4)] == [1, 2, 3, 2]
    ten.set_groups([(4, 4)])
    assert ten.groups() == {6: 2, 9: 3}


@pytest.mark.parametrize("pair", [(11, 1), (2, 4), (4, 0)])
def test_groups_that_cannot_be(ten, pair):
    with pytest.raises(StoreError, match=f"item {pair[0]} cannot be in a group"):
        ten.set_groups([(5, 2), pair])
    assert ten.groups() == {}


def test_no_such_item(ten, place):
    for call in (ten.item, ten.members):
        with pytest.raises(StoreError, match=r"no item 11 in this project\. Its items are 1 to 10") as error:
            call(11)
        assert error.value.kind == "missing"


def test_an_empty_project(place):
    with open_store(place) as store:
        assert store.n_items == 0
        assert list(store.items()) == list(store.texts()) == []
        assert store.current() == store.conflicts() == store.groups() == {}
        with pytest.raises(StoreError, match="Import records first"):
            store.item(1)
