import json
from dataclasses import replace

import numpy as np
import pytest

from lopsided import bench
from lopsided.bench import Measured, Quality, Row, Skipped, Timed, _bytegrams, _imports, _mail, measure
from lopsided.bench import _measure as module
from lopsided.cli import main
from lopsided.problems.mail import Mail

WITH_TESTS_OF_THEIR_OWN = {"boosting", "lasvm", "online", "positives", "scale", "screening"}


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
    monkeypatch.setattr(module, "_timed", lambda work: Timed(next(durations)))
    measured = measure(row(repeats=3))
    assert (measured.ours, measured.peer, measured.ratio) == (2.0, 20.0, 10.0)


def test_a_slow_peer_runs_once(monkeypatch):
    durations = iter([1.0, 61.0, 1.0, 1.0])
    monkeypatch.setattr(module, "_timed", lambda work: Timed(next(durations)))
    assert measure(row(repeats=3)).peer == 61.0


def test_beside_a_slow_peer_we_run_for_a_minute(monkeypatch):
    durations = iter([40.0, 600.0, 30.0, 20.0])  # 20.0 is not asked for
    monkeypatch.setattr(module, "_timed", lambda work: Timed(next(durations)))
    assert measure(row(repeats=5)).ours == 30.0


def test_a_side_may_keep_the_time_itself():
    measured = measure(row(ours=lambda: Timed(2.0), peer=lambda: Timed(20.0)))
    assert (measured.ours, measured.peer, measured.stopped) == (2.0, 20.0, False)


def test_a_peer_with_a_limit_gets_it_and_its_time_is_a_lower_bound():
    given = []

    def peer(limit):
        given.append(limit)
        return Timed(limit, stopped=True)

    measured = measure(row(ours=lambda: Timed(2.0), peer=peer, patience=50))
    assert given == [100.0]  # above a minute: once
    assert measured.stopped
    assert measured.ratio == 50.0
    measure(row(ours=lambda: Timed(2.0), peer=peer, patience=5000))
    assert given[-1] == 300.0  # however patient


def test_the_answers_are_judged_once_and_outside_the_time():
    judged = []

    def judge(ours, peer):
        judged.append((ours, peer))
        return Quality("as good", good=True)

    measured = measure(row(ours=lambda: "a", peer=lambda: Timed(1.0, "b"), quality=judge))
    assert judged == [("a", "b")]
    assert measured.quality.figures == "as good"


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(1.9, "below must"), (2.0, "must reached"), (5.0, "aim reached")]
)
def test_verdicts(ratio, verdict):
    assert Measured(row(), ours=1.0, peer=ratio).verdict == verdict
    assert Measured(row(must=None, aim=None), ours=1.0, peer=ratio).verdict == ""


def test_faster_but_worse_is_said():
    def verdict(good, **changes):
        return Measured(row(**changes), ours=1.0, peer=2.0, quality=Quality("", good)).verdict

    assert verdict(good=True) == "must reached"
    assert verdict(good=False) == "must reached, but worse"
    assert verdict(good=False, must=None, aim=None) == "but worse"


def test_a_peer_stopped_below_the_bar_decides_nothing():
    assert Measured(row(), ours=1.0, peer=1.5, stopped=True).verdict == "stopped too early to tell"
    assert Measured(row(), ours=1.0, peer=2.5, stopped=True).verdict == "must reached"


@pytest.mark.parametrize("subject", sorted(set(bench.SUBJECTS) - WITH_TESTS_OF_THEIR_OWN))
def test_every_row_of_a_subject_runs(monkeypatch, subject):
    """Both sides of a row do their work, once and on a few messages instead of a corpus."""
    few = Mail([b"Subject: message %d" % i for i in range(20)], np.array([1, 0] * 10))
    monkeypatch.setattr(_bytegrams, "_messages", lambda count: ("made up", few.messages))
    monkeypatch.setattr(_imports, "read_mail", lambda corpus: few)
    monkeypatch.setattr(_mail, "read_mail", lambda corpus: few)
    monkeypatch.setattr(bench, "measure", lambda row: measure(replace(row, repeats=1)))
    measured = list(bench.run(subject))
    assert measured
    for one in measured:
        assert isinstance(one, Measured), one.reason
        assert one.ratio > 0


def test_an_unknown_subject_is_named():
    with pytest.raises(ValueError, match=r"no benchmark 'nonsense'\. There are: bytegrams, imports"):
        list(bench.run("nonsense"))


@pytest.fixture
def toy(monkeypatch):
    """A subject of five rows."""
    from lopsided.bench import _imports as subject
    from lopsided.datasets import DataUnavailable

    def absent():
        raise DataUnavailable("mnist is not here. Fetch it.")

    rows = [
        row(name="A", quality=lambda *_: Quality("accuracy 0.9", good=False)),
        row(name="B one"),
        row(name="B two"),
        row(name="C", needs=("no-such-package",)),
        row(name="D", ours=absent),
    ]
    monkeypatch.setattr(subject, "rows", lambda: iter(rows))
    return "imports"


def test_rows_can_be_chosen(toy):
    assert [r.row.name for r in bench.run(toy)] == ["A", "B one", "B two", "C", "D"]
    assert [r.row.name for r in bench.run(toy, ["B", "A"])] == ["A", "B one", "B two"]
    assert [r.row.name for r in bench.run(toy, ["B two"])] == ["B two"]
    with pytest.raises(ValueError, match=r"no row 'E' in imports\. There are: A, B one, B two, C, D\."):
        list(bench.run(toy, ["A", "E"]))


def test_what_is_missing_is_named(toy):
    package, data = bench.run(toy, ["C", "D"])
    assert isinstance(package, Skipped)
    assert package.reason == "needs no-such-package. Run: pip install 'lopsided[peers]'"
    assert data.reason == "mnist is not here. Fetch it."


def test_the_command(monkeypatch, capsys):
    import lopsided.cli._bench as command

    monkeypatch.setattr(command, "run", lambda name, only: iter([Measured(row(), ours=0.5, peer=2.0)]))
    assert main(["bench", "imports"]) == 0
    assert "4x" in capsys.readouterr().out
    assert main(["bench", "imports", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["rows"][0]["ratio"] == 4.0
    assert set(printed["versions"]) >= {"lopsided", "scikit-learn"}


def test_the_command_says_what_was_chosen_skipped_and_paid(toy, capsys):
    assert main(["bench", toy, "--only", "A, C"]) == 0
    out = capsys.readouterr().out
    assert "but worse" in out
    assert "accuracy 0.9" in out
    assert "skipped: needs no-such-package" in out
    assert "B one" not in out
    assert main(["bench", toy, "--only", "A,C", "--json"]) == 0
    measured, skipped = json.loads(capsys.readouterr().out)["rows"]
    assert measured["good"] is False
    assert skipped["skipped"].startswith("needs")


def test_the_command_shows_a_lower_bound_as_one(monkeypatch, capsys):
    import lopsided.cli._bench as command

    stopped = Measured(row(needs=("scipy",)), ours=0.5, peer=2.0, stopped=True)
    monkeypatch.setattr(command, "run", lambda name, only: iter([stopped]))
    assert main(["bench", "imports"]) == 0
    assert "over 4x" in capsys.readouterr().out


def test_choosing_rows_needs_one_subject(toy, capsys):
    assert main(["bench", "--only", "A"]) == 2
    assert "--only chooses among the rows of one NAME; got 0" in capsys.readouterr().err
    assert main(["bench", toy, "--only", "E"]) == 2
    assert "no row 'E'" in capsys.readouterr().err
