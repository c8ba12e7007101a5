"""Model files as they come from strangers: unpacked within limits, every part looked at before it is read.

A file is a zip of arrays and of ``schema.json``, which says what is made of them. A zip of some kilobytes can
unpack to gigabytes, claim sizes that are not its own, hold zips inside, or name one array a million times.
What leaves this module is a plain archive: no compression, each part once, arrays as long as their headers
say.
"""

import io
import json
import math
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from lopsided._kernels.checks import whole_number

SCHEMA = "schema.json"

# A file may take this much memory, or this many times its own size if that is more. Measured, models pack to
# between a 3rd and a 75th, and to a 1000th where nearly all weights are zero; `save` keeps to the limit.
LEAST_LIMIT = 2**29
LIMIT_RATIO = 100

# Bytes of memory for each value of the schema, and for each byte of a text: measured, an empty list takes 72.
_VALUE, _TEXT = 100, 2
_PIECE = 2**20  # read at a time
_MOST_POOLED = 256
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack without a limit
_NPY, _ZIP = b"\x93NUMPY", b"PK\x03\x04"
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def memory_limit(n_bytes: int) -> int:
    """Return how much memory a file of so many bytes may take.

    Examples
    --------
    >>> memory_limit(1000) == 2**29, memory_limit(10**8)
    (True, 10000000000)
    """
    return max(LEAST_LIMIT, LIMIT_RATIO * n_bytes)


def memory_needed(data: bytes) -> int:
    """Return how much memory a file that we have just written will take."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        model = _Model(archive, math.inf)
        for _ in model.parts():
            pass
        return model.needed


def plain_archive(data: bytes) -> bytes:
    """Return the parts of a model file without compression; ValueError if it is none, or is too large."""
    plain = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(plain, "w") as out:
        model = _Model(archive, memory_limit(len(data)))
        out.writestr(SCHEMA, model.schema)
        for name, part in model.parts():
            out.writestr(name, part)
    return plain.getvalue()


class _Model:
    """The parts of a model file, and how much memory they take so far."""

    def __init__(self, archive: zipfile.ZipFile, limit: float) -> None:
        self._archive, self._limit, self.needed = archive, limit, 0
        names = archive.namelist()
        if len(set(names)) < len(names):
            raise ValueError("two parts have one name")
        self.schema = self._read(archive, SCHEMA)
        self._take(_TEXT * len(self.schema) + _VALUE * sum(self.schema.count(sign) for sign in b",[{"))
        self._uses = _count_uses(json.loads(self.schema))
        # Refused at once, if it says itself that it is too large.
        self._check(sum(times * archive.getinfo(name).file_size for name, times in self._uses.items()))

    def parts(self) -> Iterator[tuple[str, bytes]]:
        """Yield each part that the schema names; it takes memory as often as it is named."""
        for name, times in self._uses.items():
            part = self._read(self._archive, name)
            self._take(times * len(part))
            if part.startswith(_NPY):
                _check_array(part)
            elif part.startswith(_ZIP):  # a sparse matrix: arrays in a zip inside
                with zipfile.ZipFile(io.BytesIO(part)) as inside:
                    for inner in inside.namelist():
                        array = self._read(inside, inner)
                        self._take(times * len(array))
                        _check_array(array)
            yield name, part

    def _read(self, archive: zipfile.ZipFile, name: str) -> bytes:
        """Read all of a part: no more than it says, and no less."""
        info = archive.getinfo(name)
        if info.compress_type not in _METHODS or info.flag_bits & 1:
            raise ValueError(f"part {name!r} is packed in a way that is not read")
        self._check(info.file_size)
        pieces, n_bytes = [], 0
        with archive.open(info) as file:
            while piece := file.read(_PIECE):  # unlike read(), it unpacks no more than asked for
                pieces.append(piece)
                n_bytes += len(piece)
        if n_bytes != info.file_size:
            raise ValueError(f"part {name!r} has {n_bytes} bytes instead of {info.file_size}")
        return b"".join(pieces)

    def _take(self, n_bytes: int) -> None:
        self._check(n_bytes)
        self.needed += n_bytes

    def _check(self, n_bytes: int) -> None:
        if self.needed + n_bytes > self._limit:
            raise ValueError(
                f"it would take more than {self._limit / 2**20:,.0f} MiB of memory, too much for a file "
                "of its size"
            )


def _count_uses(schema: Any) -> dict[str, int]:
    """Count how often each part is named, in a schema whose nodes are no more than what is written there."""
    uses: dict[str, int] = {}
    first: dict[Any, str] = {}
    by_number: dict[Any, list[list[Any]]] = {}
    n_nodes = 0
    for node, children in _nodes_of(schema):
        n_nodes += 1
        _check_node(node)
        number, said = node.get("__id__"), _said(node)
        by_number.setdefault(number, []).append(children)
        if number is not None and first.setdefault(number, said) != said:
            raise ValueError(f"part {number} is two different things")
        if "file" in node:
            name = node["file"]
            if not isinstance(name, str) or name == SCHEMA:
                raise ValueError(f"an array is in the part {name!r}")
            # Of a bytearray, skops makes a list first.
            uses[name] = uses.get(name, 0) + (10 if node["__loader__"] == "BytearrayNode" else 1)
    # A node whose number came before is that node again: each of fifty lists could hold the last one twice.
    if _size(schema, by_number, {}) > 2 * n_nodes:
        raise ValueError("its parts are made of each other")
    return uses


def _size(node: dict[str, Any], by_number: dict[Any, list[list[Any]]], sizes: dict[Any, int]) -> int:
    """Return how many nodes there are beneath one, if each is as large as the largest of its number."""
    number = node.get("__id__")
    if number is None:
        return 1 + sum(_size(child, by_number, sizes) for child in _children(node))
    if number not in sizes:
        sizes[number] = 0  # while it is looked at
        sizes[number] = 1 + max(
            sum(_size(child, by_number, sizes) for child in children) for children in by_number[number]
        )
    elif sizes[number] == 0:
        raise ValueError("a part is made of itself")
    return sizes[number]


def _nodes_of(schema: Any) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """Yield all nodes of a schema, each with those right beneath it."""
    if not isinstance(schema, dict):
        raise ValueError("its schema is no node")
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        children = _children(node)
        yield node, children
        waiting.extend(children)


def _children(node: dict[str, Any]) -> list[Any]:
    """Return the nodes right beneath one: what skops will take for nodes has a loader or a number."""
    found: list[Any] = []
    waiting = [value for value in node.values() if isinstance(value, (dict, list))]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(item for item in value if isinstance(item, (dict, list)))
        elif "__loader__" in value or "__id__" in value:
            found.append(value)
        else:
            waiting.extend(item for item in value.values() if isinstance(item, (dict, list)))
    return found


def _said(node: dict[str, Any]) -> str:
    """Return what a node is, without those beneath it."""
    value = node.get("content") if node["__loader__"] == "JsonNode" else None
    return repr([node["__loader__"], node["__module__"], node["__class__"], value])


def _check_node(node: dict[str, Any]) -> None:
    """Refuse a class of ours, or of SciPy, that would be made in another way than `save` has it made."""
    loader, module, name = (node.get(key) for key in ("__loader__", "__module__", "__class__"))
    if not (isinstance(loader, str) and isinstance(module, str) and isinstance(name, str)):
        raise ValueError("a part does not say what it is")
    allowed = {
        "lopsided": ("ObjectNode", "TupleNode"),
        "scipy": ("SparseMatrixNode", "FunctionNode"),
    }.get(module.partition(".")[0])
    # np.void(n) is memory of n bytes.
    if (allowed and loader not in allowed) or loader == "CachedNode" or (module, name) == ("numpy", "void"):
        raise ValueError(f"{module}.{name} cannot be made by {loader}")
    if loader == "RandomGeneratorNode" and "seed_seq" in node["content"]:
        # As many numbers are mixed with each other.
        pool_size = node["content"]["seed_seq"]["content"]["pool_size"]["content"]
        whole_number("pool_size", json.loads(pool_size), 4, _MOST_POOLED)


def _check_array(part: bytes) -> None:
    """Refuse an array that is not as long as its header says."""
    file = io.BytesIO(part)
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"an array is in version {version} of its format")
    shape, _, dtype = _HEADERS[version](file)
    if dtype.hasobject or dtype.itemsize == 0:
        raise ValueError(f"an array holds {dtype}")
    n_bytes = len(part) - file.tell()
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != n_bytes:
        raise ValueError(f"an array of shape {shape} and type {dtype} is kept in {n_bytes} bytes")
