"""Model files as a stranger might have made them: each is a good one with one thing changed.

`python hostile_files.py FIRST LAST` reads and uses the files of these numbers. A number says which model, and
what is changed in its file; it is printed before anything is done, so that the last number printed is the one
that ended the process. All is well if a file is refused by a ValueError of one line, or does no harm.
"""

import copy
import io
import json
import signal
import sys
import tempfile
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import skops.io
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import lopsided as ls
from lopsided._persistence import _own_types

SECONDS = 60  # for one file: nothing takes one
_NUMBERS = (
    *(-1, 0, 1, 2, 3, 7, -(2**62), 2**62, 2**31, 2**31 - 1, 2**63, -(2**63), 2**64, 10**30),
    *(0.5, -0.5, 1e-300, 1e30, 1e200, 1e308, -1e308, float("nan"), float("inf"), float("-inf")),
    *(None, True, False, "", "linear", "precomputed", [], [1, 2], {}, {"a": 1}),
)

_rng = np.random.default_rng(0)
X, y = ls.make_lopsided(60, 4, 0.3, separation=3.0, random_state=0)
S = csr_array(np.where(np.abs(X) > 0.5, X, 0))
COUNTS = csr_array(_rng.poisson(0.4, (60, 12)).astype(float))
TEXTS = ["cheap pills now", "meeting at noon", "cheap meeting", "pills at noon"] * 3
FRAME = pd.DataFrame(X, columns=list("abcd"))
_three = np.where(np.arange(60) < 10, 2, y)
_names = np.array(["no", "yes"])[y]
_known = np.where(np.arange(60) < 45, y, -1)
_positives = np.where(np.arange(60) % 2, y, 0)


def _stream(filter: Any, values: Any) -> Any:
    for i in range(40):
        decision = filter.decide(X[i : i + 1])
        if decision.show[0]:
            filter.learn(X[i : i + 1], values[i : i + 1], decision)
    return filter


def fitted_models() -> dict[str, tuple[Any, Callable[[Any], Any]]]:
    """Every public estimator and filter, in its kinds, and what its owner does with it."""
    classify = _use_classifier
    return {
        "AdaBoostStumps": (
            ls.AdaBoostStumps(n_rounds=4, stumps="threshold").fit(FRAME, y),
            classify(FRAME, y),
        ),
        "AdaBoost of classifiers": (
            ls.AdaBoostStumps(n_rounds=3, weak_learner=LogisticRegression()).fit(X, y),
            classify(X, y),
        ),
        "AdaUBoostStumps": (ls.AdaUBoostStumps(n_rounds=4).fit(COUNTS, _three), classify(COUNTS, _three)),
        "LPBoostStumps": (ls.LPBoostStumps(n_rounds=6, stumps="threshold").fit(X, y), classify(X, y)),
        "LPUBoostStumps": (ls.LPUBoostStumps(n_rounds=6).fit(COUNTS, _names), classify(COUNTS, _names)),
        "LPUBoostStumpsCV": (
            ls.LPUBoostStumpsCV(betas=(2,), nus=(0.1, 0.2), weak_learners=("real.mh",), n_rounds=3).fit(
                COUNTS, y
            ),
            classify(COUNTS, y),
        ),
        "ByteGramVectorizer": (ls.ByteGramVectorizer(n_features=64), _use_vectorizer),
        "ByteGramVectorizer, exact": (ls.ByteGramVectorizer(n_features=None).fit(TEXTS), _use_vectorizer),
        "StemmedVectorizer": (ls.StemmedVectorizer().fit(TEXTS), _use_vectorizer),
        "LASVC": (ls.LASVC(random_state=0).fit(X, y), classify(X, y)),
        "LASVC, sparse, three classes": (ls.LASVC(random_state=0).fit(S, _three), classify(S, _three)),
        "LASVC, active": (
            ls.LASVC(selection="active", max_labels=20, random_state=np.random.RandomState(0)).fit(X, _names),
            classify(X, _names),
        ),
        "LASVC, precomputed": (ls.LASVC(kernel="precomputed").fit(X @ X.T, y), classify(X @ X.T, y)),
        "LASVC, probabilities": (
            ls.LASVC(probability=True, random_state=0).fit(X, _three),
            classify(X, _three),
        ),
        "LASVCCV": (ls.LASVCCV({"C": [0.1, 1.0]}, cv=2, random_state=0).fit(X, y), classify(X, y)),
        "MarginPerceptron": (ls.MarginPerceptron(fit_intercept=True).fit(X, y), classify(X, y)),
        "MarginPerceptron, float32": (ls.MarginPerceptron().fit(X.astype(np.float32), y), classify(X, y)),
        "MarginPerceptron, kernel": (ls.MarginPerceptron(kernel="rbf").fit(S, _names), classify(S, _names)),
        "Winnow": (ls.Winnow().fit(np.abs(X), y), classify(np.abs(X), y)),
        "OnlineSVM": (ls.OnlineSVM().fit(S, y), classify(S, y)),
        "RelaxedOnlineSVM": (ls.RelaxedOnlineSVM(buffer_size=20).fit(X, y), classify(X, y)),
        "RelaxedOnlineSVM, passes": (
            ls.RelaxedOnlineSVM(buffer_size=20, max_passes=100).fit(X.astype(np.float32), _names),
            classify(X, _names),
        ),
        "OnlineRegressor": (ls.OnlineRegressor().fit(X, X[:, 0]), _use_regressor),
        "OneSidedFilter": (
            _stream(
                ls.OneSidedFilter(ls.MarginPerceptron(), ls.LabelEfficient(), guard=True, random_state=0), y
            ),
            _use_filter(y),
        ),
        "OneSidedFilter, SVM": (
            _stream(ls.OneSidedFilter(ls.RelaxedOnlineSVM(), ls.AppleTasting(), random_state=0), y),
            _use_filter(y),
        ),
        "ValueFilter": (
            _stream(ls.ValueFilter(ls.OnlineRegressor(), 0.1, ls.EpsilonGreedy(), random_state=0), X[:, 0]),
            _use_filter(X[:, 0]),
        ),
        "MappingConvergence": (ls.MappingConvergence().fit(X, _positives), classify(X, _positives)),
        "MappingConvergence, sparse": (
            ls.MappingConvergence(kernel="rbf").fit(S, _positives),
            classify(S, _positives),
        ),
        "MappingConvergence, 1-DNF": (
            ls.MappingConvergence(mapper="1dnf", solver="linear").fit(COUNTS, _positives),
            classify(COUNTS, _positives),
        ),
        "SVMC of a classifier": (
            ls.SVMC(solver=LogisticRegression()).fit(X, _positives),
            classify(X, _positives),
        ),
        "SMC": (ls.SMC().fit(X.astype(np.float32), _positives), classify(X, _positives)),
        "PEBL": (ls.PEBL().fit(COUNTS, _positives), classify(COUNTS, _positives)),
        "RocSVM": (ls.RocSVM().fit(COUNTS, _positives), classify(COUNTS, _positives)),
        "SpyEM": (ls.SpyEM(random_state=0).fit(COUNTS, _positives), classify(COUNTS, _positives)),
        "LGN": (ls.LGN(random_state=0).fit(COUNTS, _known), classify(COUNTS, _known)),
        "UnexpectedDetector, numbers": (
            ls.UnexpectedDetector(random_state=0).fit(np.vstack([X, X]), np.repeat([1, -1], 60)),
            classify(X, y),
        ),
        "UnexpectedDetector, words": (
            ls.UnexpectedDetector(background=COUNTS, random_state=0).fit(COUNTS, _known),
            classify(COUNTS, y),
        ),
        "OpenSetClassifier": (
            ls.OpenSetClassifier(MultinomialNB(), detector=ls.LGN(random_state=0)).fit(COUNTS, _known),
            classify(COUNTS, _known),
        ),
        "ArtificialNegatives, counts": (
            ls.ArtificialNegatives(random_state=0).fit(COUNTS, _known),
            _use_sampler,
        ),
        "ArtificialNegatives, numbers": (
            ls.ArtificialNegatives(random_state=0).fit(
                np.vstack([X, X[:20] + 6]).astype(np.float32), np.repeat([1, -1], [60, 20])
            ),
            _use_sampler,
        ),
        "Pipeline": (
            make_pipeline(ls.StemmedVectorizer(), ls.MarginPerceptron()).fit(TEXTS, y[:12]),
            lambda model: (model.predict(TEXTS), model.decision_function(TEXTS)),
        ),
    }


def _use_classifier(rows: Any, labels: Any) -> Callable[[Any], None]:
    def use(model: Any) -> None:
        repr(model)
        model.predict(rows)
        for method in ("decision_function", "pvalues", "evidence", "predict_proba"):
            if hasattr(model, method):
                getattr(model, method)(rows[::-1] * 0.9)  # new rows, not those of fit
        if hasattr(model, "staged_decision_function"):
            list(model.staged_decision_function(rows))
        for attribute in (
            *("coef_", "intercept_", "dual_coef_", "support_", "support_vectors_", "n_support_", "rules_"),
            *("history_", "n_rounds_", "n_iter_", "converged_", "buffer_labels_", "n_bytes_", "queried_"),
        ):
            getattr(model, attribute, None)
        if hasattr(model, "explain"):
            str(model.explain())
        if hasattr(model, "query"):
            model.query(rows, 2)
        if hasattr(model, "partial_fit") and getattr(model, "kernel", None) != "precomputed":
            model.partial_fit(rows[:20], labels[:20])
            model.partial_fit(rows[20:], labels[20:])
            model.predict(rows)
        if hasattr(model, "finish"):
            model.finish()

    return use


def _use_regressor(model: Any) -> None:
    model.predict(X)
    model.partial_fit(X, X[:, 1]).predict(X)


def _use_vectorizer(model: Any) -> None:
    model.transform([*TEXTS, b"cheap\xff\x00" * 100])
    if hasattr(model, "get_feature_names_out"):
        model.get_feature_names_out()


def _use_sampler(model: Any) -> None:
    model.sample(5)
    model.sample(3, random_state=1)


def _use_filter(values: Any) -> Callable[[Any], None]:
    def use(filter: Any) -> None:
        repr(filter)
        _stream(filter, values)
        filter.decide(X)
        filter.missed()

    return use


class File:
    """A model file taken apart: what its schema says, and the parts that it names."""

    def __init__(self, model: Any) -> None:
        with zipfile.ZipFile(io.BytesIO(skops.io.dumps(model))) as archive:
            self.schema = json.loads(archive.read("schema.json"))
            parts = {name: archive.read(name) for name in archive.namelist() if name != "schema.json"}
        # skops names parts by addresses in memory: here they have the same names in every run.
        names = {name: f"{k}{Path(name).suffix}" for k, name in enumerate(parts)}
        self.parts = {names[name]: part for name, part in parts.items()}
        for node in self.nodes():
            if "file" in node:
                node["file"] = names[node["file"]]

    def write(self, path: Path) -> None:
        """Put it together again."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, part in self.parts.items():
                archive.writestr(name, part)
            archive.writestr("schema.json", json.dumps(self.schema))

    def nodes(self) -> Iterator[Any]:
        """All nodes, in order."""
        waiting = [self.schema]
        while waiting:
            value = waiting.pop()
            if isinstance(value, dict):
                if "__loader__" in value:
                    yield value
                waiting.extend(value.values())
            elif isinstance(value, list):
                waiting.extend(value)

    def find(self, *path: str) -> Any:
        """The node of an attribute, by the names that lead to it."""
        node = self.schema
        for name in path:
            while name not in node["content"]:
                node = node["content"]
            node = node["content"][name]
        return node

    def put(self, value: str, *path: str) -> None:
        """Let the schema say something else of an attribute: JSON."""
        change(self.find(*path), content=value)

    def array(self, *path: str) -> np.ndarray:
        """The array of an attribute."""
        return np.load(io.BytesIO(self.parts[self.find(*path)["file"]]))

    def put_array(self, array: np.ndarray, *path: str) -> None:
        """Put another in its place."""
        self.parts[self.find(*path)["file"]] = packed(array)


def change(node: Any, **parts: Any) -> None:
    """Change a node, which is then no longer the one that it was: skops numbers those that are the same."""
    node.update(parts)
    node.pop("__id__", None)


def packed(array: np.ndarray) -> bytes:
    """An array as NumPy writes it."""
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def change_something(file: File, rng: np.random.Generator) -> str:
    """Change one thing; returns what it was."""
    for _ in range(100):
        change = _CHANGES[rng.integers(len(_CHANGES))]
        said = change(file, rng)
        if said:
            return f"{change.__name__}: {said}"
    raise AssertionError("nothing to change")


def _one_of(things: list[Any], rng: np.random.Generator) -> Any:
    return things[rng.integers(len(things))] if things else None


def _a_value(file: File, rng: np.random.Generator) -> str:
    node = _one_of([node for node in file.nodes() if node["__loader__"] == "JsonNode"], rng)
    if node is None:
        return ""
    before = node["content"]
    change(node, content=json.dumps(_one_of(list(_NUMBERS), rng)))
    return f"{before} -> {node['content']}"


def _an_array(file: File, rng: np.random.Generator) -> str:
    name = _one_of([name for name in file.parts if name.endswith(".npy")], rng)
    if name is None:
        return ""
    array, said = _changed_array(np.load(io.BytesIO(file.parts[name])), rng)
    file.parts[name] = packed(array)
    return f"{name} {said}"


def _a_sparse_matrix(file: File, rng: np.random.Generator) -> str:
    name = _one_of([name for name in file.parts if name.endswith(".npz")], rng)
    if name is None:
        return ""
    with np.load(io.BytesIO(file.parts[name])) as inside:
        arrays = dict(inside)
    which = _one_of(["data", "indices", "indptr", "shape"], rng)
    arrays[which], said = _changed_array(arrays[which], rng)
    out = io.BytesIO()
    np.savez(out, **arrays)
    file.parts[name] = out.getvalue()
    return f"{which} of {name} {said}"


def _changed_array(array: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, str]:
    array = array.copy()
    kind = rng.integers(8)
    with np.errstate(all="ignore"):
        if kind <= 2 and array.size and array.dtype.kind in "iuf":
            limits = np.iinfo(array.dtype) if array.dtype.kind in "iu" else np.finfo(array.dtype)
            values = [limits.min, limits.max, 0, 1, 2, 5, 100, *(() if array.dtype.kind == "u" else (-1, -5))]
            values += [np.nan, np.inf, -np.inf, 1e30, 1e-30] if array.dtype.kind == "f" else []
            values += [array.max() + 1, array.min() - 1 if array.min() > limits.min else 0]
            value = _one_of(values, rng)
            if kind == 0:
                array[...] = value
            else:
                array.flat[rng.integers(array.size)] = value
            return array, f"holds {value}" if kind else f"is all {value}"
        if kind == 3:
            shapes = [(-1,), (1, -1), (-1, 1), (1, 1, -1)]
            return array.reshape(_one_of(shapes, rng)), "of another shape"
        if kind == 4:
            types = ["f4", "f8", "i1", "i4", "i8", "u8", "?", "S3", "U3", ">f8"]
            return array.astype(_one_of(types, rng)) if array.dtype.kind != "U" else array[
                :0
            ], "of another type"
        if kind == 5:
            return array[: len(array) // 2] if array.ndim else np.zeros(3), "shorter"
        if kind == 6:
            return np.concatenate([array, array]) if array.ndim else np.zeros((2, 2)), "longer"
        return rng.permutation(array) if array.ndim else array[None], "in another order"


def _exchanged(file: File, rng: np.random.Generator) -> str:
    one, two = (_one_of(list(file.parts), rng) for _ in range(2))
    if one == two:
        return ""
    file.parts[one], file.parts[two] = file.parts[two], file.parts[one]
    return f"{one} and {two}"


def _a_node(file: File, rng: np.random.Generator) -> str:
    """One node in the place of another."""
    one, two = (_one_of(list(file.nodes()), rng) for _ in range(2))
    other = copy.deepcopy(two)
    if one is two or one is file.schema or json.dumps(one) in json.dumps(other):
        return ""
    said = f"{one['__class__']} -> {other['__class__']}"
    one.clear()
    change(one, **other)
    return said


def _an_attribute(file: File, rng: np.random.Generator) -> str:
    """Left out, or under another name."""
    node = _one_of([n for n in file.nodes() if n["__loader__"] == "DictNode" and n["content"]], rng)
    if node is None:
        return ""
    name = _one_of(sorted(node["content"]), rng)
    place = list(node["content"]).index(name)
    value = node["content"].pop(name)
    if rng.integers(2):
        node["content"][_one_of(["predict", "_core", "_lock", "other_", "coef_"], rng)] = value
        return f"{name} renamed"
    del node["key_types"]["content"][place]
    return f"without {name}"


def _an_item(file: File, rng: np.random.Generator) -> str:
    """A list that is longer or shorter."""
    lists = [n for n in file.nodes() if n["__loader__"] in ("ListNode", "TupleNode") and n["content"]]
    node = _one_of(lists, rng)
    if node is None:
        return ""
    place = rng.integers(len(node["content"]))
    if rng.integers(2):
        del node["content"][place]
        return f"{node['__class__']} without item {place}"
    node["content"].insert(place, copy.deepcopy(node["content"][place]))
    return f"{node['__class__']} with item {place} twice"


def _a_class(file: File, rng: np.random.Generator) -> str:
    ours = [n for n in file.nodes() if n["__module__"].startswith("lopsided")]
    node = _one_of(ours, rng)
    if node is None:
        return ""
    name = _one_of(sorted(_OUR_TYPES), rng)
    before = node["__class__"]
    module, _, cls = name.rpartition(".")
    change(node, __module__=module, __class__=cls)
    return f"{before} -> {name}" if cls != before else ""


_CHANGES = [
    *(_a_value, _a_value, _a_value, _an_array, _an_array, _an_array, _a_sparse_matrix, _exchanged),
    *(_a_node, _an_attribute, _an_item, _a_class),
]
# Estimators of scikit-learn are in these. What those make of attributes that are not theirs is their affair.
WITH_OTHERS = ("AdaBoost of classifiers", "SVMC of a classifier", "OpenSetClassifier", "Pipeline")
_OUR_TYPES = _own_types()


def try_file(number: int, models: dict[str, tuple[Any, Any]], files: dict[str, File], folder: Path) -> str:
    """Read one hostile file and use what it holds; returns what happened, "!" before what must not."""
    name = list(models)[number % len(models)]
    rng = np.random.default_rng(number)
    if name not in files:
        files[name] = File(models[name][0])
    file = copy.deepcopy(files[name])
    said = change_something(file, rng)
    path = folder / "hostile.skops"
    file.write(path)
    print(f"{number} {name}, {said}", end=" ", flush=True)
    signal.alarm(SECONDS)  # ends the process, also where compiled code does not return
    try:
        model = ls.load(path)
    except ValueError as error:
        return "refused" if "\n" not in str(error) else f"! {error}"
    except BaseException:
        return f"! load\n{traceback.format_exc()}"
    try:
        models[name][1](model)
    except Exception as error:
        said = f"harmless: {' '.join(str(error).split())[:100]}"
        allowed = isinstance(error, ValueError) or name in WITH_OTHERS
        return said if allowed else f"! use\n{traceback.format_exc()}"
    finally:
        signal.alarm(0)
    return "harmless"


def main(first: int, last: int) -> int:
    """Try the files of these numbers; the exit code is how many did harm."""
    warnings.simplefilter("ignore")
    models, files, n_harmful = fitted_models(), {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, last):
            outcome = try_file(number, models, files, Path(folder))
            print(outcome, flush=True)
            n_harmful += outcome.startswith("!")
    return min(n_harmful, 100)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
