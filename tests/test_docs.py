"""Documentation that runs, and says everything there is."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import click
import pytest

import lopsided
import lopsided.cli
from lopsided._lazy import is_installed
from lopsided.utils import all_estimators

ROOT = Path(__file__).parents[1]
SOURCE = Path(lopsided.__file__).parent
REFERENCE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
# What needs packages that are not installed is not there to be tested.
ABSENT = () if is_installed("sqlalchemy") else ("lopsided.store.", "store.md")
MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages([str(Path(lopsided.__file__).parent)], "lopsided.")
    if not info.name.startswith(("lopsided._kernels", *ABSENT)) or info.name == "lopsided._kernels.checks"
)
PAGES = sorted(
    [
        ROOT / "README.md",
        *(page for page in ROOT.glob("docs/*.md") if page.name not in ABSENT),
        *(page for folder in ("api", "theory", "tutorials") for page in ROOT.glob(f"docs/{folder}/*.md")),
    ]
)
LONG = {"tutorials/positives.md", "tutorials/unexpected.md"}  # half a minute each


def as_case(page):
    """Return a page as a parameter, by its path, slow where it takes long."""
    name = page.relative_to(ROOT / "docs" if "docs" in page.parts else ROOT).as_posix()
    return pytest.param(page, id=name, marks=[pytest.mark.slow] * (name in LONG))


ARTICLES = {"The", "A", "An", "That", "Of", "What", "How", "Which", "Whether", "Each", "One", "All", "Those"}


def is_property(function):
    names = {
        getattr(decorator, "id", getattr(decorator, "attr", "")) for decorator in function.decorator_list
    }
    return bool(names & {"property", "cached_property", "setter"})


def first_lines(tree):
    """Yield the name and the first line of the docstring of each function that is no property."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not is_property(node):
            text = ast.get_docstring(node)
            if text:
                yield node.name, text.splitlines()[0]


def begins_with_a_verb(line):
    """Return False where a line begins with an article, a question, a formula or a small letter."""
    word = re.match(r"[\w-]*", line)[0]
    return word.isalpha() and word[0].isupper() and word not in ARTICLES


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_docstrings_of_functions_begin_with_a_verb(path):
    lines = first_lines(ast.parse(path.read_text(encoding="utf-8")))
    assert [(name, line) for name, line in lines if not begins_with_a_verb(line)] == []


QUESTIONS = {"What", "How", "Where", "Which", "Who", "Why", "When", "Is", "Does", "Those", "That", "Of"}


def begins_with_a_question(line):
    return re.match(r"[\w-]*", line)[0] in QUESTIONS


def nouns(tree):
    """Yield name and first line of the docstring of the module, each class and each property."""
    for node in ast.walk(tree):
        is_noun = isinstance(node, ast.Module | ast.ClassDef) or (
            isinstance(node, ast.FunctionDef) and is_property(node)
        )
        if is_noun and (text := ast.get_docstring(node)):
            yield getattr(node, "name", ""), text.splitlines()[0]


def test_docstrings_of_modules_classes_and_properties_say_what_the_thing_is():
    found = {
        (path.relative_to(SOURCE).as_posix(), name)
        for path in SOURCE.rglob("*.py")
        for name, line in nouns(ast.parse(path.read_text(encoding="utf-8")))
        if begins_with_a_question(line)
    }
    assert found == set()


def test_what_begins_with_a_verb():
    told = {"Return f.": True, "The mean.": False, "f of x.": False, "1-DNF.": False, "(1 + x).": False}
    assert {line: begins_with_a_verb(line) for line in told} == told


def all_commands():
    context = click.Context(lopsided.cli.command)
    for name in lopsided.cli.command.list_commands(context):
        command = lopsided.cli.command.get_command(context, name)
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {sub}", child) for sub, child in command.commands.items())


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings(module):
    failed, _ = doctest.testmod(importlib.import_module(module))
    assert failed == 0


def test_there_are_examples_to_run():
    assert len(MODULES) > 30
    finder = doctest.DocTestFinder()
    examples = [t for m in MODULES for t in finder.find(importlib.import_module(m)) if t.examples]
    assert len(examples) > 20


@pytest.mark.parametrize("page", [as_case(page) for page in PAGES])
def test_examples_on_pages(page, need):
    for data_set in set(re.findall(r">>>.* = fetch_(\w+)\(", page.read_text(encoding="utf-8"))):
        need(data_set)
    failed, _ = doctest.testfile(str(page), module_relative=False)
    assert failed == 0


@pytest.mark.parametrize("name", [n for n in lopsided.__all__ if not inspect.ismodule(getattr(lopsided, n))])
def test_every_public_name_is_documented(name):
    thing = getattr(lopsided, name)
    assert f"`{name}`" in REFERENCE
    assert ">>>" in thing.__doc__ or name.startswith(("fetch_", "load")), f"{name} has no example"


@pytest.mark.parametrize(
    "module",
    ["metrics", "datasets", "text", "plot", "svm", "online", "boosting", "feedback", "bench", "demo"]
    + ["store"],
)
def test_every_name_of_a_folder_is_documented(module):
    if f"lopsided.{module}." in ABSENT:
        pytest.skip("needs lopsided[web]")
    package = importlib.import_module(f"lopsided.{module}")
    assert package.__doc__
    for name in package.__all__:
        thing = getattr(package, name)
        if callable(thing):
            assert thing.__doc__, f"{module}.{name} has no docstring"
            assert module in ("bench", "demo") or f"`{name}`" in REFERENCE, (
                f"{module}.{name} is not in reference.md"
            )


PARAMETERS = re.compile(r"Parameters\n-+\n(.*?)(?=\n[A-Z][A-Za-z ]+\n-{3,}|\Z)", flags=re.DOTALL)


@pytest.mark.parametrize("name", sorted(lopsided.__all__))
def test_every_parameter_is_documented(name):
    """No parameter is missing from the docstring, and none is there that does not exist."""
    thing = getattr(lopsided, name)
    if not callable(thing) or (isinstance(thing, type) and issubclass(thing, BaseException)):
        return
    taken = [parameter for parameter in inspect.signature(thing).parameters if not parameter.startswith("_")]
    section = PARAMETERS.search(inspect.getdoc(thing))
    heads = re.findall(r"(?m)^(\S[^:\n]*?)\s*:", section[1]) if section else []
    told = [parameter.strip(" *") for head in heads for parameter in head.split(",")]
    assert sorted(told) == sorted(taken)


# Parameter -> why it is there although nothing reads it.
WITHOUT_EFFECT = {("RelaxedOnlineSVM", "random_state"): "its documentation says so"}


def names_read(thing):
    """Return the names of the attributes that a class and its neighbours in the folder read."""
    files = {Path(inspect.getsourcefile(c)) for c in thing.__mro__ if c.__module__.startswith("lopsided")}
    files |= set(Path(inspect.getsourcefile(thing)).parent.glob("*.py"))
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in files]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return {node.attr for node in nodes if isinstance(node.ctx, ast.Load)}


def test_every_parameter_of_an_estimator_has_an_effect():
    unread = {
        (name, parameter)
        for name, thing in all_estimators()
        for parameter in set(inspect.signature(thing).parameters) - names_read(thing)
    }
    assert unread == set(WITHOUT_EFFECT)


def public_methods():
    """Yield the methods that our public classes define, with their names."""
    for name in sorted(lopsided.__all__):
        thing = getattr(lopsided, name)
        if not isinstance(thing, type):
            continue
        for method in dir(thing):
            found = inspect.getattr_static(thing, method)
            found = getattr(found, "__func__", found)
            if inspect.isfunction(found) and method[0] != "_" and found.__module__.startswith("lopsided"):
                yield f"{name}.{method}", found


# Their writers say in a sentence what ``n`` and ``delimiter`` are, alike in all of them.
REPORTS = ("FindReport", "RuleReport", "UnexpectedReport")


def test_every_parameter_of_a_method_is_documented():
    missing = []
    for name, method in public_methods():
        section = PARAMETERS.search(inspect.getdoc(method) or "")
        told = section[1] if section else ""
        taken = [
            parameter
            for parameter in inspect.signature(method).parameters
            if parameter not in ("self", "cls")
        ]
        lacks = [one for one in taken if not re.search(rf"(?m)^(\w+, )*\**{one}\b", told)]
        if name.startswith(REPORTS):
            lacks = sorted(set(lacks) - {"n", "delimiter"})
        if lacks:
            missing.append(f"{name}: {', '.join(lacks)}")
    assert not missing, "; ".join(missing)


@pytest.mark.parametrize(("name", "command"), list(all_commands()), ids=lambda value: str(value))
def test_every_command_is_documented(name, command):
    assert f"lopsided {name}" in REFERENCE
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"lopsided {name} {parameter.opts[0]} has no help"
    if not isinstance(command, click.Group):
        assert any("--json" in p.opts for p in command.params), f"lopsided {name} has no --json"


def test_links_between_pages_lead_somewhere():
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_make_target_of_the_readme_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\bmake ([a-z-]+)", page.read_text(encoding="utf-8")):
            assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), f"{page.name}: no target {target}"
