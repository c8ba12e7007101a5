"""A Python with something in place of ASReview: it shows records in their order, and needs no environment."""

import shlex
import stat
import sys

_PACKAGE = {
    "__init__.py": """
__version__ = "3.0.99"
open("cache.sqlite", "w").close()  # as ASReview's packages do
""",
    "learner.py": """
class ActiveLearningCycle:
    @classmethod
    def from_meta(cls, meta):
        return cls()
""",
    "models/__init__.py": "",
    "models/models.py": 'def get_ai_config():\n    return {"value": None}\n',
    "simulation/__init__.py": "",
    "simulation/simulate.py": """
import pandas as pd


class Simulate:
    def __init__(self, records, labels, cycles, print_progress):
        assert list(records.columns) == ["title", "abstract"]
        self.labels, self.shown = labels, []

    def label(self, rows):
        self.shown += rows

    def review(self):
        for row in range(len(self.labels)):
            if row not in self.shown and self.labels[self.shown].sum() < self.labels.sum():
                self.shown.append(row)

    @property
    def _results(self):
        return pd.DataFrame({"record_id": self.shown, "time": [float(i) for i in range(len(self.shown))]})
""",
}


def make_asreview(folder):
    """Return a program that runs as a Python in whose environment ASReview is installed."""
    package = folder / "packages" / "asreview"
    for name, text in _PACKAGE.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    program = folder / "python"
    start = f"import sys; sys.path.insert(0, {str(package.parent)!r}); exec(sys.argv[1])"
    # A shell starts it: the first line of a script cannot name a Python whose path has a space.
    program.write_text(
        "#!/bin/sh\n"
        '[ "$1 $2" = "-I -c" ] || { echo "called with $*" >&2; exit 2; }\n'
        f'exec {shlex.quote(sys.executable)} -c {shlex.quote(start)} "$3"\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program
