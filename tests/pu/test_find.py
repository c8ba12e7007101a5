import csv
import io
import json
import math
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import average_precision_score
from sklearn.svm import LinearSVC

from lopsided import make_topics
from lopsided.pu._find import find_more
from lopsided.pu._rankers import RANKERS, learn_ranking
from lopsided.pu._roc_svm import RocSVM
from lopsided.pu._share import PositiveShare
from lopsided.pu._threshold import draw_line
from lopsided.pu._trials import choose
from lopsided.text import Documents, StemmedVectorizer

TEXTS, TOPICS = make_topics(600, 12, random_state=1)
WANTED = [text for text, topic in zip(TEXTS, TOPICS, strict=True) if topic == 0]
OTHERS = [text for text, topic in zip(TEXTS, TOPICS, strict=True) if topic != 0]
POSITIVES, HIDDEN = WANTED[:12], WANTED[12:]
HEAP = HIDDEN + OTHERS


@pytest.fixture(scope="module")
def report():
    return find_more(POSITIVES, HEAP)


def test_the_hidden_positives_come_first(report):
    is_hidden = np.array([record.row < len(HIDDEN) for record in report.records])
    assert is_hidden[:20].all()
    assert average_precision_score(is_hidden, report.scores) > 0.98
    found = np.array([record.found for record in report.records])
    assert np.mean(is_hidden[found]) > 0.6
    assert np.mean(found[is_hidden]) > 0.8


def test_the_estimate_is_of_those_that_hide(report):
    assert report.share.low <= report.share.value <= report.share.high
    assert report.share.low * len(HEAP) <= len(HIDDEN) <= report.share.high * len(HEAP)


def test_records_are_ranked_and_whole(report):
    records = report.records
    assert len(records) == len(report) == len(HEAP)
    assert [record.rank for record in records] == list(range(1, len(HEAP) + 1))
    assert sorted(record.row for record in records) == list(range(len(HEAP)))
    assert all(record.id == str(record.row + 1) for record in records)
    assert (np.diff(report.scores) <= 0).all()
    assert [record.score for record in records] == report.scores.tolist()
    assert [record.found for record in records] == (report.scores >= 0).tolist()
    assert report.n_found == sum(record.found for record in records)
    assert find_more(POSITIVES, HEAP).first(7) == records[:7] == report.first(7)


def test_scores_and_reasons_by_hand():
    """The same model in other words: weights in a dict, Rocchio with loops, an SVM of scikit-learn."""
    positives = POSITIVES[:4]  # too few to choose a model: Roc-SVM it is
    report = find_more(positives, HEAP)
    texts = positives + HEAP
    vectorizer = StemmedVectorizer(weighting="counts", norm=None, min_df=2)
    counts = vectorizer.fit_transform(texts).toarray()
    stems = vectorizer.get_feature_names_out()
    df = (counts > 0).sum(axis=0)
    X = np.zeros_like(counts)
    for i, j in zip(*np.nonzero(counts), strict=True):
        X[i, j] = (1 + math.log(counts[i, j])) * math.log(len(texts) / df[j])
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    n = len(positives)
    P, U = X[:n].mean(axis=0), X[n:].mean(axis=0)
    own, other = 16 * P - 4 * U, 16 * U - 4 * P
    rejected = X[n:] @ (own / np.linalg.norm(own)) <= X[n:] @ (other / np.linalg.norm(other))
    rows = np.concatenate([X[:n], X[n:][rejected]])
    signs = np.repeat([1, -1], [n, rejected.sum()])
    weights = LinearSVC(random_state=0, max_iter=10_000).fit(rows, signs).coef_[0]
    place = [record.row for record in report.records]
    by_hand = X[n:][place] @ weights
    # up to the place of the line, and to the tolerance of two solvers that see the rows sparse and dense
    np.testing.assert_allclose(by_hand - by_hand[0], report.scores - report.scores[0], atol=2e-3)
    for record in report.first(10):
        parts = dict(zip(stems, X[n + record.row] * weights, strict=True))
        best = sorted((stem for stem in parts if parts[stem] > 0), key=lambda stem: -parts[stem])[:6]
        text = HEAP[record.row]
        assert len(record.words) == len(best)
        assert all(word in text for word in record.words)
        stemmer = StemmedVectorizer(stop_words=None).fit([text])
        assert {next(iter(stemmer.fit([word]).vocabulary_)) for word in record.words} == set(best)


def test_with_few_positives_the_first_svm_of_roc_svm_is_taken():
    X = StemmedVectorizer().fit_transform(POSITIVES[:2] + HEAP)
    y = np.repeat([1, 0], [2, len(HEAP)])
    first, last = RocSVM(max_iter=1).fit(X, y), RocSVM().fit(X, y)
    assert not np.allclose(first.coef_, last.coef_)
    (coef, intercept), trials = learn_ranking(X, y)
    np.testing.assert_array_equal(coef, first.coef_[0])
    assert intercept == first.intercept_[0]
    assert trials == ()


def test_the_model_that_ranks_hidden_positives_best_is_chosen(monkeypatch):
    """A model that ranks backwards is tried and left out; if it is the only one, it is used."""
    X = StemmedVectorizer().fit_transform(POSITIVES + HEAP)
    y = np.repeat([1, 0], [len(POSITIVES), len(HEAP)])

    roc_svm = RANKERS["RocSVM"]

    def backwards(X, y):
        coef, intercept = roc_svm(X, y)
        return -coef, -intercept

    monkeypatch.setitem(RANKERS, "backwards", backwards)
    _, trials = learn_ranking(X, y)
    found = {trial.name: trial for trial in trials}
    assert found["RocSVM"].held_out < 0.1 < 0.5 < found["backwards"].held_out
    assert not found["backwards"].chosen
    for name in list(RANKERS):
        if name != "backwards":
            monkeypatch.delitem(RANKERS, name)
    (coef, _), _ = learn_ranking(X, y)
    np.testing.assert_array_equal(coef, backwards(X, y)[0])


def test_models_within_one_standard_error_are_chosen():
    best = np.array([-5.0, -4.0, -3.0, -2.0])
    noisy = best + np.array([1.0, -0.9, 1.0, -0.9])  # mean 0.05, standard error 0.55
    worse = best + np.array([0.1, 0.1, 0.1, 0.12])  # mean 0.105, standard error 0.005
    log_ranks = {"worse": worse, "best": best, "noisy": noisy}
    assert choose(log_ranks, 1) == ["best", "noisy"]
    assert choose(log_ranks, 25) == ["worse", "best", "noisy"]


def test_the_report_says_which_models_rank(report):
    assert {trial.name for trial in report.trials} == set(RANKERS)
    chosen = [trial.name for trial in report.trials if trial.chosen]
    assert chosen
    assert report.ranking().startswith(f"Ranked by {' and '.join(chosen)}. ")
    assert report.ranking() in report.to_html(1)
    assert json.loads(report.to_json(1))["rankers"][0]["name"] == "RocSVM"


@pytest.mark.parametrize("n", [2, 3, 4])
def test_with_few_positives_nothing_is_flagged(n):
    report = find_more(POSITIVES[:n], HEAP)
    assert report.share is None
    assert report.n_found == 0
    assert report.n_over is None
    assert not any(record.found for record in report.records)
    assert f"{n} positives; too few positives are known to say how many" in report.summary()
    assert json.loads(report.to_json(1))["share"] is None
    assert "so none is flagged" in report.to_html(1)


@pytest.mark.parametrize(
    ("low", "high", "declines"), [(0.0, 0.6, True), (0.0, 0.4, False), (0.1, 0.6, False)]
)
def test_an_interval_that_says_nothing_flags_nothing(monkeypatch, low, high, declines):
    share = PositiveShare(value=0.3, low=low, high=high, n_unlabeled=len(HEAP), confidence=0.95)
    monkeypatch.setattr("lopsided.pu._threshold.measure_share", lambda *_, **__: (share, low))
    report = find_more(POSITIVES, HEAP)
    assert (report.share is None) == declines
    assert ("too few, or too much like the other texts" in report.summary()) == declines
    assert (report.n_found == 0) == declines


def test_overlapping_classes_are_told(monkeypatch):
    share = PositiveShare(0.3, 0.0, 0.45, n_unlabeled=len(HEAP), confidence=0.95, overlaps=True)
    monkeypatch.setattr("lopsided.pu._threshold.measure_share", lambda *_, **__: (share, 0.2))
    report = find_more(POSITIVES, HEAP)
    assert report.n_found == share.n_hidden
    for said in (report.summary(), report.to_html(1)):
        assert "The classes overlap: the data do not tell how many fewer there are" in said
        assert "should be positive" not in said
    assert json.loads(report.to_json(1))["share"]["overlaps"] is True


def test_as_many_are_over_the_line_as_are_estimated(report):
    assert report.n_found == report.share.n_hidden > 0
    assert report.share.n_unlabeled == len(report)


@pytest.mark.parametrize(
    ("n_hidden", "line"),
    [(1, 6.0), (2, 4.0), (3, 3.0), (4, 2.5), (5, 2.0)],  # between the last one and the next
)
def test_the_line_by_hand(n_hidden, line):
    assert draw_line(np.array([3.0, 7.0, 2.0, 5.0, 3.0]), n_hidden) == line


@pytest.mark.parametrize("best", [-0.5, 3.0])
def test_where_nothing_should_hide_nothing_is_found(best):
    scores = np.array([-2.0, best, -1.0])
    assert not (scores - draw_line(scores, 0) >= 0).any()


def test_a_heap_near_the_positives_throughout():
    """Rocchio rejects nothing where all of the heap has a little of what the positives are made of."""
    n = 400
    X = np.zeros((n + 5, n + 1))
    X[:5, 0] = 1.0
    X[5:, 0] = 0.2
    X[5:, 1:] = np.sqrt(1 - 0.04) * np.eye(n)
    near = np.array([100, 200, 300])
    X[5 + near, 0], X[5 + near, 1 + near] = 0.6, 0.8
    y = np.repeat([1, 0], [5, n])
    assert len(RocSVM().fit(csr_array(X), y).strong_negatives_) == 0
    coef, _ = RANKERS["RocSVM"](csr_array(X), y)
    assert set(np.argsort(-(X[5:] @ coef))[:3]) == set(near)


def test_texts_equal_to_positives_are_not_listed():
    copies = [POSITIVES[0], POSITIVES[1].replace(" ", "\r\n  "), f"\n{POSITIVES[1]} "]
    report = find_more(POSITIVES, copies + HEAP)
    assert report.n_known == 3
    assert report.n_unlabeled == len(HEAP) + 3
    assert len(report) == len(HEAP)
    assert min(record.row for record in report.records) == 3
    assert report.left_out() == ["Not listed: 3 equal to a known positive."]
    np.testing.assert_array_equal(report.scores, find_more(POSITIVES, HEAP).scores)


def test_copies_among_the_positives_count_once():
    twice = find_more(POSITIVES + POSITIVES, HEAP)
    assert twice.n_positives == len(POSITIVES)
    np.testing.assert_array_equal(twice.scores, find_more(POSITIVES, HEAP).scores)


def test_the_order_of_the_positives_does_not_matter(report):
    other = find_more(POSITIVES[::-1], HEAP)
    np.testing.assert_array_equal(other.scores, report.scores)
    assert other.records == report.records
    assert other.share == report.share


def test_copies_in_the_heap_are_each_listed():
    report = find_more(POSITIVES, HEAP + [HIDDEN[0]])
    rows = [record.row for record in report.records]
    assert rows.index(len(HEAP)) == rows.index(0) + 1  # ties in the order in which they came


def test_texts_without_words_are_counted():
    report = find_more([*POSITIVES, "", "42"], [*HEAP, "", " \n", "17", "the of and"])
    assert report.n_wordless == 4
    assert report.n_known == 0
    assert report.n_positives == len(POSITIVES)
    assert len(report) == len(HEAP)
    assert report.left_out() == ["Not listed: 4 without a word that tells them from others."]


def test_equal_runs_are_equal(report):
    again = find_more(list(POSITIVES), tuple(HEAP))
    assert again.records == report.records
    assert again.share == report.share
    assert pickle.loads(pickle.dumps(again)).first(3) == report.first(3)


def test_bytes_and_documents_and_ids():
    documents = Documents([text.encode() for text in HEAP], [f"mail/{i}" for i in range(len(HEAP))])
    report = find_more([text.encode() for text in POSITIVES], documents)
    assert report.records[0].id == f"mail/{report.records[0].row}"
    named = find_more(POSITIVES, HEAP, ids=[f"x{i}" for i in range(len(HEAP))])
    assert named.records[0].id == f"x{named.records[0].row}"
    with pytest.raises(ValueError, match="ids must name each of the 588 unlabeled texts; got 2"):
        find_more(POSITIVES, HEAP, ids=["a", "b"])


def test_two_positives_suffice():
    report = find_more(POSITIVES[:2], HEAP)
    assert report.n_positives == 2
    assert np.mean([record.row < len(HIDDEN) for record in report.first(5)]) >= 0.6


def test_a_heap_of_positives_alone_is_ranked_all_the_same():
    report = find_more(POSITIVES, HIDDEN)
    assert len(report) == len(HIDDEN)
    assert len(set(report.scores.tolist())) > 10


@pytest.mark.parametrize(
    ("positives", "unlabeled", "words"),
    [
        ([], HEAP, "find_more needs positives; got none"),
        (POSITIVES, [], "find_more needs unlabeled; got none"),
        (POSITIVES[:1], HEAP, "two positives that differ are needed .*; got 1"),
        ([POSITIVES[0], f" {POSITIVES[0]}"], HEAP, r"got 1 \(texts: 2\)"),
        (["", " "], HEAP, "got 0"),
        (POSITIVES, POSITIVES, "nothing is left to search: all 12 unlabeled texts are equal to positives"),
        (POSITIVES, HEAP[:1], "two unlabeled texts at least are needed to rank them; got 1"),
        (["alpha", "beta"], ["gamma", "delta"], "too few words in common"),
        (["1 2", "3 4"], ["5 6", "7"], "too few words in common"),
        (["alpha beta", "alpha gamma"], ["delta", "epsilon"], "too few words in common"),
        ("one text", HEAP, "got one str"),
    ],
)
def test_what_cannot_be_done_is_said(positives, unlabeled, words):
    with pytest.raises(ValueError, match=words):
        find_more(positives, unlabeled)


def test_missing_texts_are_named():
    with pytest.raises(TypeError, match=r"unlabeled\[1\] is a NoneType; expected str or bytes"):
        find_more(POSITIVES, [HEAP[0], None])


def test_json(report):
    said = json.loads(report.to_json(5))
    assert [record["rank"] for record in said["records"]] == [1, 2, 3, 4, 5]
    assert said["n_found"] == report.n_found
    assert said["share"]["n_hidden"] == report.share.n_hidden
    assert said["share"]["low"] == report.share.low
    assert said["records"][0]["words"] == list(report.records[0].words)
    assert len(json.loads(report.to_json())["records"]) == len(report)


def test_csv(report):
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert len(rows) == len(report)
    assert list(rows[0]) == ["rank", "id", "score", "found", "words", "text"]
    for row, record in zip(rows, report.records, strict=True):
        assert (int(row["rank"]), row["id"], row["found"]) == (record.rank, record.id, str(int(record.found)))
        assert float(row["score"]) == pytest.approx(record.score, rel=1e-5)
    assert report.to_csv(2, delimiter="\t").splitlines()[1].startswith("1\t")


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_holds_no_formula(sign):
    heap = [f"{sign}SUM(A1) {text}" for text in HIDDEN] + OTHERS
    report = find_more(POSITIVES, heap, ids=[f"{sign}cmd|{i}" for i in range(len(heap))])
    for row in csv.DictReader(io.StringIO(report.to_csv(30))):
        assert row["id"].startswith("'" + sign)
        assert not row["text"].startswith(("=", "+", "-", "@", "\t", "\r"))
        assert not row["words"].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert float(list(csv.DictReader(io.StringIO(report.to_csv())))[-1]["score"]) < 0  # a number stays one


def test_pandas(report):
    frame = report.to_pandas(4)
    assert list(frame.columns) == ["rank", "id", "row", "score", "found", "words", "text"]
    assert frame["row"].tolist() == [record.row for record in report.first(4)]
    assert len(report.to_pandas()) == len(report)


def test_summary(report):
    assert repr(report).startswith("<FindReport: 588 texts compared with 12 positives; about ")
    assert f"about {report.n_found} of them should be positive too (" in report.summary()
    assert "at 95 % confidence)" in report.summary()


def test_the_page_says_how_many_there_should_be(report):
    share = report.share
    said = (
        f"<dd>about {share.n_hidden}<small>{share.n_hidden_low} to {share.n_hidden_high} at 95 % confidence"
    )
    assert said in report.to_html(1)
    assert "<title>More like these</title>" in report.to_html(1)


def test_a_page_with_nothing_flagged_says_what_to_try(report):
    assert "Nothing is flagged. The ranking still holds" in find_more(POSITIVES[:3], HEAP).to_html(3)
    assert report.n_found > 0
    assert "Nothing is flagged" not in report.to_html(3)


@pytest.mark.slow
@pytest.mark.parametrize(("n_known", "least"), [(5, 0.30), (20, 0.55), (50, 0.70)])
def test_newsgroups(need, n_known, least):
    """Mean average precision over three groups, against all other messages; what was measured, less a bit."""
    need("newsgroups")
    from lopsided.datasets import fetch_newsgroups

    news = fetch_newsgroups()
    scores = []
    for group in (1, 13, 17):
        is_wanted = news.target == group
        known = np.random.default_rng(0).choice(np.flatnonzero(is_wanted), n_known, replace=False)
        rest = np.setdiff1d(np.arange(len(is_wanted)), known)
        report = find_more([news.data[i] for i in known], [news.data[i] for i in rest])
        ranked = is_wanted[rest][report._rows]
        scores.append(average_precision_score(ranked, report.scores))
        assert ranked[:10].mean() >= 0.5
    assert np.mean(scores) > least
