"""The texts of a paper, which stand in its package as TOML."""

import tomllib
from importlib.resources import files
from typing import Any


def read_texts(package: str, name: str = "paper.toml") -> dict[str, Any]:
    """Return the contents of a file of a package, each text of several lines as one line."""
    found: dict[str, Any] = _flow(tomllib.loads(files(package).joinpath(name).read_text("utf-8")))
    return found


def _flow(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _flow(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_flow(one) for one in value]
    return " ".join(value.split()) if isinstance(value, str) else value
