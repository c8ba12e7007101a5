"""The version and the commit of the code that computes a result."""

import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def code_version() -> str:
    """Return the version of the library, and behind a plus sign the commit where it runs from a checkout.

    A checkout whose code differs from its commit says so: ``0.1.0+g1a2b3c4d5e6f.dirty``.

    Examples
    --------
    >>> code_version().startswith("0.")
    True
    """
    return version_in(_PACKAGE)


@cache
def version_in(package: Path) -> str:
    """Return the version of the code in a folder: a checkout has it in ``src``."""
    number = version("lopsided")
    if not (package.parents[1] / ".git").exists():
        return number
    commit = _git(package, "rev-parse", "--short=12", "HEAD")
    if not commit:  # no git here, or no commit yet
        return number
    return f"{number}+g{commit}{'.dirty' if _git(package, 'status', '--porcelain', '--', '.') else ''}"


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
