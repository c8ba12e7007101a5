import json

import pytest

from lopsided import bench
from lopsided.bench import Measured, Row, measure
from lopsided.bench import _measure as module
from lopsided.cli import main


def row(**changes):
    return Row(
        **{"name": "r", "work": "w", "against": "a", "ours": list, "peer": list, "must": 2, "aim": 5}
        | changes
    )


def test_both_sides_run_in_turns():
    calls = []
    measure(row(ours=lambda: calls.append("ours"), peer=lambda: calls.append("peer"), repeats=3))
    assert calls == ["ours"] + ["ours", "peer"] * 3  # the first is the warm-up


def test_minima_are_compared(monkeypatch):
    durations = iter([3.0, 30.0, 2.0, 20.0, 4.0, 40.0])
    monkeypatch.setattr(module, "_seconds", lambda work: next(durations))
    measured = measure(row(repeats=3))
    assert (measured.ours, measured.peer, measured.ratio) == (2.0, 20.0, 10.0)


def test_a_slow_peer_runs_once(monkeypatch):
    durations = iter([1.0, 61.0, 1.0, 1.0])
    monkeypatch.setattr(module, "_seconds", lambda work: next(durations))
    assert measure(row(repeats=3)).peer == 61.0


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(1.9, "below must"), (2.0, "must reached"), (5.0, "aim reached")]
)
def test_verdicts(ratio, verdict):
    assert Measured(row(), ours=1.0, peer=ratio).verdict == verdict
    assert Measured(row(must=None, aim=None), ours=1.0, peer=ratio).verdict == ""


def test_every_subject_has_rows_that_run(monkeypatch, tmp_path):
    """The work of each row is done once on each side, on little data."""
    from lopsided.bench import _bytegrams

    monkeypatch.setattr(_bytegrams, "_messages", lambda count: ("made up", [b"some bytes of a message"] * 3))
    for subject in bench.SUBJECTS:
        for measured in bench.run(subject):
            assert measured.ratio > 0


def test_an_unknown_subject_is_named():
    with pytest.raises(ValueError, match=r"no benchmark 'nonsense'\. There are: bytegrams, imports"):
        list(bench.run("nonsense"))


def test_the_command(monkeypatch, capsys):
    import lopsided.cli._bench as command

    monkeypatch.setattr(command, "run", lambda name: iter([Measured(row(), ours=0.5, peer=2.0)]))
    assert main(["bench", "imports"]) == 0
    assert "4x" in capsys.readouterr().out
    assert main(["bench", "imports", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["rows"][0]["ratio"] == 4.0
    assert set(printed["versions"]) >= {"lopsided", "scikit-learn"}
