"""A project at the terminal: the same file, labels, order and log as on the page."""

import io
import json
import time

import pytest

pytest.importorskip("fastapi", reason="projects need fastapi: pip install 'lopsided[web]'")
pytest.importorskip("sqlalchemy", reason="projects need sqlalchemy: pip install 'lopsided[web]'")

from lopsided import load, make_topics, read_documents
from lopsided.cli import main
from lopsided.store import open_store
from lopsided.text import Record
from lopsided.web._desk import Desk

TEXTS, TOPICS = make_topics(80, 6, random_state=0)
IS_YES = (TOPICS == 0).tolist()


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "ships.db"
    with open_store(path) as store, store.importing("a list") as batch:
        batch.add(
            Record(f"r{i}", f"Title {i}", text, {"year": "1993", "doi": ""}) for i, text in enumerate(TEXTS)
        )
    return path


@pytest.fixture
def label(monkeypatch, capsys):
    """Return a function that runs the command with answers from a pipe: code, output, errors."""

    def run(project, *options, answers=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(answers))
        code = main(["label", str(project), *options])
        return code, *capsys.readouterr()

    return run


def questions(out):
    return [line for line in map(json.loads, out.splitlines()) if line["event"] == "question"]


def test_answers_are_events_of_the_local_reviewer(label, project):
    code, out, err = label(project, answers="y\nn\ns\nu\nw\n")
    assert (code, err) == (0, "")
    assert "[y] relevant [n]ot relevant [s]kip" in out
    assert f"2 labels: 1 yes, 1 no. Saved in {project}; the same command goes on." in out
    assert " was skipped." in out
    assert "year: 1993" in out
    assert "doi" not in out
    with open_store(project) as store:
        assert [(user.name, user.admin) for user in store.users()] == [("you", True)]
        events = list(store.events())
        assert [event.kind for event in events] == ["answer", "answer", "skip", "undo"]
        assert [event.reason for event in events[:2]] == ["first", "most likely"]
        assert events[1].score is not None
        assert sorted(store.current().values(), key=str) == [{1: 1}, {1: 2}]
    code, out, _ = label(project)
    assert f"Resumed from {project}: 2 labels: 1 yes, 1 no." in out


def test_the_terminal_asks_what_the_page_asks(label, project):
    with open_store(project) as store:
        desk = Desk(store)
        desk.start()
        while not desk.is_ready:
            time.sleep(0.01)
        asked = []
        for _ in range(12):
            shown = desk.next(1)
            asked.append(shown.item_id)
            relevant = 1 if IS_YES[shown.item_id - 1] else 2
            desk.answer(1, shown.item_id, relevant, reason=shown.reason, token=shown.token)
        following = desk.next(1)
        desk.close()
    (question,) = questions(label(project, "--json")[1])
    assert (question["row"], question["reason"]) == (following.item_id, following.reason)
    assert question["n_labels"] == 12
    twin = project.with_name("twin.db")
    with open_store(twin) as store, store.importing("a list") as batch:
        batch.add(
            Record(f"r{i}", f"Title {i}", text, {"year": "1993", "doi": ""}) for i, text in enumerate(TEXTS)
        )
    answers = "".join("y\n" if IS_YES[item - 1] else "n\n" for item in asked)
    rows = [question["row"] for question in questions(label(twin, "--json", answers=answers)[1])]
    assert rows == [*asked, following.item_id]


def test_labels_of_the_project_by_key_number_and_name(label, project):
    with open_store(project) as store:
        store.add_label("Ship", True, "h")
        store.add_label("Harbour", True, "s")  # the key of skip: the number goes for it
        store.add_label("Neither", False)
    code, out, err = label(project, answers="h\n4\nneither\n5\ny\n")
    assert (code, err) == (0, "")
    assert "[y] relevant [n]ot relevant [h] Ship [4] Harbour [5] Neither [s]kip" in out
    assert "5 labels: 3 yes, 2 no" in out
    with open_store(project) as store:
        assert [event.label_id for event in store.events()] == [3, 4, 5, 5, 1]


def test_several_reviewers(label, project):
    with open_store(project) as store:
        store.update_project(reviewers_per_item=2, question="Is it about ships?")
        store.add_user("Ada", "a long password", admin=True)
        store.add_user("Bob")
    code, out, err = label(project, answers="y\n")
    assert (code, out) == (2, "")
    assert "has accounts (Ada, Bob). Say who you are: --user NAME" in err
    assert "no reviewer 'Cy'" in label(project, "--user", "Cy")[2]
    first = questions(label(project, "--user", "Ada", "--json", answers="y\n")[1])[0]
    second = questions(label(project, "--user", "Bob", "--json", answers="n\n")[1])[0]
    assert first["row"] == second["row"]
    assert first["question"] == "Is it about ships?"
    with open_store(project) as store:
        assert len(store.conflicts()) == 1
        assert len(store.users()) == 2


def test_find_and_known_positives(label, project):
    word = next(w for w in TEXTS[0].split() if len(w) > 6)
    (question,) = questions(label(project, "--json", "--find", word)[1])
    assert question["reason"] == "search"
    assert "No text left holds any of 'zeppelin'" in label(project, "--find", "zeppelin")[1]
    for _ in range(2):
        out = label(project, "--positive", "r5", "--positive", "2")[1]
        assert "2 labels: 2 yes, 0 no" in out
    assert "no items of the project have the id 'r999'" in label(project, "--positive", "r999")[2]


def test_export_and_model(label, project, tmp_path):
    pytest.importorskip("skops")
    export, model = tmp_path / "out.jsonl", tmp_path / "model.skops"
    code, _, err = label(
        project, "--export", str(export), "--save", str(model), "--positive", "r1", answers="n\nn\n"
    )
    assert (code, err) == (0, "")
    documents = read_documents(export, id="id", label="label")
    assert documents.ids == [f"r{i}" for i in range(80)]
    assert sorted(x for x in documents.labels if x is not None) == [
        "not relevant",
        "not relevant",
        "relevant",
    ]
    scores = read_documents(export, label="score").labels
    assert load(model).decision_function(documents.texts) == pytest.approx(scores, abs=1e-6)


@pytest.mark.parametrize("option", ["--out", "--question", "--text", "--labels", "--strategy", "--seed"])
def test_what_a_project_keeps_itself_is_refused(label, project, option):
    value = {"--strategy": "mixed", "--seed": "1"}.get(option, "x")
    code, out, err = label(project, option, value)
    assert (code, out) == (2, "")
    assert f"{option} is for a table; a project keeps this itself" in err


def test_projects_that_cannot_be_labelled(label, project, tmp_path):
    code, _, err = label(tmp_path / "none.db")
    assert (code, "there is no project" in err) == (2, True)
    assert not (tmp_path / "none.db").exists()
    with open_store(tmp_path / "empty.db"):
        pass
    code, _, err = label(tmp_path / "empty.db")
    assert (code, "has no documents. Import some on the page: lopsided serve" in err) == (2, True)
    code, _, err = label(project, "--export", str(project))
    assert (code, err.count("\n")) == (2, 1)


def test_a_project_by_its_address(label, project):
    assert f"Saved in {project}; the same" in label(f"sqlite:///{project}", answers="n\n")[1]


def test_a_project_goes_by_its_content_too(label, project):
    other = project.rename(project.with_suffix(".project"))
    assert "1 label: 0 yes, 1 no" in label(other, answers="n\n")[1]


def test_a_project_with_more_than_two_labels(label, project):
    """The third label of the page has its key here, and what it counts as."""
    with open_store(project) as store:
        desk = Desk(store)  # makes the two labels of every project
        maybe = desk.add_label("maybe", True, "b")
        off = desk.add_label("off topic", False)
        desk.close()
    code, out, err = label(project, answers="b\n4\ny\nn\n")
    assert (code, err) == (0, "")
    assert "[y] relevant [n]ot relevant [b] maybe [4] off topic [s]kip" in out
    assert "4 labels: 2 yes, 2 no." in out
    with open_store(project) as store:
        given = [event.label_id for event in store.events()]
        names = {one.id: one.name for one in store.labels()}
        assert [names[one] for one in given] == ["maybe", "off topic", "relevant", "not relevant"]
        assert given[:2] == [maybe.id, off.id]
