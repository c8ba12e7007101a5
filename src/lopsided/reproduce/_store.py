"""Results of units of work by what they were called with, in memory and, where a file is named, on disk."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


class Store(Mapping[str, Any]):
    """Results that are at hand; what is entered is also appended to the file, a line each.

    An entry is what its unit would give again, so a file must not outlive a change of the code it came from.

    Parameters
    ----------
    path : path, optional
        JSON lines; made where there is none. A last line that was cut short is left out, and replaced by what
        is entered next. One process at a time may enter results; others may read meanwhile.

    Examples
    --------
    >>> store = Store()
    >>> store.enter("squares [3]", 9)
    >>> "squares [3]" in store, store["squares [3]"]
    (True, 9)
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._results: dict[str, Any] = {}
        self._cut = ""
        if self._path is not None and self._path.exists():
            self._read(self._path)

    def enter(self, key: str, result: Any) -> None:
        """Keep a result that JSON can hold."""
        self._results[key] = result
        if self._path is not None:
            if self._cut:
                text = self._path.read_text("utf-8")
                self._path.write_text(text.removesuffix(self._cut), "utf-8")
                self._cut = ""
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, result]) + "\n")

    def _read(self, path: Path) -> None:
        *lines, self._cut = path.read_text("utf-8").split("\n")  # a process may have ended while it wrote
        for number, line in enumerate(lines, start=1):
            try:
                key, result = json.loads(line)
            except ValueError:
                raise ValueError(
                    f"line {number} of {path} is not [key, result] in JSON. Delete the line, or name "
                    "another file."
                ) from None
            self._results[key] = result

    def __getitem__(self, key: str) -> Any:
        return self._results[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)
