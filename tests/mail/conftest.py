"""What tests of the mail filter share."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture
def short_path():
    """A folder for sockets: their addresses hold about 100 bytes, which ``tmp_path`` may exceed."""
    with TemporaryDirectory(prefix="lopsided-", dir="/tmp") as folder:
        yield Path(folder)
