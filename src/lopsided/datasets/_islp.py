"""Tables inside the ISLP package, read from its wheel; the package itself is not installed."""

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from lopsided.datasets._table import CsvTable

ISLP = "the Python package ISLP (Introduction to Statistical Learning)"
ISLP_TERMS = "The terms of ISLP: a BSD licence."


def islp_builder(name: str) -> Callable[[Path], tuple[CsvTable]]:
    """Make a builder for one CSV file of the wheel, which pip downloads without its dependencies."""

    def build(folder: Path) -> tuple[CsvTable]:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input"]
        done = subprocess.run([*command, "--dest", str(folder), "ISLP"], capture_output=True, text=True)
        wheels = sorted(folder.glob("*.whl"))
        if done.returncode != 0 or not wheels:
            lines = done.stderr.strip().splitlines() or ["it downloaded no wheel"]
            raise OSError(f"pip could not download ISLP ({lines[-1]})")
        with zipfile.ZipFile(wheels[-1]) as wheel:
            header, *lines = wheel.read(f"ISLP/data/{name}.csv").decode("ascii").splitlines()
        return (CsvTable(header.split(","), lines),)

    return build
