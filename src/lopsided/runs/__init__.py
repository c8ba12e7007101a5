"""Long work as small units: each done once, its result kept in a file, on as many workers as there are.

A `Unit` is a function of a module and what it is called with, both by name, so that it can be done in this
process, in another one or on a cluster, and so that its result has a key that is the same tomorrow. `Runner`
does what `Results` does not have yet. Neither knows what the work is about.
"""

from lopsided.runs._archive import read_archive, write_archive
from lopsided.runs._reasons import reason_of, was_too_slow
from lopsided.runs._results import Results, UnitRecord
from lopsided.runs._runner import Answers, KeptResults, Runner, Source
from lopsided.runs._threads import one_thread
from lopsided.runs._unit import Unit, Work
from lopsided.runs._version import code_version

__all__ = [
    "Answers",
    "KeptResults",
    "Results",
    "Runner",
    "Source",
    "Unit",
    "UnitRecord",
    "Work",
    "code_version",
    "one_thread",
    "read_archive",
    "reason_of",
    "was_too_slow",
    "write_archive",
]
