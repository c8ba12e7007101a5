"""A toy data set goes through every place, every damage and a full disk."""

import errno
import hashlib
import subprocess
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


def leftovers(folder):
    return [p for p in folder.rglob("*") if p.is_file()]


def test_order_of_places(empty_machine, monkeypatch, tmp_path):
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


def test_set_without_public_source(empty_machine):
    with pytest.raises(DataUnavailable, match=r"never downloaded.*put toy/toy\.jsonl\.xz into"):
        load(toy(None))


def test_second_copy_when_the_first_source_fails(empty_machine):
    data_set = toy(Source(error=OSError("down")), Source())
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


def test_damaged_cache_file_is_refused_where_the_source_is_gone(empty_machine):
    load(toy(Source()))
    path = empty_machine / FILE
    path.write_bytes(b"damaged")
    with (
        pytest.warns(UserWarning, match="damaged"),
        pytest.raises(DataUnavailable, match="could not be fetched"),
    ):
        load(toy(Source(error=OSError("down"))))
    with pytest.raises(DamagedFile, match=r"Replace it by a whole copy or remove it"):
        load(toy(None))
    assert path.read_bytes() == b"damaged"  # left for its owner to judge


def test_damaged_copy_replaced_by_another_does_not_stay_in_the_way(empty_machine):
    load(toy(Source(), None))
    (empty_machine / FILE).write_bytes(b"damaged")
    data_set = toy(Source(error=OSError("down")), Source())
    with pytest.warns(UserWarning, match="damaged"):
        load(data_set)
    assert load(data_set).copy is data_set.copies[1]  # no warning a second time


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


def test_full_disk_leaves_nothing_that_looks_whole(empty_machine, monkeypatch):
    def no_room(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_files.os, "fsync", no_room)
    with pytest.raises(DataUnavailable, match=r"could not be kept.*No space left"):
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
    copy = replace(toy(None).copies[0], files=(FILE, "toy/other.jsonl.xz"))
    put(empty_machine)
    assert read_at_hand([copy]) is None
    put(empty_machine, [{"id": 9}], "toy/other.jsonl.xz")
    assert read_at_hand([copy]).contents == (RECORDS, [{"id": 9}])
