"""``history_`` of a model, read step by step."""

import math


def steps(model):
    """Return a dict of plain values for each step; NaN becomes None, so that equal steps compare equal."""
    lengths = {len(column) for column in model.history_.values()}
    assert len(lengths) == 1, "a history is a dict of equally long arrays"
    rows = zip(*(column.tolist() for column in model.history_.values()), strict=True)
    return [dict(zip(model.history_, map(_plain, row), strict=True)) for row in rows]


def notes(model):
    """Return what a model noted, without the steps that went without a note."""
    return [note for note in model.history_["notes"].tolist() if note]


def _plain(value):
    return None if isinstance(value, float) and math.isnan(value) else value
