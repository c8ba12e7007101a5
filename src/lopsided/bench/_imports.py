"""Starting up: a command line and a mail filter pay for every import."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from lopsided.bench._measure import Row

_MESSAGE = b"From: anna@example.org\nSubject: lunch\n\nShall we have lunch at the usual place?\n"


def rows() -> Iterator[Row]:
    """``import lopsided`` may cost at most 1.3 times ``import numpy`` (a ratio of 1 / 1.3).

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
        ours=_filter_one,
        peer=lambda: _python("import numpy, scipy.sparse"),
        must=1 / 2.0,
        aim=1 / 1.3,
    )


def _python(statement: str) -> None:
    subprocess.run([sys.executable, "-c", statement], check=True)


def _filter_one() -> None:
    """The first message of all, so that a state is made as well."""
    with TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "lopsided", "filter", "run"],
            input=_MESSAGE,
            stdout=subprocess.DEVNULL,
            env=os.environ | {"LOPSIDED_STATE": str(Path(folder, "state"))},
            check=True,
        )
