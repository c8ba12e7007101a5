import subprocess
import sys

import numpy as np
import pytest

from lopsided.runs import Unit, Work
from runs.work import Counts, Pair, unit


def test_a_key_is_the_same_for_the_same_work_and_differs_for_other_work():
    units = [
        unit("draw", 1, 2),
        unit("draw", 2, 1),
        unit("draw", 1, 2.0),
        unit("draw", True, 2),
        unit("draw", "1", 2),
        unit("draw", (1, 2)),
        unit("draw", [1, 2]),
        unit("draw", Pair("1", 2.0)),
        unit("draw"),
        unit("fail", 1, 2),
        Unit("math", "draw", (1, 2)),
    ]
    assert len({u.key for u in units}) == len(units)
    assert unit("draw", 1, 2).key == unit("draw", 1, 2).key
    assert unit("draw", np.int64(1), 0.1 + 0.2).key == unit("draw", 1, 0.30000000000000004).key


def test_a_key_is_the_same_in_another_process():
    code = "from lopsided.runs import Unit; print(Unit('os', 'f', ('ä', 0.1, None, {'b': 1, 'a': (2,)})).key)"
    keys = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
        ).stdout
        for seed in ("1", "2")
    }
    assert keys == {(Unit("os", "f", ("ä", 0.1, None, {"b": 1, "a": (2,)})).key + "\n").encode()}


def test_a_result_is_written_only_if_it_can_be_read():
    one = unit("draw", 0, 3)
    assert one.read(one.write(one.do())) == one.do()
    with pytest.raises(TypeError, match="Counts is not among the registered records"):
        Unit("math", "sqrt", (4.0,)).write(Counts(1, np.zeros(1)))


def test_a_key_has_the_name_that_the_module_declares(monkeypatch):
    from runs import work

    before = unit("draw", 1, 2).key
    monkeypatch.setattr(work, "WORK", Work("where.it.once.was", work.WORK.records))
    assert before == 'runs.work.draw {"~": "tuple", "is": [1, 2]}'
    assert unit("draw", 1, 2).key == 'where.it.once.was.draw {"~": "tuple", "is": [1, 2]}'
