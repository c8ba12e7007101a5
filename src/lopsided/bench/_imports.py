"""Starting up: a command line and a mail filter pay for every import."""

import subprocess
import sys
from collections.abc import Iterator

from lopsided.bench._measure import Row


def rows() -> Iterator[Row]:
    """``import lopsided`` may cost at most 1.3 times ``import numpy`` (a ratio of 1 / 1.3)."""
    yield Row(
        "import",
        "python -c 'import lopsided'",
        "import numpy",
        ours=lambda: _python("import lopsided"),
        peer=lambda: _python("import numpy"),
        must=1 / 1.3,
    )


def _python(statement: str) -> None:
    subprocess.run([sys.executable, "-c", statement], check=True)
