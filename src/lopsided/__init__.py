"""Learning from lopsided labels.

Positives are rare, or only positives are known, or labels come back only for what was shown, or the
test data hold a class nobody expected. Every public name is importable from here; each is loaded from
its folder on first use, so that ``import lopsided`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lopsided import datasets as datasets
    from lopsided import metrics as metrics
    from lopsided import text as text
    from lopsided import utils as utils
    from lopsided._persistence import load as load
    from lopsided._persistence import save as save

# folder -> the public names that live in it
_PUBLIC = {
    "_persistence": ("load", "save"),
    "datasets": (
        "fetch_citeseer",
        "fetch_covtype",
        "fetch_kdd99",
        "fetch_mnist",
        "fetch_newsgroups",
        "fetch_reuters21578",
        "fetch_spamassassin",
        "fetch_trec07p",
        "fetch_uci",
        "fetch_usps",
        "fetch_webkb",
        "make_lopsided",
        "make_topics",
        "make_waveform",
    ),
    "metrics": (
        "average_ranks",
        "geometric_mean_score",
        "label_cost",
        "lee_liu_score",
        "prbep_score",
        "wilcoxon_signed_rank",
        "work_saved_over_sampling",
    ),
    "text": ("ByteGramVectorizer", "StemmedVectorizer"),
}
_SUBPACKAGES = ("bench", "cli", "datasets", "metrics", "text", "utils")
_HOME = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = sorted([*_HOME, "datasets", "metrics", "text", "utils"])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("lopsided")
    if name in _SUBPACKAGES:
        return import_module(f"lopsided.{name}")
    if name in _HOME:
        value = getattr(import_module(f"lopsided.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'lopsided' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
