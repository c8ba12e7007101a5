"""`find_more` on tables."""

import csv
import io
import json
import math
import pickle

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.svm import SVC

from lopsided import find_more, make_lopsided
from lopsided.pu import _row_rankers, _share
from lopsided.pu._find_rows import _log_ratios
from lopsided.pu._row_rankers import RANKERS, rank_rows

ROWS, IS_POSITIVE = make_lopsided(400, 4, positive_rate=0.2, separation=4, random_state=0)
WANTED, OTHERS = ROWS[IS_POSITIVE == 1], ROWS[IS_POSITIVE == 0]
POSITIVES, HEAP = WANTED[:20], np.concatenate([WANTED[20:], OTHERS])
N_HIDDEN = len(WANTED) - 20


def take_few_trees(monkeypatch):
    def grow_few(n_trees, **settings):
        return ExtraTreesClassifier(n_trees // 10, **settings)

    for module in (_row_rankers, _share):
        monkeypatch.setattr(module, "ExtraTreesClassifier", grow_few)


@pytest.fixture
def few_trees(monkeypatch):
    """Rank by fewer trees than `find_more` grows, where their number does not matter."""
    take_few_trees(monkeypatch)


@pytest.fixture(scope="module")
def report():
    with pytest.MonkeyPatch.context() as monkeypatch:
        take_few_trees(monkeypatch)
        return find_more(POSITIVES, HEAP)


def as_table(rows, kinds="ab", **more):
    columns = {f"n{j}": column.tolist() for j, column in enumerate(rows.T)}
    return columns | {"kind": [kinds[i % len(kinds)] for i in range(len(rows))]} | more


def test_the_hidden_positives_come_first():
    report = find_more(POSITIVES, HEAP)
    is_hidden = [record.row < N_HIDDEN for record in report.records]
    assert average_precision_score(is_hidden, report.scores) > 0.95
    assert report.items == "rows"
    assert report.n_found == report.share.n_hidden
    assert report.share.n_hidden_low <= N_HIDDEN <= report.share.n_hidden_high
    assert f"{len(HEAP)} rows compared with 20 positives; about " in report.summary()


@pytest.mark.parametrize("chosen", [{"logistic regression"}, {"randomized trees", "balanced SVC"}])
def test_scores_by_hand(monkeypatch, chosen):
    """The mean of the chosen models, each scaled to standard deviation 1."""
    models = {
        "logistic regression": LogisticRegression(max_iter=1000),
        "randomized trees": ExtraTreesClassifier(
            100, min_samples_leaf=10, class_weight="balanced", random_state=0
        ),
        "balanced SVC": SVC(C=0.1, class_weight="balanced"),
    }
    assert models.keys() == RANKERS.keys()
    monkeypatch.setattr(_row_rankers, "names_chosen", lambda trials: sorted(chosen))
    X, y = np.concatenate([POSITIVES, HEAP]), np.repeat([1, 0], [20, len(HEAP)])
    by_hand = np.zeros(len(HEAP))
    for name in chosen:
        model = models[name].fit(X, y)
        if name == "randomized trees":
            scores = model.predict_proba(HEAP)[:, 1]
        else:
            scores = model.decision_function(HEAP)
        by_hand += (scores - scores.mean()) / scores.std() / len(chosen)
    np.testing.assert_allclose(rank_rows(X, y)[0], by_hand, atol=1e-9)


def test_a_model_that_ranks_backwards_is_not_chosen(monkeypatch):
    def learn_backwards(X, y):
        score = RANKERS["logistic regression"](X, y)
        return lambda rows: -score(rows)

    monkeypatch.setattr(_row_rankers, "RANKERS", RANKERS | {"backwards": learn_backwards})
    X, y = np.concatenate([POSITIVES, HEAP]), np.repeat([1, 0], [20, len(HEAP)])
    trials = {trial.name: trial for trial in rank_rows(X, y)[1]}
    assert trials["logistic regression"].held_out < 0.1 < 0.5 < trials["backwards"].held_out
    assert not trials["backwards"].chosen


def test_many_unlabeled_rows_are_thinned():
    seen = []

    def learn(X, y):
        seen.append((len(X), int(y.sum())))
        return lambda rows: rows[:, 0]

    y = np.repeat([1, 0], [20, len(HEAP)])
    limited = _row_rankers._learn_from_at_most(100, learn)
    limited(np.concatenate([POSITIVES, HEAP]), y)
    limited(np.concatenate([POSITIVES, HEAP[:50]]), y[:70])
    assert seen == [(120, 20), (70, 20)]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_with_few_positives_nothing_is_flagged(n):
    report = find_more(WANTED[:n], HEAP)
    assert (report.share, report.n_found, report.trials) == (None, 0, ())
    assert "to say how many of the rows are positive, so none is flagged" in report.summary()
    assert "Ranked by the mean of all models" in report.ranking()
    assert np.mean([record.row < N_HIDDEN for record in report.first(10)]) >= 0.8


@pytest.mark.usefixtures("few_trees")
def test_a_mapping_a_frame_and_an_array_are_the_same(report):
    pd = pytest.importorskip("pandas")
    names = [f"x{j}" for j in range(4)]
    frame = find_more(pd.DataFrame(POSITIVES, columns=names), pd.DataFrame(HEAP, columns=names))
    mapping = find_more(
        *(
            {name: list(column) for name, column in zip(names, rows.T, strict=True)}
            for rows in (POSITIVES, HEAP)
        )
    )
    for other in (frame, mapping):
        np.testing.assert_array_equal(other.scores, report.scores)
        assert other.records == report.records


@pytest.mark.usefixtures("few_trees")
def test_the_order_and_copies_of_positives_do_not_matter(report):
    for rows in (POSITIVES[::-1], np.concatenate([POSITIVES, POSITIVES[:5]])):
        other = find_more(rows, HEAP)
        np.testing.assert_array_equal(other.scores, report.scores)
        assert (other.n_positives, other.share) == (20, report.share)


@pytest.mark.usefixtures("few_trees")
def test_rows_equal_to_positives_are_not_listed(report):
    other = find_more(POSITIVES, np.concatenate([POSITIVES[:3], HEAP]))
    assert (other.n_known, len(other), min(record.row for record in other.records)) == (3, len(HEAP), 3)
    assert other.left_out() == ["Not listed: 3 equal to a known positive."]
    np.testing.assert_array_equal(other.scores, report.scores)


@pytest.mark.usefixtures("few_trees")
def test_missing_cells_and_categories():
    known, heap = as_table(POSITIVES, "a"), as_table(HEAP, "abc")
    known["n0"][:5] = [None] * 5
    heap["n1"][3] = float("nan")
    report = find_more(known, heap)
    assert np.mean([record.row < N_HIDDEN for record in report.first(30)]) > 0.6
    assert "n1 = missing" in next(r.snippet.text for r in report.records if r.row == 3)
    reasons = {word for record in report.records for word in record.words}
    assert "kind = a" in reasons
    assert not reasons & {"kind = b", "kind = c"}


def test_cells_that_are_frequent_among_the_positives_are_reasons(report):
    best = report.records[0]
    cells = [f"x{j} = {value:.6g}" for j, value in enumerate(HEAP[best.row])]
    assert best.snippet.text == ", ".join(cells)
    assert set(best.words) <= set(cells)
    assert [piece for piece, marked in best.snippet.pieces() if marked] == [
        c for c in cells if c in best.words
    ]
    assert len(best.words) > sum(len(record.words) for record in report.records[-10:]) / 10


def test_log_ratios_by_hand():
    # 2 positives in bin 0; of 4 unlabeled rows one is there, and three in bin 1
    ratios = _log_ratios(np.array([0, 0, 0, 1, 1, 1]), 2)
    expected = np.array([2 / 6, 4 / 6])
    seen = (np.array([2, 0]) + expected) / 3
    np.testing.assert_allclose(ratios, np.log(seen / expected)[[0, 0, 0, 1, 1, 1]])


@pytest.mark.usefixtures("few_trees")
def test_what_would_tell_the_tables_apart_is_not_looked_at():
    """Row numbers, labels that are the same in all unlabeled rows, and columns of one table."""
    n, m = len(POSITIVES), len(HEAP)
    known = as_table(POSITIVES, number=list(range(900, 900 + n)), label=["yes"] * n, only=[1] * n)
    heap = as_table(HEAP, number=list(range(m)), label=[""] * m, name=[f"row {i}" for i in range(m)])
    known["name"] = [f"known {i}" for i in range(n)]
    report = find_more(known, heap)
    plain = find_more(as_table(POSITIVES), as_table(HEAP))
    np.testing.assert_array_equal(report.scores, plain.scores)
    said = " ".join(report.left_out())
    assert "Not looked at: number (it counts the rows)." in said
    assert "label (one value)" in said
    assert "only (in one of the tables only)" in said
    assert "name (" in said
    assert "it counts the rows" in report.to_html(1)


def test_one_kind_of_column_alone():
    text = {"kind": ["a"] * 8 + ["b"] * 2}, {"kind": ["a", "b", "c", "d"] * 20}
    report = find_more(*text)
    assert {record.snippet.text for record in report.first(20)} <= {
        "kind = a",
        "kind = b",
        "kind = c",
        "kind = d",
    }


@pytest.mark.usefixtures("few_trees")
def test_huge_numbers_and_hostile_cells():
    known, heap = as_table(POSITIVES), as_table(HEAP)
    heap["n0"][0], heap["n0"][1], heap["n1"][0] = 1e300, -math.inf, math.inf
    heap["kind"][2] = "<script>\x1b[2J\n=1+1"
    report = find_more(known, heap)
    assert np.isfinite(report.scores).all()
    assert "<script>\x1b" not in report.to_html()
    assert json.loads(report.to_json())["items"] == "rows"


def test_csv_json_pandas_and_pickle(report):
    rows = list(csv.DictReader(io.StringIO(report.to_csv(5))))
    assert list(rows[0]) == ["rank", "id", "score", "found", "words", "text"]
    assert json.loads(report.to_json(2))["records"][0]["words"] == list(report.records[0].words)
    assert "rows by score" in report.to_html(3)
    assert "Rows searched" in report.to_html(3)
    assert pickle.loads(pickle.dumps(report)).first(3) == report.first(3)


@pytest.mark.parametrize(
    ("positives", "unlabeled", "words"),
    [
        (POSITIVES[:1], HEAP, "two positives that differ are needed .*; got 1"),
        (POSITIVES, POSITIVES, "two unlabeled rows at least that equal no positive are needed .*; got 0"),
        ({"a": [1, 2]}, {"b": [1, 2]}, r"no column in common \(positives: a; unlabeled: b\)"),
        ({"a": [1, 2]}, {"a": [3, 3, 3]}, r"no column can be learned from \(a: one value\)"),
        ({"a": [1, 2], "b": [1]}, {"a": [3, 4]}, r"find_more \(positives\) needs columns of one length"),
        ({"a": []}, {"a": [3, 4]}, "a row at least; got 1 columns of 0 rows"),
        ({"a": [1, 2]}, ["a text", "another"], "must both be texts, or both be tables"),
        (["a text", "another"], HEAP, "must both be texts, or both be tables"),
        (
            {"body": [f"some words of running text {i}" for i in range(6)]},
            {"body": [f"other words of running text {i}" for i in range(9)]},
            r"no column can be learned from \(body: running text; .*--text",
        ),
    ],
)
def test_what_cannot_be_done_is_said(positives, unlabeled, words):
    with pytest.raises(ValueError, match=words):
        find_more(positives, unlabeled)


@pytest.mark.usefixtures("few_trees")
def test_ids(report):
    named = find_more(POSITIVES, HEAP, ids=[f"r{i}" for i in range(len(HEAP))])
    assert named.records[0].id == f"r{report.records[0].row}"
