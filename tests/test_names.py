"""A class has a name of its own: who reads it knows which class it is, and finds it by searching."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

import lopsided

SOURCE = Path(lopsided.__file__).parent

# Name -> why there are two classes of this name.
SHARED = {
    "Gate": "the gate of a filter, and its loop over many rows, compiled",
    "Learner": "the protocol of learners, and the base of the compiled ones",
    "Winnow": "the estimator, and its compiled learner",
}


def classes(path):
    """Return the names of the classes in a file, in Python or in Cython."""
    code = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return [node.name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ClassDef)]
    return re.findall(r"^\s*(?:cdef )?class (\w+)", code, flags=re.MULTILINE)


def shared_names(folder):
    """Return the names that more than one class has, with the files that define them."""
    places = defaultdict(list)
    for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.pyx")]):
        for name in classes(path):
            places[name].append(path.relative_to(folder).as_posix())
    return {name: files for name, files in places.items() if len(files) > 1}


def test_no_two_classes_have_one_name():
    found = shared_names(SOURCE)
    assert {name: files for name, files in found.items() if name not in SHARED} == {}


@pytest.mark.parametrize("name", SHARED)
def test_every_exception_is_needed(name):
    assert name in shared_names(SOURCE)


def test_what_counts(tmp_path):
    (tmp_path / "a.py").write_text("class Rows: ...\nclass Table:\n    class Row: ...")
    (tmp_path / "b.pyx").write_text("cdef class Rows:\n    pass\n# class Table:\n")
    (tmp_path / "c.py").write_text("def f():\n    class Row: ...")
    assert shared_names(tmp_path) == {"Rows": ["a.py", "b.pyx"], "Row": ["a.py", "c.py"]}
