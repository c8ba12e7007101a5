"""No object reads or writes what is private to another: ``x._name``, where x is not the object itself.

Nor does a file import a private name of another file. Python does not enforce this, so a test counts. What
two objects or files share has a public name.
"""

import ast
import functools
import re
from pathlib import Path

import pytest

import lopsided

SOURCE = Path(lopsided.__file__).parent
RESEARCH = Path(__file__).parents[1] / "research"

# Names with an underscore that others publish.
PUBLISHED = {
    "_replace": "NamedTuple",
    "_asdict": "NamedTuple",
    "_fields": "NamedTuple",
    "_parameter_constraints": "scikit-learn: a subclass extends the table of its base",
    "_validate_params": "scikit-learn: checks parameters against that table",
    "_get_param_names": "scikit-learn: the names of an estimator's parameters",
    "_init_callback_context": "scikit-learn: how an estimator reports to callbacks",
    "_repr_html_": "IPython: how an object shows itself in a notebook",
    "_getframe": "sys: the frame that called",
    "_exit": "os: ends a process without cleaning up",
}

# (file, name) -> why it may be read there.
ALLOWED = {
    ("_stored.py", "_check_stored"): "a class says in its own words what a file must not hold; load asks it",
    ("online/_margin_perceptron.py", "_derived"): "a subclass extends the names of its base",
    ("_kernels/rows.pyx", "_point_at"): "a class method fills the object of its own class that it makes",
}


# (file, name) -> why it may be imported there.
ALLOWED_IMPORTS = {
    ("_compat.py", "_fit_context"): "scikit-learn: one place takes what it keeps private",
    ("share_check.py", "_held_out_scores"): "the check goes through the steps of the estimate one by one",
}


def private_imports(tree):
    """Yield the line and the name of each private name imported; a private module is no such name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if is_private(alias.name) and not is_module(f"{node.module}.{alias.name}"):
                    yield node.lineno, alias.name


def is_module(name):
    path = SOURCE.parent.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def private_attributes(tree):
    """Yield the line and the text of each private attribute of another object."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not is_private(node.attr):
            continue
        owner = ast.unparse(node.value)
        if owner not in ("self", "cls", "type(self)", "super()"):
            yield node.lineno, f"{owner}.{node.attr}", node.attr


def is_private(name):
    return name.startswith("_") and not name.startswith("__") and name not in PUBLISHED


def private_attributes_of_cython(code):
    """Yield the same for a file in Cython, line by line: it has no parser in Python."""
    for number, line in enumerate(code.splitlines(), 1):
        for owner, name in re.findall(r"\b(\w+)\.(_[a-z]\w*)", line.partition("#")[0]):
            if owner != "self" and is_private(name) and "import" not in line:
                yield number, f"{owner}.{name}", name


@functools.cache
def found_in_source():
    """Return (file, line, text, name) of all private attributes of other objects."""
    found = []
    for path in sorted(SOURCE.rglob("*.py*")):
        if path.suffix in (".py", ".pyx"):
            code = path.read_text(encoding="utf-8")
            is_python = path.suffix == ".py"
            there = private_attributes(ast.parse(code)) if is_python else private_attributes_of_cython(code)
            found += [(path.relative_to(SOURCE).as_posix(), *one) for one in there]
    return found


def test_no_file_touches_what_is_private_to_another_object():
    found = [
        f"{path}:{line}: {text}"
        for path, line, text, name in found_in_source()
        if (path, name) not in ALLOWED
    ]
    assert found == []


@functools.cache
def imported_in_source():
    """Return (file, line, name) of all private names that are imported, in research too."""
    files = [(path, folder) for folder in (SOURCE, RESEARCH) for path in sorted(folder.rglob("*.py"))]
    return [
        (path.relative_to(folder).as_posix(), *one)
        for path, folder in files
        for one in private_imports(ast.parse(path.read_text(encoding="utf-8")))
    ]


def test_no_file_imports_what_is_private_to_another_file():
    found = [
        f"{path}:{line}: {name}"
        for path, line, name in imported_in_source()
        if (path, name) not in ALLOWED_IMPORTS
    ]
    assert found == []


def test_every_exception_is_needed():
    assert {(path, name) for path, _, _, name in found_in_source()} >= set(ALLOWED)
    assert {(path, name) for path, _, name in imported_in_source()} >= set(ALLOWED_IMPORTS)


@pytest.mark.parametrize(
    ("code", "n_found"),
    [
        ("other._rows = 1", 1),
        ("self.part._rows", 1),
        ("f(x)._rows[0]", 1),
        ("self._rows, cls._rows, type(self)._rows, super()._rows", 0),
        ("x.__dict__, x.rows", 0),
        ("point._replace(x=1)", 0),
    ],
)
def test_what_counts(code, n_found):
    assert len(list(private_attributes(ast.parse(code)))) == n_found


def test_what_counts_in_cython():
    code = "self._rows\nlearner._check(rows)  # not other._this\nfrom a._b cimport c"
    assert [text for _, text, _ in private_attributes_of_cython(code)] == ["learner._check"]


@pytest.mark.parametrize(
    ("code", "n_found"),
    [
        ("from lopsided.pu._share import _trees, estimate_positive_share", 1),
        ("from lopsided.compare import _rare", 0),  # a module
        ("from lopsided.svm import LASVC\nfrom __future__ import annotations", 0),
    ],
)
def test_which_imports_count(code, n_found):
    assert len(list(private_imports(ast.parse(code)))) == n_found
