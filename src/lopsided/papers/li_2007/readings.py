"""F of LGN under each reading of what the paper leaves open; ``readings.toml`` lists the readings."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lopsided.experiments import SEEDS, Grid, Measurements
from lopsided.papers.li_2007 import units
from lopsided.papers.li_2007.data import READ, SMALL, TABLE1, VOCABULARIES
from lopsided.papers.li_2007.figures import cell
from lopsided.papers.li_2007.methods import LGN_, MODELS, S_EM
from lopsided.report import Block, Cell, Table

Reading = tuple[str, str]
"""A vocabulary and a model, by name."""
TUNING, TEST = READ["pairs"]["tuning"], READ["pairs"]["test"]
SHARES = READ["pairs"]["shares"]
CHOSEN: list[Reading] = [(words, model) for words, model in READ["chosen"]]
PRESENT: Reading = ("A", LGN_)
_BESIDE = [PRESENT, ("A", "LGN printed"), *((words, LGN_) for words, _ in CHOSEN)]
_S_EM = [(words, S_EM) for words, _ in (PRESENT, *CHOSEN)]
JUDGED: list[Reading] = list(dict.fromkeys([*_BESIDE, *CHOSEN, *_S_EM]))


def _on(pairs: Sequence[str], quick: dict[str, Any] | None = None, **axes: Any) -> Grid:
    """Return units with the lines of Figure 4, which has some of them."""
    given, few = {"line": lambda share, **_: f"{share} %"}, {"data": pairs[:1], **(quick or {})}
    return Grid(units.run, **axes, data=pairs, share=SHARES, given=given, quick=few)


_WORDS = tuple(name for name in VOCABULARIES if name != "B")
_FEW = {"protocol": tuple(dict.fromkeys(words for words, _ in JUDGED))}
_RUNS = SEEDS.first(READ["pairs"]["tuning_runs"])


def _changes(start: Reading, at: Reading) -> list[str]:
    """Return the settings by which a reading differs from another."""
    ours, theirs = ((*VOCABULARIES[words], *MODELS[model]) for words, model in (at, start))
    named = zip((*READ["words"], *READ["model"]), ours, theirs, strict=True)
    return [f"{name}: {own}" for name, own, other in named if own != other]


def _is_near(protocol: str, method: str, **_: Any) -> bool:
    """Return whether a reading is judged, or one change from the present or a chosen one."""
    at = (protocol, method)
    return at in JUDGED or any(len(_changes(start, at)) < 2 for start in (PRESENT, *CHOSEN))


# All 576 readings, of which three were chosen: research/readings_check.py chooses again. The report has
# those near to what is judged.
SEARCH = _on(TUNING, protocol=_WORDS, method=tuple(MODELS), seed=_RUNS)
_NEAR = _on(TUNING, _FEW, protocol=_WORDS, method=tuple(MODELS), seed=_RUNS, where=_is_near)
GRIDS = [_NEAR, _on(TEST, together={("protocol", "method"): JUDGED}, seed=SEEDS)]


def choose(t: Measurements) -> list[Reading]:
    """Return the readings that the rule chooses on the tuning pairs, each once."""
    tuned = t.only(data=TUNING)
    bare = [name for name in tuned.labels("protocol") if not VOCABULARIES[name].headers]
    chosen: list[Reading] = []
    for part in (tuned, tuned.only(protocol=bare)):
        for shares in ((SMALL,), SHARES):
            means = part.only(share=shares).means("f", "protocol", "method")
            chosen.append(max(means, key=means.__getitem__))
    return list(dict.fromkeys(chosen))


def show(t: Measurements) -> list[Block]:
    """Show what was judged, on tuning and on test pairs, and what a change of one setting does."""
    heads = [f"{half}, {share} %" for half in ("tuning", "test") for share in SHARES]
    rows = t.only(data=TEST).split("protocol", "method")
    lines = [(": ".join(at), [*_cells(t, at, TUNING), *_cells(t, at, TEST)]) for at in rows]
    tables: list[Block] = [Table(tuple(heads), lines, "mean F in percent of what was judged")]
    for start in dict.fromkeys([PRESENT, *CHOSEN]):
        lines = [
            (", ".join(changed) or "as it is", _cells(t, at, TUNING))
            for at in t.only(data=TUNING).split("protocol", "method")
            if len(changed := _changes(start, at)) < 2
        ]
        title = f"mean F in percent on the tuning pairs: {': '.join(start)}; with one change"
        tables.append(Table(tuple(heads[:2]), lines, title))
    return tables


def _cells(t: Measurements, at: Reading, pairs: Sequence[str]) -> list[Cell | str]:
    """Return F at each share, and beside it at the smallest what the paper has for these pairs."""
    own = t.only(data=pairs, protocol=at[0], method=at[1])
    name = S_EM if at[1] == S_EM else LGN_
    there = [value for pair in own.labels("data") if (value := TABLE1.value("f", data=pair, method=name))]
    published = {SMALL: float(np.mean(there))} if there else {}
    parts = {share: own.only(share=share) for share in SHARES}
    return [cell(part, "f", published.get(share)) if len(part) else "" for share, part in parts.items()]
