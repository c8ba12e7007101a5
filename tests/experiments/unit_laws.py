"""What the units of every paper must keep to."""

import json

from lopsided.experiments import Extent, seeds

QUICK, FULL = Extent(seeds(1), quick=True), Extent(seeds(2), quick=False)


def do_all(units):
    """Units that others depend on, done."""
    return [unit.do() for unit in units]


def units_of(paper, item, extent=QUICK):
    return list(paper.items[item].units(extent, do_all))


def check_units(paper, extent):
    """Each unit of a table or figure is there once, and is the same after it was written down."""
    for name in paper.items:
        units = units_of(paper, name, extent)
        assert units, name
        assert len({unit.key for unit in units}) == len(units), name
        for unit in units:
            assert unit.read(unit.write(unit.arguments)) == unit.arguments


def check_result(unit, forget=lambda: None):
    """A result is the same after it was written down, and when the unit is done again by itself.

    `forget` empties what the module keeps in memory. Seconds may differ.
    """
    text = unit.write(unit.do())
    assert unit.write(unit.read(text)) == text
    forget()
    assert without_seconds(json.loads(unit.write(unit.do()))) == without_seconds(json.loads(text))


def without_seconds(value):
    """Text as it was read, without the fields and values of this name."""
    if isinstance(value, dict):
        return {key: without_seconds(item) for key, item in value.items() if key != "seconds"}
    if isinstance(value, list):
        pairs = [item for item in value if not (isinstance(item, list) and item[:1] == ["seconds"])]
        return [without_seconds(item) for item in pairs]
    return value
