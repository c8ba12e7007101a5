"""Rules that are used: applied to new rows, stored, and written as SQL and as Python."""

import json
import math
import sqlite3

import numpy as np
import pytest

from lopsided import find_rules, load_rules, make_topics
from lopsided.boosting._asked import AskedCondition
from lopsided.boosting._rule_list import FoundRule, RuleList

EVIL = 'it\'s "quoted"; DROP TABLE rows; --\n\\'


def make_table(n=600, seed=0):
    """Numbers, dates and categories, with gaps, under names and values that are hard to quote."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, n).astype(object)
    town = rng.choice(["a", EVIL, "c"], n).astype(object)
    days = np.datetime64("2024-01-01") + rng.integers(0, 700, n)
    opened = days.astype(str).astype(object)
    for column, gap in ((age, None), (town, None), (opened, None)):
        column[rng.random(n) < 0.1] = gap
    old = np.array([v is not None and v > 55 for v in age])
    late = np.array([v is not None and v > "2025-02-01" for v in opened])
    y = (old & (town == EVIL)) | (late & (town != "c") & (rng.random(n) < 0.8))
    return {EVIL: age.tolist(), "town": town.tolist(), "opened": opened.tolist()}, y.tolist()


def any_rules(*, suffice):
    """Every kind of condition, said both ways."""
    conditions = [
        AskedCondition(kind, name, value, yes)
        for kind, name, value in (
            ("number", EVIL, 50.5),
            ("date", "opened", "2025-01-31"),
            ("category", "town", EVIL),
            ("missing", "town", "category"),
            ("missing", EVIL, "number"),
            ("missing", "opened", "date"),
        )
        for yes in (True, False)
    ]
    rules = [(condition,) for condition in conditions] + [
        (conditions[0], conditions[5]),
        (conditions[3], conditions[4]),
    ]
    points = 2.0 if suffice else 0.3
    return [FoundRule(i, rule, points, 3, 2, 5, 100) for i, rule in enumerate(rules, 1)]


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module")
def report(table):
    return find_rules(*table, positive=True, random_state=0)


def run_sql(expression, table):
    connection = sqlite3.connect(":memory:")
    names = ['"' + name.replace('"', '""') + '"' for name in table]
    connection.execute(f"CREATE TABLE rows ({', '.join(names)})")
    marks = ", ".join("?" * len(names))
    connection.executemany(f"INSERT INTO rows VALUES ({marks})", zip(*table.values(), strict=True))
    return [bool(value) for (value,) in connection.execute(f"SELECT {expression} FROM rows ORDER BY rowid")]


def run_python(code, table):
    names: dict = {}
    exec(code, names)
    return [
        names["is_positive"](dict(zip(table, row, strict=True))) for row in zip(*table.values(), strict=True)
    ]


def test_predictions_are_the_decisions_of_the_report(report, table):
    predicted = report.predict(table[0])
    judged = report._judged
    np.testing.assert_array_equal(predicted[judged], report._found)
    truth = np.array(table[1])
    assert report.counts.tp == (predicted & truth)[judged].sum() > 0
    assert report.counts.f() > 0.5
    for rule, holds in zip(report.rules, report.rule_list.holds(table[0]), strict=True):
        assert rule.n_holds == holds[judged].sum()
        assert rule.n_right == (holds & truth)[judged].sum()


def test_predictions_for_texts_are_the_decisions_of_the_report():
    texts, topics = make_topics(400, 8, random_state=0)
    report = find_rules(texts, topics, positive=3, random_state=0)
    np.testing.assert_array_equal(report.predict(texts)[report._judged], report._found)
    one_by_one = np.array([report.predict([text])[0] for text in texts[:50]])
    np.testing.assert_array_equal(one_by_one, report.predict(texts[:50]))
    assert report.predict(["", "12 34", "the"]).tolist() == [False] * 3
    with pytest.raises(
        ValueError, match=r"to_sql writes rules about columns; these are about words.* Use predict"
    ):
        report.to_sql()
    with pytest.raises(ValueError, match="to_python writes rules about columns"):
        report.to_python()
    with pytest.raises(ValueError, match="about the words of texts; got a table"):
        report.predict({"body": texts})


def test_stored_rules_predict_alike(report, table, tmp_path):
    report.save(tmp_path / "rules.json")
    again = load_rules(tmp_path / "rules.json")
    assert again == report.rule_list
    np.testing.assert_array_equal(again.predict(table[0]), report.predict(table[0]))
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "rules.json").read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["again.json", "rules.json"]


@pytest.mark.parametrize("suffice", [True, False])
def test_sql_and_python_predict_alike(report, table, suffice):
    made = RuleList("x", None, 1.0, any_rules(suffice=suffice))
    assert made.any_suffices == suffice
    # Each rule alone as well: together nearly every row is positive.
    lists = [report.rule_list, made, *(RuleList("x", None, 0.0, [rule]) for rule in made.rules)]
    answers = set()
    for rules in lists:
        predicted = rules.predict(table[0])
        answers.update(predicted.tolist())
        np.testing.assert_array_equal(run_sql(rules.to_sql(), table[0]), predicted)
        np.testing.assert_array_equal(run_python(rules.to_python(), table[0]), predicted)
    assert answers == {True, False}


def test_nothing_of_the_data_becomes_code(table):
    rules = RuleList(EVIL, None, 1.0, any_rules(suffice=True))
    code = rules.to_python()
    assert "DROP TABLE rows; --\n" not in code
    compile(code, "rules", "exec")
    null = AskedCondition("category", "a\0b", "x", True)
    with pytest.raises(ValueError, match="SQL has no way to write"):
        RuleList("x", None, 0.0, [FoundRule(1, (null,), 1.0, 1, 1, 1, 2)]).to_sql()


def test_cells_are_read_as_in_training():
    table = {"age": ["30", "31", "?", "60", "61", "62"] * 10, "kind": ["a", "b", "", "a", "b", "a"] * 10}
    report = find_rules(
        table, [cell not in ("30", "31", "?") for cell in table["age"]], positive=True, random_state=0
    )
    assert report.rule_list.columns == ["age"]
    new = {"age": [70, " 70 ", "70.0", None, "", "N/A", math.nan, -math.inf, 3], "else": range(9)}
    assert report.predict(new).tolist() == [True] * 3 + [False] * 6
    with pytest.raises(
        ValueError, match=r"the column age has numbers in the rules, but row 2 has 'many'\. Correct"
    ):
        report.predict({"age": [1, "many"]})
    with pytest.raises(ValueError, match=r"the column age of the rules is missing \(columns: years\)\. Add"):
        report.predict({"years": [1]})
    with pytest.raises(ValueError, match="about the columns of a table; got texts"):
        report.predict(["a text"])


def test_a_category_never_seen_is_none_of_those_known():
    rules = {
        yes: RuleList(
            "x", None, 0.0, [FoundRule(1, (AskedCondition("category", "k", "a", yes),), 1.0, 1, 1, 1, 2)]
        )
        for yes in (True, False)
    }
    new = {"k": ["a", " a ", "new", None, 1.0]}
    assert rules[True].predict(new).tolist() == [True, True, False, False, False]
    assert rules[False].predict(new).tolist() == [False, False, True, True, True]
    missing = RuleList(
        "x", None, 0.0, [FoundRule(1, (AskedCondition("missing", "k", "category", True),), 1.0, 1, 1, 1, 2)]
    )
    assert missing.predict(new).tolist() == [False, False, False, True, False]


def test_rounded_thresholds_change_no_answer():
    rng = np.random.default_rng(3)
    x = rng.normal(size=500) * 1e-3
    y = (x > np.quantile(x, 0.9)).tolist()
    report = find_rules({"x": x.tolist()}, y, positive=True, random_state=0)
    (rule,) = report.rules
    (condition,) = rule.conditions
    assert len(f"{condition.value:.15g}") <= 9
    learned = np.setdiff1d(np.arange(500), report._judged)
    np.testing.assert_array_equal((x > condition.value)[learned], np.array(y)[learned])


WHOLE = {
    "format": "lopsided rules",
    "version": 1,
    "positive": "x",
    "column": None,
    "bar": 0.0,
    "judged": {"n": 10, "n_positives": 5},
    "rules": [
        {
            "points": 1.0,
            "holds": 3,
            "right": 2,
            "conditions": [{"kind": "number", "feature": "a", "value": 1, "says_yes": True}],
        }
    ],
}


def change(**entries):
    return json.dumps({**WHOLE, **entries})


def change_condition(**entries):
    rule = WHOLE["rules"][0]
    return change(rules=[{**rule, "conditions": [{**rule["conditions"][0], **entries}]}])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "it is no JSON"),
        ("{", "it is no JSON"),
        (b"\xff\xfe", "it is no UTF-8 text"),
        ("[" * 100_000, "it is nested too deeply"),
        ("[]", 'it does not say "format": "lopsided rules"'),
        (json.dumps({"rules": []}), "it does not say"),
        (change(version=2), "its version is 2, and this lopsided reads 1"),
        (change(bar="high"), '"bar" is "high"'),
        (change(bar=10**400), '"bar" is 1000'),
        (change(bar=0.5).replace("0.5", "NaN"), "NaN is no number"),
        (change(rules={}), '"rules" is {}'),
        (change(rules=[1]), "rule 1 is 1"),
        (change(rules=[{**WHOLE["rules"][0], "conditions": []}]), "rule 1 has no condition"),
        (change(rules=[{**WHOLE["rules"][0], "points": -1}]), "the figures of rule 1 do not fit together"),
        (change(rules=[{**WHOLE["rules"][0], "holds": 11}]), "the figures of rule 1"),
        (change(judged={"n": 1}), '"n_positives" is missing'),
        (change_condition(kind="code"), '"kind" is "code"'),
        (change_condition(kind=["number"]), '"kind" is ["number"]'),
        (change_condition(value=True), '"value" is true'),
        (change_condition(kind="date", value="soon"), "'soon' is no date"),
        (change_condition(kind="word", value=None, words=[]), "a word has no spelling"),
        (change_condition(says_yes=1), '"says_yes" is 1'),
        (change(column="a"), "its rules are about words and about columns"),
    ],
)
def test_a_bad_file_is_refused_with_one_line(tmp_path, content, words):
    path = tmp_path / "rules.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match="cannot be read as rules") as raised:
        load_rules(path)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_written_by_hand(tmp_path):
    (tmp_path / "rules.json").write_text(json.dumps(WHOLE))
    assert load_rules(tmp_path / "rules.json").predict({"a": [0, 2]}).tolist() == [False, True]
    with pytest.raises(FileNotFoundError):
        load_rules(tmp_path / "none.json")
