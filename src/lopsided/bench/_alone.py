"""Work in a process of its own, which can be stopped and whose memory can be measured."""

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

_PREPARED = b"prepared"


def run_alone(target: str, limit: float | None = None) -> Any:
    """Run ``module:function`` in a fresh interpreter; None if it is stopped after ``limit`` seconds.

    The function is a generator: what comes before its first ``yield`` is preparation and has no limit; its
    second ``yield`` is the answer, which must fit into JSON.
    """
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    code = "import sys; from lopsided.bench._alone import serve; serve(sys.argv[1])"
    with subprocess.Popen(
        [sys.executable, "-c", code, target],
        stdout=subprocess.PIPE,
        env=os.environ | one_thread,
        bufsize=0,  # so that reading a line takes no more than that line
    ) as process:
        try:
            assert process.stdout is not None
            for line in iter(process.stdout.readline, b""):
                if line.strip() == _PREPARED:  # and not what a library has to say
                    break
            answer, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            process.kill()  # harmless where it has ended
    if process.returncode != 0:
        raise RuntimeError(f"{target} failed in a process of its own: exit code {process.returncode}.")
    return json.loads(answer.splitlines()[-1])


def serve(target: str) -> None:
    """Run the function that `run_alone` names, in the process that it started."""
    module, function = target.split(":")
    steps = getattr(import_module(module), function)()
    next(steps)
    print(_PREPARED.decode(), flush=True)
    print(json.dumps(next(steps)), flush=True)


class PeakMemory:
    """Bytes in use at the start, and the most since then; None where the system does not say (Linux does)."""

    def __init__(self) -> None:
        self._start = None
        if _STATUS.exists():
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget earlier peaks
            self._start = _kilobytes("VmRSS")

    def grown(self) -> int | None:
        """Return how many bytes the peak lies above the start."""
        return None if self._start is None else 1024 * (_kilobytes("VmHWM") - self._start)


def peak_memory(pid: int) -> int | None:
    """Return the most bytes that a process has used; None where the system does not say."""
    status = Path(f"/proc/{pid}/status")
    return 1024 * _kilobytes("VmHWM", status) if status.exists() else None


_STATUS = Path("/proc/self/status")


def _kilobytes(name: str, status: Path = _STATUS) -> int:
    found = re.search(rf"^{name}:\s*(\d+) kB", status.read_text(encoding="ascii"), flags=re.MULTILINE)
    assert found is not None
    return int(found.group(1))
