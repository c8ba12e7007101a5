"""Files and tables from public sources, with a progress bar on a terminal."""

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from tarfile import TarFile
from typing import Any

from lopsided._lazy import is_installed
from lopsided.terminal import DownloadBar


def download(url: str, folder: Path) -> Path:
    """Download one file into a folder and return its path."""
    import pooch  # late: models are fitted without it

    path = folder / url.rsplit("/", 1)[1]
    bar = DownloadBar(path.name) if sys.stderr.isatty() else False
    try:
        pooch.HTTPDownloader(progressbar=bar, chunk_size=1 << 16)(url, str(path), None)
    finally:
        if isinstance(bar, DownloadBar):
            bar.close()
    return path


def members(archive: TarFile) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file of an archive; nothing is unpacked to disk."""
    for member in archive:
        file = archive.extractfile(member) if member.isfile() else None
        if file is not None:
            yield member.name, file.read()


def from_scikit_learn(fetch: Callable[..., Any], folder: Path, **options: Any) -> Any:
    """Call a fetcher of scikit-learn so that all it writes stays in ``folder``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of each retry; the last failure is raised anyway
        return fetch(data_home=str(folder), n_retries=1, **options)


def from_openml(data_id: int, folder: Path) -> tuple[Any, Any]:
    """Return the matrix and the target of an OpenML data set, in the order of its file."""
    from sklearn.datasets import fetch_openml

    # The parser of pandas is many times faster; without pandas scikit-learn has its own.
    parser = "pandas" if is_installed("pandas") else "liac-arff"
    bunch = from_scikit_learn(fetch_openml, folder, data_id=data_id, as_frame=False, parser=parser)
    return bunch.data, bunch.target


def normal_text(raw: bytes) -> str:
    """Return bytes as text: one to one as latin-1, with LF line ends.

    Examples
    --------
    >>> normal_text(b"caf\\xe9\\r\\n")
    'café\\n'
    """
    return raw.replace(b"\r\n", b"\n").decode("latin-1")
