"""Start-up time: a command line and a mail filter pay for every import."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from lopsided.bench._measure import Row, Timed
from lopsided.mail._filter import AFFORDABLE, MailFilter
from lopsided.mail._settings import Settings
from lopsided.problems.mail import read_mail

_MESSAGE = b"From: anna@example.org\nSubject: lunch\n\nShall we have lunch at the usual place?\n"


def rows() -> Iterator[Row]:
    """Time ``import lopsided``, which may cost at most 1.3 times ``import numpy`` (a ratio of 1 / 1.3).

    A process that filters one message may cost at most twice the import of what it computes with. An editable
    install looks for changed sources first, and is slower.
    """
    yield Row(
        "import",
        "python -c 'import lopsided'",
        "import numpy",
        ours=lambda: _python("import lopsided"),
        peer=lambda: _python("import numpy"),
        must=1 / 1.3,
    )
    yield Row(
        "T7b",
        "one message through 'lopsided filter run', the whole process",
        "import numpy, scipy.sparse",
        ours=_filter_first,
        peer=lambda: _python("import numpy, scipy.sparse"),
        must=1 / 2.0,
        aim=1 / 1.3,
    )
    yield Row(
        "T7b later",
        "the same with a state that has decided and learned for long",
        "import numpy, scipy.sparse",
        ours=_filter_later,
        peer=lambda: _python("import numpy, scipy.sparse"),
        must=1 / 2.0,
        aim=1 / 1.3,
    )


def _python(statement: str) -> None:
    subprocess.run([sys.executable, "-c", statement], check=True)


def _filter_first() -> Timed:
    """Filter the first message, which also makes a new state."""
    with TemporaryDirectory() as folder:
        return _filter_one(Path(folder, "state"))


def _filter_later() -> Timed:
    """Filter one message with a state whose lessons since the last snapshot are learned again."""
    mail = read_mail("spamassassin")
    with TemporaryDirectory() as folder:
        path = Path(folder, "state")
        with MailFilter.open(path, create=Settings(), seed=0) as filter, filter.turn():
            for message, is_ham in zip(mail.heads, mail.y, strict=True):
                decided = filter.decide(message)
                if decided.decision.show:
                    filter.learn("ham" if is_ham else "spam", decided.id)
                if filter.n_lessons == AFFORDABLE and filter.engine.gate.n_rounds > len(mail.y) / 2:
                    break
        return _filter_one(path)


def _filter_one(state: Path) -> Timed:
    start = perf_counter()
    subprocess.run(
        [sys.executable, "-m", "lopsided", "filter", "run"],
        input=_MESSAGE,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"LOPSIDED_STATE": str(state)},
        check=True,
    )
    return Timed(perf_counter() - start)
