"""Where each fuzz target is."""

from importlib import import_module

from fuzz.target import Target

HOMES = {
    "documents": ("csv", "tsv", "jsonl", "ris", "bibtex", "mbox", "maildir", "parquet", "xlsx", "zip"),
    "messages": ("mail-words", "header"),
    "services": ("requests", "lmtp"),
    "states": ("states", "state-values"),
    "models": ("models", "model-values"),
    "rules": ("rules", "answers"),
    "kernels": ("rows", "stumps", "grams", "packed"),
}
NAMES = [name for names in HOMES.values() for name in names]
# Their inputs choose numbers and arrays for compiled code, so that they run on a core with sanitisers, whose
# reports are worth more there than the coverage of Python code, which Atheris cannot have at the same time.
SANITIZED = ("rows", "stumps", "grams", "packed", "state-values", "model-values")


def find_target(name: str) -> Target:
    """Return a target by its name; the others are not imported."""
    (home,) = (home for home, names in HOMES.items() if name in names)
    found: Target = import_module(f"fuzz.{home}").TARGETS[name]
    return found
