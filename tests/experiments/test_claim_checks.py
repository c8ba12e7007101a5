import pytest

from lopsided.experiments import SEEDS, Claims, Grid, Item, Measurement, Measurements, Paper, _paper, words
from lopsided.experiments import _claims as module
from runs.work import draw

TEXTS = {"X1": {"where": "Table 1", "text": "A is above B.", "criterion": "higher mean"}}
TABLE = Measurements(
    [
        Measurement({"row": row, "method": method}, {"f1": f1})
        for row, values in (("one", (0.9, 0.8)), ("two", (0.7, 0.8)))
        for method, f1 in zip("AB", values, strict=True)
    ]
)


def is_above(row):
    means = row.means("f1", "method")
    return means["A"] > means["B"], f"{means['A']:.1f}"


@pytest.mark.parametrize(
    ("rows", "form", "verdict", "measured"),
    [
        (("one",), "{label} {told}", "holds", "F1: one 0.9"),
        (("one", "two"), "{label} {told}", "does not hold", "F1: one 0.9; two 0.7"),
        (("two", "one"), "{label}{mark}: {told}", "does not hold", "F1: one: 0.9; two (not so): 0.7"),
    ],
)
def test_a_claim_holds_where_it_holds_at_each_label(rows, form, verdict, measured):
    claims = Claims(TEXTS)
    claims.enter("X1", "table1", each="row", form=form, among="F1: {}")(is_above)
    found = claims["X1"].judge({"table1": TABLE.only(row=rows)})
    assert (found.verdict, found.measured, found.asked) == (verdict, measured, "higher mean")


def test_other_tables_are_cut_to_the_label_too():
    claims, seen = Claims(TEXTS), []
    claims.enter("X1", "table1", "table2", each="row")(lambda *parts: (bool(seen.append(parts)), ""))
    claims["X1"].judge({"table1": TABLE, "table2": TABLE})
    assert [[part.labels("row") for part in parts] for parts in seen] == [[["one"]] * 2, [["two"]] * 2]


def test_a_claim_without_a_text_is_refused():
    with pytest.raises(KeyError, match="X2"):
        Claims(TEXTS).enter("X2", "table1")(is_above)


def test_texts_take_the_numbers_of_the_check():
    why = "{n:g} of {rows} rows, where {FAR:g} points and {CLOSE:g} % are asked."
    texts = {**TEXTS["X1"], "criterion": "{FAR:g} points or {CLOSE:g} %", "why": why}
    claims = Claims({"X1": texts}, numbers={"CLOSE": 2.0})
    claims.enter("X1", "table1")(lambda t: (False, "", {"n": 1, "rows": 2}))
    found = claims["X1"].judge({"table1": TABLE})
    assert found.asked == f"{words.FAR:g} points or 2 %"
    assert found.why == f"1 of 2 rows, where {words.FAR:g} points and 2 % are asked."
    with pytest.raises(KeyError, match="CLOSE"):
        Claims({"X1": texts}).enter("X1", "table1")(is_above)


def test_texts_and_code_must_have_the_same_claims_and_items(monkeypatch):
    about = {"items": {"table1": {"caption": "a"}}, "claims": TEXTS, "deviations": []}
    about |= {"id": "x", "title": "x", "authors": "x", "venue": "x"}
    for place in (module, _paper):
        monkeypatch.setattr(place, "read_texts", lambda package: {**about})
    item = Item(Grid(draw, seed=SEEDS, n=(1,)), show=lambda t: [])
    claims = Claims.read("papers.x")
    with pytest.raises(ValueError, match=r"papers\.x and its code differ .*'X1'"):
        Paper.declare("papers.x", {"table1": item}, claims)
    claims.enter("X1", "table1")(is_above)
    assert Paper.declare("papers.x", {"table1": item}, claims).claims["X1"].text == "A is above B."
    with pytest.raises(ValueError, match=r"differ .*'table2'"):
        Paper.declare("papers.x", {"table1": item, "table2": item}, claims)
