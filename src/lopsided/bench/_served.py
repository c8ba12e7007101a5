"""The triage page under load: a real server, generated records, and a reviewer who asks over HTTP."""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import numpy as np
from numpy.typing import NDArray

from lopsided.bench._alone import peak_memory

_N_WORDS, _N_TITLE = 100, 10  # of a record, and of its title
_N_VOCABULARY = 60_000
_SYLLABLES = np.array([c + v for c in "bcdfghklmnprstvz" for v in "aeiou"], dtype=object)
_TOPIC = "gravity waves detector"
_RELEVANT, _COPIES = 0.01, 0.01  # shares of the records
_N_ANSWERS = 100
_MOST_TRIED = 20  # labels by which there has to be a model
_PAUSE = 0.2, 0.5  # seconds between an answer and the next: a quick reviewer
_LONGEST = 3600.0  # seconds to wait for a server
_CHUNK = 5_000


class ServedFigures(NamedTuple):
    """The times for which a reviewer of a new project waits, in seconds, and the memory of the server."""

    created: float
    """From naming the file until all its records are in the project."""
    first_model: float
    """From then until a question comes from a model that has seen all records."""
    answers: NDArray[np.float64]
    """From each answer to the record that comes next."""
    page: float
    """From asking for the screening page until it is there."""
    restarted: float
    """From starting a server for the same project until it shows a record."""
    cpu: float | None
    """Processor time of the first server; None where the system does not say."""
    peak: int | None
    """Most bytes that the server used; None where the system does not say."""
    load: float
    """Processes that ran or waited to run on the machine at the end, the mean of a minute."""


def measure_page(n_records: int) -> ServedFigures:
    """Import generated records into a new project, and answer a hundred times while models are fitted."""
    with tempfile.TemporaryDirectory(prefix="lopsided-bench-") as folder:
        table = Path(folder) / "records.csv"
        relevant = write_records(table, n_records)
        with _serving(Path(folder) / "project.db") as (client, pid):
            begun = time.perf_counter()
            _import(client, table)
            created = time.perf_counter()
            shown = _first_model(client, relevant)
            modelled = time.perf_counter()
            answers = list(_answer(client, shown, relevant))
            asked = time.perf_counter()
            client.get("/screen")
            page = time.perf_counter() - asked
            _wait_until(lambda: _state_of_import(client) == "done", every=0.5)  # copies have been joined
            peak, cpu = peak_memory(pid), _cpu(pid)
        asked = time.perf_counter()
        with _serving(Path(folder) / "project.db") as (client, _):
            _wait_until(lambda: "item" in client.ask("GET", "/api/next"), every=0.05)
            restarted = time.perf_counter() - asked
    return ServedFigures(
        created=created - begun,
        first_model=modelled - created,
        answers=np.array(answers),
        page=page,
        restarted=restarted,
        cpu=cpu,
        peak=peak,
        load=os.getloadavg()[0],
    )


def write_records(path: Path, n: int) -> NDArray[np.bool_]:
    """Write a table of made-up records of 100 words, and return which are relevant.

    Words are as frequent as in a language (Zipf), one record of a hundred names the topic, and one of a
    hundred is a copy of the record before it.
    """
    rng = np.random.default_rng(0)
    lengths = rng.integers(2, 5, size=_N_VOCABULARY).tolist()
    words = np.array(["".join(rng.choice(_SYLLABLES, size=k)) for k in lengths], dtype=object)
    shares = 1 / np.arange(10, _N_VOCABULARY + 10)
    steps = np.cumsum(shares / shares.sum())
    relevant = rng.random(n) < _RELEVANT
    copied = rng.random(n) < _COPIES
    copied[:1] = False
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["id", "title", "abstract"])
        title = text = ""
        for begin in range(0, n, _CHUNK):
            drawn = np.searchsorted(steps, rng.random((min(_CHUNK, n - begin), _N_WORDS)))
            for row, places in enumerate(drawn, begin):
                if copied[row]:
                    relevant[row] = relevant[row - 1]
                else:
                    chosen = words[np.minimum(places, _N_VOCABULARY - 1)]
                    title = " ".join(chosen[:_N_TITLE])
                    text = " ".join([*chosen[_N_TITLE:], _TOPIC] if relevant[row] else chosen[_N_TITLE:])
                table.writerow([row, title, text])
    return relevant


class _Client:
    """A reviewer's browser: one connection, a cookie, and what forms send back."""

    def __init__(self, address: str) -> None:
        self._connection = HTTPConnection(urlsplit(address).netloc, timeout=_LONGEST)
        self._cookie = self._csrf = ""
        self.get("/import")
        self._csrf = self.ask("GET", "/api/session")["csrf"]

    def get(self, path: str) -> str:
        """Return a page."""
        return self._send("GET", path, None, {"accept": "text/html"})[1]

    def send_form(self, path: str, values: dict[str, str]) -> dict[str, Any]:
        """Send a form, and return what it leads to; empty where that is a page."""
        headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
        body = urlencode({"csrf": self._csrf} | values)
        return _as_json(*self._send("POST", path, body, headers))

    def ask(self, method: str, path: str, values: Any = None) -> dict[str, Any]:
        """Ask the API; the answer has a key "ok"."""
        headers = {"content-type": "application/json", "x-csrf-token": self._csrf}
        return _as_json(*self._send(method, path, None if values is None else json.dumps(values), headers))

    def _send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> tuple[int, str]:
        cookie = {"cookie": self._cookie} if self._cookie else {}
        self._connection.request(method, path, body, headers | cookie)
        answer = self._connection.getresponse()
        if told := answer.getheader("set-cookie"):
            self._cookie = told.partition(";")[0]
        return answer.status, answer.read().decode()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _as_json(status: int, text: str) -> dict[str, Any]:
    if 300 <= status < 400:
        return {}
    answer: dict[str, Any] = json.loads(text)
    if status not in (200, 503):  # 503: the documents are still being read
        raise RuntimeError(f"the page answered {status}: {answer.get('error')}")
    return answer


@contextmanager
def _serving(project: Path) -> Iterator[tuple[_Client, int]]:
    """Serve a new project as a user would; yield a client and the number of the process."""
    command = [sys.executable, "-m", "lopsided", "serve", str(project), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            told = process.stdout.readline()
            if not told:
                raise RuntimeError("lopsided serve did not start. Run it by hand to see why.")
            with closing(_Client(json.loads(told)["address"])) as client:
                yield client, process.pid
        finally:
            process.terminate()


def _import(client: _Client, table: Path) -> None:
    preview = client.send_form("/import/path", {"path": str(table)})["next"]
    client.send_form(preview, {"title": "title", "text": "abstract", "key": "id"})

    _wait_until(lambda: _state_of_import(client) not in ("waiting", "reading"), every=0.1)


def _state_of_import(client: _Client) -> str:
    found = re.search(r'class="state[^"]*">([^<]*)<', client.get("/import"))
    state = found[1] if found else "missing"
    if state in ("failed", "missing"):
        raise RuntimeError(f"the import is {state}.")
    return state


def _first_model(client: _Client, relevant: NDArray[np.bool_]) -> dict[str, Any]:
    """Wait until all records have been read, label some of a search, and return the first ranked question."""
    n_single = (1 - 2 * _COPIES) * len(relevant) - 10  # copies are joined meanwhile
    _wait_until(lambda: client.ask("GET", "/api/standing").get("n_items", -1) >= n_single, every=0.05)
    shown = client.ask("POST", "/api/search", {"words": _TOPIC})
    for _ in range(_MOST_TRIED):
        if shown["probability"] is not None and shown["reason"] != "search":
            return shown
        shown = _give(client, shown, bool(relevant[shown["item"] - 1]))
    raise RuntimeError(f"no model after {_MOST_TRIED} labels.")


def _answer(client: _Client, shown: dict[str, Any], relevant: NDArray[np.bool_]) -> Iterator[float]:
    """Answer, and yield the seconds until the next record."""
    rng = np.random.default_rng(0)
    for pause in rng.uniform(*_PAUSE, size=_N_ANSWERS):
        if shown["item"] is None:
            return  # all are labeled: there are few
        time.sleep(pause)
        begun = time.perf_counter()
        shown = _give(client, shown, bool(relevant[shown["item"] - 1]))
        yield time.perf_counter() - begun


def _give(client: _Client, shown: dict[str, Any], relevant: bool) -> dict[str, Any]:
    label = 1 if relevant else 2
    values = {name: shown[name] for name in ("item", "reason", "token")}
    return client.ask("POST", "/api/answers", values | {"label": label})


def _wait_until(condition: Callable[[], bool], *, every: float) -> None:
    end = time.monotonic() + _LONGEST
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"the server was not ready after {_LONGEST:.0f} seconds.")
        time.sleep(every)


def _cpu(pid: int) -> float | None:
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return None
    # behind the name, which may hold blanks: 12 and 13 are the ticks in user and kernel mode
    fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
