"""What the commands have in common whose work can be ended and taken up again."""

from importlib.metadata import version

from lopsided.runs import Results
from lopsided.terminal import say


def say_what_was_there(results: Results) -> None:
    """Say where the file of results was damaged, or holds results of another version."""
    if results.path is None:
        return
    if results.moved_aside is not None:
        aside = results.moved_aside
        say(f"{results.path} was damaged or not one of ours: moved to {aside}, begun anew")
    others = {name: n for name, n in results.versions.items() if name != version("lopsided")}
    for name, n in others.items():
        say(f"{n:,} results in {results.path} are of lopsided {name}; give another --out to compute anew")
