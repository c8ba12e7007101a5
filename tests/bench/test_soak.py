"""A few seconds of load and faults, and whether the counts see what is lost or there twice."""

import json
from collections import Counter

import pytest
from click.testing import CliRunner

from lopsided.bench import _disk, _soak
from lopsided.cli._soak import command
from lopsided.mail._filter import MailFilter
from lopsided.mail._settings import Settings

pytestmark = pytest.mark.skipif("sys.platform == 'win32'", reason="Unix sockets")


@pytest.fixture
def quick(monkeypatch):
    """Faults come so often that a few seconds see each."""
    monkeypatch.setattr(_soak, "_KILLED", (1.0, 2.0))
    monkeypatch.setattr(_soak, "_SENDERS", 3)
    for name in ("_SILENT", "_SLOW", "_DEAF"):
        monkeypatch.setattr(_soak, name, 1)


def test_a_few_seconds_lose_nothing(quick):
    done = CliRunner().invoke(
        command, ["--minutes", "0.07", "--users", "5", "--json"], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["users"] == 5
    assert found["times_full"] >= 1
    for name in ("lmtp", "serve"):
        served = found[name]
        assert served["acknowledged"] > 5, served
        assert (served["lost"], served["kills"] >= 1, served["p99"] > 0) == (0, True, True)


def test_a_full_disk_without_a_file_system_of_its_own(quick, monkeypatch):
    monkeypatch.setattr(_disk, "_mount", lambda *arguments: False)
    found = _soak.soak(0.07, users=3)
    assert "RLIMIT_FSIZE" in found.full_disk
    assert found.nothing_lost
    assert found.times_full >= 1


def test_a_message_that_is_not_there_is_lost_and_one_in_two_folders_is_there_twice(tmp_path):
    for folder, name in (
        ("anna/new", "1-0"),
        ("anna/cur", "1-1"),
        ("anna/.Junk/new", "1-1"),
        ("bob/new", "1-2"),
    ):
        box = tmp_path / folder
        box.mkdir(parents=True, exist_ok=True)
        (box / name).write_text(f"X-Lopsided: unfiltered; x\nX-Soak: {name}\n\ntext")
    there = _soak._count_delivered(tmp_path)
    assert there["", "unfiltered"] == 4
    assert (there["anna", "1-0"], there["anna", "1-1"], there["anna", "1-2"]) == (1, 2, 0)
    sender = _Said([("anna", "1-0", "ham"), ("anna", "1-1", "ham"), ("anna", "1-2", "ham")])
    assert _soak._of_messages([sender], there) == (1, 1)
    assert _soak._of_messages([sender], Counter()) == (3, 0)


def test_lessons_are_counted_in_the_states(tmp_path):
    with MailFilter.open(tmp_path / "anna", create=Settings()) as filter:
        ids = [filter.decide(b"a message").id for _ in range(3)]
        for id in ids[:2]:
            filter.learn("ham", id=id)
        filter.learn("ham", id=ids[0])
    assert _soak._count_learned(tmp_path, ["anna", "bob"]) == 2


class _Said:
    def __init__(self, acknowledged):
        self.acknowledged, self.sent = acknowledged, [one[:2] for one in acknowledged]
