import numpy as np

from lopsided.pu._history import as_columns


def test_steps_become_equally_long_arrays():
    steps = [
        {"step": "spies", "n": 3, "change": None, "notes": []},
        {"step": "em", "n": 1, "change": 0.5, "notes": ["a fallback", "it stopped"]},
    ]
    columns = as_columns(steps)
    assert list(columns) == ["step", "n", "change", "notes"]
    assert columns["step"].tolist() == ["spies", "em"]
    assert columns["n"].dtype.kind == "i"
    np.testing.assert_array_equal(columns["change"], [np.nan, 0.5])
    assert columns["notes"].tolist() == ["", "a fallback; it stopped"]


def test_no_steps_give_no_arrays():
    assert as_columns([]) == {}
