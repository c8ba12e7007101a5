import json
from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.svm import SVC

from lopsided import fetch_reuters21578, make_topics
from lopsided.screening._labeling import LabelingSession
from lopsided.text import StemmedVectorizer

TEXTS = [
    "a ship sails to the harbour",
    "wheat prices rise",
    "the ship sinks",
    "corn and wheat harvest",
    "ships carry wheat across the sea",
    "corn harvest in the rain",
    "a vessel in the harbour",
    "prices of corn fall",
]
IS_SHIP = [word in (0, 2, 4, 6) for word in range(len(TEXTS))]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mails.labels.jsonl"


@pytest.fixture(scope="module")
def topics():
    """Two hundred documents, one in ten about the first topic."""
    texts, y = make_topics(200, 10, random_state=0)
    return texts, y == 0


def answer(session, y, n=1):
    """Answer n questions by the truth; returns them."""
    asked = []
    for _ in range(n):
        question = session.ask()
        session.answer(
            question.row,
            "yes" if y[question.row] else "no",
            reason=question.reason,
            probability=question.probability,
        )
        asked.append(question)
    return asked


# which text next


def test_random_until_a_yes_is_known_then_by_the_strategy(topics):
    texts, y = topics
    reasons = {"border": "border", "most likely": "most likely", "random": "random check"}
    for strategy, reason in reasons.items():
        asked = answer(LabelingSession(texts, strategy=strategy), y, 60)
        first = [y[q.row] for q in asked].index(True) + 1
        assert {q.reason for q in asked[:first]} == {"first"}
        assert all(q.probability is None for q in asked[:first])
        assert {q.reason for q in asked[first:]} == {reason}
        assert len({q.row for q in asked}) == 60


def test_the_words_of_the_question_come_first():
    question = LabelingSession(TEXTS, question="Is this about the harvest of corn?").ask()
    assert (question.row, question.reason) == (3, "search") or "corn harvest" in TEXTS[question.row]


def test_rare_texts_are_found_sooner_than_by_chance(topics):
    texts, y = topics
    session = LabelingSession(texts)
    answer(session, y, 80)
    assert session.progress().n_yes > 0.9 * y.sum()


def test_the_same_question_until_it_is_answered(topics):
    texts, y = topics
    session = LabelingSession(texts)
    for _ in range(30):
        assert session.ask() == session.ask()
        answer(session, y)


def test_equal_seeds_ask_the_same_and_others_do_not(topics):
    texts, y = topics
    runs = [answer(LabelingSession(texts, seed=seed), y, 20) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_all_texts_come_in_the_end():
    session = LabelingSession(TEXTS)
    asked = answer(session, IS_SHIP, len(TEXTS))
    assert sorted(q.row for q in asked) == list(range(len(TEXTS)))
    assert session.ask() is None
    assert session.progress().stop == "exhausted"
    assert session.progress().n_left == 0


def test_equal_texts_are_asked_once_and_share_the_answer():
    texts = [*TEXTS, TEXTS[0], TEXTS[0]]
    session = LabelingSession(texts)
    assert session.n_copies == 2
    asked = answer(session, IS_SHIP, len(TEXTS))
    assert max(Counter(texts[q.row] for q in asked).values()) == 1
    assert [record["label"] for record in session.records()][-2:] == [1, 1]
    session.answer(9, "no")  # about the text, so about all three
    assert [session.label(row) for row in (0, 8, 9)] == ["no"] * 3


def test_empty_texts_are_never_asked():
    session = LabelingSession(["", *TEXTS, " \n", ""])
    assert session.n_empty == 3
    asked = answer(session, [False, *IS_SHIP], len(TEXTS))
    assert not {q.row for q in asked} & {0, 9, 10}
    assert session.ask() is None
    with pytest.raises(ValueError, match="the text of '1' is empty"):
        session.answer(0, "yes")


def test_a_skipped_text_is_not_asked_again_and_has_no_label():
    session = LabelingSession(TEXTS)
    row = session.ask().row
    session.answer(row, "skip")
    asked = answer(session, IS_SHIP, len(TEXTS) - 1)
    assert row not in [q.row for q in asked]
    assert session.ask() is None
    assert session.label(row) is None
    assert session.progress()[:3] == (7, sum(IS_SHIP) - IS_SHIP[row], 1)


# search


def test_a_search_comes_first_until_a_yes():
    session = LabelingSession(TEXTS)
    assert session.find("WHEAT") == 3
    assert session.ask().reason == "search"
    first = session.ask().row
    session.answer(first, "no", reason="search")
    second = session.ask()
    assert second.reason == "search"
    assert "wheat" in TEXTS[second.row]
    session.answer(second.row, "yes", reason="search")
    assert session.ask().reason == "most likely"
    session.undo()
    assert session.ask() == second


def test_the_best_match_is_asked_first():
    session = LabelingSession(["the ship", "wheat grows", "barley", "wheat and wheat", "corn and wheat"])
    session.find("wheat corn")
    asked = []
    while session.ask().reason == "search":
        asked.append(session.ask().row)
        session.answer(asked[-1], "no")
    assert asked == [4, 3, 1]


def test_a_search_is_over_where_a_yes_was_found_earlier(path):
    with LabelingSession(TEXTS, answers=path) as session:
        session.find("ship")
        session.answer(session.ask().row, "yes", reason="search")
        session.answer(1, "no")
    with LabelingSession(TEXTS, answers=path) as session:
        assert session.find("ship") == 2
        assert session.ask().reason == "most likely"
        assert session.find("ship", again=True) == 2
        assert session.ask().reason == "search"


@pytest.mark.parametrize("features", ["stems", "bytes"])
def test_words_that_no_text_holds_change_nothing(features):
    session = LabelingSession(TEXTS, features=features)
    before = session.ask()
    assert session.find("zeppelin") == session.find("") == 0
    assert session.ask() == before


def test_byte_grams_find_short_words_and_learn():
    session = LabelingSession(TEXTS, features="bytes")
    assert session.find("SEA rain") == 2
    asked = answer(session, IS_SHIP, len(TEXTS))
    assert asked[0].reason == "search"
    assert session.progress().n_labels == len(TEXTS)


# answers


def test_undo_goes_back_to_the_question_before(topics):
    texts, y = topics
    session = LabelingSession(texts)
    answer(session, y, 40)
    before = [session.progress()]
    asked = answer(session, y, 3)
    for question in reversed(asked):
        row, verdict = session.undo()
        assert (row, verdict) == (question.row, "yes" if y[row] else "no")
        assert session.ask().row == question.row
        assert session.ask() == question
    assert session.progress()[:5] == before[0][:5]


def test_undo_takes_a_skip_back_and_stops_at_the_beginning():
    session = LabelingSession(TEXTS)
    row = session.ask().row
    session.answer(row, "skip")
    assert session.undo() == (row, "skip")
    assert session.ask().row == row
    assert session.undo() is None


def test_a_later_answer_takes_the_place_of_an_earlier_one():
    changed, straight = LabelingSession(TEXTS), LabelingSession(TEXTS)
    for row, verdict in [(0, "no"), (1, "no"), (2, "skip"), (3, "yes"), (0, "yes"), (3, "no"), (2, "yes")]:
        changed.answer(row, verdict)
        changed.progress()  # learns, so that it has something to unlearn
    for row, verdict in [(1, "no"), (0, "yes"), (3, "no"), (2, "yes")]:
        straight.answer(row, verdict)
    assert list(changed.records()) == list(straight.records())
    assert changed.progress()[:5] == straight.progress()[:5]
    changed.undo()
    assert changed.label(2) is None
    changed.undo()
    assert changed.label(3) == "yes"


def test_records():
    session = LabelingSession(TEXTS, ids=list("abcdefgh"))
    assert {(r["label"], r["score"], r["predicted"]) for r in session.records()} == {(None, None, None)}
    session.answer(0, "yes")
    session.answer(1, "no")
    records = list(session.records())
    assert [record["id"] for record in records] == list("abcdefgh")
    assert [record["label"] for record in records] == [1, 0] + [None] * 6
    assert all(record["predicted"] == (record["score"] > 0) for record in records)
    assert records[2]["predicted"] == 1  # it shares the ship with the first


def test_of_an_empty_text_nothing_is_said():
    session = LabelingSession(["", *TEXTS, " \n"])
    for row, verdict in ((1, "yes"), (3, "yes"), (2, "no")):
        session.answer(row, verdict)
    records = list(session.records())
    for record in (records[0], records[-1]):
        assert (record["label"], record["score"], record["predicted"]) == (None, None, None)
    assert all(record["predicted"] in (0, 1) for record in records[1:-1])


# the file


def test_a_session_begun_anew_at_each_answer_asks_the_same(path, topics):
    texts, y = topics
    straight = answer(LabelingSession(texts), y, 25)
    resumed = []
    for _ in range(25):
        with LabelingSession(texts, answers=path) as session:
            resumed += answer(session, y)
    assert resumed == straight


def test_progress_survives_a_restart(path, topics):
    texts, y = topics
    with LabelingSession(texts, answers=path) as session:
        answer(session, y, 90)
        session.answer(session.ask().row, "skip")
        before = session.progress()
    with LabelingSession(texts, answers=path) as session:
        assert session.n_resumed == 91
        assert not session.changed
        assert session.progress() == before


def test_each_line_says_which_text_and_when(path):
    with LabelingSession(TEXTS, ids=list("abcdefgh"), answers=path, table="mails.csv") as session:
        session.answer(3, "no")
        session.undo()
    header, line, undo = map(json.loads, path.read_text().splitlines())
    assert header["table"] == "mails.csv"
    assert (line["row"], line["id"], line["answer"], line["reason"]) == (4, "d", "no", "given")
    assert undo["answer"] == "undo"
    assert undo["text"] == line["text"]
    assert line["time"].endswith("+00:00")


def test_undo_reaches_into_earlier_sessions(path):
    with LabelingSession(TEXTS, answers=path) as session:
        session.answer(0, "yes")
        session.answer(1, "no")
    with LabelingSession(TEXTS, answers=path) as session:
        assert session.undo() == (1, "no")
    with LabelingSession(TEXTS, answers=path) as session:
        assert session.n_resumed == 1
        assert [session.label(0), session.label(1)] == ["yes", None]


def test_answers_follow_their_texts(path):
    with LabelingSession(TEXTS, answers=path) as session:
        answer(session, IS_SHIP, 5)
        labels = {TEXTS[i]: session.label(i) for i in range(len(TEXTS))}
    moved = [*reversed(TEXTS), "a new text about ships"]
    with LabelingSession(moved, answers=path) as session:
        assert session.changed
        assert {text: session.label(i) for i, text in enumerate(moved)} == labels | {moved[-1]: None}


def test_a_text_that_was_answered_may_not_vanish(path):
    with LabelingSession(TEXTS, answers=path) as session:
        session.answer(0, "yes")
        session.answer(1, "no")
    edited = ["another text", *TEXTS[1:]]
    with pytest.raises(
        ValueError, match=r"1 of 2 answers in .* are about texts that mails.csv does not hold"
    ) as e:
        LabelingSession(edited, answers=path, table="mails.csv")
    assert "(the first: '1')" in str(e.value)
    assert "--out" in str(e.value)
    with LabelingSession([*TEXTS[:2], "other"], answers=path) as session:  # not answered, so not missed
        session.undo()
    with LabelingSession([*TEXTS, "more"], answers=path) as session:
        session.undo()
    with LabelingSession(edited, answers=path) as session:  # taken back, so not missed either
        assert session.n_resumed == 0


def test_one_file_one_question(path):
    with LabelingSession(TEXTS, answers=path, question="A ship?") as session:
        session.answer(0, "yes")
    with pytest.raises(ValueError, match=r"answers 'A ship\?', not 'Wheat\?'. Name another file"):
        LabelingSession(TEXTS, answers=path, question="Wheat?")
    with LabelingSession(TEXTS, answers=path) as session:
        assert session.question == "A ship?"


def test_a_question_may_be_told_later(path):
    with LabelingSession(TEXTS, answers=path) as session:
        session.answer(0, "yes")
    for _ in range(2):  # nothing is written before an answer is
        with LabelingSession(TEXTS, answers=path, question="A ship?") as session:
            assert (session.question, session.n_resumed) == ("A ship?", 1)
    assert "A ship?" not in path.read_text()
    with LabelingSession(TEXTS, answers=path, question="A ship?") as session:
        session.answer(1, "no")
        session.answer(2, "yes")
        session.undo()
    assert path.read_text().count("A ship?") == 1
    with pytest.raises(ValueError, match=r"answers 'A ship\?', not 'Wheat\?'"):
        LabelingSession(TEXTS, answers=path, question="Wheat?")
    with LabelingSession(TEXTS, answers=path) as session:
        assert (session.question, session.n_resumed, session.n_broken) == ("A ship?", 2, 0)
        session.answer(3, "no")
    assert path.read_text().count("A ship?") == 1


@pytest.mark.parametrize("question", [None, ""])
def test_an_empty_question_is_none(path, question):
    for _ in range(2):
        with LabelingSession(TEXTS, answers=path, question=question) as session:
            session.answer(0, "yes")
            assert session.question is None
    with LabelingSession(TEXTS, answers=path, question="A ship?") as session:
        session.answer(1, "yes")
    with LabelingSession(TEXTS, answers=path, question=question) as session:
        assert session.question == "A ship?"


def test_lines_that_are_no_answers_are_counted(path):
    with LabelingSession(TEXTS, answers=path) as session:
        session.answer(0, "yes")
    with open(path, "a") as file:
        file.write('{"answer": "maybe", "text": "x"}\n{"answer": "yes"}\n{"half')
    with LabelingSession(TEXTS, answers=path) as session:
        assert session.n_broken == 3
        assert session.n_resumed == 1


def test_a_refused_session_lets_go_of_its_file(path):
    with LabelingSession(TEXTS, answers=path) as session:
        session.answer(0, "yes")
    for _ in range(2):
        with pytest.raises(ValueError, match="does not hold"):
            LabelingSession(TEXTS[1:], answers=path)


def test_an_answer_that_cannot_be_saved_is_not_learned(path, monkeypatch):
    session = LabelingSession(TEXTS, answers=path)

    def full(*_, **__):
        raise OSError("the disk is full")

    monkeypatch.setattr(session._file, "append", full)
    with pytest.raises(OSError, match="full"):
        session.answer(0, "yes")
    assert session.label(0) is None
    session.close()


# bad input


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ([], "has 0 rows, 0 empty and 0 a copy"),
        (["one text"], "has 1 row, 0 empty and 0 a copy"),
        (["", " "], "has 2 rows, 2 empty"),
        (["same", "same", ""], "has 3 rows, 1 empty and 1 a copy"),
    ],
)
def test_fewer_than_two_texts(texts, words):
    with pytest.raises(ValueError, match=r"two texts that differ are needed; mails.csv") as error:
        LabelingSession(texts, table="mails.csv")
    assert words in str(error.value)


def test_no_words():
    with pytest.raises(ValueError, match=r"no words to learn from in the table.*--features bytes"):
        LabelingSession(["12", "34"])
    assert LabelingSession(["1234", "5678"], features="bytes").ask() is not None


def test_wrong_arguments():
    with pytest.raises(ValueError, match="features must be 'stems' or 'bytes'; got 'words'"):
        LabelingSession(TEXTS, features="words")
    with pytest.raises(ValueError, match="an answer is 'yes', 'no' or 'skip'; got 'maybe'"):
        LabelingSession(TEXTS).answer(0, "maybe")


def test_a_row_by_its_id_or_number():
    session = LabelingSession(TEXTS, ids=["8", "b", "b", "d", "e", "f", "g", "h"])
    assert session.row("8") == 0  # the id goes before the number
    assert session.row("h") == session.row("8") + 7
    assert session.row("2") == 1
    for name, words in [
        ("b", "2 rows"),
        ("z", "no rows"),
        ("0", "no rows"),
        ("9", "no rows"),
        ("²", "no rows"),
    ]:
        with pytest.raises(ValueError, match=f"{words} of the table have the id '{name}'"):
            session.row(name)


def test_lone_surrogates_are_texts_too():
    session = LabelingSession(["ship \ud800", "wheat", "corn"])
    assert session.n_empty == session.n_copies == 0


# labels of one's own


def test_the_first_label_is_what_is_looked_for(path):
    names = ["ship", "harbour", "neither"]
    with LabelingSession(TEXTS, answers=path, labels=names) as session:
        for row, name in ((0, "harbour"), (2, "ship"), (1, "neither"), (3, "skip")):
            session.answer(row, name)
        assert session.progress()[:3] == (3, 1, 1)
        with pytest.raises(ValueError, match="an answer is 'ship', 'harbour', 'neither' or 'skip'"):
            session.answer(4, "yes")
        before = list(session.records()), session.ask()
        assert [record["label"] for record in before[0]][:3] == ["harbour", "neither", "ship"]
    for labels in (names, ()):
        with LabelingSession(TEXTS, answers=path, labels=labels) as session:
            assert [choice.name for choice in session.choices] == names
            assert (list(session.records()), session.ask()) == before
    with pytest.raises(ValueError, match=r"the labels in .* are ship, harbour, neither"):
        LabelingSession(TEXTS, answers=path, labels=["harbour", "ship", "neither"])


@pytest.mark.parametrize("labels", [["one"], ["a", "a"], ["a", " "], ["a", "skip"], list("abcdefghij")])
def test_labels_that_cannot_be(labels):
    with pytest.raises(ValueError, match="labels are two to nine different names"):
        LabelingSession(TEXTS, labels=labels)


# the classifier


def test_scores_are_those_of_an_exact_svm_of_all_answers(topics):
    texts, y = topics
    session = LabelingSession(texts, strategy="random")
    asked = answer(session, y, 60)
    rows = [question.row for question in asked]
    assert 0 < sum(y[rows]) < 30  # nothing is borrowed
    X = StemmedVectorizer().fit_transform(texts)
    exact = SVC(C=10.0, kernel="linear", tol=1e-6).fit(X[rows], y[rows])
    scores = [record["score"] for record in session.records()]
    np.testing.assert_allclose(scores, exact.decision_function(X), atol=0.01)


def test_where_most_answers_are_yes_the_model_is_no_yes_to_all(topics):
    texts, y = topics
    session = LabelingSession(texts)
    for row in [*np.flatnonzero(y)[:10], *np.flatnonzero(~y)[:1]]:
        session.answer(int(row), "yes" if y[row] else "no")
    predicted = np.array([record["predicted"] for record in session.records()])
    assert f1_score(y, predicted) > 0.8
    assert list(session.records()) == list(session.records())


# real data


@pytest.mark.parametrize(
    ("topic", "least"), [("cocoa", 0.9), pytest.param("ship", 0.75, marks=pytest.mark.slow)]
)
def test_a_rare_topic_of_reuters_is_found_and_learned(need, topic, least):
    need("reuters21578")
    train, test = (fetch_reuters21578(subset=side, categories="90") for side in ("train", "test"))
    column = train.target_names.index(topic)
    y, y_test = (side.target.toarray()[:, column] for side in (train, test))
    session = LabelingSession(train.data)
    session.find(topic)
    answer(session, y, 300)  # of 7,770
    assert session.progress().n_yes > 0.9 * y.sum()
    assert f1_score(y_test, session.model().predict(test.data)) > least
