"""A toy data set goes through every place, every damage and a full disk."""

import errno
import hashlib
import os
import subprocess
import time
from dataclasses import replace

import pytest

from lopsided import _files
from lopsided.datasets import DataUnavailable, _cache
from lopsided.datasets._cache import DamagedFile, load, read_at_hand
from lopsided.datasets._layout import Copy, DataSet, encode_file

RECORDS = [{"id": 1}, {"id": 2}, {"id": 3}]
FILE = "toy/toy.jsonl.xz"


class Source:
    """A public source that counts how often it was asked."""

    def __init__(self, records=RECORDS, error=None):
        self.records, self.error, self.asked = records, error, 0

    def __call__(self, folder):
        self.asked += 1
        assert folder.is_dir()
        if self.error:
            raise self.error
        return (self.records,)


def down():
    return Source(error=OSError("down"))


def toy(*sources):
    copies = tuple(
        Copy(
            files=(FILE if i == 0 else f"toy/toy{i}.jsonl.xz",),
            fields=("id",),
            count=lambda records: {"records": len(records)},
            published={"records": 3},
            build=source,
        )
        for i, source in enumerate(sources)
    )
    return DataSet(name="toy", title="A toy.", source="https://toy.example", terms="free", copies=copies)


def put(folder, records=RECORDS, name=FILE):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_file(path, records))
    return path


@pytest.fixture(autouse=True)
def no_failure_yet(monkeypatch):
    monkeypatch.setattr(_cache, "_failed", {})


def leftovers(folder):
    return [p for p in folder.rglob("*") if p.is_file()]


def test_order_of_places(empty_machine, any_counts, monkeypatch, tmp_path):
    source = Source()
    put(empty_machine, [{"id": "cache"}])
    assert load(toy(source)).where == "cache"
    named = tmp_path / "named"
    named.mkdir()
    monkeypatch.setenv("LOPSIDED_DATA", str(named))
    assert load(toy(source)).where == "cache"  # the named folder does not have it
    put(named, [{"id": "named"}])
    loaded = load(toy(source))
    assert loaded.where == "LOPSIDED_DATA"
    assert loaded.contents == ([{"id": "named"}],)
    assert source.asked == 0


def test_public_source_is_asked_once_and_kept(empty_machine):
    source = Source()
    assert load(toy(source)).where == "public source"
    again = load(toy(source))
    assert (again.where, again.contents, source.asked) == ("cache", (RECORDS,), 1)
    path = empty_machine / FILE
    sidecar = empty_machine / (FILE + ".sha256")
    assert sorted(leftovers(empty_machine)) == sorted([path, sidecar])  # no temporary folder stays
    assert sidecar.read_text() == f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"


def test_sidecar_is_what_sha256sum_reads(empty_machine):
    load(toy(Source()))
    command = ["sha256sum", "-c", "toy.jsonl.xz.sha256"]
    assert (
        subprocess.run(command, cwd=empty_machine / "toy", check=False, capture_output=True).returncode == 0
    )


def test_environment_variable_that_names_no_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("LOPSIDED_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataUnavailable, match=r"nowhere' is not a folder\. Correct it or unset it") as caught:
        load(toy(Source()))
    assert "\n" not in str(caught.value)


def test_empty_environment_variable_is_unset(empty_machine, monkeypatch):
    monkeypatch.setenv("LOPSIDED_DATA", "")
    assert load(toy(Source())).where == "public source"


def test_unreachable_says_what_from_where_and_how_by_hand(empty_machine):
    with pytest.raises(DataUnavailable) as caught:
        load(toy(Source(error=OSError("no\nroute"))))
    message = str(caught.value)
    for part in ("toy could not be fetched", "https://toy.example", "no route", FILE, "LOPSIDED_DATA"):
        assert part in message
    assert "\n" not in message
    assert leftovers(empty_machine) == []


def test_a_source_that_failed_is_asked_rarely_by_those_who_ask_often(empty_machine, monkeypatch):
    source = down()
    with _cache.asking_rarely():
        for _ in range(3):
            with pytest.raises(DataUnavailable, match=r"fetched from https://toy\.example: down\. To supply"):
                load(toy(source))
        assert source.asked == 1
        monkeypatch.setattr(_cache, "_PAUSE", 0.0)
        with pytest.raises(DataUnavailable):
            load(toy(source))
        assert source.asked == 2
        monkeypatch.setattr(_cache, "_PAUSE", 60.0)
        put(empty_machine)  # what is at hand by now is found at once
        assert load(toy(source)).where == "cache"


def test_others_ask_each_time(empty_machine):
    source = down()
    for n in (1, 2):
        with pytest.raises(DataUnavailable):
            load(toy(source))
        assert source.asked == n


def test_set_without_public_source(empty_machine):
    with pytest.raises(DataUnavailable, match=r"never downloaded.*put toy/toy\.jsonl\.xz into"):
        load(toy(None))


def test_second_copy_when_the_first_source_fails(empty_machine):
    data_set = toy(down(), Source())
    loaded = load(data_set)
    assert loaded.copy is data_set.copies[1]
    assert load(data_set).paths == (empty_machine / "toy/toy1.jsonl.xz",)


def test_wrong_counts_are_refused_and_not_kept(empty_machine):
    with pytest.raises(DataUnavailable, match=r"not the published set.*records: expected 3, found 2"):
        load(toy(Source(RECORDS[:2])))
    assert leftovers(empty_machine) == []


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-7], lambda b: b"", lambda b: b[:30] + bytes([b[30] ^ 1]) + b[31:]]
)
def test_damaged_cache_file_is_said_and_fetched_again(empty_machine, damage):
    source = Source()
    load(toy(source))
    path = empty_machine / FILE
    path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(UserWarning, match=r"damaged: its digest .* fetched again"):
        loaded = load(toy(source))
    assert (loaded.contents, source.asked) == ((RECORDS,), 2)
    assert load(toy(source)).where == "cache"


@pytest.fixture
def stale_digest(empty_machine):
    """Return the path of a whole file beside a digest that is not its own."""
    path = put(empty_machine)
    path.with_name(path.name + ".sha256").write_text(f"{'0' * 64}  {path.name}\n")
    return path


def test_damaged_cache_file_is_refused_where_the_source_is_gone(empty_machine):
    load(toy(Source()))
    path = empty_machine / FILE
    path.write_bytes(b"damaged")
    with (
        pytest.warns(UserWarning, match="damaged"),
        pytest.raises(DataUnavailable, match="could not be fetched"),
    ):
        load(toy(down()))
    aside = path.with_name(path.name + ".damaged")
    assert aside.read_bytes() == b"damaged"  # left for its owner to judge
    assert leftovers(empty_machine) == [aside]


def test_following_the_advice_after_a_failed_fetch_works(stale_digest, empty_machine):
    whole = stale_digest.read_bytes()
    with (
        pytest.warns(UserWarning, match=r"set aside as toy\.jsonl\.xz\.damaged .*by hand, give it its name"),
        pytest.raises(DataUnavailable, match=r"To supply it by hand, put toy/toy\.jsonl\.xz into"),
    ):
        load(toy(down()))
    stale_digest.write_bytes(whole)
    source = Source()
    assert load(toy(source)).where == "cache"
    assert source.asked == 0


def test_file_put_over_a_kept_one_is_not_lost_by_fetching_again(stale_digest):
    mine = stale_digest.read_bytes()
    with pytest.warns(UserWarning, match="set aside"):
        assert load(toy(Source())).where == "public source"
    assert stale_digest.with_name(stale_digest.name + ".damaged").read_bytes() == mine
    assert load(toy(None)).where == "cache"  # the new one has its own digest


def test_following_the_advice_of_reading_only_works(stale_digest):
    with pytest.raises(DamagedFile, match=r"Remove it and toy\.jsonl\.xz\.sha256, then") as caught:
        read_at_hand(toy(None).copies)
    assert "\n" not in str(caught.value)
    whole = stale_digest.read_bytes()
    stale_digest.unlink()
    stale_digest.with_name(stale_digest.name + ".sha256").unlink()
    stale_digest.write_bytes(whole)
    assert load(toy(None)).contents == (RECORDS,)


def test_digest_of_a_file_that_is_gone_is_forgotten(stale_digest):
    whole = stale_digest.read_bytes()
    stale_digest.unlink()
    with pytest.raises(DataUnavailable, match="could not be fetched"):
        load(toy(down()))
    stale_digest.write_bytes(whole)
    assert load(toy(None)).where == "cache"


def test_named_folder_is_only_read(stale_digest, empty_machine, monkeypatch):
    monkeypatch.setenv("LOPSIDED_DATA", str(empty_machine))
    before = leftovers(empty_machine)
    assert load(toy(None)).where == "LOPSIDED_DATA"  # a digest there is none of ours
    stale_digest.write_bytes(b"damaged")
    with pytest.raises(DamagedFile, match="Replace it by a whole copy or remove it"):
        load(toy(Source()))
    assert leftovers(empty_machine) == before


def test_damaged_copy_replaced_by_another_does_not_stay_in_the_way(empty_machine):
    load(toy(Source(), None))
    (empty_machine / FILE).write_bytes(b"damaged")
    data_set = toy(down(), Source())
    with pytest.warns(UserWarning, match="damaged"):
        load(data_set)
    assert load(data_set).copy is data_set.copies[1]  # no warning a second time
    put(empty_machine)  # by hand: nor is it compared with the digest of the damaged one
    assert load(data_set).copy is data_set.copies[0]


def test_file_supplied_by_hand_is_never_overwritten(empty_machine, monkeypatch):
    source = Source()
    path = put(empty_machine)
    path.write_bytes(path.read_bytes()[:-9])
    for _ in range(2):
        with pytest.raises(DamagedFile, match=r"toy\.jsonl\.xz could not be read") as caught:
            load(toy(source))
        assert "\n" not in str(caught.value)
        monkeypatch.setenv("LOPSIDED_DATA", str(empty_machine))
    assert source.asked == 0


@pytest.mark.parametrize("place", ["cache", "LOPSIDED_DATA"])
def test_file_supplied_by_hand_is_counted(empty_machine, monkeypatch, place):
    path = put(empty_machine, RECORDS[:2])
    if place == "LOPSIDED_DATA":
        monkeypatch.setenv("LOPSIDED_DATA", str(empty_machine))
    source = Source()
    with pytest.raises(DamagedFile, match=r"published set \(records: expected 3, found 2\)") as caught:
        load(toy(source))
    assert str(path) in str(caught.value)
    assert source.asked == 0


@pytest.mark.parametrize(
    "error", [TypeError, AttributeError, KeyError, IndexError, OverflowError, NotImplementedError]
)
def test_whatever_counting_or_converting_raises_names_the_file(empty_machine, error):
    def count(records):
        raise error("odd")

    path = put(empty_machine)
    copy = replace(toy(None).copies[0], count=count)
    with pytest.raises(DamagedFile, match=r"could not be read .*odd") as caught:
        read_at_hand([copy])
    assert str(path) in str(caught.value)
    found = _cache.find([copy])
    with pytest.raises(DamagedFile, match=r"could not be read .*odd"), _cache.blaming(found):
        count(RECORDS)


def test_a_long_reason_keeps_the_name_of_the_file(tmp_path):
    missing = tmp_path / ("a long name " * 20) / "inmail.2"
    toy = _cache.Found(Copy(files=(), fields=(), count=dict, published={}), "cache", (tmp_path,))
    with (
        pytest.raises(DamagedFile, match=r"No such file .*\.\.\..*inmail\.2'\)") as raised,
        _cache.blaming(toy),
    ):
        missing.read_bytes()
    assert len(str(raised.value)) < len(str(tmp_path)) + 300


def test_unknown_key_is_said_to_be_one(empty_machine):
    put(empty_machine)
    with (
        pytest.raises(DamagedFile, match=r"\('alt\.toys' is not known\)"),
        _cache.blaming(_cache.find(toy(None).copies)),
    ):
        {}["alt.toys"]


def test_what_killed_fetches_left_is_swept_after_a_day(empty_machine):
    old, young = empty_machine / ".fetching-old", empty_machine / ".fetching-young"
    for folder in (old, young):
        folder.mkdir(parents=True)
        (folder / "half").write_bytes(b"x")
    yesterday = time.time() - 25 * 60 * 60
    os.utime(old, (yesterday, yesterday))
    load(toy(Source()))
    assert not old.exists()
    assert young.exists()  # its fetch may still be running


def test_part_at_hand_is_pointed_to(empty_machine):
    data_set = toy(down(), None)
    part = replace(data_set.copies[1], part='size="small"')
    data_set = replace(data_set, copies=(data_set.copies[0], part))
    with pytest.raises(DataUnavailable) as caught:
        load(data_set, data_set.copies[:1])
    assert "At hand" not in str(caught.value)
    put(empty_machine, name=part.files[0])
    with pytest.raises(DataUnavailable, match=r'At hand is size="small"\. To supply'):
        load(data_set, data_set.copies[:1])


def test_full_disk_leaves_nothing_that_looks_whole(empty_machine, monkeypatch):
    def no_room(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_files.os, "fsync", no_room)
    with pytest.raises(DataUnavailable, match=r"could not be kept.*No space left.*Make room for it, then"):
        load(toy(Source()))
    assert leftovers(empty_machine) == []
    assert read_at_hand(toy(None).copies) is None
    monkeypatch.undo()


def test_full_disk_before_the_digest_is_written(empty_machine, monkeypatch):
    real, calls = _cache.write_atomically, []

    def second_fails(path):
        calls.append(path)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path)

    monkeypatch.setattr(_cache, "write_atomically", second_fails)
    with pytest.raises(DataUnavailable, match="No space left"):
        load(toy(Source()))
    assert load(toy(Source())).contents == (RECORDS,)  # the data file was whole


def test_all_files_of_a_copy_are_needed(empty_machine):
    two = {"files": (FILE, "toy/other.jsonl.xz"), "count": lambda a, b: {"records": len(a) + len(b)}}
    copy = replace(toy(None).copies[0], **two)
    put(empty_machine)
    assert read_at_hand([copy]) is None
    put(empty_machine, [{"id": 9}], "toy/other.jsonl.xz")
    loaded = read_at_hand([copy])
    assert loaded.contents == (RECORDS, [{"id": 9}])
    assert loaded.facts == {"records": 4}
