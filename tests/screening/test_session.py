"""A session asks, learns and remembers; the same answers lead to the same questions."""

import threading
import time

import numpy as np
import pytest

from lopsided import make_topics
from lopsided.screening import STRATEGIES, ScreeningSession

WORDS = [
    "ship ahoy captain",
    "wheat grows tall",
    "a ship sinks at sea",
    "corn and wheat",
    "the ship sails",
    "corn",
]


@pytest.fixture(scope="module")
def corpus():
    texts, topics = make_topics(n_samples=400, random_state=0)
    texts = [text.decode() if isinstance(text, bytes) else text for text in texts]
    return texts, np.asarray(topics) == 0


def screen(session, relevant, n):
    """Answer n questions truly, and return them."""
    asked = []
    for _ in range(n):
        question = session.ask()
        if question is None:
            break
        session.answer(question.row, bool(relevant[question.row]), reason=question.reason)
        asked.append(question)
    return asked


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_equal_answers_lead_to_equal_questions(corpus, strategy):
    texts, relevant = corpus
    first, second = (ScreeningSession(texts, strategy=strategy, seed=3) for _ in range(2))
    asked = screen(first, relevant, 40)
    for question in asked:  # given again without a question between
        second.answer(question.row, bool(relevant[question.row]), reason=question.reason)
    assert first.ask() == second.ask()
    np.testing.assert_array_equal(first.scores(), second.scores())


def test_another_seed_asks_otherwise(corpus):
    texts, relevant = corpus
    asked = [[q.row for q in screen(ScreeningSession(texts, seed=s), relevant, 20)] for s in (0, 1)]
    assert asked[0] != asked[1]


def test_ask_repeats_itself_until_answered(corpus):
    texts, relevant = corpus
    session = ScreeningSession(texts)
    screen(session, relevant, 10)
    assert session.ask() == session.ask()


def test_an_answer_taken_back_was_never_given(corpus):
    texts, relevant = corpus
    session, other = ScreeningSession(texts), ScreeningSession(texts)
    screen(session, relevant, 15)
    screen(other, relevant, 15)
    before = session.ask()
    session.answer(before.row, True)
    session.ask()
    session.skip(session.ask().row)
    assert session.undo()[1] is None
    assert session.undo() == (before.row, True)
    assert session.ask() == other.ask() == before
    assert session.screened().rows.tolist() == other.screened().rows.tolist()


def test_a_session_that_is_restarted_is_as_new(corpus):
    texts, relevant = corpus
    used, new = ScreeningSession(texts), ScreeningSession(texts, strategy="border", seed=4)
    used.search("the")
    screen(used, relevant, 12)
    used.restart(strategy="border", seed=4)
    assert [q.row for q in screen(used, relevant, 20)] == [q.row for q in screen(new, relevant, 20)]


def test_undo_of_nothing():
    assert ScreeningSession(WORDS).undo() is None


def test_undo_brings_back_the_label_that_was_replaced():
    session = ScreeningSession(WORDS)
    session.answer(0, True)
    session.answer(0, False)
    assert session.label(0) is False
    session.undo()
    assert session.label(0) is True
    assert session.n_labels == 1


def test_prepare_changes_no_question(corpus):
    texts, relevant = corpus
    prepared, plain = ScreeningSession(texts), ScreeningSession(texts)
    for _ in range(25):
        prepared.prepare()
        question = prepared.ask()
        assert question == plain.ask()
        for session in (prepared, plain):
            session.answer(question.row, bool(relevant[question.row]), reason=question.reason)


def test_prepare_fits_both_answers_ahead(corpus, monkeypatch):
    texts, relevant = corpus
    session = ScreeningSession(texts)
    screen(session, relevant, 30)
    session.prepare()
    question = session.ask()
    monkeypatch.setattr("lopsided.screening._state.fit", None)  # whoever fits now fails
    for answer in (True, False):
        session.answer(question.row, answer)
        assert session.ask() is not None
        session.undo()


def test_prepare_in_a_thread_meets_answers_and_new_records(corpus):
    texts, relevant = corpus
    session, done = ScreeningSession(texts[:300]), threading.Event()
    failures = []

    def keep_preparing():
        try:
            while not done.is_set():
                session.prepare()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=keep_preparing)
    thread.start()
    try:
        screen(session, relevant, 60)
        session.add(texts[300:])
        screen(session, relevant, 60)
        session.undo()
    finally:
        done.set()
        thread.join()
    assert not failures
    assert session.n_labels == 119


def test_held_rows_go_to_another_reviewer(corpus):
    texts, relevant = corpus
    session = ScreeningSession(texts)
    screen(session, relevant, 30)
    held = []
    for _ in range(5):
        held.append(session.ask(held=held).row)
    assert len(set(held)) == 5
    assert session.ask().row == held[0]
    assert ScreeningSession(["one", "two"]).ask(held=[0, 1]) is None


def test_groups_are_labeled_once():
    texts = ["ship a b", "ship a b", "wheat c d", "ship a b", "corn"]
    session = ScreeningSession(texts, groups=[0, 0, 2, 0, 4])
    assert (session.n_items, session.n_left) == (3, 3)
    session.answer(3, True)
    assert session.label(0) is session.label(1) is True
    assert session.n_left == 2
    asked = screen(session, [True, True, False, True, False], 9)
    assert sorted(q.row for q in asked) == [2, 4]


@pytest.mark.parametrize("groups", [[0, 1], [0, 2, 2], [-1, 1, 2], [0, 0, 1]])
def test_groups_that_cannot_be(groups):
    with pytest.raises(ValueError, match="groups must name"):
        ScreeningSession(["a", "b", "c"], groups=groups)


def test_records_added_before_any_answer_are_as_all_at_once(corpus):
    texts, relevant = corpus
    whole, parts = ScreeningSession(texts), ScreeningSession(texts[:100])
    parts.add(texts[100:101])
    parts.add([])
    parts.add(texts[101:])
    asked = screen(whole, relevant, 30)
    assert [q.row for q in screen(parts, relevant, 30)] == [q.row for q in asked]
    np.testing.assert_array_equal(whole.scores(), parts.scores())


def test_records_added_later_are_asked_about(corpus):
    texts, relevant = corpus
    session = ScreeningSession(texts[:200])
    screen(session, relevant, 200)
    assert session.ask() is None
    session.add(texts[200:])
    assert session.n_left == 200
    assert session.ask().row >= 200


def test_search_comes_first_until_one_is_relevant():
    session = ScreeningSession(WORDS)
    rows = session.search("Sailing ships")
    assert rows.tolist()[0] == 4
    assert set(rows.tolist()) == {0, 2, 4}
    first = session.ask()
    assert (first.row, first.reason) == (4, "search")
    session.answer(4, False, reason="search")
    second = session.ask()
    assert second.reason == "search"
    session.answer(second.row, True, reason="search")
    assert session.ask().reason != "search"
    session.undo()
    assert session.ask() == second


def test_search_without_a_match():
    session = ScreeningSession(WORDS)
    assert session.search("zebra").tolist() == []
    assert session.search("").tolist() == []
    assert session.ask().reason == "first"


def test_a_question_in_words_starts_a_session():
    session = ScreeningSession(WORDS, question="Is wheat mentioned?")
    assert session.ask().row in (1, 3)
    assert session.ask().reason == "search"


def test_skipped_records_do_not_come_back():
    session = ScreeningSession(["ship sea", "corn field"])
    session.skip(session.ask().row)
    session.skip(session.ask().row)
    assert session.ask() is None
    assert (session.n_labels, session.n_left) == (0, 0)
    session.answer(0, True)  # a skipped record may still be labeled
    assert session.n_found == 1


@pytest.mark.parametrize(
    "records",
    [[], ["one record"], [""], ["", "", " "], ["same words"] * 5, ["the of and"] * 3, ["ship", ""]],
)
@pytest.mark.parametrize("label", [True, False])
def test_edge_cases_run_to_their_end(records, label):
    session = ScreeningSession(records)
    asked = []
    while (question := session.ask()) is not None:
        asked.append(question.row)
        session.answer(question.row, label, reason=question.reason)
        session.prepare()
        session.estimate()
        session.stop_reasons()
        session.evidence(question.row)
        session.terms()
        session.curve()
    assert sorted(asked) == list(range(len(records)))
    assert session.n_found == len(records) * label


def test_random_checks_are_drawn_from_all_that_is_left(corpus):
    texts, relevant = corpus
    session = ScreeningSession(texts, strategy="random")
    screen(session, relevant, 50)
    screened = session.screened()
    assert screened.n_unlabelled.tolist() == list(range(400, 350, -1))
    checks = [r for r in screened.reasons if r == "random check"]
    assert len(checks) >= 40
    assert screened.n_items == 400
    assert len(screened.left_scores) == 350


def test_the_curve_counts_what_was_found(corpus):
    texts, relevant = corpus
    session = ScreeningSession(texts)
    asked = screen(session, relevant, 60)
    curve = session.curve()
    assert curve.n_found.tolist() == np.cumsum([relevant[q.row] for q in asked]).tolist()
    assert curve.labels_to_next >= 1


@pytest.mark.parametrize("strategy", ["mixed", "most likely"])
def test_strategies_find_the_relevant_ones_earlier_than_at_random(corpus, strategy):
    texts, relevant = corpus
    found = {}
    for name in (strategy, "random"):
        session = ScreeningSession(texts, strategy=name)
        session.answer(int(np.flatnonzero(relevant)[0]), True)
        screen(session, relevant, 60)
        found[name] = session.n_found
    assert found[strategy] > 2 * found["random"]


def test_bad_arguments():
    with pytest.raises(ValueError, match="strategy must be one of mixed"):
        ScreeningSession(WORDS, strategy="best")
    session = ScreeningSession(WORDS)
    with pytest.raises(IndexError, match="rows are 0 to 5"):
        session.answer(6, True)
    with pytest.raises(ValueError, match="reason must be one of"):
        session.answer(0, True, reason="because")


def test_the_border_is_where_a_record_is_as_likely_relevant_as_not(corpus):
    """Not where the score is 0: in the ranking model the relevant records weigh more."""
    texts, relevant = corpus
    session = ScreeningSession(texts[:80], strategy="border", seed=0)
    for row in [*np.flatnonzero(relevant[:80])[:3], *np.flatnonzero(~relevant[:80])[:27]]:
        session.answer(int(row), bool(relevant[row]))
    asked = session.ask()
    assert asked.reason == "border"
    left = session.screened().left_probability
    assert session.n_left < 59  # so that the pool is all of them
    assert abs(asked.probability - 0.5) == np.abs(left - 0.5).min()


def test_a_search_that_is_not_wanted_again():
    session = ScreeningSession(WORDS)
    session.answer(2, True)
    assert session.search("ship", again=False).tolist() == [0, 4]
    assert session.ask().reason != "search"
    assert session.search("ship").tolist() == [0, 4]
    assert session.ask().reason == "search"


def test_answers_do_not_wait_for_records_that_are_being_read(corpus):
    texts, relevant = corpus
    session = ScreeningSession(texts[:200])
    screen(session, relevant, 5)
    reached, go_on = threading.Event(), threading.Event()

    def slowly():
        yield from texts[200:300]
        reached.set()
        assert go_on.wait(30)
        yield from texts[300:]

    thread = threading.Thread(target=session.add, args=(slowly(),))
    thread.start()
    try:
        assert reached.wait(30)
        assert len(screen(session, relevant, 5)) == 5  # would wait for ever
        session.prepare()
        assert session.n_items == 200
        assert all(row < 200 for row in session.search("the of and a ship"))
        session.evidence(0)
    finally:
        go_on.set()
        thread.join(30)
    assert session.n_items == 400
    whole = ScreeningSession(texts)
    for row, label in session._answers.labels.items():
        whole.answer(row, label)
    assert session.ask() == whole.ask()


def test_copies_that_are_found_later_count_as_if_known_from_the_start(corpus):
    texts, relevant = corpus
    groups = np.arange(len(texts))
    groups[200:] = np.arange(200)
    late, early = ScreeningSession(texts), ScreeningSession(texts, groups=groups)
    for row in (7, 207, 230, 3, 250, 30):
        late.answer(row, bool(relevant[row]))
        early.answer(row, bool(relevant[row]))
    late.skip(299)
    early.skip(299)
    late.regroup(groups)
    assert (late.n_items, late.n_labels, late.n_left, late.n_found) == (
        early.n_items,
        early.n_labels,
        early.n_left,
        early.n_found,
    )
    assert late.ask() == early.ask()
    assert late.label(203) is late.label(3)
    assert late.undo() == early.undo() == (99, None)
    late.regroup(np.arange(len(texts)))  # and taken apart again
    assert late.label(203) is None
    assert late.label(250) is bool(relevant[250])
    assert late.n_labels == 6


def test_many_answers_are_soon_given(corpus):
    texts, _ = corpus
    few = ScreeningSession(texts[:20])
    # an answer does not look at all records
    few._answers.group(np.arange(2_000_000))
    few._features.n_rows = 2_000_000
    begun = time.perf_counter()
    for row in range(2000):
        few.answer(row, False, probability=0.1)
    assert time.perf_counter() - begun < 5
    assert few.n_left == 2_000_000 - 2000


class TestWithMoreRecordsThanAModelFollows:
    @pytest.fixture(autouse=True)
    def many(self, monkeypatch):
        monkeypatch.setattr("lopsided.screening._answers.MOST_FOLLOWED", 100)

    def test_answers_given_again_lead_to_the_same_questions(self, corpus):
        texts, relevant = corpus
        first, second = (ScreeningSession(texts, seed=3) for _ in range(2))
        for _ in range(40):
            question = first.ask()
            first.prepare()
            assert first.ask() == question
            first.answer(question.row, bool(relevant[question.row]), reason=question.reason)
            second.answer(question.row, bool(relevant[question.row]), reason=question.reason)
            assert first.n_left == 400 - first.n_labels
        assert first.ask() == second.ask()
        # also to the last digit: the records without a label that a model borrows are the same
        np.testing.assert_array_equal(first.scores(), second.scores())
        assert first.n_found > 5

    def test_no_answer_waits_for_a_model_that_was_prepared(self, corpus, monkeypatch):
        texts, relevant = corpus
        session = ScreeningSession(texts, seed=3)
        while not session.n_found:
            question = session.ask()
            session.answer(question.row, bool(relevant[question.row]), reason=question.reason)
        session.ask()
        n_fitted = 0
        for _ in range(40):
            session.prepare()
            with monkeypatch.context() as patch:
                patch.setattr("lopsided.screening._state.fit", None)
                question = session.ask()
                session.answer(question.row, bool(relevant[question.row]), reason=question.reason)
                n_fitted += session.ask() is not None
        assert n_fitted == 40

    def test_the_model_is_at_most_nine_answers_old(self, corpus):
        texts, relevant = corpus
        session = ScreeningSession(texts, seed=3)
        for i in range(40):
            question = session.ask()
            session.answer(question.row, bool(relevant[question.row]), reason=question.reason)
            known = session._answers.n_learned(i + 1)
            assert i + 1 - known < 10 or not session.n_found
            rows, labels = session._answers.learned(known)
            other = ScreeningSession(texts)
            for answer in session._answers.all()[:known]:
                other.answer(answer.row, answer.relevant)
            assert dict(zip(rows.tolist(), labels.tolist(), strict=True)) == other._answers.labels

    def test_an_undo_is_as_if_it_was_never_given(self, corpus):
        texts, relevant = corpus
        session = ScreeningSession(texts, seed=3)
        asked = screen(session, relevant, 20)
        for _ in asked[:10]:
            session.undo()
        other = ScreeningSession(texts, seed=3)
        screen(other, relevant, 10)
        assert session.ask() == other.ask()
