import subprocess
from importlib.metadata import version

import pytest

from lopsided.runs import Results, Runner, Unit
from lopsided.runs import _version as module
from lopsided.runs._version import version_in

NUMBER = version("lopsided")


@pytest.fixture
def package(tmp_path):
    """Return a package folder in ``src`` of a place that is no checkout yet."""
    folder = tmp_path / "src" / "lopsided"
    folder.mkdir(parents=True)
    (folder / "code.py").write_text("x = 1\n")
    version_in.cache_clear()
    return folder


def git(folder, *words):
    who = ["-c", "user.name=N", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", folder, *who, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(package):
    root = package.parents[1]
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    return git(root, "rev-parse", "HEAD")


def test_an_installed_package_has_its_version_alone(package):
    assert version_in(package) == NUMBER


def test_a_checkout_has_its_commit(package):
    head = commit(package)
    assert version_in(package) == f"{NUMBER}+g{head[:12]}"


@pytest.mark.parametrize("name", ["code.py", "more.py"])
def test_code_that_differs_from_the_commit_says_so(package, name):
    head = commit(package)
    (package / name).write_text("x = 2\n")
    (package.parents[1] / "notes").write_text("beside the code\n")
    assert version_in(package) == f"{NUMBER}+g{head[:12]}.dirty"


def test_files_beside_the_code_do_not_count(package):
    head = commit(package)
    (package.parents[1] / "notes").write_text("beside the code\n")
    assert version_in(package) == f"{NUMBER}+g{head[:12]}"


def test_a_checkout_without_a_commit_or_without_git_has_its_version_alone(package, monkeypatch):
    git(package.parents[1], "init", "-q")
    assert version_in(package) == NUMBER
    version_in.cache_clear()
    commit(package)
    monkeypatch.setenv("PATH", "")
    assert version_in(package) == NUMBER


def test_a_runner_enters_it_with_each_result():
    results, root = Results(), Unit("math", "sqrt", (16.0,))
    answers = Runner(results).ask([root, Unit("math", "sqrt", (-1.0,))])
    assert results.versions == {module.code_version(): 2}
    assert answers.versions == {root.key: module.code_version()}
