"""A stranger's file is refused or does no harm: it leaves no memory, fills none, and comes to an end."""

import contextlib
import copy
import io
import json
import math
import os
import resource
import subprocess
import sys
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, save_npz
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

import hostile_files
import lopsided
from hostile_files import File, change, packed
from lopsided import (
    LASVC,
    SVMC,
    ByteGramVectorizer,
    LPBoostStumps,
    MarginPerceptron,
    OnlineSVM,
    RelaxedOnlineSVM,
    UnexpectedDetector,
    load,
    make_lopsided,
    save,
)
from lopsided._persistence import _own_types
from lopsided._stored import _table, check_stored

X, y = make_lopsided(60, 4, 0.3, separation=3.0, random_state=0)


def refused(file: File, path: Path, match: str, most_memory: float = 1e8) -> None:
    file.write(path)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=match) as error:
            load(path)
        assert "\n" not in str(error.value)
        assert tracemalloc.get_traced_memory()[1] < most_memory
    finally:
        tracemalloc.stop()


def try_files(first: int, last: int) -> None:
    """In a process of its own, which may end in any way."""
    command = [sys.executable, str(Path(hostile_files.__file__)), str(first), str(last)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    harm = [line for line in done.stdout.splitlines() if "!" in line]
    assert done.returncode == 0, f"{harm or done.stdout[-300:]}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    assert done.stdout.count("refused") > (last - first) / 3  # else nothing was changed that matters


def test_files_with_one_thing_changed():
    try_files(0, 400)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 21_000, 5000))
def test_many_files_with_one_thing_changed(first):
    try_files(first, first + 5000)


@pytest.mark.filterwarnings("ignore")
def test_every_estimator_is_among_the_files():
    held = {type(model).__name__ for model, _ in hostile_files.fitted_models().values()}
    assert held >= {name for name, _ in lopsided.utils.all_estimators()}


def test_every_class_that_a_file_may_hold_says_what_it_is_made_of():
    ours = [name for name in _own_types() if name.startswith("lopsided.")]
    for name in ours:
        module, _, cls = name.rpartition(".")
        assert _table(getattr(sys.modules[module], cls)) is not None, name
    assert len(ours) > 30


@pytest.mark.parametrize("size", [-(2**62), -1, 1, 2**31])
@pytest.mark.parametrize("learner", [OnlineSVM(), RelaxedOnlineSVM()], ids=repr)
def test_a_buffer_of_a_size_that_is_none(learner, size, tmp_path):
    file = File(learner.fit(X, y))
    file.put(str(size), "_made_of", "size")
    refused(file, tmp_path / "model.skops", "size must be a whole number")


@pytest.mark.parametrize("tol", ["-1.0", "0.0", "1.0", "NaN", "1e300"])
@pytest.mark.parametrize("learner", [OnlineSVM(), RelaxedOnlineSVM()], ids=repr)
def test_a_tolerance_that_no_pass_can_meet(learner, tol, tmp_path):
    file = File(learner.fit(X, y))
    file.put(tol, "_made_of", "tol")
    refused(file, tmp_path / "model.skops", "tol must be")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda K: np.where(np.eye(len(K)) > 0, K, -K),
        lambda K: np.triu(K),
        lambda K: np.full_like(K, 3e38),
    ],
    ids=["another sign", "not symmetric", "too large"],
)
def test_kernel_values_that_are_not_those_of_the_rows(spoil, tmp_path):
    """With these a pass can undo what the last one did, for ever."""
    file = File(RelaxedOnlineSVM(max_passes=2**31 - 1).fit(X, y))
    K = file.array("_core", "K")
    file.put_array(spoil(K).astype(K.dtype), "_core", "K")
    refused(file, tmp_path / "model.skops", r"kernel values|K must hold")


@pytest.fixture(scope="module")
def detector_file():
    detector = UnexpectedDetector(random_state=0).fit(np.vstack([X, X]), np.repeat([1, -1], 60))
    return File(detector)


@pytest.mark.parametrize("end", [0, "root", 10**9, -1])
def test_a_walk_down_a_forest_that_has_no_end(end, detector_file, tmp_path):
    children = detector_file.array("_flagged", "children")
    root = int(detector_file.array("_flagged", "roots")[-1])
    spoilt = children.copy()
    spoilt[root] = root if end == "root" else end
    detector_file.put_array(spoilt, "_flagged", "children")
    try:
        refused(detector_file, tmp_path / "model.skops", r"does not come before its children|children must")
    finally:
        detector_file.put_array(children, "_flagged", "children")


def test_a_tree_as_deep_as_it_has_nodes(tmp_path):
    file = File(UnexpectedDetector(random_state=0).fit(np.vstack([X, X]), np.repeat([1, -1], 60)))
    n = 100_000
    last = np.minimum(np.arange(n) + 1, n - 1)
    forest = {
        "feature": np.where(np.arange(n) < n - 1, 0, -1),
        "threshold": np.zeros(n),
        "children": np.column_stack([last, last]),
        "share": np.zeros(n),
        "roots": np.zeros(1, dtype=np.int64),
    }
    for name, array in forest.items():
        file.put_array(array, "_flagged", name)
    refused(file, tmp_path / "model.skops", "deeper than")


@pytest.mark.filterwarnings("ignore:UnexpectedDetector needs")
def test_a_sparse_matrix_that_leads_out_of_itself(tmp_path):
    counts = csr_array(np.random.default_rng(0).poisson(0.4, (60, 12)).astype(float))
    file = File(UnexpectedDetector(random_state=0).fit(counts, np.where(np.arange(60) < 45, y, -1)))
    (name,) = (name for name in file.parts if name.endswith(".npz"))
    matrix = counts.copy()
    matrix.indices[5] = 10**8
    out = io.BytesIO()
    save_npz(out, matrix)
    file.parts[name] = out.getvalue()
    refused(file, tmp_path / "model.skops", "indices")


@pytest.mark.parametrize("kind", [LASVC, SGDClassifier], ids=["ours", "theirs"])
def test_a_generator_that_reads_beyond_its_memory(kind, tmp_path):
    """NumPy reads its next number from wherever its state says."""
    file = File(kind(random_state=np.random.RandomState(0)))
    file.put("10000000", "random_state", "state", "pos")
    refused(file, tmp_path / "model.skops", "pos must be a whole number from 0 to 624")


def test_another_generator_that_reads_beyond_its_memory(tmp_path):
    file = File(LASVC(random_state=np.random.Generator(np.random.Philox(0))))
    state = file.find("random_state")["content"]["bit_generator"]["content"]
    change(state["buffer_pos"], content="-100000")
    refused(file, tmp_path / "model.skops", "pos must be a whole number from 0 to 4")


def test_a_generator_that_is_never_made(tmp_path):
    """NumPy mixes as many numbers as a file says, each with all others."""
    file = File(LASVC(random_state=np.random.default_rng(0)))
    change(file.find("random_state")["content"]["seed_seq"]["content"]["pool_size"], content=str(2**31))
    refused(file, tmp_path / "model.skops", "pool_size must be")


def test_one_part_cannot_stand_for_another(tmp_path):
    file = File(LASVC(random_state=np.random.default_rng(0)))
    file.find("C")["__id__"] = file.find("tol")["__id__"]
    refused(file, tmp_path / "model.skops", "two different things")


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="the sanitiser keeps a byte for every eight")
@pytest.mark.parametrize(
    "learner",
    [LASVC(kernel="rbf"), LASVC(kernel="linear"), MarginPerceptron(kernel="rbf"), OnlineSVM()],
    ids=repr,
)
def test_two_billion_features_take_no_memory(learner, tmp_path):
    file = File(learner.fit(csr_array(np.where(np.abs(X) > 0.5, X, 0)), y))
    for node in file.nodes():
        if node["__loader__"] == "DictNode":
            for name in {"n_columns", "n_features_in_"} & node["content"].keys():
                change(node["content"][name], content=str(2**31 - 1))
            if "indptr" in node["content"]:  # rows that were taken apart
                change(node["content"]["shape"]["content"][1], content=str(2**31 - 1))
    file.write(tmp_path / "model.skops")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with contextlib.suppress(ValueError):  # of a system that does not promise memory it may not have
        assert load(tmp_path / "model.skops").n_features_in_ == 2**31 - 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kilobytes


# what a file may unpack to


def zeros(n_bytes: int) -> bytes:
    """As many zero bytes, deflated, made without having them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)  # as the first, and repeatable
    return block + again * (n_bytes // 2**20 - 1) + packer.flush()


def write_bomb(path: Path, *, claimed: int, real: int) -> None:
    """A model whose array is so large, and says that it is that large."""
    file = File(MarginPerceptron().fit(X, y))
    name = file.find("_core", "w")["file"]
    file.parts[name] = zeros(real)
    with zipfile.ZipFile(path, "w") as archive:
        for each, part in file.parts.items():
            archive.writestr(each, part)
        archive.writestr("schema.json", json.dumps(file.schema))
        info = archive.getinfo(name)  # what was just stored as it is, is now said to be deflated
        info.compress_type, info.file_size = zipfile.ZIP_DEFLATED, claimed
        info.CRC = zlib.crc32(bytes(min(claimed, 2**20)))
    data = bytearray(path.read_bytes())
    data[info.header_offset + 8] = zipfile.ZIP_DEFLATED  # in the local header, too
    path.write_bytes(data)


@pytest.mark.parametrize("claimed", [6_400 * 2**20, 2**20, 160], ids=["all", "a megabyte", "few bytes"])
def test_a_small_file_cannot_fill_the_memory(claimed, tmp_path):
    """Three megabytes became 6.4 gigabytes, whether they said so or not."""
    path = tmp_path / "bomb.skops"
    write_bomb(path, claimed=claimed, real=6_400 * 2**20)
    assert path.stat().st_size < 10_000_000
    tracemalloc.start()
    with pytest.raises(ValueError, match="MiB of memory" if claimed > 2**20 else "not a whole model"):
        load(path)
    assert tracemalloc.get_traced_memory()[1] < 1e8
    tracemalloc.stop()


def perceptron_file() -> File:
    return File(MarginPerceptron().fit(X, y))


def node_of(loader: str, module: str, cls: str, content: Any) -> dict[str, Any]:
    return {"__loader__": loader, "__module__": module, "__class__": cls, "content": content}


def an_array_named_often() -> File:
    file = perceptron_file()
    w = file.find("_core", "w")
    file.parts[w["file"]] = packed(np.zeros(2**20))
    change(w)
    change(file.find("class_weight"), **node_of("ListNode", "builtins", "list", [w] * 10_000))
    return file


def an_array_longer_than_it_is() -> File:
    file = perceptron_file()
    header = {"descr": "<f8", "fortran_order": False, "shape": (2**50,)}
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, header)
    file.parts[file.find("_core", "w")["file"]] = out.getvalue() + bytes(32)
    return file


def lists_of_the_same_lists() -> File:
    """Each holds the one before it twice: once written out, once by its number alone."""
    file = perceptron_file()
    node = node_of("ListNode", "builtins", "list", [])
    for number in range(1, 60):
        node["__id__"] = number
        node = node_of("ListNode", "builtins", "list", [node, {**node, "content": []}])
    change(file.find("class_weight"), **node)
    return file


def many_lists() -> File:
    file = perceptron_file()
    file.schema["more"] = [[]] * 5_000_000
    return file


def a_matrix_made_of_its_shape() -> File:
    file = perceptron_file()
    shape = node_of("JsonNode", "builtins", "str", f"[[{2**40}, 1]]")
    made = node_of("ConstructorFromReduceNode", "scipy.sparse._csr", "csr_array", shape)
    change(file.find("class_weight"), **made)
    return file


def as_many_bytes_as_a_number() -> File:
    file = perceptron_file()
    w = file.find("_core", "w")
    file.parts[w["file"]] = packed(np.array(2**40))
    change(w, __class__="void")
    return file


def one_of_ours_made_in_another_way() -> File:
    file = perceptron_file()
    change(file.schema, __loader__="ListNode")
    return file


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (an_array_named_often, "MiB of memory"),
        (an_array_longer_than_it_is, "is kept in 32 bytes"),
        (lists_of_the_same_lists, "made of each other"),
        (many_lists, "MiB of memory"),
        (a_matrix_made_of_its_shape, "cannot be made by"),
        (as_many_bytes_as_a_number, "cannot be made by"),
        (one_of_ours_made_in_another_way, "cannot be made by"),
    ],
)
def test_a_file_cannot_ask_for_more_than_it_is(make, match, tmp_path):
    refused(make(), tmp_path / "model.skops", match)


def test_lists_in_lists_in_lists(tmp_path):
    schema = '{"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": ['
    with zipfile.ZipFile(tmp_path / "model.skops", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", schema * 100_000 + "]}" * 100_000)
    with pytest.raises(ValueError, match="not a whole model"):
        load(tmp_path / "model.skops")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing_are_not_read(method, tmp_path):
    """Python unpacks them without a limit."""
    file = perceptron_file()
    with zipfile.ZipFile(tmp_path / "model.skops", "w", method) as archive:
        for name, part in file.parts.items():
            archive.writestr(name, part)
        archive.writestr("schema.json", json.dumps(file.schema))
    with pytest.raises(ValueError, match="packed in a way"):
        load(tmp_path / "model.skops")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_parts_of_one_name(tmp_path):
    file = perceptron_file()
    with zipfile.ZipFile(tmp_path / "model.skops", "w") as archive:
        for name, part in [*file.parts.items(), *file.parts.items()]:
            archive.writestr(name, part)
        archive.writestr("schema.json", json.dumps(file.schema))
    with pytest.raises(ValueError, match="one name"):
        load(tmp_path / "model.skops")


def test_a_model_of_zeros_can_be_loaded(tmp_path, monkeypatch):
    """It packs a thousandfold, as a trap does: save packs it less."""
    monkeypatch.setattr("lopsided._archive.LEAST_LIMIT", 2**20)
    model = MarginPerceptron().fit(csr_array(([1.0, 1.0], [0, 1], [0, 1, 2]), shape=(2, 2**18)), [0, 1])
    save(model, tmp_path / "model.skops")
    assert (tmp_path / "model.skops").stat().st_size > 2**20
    assert load(tmp_path / "model.skops").coef_.tolist() == model.coef_.tolist()


def test_the_limit_counts_what_is_packed_twice(tmp_path, monkeypatch):
    """A sparse matrix is a zip inside the zip."""
    detector = UnexpectedDetector(background=csr_array((1, 2**20)), random_state=0)
    out = io.BytesIO()
    save_npz(out, csr_array((2**22, 4)))  # 16 MB of row starts
    file = File(detector)
    (name,) = file.parts
    file.parts[name] = out.getvalue()
    assert len(out.getvalue()) < 100_000
    monkeypatch.setattr("lopsided._archive.LEAST_LIMIT", 2**23)
    refused(file, tmp_path / "model.skops", "MiB of memory")


# what a model may be


@pytest.mark.parametrize("name", ["predict", "_make", "other_"])
def test_an_attribute_that_the_class_does_not_have(name, tmp_path):
    file = perceptron_file()
    attributes = file.schema["content"]
    attributes["content"][name] = file.find("margin")  # a good value, but one that nobody asks for
    attributes["key_types"]["content"].append(attributes["key_types"]["content"][0])
    refused(file, tmp_path / "model.skops", f"has no {name}")


def test_a_model_that_lacks_something(tmp_path):
    model = ByteGramVectorizer(n_features=None).fit(["a text"])
    del model.gram_length_
    with pytest.raises(ValueError, match="lacks gram_length_"):
        save(model, tmp_path / "model.skops")
    assert not list(tmp_path.iterdir())


def test_parameters_are_checked_as_in_fit(tmp_path):
    file = File(MarginPerceptron())
    file.put("-1.0", "eta0")
    refused(file, tmp_path / "model.skops", r"'eta0' parameter of MarginPerceptron must be .*\(0\.0, inf\)")


@pytest.mark.filterwarnings("ignore")
def test_what_fit_makes_is_as_its_table_says():
    for name, (model, use) in hostile_files.fitted_models().items():
        check_stored(model)
        if name != "Pipeline":
            use(model)
            check_stored(model)  # and goes on to be


@pytest.mark.parametrize(
    ("model", "change", "match"),
    [
        (SVMC(), lambda history: history.update(n_support=np.zeros(1)), "vectors of one length"),
        (SVMC(), lambda history: history.update(n_support=[0]), "vectors of numbers or texts"),
        (SVMC(), lambda history: history.update({5: np.zeros(1)}), "texts for keys"),
    ],
)
def test_a_history_is_a_dict_of_equally_long_arrays(model, change, match):
    model.fit(X, y)
    change(model.history_)
    with pytest.raises(ValueError, match=f"history_ must .*{match}"):
        check_stored(model)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda history: history["gap"].pop(), "not that of"),
        (lambda history: history.pop("steps"), "must hold bound, edge, gap, round, steps"),
    ],
)
def test_the_history_of_a_booster_holds_every_fact_of_every_round(change, match):
    model = LPBoostStumps(0.5).fit(X > 0, y)
    change(model.ensembles_[0].history)
    with pytest.raises(ValueError, match=match):
        check_stored(model)


def test_estimators_of_others_are_looked_through(tmp_path):
    """Ours may be anywhere in them."""
    model = lopsided.OpenSetClassifier(LinearSVC())
    model.detector = OnlineSVM().fit(X, y)
    check_stored(model)
    model.detector._core = 5
    with pytest.raises(ValueError, match="_core cannot be a int"):
        check_stored([{"a": (model,)}])


def test_infinite_and_missing_numbers_where_they_mean_something(tmp_path):
    detector = UnexpectedDetector(random_state=0).fit(X, y + 5)  # nothing to be judged
    assert math.isnan(detector.share_unexpected_)
    save(detector, tmp_path / "model.skops")
    assert math.isnan(load(tmp_path / "model.skops").share_unexpected_)


def test_a_generator_that_is_something_else(tmp_path):
    file = File(LASVC(random_state=0).fit(X, y))
    (node,) = (node for node in file.nodes() if node["__class__"] == "Generator")
    (other,) = (node for node in file.nodes() if node["__class__"] == "LASVC")
    change(node, **copy.deepcopy(next(n for n in other["content"]["content"].values() if n is not node)))
    refused(file, tmp_path / "model.skops", "must be a Generator")
