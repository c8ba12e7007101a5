"""T13: `lopsided find` in an archive that is not kept in memory, against reading and counting words alone."""

import json
import os
import random
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from lopsided.bench._measure import Quality, Row, Timed

_WANTED = "sci.space"
_KNOWN = 100
_LISTED = 20  # as the command does
_WORDS = 150  # of a document at most
_OTHER = 0.1  # of them are replaced by words of other documents
_NEW = 0.005  # and so many are misspelt, so that there is no end of new words
_MOST = 2 * 2**30  # bytes of memory
_WORD = re.compile(r"\w+")


def rows() -> Iterator[Row]:
    """Yield the rows; both sides count seconds of the processor, so that other work disturbs less."""
    for name, n in (("T13", 1_000_000), ("T13 100k", 100_000), ("T13 20k", 20_000)):
        yield make_row(name, n)


def make_row(name: str, n: int) -> Row:
    """Return the row of an archive of n documents."""
    return Row(
        name,
        f"lopsided find in {n:,} documents, 100 known, CPU seconds",
        "reading them and counting their stems",
        ours=partial(_ours, n),
        peer=partial(_in_process, "read", n),
        must=1 / 1.5,
        aim=1 / 1.1,
        repeats=1,
        quality=_judge,
    )


def _ours(n: int) -> Timed:
    _archive(n)  # written before the time is taken
    return _in_process("find", n)


def _judge(ours: Any, peer: Any) -> Quality:
    figures = (
        f"peak {ours['peak'] / 2**20:,.0f} MiB (reading alone {peer['peak'] / 2**20:,.0f}), "
        f"{ours['wall']:.1f} s on the clock (reading alone {peer['wall']:.1f}), "
        f"{100 * ours['precision']:.1f} % of the first 1,000 are {_WANTED}"
    )
    return Quality(figures, ours["peak"] < _MOST)


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="lopsided-bench-", ignore_cleanup_errors=True)


@cache
def _archive(n: int) -> tuple[Path, Path]:
    """Write the known documents and the archive; ids of the wanted ones in it begin with w."""
    from lopsided.datasets import fetch_newsgroups, fetch_reuters21578

    news, reuters = fetch_newsgroups(), fetch_reuters21578()
    wanted = [_WORD.findall(t) for t, y in zip(news.data, news.target, strict=True) if y == _number(news)]
    others = [_WORD.findall(t) for t, y in zip(news.data, news.target, strict=True) if y != _number(news)]
    others += [_WORD.findall(text) for text in reuters.data]
    draw = random.Random(0)
    words = [word for document in others[::7] for word in document]
    folder = Path(_folder().name)
    known, archive = folder / f"known{n}.jsonl", folder / f"archive{n}.jsonl"
    with open(known, "w") as file:
        for document in wanted[:_KNOWN]:
            file.write(json.dumps({"id": "k", "text": " ".join(document[:_WORDS])}) + "\n")
    with open(archive, "w") as file:
        for i in range(n):
            is_wanted = draw.random() < 0.01
            document = draw.choice(wanted[_KNOWN:] if is_wanted else others)
            first = draw.randrange(max(1, len(document) - _WORDS + 1))
            line = {
                "id": f"{'w' if is_wanted else 'o'}{i}",
                "text": _changed(document[first : first + _WORDS], words, draw),
            }
            file.write(json.dumps(line) + "\n")
    return known, archive


def _number(news: Any) -> int:
    return list(news.target_names).index(_WANTED)


def _changed(document: list[str], words: list[str], draw: random.Random) -> str:
    document = list(document)
    for _ in range(round(_OTHER * len(document))):
        document[draw.randrange(len(document))] = draw.choice(words)
    for _ in range(len(document)):
        if draw.random() < _NEW:
            place = draw.randrange(len(document))
            document[place] += "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=3))
    return " ".join(document)


def _in_process(what: str, n: int) -> Timed:
    """Do it in a process of its own, so that its peak of memory can be told."""
    command = [sys.executable, "-c", f"from lopsided.bench import _scale; _scale.work({what!r})"]
    paths = [str(path) for path in _archive(n)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([*command, *paths], check=True, stdout=subprocess.PIPE, text=True, env=environment)
    found = json.loads(done.stdout)
    return Timed(found["seconds"], found)


def work(what: str) -> None:
    """Find, or read and count alone, and print the figures as JSON."""
    from lopsided.pu._archives import FileArchive
    from lopsided.pu._find_archive import find_in_archive
    from lopsided.pu._stem_spool import StemCounter
    from lopsided.text import read_documents
    from lopsided.text._bags import list_parts

    known, archive = map(Path, sys.argv[1:])
    asked = {"text": None, "id": "id", "label": None, "mail": "text", "max_bytes": 10 * 2**20}
    documents = FileArchive(list(list_parts(archive, None, 10 * 2**20)), asked)
    positives = read_documents(known)
    start, wall = process_time(), perf_counter()
    report = None
    if what == "read":
        for _ in documents.count(StemCounter(frozenset()), lambda done, n: None):
            pass
    else:
        report = find_in_archive(positives, documents)
        report.first(_LISTED)
    figures = {"seconds": process_time() - start, "wall": perf_counter() - wall, "peak": _peak()}
    if report is not None:
        first = report.first(1000)
        figures["precision"] = sum(record.id.startswith("w") for record in first) / len(first)
    print(json.dumps(figures))


def _peak() -> int:
    """Return the most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
