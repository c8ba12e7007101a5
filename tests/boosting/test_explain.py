import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from lopsided import AdaBoostStumps, LPUBoostStumps

X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 0, 1.0]])
Y = [1, 1, 0, 0]


def score_by_table(table, row):
    """What a reader would add up."""
    return table.start + sum(
        points.points
        for points in table.rows
        if (row[points.feature] != 0 if points.threshold is None else row[points.feature] > points.threshold)
    )


@pytest.mark.parametrize("stumps", ["presence", "threshold"])
@pytest.mark.parametrize("model", [AdaBoostStumps(n_rounds=30), LPUBoostStumps(nu=0.2)])
def test_start_and_points_add_up_to_the_score(model, stumps, words):
    rows, y = words()
    model.set_params(stumps=stumps).fit(rows, y)
    table = model.explain()
    np.testing.assert_allclose(
        [score_by_table(table, row) for row in rows], model.decision_function(rows), atol=1e-6
    )
    questions = [row.question for row in table.rows]
    assert len(set(questions)) == len(questions)
    size = [abs(row.points) for row in table.rows]
    assert size == sorted(size, reverse=True)


def test_it_prints_as_a_table():
    model = LPUBoostStumps(weak_learner="disc.lp").fit(X, Y)
    assert str(model.explain(["ship", "oil", "corn"])).splitlines() == [
        "1 where the sum is above 0",
        "  start  -1.000",
        "  ship   +2.000",
    ]
    assert "column 0" in str(model.explain())
    html = model.explain(["<ship>", "oil", "corn"])._repr_html_()
    assert html.startswith("<table>")
    assert "<td>&lt;ship&gt;</td><td>+2.000</td>" in html


def test_names_come_from_a_data_frame():
    model = LPUBoostStumps(stumps="threshold").fit(pd.DataFrame(X, columns=["age", "sex", "pay"]), Y)
    assert "age > 0.5" in str(model.explain())


def test_several_classes_are_several_tables():
    model = AdaBoostStumps(n_rounds=3).fit(X, ["a", "b", "c", "c"])
    tables = model.explain(["ship", "oil", "corn"])
    assert str(tables).count("where the sum is above 0") == 3
    assert tables._repr_html_().count("<table>") == 3
    assert tables[2].label == "c"


def test_classifiers_have_their_say(words):
    rows, y = words()
    model = AdaBoostStumps(weak_learner=DecisionTreeClassifier(max_depth=2, random_state=0), n_rounds=3)
    table = model.fit(rows, y).explain()
    assert [row.question for row in table.rows] == ["DecisionTreeClassifier says so"] * 3


def test_a_wrong_number_of_names_is_said():
    model = AdaBoostStumps().fit(X, Y)
    with pytest.raises(ValueError, match=r"name each of the 3 columns; got 2 names"):
        model.explain(["ship", "oil"])
