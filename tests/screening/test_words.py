"""Words that were read before give the same vectors as the texts; what is broken is left out."""

import numpy as np
import pytest

from lopsided.screening import ScreeningSession, _words
from lopsided.screening._features import Features
from lopsided.screening._sealed import seal
from lopsided.screening._words import ReadWords, follow
from lopsided.text import Record

RECORDS = [
    Record(str(i), f"Ships {i % 7}", f"A ship sails {'far ' * (i % 3)} word{i % 5} to sea", {"mesh": "Sea"})
    for i in range(40)
]


@pytest.fixture
def blocks(monkeypatch):
    """What a session that read all records handed out to be kept, in bytes."""
    monkeypatch.setattr("lopsided.screening._features._CHUNK", 15)
    kept, first = [], 0
    read: list[ReadWords] = []
    ScreeningSession((), seed=0).add(RECORDS, keep=read.append)
    for block in read:
        kept.append((first, block.to_bytes()))
        first += block.n_records
    assert [first for first, _ in kept] == [0, 15, 30]
    return kept


def features_of(records):
    features = Features()
    features.add(records)
    return features


def assert_equal(left, right):
    for a, b in zip(left.vectors.parts, right.vectors.parts, strict=True):
        np.testing.assert_array_equal(a.toarray(), b.toarray())
    assert left.names().tolist() == right.names().tolist()


def test_read_words_stand_for_their_records(blocks):
    assert_equal(features_of(follow(blocks)), features_of(RECORDS))


def test_records_follow_on_read_words(blocks):
    mixed = [*follow(blocks[:2]), *RECORDS[30:]]
    assert_equal(features_of(mixed), features_of(RECORDS))


def test_words_that_do_not_follow_are_refused(blocks):
    features = Features()
    with pytest.raises(ValueError, match="cannot follow"):
        features.add([ReadWords.from_bytes(blocks[1][1])])


def test_bytes_hold_what_was_read(blocks):
    read = ReadWords.from_bytes(blocks[0][1])
    again = ReadWords.from_bytes(read.to_bytes())
    assert (again.n_known, again.new, again.n_records) == (0, read.new, 15)
    np.testing.assert_array_equal(again.words, read.words)
    np.testing.assert_array_equal(again.ends, read.ends)


def test_sizes_that_do_not_fit_are_refused(blocks):
    """A digest alone is no proof: who changes a project may make one."""
    for place in range(1, 5):
        sizes = np.frombuffer(blocks[0][1], "<u8", 5, 16).copy()
        sizes[place] += 1
        content = sizes.tobytes() + blocks[0][1][16 + 40 :]
        with pytest.raises(ValueError, match="words that were read"):
            ReadWords.from_bytes(seal(content, _words._VERSION))


@pytest.mark.parametrize("broken", [b"", b"PK\x03\x04", b"\x93NUMPY", b"x" * 1000])
def test_a_broken_block_ends_what_is_followed(blocks, broken):
    with pytest.raises(ValueError, match="these bytes were changed"):
        ReadWords.from_bytes(broken)
    assert len(list(follow([blocks[0], (15, broken), blocks[2]]))) == 1


def test_a_flipped_bit_is_seen(blocks):
    for place in range(0, len(blocks[0][1]), 7):
        content = bytearray(blocks[0][1])
        content[place] ^= 1
        with pytest.raises(ValueError, match="these bytes were changed"):
            ReadWords.from_bytes(bytes(content))


def test_a_gap_ends_what_is_followed_and_an_old_block_is_passed_over(blocks):
    assert len(list(follow([blocks[0], blocks[2]]))) == 1
    assert len(list(follow([blocks[0], (3, blocks[1][1]), *blocks[1:]]))) == 3


def test_other_settings_read_again(blocks, monkeypatch):
    monkeypatch.setattr("lopsided.screening._words._VERSION", "of tomorrow")
    assert list(follow(blocks)) == []


def test_numbers_that_do_not_fit_are_refused():
    good = ReadWords(0, ("a", "b"), np.array([0, 1], np.uint32), np.array([0, 1, 2, 2], np.uint32))
    assert ReadWords.from_bytes(good.to_bytes()).n_records == 1
    for bad in (
        good._replace(words=np.array([0, 2], np.uint32)),
        good._replace(ends=np.array([0, 2, 1, 2], np.uint32)),
        good._replace(ends=np.array([0, 1, 2], np.uint32)),
    ):
        with pytest.raises(ValueError, match="words that were read"):
            ReadWords.from_bytes(bad.to_bytes())
