"""Arrows point one way, and `import lopsided` is lazy."""

import ast
import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lopsided

SOURCE = Path(lopsided.__file__).parent

# A folder (or module of the root) may import what stands on a later line, and itself.
LAYERS = [
    ("__main__",),
    ("cli",),
    ("bench",),
    ("web",),
    ("screening", "store"),
    ("compare", "demo"),
    ("papers",),
    ("problems",),
    ("_persistence",),
    ("utils",),
    ("unexpected", "mail"),
    ("feedback", "pu"),
    ("svm", "online", "boosting"),
    ("experiments",),
    ("plot", "runs", "report"),
    ("text", "metrics", "datasets"),
    ("_probabilities",),
    ("_search",),
    ("_archive", "_stored"),
    ("_preparation",),
    ("_blocks",),
    ("_sparse",),
    ("_kernels",),
    ("_labels", "_validation", "_files", "terminal", "_compat"),
    ("_wording", "_lazy"),
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def parts_imported(path):
    """The parts of lopsided that a file imports anywhere, late imports included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} uses a relative import"
            modules = [node.module]
            if node.module == "lopsided":
                modules = [f"lopsided.{lopsided._HOME.get(a.name, a.name)}" for a in node.names]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            continue
        for module in modules:
            if module.startswith("lopsided."):
                yield module.split(".")[1]


def source_files():
    files = [path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py"]
    assert len(files) > 30
    return files


@pytest.mark.parametrize("path", source_files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_arrows_point_one_way(path):
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert own in LEVEL, f"give {own} its place in LAYERS"
    for part in parts_imported(path):
        assert part == own or LEVEL[part] > LEVEL[own], f"{own} must not import {part}"


def private_names_of_sklearn(path):
    """Yield what a file imports that is private to scikit-learn."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.startswith("sklearn.") and "._" in name)


def test_private_names_of_sklearn_are_imported_in_one_place():
    files = [path for path in source_files() if any(private_names_of_sklearn(path))]
    found = [path.relative_to(SOURCE).as_posix() for path in files]
    assert found == ["_compat.py"]


def test_contributing_lists_the_layers_in_this_order():
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `src/lopsided/(.+?) \|", text, flags=re.MULTILINE)
    listed = [tuple(name.removesuffix(".py") for name in re.findall(r"\w+(?:\.py)?", row)) for row in rows]
    assert listed == LAYERS[1:]  # without __main__, which is the command itself


def test_kernels_import_numpy_and_nothing_of_ours():
    for path in (SOURCE / "_kernels").glob("*.pyx"):
        assert "lopsided" not in path.read_text(encoding="utf-8")


def loaded_by(code):
    """Top-level packages that a fresh interpreter has loaded after running the code."""
    script = (
        f"import json, sys\n{code}\nprint(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_importing_lopsided_loads_nothing_heavy():
    assert not loaded_by("import lopsided") & {
        "numpy",
        "scipy",
        "sklearn",
        "pandas",
        "matplotlib",
        "click",
        "rich",
        "jinja2",
    }


def test_the_help_screen_loads_nothing_heavy():
    loaded = loaded_by("from lopsided.cli import main; main(['--help'])")
    assert "click" in loaded
    assert not loaded & {"numpy", "scipy", "sklearn", "pandas", "matplotlib", "jinja2"}


def test_a_process_that_runs_units_loads_what_they_need():
    assert not loaded_by("import lopsided.runs") & {"scipy", "sklearn"}


def test_templates_are_loaded_by_the_first_page():
    loaded = loaded_by("import lopsided\nfor name in lopsided.__all__: getattr(lopsided, name)")
    assert "sklearn" in loaded
    assert not loaded & {"jinja2", "markupsafe"}


def test_every_name_loads_without_the_optional_packages():
    optional = "pandas pyarrow polars matplotlib skops imblearn tqdm"
    loaded = loaded_by(
        f"for name in {optional!r}.split(): sys.modules[name] = None\n"
        "import lopsided\nfor name in lopsided.__all__: getattr(lopsided, name)"
    )
    assert "sklearn" in loaded


BEYOND_SCIKIT_LEARN = (
    "alembic bibtexparser click dask distributed fastapi highspy imblearn jinja2 matplotlib openpyxl pandas "
    "polars pooch psycopg pyarrow requests rich skops snowballstemmer sqlalchemy Stemmer tqdm uvicorn"
)

# Not `sys.modules[name] = None`, which scikit-learn takes for a module that was loaded.
HIDE = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
"""

ON_NUMBERS = """
import numpy as np
import lopsided
rng = np.random.default_rng(0)
X = np.abs(np.r_[rng.normal(0, 1, (60, 3)), rng.normal(4, 1, (60, 3))])
known = np.repeat([0, 1], 60)
for model in (lopsided.SVMC(), lopsided.RocSVM(), lopsided.LASVC(), lopsided.AdaBoostStumps()):
    assert model.fit(X, known).predict(X).shape == (120,), model
known[40:60] = -1
assert lopsided.UnexpectedDetector().fit(X, known).predict(X).shape == (120,)
"""


def test_models_are_fitted_where_scikit_learn_alone_is_installed():
    everything = "import lopsided\nfor name in lopsided.__all__: getattr(lopsided, name)\n"
    loaded = loaded_by(HIDE.format(names=BEYOND_SCIKIT_LEARN.split()) + everything + ON_NUMBERS)
    assert "sklearn" in loaded


def test_boosting_by_linear_programs_says_what_it_needs():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "highspy", None)
        for booster in (lopsided.LPBoostStumps, lopsided.LPUBoostStumps):
            with pytest.raises(
                ImportError, match=r"linear programs needs highspy: pip install 'lopsided\[boosting\]'"
            ):
                booster(stumps="threshold").fit(X, y)


def test_every_public_name_is_there_and_listed():
    for name in lopsided.__all__:
        assert getattr(lopsided, name) is not None
    assert set(lopsided.__all__) <= set(dir(lopsided))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = lopsided.nonsense
    assert lopsided.__version__[0].isdigit()


def test_stubs_of_compiled_modules_say_what_is_there():
    for stub in (SOURCE / "_kernels").glob("*.pyi"):
        module = importlib.import_module(f"lopsided._kernels.{stub.stem}")
        said = [node for node in ast.parse(stub.read_text(encoding="utf-8")).body if hasattr(node, "name")]
        there = {
            name
            for name, thing in vars(module).items()
            if not name.startswith("_") and callable(thing) and thing.__module__ == module.__name__
        }
        assert {node.name for node in said} == there
        for node in said:
            thing = getattr(module, node.name)
            if isinstance(node, ast.ClassDef):
                public = {name for name in vars(thing) if not name.startswith("_")}
                assert {part.name if hasattr(part, "name") else part.target.id for part in node.body} - {
                    "__init__"
                } == public
            else:
                assert [a.arg for a in node.args.args] == list(inspect.signature(thing).parameters)


def test_the_build_knows_every_folder():
    meson = Path(__file__).parents[1] / "src" / "lopsided" / "meson.build"
    listed = re.search(r"folders = \[(.*?)\]", meson.read_text(encoding="utf-8")).group(1)
    there = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*/*.py")} - {"."}
    assert set(re.findall(r"'([\w/]+)'", listed)) == there


def test_type_checkers_see_the_same_names():
    """The imports under TYPE_CHECKING are the lazy names, no more and no fewer."""
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.asname or alias.name for node in block.body for alias in node.names}
    assert seen == set(lopsided.__all__)
