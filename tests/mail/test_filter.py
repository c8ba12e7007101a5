"""A filter with its state: what it remembers, over processes, and what it refuses."""

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lopsided import make_topics, run_stream
from lopsided.feedback._decision import ItemDecision
from lopsided.mail import _filter
from lopsided.mail._filter import Decided, MailFilter
from lopsided.mail._settings import Settings
from lopsided.mail._state import NewerError, State
from lopsided.mail._twin import filter_of, vectorizer_of

SETTINGS = Settings.of(None, "epsilon-greedy:0.05", guard=False)
PERCEPTRON = Settings.of(
    "margin-perceptron", "epsilon-greedy:0.05"
)  # whose weights are there from the first lesson on, in one form


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "me"


def mail(n=400):
    texts, topic = make_topics(n, random_state=0)
    return [text.encode() for text in texts], np.where(topic % 3 == 0, 1, 0)


def replay(path, messages, y, *, reopen=50, settings=SETTINGS):
    """Decide and learn, by one filter after the other."""
    shown = []
    for first in range(0, len(messages), reopen):
        with MailFilter.open(path, create=settings, seed=5) as mine:
            for message, label in zip(
                messages[first : first + reopen], y[first : first + reopen], strict=True
            ):
                decided = mine.decide(message)
                shown.append(decided.decision)
                if decided.decision.show:
                    assert mine.learn("ham" if label else "spam", id=decided.id) == "learned"
    return shown


def test_explored_spam_teaches_nothing_until_a_changed_mind(path):
    messages, y = mail()
    replay(path, messages, y, settings=PERCEPTRON)
    with MailFilter.open(path) as mine:
        with mine.turn():
            before = mine.engine.learned()["w"]
        explored = next(d for d in map(mine.decide, 3 * messages) if d.decision.explored)
        assert mine.learn("spam", id=explored.id) == "learned"
        np.testing.assert_array_equal(mine.engine.learned()["w"], before)
        assert mine.learn("ham", id=explored.id) == "corrected"
        found = mine.engine.learned()["w"]
        assert (found != before).any()
        assert mine.learn("spam", id=explored.id) == "corrected"
        assert (mine.engine.learned()["w"] != found).any()


@pytest.mark.parametrize("settings", [SETTINGS, PERCEPTRON])
def test_a_filter_over_many_processes_is_run_stream(path, monkeypatch, settings):
    monkeypatch.setattr(_filter, "SNAPSHOT", 30)
    messages, y = mail()
    found = replay(path, messages, y, settings=settings)
    report = run_stream(filter_of(settings, 5), messages, y, vectorizer=vectorizer_of(settings))
    np.testing.assert_array_equal([v.show for v in found], report.show)
    np.testing.assert_array_equal([v.explored for v in found], report.explored)
    np.testing.assert_array_equal([v.score for v in found], report.score)
    assert report.explored.any()


def test_the_file_is_private_small_and_alone(path):
    messages, y = mail()
    replay(path, messages, y)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [child.name for child in path.parent.iterdir()] == ["me"]
    assert path.stat().st_size < 3e6


def test_old_messages_are_forgotten(path, monkeypatch):
    monkeypatch.setattr(_filter, "REMEMBERED", 20)
    monkeypatch.setattr(_filter, "WITH_FEATURES", 5)
    monkeypatch.setattr(_filter, "FORGOTTEN", 1)
    messages, _ = mail(60)
    with MailFilter.open(path, create=SETTINGS) as mine:
        ids = [mine.decide(message).id for message in messages]
        assert mine.state.rows("SELECT count(*) FROM messages") == [(20,)]
        assert mine.state.rows("SELECT count(*) FROM features") == [(5,)]
        assert mine.learn("ham", id=ids[0]) == "unknown"
        assert mine.learn("ham", id=ids[0], head=messages[0]) == "learned"
        assert mine.learn("ham", id=ids[-10]) == "unknown"
        assert mine.learn("ham", id=ids[-10], head=messages[-10]) == "learned"
        assert mine.learn("ham", id=ids[-1]) == "learned"


def test_lessons_outlive_the_features_they_were_learned_from(path, monkeypatch):
    monkeypatch.setattr(_filter, "WITH_FEATURES", 5)
    messages, _ = mail(40)
    with MailFilter.open(path, create=PERCEPTRON) as mine:
        for i, message in enumerate(messages):
            decided = mine.decide(message)
            if i % 13 == 0:
                assert mine.learn("ham", id=decided.id) == "learned"
        learned = mine.engine.learned()["w"]
    assert learned.any()
    with MailFilter.open(path) as again:
        np.testing.assert_array_equal(again.engine.learned()["w"], learned)


@pytest.mark.parametrize("settings", [SETTINGS, PERCEPTRON])
def test_who_leaves_saves_what_would_take_long_to_learn_again(path, monkeypatch, settings):
    monkeypatch.setattr(_filter, "AFFORDABLE", 3)
    messages, y = mail(40)
    for n_lessons, n_left in ((2, 2), (2, 0), (3, 3)):
        with MailFilter.open(path, create=settings, seed=0) as mine:
            for _ in range(n_lessons):
                mine.learn("ham" if y[0] else "spam", head=messages[0])
                messages, y = messages[1:], y[1:]
            learned = mine.engine.learned()
        with MailFilter.open(path) as again:
            assert again.n_lessons == n_left
            for name, array in again.engine.learned().items():
                np.testing.assert_array_equal(array, learned[name], name)


def test_a_full_disk_at_the_end_costs_no_lesson(path, monkeypatch):
    monkeypatch.setattr(_filter, "AFFORDABLE", 0)
    mine = MailFilter.open(path, create=SETTINGS)
    mine.learn("ham", head=b"Subject: hello")

    def full(self, arrays):
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(_filter.State, "save_arrays", full)
        mine.close()
    with MailFilter.open(path) as again:
        assert again.n_lessons == 1
        assert again.has_begun


def test_every_day_is_counted_also_when_it_comes_twice(path, monkeypatch):
    with MailFilter.open(path, create=SETTINGS) as mine:
        for day in (20_000, 20_000, 20_001, 20_000):
            monkeypatch.setattr(_filter.time, "time", lambda day=day: 86_400.0 * day + 5)
            mine.learn("ham", id=mine.decide(b"Subject: hello").id)
    with MailFilter.open(path) as mine:
        assert mine.counted() == {
            20_000: {"shown": 3, "shown ham": 3},
            20_001: {"shown": 1, "shown ham": 1},
        }


def test_an_id_is_found_again_and_tells_nothing():
    ids = [_filter._id_of(number) for number in (0, 1, 2, 20_000, 2**32 - 1)]
    assert [_filter._number_of(id) for id in ids] == [0, 1, 2, 20_000, 2**32 - 1]
    assert len({id[8:] for id in ids}) == 5
    for nonsense in (None, "", "x" * 16, "0" * 15, "0" * 17, "0" * 15 + "\n"):
        assert _filter._number_of(nonsense) is None


def test_a_state_does_not_grow_for_ever(path, monkeypatch):
    monkeypatch.setattr(_filter, "REMEMBERED", 200)
    monkeypatch.setattr(_filter, "WITH_FEATURES", 20)
    rng, sizes = np.random.default_rng(0), []
    for _ in range(3):
        with MailFilter.open(path, create=SETTINGS) as mine:
            for _ in range(400):
                mine.decide(rng.bytes(3000))
        sizes.append(path.stat().st_size)
    assert sizes[2] == pytest.approx(sizes[1], rel=0.1)
    assert sizes[2] < 1e6


def test_no_text_is_kept(path):
    with MailFilter.open(path, create=SETTINGS) as mine:
        decided = mine.decide(b"Subject: a very private matter\n\nNobody must read this.")
        mine.learn("ham", id=decided.id)
    stored = path.read_bytes()
    for word in (b"private", b"Nobody", b"Subj", b"read"):
        assert word not in stored


def test_a_second_label_teaches_nothing_and_a_changed_one_does(path):
    with MailFilter.open(path, create=PERCEPTRON) as mine:
        decided = mine.decide(b"Subject: hello there, how are you?")
        assert mine.learn("ham", id=decided.id) == "learned"
        assert mine.learn("ham", id=decided.id) == "again"
        before = mine.engine.learned()["w"].copy()
        assert mine.learn("spam", id=decided.id) == "corrected"
        assert (mine.engine.learned()["w"] != before).any()
        assert mine.known(decided.id).label == _filter.SPAM


def test_spam_before_the_first_ham_hides_nothing(path):
    with MailFilter.open(path, create=Settings.of(None, "none")) as mine:
        for _ in range(3):
            decided = mine.decide(b"Subject: cheap pills for everybody")
            assert decided.word == "show"
            mine.learn("spam", id=decided.id)
        mine.learn("ham", id=mine.decide(b"Subject: lunch tomorrow?").id)
        mine.learn("spam", id=mine.decide(b"Subject: cheap pills for everybody").id)
        hidden = mine.decide(b"Subject: cheap pills for everybody")
        assert hidden.word == "hide"
        assert mine.learn("ham", id=hidden.id) == "learned"
        assert mine.engine.gate.n_labels == 5  # a rescue is not one of what was shown


def test_a_turn_that_fails_leaves_nothing_behind(path):
    messages, y = mail(40)
    replay(path, messages, y)
    with MailFilter.open(path) as mine:
        before = mine.engine.gate_state()
        with pytest.raises(KeyError), mine.turn():  # noqa: PT012  (the first of two must be taken back)
            mine.decide(b"Subject: one more")
            mine.learn("neither")
        with mine.turn():
            assert mine.engine.gate_state() == before
        assert mine.state.rows("SELECT count(*) FROM messages")[0][0] == 40


def test_two_filters_on_one_file_take_turns(path):
    with MailFilter.open(path, create=SETTINGS) as one, MailFilter.open(path) as two:
        for i in range(20):
            decided = (one, two)[i % 2].decide(b"Subject: hello number %d" % i)
            assert (two, one)[i % 2].learn("ham", id=decided.id) == "learned"
        two.state._db.execute("PRAGMA busy_timeout = 50")
        with one.turn(), pytest.raises(OSError, match="locked"):
            two.decide(b"Subject: not now")
        assert two.decide(b"Subject: now").word == "show"
        with one.turn():
            assert one.engine.gate.n_rounds == 21
            assert one.engine.gate.n_labels == 20


def test_the_explorer_can_be_changed_and_nothing_learned_is_lost(path):
    messages, y = mail(200)
    replay(path, messages[:100], y[:100])
    with MailFilter.open(path) as mine, MailFilter.open(path) as other:
        learned, n_labels = mine.engine.learned()["w"], mine.engine.gate.n_labels
        mine.change(Settings.of(None, "epsilon-greedy:1", guard=True))
        np.testing.assert_array_equal(mine.engine.learned()["w"], learned)
        assert mine.engine.gate.n_labels == n_labels
        decided = [filter.decide(message).decision for message in messages[100:] for filter in (mine, other)]
        assert all(verdict.show for verdict in decided)  # the other process knows, too
        assert any(verdict.explored for verdict in decided)
        with pytest.raises(ValueError, match=r"'relaxed-svm', which cannot become 'margin-perceptron'"):
            mine.change(Settings.of("margin-perceptron"))
    with MailFilter.open(path) as again:
        assert again.settings == Settings.of(None, "epsilon-greedy:1", guard=True)
        np.testing.assert_array_equal(again.engine.learned()["w"], learned)


def test_a_guard_that_was_off_begins_anew(path):
    messages, _ = mail(40)
    with MailFilter.open(path, create=SETTINGS) as mine:
        for message in messages:
            mine.learn("ham", id=mine.decide(message).id)
        mine.change(Settings.of(None, "epsilon-greedy:0.05", guard=True))
        assert not any(mine.engine.gate.state()["guard"][1:6])


def test_settings_that_were_changed_decide_as_if_they_had_been_so_all_along(path, tmp_path):
    messages, y = mail(200)
    replay(path, messages[:50], y[:50])
    with MailFilter.open(path) as mine:
        mine.change(Settings.of(None, "none", guard=False))
        mine.change(SETTINGS)
    changed = replay(path, messages[50:], y[50:])
    whole = replay(tmp_path / "other", messages, y)
    assert changed == whole[50:]


def spoil_nothing(path):
    path.write_bytes(b"")


def spoil_foreign(path):
    path.write_bytes(b"From me\nSubject: an mbox, not a state\n" * 300)


def spoil_truncated(path):
    os.truncate(path, path.stat().st_size // 2)


def spoil_other_database(path):
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE something (else_ INTEGER)")
    db.close()


def spoil_trigger(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TRIGGER evil AFTER INSERT ON messages BEGIN DELETE FROM lessons; END")
    db.close()


def spoil_weights(path):
    with sqlite3.connect(path) as db:
        db.execute("UPDATE arrays SET data = zeroblob(12) WHERE name = 'w'")
    db.close()


def spoil_gate(path):
    with sqlite3.connect(path) as db:
        db.execute("UPDATE gate SET state = 'text'")
    db.close()


def spoil_lessons(path):
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO lessons (sign, features) VALUES (1, x'ffffff7f')")
    db.close()


def spoil_settings(path):
    with sqlite3.connect(path) as db:
        db.execute("UPDATE facts SET value = '{\"learner\": \"evil\"}' WHERE name = 'settings'")
    db.close()


def spoil_features(path):
    with sqlite3.connect(path) as db:
        db.execute("UPDATE facts SET value = '{\"n_features\": 4096.0}' WHERE name = 'settings'")
    db.close()


def spoil_counts(path):
    with sqlite3.connect(path) as db:
        db.execute("UPDATE gate SET counts = '{\"shown\": 1e400}'")
    db.close()


def spoil_count_that_is_huge(path):
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE gate SET counts = '{{\"shown\": {2**70}}}'")
    db.close()


def spoil_shape(path):
    with sqlite3.connect(path) as db:
        db.execute("UPDATE arrays SET shape = '[1000000000000000000000000]'")
    db.close()


def spoil_schema_by_a_name_like_those_of_sqlite(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE VIEW sqlitestat1 AS SELECT 1")
    db.close()


def spoil_seed(path):
    with sqlite3.connect(path) as db:
        db.execute("UPDATE facts SET value = '-1' WHERE name = 'seed'")
    db.close()


@pytest.mark.parametrize(
    "spoil", [thing for name, thing in sorted(globals().items()) if name.startswith("spoil_")]
)
def test_a_damaged_or_foreign_state_is_refused_kept_and_begun_anew(path, spoil, capsys, monkeypatch):
    monkeypatch.setattr(_filter, "SNAPSHOT", 3)
    messages, y = mail(100)
    replay(path, messages, y)
    spoil(path)
    bad = path.read_bytes()
    with pytest.raises(ValueError, match=r"cannot be used.*Move it away"):
        MailFilter.open(path)
    assert path.read_bytes() == bad
    with MailFilter.open(path, create=SETTINGS, rescue=True) as mine:
        assert mine.decide(b"Subject: hello").word == "show"
    assert path.with_name("me.refused-1").read_bytes() == bad
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "Kept as 'me.refused-1', begun anew." in lines[0]


def test_statistics_of_the_tables_are_no_damage(path):
    messages, y = mail(60)
    replay(path, messages, y)
    with sqlite3.connect(path) as db:
        db.execute("ANALYZE")
    db.close()
    with MailFilter.open(path, create=SETTINGS, rescue=True) as mine:
        assert mine.engine.gate.n_rounds == 60
    assert not list(path.parent.glob("*refused*"))


def test_a_newer_state_is_left_alone(path):
    MailFilter.open(path, create=SETTINGS).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 2")
    db.close()
    with pytest.raises(NewerError, match=r"version 2, and this program reads 1. Update lopsided."):
        MailFilter.open(path, rescue=True)
    assert [child.name for child in path.parent.iterdir()] == ["me"]


def test_the_clock_may_go_back(path, monkeypatch):
    now = time.time()
    with MailFilter.open(path, create=SETTINGS) as mine:
        for back in (0, 10 * 86_400, 400 * 86_400, now, now + 1e6):
            monkeypatch.setattr(_filter.time, "time", lambda back=back: now - back)
            decided = mine.decide(b"Subject: hello at %d" % int(back))
            assert mine.learn("ham", id=decided.id) == "learned"
        assert mine.engine.gate.n_labels == 5


def test_an_export_is_a_whole_state(path, tmp_path):
    messages, y = mail(100)
    replay(path, messages, y)
    copy = tmp_path / "copy"
    with MailFilter.open(path) as mine:
        mine.state.export(copy)
        expected = mine.decide(messages[0]).decision
        with pytest.raises(ValueError, match="there already"):
            mine.state.export(copy)
    assert not list(tmp_path.glob(".copy*"))
    with MailFilter.open(copy) as other:
        assert other.decide(messages[0]).decision == expected


def test_one_of_two_that_create_at_once_wins(path):
    path.parent.mkdir()
    assert State.create(path, SETTINGS, 1, 0)
    assert not State.create(path, SETTINGS, 2, 0)
    assert State.open(path).seed == 1
    assert not list(path.parent.glob(".*"))


def test_what_a_removed_state_leaves_behind_is_not_taken_for_the_new_one(path):
    with MailFilter.open(path, create=SETTINGS) as old:
        for i in range(5):
            old.learn("ham", id=old.decide(b"Subject: hello %d" % i).id)
        path.unlink()  # and not the files beside it
        assert not old.state.is_in_place
        with MailFilter.open(path, create=SETTINGS) as new:
            assert new.engine.gate.n_rounds == 0
            assert new.decide(b"Subject: hello").word == "show"
            assert new.state.is_in_place


def test_an_import_only_reads_what_it_takes(path, tmp_path):
    messages, y = mail(60)
    replay(path, messages, y)
    copy = tmp_path / "copy"
    with MailFilter.open(path) as mine:
        mine.state.export(copy)
    copy.chmod(0o400)
    before = copy.read_bytes(), copy.stat().st_mtime_ns
    MailFilter.import_state(copy, tmp_path / "new" / "me")
    assert (copy.read_bytes(), copy.stat().st_mtime_ns) == before
    with MailFilter.open(tmp_path / "new" / "me") as mine:
        assert mine.engine.gate.n_rounds == 60
    (tmp_path / "foreign").write_bytes(b"something else" * 1000)
    with pytest.raises(ValueError, match="cannot be used"):
        MailFilter.import_state(tmp_path / "foreign", tmp_path / "other" / "me")
    assert not list((tmp_path / "other").iterdir())


def test_a_folder_that_somebody_keeps_locked_holds_nothing_up_for_ever(path):
    fcntl = pytest.importorskip("fcntl")
    path.parent.mkdir()
    number = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(number, fcntl.LOCK_EX)
    with pytest.raises(OSError, match=r"has kept '.*' locked for 0.1 seconds"):
        MailFilter.open(path, create=SETTINGS, wait=0.1)
    os.close(number)
    MailFilter.open(path, create=SETTINGS).close()


WORKER = """
import sys
from pathlib import Path
from lopsided.mail._filter import MailFilter
from lopsided.mail._settings import Settings
path, name = Path(sys.argv[1]), sys.argv[2].encode()
with MailFilter.open(path, create=Settings(), rescue=True) as mine:
    print("ready", flush=True)
    for i in range(int(sys.argv[3])):
        decided = mine.decide(b"Subject: number %d of %s" % (i, name))
        if decided.decision.show:
            mine.learn("spam" if i % 3 else "ham", id=decided.id)
            print(decided.id, flush=True)
"""


def start_worker(path, name, n):
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(path), name, str(n)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_deliveries_at_once_lose_nothing(path):
    workers = [start_worker(path, f"worker {k}", 40) for k in range(4)]
    outputs = [worker.communicate(timeout=300) for worker in workers]
    assert all(worker.returncode == 0 for worker in workers), outputs
    told = [line for out, _ in outputs for line in out.decode().split() if line != "ready"]
    with MailFilter.open(path) as mine, mine.turn():
        assert mine.engine.gate.n_rounds == 160
        assert mine.engine.gate.n_labels == len(told)
        assert all(mine.known(id).label for id in told)


@pytest.mark.slow
def test_killing_it_two_hundred_times_loses_nothing_that_was_told(path):
    told: list[str] = []
    rng = np.random.default_rng(0)
    other = start_worker(path, "load", 10**6)
    try:
        for k in range(200):
            worker = start_worker(path, f"victim {k}", 10**6)
            assert worker.stdout.readline() == b"ready\n", worker.stderr.read()
            time.sleep(float(rng.uniform(0, 0.05)))
            worker.kill()
            out, err = worker.communicate()
            assert err == b""
            told += [line for line in out.decode().split("\n")[:-1] if len(line) == 16]
    finally:
        other.kill()
        other.communicate()
    with MailFilter.open(path) as mine, mine.turn():
        assert mine.engine.gate.n_labels >= len(told) > 200
        remembered = {id for (id,) in mine.state.rows("SELECT id FROM messages WHERE label != 0")}
        assert set(told[-200:]) <= remembered
        assert mine.state.rows("PRAGMA integrity_check") == [("ok",)]
    assert not list(Path(path).parent.glob("*.refused*"))


def test_a_full_disk_changes_nothing(path):
    messages, y = mail(60)
    replay(path, messages, y)
    code = f"""
import resource
from pathlib import Path
from lopsided.mail._filter import MailFilter
path = Path({str(path)!r})
mine = MailFilter.open(path)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    mine.decide(b"Subject: there is no room for this")
except OSError as error:
    print("refused:", error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "refused: its state cannot be used now" in run.stdout
    with MailFilter.open(path) as mine, mine.turn():
        assert mine.engine.gate.n_rounds == 60


def test_a_guard_that_is_turned_on_again_begins_anew_also_for_the_next_process(tmp_path):
    path = tmp_path / "state"
    with MailFilter.open(path, create=Settings.of(guard=False), seed=1) as mine:
        for i in range(60):
            decided = mine.decide(b"Subject: %d" % i)
            mine.learn("ham" if i % 2 else "spam", id=decided.id)
        mine.change(Settings.of(guard=True))
        guard = mine.engine.gate.state()["guard"]
    with MailFilter.open(path) as again:
        assert again.engine.gate.state()["guard"] == guard


@pytest.mark.parametrize(
    ("decision", "header"),
    [
        (ItemDecision(True, False, 0.5, 1.0), "show; score=+0.5000; id=ab"),
        (ItemDecision(False, False, -0.5, 0.0), "hide; score=-0.5000; id=ab"),
        (
            ItemDecision(True, True, -0.5, 0.05),
            "show; explored (one in 20 of what looks like spam is shown); score=-0.5000; id=ab",
        ),
    ],
)
def test_the_header_says_why(decision, header):
    assert Decided("ab", decision).header == header
