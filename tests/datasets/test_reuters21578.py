import numpy as np
import pytest

from lopsided.datasets import DataUnavailable, _reuters21578, _reuters_sources, fetch_reuters21578, verify
from lopsided.datasets._layout import encode_file
from lopsided.datasets._reuters_sources import FIELDS


def document(newid, side, *topics):
    return {
        **dict.fromkeys(FIELDS),
        "newid": newid,
        "modapte": side,
        "topics": list(topics),
        "title": f"TITLE {newid}",
        "body": f"body {newid}",
        "text_type": "NORM",
    }


DOCUMENTS = [
    document(1, "train", "earn"),
    document(2, "train", "earn", "tin"),
    document(3, "train"),  # seen by an indexer, no topic: a negative for all
    document(4, "train", "cork", "cork"),  # written twice, one topic
    document(5, "unused", "earn"),
    document(6, "test", "earn"),
    document(7, "test", "tin"),
    document(8, "test", "naphtha"),  # no training document
    document(9, "train", "tin"),
]


@pytest.fixture
def small(empty_machine, any_counts):
    path = empty_machine / "reuters21578" / "reuters21578.jsonl.xz"
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_file(path, DOCUMENTS))


def test_all(small):
    bunch = fetch_reuters21578()
    assert bunch.ids == [1, 2, 3, 4, 6, 7, 8, 9]
    assert bunch.target_names == ["cork", "earn", "naphtha", "tin"]
    expected = [
        [0, 1, 0, 0],
        [0, 1, 0, 1],
        [0, 0, 0, 0],
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 0, 1],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
    ]
    np.testing.assert_array_equal(bunch.target.toarray(), expected)
    assert bunch.data[0] == "TITLE 1\nbody 1"


def test_subset_keeps_rows_together(small):
    whole, test = fetch_reuters21578(), fetch_reuters21578(subset="test")
    assert test.ids == [6, 7, 8]
    assert test.target_names == whole.target_names
    np.testing.assert_array_equal(test.target.toarray(), whole.target.toarray()[[4, 5, 6]])
    assert set(test.split) == {"test"}


def test_90_asks_for_both_sides(small):
    bunch = fetch_reuters21578(categories="90")
    assert bunch.target_names == ["earn", "tin"]
    assert bunch.ids == [1, 2, 6, 7, 9]


def test_r52_and_r8_have_one_topic(small):
    bunch = fetch_reuters21578(categories="r52")
    assert bunch.ids == [1, 6, 7, 9]
    assert [bunch.target_names[i] for i in bunch.target] == ["earn", "earn", "tin", "tin"]
    assert fetch_reuters21578(categories="r8").ids == [1, 6]


def test_lists_of_papers_keep_all_documents(small):
    sixteen = fetch_reuters21578(categories="boosting16")
    assert sixteen.target.shape == (8, 16)
    assert sixteen.target_names[0] == "earn"
    top = fetch_reuters21578(categories="top10")
    assert top.target_names == ["earn", "tin", "cork"]  # by training documents
    assert top.target.shape[0] == 8


def test_all_topics_point_to_the_cleaned_part_at_hand(empty_machine, monkeypatch):
    path = empty_machine / "reuters21578" / "reuters_r52_cleaned.jsonl.xz"
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_file(path, DOCUMENTS))

    def unreachable(url, folder):
        raise OSError("down")

    monkeypatch.setattr(_reuters_sources, "download", unreachable)
    with pytest.raises(DataUnavailable, match=r'down\. At hand is categories="r8" or "r52"\.'):
        fetch_reuters21578()


@pytest.mark.parametrize(
    ("field", "value"), [("topics", None), ("topics", 3), ("topics", [["earn"]]), ("body", 3)]
)
def test_field_of_another_kind_names_the_file(empty_machine, field, value):
    path = empty_machine / "reuters21578" / "reuters21578.jsonl.xz"
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_file(path, [*DOCUMENTS, document(10, "train", "tin") | {field: value}]))
    with pytest.raises(DataUnavailable, match=r"reuters21578\.jsonl\.xz (could not be read|does not hold)"):
        fetch_reuters21578()
    assert not verify("reuters21578").agrees


@pytest.mark.parametrize("arguments", [{"subset": "unused"}, {"categories": "R8"}])
def test_bad_arguments(arguments):
    with pytest.raises(ValueError, match="must be one of"):
        fetch_reuters21578(**arguments)


def test_real_split_and_topics(need):
    need("reuters21578")
    for categories, n_train, n_test, n_topics in [
        ("all", 9603, 3299, 118),
        ("90", 7770, 3019, 90),
        ("top10", 9603, 3299, 10),
        ("boosting16", 9603, 3299, 16),
        ("r8", 5485, 2189, 8),
        ("r52", 6532, 2568, 52),
    ]:
        bunch = fetch_reuters21578(categories=categories)
        assert (bunch.split == "train").sum() == n_train
        assert (bunch.split == "test").sum() == n_test
        assert len(bunch.target_names) == n_topics


def test_real_top_ten_and_the_eight_among_them(need):
    need("reuters21578")
    top = fetch_reuters21578(categories="top10", subset="train")
    assert np.asarray(top.target.sum(axis=0)).ravel().tolist() == [
        *(2877, 1650, 538, 433, 389),
        *(369, 347, 212, 197, 181),
    ]
    # R8 is what remains of the ten when only documents with a single topic count.
    single = fetch_reuters21578(categories="r52").target_names
    assert sorted(set(top.target_names) & set(single)) == list(_reuters21578._R8)


def test_real_sixteen_counts_of_the_boosting_paper(need):
    need("reuters21578")
    bunch = fetch_reuters21578(categories="boosting16", subset="train")
    assert np.asarray(bunch.target.sum(axis=0)).ravel().tolist() == [
        *(2877, 1650, 538, 347, 181, 101, 50, 39),
        *(30, 20, 15, 13, 5, 5, 3, 2),
    ]
