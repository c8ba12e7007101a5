"""``lopsided simulate``: a table with labels, screened again."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from asreview_stand_in import make_asreview
from lopsided import make_topics
from lopsided.cli import main
from lopsided.screening._labeled_table import find_columns, read_labeled
from lopsided.screening._simulate import LabeledSession


@pytest.fixture
def table(tmp_path):
    texts, topics = make_topics(n_samples=120, random_state=2)
    path = tmp_path / "review.jsonl"
    with path.open("w") as file:
        for text, topic in zip(texts, np.asarray(topics), strict=True):
            words = (text.decode() if isinstance(text, bytes) else text).split()
            record = {"title": " ".join(words[:5]), "abstract": " ".join(words[5:])}
            record |= {"included": int(topic == 0), "verdict": "keep" if topic == 0 else "drop"}
            file.write(json.dumps(record) + "\n")
    return path


def simulated(capsys, *arguments):
    assert main(["simulate", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_json_has_the_work_saved_of_each_strategy_and_seed(table, capsys):
    call = (
        table,
        "--label",
        "included",
        "--strategy",
        "mixed",
        "--strategy",
        "random",
        "--seeds",
        2,
        "--json",
    )
    found = json.loads(simulated(capsys, *call))
    assert set(found["work_saved_at_95"]) == {"mixed", "random"}
    assert [len(values) for values in found["work_saved_at_95"].values()] == [2, 2]
    run = found["runs"][0]
    assert run["found"][-1] >= 0.95 * found["n_relevant"]
    assert run["work_saved_at_95"] == pytest.approx(1 - run["labels_to_95"] / found["n_items"] - 0.05)


def test_text_and_page(table, capsys, tmp_path):
    page = tmp_path / "page.html"
    shown = simulated(capsys, table, "--label", "included", "--seeds", 1, "--out", page)
    assert "Work saved" in shown
    assert str(page) in shown
    assert "Recall against labels spent" in page.read_text()


def test_columns_may_be_named(table, capsys):
    first, second = (
        json.loads(simulated(capsys, table, "--label", "included", "--seeds", 1, "--json", *more))
        for more in ((), ("--text", "title", "--text", "abstract"))
    )
    assert first["work_saved_at_95"] == second["work_saved_at_95"]


def test_other_words_for_relevant(table, capsys):
    call = (table, "--label", "verdict", "--positive", "keep", "--seeds", 1, "--json")
    assert json.loads(simulated(capsys, *call))["n_relevant"] > 0


def without_times(found):
    for run in found["runs"]:
        del run["seconds_a_label"]
    return found


def test_the_number_of_workers_changes_nothing(table, capsys):
    call = (
        table,
        "--label",
        "included",
        "--seeds",
        2,
        "--strategy",
        "mixed",
        "--strategy",
        "random",
        "--json",
    )
    one, two = (without_times(json.loads(simulated(capsys, *call, "--jobs", n))) for n in (1, 2))
    assert one == two


def test_an_interrupted_simulation_goes_on(table, capsys, tmp_path, monkeypatch):
    """The second seed is interrupted; the next call computes it alone."""
    call = (table, "--label", "included", "--seeds", 2, "--json")
    whole = without_times(json.loads(simulated(capsys, *call)))
    kept, run, done = ("--results", tmp_path / "runs.sqlite"), LabeledSession.run, []
    interruptions = [KeyboardInterrupt]

    def interrupted(self, strategy, seed, **more):
        if seed == 1 and interruptions:
            raise interruptions.pop()
        done.append(seed)
        return run(self, strategy, seed, **more)

    monkeypatch.setattr(LabeledSession, "run", interrupted)
    assert main(["simulate", *map(str, call + kept)]) == 130
    capsys.readouterr()
    assert done == [0]
    assert without_times(json.loads(simulated(capsys, *call, *kept))) == whole
    assert done == [0, 1]
    again = simulated(capsys, *call, *kept)
    assert without_times(json.loads(again)) == whole
    assert done == [0, 1]
    lines = table.read_text().splitlines()
    table.write_text("\n".join([*lines[1:], lines[0]]))  # other content: nothing of it is known
    simulated(capsys, *call, *kept)
    assert done == [0, 1, 0, 1]


def test_a_table_that_changes_meanwhile_is_refused(table):
    columns = find_columns(table, "included", positive=None, format=None)
    digest = read_labeled(columns).digest
    table.write_text(table.read_text().replace("of", "off"))
    with pytest.raises(ValueError, match="has changed since the simulation began"):
        read_labeled(columns._replace(digest=digest))


def test_asreview_beside_ours_starts_from_the_same_records(table, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the program may be named from here; nothing is left here
    program = make_asreview(tmp_path).relative_to(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    call = (table, "--label", "included", "--seeds", 2, "--json", "--asreview", program)
    runs = json.loads(simulated(capsys, *call, "--jobs", 2))["runs"]
    assert [(run["strategy"], run["seed"]) for run in runs] == [
        ("mixed", 0),
        ("mixed", 1),
        ("ASReview", 0),
        ("ASReview", 1),
    ]
    for ours, theirs in zip(runs[:2], runs[2:], strict=True):
        assert theirs["found"][:2] == ours["found"][:2] == [1, 1]
        assert theirs["n_labels"] > 30  # in the order of the file
        assert theirs["found"][-1] == ours["found"][-1]
    assert [path for path in sorted(tmp_path.rglob("*")) if "__pycache__" not in str(path)] == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--label", "verdict"], "is neither yes nor no"),
        (["--label", "nothing"], "no column 'nothing'"),
        (["--label", "included", "--text", "body"], "no column 'body'"),
        (["--label", "included", "--positive", "maybe"], "0 of 120 records"),
        (["--label", "included", "--asreview", "/nowhere/python"], "cannot run"),
        (["--label", "included", "--asreview", sys.executable, "--start", "nothing"], "--start both"),
    ],
)
def test_mistakes_are_one_line(table, capsys, options, message):
    assert main(["simulate", str(table), "--seeds", "1", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_an_environment_without_asreview(table, capsys):
    assert (
        main(["simulate", str(table), "--label", "included", "--seeds", "1", "--asreview", sys.executable])
        == 2
    )
    assert "Install it there" in capsys.readouterr().err


@pytest.mark.slow
def test_asreview_beside_ours(table, capsys):
    python = os.environ.get("LOPSIDED_ASREVIEW")
    if not python:
        pytest.skip("LOPSIDED_ASREVIEW does not name the Python of an environment with ASReview")
    call = (table, "--label", "included", "--seeds", 1, "--json", "--asreview", Path(python))
    found = json.loads(simulated(capsys, *call))
    assert set(found["work_saved_at_95"]) == {"mixed", "ASReview"}
