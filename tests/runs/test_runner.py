import _thread
import os
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from joblib import parallel_config
from joblib.externals.loky import process_executor

from lopsided.cli import main
from lopsided.datasets import DataUnavailable, _cache
from lopsided.runs import Results, Runner, UnitRecord
from lopsided.runs._pools import LocalPool
from lopsided.runs._reasons import TOO_SLOW
from runs.work import draw, unit

TESTS = Path(__file__).parents[1]
DRAWS = [unit("draw", seed, 8) for seed in range(12)]
DRAWN = [draw(seed, 8) for seed in range(12)]


def times_done(log):
    """Seed -> how often it was done."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return Counter(int(line.split()[0]) for line in lines)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_results_come_in_the_order_of_the_units_whoever_does_them(n_jobs):
    answers = Runner(Results(), n_jobs=n_jobs).ask([*DRAWS, DRAWS[0]])
    assert answers.units == [*DRAWS, DRAWS[0]]
    assert answers.results == [*DRAWN, DRAWN[0]]
    assert answers.failed == answers.skipped == {}
    assert list(answers.times) == [unit.key for unit in DRAWS]
    assert min(answers.times.values()) > 0


def test_threads_do_it_where_joblib_is_told_so():
    with parallel_config("threading"):
        answers = Runner(Results(), n_jobs=2).ask([unit("meet", seed) for seed in range(12)])
    assert answers.failed == {}
    assert answers.results == DRAWN


def test_a_paper_gives_the_same_numbers_in_threads(tmp_path):
    words = ["reproduce", "sculley-2007", "--figure", "1", "--figure", "4", "--out"]
    assert main([*words, str(tmp_path / "alone"), "--jobs", "1"]) == 0
    with parallel_config("threading"):
        assert main([*words, str(tmp_path / "threads"), "--jobs", "2"]) == 0
    alone, threads = (
        {path.name: path.read_text() for path in (tmp_path / name / "tables").iterdir()}
        for name in ("alone", "threads")
    )
    assert len(alone) >= 3
    assert alone == threads


def test_a_unit_is_done_once(tmp_path):
    log, path = tmp_path / "log", tmp_path / "r.sqlite"
    units = [unit("logged", str(log), seed, 0) for seed in (0, 1, 0, 2)]
    with Results(path) as results:
        runner = Runner(results)
        first = runner.ask(units[:2])
        assert runner.ask(units).results == [*first.results, first.results[0], draw(2, 20)]
    with Results(path) as results:
        assert len(Runner(results, n_jobs=2).ask(units).results) == 4
    assert times_done(log) == {0: 1, 1: 1, 2: 1}


def test_how_far_it_is_is_told(tmp_path):
    told = []
    runner = Runner(Results(), tell=lambda done, n: told.append((done, n)))
    runner.ask(DRAWS[:2])
    runner.ask(DRAWS[:3])
    assert told == [(0, 2), (1, 2), (2, 2), (2, 3), (3, 3)]
    assert runner.ask([]).results == []


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_fails_or_misses_its_data_is_kept_with_the_reason_and_the_others_go_on(n_jobs):
    bad = [unit("fail", "two / zero"), unit("miss", "trec07p"), unit("nothing_of_this_name")]
    answers = Runner(Results(), n_jobs=n_jobs).ask([DRAWS[0], *bad, DRAWS[1]])
    assert answers.results == DRAWN[:2]
    assert answers.units == DRAWS[:2]
    assert list(answers.failed) == [bad[0].key, bad[2].key]
    assert "in fail\n" in answers.failed[bad[0].key]
    assert answers.failed[bad[0].key].endswith("ZeroDivisionError: two / zero\n")
    assert "nothing_of_this_name" in answers.failed[bad[2].key]
    assert answers.skipped == {bad[1].key: "trec07p is not here. Put it into the folder LOPSIDED_DATA."}


def test_units_ask_a_source_that_failed_rarely(monkeypatch):
    asked = []

    def fetch(name):
        asked.append(_cache._rarely.get())
        raise DataUnavailable(name)

    monkeypatch.setattr("runs.work.miss", fetch)
    assert len(Runner(Results()).ask([unit("miss", "x")]).skipped) == 1
    assert asked == [True]
    assert not _cache._rarely.get()


@pytest.mark.parametrize("kind", ["set", "hidden", "object", "complex"])
def test_a_result_that_cannot_be_kept_is_a_failure(kind):
    assert len(Runner(Results()).ask([unit("strange", kind)]).failed) == 1


def test_what_failed_is_tried_again_by_the_next_runner_and_once_by_this_one(tmp_path, monkeypatch):
    results, calls = Results(), []

    def fail(text):
        calls.append(text)
        raise ZeroDivisionError(text)

    monkeypatch.setattr("runs.work.fail", fail)
    first = Runner(results)
    assert first.ask([unit("fail", "x")]).failed.keys() == first.ask([unit("fail", "x")]).failed.keys()
    assert calls == ["x"]
    monkeypatch.setattr("runs.work.fail", str.upper)
    assert Runner(results).ask([unit("fail", "x")]).results == ["X"]


def test_a_record_that_cannot_be_read_is_computed_again_and_said():
    results, said = Results(), []
    results.enter(DRAWS[0].key, UnitRecord("done", '{"~": "Pai', 0.1), version="1")
    assert Runner(results, say=said.append).ask(DRAWS[:1]).results == DRAWN[:1]
    assert len(said) == 1
    assert "cannot be read" in said[0]
    assert Runner(results, say=said.append).ask(DRAWS[:1]).results == DRAWN[:1]
    assert len(said) == 1


@pytest.mark.parametrize("n_jobs", [0, -2])
def test_a_wrong_number_of_processes_is_refused(n_jobs):
    with pytest.raises(ValueError, match=f"at least 1, or -1 for one process a core. Got {n_jobs}"):
        Runner(Results(), n_jobs=n_jobs)


def test_a_full_disk_ends_the_run_and_the_next_goes_on(tmp_path):
    path, log = tmp_path / "r.sqlite", tmp_path / "log"
    units = [unit("logged", str(log), seed, 0) for seed in range(200)]
    with Results(path) as results:
        n_pages = results._connection.execute("pragma page_count").fetchone()[0]
        results._connection.execute(f"pragma max_page_count = {n_pages + 2}")
        with pytest.raises(OSError, match="disk is full"):
            Runner(results).ask(units)
        n = len(results)
    assert n < 200
    with Results(path) as results:
        assert Runner(results).ask(units).results == [draw(seed, 20) for seed in range(200)]
    assert sum(times_done(log).values()) <= 201  # one whose result could not be entered


# ---- processes that die

RUN = """
import sys
from lopsided.runs import Results, Runner
from runs.work import unit

if __name__ == "__main__":
    path, n_jobs, n, function, log, *more = sys.argv[1:]
    with Results(path) as results:
        runner = Runner(results, n_jobs=int(n_jobs))
        answers = runner.ask([unit(function, log, seed, *more) for seed in range(int(n))])
    print(len(answers.results))
"""


def start(script, *arguments):
    script_path = Path(arguments[0]).parent / "run.py"
    script_path.write_text(script, encoding="utf-8")
    paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, str(script_path), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


def n_entered(path):
    if not path.exists() or not path.stat().st_size:
        return 0
    try:
        with Results(path) as results:
            return len(results)
    except OSError:
        return 0


def open_gate(gate, n):
    """Let the first n units pass."""
    new = gate.with_suffix(".new")
    new.write_text(str(n), encoding="utf-8")
    new.replace(gate)  # at once: workers read it all the time


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_killed_run_goes_on_where_it_was(tmp_path, n_jobs):
    path, log, gate, n = tmp_path / "r.sqlite", tmp_path / "log", tmp_path / "gate", 16
    for enough in (4, 12):  # killed twice, each time with units under way
        open_gate(gate, enough)
        run = start(RUN, path, n_jobs, n, "gated", log, gate)
        wait_for(lambda enough=enough: n_entered(path) >= enough)
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        assert run.returncode == -signal.SIGKILL
    assert n_entered(path) == 12
    open_gate(gate, n)
    run = start(RUN, path, n_jobs, n, "gated", log, gate)
    out, err = run.communicate()
    assert (run.returncode, out) == (0, f"{n}\n"), err
    assert times_done(log) == dict.fromkeys(range(n), 1)  # what was entered was not done again
    with Results(path) as results:
        units = [unit("gated", str(log), seed, str(gate)) for seed in range(n)]
        assert Runner(results).ask(units).results == [draw(seed, 20) for seed in range(n)]


def workers_of(log):
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return {int(line.split()[1]) for line in lines}


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # One that has ended stays in the list where nobody asks for its exit code.
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return not state.stdout.startswith("Z")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a process does not learn of its parent's end")
def test_workers_of_a_killed_run_do_not_stay(tmp_path):
    path, log = tmp_path / "r.sqlite", tmp_path / "log"
    run = start(RUN, path, 2, 10, "blocked", log)
    try:
        wait_for(lambda: len(workers_of(log)) == 2)
        run.kill()  # this process alone
        run.wait()
        wait_for(lambda: not any(map(is_alive, workers_of(log))))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.communicate()


@pytest.mark.parametrize("how", ["closed", "interrupted"])
def test_work_that_is_given_up_says_nothing_of_its_own(how, monkeypatch):
    manager = process_executor._ExecutorManagerThread
    take_result = manager.process_result_item
    interrupts = [_thread.interrupt_main] if how == "interrupted" else []

    def take_result_and_dawdle(self, item):  # the next unit is handed out, and not yet with a worker
        take_result(self, item)
        while interrupts:
            interrupts.pop()()
        time.sleep(0.02)

    monkeypatch.setattr(manager, "process_result_item", take_result_and_dawdle)
    records = LocalPool(2).do({str(seed): unit("draw", seed, 5) for seed in range(500)})
    # Warnings are errors here, and so are those of threads.
    if how == "interrupted":
        with pytest.raises(KeyboardInterrupt):
            list(records)
    else:
        next(records)
        records.close()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupted_run_keeps_what_was_done(tmp_path, n_jobs):
    path, log, gate = tmp_path / "r.sqlite", tmp_path / "log", tmp_path / "gate"
    open_gate(gate, 4)
    run = start(RUN, path, n_jobs, 10, "gated", log, gate)
    wait_for(lambda: n_entered(path) >= 4)
    os.killpg(run.pid, signal.SIGINT)
    _, err = run.communicate(timeout=200)
    assert run.returncode != 0, err
    assert n_entered(path) == 4
    with Results(path) as results:
        assert results.begun == set()  # it is known what ended it


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals cannot be blocked here")
def test_a_terminal_s_ctrl_c_does_not_reach_the_workers():
    answers = Runner(Results(), n_jobs=2).ask([unit("holds_back_ctrl_c", seed) for seed in range(4)])
    assert answers.results == [True] * 4
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_ctrl_c_at_the_end_of_a_unit_leaves_no_suspicion(tmp_path, monkeypatch):
    end = Results.end

    def interrupted(self, key):
        monkeypatch.setattr(Results, "end", end)
        raise KeyboardInterrupt

    monkeypatch.setattr(Results, "end", interrupted)
    with Results(tmp_path / "r.sqlite") as results:
        with pytest.raises(KeyboardInterrupt):
            Runner(results).ask(DRAWS)
        assert results.begun == set()


@pytest.mark.parametrize("how", ["kill", "exit"])
def test_a_unit_that_kills_its_worker_fails_and_the_others_go_on(how):
    said = []
    deadly = unit("die", how)
    results = Results()
    answers = Runner(results, n_jobs=2, say=said.append).ask([*DRAWS[:5], deadly, *DRAWS[5:]])
    assert answers.results == DRAWN
    assert list(answers.failed) == [deadly.key]
    reason = "killed by SIGKILL. Perhaps" if how == "kill" else "exit code 3"
    assert reason in answers.failed[deadly.key]
    # Results that were ready when the worker died are lost with it at times, and then those units are the
    # first suspects: the deadly one is found the next time.
    assert 1 <= len(said) <= 3
    assert all("a worker process died" in line for line in said)
    assert len(results) == 13


def test_a_worker_that_somebody_else_killed_costs_no_result(tmp_path):
    answers = Runner(Results(), n_jobs=2).ask([unit("die_once", str(tmp_path)), *DRAWS])
    assert answers.results == [1, *DRAWN]
    assert answers.failed == {}


DEADLY = """
import sys
from lopsided.runs import Results, Runner
from runs.work import unit

if __name__ == "__main__":
    units = [unit("draw", 0, 8), unit("die", "kill"), unit("draw", 1, 8)]
    with Results(sys.argv[1]) as results:
        answers = Runner(results, say=print).ask(units)
    print(len(answers.results), len(answers.failed))
"""


def test_that_a_worker_was_replaced_is_no_news():
    records = LocalPool(2).do({str(seed): unit("draw", seed, 5) for seed in range(3)})
    next(records)
    warnings.warn("A worker stopped while some jobs were given to the executor.", stacklevel=1)
    with pytest.raises(UserWarning, match="another"):
        warnings.warn("another", stacklevel=1)
    assert len(list(records)) == 2
    with pytest.raises(UserWarning, match="A worker"):
        warnings.warn("A worker stopped while some jobs were given to the executor.", stacklevel=1)


def test_one_that_kills_the_only_process_is_known_by_the_next_run(tmp_path):
    path = tmp_path / "r.sqlite"
    run = start(DEADLY, path)
    run.communicate()
    assert run.returncode == -signal.SIGKILL
    assert n_entered(path) == 1
    for _ in range(2):
        run = start(DEADLY, path)
        out, err = run.communicate()
        assert run.returncode == 0, err
        assert "a run was killed at runs.work.die" in out
        assert out.endswith("2 1\n")
    assert n_entered(path) == 3


def test_two_runs_at_once_on_one_file_lose_nothing(tmp_path):
    path, log, gate, n = tmp_path / "r.sqlite", tmp_path / "log", tmp_path / "gate", 15
    open_gate(gate, 5)
    runs = [start(RUN, path, 1, n, "gated", log, gate) for _ in range(2)]
    wait_for(lambda: n_entered(path) >= 5)
    open_gate(gate, n)
    assert [run.communicate()[0] for run in runs] == [f"{n}\n"] * 2
    with Results(path) as results:
        assert len(results) == n
        assert results.moved_aside is None
        units = [unit("gated", str(log), seed, str(gate)) for seed in range(n)]
        before = sum(times_done(log).values())
        assert Runner(results).ask(units).results == [draw(seed, 20) for seed in range(n)]
        assert sum(times_done(log).values()) == before


def test_with_a_limit_what_takes_too_long_or_dies_has_failed_and_the_others_go_on():
    slow, dead = unit("sleep", 600), unit("die", "kill")
    with Runner(Results(), n_jobs=2, limit=5) as runner:
        answers = runner.ask([DRAWS[0], slow, dead, DRAWS[1]])
        assert answers.results == DRAWN[:2]
        assert answers.failed[slow.key] == f"{TOO_SLOW} 5 s."
        assert "killed by SIGKILL" in answers.failed[dead.key]
        assert runner.ask(DRAWS[:3]).results == DRAWN[:3]


def test_with_a_limit_a_process_serves_many_asks_and_says_nothing(capfd):
    with Runner(Results(), limit=60) as runner:
        first = runner.ask([unit("chatter", "one")]).results
        assert runner.ask([unit("chatter", "two")]).results == first != [os.getpid()]
    assert capfd.readouterr() == ("", "")


def test_an_interruption_does_not_wait_for_what_is_under_way():
    """Told of the first unit, the caller has had enough; the second would take minutes."""

    def stop(done, n):
        if done:
            raise KeyboardInterrupt

    results = Results()
    with Runner(results, limit=600, tell=stop) as runner, pytest.raises(KeyboardInterrupt):
        runner.ask([DRAWS[0], unit("sleep", 500)])
    assert len(results) == 1
