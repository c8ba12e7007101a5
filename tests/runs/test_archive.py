import lzma

import pytest

from lopsided.runs import KeptResults, Results, Runner, UnitRecord, read_archive, write_archive
from runs.work import unit

ENTRIES = [
    ("pkg.a.f [1]", UnitRecord("done", "0.1234567890123456789", 1 / 3), "1.0"),
    ("pkg.a.g [1]", UnitRecord("failed", 'Traceback\n  "x", \r\n\0 ä', 0.0), "1.0"),
    ("pkg.b.f [2]", UnitRecord("skipped", "x" * 200_000, 2.0), "1.1"),
]


@pytest.fixture
def results():
    results = Results()
    results.enter_all(reversed(ENTRIES))
    return results


def test_what_was_archived_is_read_back(results, tmp_path):
    write_archive(results, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pkg.a.jsonl.xz", "pkg.b.jsonl.xz"]
    assert list(read_archive(tmp_path).rows()) == ENTRIES


def test_equal_results_give_equal_files(results, tmp_path):
    again = Results()
    again.enter_all(ENTRIES)
    write_archive(results, tmp_path / "one")
    write_archive(again, tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


@pytest.mark.parametrize("content", [b"", b"no archive", lzma.compress(b"[1, 2]\n")], ids=len)
def test_a_file_without_results_is_named(tmp_path, content):
    (tmp_path / "strange.jsonl.xz").write_bytes(content)
    with pytest.raises(ValueError, match=r"strange\.jsonl\.xz holds no results"):
        read_archive(tmp_path)


def test_an_empty_folder_has_no_results(tmp_path):
    assert len(read_archive(tmp_path)) == 0


def test_kept_results_are_given_and_nothing_is_computed(tmp_path):
    log = tmp_path / "log"
    known, other = unit("logged", str(log), 1, 0.0), unit("logged", str(log), 2, 0.0)
    results = Results()
    computed = Runner(results).ask([known])
    n_lines = len(log.read_text().splitlines())
    kept = KeptResults(results).ask([other, known])
    assert kept.results == computed.results
    assert kept.units == [known]
    assert kept.skipped == {other.key: "This unit has no kept result."}
    assert kept.times[known.key] == computed.times[known.key]
    assert len(log.read_text().splitlines()) == n_lines
