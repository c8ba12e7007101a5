import csv
import io
import json
import os
import select
import subprocess
import sys
import time

import pytest

from lopsided import load, make_topics, read_documents
from lopsided.cli import _label, main
from lopsided.cli._label_faces import LineFace
from lopsided.screening._labeling import LabelingSession

TEXTS, TOPICS = make_topics(120, 6, random_state=0)
IS_YES = dict(zip(TEXTS, (TOPICS == 0).tolist(), strict=True))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "mails.csv"
    write(path, [{"key": f"k{i}", "body": text} for i, text in enumerate(TEXTS)])
    return path


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def label(monkeypatch, capsys):
    """Return a function that runs the command with answers from a pipe: code, output, errors."""

    def run(table, *options, answers="", text="body"):
        monkeypatch.setattr("sys.stdin", io.StringIO(answers))
        code = main(["label", str(table), *(["--text", text] if text else []), *options])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def label_json(label):
    """Return the same with --json: the lines, parsed."""

    def run(table, *options, answers=""):
        code, out, err = label(table, "--json", *options, answers=answers)
        assert (code, err) == (0, "")
        return [json.loads(line) for line in out.splitlines()]

    return run


def saved(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_answers_from_a_pipe(label, table):
    code, out, err = label(table, "--question", "About it?", answers="y\nn\ns\n")
    assert (code, err) == (0, "")
    assert out.count("About it?") == 4  # the fourth meets the end of the answers
    assert "2 labels: 1 yes, 1 no, 1 skipped. Saved in " in out
    header, *lines = saved(table.with_name("mails.labels.jsonl"))
    assert header["question"] == "About it?"
    assert [line["answer"] for line in lines] == ["yes", "no", "skip"]
    assert [line["reason"] for line in lines] == ["first", "most likely", "most likely"]
    code, out, _ = label(table, answers="q\n")
    assert "Resumed from" in out
    assert "About it?" in out


def test_json(label_json, table):
    first, *_, summary = label_json(table, answers="maybe\nn\nn\nu\nq\n")
    assert first["event"] == "question"
    assert first["text"] == TEXTS[first["row"] - 1]
    assert (first["reason"], first["probability"], first["n_labels"]) == ("first", None, 0)
    assert (first["stop"], first["stop_rules"], first["yes_left"]) == (None, [], None)
    assert first["labels"] == ["yes", "no"]
    assert first["estimate"].startswith("Too early to tell")
    assert summary["event"] == "summary"
    assert (summary["n_labels"], summary["n_yes"], summary["export"]) == (1, 0, None)
    assert saved(table.with_name("mails.labels.jsonl"))[-1]["answer"] == "undo"


def test_json_says_what_is_no_answer(label_json, table):
    events = [line["event"] for line in label_json(table, answers="maybe\nm\nn\n")]
    assert events == ["question", "error", "error", "question", "summary"]


def test_a_program_answers_until_it_may_stop(table):
    """The conversation as a script has it: each answer after its question."""
    command = [sys.executable, "-m", "lopsided", "label", str(table), "--text", "body", "--json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            message = json.loads(line)
            if message["event"] == "question":
                enough = message["stop"] or message["n_labels"] == 100
                answer = "q" if enough else "y" if IS_YES[message["text"]] else "n"
                print(answer, file=run.stdin, flush=True)
    assert run.returncode == 0
    assert message["event"] == "summary"
    assert message["stop"] in ("target recall", "run of irrelevant")
    assert message["stop"] in message["stop_rules"]
    assert message["n_labels"] < 100
    assert message["n_yes"] == sum(IS_YES.values())


def test_resuming_asks_what_would_have_been_asked(label_json, table, tmp_path):
    straight = label_json(table, "--out", str(tmp_path / "straight.jsonl"), answers="n\ny\nn\nn\nq\n")
    rows = [line["row"] for line in straight if line["event"] == "question"]
    resumed = []
    for answer in ["n", "y", "n", "n", "q"]:
        lines = label_json(table, answers=f"{answer}\n")
        resumed.append(next(line["row"] for line in lines if line["event"] == "question"))
    assert resumed == rows


@pytest.mark.parametrize("ending", [KeyboardInterrupt, EOFError])
def test_ctrl_c_and_ctrl_d_end_with_a_summary(label, table, monkeypatch, ending):
    asked = iter(["y", "n"])

    def ask(self, item):
        for action in asked:
            return action
        raise ending

    monkeypatch.setattr(LineFace, "ask", ask)
    code, out, err = label(table)
    assert (code, err) == (0, "")
    assert "2 labels: 1 yes, 1 no. Saved in" in out


def test_nothing_answered_leaves_nothing_behind(label, table):
    code, out, _ = label(table)
    assert code == 0
    assert "0 labels" in out
    assert "Saved" not in out
    assert os.listdir(table.parent) == ["mails.csv"]


def test_all_answers_the_same(label, table, tmp_path):
    code, out, _ = label(table, "--export", str(tmp_path / "out.csv"), answers="n\nn\n")
    assert code == 0
    assert "All answers are no, and a model needs both. Look for a yes: --find WORDS." in out
    labels = read_documents(tmp_path / "out.csv", label="label").labels
    assert sorted(labels, key=str) == [0, 0] + [None] * (len(TEXTS) - 2)
    assert set(read_documents(tmp_path / "out.csv", label="score").labels) == {None}


def test_all_answers_yes(label, table):
    assert "All answers are yes, and a model needs both. Go on to a no." in label(table, answers="y\n")[1]


def test_a_search_is_offered_when_no_yes_comes(label, table):
    _, out, _ = label(table, answers="n\n" * 11)
    assert out.count("Something rare? Type / and words to search.") == 2
    assert "No yes in 10 answers" in out


def test_find_comes_first(label_json, label, table):
    word = next(w for w in TEXTS[0].split() if len(w) > 6)
    for lines in (
        label_json(table, "--find", word, answers="q\n"),
        label_json(table, answers=f"/{word}\nq\n"),
    ):
        question = [line for line in lines if line["event"] == "question"][-1]
        assert question["reason"] == "search"
        assert word[:5] in question["text"]
    assert "No text left holds any of 'zeppelin'" in label(table, "--find", "zeppelin")[1]
    assert "No text left holds any of 'zeppelin'" in label(table, answers="/zeppelin\n")[1]


def test_one_text_is_not_texts(label, tmp_path):
    path = tmp_path / "mails.csv"
    write(path, [{"body": text} for text in ("a ship", "wheat and corn", "wheat")])
    assert "1 text with any of 'ship', best first." in label(path, answers="/ship\n")[1]
    assert "2 texts with any of 'wheat', best first." in label(path, answers="/wheat\n")[1]


def test_a_question_given_later_is_kept(label, table):
    assert "Yes or no?" in label(table, answers="y\n")[1]
    assert "About it?" in label(table, "--question", "About it?", answers="n\n")[1]
    assert "About it?" in label(table)[1]
    code, _, err = label(table, "--question", "About that?")
    assert code == 2
    assert "answers 'About it?', not 'About that?'" in err


def test_known_positives_are_answers(label_json, label, table):
    for _ in range(2):  # the second time there is nothing to add
        lines = label_json(table, "--id", "key", "--positive", "k5", "--positive", "2")
        assert (lines[-1]["n_labels"], lines[-1]["n_yes"]) == (2, 2)
    _, *answers = saved(table.with_name("mails.labels.jsonl"))
    assert [(a["id"], a["reason"]) for a in answers] == [("k5", "given"), ("k1", "given")]
    code, _, err = label(table, "--positive", "k999")
    assert code == 2
    assert "no rows of mails.csv have the id 'k999'" in err


def test_undo_with_nothing_to_undo(label, table):
    _, out, _ = label(table, answers="u\ny\nu\n")
    assert "There is nothing to undo." in out
    assert "was yes." in out


def test_control_characters_do_not_reach_the_terminal(label, tmp_path):
    path = tmp_path / "mails.csv"
    write(path, [{"key": f"\x1b]0;{i}\x07", "body": f"red \x1b[31malert {i}"} for i in range(5)])
    _, out, err = label(path, "--id", "key", answers="y\nn\nu\nq\n")
    assert "\x1b" not in out + err
    assert "\\x1b[31malert" in out


# the export


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.jsonl", "deep/er/out.csv"])
def test_export(label, table, tmp_path, name):
    path = tmp_path / name
    code, out, _ = label(table, "--id", "key", "--export", str(path), answers="y\nn\nn\ns\n")
    assert code == 0
    assert f"Written: {path}" in out
    documents = read_documents(path, id="id", label="label")
    assert documents.texts == TEXTS
    assert documents.ids == [f"k{i}" for i in range(len(TEXTS))]
    assert sorted(documents.labels, key=str) == [0, 0, 1] + [None] * (len(TEXTS) - 3)
    predicted = read_documents(path, label="predicted").labels
    scores = read_documents(path, label="score").labels
    assert [score > 0 for score in scores] == [bool(p) for p in predicted]


def test_an_empty_text_is_exported_without_a_guess(label, tmp_path):
    path = tmp_path / "mails.csv"
    write(path, [{"key": i, "body": text} for i, text in enumerate(["", *TEXTS, " "])])
    label(path, "--export", str(tmp_path / "out.csv"), answers="y\nn\n")
    for column in ("score", "predicted"):
        empty, *others, blank = read_documents(tmp_path / "out.csv", label=column).labels
        assert (empty, blank) == (None, None)
        assert None not in others


def test_an_export_without_new_answers(label, table, tmp_path):
    label(table, answers="y\nn\n")
    label(table, "--export", str(tmp_path / "out.csv"))
    assert sum(x is not None for x in read_documents(tmp_path / "out.csv", label="label").labels) == 2


def test_an_export_that_fails_keeps_the_old_file(label, table, tmp_path, monkeypatch):
    path = tmp_path / "out.csv"
    path.write_text("old")

    def broken(self):
        yield {"id": "1", "text": "", "label": None, "score": None, "predicted": None}
        raise OSError("no more")

    monkeypatch.setattr(_label.LabelingSession, "records", broken)
    assert label(table, "--export", str(path), answers="y\n")[0] == 2
    assert path.read_text() == "old"


# mistakes


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--text", "bdy"],
            "no column 'bdy' in mails.csv (columns: key, body). Name one with --text.",
        ),
        (["--id", "nr"], "no column 'nr' in mails.csv"),
        (["--export", "out.ods"], "--export writes .csv, .tsv, .jsonl, .ndjson, .xlsx; got 'out.ods'"),
        (["--strategy", "all"], "--strategy"),
        (["--user", "ada"], "--user names a reviewer of a project"),
        (["--labels", "ship"], "labels are two to nine different names"),
        (["--labels", "ship,ship"], "labels are two to nine different names"),
        (["--features", "words"], "--features"),
        (["--format", "xls"], "unknown format 'xls'"),
    ],
)
def test_a_mistake_is_one_line(label, table, options, words):
    code, out, err = label(table, *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert words in err
    assert os.listdir(table.parent) == ["mails.csv"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no documents in"),
        ("body\n", "no documents in"),
        ("body\nonly one\n", "two texts that differ are needed; mails.csv has 1 row,"),
        ('key,body\n1,""\n2," "\n', "has 2 rows, 2 empty and 0 a copy. Name the column"),
        ("body\n123\n456\n", "--features bytes"),
    ],
)
def test_tables_that_cannot_be_labelled(label, tmp_path, content, words):
    path = tmp_path / "mails.csv"
    path.write_text(content)
    code, _, err = label(path)
    assert code == 2
    assert err.count("\n") == 1
    assert words in err


def test_no_such_file(label, tmp_path):
    code, _, err = label(tmp_path / "none.csv")
    assert code == 2
    assert "no file or folder" in err


def test_the_table_is_no_place_for_answers_or_export(label, table):
    content = table.read_bytes()
    for option in ("--out", "--export"):
        code, _, err = label(table, option, str(table), answers="y\n")
        assert code == 2
        assert "Name another" in err
    assert table.read_bytes() == content


def test_labels_that_cannot_be_written(label, table, tmp_path):
    code, _, err = label(table, "--out", str(tmp_path), answers="y\n")
    assert code == 2
    assert "cannot write" in err
    assert "--out" in err


def test_labels_in_use(label, table):
    with LabelingSession(TEXTS, answers=table.with_name("mails.labels.jsonl")):
        code, _, err = label(table, answers="y\n")
    assert code == 2
    assert "in use by another session" in err


def test_a_changed_table(label, table):
    label(table, answers="y\nn\n")
    rows = [{"key": f"k{i}", "body": text} for i, text in enumerate(TEXTS)]
    write(table, [*reversed(rows), {"key": "new", "body": "a text that came later"}])
    code, out, _ = label(table)
    assert code == 0
    assert "2 labels: 1 yes, 1 no. The table has changed; each answer found its text again." in out
    write(table, [{"key": "1", "body": "quite"}, {"key": "2", "body": "different"}])
    code, out, err = label(table)
    assert (code, out) == (2, "")
    assert "2 of 2 answers in" in err


def test_broken_lines_are_told(label, table):
    label(table, answers="y\n")
    with open(table.with_name("mails.labels.jsonl"), "a") as file:
        file.write('{"row": 1, "ans')
    code, out, _ = label(table, answers="n\n")
    assert code == 0
    assert "Left out: 1 broken line of" in out
    assert "2 labels" in out


def test_what_the_reader_skipped_is_told(label, table):
    with open(table, "a", encoding="utf-8") as file:
        file.write("a,b,c\n")
    assert "1 skipped (1 with 3 fields where the header has 2)" in label(table)[1]


# labels of one's own


def test_labels_have_numbers_for_keys(label, label_json, table, tmp_path):
    names = ["--labels", "ship, harbour,neither"]
    code, out, err = label(table, *names, answers="1\nHarbour\n3\ns\ny\n")
    assert (code, err) == (0, "")
    assert "Which label? [1] ship [2] harbour [3] neither [s]kip" in out
    assert "3 labels: 1 yes, 2 no, 1 skipped" in out
    header, *lines = saved(table.with_name("mails.labels.jsonl"))
    assert header["labels"] == ["ship", "harbour", "neither"]
    assert [(x["answer"], x.get("label")) for x in lines] == [
        ("yes", "ship"),
        ("no", "harbour"),
        ("no", "neither"),
        ("skip", None),
    ]
    label(table, "--export", str(tmp_path / "out.csv"))  # the labels come out of the file
    labels = read_documents(tmp_path / "out.csv", label="label").labels
    assert sorted(x for x in labels if x is not None) == ["harbour", "neither", "ship"]
    last = label_json(table, answers="u\nu\n")
    undone = [line["text"].split(" was ")[1] for line in last if "Undone" in line.get("text", "")]
    assert undone == ["skip.", "neither."]


def test_other_labels_than_those_of_the_file_are_refused(label, table):
    label(table, answers="y\n")
    code, _, err = label(table, "--labels", "ship,other")
    assert code == 2
    assert "the labels in" in err
    assert "are yes, no. Give the same, or name another file" in err


def test_why(label, table):
    _, out, _ = label(table, answers="w\ny\nn\nw\n")
    assert "No word of it speaks for or against a yes yet." in out
    assert "For a yes: " in out or "Against: " in out


def test_what_is_left_is_told(label, table):
    seed = 7  # of those from 0 on, the first whose hundred questions hold five random checks
    session, answers = LabelingSession(TEXTS, seed=seed), ""
    for _ in range(100):
        question = session.ask()
        answer = "yes" if IS_YES[TEXTS[question.row]] else "no"
        session.answer(question.row, answer, reason=question.reason, probability=question.probability)
        answers += f"{answer}\n"
    _, out, _ = label(table, "--seed", str(seed), answers=answers)
    assert session.progress().estimate.can_tell
    assert out.splitlines()[-1] == session.progress().estimate.sentence
    assert f"{sum(IS_YES.values())} found; about" in out
    assert out.count('Stopping rule "run of irrelevant": The last 50 ') == 1


def test_files_of_earlier_versions_go_on(label, label_json, table):
    """Their reasons have other names, and they know no probabilities."""
    label(table, answers="y\nn\nn\n")
    path = table.with_name("mails.labels.jsonl")
    header, *lines = saved(path)
    for line, reason in zip(lines, ("find", "random", "border"), strict=True):
        line["reason"] = reason
        line.pop("p", None)
    path.write_text("".join(json.dumps(line) + "\n" for line in [header, *lines]))
    *_, summary = label_json(table, answers="n\nu\nu\n")
    assert (summary["n_labels"], summary["n_yes"]) == (2, 1)


# other sources


def test_a_folder_and_a_mailbox(label, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for word in ("one", "two", "three", "four"):
        (folder / f"{word}.txt").write_text(f"text number {word}")
    assert label(folder, text=None, answers="y\nn\n")[0] == 0
    assert len(saved(tmp_path / "texts.labels.jsonl")) == 3  # beside the folder, where it is no document
    mailbox = tmp_path / "old.mbox"
    mailbox.write_text(
        "".join(f"From a\nSubject: {s}\n\nbody of {s}\n\n" for s in ("ships", "wheat", "corn"))
    )
    code, out, _ = label(mailbox, text=None, answers="y\n")
    assert code == 0
    assert "body of" in out
    code, _, err = label(mailbox, answers="y\n")
    assert code == 2
    assert "Leave text out" in err


@pytest.mark.parametrize(
    ("table", "answers"),
    [
        ("mails.csv", "mails.labels.jsonl"),
        ("mails.v2.csv.gz", "mails.v2.labels.jsonl"),
        ("a/mails", "a/mails.labels.jsonl"),
        ("/x/mails.jsonl", "/x/mails.labels.jsonl"),
    ],
)
def test_where_the_answers_go(table, answers):
    assert str(_label._beside(_label.Path(table))) == answers


@pytest.mark.parametrize("name", [".", "..", "../mails", "../mails/."])
def test_this_folder_goes_by_its_name(label, tmp_path, monkeypatch, name):
    folder = tmp_path / "mails"
    (folder / "deeper").mkdir(parents=True)
    for word in ("one", "two", "three"):
        (folder / f"{word}.txt").write_text(f"text number {word}")
    monkeypatch.chdir(folder / "deeper" if name == ".." else folder)
    code, _, err = label(name)
    assert code == 2
    assert "'mails' is a folder of files" in err
    assert label(name, text=None, answers="y\n")[0] == 0
    header, _ = saved(tmp_path / "mails.labels.jsonl")
    assert header["table"] == "mails"


# a terminal


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_person_at_a_terminal(table):
    """Keys without Enter, on a screen of its own that goes away; Ctrl-C ends it."""
    import pty

    keyboard, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "lopsided", "label", str(table), "--text", "body", "--question", "Sure?"]
    shown = b""

    def wait_for(words):
        nonlocal shown
        seen = b""
        end = time.monotonic() + 120
        while words not in seen:
            assert select.select([keyboard], [], [], max(0, end - time.monotonic()))[0], seen
            seen += os.read(keyboard, 4096)
        shown += seen

    def press(key):
        time.sleep(0.3)  # what is typed before the question is read does not count
        os.write(keyboard, key)

    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment) as run:
        os.close(terminal)
        try:
            wait_for(b"[?]")
            press(b"y")
            wait_for(b"1 label: 1 yes")
            press(b"n")
            wait_for(b"2 labels: 1 yes, 1 no")
            press(b"\x03")
            wait_for(b"the same command goes on")
            assert run.wait(timeout=60) == 0
        finally:
            run.kill()
            os.close(keyboard)
    assert shown.index(b"\x1b[?1049h") < shown.index(b"Sure?") < shown.index(b"\x1b[?1049l")
    assert b"\x1b[33m" not in shown
    assert [line["answer"] for line in saved(table.with_name("mails.labels.jsonl"))[1:]] == ["yes", "no"]


def answers_to(n):
    return "".join("y\n" if i % 2 else "n\n" for i in range(n))


def test_the_saved_model_scores_new_texts(label, table, tmp_path):
    pytest.importorskip("skops")
    path, exported = tmp_path / "model.skops", tmp_path / "all.jsonl"
    code, out, err = label(
        table, "--find", "x", "--save", str(path), "--export", str(exported), answers=answers_to(12)
    )
    assert (code, err) == (0, "")
    assert "Saved the model in" in out
    assert f"lopsided.load({str(path)!r}).decision_function(texts)" in out
    model, records = load(path), saved(exported)
    scores = model.decision_function([record["text"] for record in records])
    assert scores == pytest.approx([record["score"] for record in records], abs=1e-6)
    assert model.predict([record["text"] for record in records]).tolist() == [
        record["predicted"] for record in records
    ]
    assert model.decision_function(["a text that nobody has seen"]).shape == (1,)


def test_the_saved_model_of_byte_grams(label, table, tmp_path):
    pytest.importorskip("skops")
    path = tmp_path / "model.skops"
    code, _, err = label(table, "--features", "bytes", "--save", str(path), answers=answers_to(6))
    assert (code, err) == (0, "")
    assert set(load(path).predict(TEXTS).tolist()) <= {0, 1}


def test_no_model_without_a_yes_and_a_no(label, label_json, table, tmp_path):
    pytest.importorskip("skops")
    path = tmp_path / "model.skops"
    code, out, _ = label(table, "--save", str(path), answers="n\nn\n")
    assert code == 0
    assert "No model was saved: it needs a yes and a no." in out
    assert not path.exists()
    assert label_json(table, "--save", str(path), answers="n\n")[-1]["model"] is None
    assert label_json(table, "--save", str(path), answers="y\n")[-1]["model"] == str(path)


def test_a_model_that_cannot_be_saved_is_said_before_the_first_question(label, table, tmp_path, monkeypatch):
    for name, why in ((str(tmp_path), "is a folder"), (str(table), "would replace")):
        code, _, err = label(table, "--save", name, answers="y\n")
        assert code == 2
        assert why in err
    monkeypatch.setattr(_label, "is_installed", lambda name: False)
    code, _, err = label(table, "--save", str(tmp_path / "model.skops"), answers="y\n")
    assert code == 2
    assert "pip install 'lopsided[save]'" in err
