import random
from typing import ClassVar

import numpy as np
import pytest

from lopsided.screening import DuplicateIndex, _duplicates, _firsts, group_duplicates
from lopsided.screening._sealed import seal, unseal
from lopsided.text import Record
from reference.duplicates import group_duplicates as slow_groups

WORDS = ["ship", "wheat", "gold", "Port", "sank", "café", "12", "β2", "rose", "fell", "of", "the"]


def make_text(rng, n):
    return " ".join(rng.choices(WORDS, k=n))


def edit(rng, text):
    """A copy of a text as databases have it: with changed words, cut, in capitals, or with more behind it."""
    words = text.split() or ["none"]
    for _ in range(rng.choice([0, 0, 1, 3])):
        words[rng.randrange(len(words))] = rng.choice(WORDS)
    match rng.randrange(4):
        case 0:
            words = words[: rng.randrange(len(words)) + 1]
        case 1:
            words += ["Copyright", "Elsevier,", "all", "rights", "reserved."]
        case 2:
            return ", ".join(words).upper()
    return " ".join(words)


def make_records(seed, n):
    rng = random.Random(seed)
    records = [
        (make_text(rng, rng.randrange(8)), make_text(rng, rng.choice([0, 1, 2, 30, 150]))) for _ in range(n)
    ]
    for _ in range(2 * n):
        title, text = rng.choice(records)
        records.append((title if rng.random() < 0.7 else edit(rng, title), edit(rng, text) if text else text))
        if rng.random() < 0.2:
            records[-1] = (records[-1][0], "")
    rng.shuffle(records)
    return records


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("threshold", [0.6, 0.8, 1.0])
def test_groups_are_those_of_all_pairs(seed, threshold):
    records = make_records(seed, 40)
    fast = group_duplicates(records, threshold=threshold)
    slow = slow_groups(records, threshold)
    # near the threshold the search may miss a pair, one in hundreds; it never joins what all pairs do not
    differ = np.flatnonzero(fast != slow)
    assert len(differ) <= (0 if threshold >= 0.8 else 2)
    assert 20 < np.sum(fast != np.arange(len(records))) < 100


@pytest.mark.parametrize("sizes", [[1] * 120, [50, 0, 70], [119, 1]])
def test_records_may_come_a_few_at_a_time(sizes):
    records = make_records(7, 40)
    index, found, begin = DuplicateIndex(), [], 0
    for size in sizes:
        found += index.add(records[begin : begin + size]).tolist()
        begin += size
    assert found == group_duplicates(records).tolist()
    assert index.n_records == 120


ABSTRACT = (
    "We gave {} mg of the drug to patients with migraine, who had been drawn by lot from the registers of a "
    "dozen clinics, and measured pain, nausea and sleep by diary after two hours, on the next morning and "
    "when a week had gone. Most slept better. Few felt sick, and nobody left the study before its end."
)
TITLE = "A trial of a drug against migraine in adults"


@pytest.mark.parametrize(
    ("second", "alike"),
    [
        ((TITLE.upper() + "!", ABSTRACT.format(5).lower()), True),
        ((TITLE, ""), True),
        ((TITLE, ABSTRACT.format(5)[:280] + "... (ABSTRACT TRUNCATED)"), True),
        ((TITLE, ABSTRACT.format(5) + "Copyright 2004 Elsevier B.V. All rights reserved."), True),
        (("Another title for it", ABSTRACT.format(5)), True),
        (("Another", ABSTRACT.format(10)), False),
        (("Another trial of that drug", "No abstract available."), False),
        (
            (TITLE, "Something else altogether was done here, with no drug and in children, for a year."),
            False,
        ),
        (("A trial", ""), False),
        (("", ""), False),
    ],
)
def test_what_is_a_duplicate(second, alike):
    first = (TITLE, ABSTRACT.format(5))
    assert group_duplicates([first, second]).tolist() == [0, 0 if alike else 1]
    assert group_duplicates([second, first]).tolist() == [0, 0 if alike else 1]


@pytest.mark.parametrize(
    ("fields", "alike"),
    [
        ({}, True),
        ({"Year": "2005"}, True),
        ({"Publication Year": "2006"}, False),
        ({"authors": "Jane Doe"}, True),
        ({"Authors": "Smith, J; Meier, B"}, False),
        ({"DOI": "https://doi.org/10.1/ABC"}, True),
        ({"doi": "10.1/abd"}, False),
        ({"year": "in print", "doi": "none", "authors": "D., J."}, True),
    ],
)
def test_without_an_abstract_the_fields_may_contradict(fields, alike):
    first = Record("1", TITLE, ABSTRACT, {"year": "2004", "authors": "Doe, J.; Roe, K.", "doi": "10.1/abc"})
    groups = group_duplicates([first, Record("2", TITLE, "", fields)])
    assert groups.tolist() == [0, 0 if alike else 1]


def test_reports_by_one_template_differ_in_their_numbers():
    assert group_duplicates([ABSTRACT.format(5), ABSTRACT.format(10)]).tolist() == [0, 1]
    assert group_duplicates([ABSTRACT.format(5), ABSTRACT.format("five")]).tolist() == [0, 0]


def test_mails_of_a_thread_share_their_title():
    mails = [
        Record(str(i), "Re: A question about the new Windows driver", text)
        for i, text in enumerate(["", "Try 2.0"])
    ]
    assert group_duplicates(mails).tolist() == [0, 1]


def test_short_titles_say_nothing():
    letters = [Record(str(year), "Editorial", "", {"year": str(year)}) for year in (2001, 2004, 2004)]
    assert group_duplicates(letters).tolist() == [0, 1, 1]


def test_no_chain_joins_what_differs():
    words = [f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(200)]
    chain = [" ".join(words[i : i + 100]) for i in range(0, 100, 5)]
    groups = group_duplicates(chain)
    assert len(set(groups.tolist())) > 5


def test_nothing_and_empty_texts():
    assert group_duplicates([]).tolist() == []
    assert group_duplicates(["", "...", ""]).tolist() == [0, 1, 2]


@pytest.mark.parametrize("threshold", [0, -1, 1.5, float("nan")])
def test_threshold(threshold):
    with pytest.raises(ValueError, match="threshold must be above 0"):
        DuplicateIndex(threshold=threshold)


class TestKeptIndex:
    TEXTS: ClassVar = [f"Story {i % 40}: a ship left port {i % 40} with grain and coal." for i in range(60)]
    LATER: ClassVar = [*TEXTS[30:50], "Something that nobody has told before, at no port."]

    @pytest.fixture
    def kept(self, monkeypatch):
        monkeypatch.setattr(_duplicates, "_BATCH", 25)
        contents = []
        DuplicateIndex().add(self.TEXTS, keep=contents.append)
        assert len(contents) == 3
        return contents

    def test_it_knows_what_the_other_one_knew(self, kept):
        index, restored = DuplicateIndex(), DuplicateIndex()
        index.add(self.TEXTS)
        assert [restored.restore(content) for content in kept] == [25, 25, 10]
        assert restored.n_records == 60
        expected = index.add(self.LATER)
        assert (expected[:-1] < 40).all()
        np.testing.assert_array_equal(restored.add(self.LATER), expected)

    def test_nothing_is_read_again(self, kept, monkeypatch):
        monkeypatch.setattr(_duplicates, "hash_words", None)
        index = DuplicateIndex()
        for content in kept:
            index.restore(content)

    def test_records_that_are_all_copies(self, kept):
        index, contents = DuplicateIndex(), []
        index.add(self.TEXTS[:25])
        index.add(self.TEXTS[:5], keep=contents.append)
        restored = DuplicateIndex()
        restored.restore(kept[0])
        assert restored.restore(contents[0]) == 5
        assert restored.add(self.TEXTS[3:4]).tolist() == [3]

    def test_another_order_is_refused(self, kept):
        with pytest.raises(ValueError, match="cannot follow"):
            DuplicateIndex().restore(kept[1])

    def test_what_is_broken_is_refused_and_changes_nothing(self, kept):
        index = DuplicateIndex()
        for broken in (b"", kept[0][:-4], kept[0][:99] + b"?" + kept[0][100:]):
            with pytest.raises(ValueError, match="these bytes were changed"):
                index.restore(broken)
        for place in range(24, len(kept[0]), 997):  # a digest alone is no proof
            content = unseal(kept[0], _firsts._VERSION)
            with pytest.raises(ValueError, match="records that were compared"):
                index.restore(seal(content[:place], _firsts._VERSION))
        assert index.n_records == 0
        assert index.add(self.TEXTS[:1]).tolist() == [0]
