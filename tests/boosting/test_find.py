import csv
import io
import json
import pickle
import re
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_array

import lopsided
from lopsided import make_topics
from lopsided.boosting._find import _doubts
from lopsided.boosting._wanted import read_wanted
from lopsided.metrics import Counts
from lopsided.text import Documents
from lopsided.text._stemmed import locate_stems

find_rules = partial(lopsided.find_rules, random_state=0)
RNG = np.random.default_rng(0)
TEXTS, TOPICS = make_topics(600, n_topics=12, random_state=1)


def make_table(n=400, seed=0):
    """A rare class by two columns, one of them a category; two that say nothing; some cells are missing."""
    rng = np.random.default_rng(seed)
    age, noise = rng.integers(20, 80, n), rng.normal(size=n)
    town, other = rng.choice(["a", "b", "c"], n), rng.choice(["x", "y"], n)
    y = np.where((age > 60) & (town != "b"), "rare", "common")
    table = {"age": age.tolist(), "noise": noise.tolist(), "town": town.tolist(), "other": other.tolist()}
    return table, y.tolist()


@pytest.fixture(scope="module")
def report():
    return find_rules(TEXTS, TOPICS, positive=3)


def test_figures_by_hand(report):
    """Words are looked for in the texts themselves, points are added up, decisions are counted."""
    assert report.held_out
    assert report.n_learned + report.n_judged == report.n_rows == len(TEXTS)
    judged = sorted(report._judged.tolist())
    stems = {i: {stem for stem, _, _ in locate_stems(TEXTS[i])} for i in judged}
    truth = {i for i in judged if TOPICS[i] == 3}
    points = dict.fromkeys(judged, 0.0)
    for rule in report.rules:
        holds = [i for i in judged if all((c.feature in stems[i]) == c.says_yes for c in rule.conditions)]
        assert rule.n_holds == len(holds)
        assert rule.n_right == len(truth & set(holds))
        assert rule.precision == pytest.approx(rule.n_right / rule.n_holds)
        assert rule.recall == pytest.approx(rule.n_right / len(truth))
        for i in holds:
            points[i] += rule.points
    found = {i for i in judged if points[i] > report.bar + 1e-9}
    assert report.counts.tp == len(found & truth)
    assert report.counts.fp == len(found - truth)
    assert report.counts.fn == len(truth - found)
    assert report.counts.n == len(judged)
    assert report.counts.f() > 0.6
    for outcome, rows in (
        ("found", found & truth),
        ("missed", truth - found),
        ("false alarm", found - truth),
    ):
        cases = report.cases(outcome)
        assert {case.row for case in cases} == rows
        for case in cases:
            assert case.points == pytest.approx(points[case.row])
            assert case.id == str(case.row + 1)
        assert [case.points for case in cases] == sorted((case.points for case in cases), reverse=True)
        assert report.cases(outcome, 2) == cases[:2]


def test_rows_held_out_teach_nothing(report):
    texts = list(TEXTS)
    for i in report._judged:
        texts[i] = f"something else altogether {'x' * (i + 1)}"
    other = find_rules(texts, TOPICS, positive=3)
    assert other._judged.tolist() == report._judged.tolist()
    assert [(r.text, r.points) for r in other.rules] == [(r.text, r.points) for r in report.rules]
    assert other.parameters == report.parameters
    assert other.cv_f1 == report.cv_f1


def test_a_share_of_either_class_is_held_out(report):
    n_positives = int((TOPICS == 3).sum())
    assert report.n_positives == n_positives
    assert report.n_judged_positives == round(n_positives / 4)
    assert report.n_judged - report.n_judged_positives == round((len(TEXTS) - n_positives) / 4)
    half = find_rules(TEXTS, TOPICS, positive=3, held_out=0.5)
    assert half.n_judged_positives == round(n_positives / 2)


def test_copies_stay_on_one_side():
    copies = [f"{text} \n" if i % 2 else text.replace(" ", "  ") for i, text in enumerate(TEXTS)]
    doubled = find_rules(TEXTS + copies, list(TOPICS) * 2, positive=3)
    sides = np.isin(np.arange(2 * len(TEXTS)), doubled._judged)
    assert (sides[: len(TEXTS)] == sides[len(TEXTS) :]).all()


def test_empty_texts_are_on_both_sides():
    texts = [
        "" if i % 3 == 0 and t != 3 else text for i, (text, t) in enumerate(zip(TEXTS, TOPICS, strict=True))
    ]
    report = find_rules(texts, TOPICS, positive=3)
    n_empty = sum(not texts[i] for i in report._judged)
    assert 0.15 * texts.count("") < n_empty < 0.35 * texts.count("")


def test_an_empty_list_of_labels_is_no_missing_label():
    labels = [["yes"] if t == 3 else [] for t in TOPICS]
    wanted = read_wanted(labels)
    assert (wanted.name, len(wanted.rows)) == ("yes", len(TEXTS))
    assert len(read_wanted([None, *labels]).rows) == len(TEXTS)


def test_a_seed_decides(report):
    again = find_rules(TEXTS, TOPICS, positive=3)
    assert again.to_json() == report.to_json()
    other = find_rules(TEXTS, TOPICS, positive=3, random_state=1)
    assert other._judged.tolist() != report._judged.tolist()


@pytest.mark.parametrize("n_rules", [1, 2, 3])
def test_at_most_so_many_rules(n_rules):
    report = find_rules(TEXTS, TOPICS, positive=3, n_rules=n_rules)
    assert 1 <= len(report.rules) <= n_rules
    assert [rule.place for rule in report.rules] == list(range(1, len(report.rules) + 1))
    points = [rule.points for rule in report.rules]
    assert points == sorted(points, reverse=True)
    assert min(points) > 0


def test_the_rarest_is_the_default():
    labels = ["a"] * 300 + ["b"] * 180 + ["c"] * 120
    assert read_wanted(labels)[::3] == ("c", "the rarest of 3 labels")
    assert read_wanted(labels, "a")[::3] == ("a", "")
    assert read_wanted(["b", "a"] * 9)[::3] == ("a", "the first by name of 2 labels that are equally rare")
    assert read_wanted([["a"], [], []])[::3] == ("a", "the only label")


def test_a_word_that_is_there_is_preferred():
    """Both ways of saying it are as good."""
    texts = [f"wheat corn {'a' * i}" for i in range(40)] + [f"zinc corn {'b' * i}" for i in range(8)]
    report = find_rules(texts, ["w"] * 40 + ["z"] * 8)
    assert [rule.text for rule in report.rules] == ["'zinc'"]


def test_a_word_that_is_not_there_reads_well():
    texts = [f"wheat corn {'a' * i}" for i in range(40)] + [f"corn {'b' * i}" for i in range(8)]
    report = find_rules(texts, ["w"] * 40 + ["z"] * 8)
    assert [rule.text for rule in report.rules] == ["no 'wheat'"]
    assert not report.rules[0].conditions[0].says_yes
    assert report.counts.f() == 1


def test_spellings_of_a_word():
    texts = [f"{('ships', 'ships', 'shipping', 'Ship')[i % 4]} and {'a' * i}" for i in range(20)]
    report = find_rules([*texts, *(f"wheat {'b' * i}" for i in range(40))], ["s"] * 20 + ["w"] * 40)
    assert report.rules[0].conditions[0].words == ("ships", "ship", "shipping")
    assert report.rules[0].whole == "'ships' (ship, shipping)"
    pieces = report.cases("found")[0].pieces
    assert [kind for text, kind in pieces if text.lower() in ("ship", "ships", "shipping")] == ["for"]


def test_evidence_against():
    """The word that is not there is marked where it is, if the label says otherwise."""
    texts = [f"wheat corn {'a' * i}" for i in range(40)] + [f"corn {'b' * i}" for i in range(12)]
    labels = ["w"] * 36 + ["z"] * 16  # four have the word all the same
    report = find_rules(texts, labels, positive="z", held_out=0.6)
    missed = report.cases("missed")
    assert missed
    assert all(("wheat", "against") in case.pieces for case in missed)
    assert all(case.holding == () for case in missed)
    assert '<mark class="against">wheat</mark>' in report.to_html()


@pytest.mark.parametrize("n_positives", [1, 2, 3])
def test_few_positives_are_judged_on_themselves_and_marked(n_positives):
    texts = [f"wheat {'a' * i}" for i in range(40)] + [f"zinc {'b' * i}" for i in range(n_positives)]
    report = find_rules(texts, ["w"] * 40 + ["z"] * n_positives)
    assert not report.held_out
    assert report.n_learned == report.n_judged == len(texts)
    assert (report.cv_f1 is None) == (n_positives == 1)
    for told in (report.summary(), " ".join(report.about()), report.to_html()):
        assert "held out" in told or "hold some out" in told
    assert "too few different rows of a class" in report.to_html()
    assert "NOT held out" in report.summary()
    assert report.plain()["judged"]["held_out"] is False


def test_four_positives_are_enough():
    texts = [f"wheat {'a' * i}" for i in range(40)] + [f"zinc {'b' * i}" for i in range(4)]
    report = find_rules(texts, ["w"] * 40 + ["z"] * 4)
    assert report.held_out
    assert report.n_judged_positives == 1
    assert report.caveat() == ""


def test_numbers_and_categories():
    table, y = make_table()
    report = find_rules(table, y)
    assert report.positive == "rare"
    (rule,) = report.rules
    assert {condition.feature for condition in rule.conditions} == {"age", "town"}
    assert "town is not 'b'" in rule.text
    threshold = next(c.value for c in rule.conditions if c.feature == "age")
    assert 58 <= threshold < 62
    assert report.counts.f() > 0.9
    rows = [i for i in report._judged if table["age"][i] > threshold and table["town"][i] != "b"]
    assert rule.n_holds == len(rows)
    assert rule.lift == pytest.approx(rule.precision * report.n_judged / report.n_judged_positives)
    assert "age = " in report.to_html()


def test_data_frames_and_arrays():
    table, y = make_table()
    said = find_rules(table, y).to_json()
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table)
    assert find_rules(frame, y).to_json() == said
    assert find_rules(frame, pandas.Series(y)).to_json() == said
    frame["age"] = frame["age"].astype("Int64")
    frame["town"] = frame["town"].astype("category")
    assert find_rules(frame, y).to_json() == said
    polars = pytest.importorskip("polars")
    assert find_rules(polars.DataFrame(table), y).to_json() == said
    numbers = np.column_stack([table["age"], table["noise"]])
    assert find_rules(numbers, y).rules[0].conditions[0].feature == "x0"


def test_missing_numbers():
    """A missing number is below all others, and the rules say so."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    gone = rng.random(300) < 0.2
    cells = [None if g else v for v, g in zip(x, gone, strict=True)]
    report = find_rules({"x": cells}, gone.tolist())
    assert [rule.text for rule in report.rules] == ["x is missing"]
    assert report.counts.f() == 1
    assert "x = missing" in report.to_html()
    low = (x < -0.5) | gone
    rule = find_rules({"x": cells}, low.tolist(), positive=True).rules[0]
    assert re.fullmatch(r"x <= -0\.[45]\d* or missing", rule.text)
    high = (x > 0.5) & ~gone
    assert re.fullmatch(r"x > 0\.\d+", find_rules({"x": cells}, high.tolist()).rules[0].text)


def test_missing_categories():
    kind = [("a", "b", None, "")[i % 4] if i % 5 else "a" for i in range(200)]
    y = [k in (None, "") for k in kind]
    assert [rule.text for rule in find_rules({"kind": kind}, y).rules] == ["kind is missing"]


def test_infinite_and_huge_numbers_are_ordered_like_others():
    values = [-np.inf, -1e308, 0.0, 5e-324, 1.0, 1e308, np.inf, None] * 20
    y = [v == np.inf for v in values]
    report = find_rules({"x": values}, y, positive=True)
    assert report.counts.f() == 1
    assert len(report.rules) == 1
    y = [v == -np.inf for v in values]
    assert find_rules({"x": values}, y, positive=True).counts.recall() == 1


def test_text_beside_numbers_is_left_out_and_alone_is_used():
    table, y = make_table(600)
    both = find_rules(table | {"note": TEXTS, "id": list(range(600)), "one": [1] * 600}, y)
    assert "age" in both.rule_list.columns
    assert any("note (running text)" in remark and "--text" in remark for remark in both.remarks)
    assert "Left out: id (it counts the rows)." in both.remarks
    assert "Left out: one (one value)." in both.remarks
    some = find_rules(table | {"id": list(range(600))}, [*y[:7], None, *y[8:]])
    assert "Left out: id (it counts the rows)." in some.remarks
    alone = find_rules({"note": TEXTS, "id": list(range(600))}, TOPICS, positive=3)
    assert "the words of the column 'note'" in alone.source
    plain = find_rules(TEXTS, TOPICS, positive=3)
    assert [rule.text for rule in alone.rules] == [rule.text for rule in plain.rules]
    assert alone.counts == plain.counts


def test_rows_without_a_label_are_left_out():
    labels = [None if i < 50 else int(t) for i, t in enumerate(TOPICS)]
    report = find_rules(TEXTS, labels, positive=3)
    assert report.n_rows == 550
    assert "50 rows without a label are left out." in report.remarks
    assert report._judged.min() >= 50
    without = find_rules(TEXTS[50:], TOPICS[50:], positive=3)
    assert [rule.text for rule in report.rules] == [rule.text for rule in without.rules]
    assert [case.row for case in report.cases("found")] == [case.row + 50 for case in without.cases("found")]


def test_no_rule():
    """Nothing tells the classes apart, and the report says so everywhere."""
    texts = [f"the same words {'a' * (i + 1)}" for i in range(100)]
    report = find_rules(texts, [i % 10 == 0 for i in range(100)])
    assert report.rules == []
    assert report.counts.tp == report.counts.fp == 0
    assert report.summary().startswith("no rule for 'True'")
    assert "No rule tells the wanted rows from the others." in report.to_html()
    assert json.loads(report.to_json())["rules"] == []
    assert report.to_csv().count("\n") == 1
    assert len(report.cases("missed")) == report.n_judged_positives


def test_everything_a_report_writes(report):
    said = json.loads(report.to_json())
    assert [rule["rule"] for rule in said["rules"]] == [rule.text for rule in report.rules]
    assert said["judged"]["f1"] == report.counts.f()
    assert said["judged"]["tp"] == len([case for case in said["cases"] if case["outcome"] == "found"])
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert [int(row["holds"]) for row in rows] == [rule.n_holds for rule in report.rules]
    assert rows[0]["rule"].startswith("'")
    assert repr(report).startswith(f"<RuleReport: {len(report.rules)} rule")
    again = pickle.loads(pickle.dumps(report))
    assert again.to_html() == report.to_html()
    pytest.importorskip("pandas")
    assert report.to_pandas()["holds"].tolist() == [rule.n_holds for rule in report.rules]


def test_the_page_is_whole_and_marks_the_words(report):
    html = report.to_html()
    assert html.count("<tr>") == len(report.rules) + 1
    assert html.count("data-rank=") == sum(len(report.cases(o)) for o in ("found", "missed", "false alarm"))
    assert '<mark class="for">' in html
    assert "Content-Security-Policy" in html
    assert "http:" not in html
    assert "https:" not in html
    few = report.to_html(1, title="A title", notes=["a note"])
    assert "<title>A title</title>" in few
    assert "a note" in few
    assert few.count("data-rank=") == sum(bool(report.cases(o)) for o in ("found", "missed", "false alarm"))


EVIL = "<script>alert('&')</script>"


def test_no_data_are_trusted_in_the_page():
    n = 60
    texts = [f"{EVIL} ship </mark></li> {'a' * i}" if i % 4 == 0 else f"wheat {'b' * i}" for i in range(n)]
    labels = [EVIL if i % 4 == 0 else "no" for i in range(n)]
    pages = [find_rules(texts, labels, ids=[f"{EVIL}{i}" for i in range(n)]).to_html(notes=[EVIL])]
    column = [1.0 if i % 4 == 0 else 0.0 for i in range(n)]
    pages.append(find_rules({EVIL: column, "b": [0, 1] * (n // 2)}, labels).to_html())
    values = [EVIL if i % 4 == 0 else f"v{i % 3}" for i in range(n)]
    pages.append(find_rules({"k": values}, labels, ids=[EVIL] * n).to_html(title=EVIL))
    for html in pages:
        assert html.count("<script>") == 1  # that of the page
        assert "alert(" in html
        assert "alert('" not in html
        assert html.count("<li") == html.count("</li>")


def test_names_of_rows():
    documents = Documents(TEXTS, [f"mail/{i}" for i in range(len(TEXTS))])
    case = find_rules(documents, TOPICS, positive=3).cases("found")[0]
    assert case.id == f"mail/{case.row}"


@pytest.mark.parametrize(
    ("data", "labels", "options", "words"),
    [
        ([], [], {}, "find_rules needs data; got none"),
        (["a", "b"], [1], {}, "there are 2 rows, but 1 labels"),
        (["a", "b"], [1, 1], {}, "all 2 rows with a label have the same, '1'"),
        (["a", "b"], [None, float("nan")], {}, "none of the 2 rows has a label"),
        (["a", "b", "c"], [1, 2, 3], {}, "each of the 3 rows has a label of its own"),
        (["a", "b", "c"], ["ham", "ham", "spam"], {"positive": "Spam"}, "Did you mean 'spam'?"),
        (["a", "b", "c"], ["ham", "ham", "spam"], {"positive": "?"}, "There are 'ham', 'spam'."),
        (["a", "b", "c"], [["a"], ["a", "b"], ["a"]], {"positive": "a"}, "nothing to tell them from"),
        (["a", "b", "c"], [1, 1, 2], {}, "no word is in two of the 3 texts"),
        ({"a": [1, 1, 1]}, [1, 1, 2], {}, "no column can be learned from (a: one value)"),
        ({"a": [{}, {}, {}]}, [1, 1, 2], {}, "(a: lists or objects)"),
        ({"a": ["p", "q", "r"]}, [1, 1, 2], {}, "nearly each row has a value of its own"),
        ({}, [], {}, "got 0 columns of no rows"),
        ({"a": [1], "b": [1, 2]}, [1], {}, "got 2 columns of 1, 2 rows"),
        ("text", [1], {}, "got one str"),
        (["a", "b"], [1, 2], {"n_rules": 0}, "n_rules must be a whole number, at least 1; got 0"),
        (["a", "b"], [1, 2], {"held_out": 1.0}, "held_out must be between 0 and 1; got 1.0"),
        (["a", "b"], [1, 1, 2], {"ids": ["x"]}, "there are 2 rows, but 3 labels"),
        (["a", "b", "c"], [1, 1, 2], {"ids": ["x"]}, "ids must name each of the 3"),
    ],
)
def test_mistakes(data, labels, options, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        find_rules(data, labels, **options)


def test_texts_that_are_none():
    with pytest.raises(TypeError, match=re.escape("data[1] is a NoneType; expected str or bytes")):
        find_rules(["a", None], [1, 2])


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (TOPICS == 3, True),
        ((TOPICS == 3).astype(int), "1"),
        ((TOPICS == 3).astype(float), 1),
        (["1.0" if t == 3 else "0.0" for t in TOPICS], 1),
        (["yes" if t == 3 else "no" for t in TOPICS], "yes"),
        ([["a", "yes"] if t == 3 else ["a"] for t in TOPICS], "yes"),
        ([{"a", "yes"} if t == 3 else {"b"} for t in TOPICS], "yes"),
        (["a; yes" if t == 3 else "a" for t in TOPICS], "yes"),
        ([("a|yes", "yes")[i % 2] if t == 3 else "a" for i, t in enumerate(TOPICS)], "yes"),
    ],
)
def test_labels_of_all_kinds(labels, positive):
    wanted = read_wanted(list(labels), positive)
    assert wanted.positive.tolist() == (TOPICS == 3).tolist()
    assert wanted.rows.tolist() == list(range(len(TOPICS)))
    assert bool(wanted.remark) == any(";" in str(label) or "|" in str(label) for label in labels)


@pytest.mark.parametrize("labels", [["Smith, John", "Doe, Jane"] * 5, ["a, b", "c"] * 5, ["a;b", "c;d"] * 5])
def test_what_only_looks_like_lists(labels):
    """Parts that stand nowhere alone are no labels."""
    wanted = read_wanted(labels)
    assert wanted.remark == ""
    assert wanted.name == min(labels)


def test_reuters_platinum_is_found_by_its_word(need):
    """Claim B4: some of the smallest categories need one rule; here others may rule single stories out."""
    need("reuters21578")
    from lopsided import fetch_reuters21578

    bunch = fetch_reuters21578()
    labels = np.asarray(bunch.target.todense() if hasattr(bunch.target, "todense") else bunch.target)
    wanted = labels[:, list(bunch.target_names).index("platinum")]
    used = np.flatnonzero(np.isin(bunch.split, ["train", "test"]))
    report = find_rules([bunch.data[i] for i in used], wanted[used], positive=1)
    assert "'platinum'" in [rule.text for rule in report.rules]
    assert report.counts.recall() == 1


@pytest.mark.parametrize("share", [0.0525, 0.15, 0.5])
def test_choices_are_the_same_in_every_fold(share):
    """Where the share of positives in a fold is another, equal choices are others."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        labels = np.where(rng.permutation(101) < round(101 * share), "yes", "no").tolist()
        report = find_rules({"a": rng.normal(size=101).tolist(), "b": rng.normal(size=101).tolist()}, labels)
        assert report.positive == ("yes" if labels.count("yes") <= labels.count("no") else "no")


def test_data_that_cannot_be_read_are_named():
    labels = ["yes", "no"] * 10
    with pytest.raises(ValueError, match="got a sparse matrix"):
        find_rules(csr_array(np.eye(20)), labels)
    with pytest.raises(ValueError, match="n_rules must be a whole number"):
        find_rules({"a": list(range(20))}, labels, n_rules="3")


def test_frames_with_equal_names_and_missing_labels():
    pandas = pytest.importorskip("pandas")
    twice = pandas.DataFrame(np.zeros((20, 2)), columns=["a", "a"])
    with pytest.raises(ValueError, match="two columns are called 'a'"):
        find_rules(twice, ["yes", "no"] * 10)
    labels = pandas.Series(["yes", "no"] * 20 + [pandas.NA] * 3)
    report = find_rules({"a": [1.0, 2.0] * 20 + [3.0] * 3}, labels)
    assert report.n_rows == 40
    assert len(report.rules) == 1


def test_large_numbers_are_shown_whole():
    values = [1_000_000 + i * 7 % 80 for i in range(80)]
    labels = ["yes" if value > 1_000_060 else "no" for value in values]
    report = find_rules({"amount": values}, labels)
    page = report.to_html()
    assert "e+06" not in page


@pytest.mark.parametrize("as_objects", [False, True])
def test_dates_have_an_order(as_objects):
    """Wanted is what came after a day; its neighbours are missing, as text or as objects."""
    rng = np.random.default_rng(0)
    days = np.array(["2024-01-01"], dtype="datetime64[D]") + rng.integers(0, 700, 600)
    wanted = days > np.datetime64("2025-06-10")
    cells = [day.item() if as_objects else str(day) for day in days]
    cells[5] = None if as_objects else ""
    report = find_rules({"opened": cells, "noise": rng.random(600)}, wanted.astype(int))
    (rule,) = report.rules
    assert rule.text == "opened > 2025-06-10"
    assert rule.conditions[0].value == "2025-06-10"
    assert rule.n_right == rule.n_holds == rule.n_positives


@pytest.mark.parametrize("seed", range(4))
def test_rules_about_noise_are_said_to_be_hints(seed):
    rng = np.random.default_rng(seed)
    X, wanted = rng.normal(size=(800, 3)), rng.random(800) < 0.05
    report = lopsided.find_rules(X, np.where(wanted, "bad", "ok"), positive="bad", random_state=seed)
    assert report.rules
    assert sum("hints, not as a decision" in remark for remark in report.remarks) == 1


def test_rules_that_hold_are_no_hints(report):
    assert not any("chance" in remark for remark in report.remarks)


def test_the_chance_of_as_many_by_hand():
    """Of 20 rows 5 are wanted and 5 are drawn: 4 wanted in 76 of 15,504 draws, 2 or more in 5,676."""
    assert _doubts(2.0, Counts(tp=4, fp=1, fn=1, tn=14)) == []
    (sentence,) = _doubts(2.0, Counts(tp=2, fp=3, fn=3, tn=12))
    assert "(p = 0.37)" in sentence
    assert _doubts(2.0, None) == []
    assert "cross validation" in _doubts(1.05, Counts(tp=4, fp=1, fn=1, tn=14))[0]
