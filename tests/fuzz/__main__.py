"""Fuzz every target for FUZZ_SECONDS, one after the other; `make fuzz` sets this up.

    python -m fuzz [TARGET ...]        with `tests` on the path

With a core that has sanitisers (ASAN_OPTIONS is set), the targets are those of compiled code, and inputs are
seeds changed at random. Otherwise they are the others, and Atheris keeps and changes further what reaches new
code.

A target runs in a process of its own and ends at its first finding: an exception, a crash, more than _SLOWEST
seconds for an input, or more memory than _LARGEST. The input is then in the target's folder of
`tests/fuzz/regressions`, where a test runs it from now on.
"""

import faulthandler
import hashlib
import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fuzz.targets import NAMES, SANITIZED, find_target

_SLOWEST = 30  # seconds; on a core with sanitisers, of processor time
_LARGEST = 2048  # MiB
_LONGEST = 4096  # bytes of an input, where no seed is longer
_KEPT = Path("build/fuzz")
_REGRESSIONS = Path(__file__).with_name("regressions")
_FOLLOWED = ("lopsided", "fuzz", "openpyxl", "bibtexparser", "skops", "zipfile", "email", "csv")


def main(names: list[str]) -> int:
    """Run the targets one after the other; the exit code says whether any found something."""
    sanitized = "ASAN_OPTIONS" in os.environ
    if unknown := set(names) - set(NAMES):
        sys.exit(f"no target {', '.join(sorted(unknown))}. There are: {', '.join(NAMES)}.")
    seconds = int(os.environ.get("FUZZ_SECONDS", "60"))
    chosen = [name for name in names or NAMES if (name in SANITIZED) == sanitized]
    found = [name for name in chosen if not _run(name, seconds, sanitized)]
    if found:
        print(f"found something: {', '.join(found)}. The inputs are in {os.path.relpath(_REGRESSIONS)}.")
    return bool(found)


def _run(name: str, seconds: int, sanitized: bool) -> bool:
    """Run one target in a process of its own, say how it went, and return whether nothing was found."""
    log, begun = _KEPT / f"{name}.log", time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    kind = "--changing" if sanitized else "--guided"
    with log.open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "fuzz", kind, name, str(seconds)], stdout=out, stderr=out, check=False
        )
    took, text = time.monotonic() - begun, log.read_text(errors="replace")
    n_inputs = max(map(int, re.findall(r"^#(\d+)", text, re.MULTILINE)), default=0)
    verdict = "nothing found" if done.returncode == 0 else f"FOUND SOMETHING: {_reason(text)} ({log})"
    if done.returncode and sanitized:
        data = _last_input(name).read_bytes()
        _keep(name).joinpath(f"crash-{hashlib.sha1(data).hexdigest()}").write_bytes(data)
    print(f"{name:14} {took:6.0f} s {n_inputs:12,} inputs  {verdict}", flush=True)
    return done.returncode == 0


def _reason(text: str) -> str:
    said = re.findall(
        r"^(?:[\w.]*(?:Error|Exception)\b.*|.*ERROR: .*|.*runtime error.*)$", text, re.MULTILINE
    )
    return said[0][:200] if said else "see the log"


def _keep(name: str) -> Path:
    folder = _REGRESSIONS / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _last_input(name: str) -> Path:
    return _KEPT / f"{name}.input"


def fuzz_by_changing(name: str, seconds: int) -> None:
    """Change seeds at random until the time is over; if the process dies, its input is on the disk."""
    from fuzz.target import mutate

    target, rng = find_target(name), random.Random()
    seeds = [*target.seeds(), *(path.read_bytes() for path in _keep(name).iterdir())]
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + _LARGEST * 1024
    faulthandler.register(signal.SIGPROF, chain=True)  # says where it was, and ends
    number, end = 0, math.inf
    while time.monotonic() < end:
        data = seeds[number] if number < len(seeds) else mutate(rng.choice(seeds), target.words, rng)
        _last_input(name).write_bytes(data)
        signal.setitimer(signal.ITIMER_PROF, _SLOWEST)  # of the processor: the core is slow
        faulthandler.dump_traceback_later(10 * _SLOWEST, exit=True)
        target.check(data)
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > most:
            raise MemoryError(f"more than {_LARGEST} MiB")
        number += 1
        if number == len(seeds):  # the first ones load what is imported late, which takes long on such a core
            end = time.monotonic() + seconds
        if number % 1000 == 0:
            print(f"#{number}", flush=True)
    signal.setitimer(signal.ITIMER_PROF, 0)
    faulthandler.cancel_dump_traceback_later()
    print(f"#{number}")


def fuzz_guided(name: str, seconds: int) -> None:
    """Fuzz with Atheris in this process, which ends at a finding and at the end."""
    import atheris

    with atheris.instrument_imports(include=list(_FOLLOWED)):
        target = find_target(name)
    seeds = target.seeds()
    kept, seeded = _KEPT / name, Path(tempfile.mkdtemp(prefix="lopsided-seeds-"))
    kept.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (seeded / str(number)).write_bytes(seed)
    words = kept.with_suffix(".dict")
    lines = [f'"{_escaped(word)}"' for word in target.words if len(word) < 64]
    words.write_text("\n".join(lines) + "\n")
    options = {
        "max_total_time": seconds,
        "timeout": _SLOWEST,
        "rss_limit_mb": _LARGEST,
        "max_len": max(_LONGEST, 2 * max(map(len, seeds))),
        "artifact_prefix": f"{_keep(name)}/",
    }
    arguments = [f"-{option}={value}" for option, value in options.items()]
    arguments += [f"-dict={words}"] if lines else []
    atheris.Setup([sys.argv[0], *arguments, str(kept), str(seeded), str(_keep(name))], target.check)
    atheris.Fuzz()


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--changing", name, seconds]:
            fuzz_by_changing(name, int(seconds))
        case ["--guided", name, seconds]:
            fuzz_guided(name, int(seconds))
        case names:
            sys.exit(main(names))
