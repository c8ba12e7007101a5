"""Model files: broken archives, changed members, and good models with a few values changed."""

import copy
import warnings
from functools import cache
from typing import Any

import numpy as np

import hostile_files
from fuzz.documents import pack, spell
from fuzz.target import Target, may_refuse, scratch
from hostile_files import File
from lopsided import load


@cache
def _models() -> dict[str, tuple[Any, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hostile_files.fitted_models()


@cache
def _file(name: str) -> File:
    return File(_models()[name][0])


def _check(data: bytes) -> None:
    """A file as bytes, or an archive whose members are spelled out."""
    with scratch() as folder:
        path = folder / "model.skops"
        path.write_bytes(data if data.startswith(b"PK") else pack(data))
        with may_refuse():
            load(path)


def _check_values(data: bytes) -> None:
    """The bytes choose the model and what is changed in its file; what can be loaded is used."""
    rng = np.random.default_rng(list(data))
    name = list(_models())[rng.integers(len(_models()))]
    file = copy.deepcopy(_file(name))
    for _ in range(rng.integers(1, 4)):
        hostile_files.change_something(file, rng)
    with scratch() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = folder / "model.skops"
        file.write(path)
        model = None
        with may_refuse():
            model = load(path)
        if model is not None:
            try:
                _models()[name][1](model)
            except Exception as error:
                if not isinstance(error, ValueError) and name not in hostile_files.WITH_OTHERS:
                    raise


def _seeds() -> list[bytes]:
    seeds = []
    with scratch() as folder:
        for name in ("LASVC", "MarginPerceptron", "LPUBoostStumps", "StemmedVectorizer", "OneSidedFilter"):
            _file(name).write(folder / "model.skops")
            whole = (folder / "model.skops").read_bytes()
            seeds += [whole, spell(whole)]
    return seeds


TARGETS = {
    "models": Target(
        _check,
        _seeds,
        (
            b'"__loader__": ',
            b'"content": ',
            b"JsonNode",
            b"ObjectNode",
            b"lopsided.",
            b"os",
            b"system",
            b"null",
        ),
    ),
    "model-values": Target(_check_values, lambda: [b"a", b"b", b"c"]),
}
