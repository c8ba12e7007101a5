"""ASReview's default beside ours, in an environment of its own and from the same starts."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lopsided.screening._simulate import SimulatedRun
from lopsided.screening._words import parts_of

NAME = "ASReview"
_FOLDER = "lopsided-"  # it starts in a folder of its own: its packages leave a file where they start
# What the other Python runs. It reads one JSON document, and writes a line for its version and for each run.
_PROGRAM = """
import json, sys, time
import numpy as np, pandas as pd
import asreview
from asreview.learner import ActiveLearningCycle
from asreview.models.models import get_ai_config
from asreview.simulation.simulate import Simulate

task = json.load(sys.stdin)
print(json.dumps(asreview.__version__), flush=True)
records = pd.DataFrame({"title": task["titles"], "abstract": task["abstracts"]})
labels = pd.Series(task["labels"])
for start, seed in zip(task["starts"], task["seeds"]):
    np.random.seed(seed)
    cycle = ActiveLearningCycle.from_meta(get_ai_config()["value"])
    simulation = Simulate(records, labels, [cycle], print_progress=False)
    simulation.label(start)
    simulation.review()
    results = simulation._results
    seconds = float(np.median(np.diff(results["time"].to_numpy(float)[len(start):])))
    print(json.dumps({"rows": results["record_id"].tolist(), "seconds": seconds}), flush=True)
"""


def find_asreview(python: Path) -> tuple[Path, str]:
    """Return the whole path of a Python, which any process finds, and its version of ASReview.

    Raises OSError or ValueError where there is none.

    Parameters
    ----------
    python : path
    """
    program = _program(python)
    check = "import asreview; from asreview.simulation.simulate import Simulate; print(asreview.__version__)"
    with tempfile.TemporaryDirectory(prefix=_FOLDER) as folder:
        found = subprocess.run(
            [program, "-I", "-c", check], cwd=folder, capture_output=True, text=True, timeout=300
        )
    if found.returncode:
        raise _not_there(python, found.stderr)
    return Path(program), found.stdout.strip().splitlines()[-1]


def _program(python: Path) -> str:
    """Return the whole path of a program, which may be named without its folder."""
    found = shutil.which(python.absolute()) or shutil.which(python)
    if found is None:
        raise OSError(f"cannot run {python}: it is not there, or no program. Name a Python with ASReview 3.")
    return found


def _not_there(python: Path, complaint: str) -> ValueError:
    lines = complaint.strip().splitlines()
    why = lines[-1] if lines else "it ended without a word"
    return ValueError(f"ASReview did not run in {python} ({why}). Install it there: asreview>=3,<4.")


def simulate_asreview(
    python: Path,
    records: Sequence[Any],
    relevant: Sequence[bool],
    beside: Sequence[SimulatedRun],
    *,
    tell: Callable[[int, int], None] | None = None,
) -> tuple[str, list[SimulatedRun]]:
    """Run ASReview's default on the same records, from the start of each of our runs.

    Parameters
    ----------
    python : path
        The Python of an environment in which ASReview 3 is installed.
    records : sequence of Record or str
        ASReview reads titles and texts.
    relevant : sequence of bool
        The true labels.
    beside : sequence of SimulatedRun
        Our runs, each from a relevant and an irrelevant record.
    tell : callable or None, default=None
        Called with the number of finished runs and of all runs.

    Returns
    -------
    version : str
        ASReview's version.
    runs : list of SimulatedRun
        Its runs, until the last relevant record was found.
    """
    parts = [parts_of(record) for record in records]
    task = {
        "titles": [title for title, _, _ in parts],
        "abstracts": [text for _, text, _ in parts],
        "labels": [int(label) for label in relevant],
        "starts": [run.rows[:2].tolist() for run in beside],
        "seeds": [run.seed for run in beside],
    }
    with (
        tempfile.TemporaryDirectory(prefix=_FOLDER) as folder,
        tempfile.TemporaryFile("w+") as complaints,
        subprocess.Popen(
            [_program(python), "-I", "-c", _PROGRAM],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            json.dump(task, process.stdin)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it ended before it read: its error says why
        lines = []
        for line in process.stdout:
            lines.append(json.loads(line))
            if tell is not None:
                tell(len(lines) - 1, len(beside))
        process.wait()
        complaints.seek(0)
        complaint = complaints.read()
    if process.returncode or len(lines) != len(beside) + 1:
        raise _not_there(python, complaint)
    version, *results = lines
    return str(version), [_read(result, run, relevant) for result, run in zip(results, beside, strict=True)]


def _read(result: dict[str, Any], beside: SimulatedRun, relevant: Sequence[bool]) -> SimulatedRun:
    rows = np.array(result["rows"], dtype=np.intp)
    return SimulatedRun(
        strategy=NAME,
        seed=beside.seed,
        rows=rows,
        relevant=np.asarray(relevant, dtype=bool)[rows],
        n_items=len(relevant),
        n_relevant=int(np.sum(relevant)),
        seconds_a_label=result["seconds"],
    )
