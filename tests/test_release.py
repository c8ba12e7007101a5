"""What a release needs agrees with itself."""

import re
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOT_YET = re.compile(
    r"not on the index yet\]\((\.\./docs/)?getting-started\.md#install\)|not on a package index yet"
)
PAGES = sorted(
    page
    for page in [*ROOT.glob("docs/*.md"), *ROOT.glob("examples/*.md")]
    if re.search(r"pip install '?lopsided", page.read_text(encoding="utf-8"))
)


def test_the_version_is_one():
    (version,) = re.findall(
        r"^  version: '(.+)'", (ROOT / "meson.build").read_text(encoding="utf-8"), re.MULTILINE
    )
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in citation
    (released,) = re.findall(r"^date-released: (.+)$", citation, flags=re.MULTILINE)
    date.fromisoformat(released)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_say_how_to_install_until_there_is_a_release(page):
    assert NOT_YET.search(page.read_text(encoding="utf-8"))


def test_the_readme_says_so_too():
    assert len(PAGES) > 5
    install = (ROOT / "README.md").read_text(encoding="utf-8").split("## Install")[1].split("\n## ")[0]
    assert "not on a package index yet" in install
    extras = re.findall(r"^\| (`.+?) \|", install, flags=re.MULTILINE)
    listed = {name for row in extras for name in re.findall(r"`(\w+)`", row)}
    assert listed == extras_of_the_project() - {"all", "test"}


def extras_of_the_project():

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return set(project["optional-dependencies"])


def test_notes_become_a_heading_of_the_changelog(tmp_path):
    (tmp_path / ".ci").mkdir()
    (tmp_path / "changes").mkdir()
    (tmp_path / ".ci" / "changelog").write_bytes((ROOT / ".ci" / "changelog").read_bytes())
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\nNewest first.\n\n## 0.1.0\n\n- old\n")
    (tmp_path / "changes" / "README.md").write_text("how")
    (tmp_path / "changes" / "12.md").write_text("One.\nIt goes on.\n")
    (tmp_path / "changes" / "7.md").write_text("Two.\n")
    command = [sys.executable, str(tmp_path / ".ci" / "changelog"), "0.2.0", "2027-01-02"]
    subprocess.run(command, check=True)
    assert (tmp_path / "CHANGELOG.md").read_text() == (
        "# Changelog\n\nNewest first.\n\n## 0.2.0 (2027-01-02)\n\n- One.\n  It goes on.\n- Two.\n"
        "\n## 0.1.0\n\n- old\n"
    )
    assert [path.name for path in (tmp_path / "changes").iterdir()] == ["README.md"]
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "no notes in changes/" in again.stderr
