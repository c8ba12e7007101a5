"""bogofilter, a Bayesian filter in wide use, in the place of ours: it decides, and hears what a user says."""

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import ArrayLike, NDArray

SPAM_CUTOFF, HAM_CUTOFF = 0.99, 0.45  # what it comes with
_SPAM, _HAM, _UNSURE = 0, 1, 2  # its exit codes


class Bogofilter:
    """A word list that begins empty, one process a message, as mail programs call it.

    Parameters
    ----------
    folder : Path
        For the word list.
    cutoff : float
        Hidden is what scores this or more; what it is unsure about is shown.
    updates : bool
        Register every message as what it was taken for (its ``-u``); what it is unsure about waits for the
        user.
    program : str
        What to run.
    """

    def __init__(
        self, folder: Path, cutoff: float = SPAM_CUTOFF, updates: bool = True, program: str = "bogofilter"
    ) -> None:
        # No file of settings, and no log of transactions, which costs time and changes no decision.
        self._base = [program, "-C", "-d", str(folder), "--db-transaction=no"]
        cutoffs = f"{cutoff},{min(cutoff, HAM_CUTOFF)}"
        self._decide = [*self._base, "-o", cutoffs, *(["-u"] if updates else [])]
        self._updates, self._begun, self._verdict = updates, updates, _UNSURE

    def shows(self, message: bytes) -> bool:
        """Return whether a message is shown."""
        # Without -u it refuses to judge before anything was registered.
        self._verdict = self._run(self._decide, message) if self._begun else _UNSURE
        return self._verdict != _SPAM

    def hear(self, message: bytes, ham: bool) -> None:
        """Take in what the user says about the message that was shown last."""
        registered = self._verdict == _HAM and self._updates
        if registered and ham:
            return
        option = "-n" if ham else "-Ns" if registered else "-s"
        self._run([*self._base, option], message)
        self._begun = True

    @staticmethod
    def _run(command: list[str], message: bytes) -> int:
        done = subprocess.run(command, input=message, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode not in (_SPAM, _HAM, _UNSURE):
            said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
            raise RuntimeError(f"{command[0]} failed: {said}")
        return done.returncode


def installed(program: str = "bogofilter") -> str | None:
    """Return the version line of bogofilter; None if it is not installed."""
    if shutil.which(program) is None:
        return None
    told = subprocess.run([program, "-V"], capture_output=True, text=True, errors="replace")
    return (told.stdout + told.stderr).strip().partition("\n")[0]


def replay(
    messages: list[bytes],
    y: ArrayLike,
    cutoff: float,
    updates: bool = True,
    program: str = "bogofilter",
) -> NDArray[np.bool_]:
    """Return which messages of a stream a new bogofilter shows; the user labels these."""
    show = np.zeros(len(messages), dtype=bool)
    with TemporaryDirectory() as folder:
        filter = Bogofilter(Path(folder), cutoff, updates, program)
        for i, (message, ham) in enumerate(zip(messages, np.asarray(y) == 1, strict=True)):
            show[i] = filter.shows(message)
            if show[i]:
                filter.hear(message, bool(ham))
    return show
