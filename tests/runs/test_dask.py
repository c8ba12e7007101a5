"""On a real cluster: a scheduler and two workers, each a process."""

import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from lopsided.cli import main
from lopsided.runs import Results, Runner
from runs.work import draw, unit

pytest.importorskip("distributed")
TESTS = Path(__file__).parents[1]
# distributed and its event loop warn about themselves; nothing of ours does.
pytestmark = pytest.mark.filterwarnings("ignore")


def start(*arguments, **settings):
    paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]],
        env={**os.environ, "PYTHONPATH": paths, **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for_port(port, seconds=200):
    end = time.monotonic() + seconds
    while True:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < end, "the scheduler did not come"
        time.sleep(0.1)


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A busy machine is not a failing test."""
    monkeypatch.setattr("lopsided.runs._pools.PATIENCE", "200s")


class Cluster:
    def __init__(self, folder, *, nanny="--no-nanny", n_failures=3):
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.folder = folder
        port = self.address.rpartition(":")[2]
        self.scheduler = start(
            *("dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard", "--no-show"),
            DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=str(n_failures),
        )
        self.has_nannies = nanny == "--nanny"
        self.workers = [self.start_worker(nanny) for _ in range(2)]
        wait_for_port(int(port))

    def start_worker(self, nanny):
        local = ["--local-directory", str(self.folder), "--no-dashboard", "--nthreads", "1"]
        return start("dask_worker", self.address, *local, nanny)

    def close(self):
        processes = (*self.workers, self.scheduler)
        if self.has_nannies:
            for process in processes:
                process.terminate()  # a nanny takes its worker along
            for process in processes:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(20)
        for process in processes:
            process.kill()  # nothing is lost; a polite end may take 20 seconds
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    cluster = Cluster(tmp_path / "dask")
    yield cluster
    cluster.close()


def workers_of(log):
    return (
        {line.split()[1] for line in log.read_text(encoding="utf-8").splitlines()} if log.exists() else set()
    )


def test_one_of_two_workers_is_killed_in_the_middle_and_the_numbers_are_the_same(cluster, tmp_path):
    log, n = tmp_path / "log", 60
    units = [unit("logged", str(log), seed, 0.1) for seed in range(n)]

    def kill_one():
        end = time.monotonic() + 120
        while len(workers_of(log)) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        cluster.workers[0].kill()

    killer = threading.Thread(target=kill_one)
    killer.start()
    told = []
    with Results(tmp_path / "r.sqlite") as results:
        runner = Runner(results, dask=cluster.address, tell=lambda done, n: told.append(done))
        answers = runner.ask(units)
        killer.join()
        assert len(results) == n
    assert len(workers_of(log)) == 2  # both had a part in it
    assert cluster.workers[0].wait() != 0
    assert answers.results == [draw(seed, 20) for seed in range(n)]
    assert answers.failed == {}
    assert told == list(range(n + 1))


@pytest.mark.slow
def test_a_unit_that_kills_worker_after_worker_fails_and_the_others_go_on(tmp_path):
    said, deadly = [], unit("die", "kill")
    units = [*(unit("draw", seed, 8) for seed in range(6)), deadly, unit("draw", 6, 8)]
    cluster = Cluster(tmp_path, nanny="--nanny", n_failures=0)  # a nanny starts a worker again
    try:
        answers = Runner(Results(), dask=cluster.address, say=said.append).ask(units)
    finally:
        cluster.close()
    assert answers.results == [draw(seed, 8) for seed in range(7)]
    assert list(answers.failed) == [deadly.key]
    assert "the workers that did it died" in answers.failed[deadly.key]
    assert len(said) == 1


def test_one_worker_does_the_work_and_not_this_process(cluster, tmp_path):
    cluster.workers.pop().kill()
    log = tmp_path / "log"
    units = [unit("logged", str(log), seed, 0.0) for seed in range(5)]
    assert Runner(Results(), dask=cluster.address).ask(units).results == [draw(seed, 20) for seed in range(5)]
    assert str(os.getpid()) not in workers_of(log)


def test_the_command_gives_the_same_numbers_on_a_cluster(cluster, tmp_path):
    words = ["reproduce", "sculley-2007", "--figure", "1", "--figure", "4"]
    for name, more in (("here", ["--jobs", "1"]), ("cluster", ["--dask", cluster.address])):
        assert main([*words, *more, "--out", str(tmp_path / name)]) == 0
    tables = {path.name: path.read_text() for path in (tmp_path / "here" / "tables").iterdir()}
    assert len(tables) >= 3
    assert tables == {path.name: path.read_text() for path in (tmp_path / "cluster" / "tables").iterdir()}


def test_an_address_where_nobody_is_is_one_line(monkeypatch):
    monkeypatch.setattr("lopsided.runs._pools.PATIENCE", "1s")
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(OSError, match=f"no Dask scheduler at {address}"):
        Runner(Results(), dask=address).ask([unit("draw", 0, 3)])
    with pytest.raises(OSError, match="no Dask scheduler at nonsense"):
        Runner(Results(), dask="nonsense://x").ask([unit("draw", 0, 3)])


def test_a_wrong_address_ends_the_command_with_one_line(tmp_path):
    address = f"tcp://127.0.0.1:{free_port()}"
    words = ["reproduce", "sculley-2007", "--figure", "4", "--dask", address]
    done = subprocess.run(
        [sys.executable, "-m", "lopsided", *words, "--out", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"no Dask scheduler at {address}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cluster_without_workers_is_one_line(monkeypatch, cluster):
    for worker in cluster.workers:
        worker.kill()
        worker.wait()
    monkeypatch.setattr("lopsided.runs._pools.PATIENCE", "5s")
    with pytest.raises(OSError, match=r"has no workers\. Start one with: dask worker tcp://"):
        Runner(Results(), dask=cluster.address).ask([unit("draw", 0, 3)])


def test_without_distributed_the_way_to_get_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'lopsided\[dask\]'"):
        Runner(Results(), dask="tcp://127.0.0.1:1").ask([unit("draw", 0, 3)])
