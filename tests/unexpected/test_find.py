import csv
import io
import json
import pickle

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import roc_auc_score

from lopsided.text import Documents
from lopsided.unexpected._find import find_unexpected
from lopsided.unexpected._lgn import LGN
from reference.strange_texts import make_texts

RNG = np.random.default_rng(1)
KNOWN = [text for topic in range(3) for text in make_texts(topic, 60, RNG)]
CLASSES = [f"topic {topic}" for topic in range(3) for _ in range(60)]
STRANGE = [text for topic in range(3, 8) for text in make_texts(topic, 2, RNG)]
EXPECTED = [text for topic in range(3) for text in make_texts(topic, 30, RNG)]
NEW = STRANGE + EXPECTED
METHODS = ["auto", "lgn"]


def find(known=KNOWN, new=NEW, method="auto", **options):
    return find_unexpected(known, new, method=method, **options)


@pytest.fixture(scope="module", params=METHODS)
def report(request):
    return find(method=request.param, classes=CLASSES)


@pytest.mark.parametrize("classes", [CLASSES, None], ids=["classes", "no classes"])
@pytest.mark.parametrize("method", METHODS)
def test_the_strange_come_first(method, classes):
    report = find(method=method, classes=classes)
    is_strange = np.array([record.row < len(STRANGE) for record in report.records])
    assert roc_auc_score(is_strange, report.scores) > 0.99
    flagged = np.array([record.flagged for record in report.records])
    assert flagged[is_strange].mean() >= 0.8
    assert is_strange[flagged].mean() > 0.6


@pytest.mark.parametrize("method", METHODS)
def test_a_new_topic_of_several_texts(method):
    """Texts that are like each other, and like none of the known ones."""
    report = find(new=make_texts(3, 10, np.random.default_rng(2)) + EXPECTED, method=method, classes=CLASSES)
    is_strange = np.array([record.row < 10 for record in report.records])
    assert roc_auc_score(is_strange, report.scores) > 0.95


def test_records_are_ranked_and_whole(report):
    records = report.records
    assert len(records) == len(report) == report.n_new == len(NEW)
    assert [record.rank for record in records] == list(range(1, len(NEW) + 1))
    assert sorted(record.row for record in records) == list(range(len(NEW)))
    assert all(record.id == str(record.row + 1) for record in records)
    assert (np.diff(report.scores) <= 0).all()
    assert [record.score for record in records] == report.scores.tolist()
    assert [record.flagged for record in records] == (report.scores > 0).tolist()
    assert report.n_flagged == report.n_over == sum(record.flagged for record in records)
    assert report.classes == dict.fromkeys(set(CLASSES), 60)
    assert report.n_known == len(KNOWN)
    assert report.first(5) == records[:5]
    assert pickle.loads(pickle.dumps(report)).first(3) == records[:3]


def test_the_words_are_of_the_text_and_give_it_away(report):
    known = set(" ".join(KNOWN).split())
    for record in report.first(8):
        text = NEW[record.row].split()
        assert 1 <= len(record.words) <= 6
        assert set(record.words) <= set(text)
        assert not set(record.words) & known  # words of the strange topic alone, and there are enough
        marked = {piece for piece, is_marked in record.snippet.pieces() if is_marked}
        assert marked <= set(record.words)
        assert marked


def test_words_as_the_text_spells_them():
    report = find(KNOWN, [*EXPECTED, STRANGE[0].upper()], method="lgn")
    best = report.records[0]
    assert best.row == len(EXPECTED)
    assert all(word.isupper() for word in best.words)


def test_lgn_by_hand():
    """Its scores, and what each word adds to them: how often it occurs times the log of its two shares."""
    report = find(method="lgn")
    vectorizer = CountVectorizer(stop_words="english")
    X = vectorizer.fit_transform(KNOWN + NEW).astype(float)
    y = np.repeat([1, -1], [len(KNOWN), len(NEW)])
    model = LGN(random_state=0).fit(X, y)
    scores = -model.decision_function(X[len(KNOWN) :])
    # the generator draws in another order where the known texts come in another
    place = [record.row for record in report.records]
    np.testing.assert_allclose(report.scores, scores[place], rtol=1e-9)
    column = vectorizer.vocabulary_
    weights = model.feature_log_prob_[0] - model.feature_log_prob_[1]
    for record in report.first(5):
        parts = X[[len(KNOWN) + record.row]].toarray()[0] * weights
        assert len(set(record.words)) == 6
        np.testing.assert_allclose([parts[column[word]] for word in record.words], np.sort(parts)[:-7:-1])


def test_lgn_does_without_words_that_would_spoil_it():
    """A word of every text speaks for the known classes wherever it stands, and nothing would be flagged."""
    known, new = ([f"{'header ' * 40} {text}" for text in texts] for texts in (KNOWN[::2], NEW[:90]))
    X = CountVectorizer().fit_transform(known + new).astype(float)
    with pytest.warns(UserWarning, match="Remove stop words and headers"):
        spoilt = LGN(random_state=0).fit(X, np.repeat([1, -1], 90))
    assert spoilt.predict(X[90:]).all()
    report = find(known, new, method="lgn")
    assert {record.row for record in report.records if record.flagged} == set(range(len(STRANGE)))
    assert not any("header" in record.words for record in report.records)


def test_the_order_of_the_known_does_not_matter(report):
    method = "auto" if report.pvalues is not None else "lgn"
    other = find(KNOWN[::-1], classes=CLASSES[::-1], method=method)
    np.testing.assert_array_equal(other.scores, report.scores)
    assert other.records == report.records


def test_texts_equal_to_known_ones_are_not_listed(report):
    method = "auto" if report.pvalues is not None else "lgn"
    copies = [KNOWN[0], KNOWN[1].replace(" ", "\r\n "), f"\n{KNOWN[1]} "]
    other = find([*KNOWN, KNOWN[3]], copies + NEW, classes=[*CLASSES, CLASSES[3]], method=method)
    assert (other.n_equal, other.n_new, len(other)) == (3, len(NEW) + 3, len(NEW))
    assert other.n_known == len(KNOWN)
    assert other.left_out() == ["Not listed: 3 equal to a known text."]
    np.testing.assert_array_equal(other.scores, report.scores)


def test_texts_without_words_are_counted():
    report = find([*KNOWN, "", "..."], [*NEW, "", " \n", "the of and", "?"], classes=[*CLASSES, "x", "y"])
    assert report.n_wordless == 4
    assert report.n_equal == 0
    assert set(report.classes) == set(CLASSES)
    assert report.left_out() == ["Not listed: 4 without a word."]


def test_bytes_and_documents_and_names():
    known = Documents([text.encode() for text in KNOWN], [str(i) for i in range(len(KNOWN))], CLASSES)
    new = Documents([text.encode() for text in NEW], [f"mail/{i}" for i in range(len(NEW))])
    report = find_unexpected(known, new)
    assert report.classes == dict.fromkeys(set(CLASSES), 60)
    assert report.records[0].id == f"mail/{report.records[0].row}"
    assert find_unexpected(known, NEW, ids=[f"x{i}" for i in range(len(NEW))]).records[0].id.startswith("x")
    assert find_unexpected(known, NEW, classes=[1] * len(KNOWN)).classes == {"1": len(KNOWN)}


def test_labels_that_mean_something_elsewhere_are_classes_here():
    """-1 and 0 stand for rows to be judged in ``fit``; here every known text is known."""
    numbers = [{"topic 0": -1, "topic 1": 0, "topic 2": 1}[name] for name in CLASSES]
    report = find(classes=numbers)
    assert report.classes == {"-1": 60, "0": 60, "1": 60}
    np.testing.assert_array_equal(report.scores, find(classes=CLASSES).scores)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "known", [KNOWN, KNOWN[:1], KNOWN[:3]], ids=["many known", "one known", "three known"]
)
@pytest.mark.parametrize("new", [NEW, NEW[:1], STRANGE], ids=["many new", "one new", "all strange"])
def test_few_texts(method, known, new):
    report = find(known, new, method=method)
    assert len(report) == len([text for text in new if text not in known])
    assert np.isfinite(report.scores).all()
    assert report.to_html()
    assert report.summary()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["words", "texts"])
def test_with_a_background_slips_do_not_count(method, kind):
    slips = [f"{text} {'slip' * (i + 1)}" for i, text in enumerate(NEW)]
    words = sorted(set(" ".join(KNOWN + NEW).split()))
    background = words if kind == "words" else (KNOWN + NEW) * 3
    report = find(new=slips, classes=CLASSES, method=method, background=background)
    plain = find(classes=CLASSES, method=method)
    np.testing.assert_allclose(report.scores, plain.scores)
    assert [record.words for record in report.records] == [record.words for record in plain.records]
    other = find(new=[*slips, "slipped"], classes=CLASSES, method=method, background=background)
    assert other.n_wordless == 1


def test_words_of_three_texts_need_no_list():
    report = find(classes=CLASSES, background=["aardvark"])
    assert len(report) == len(NEW)
    assert roc_auc_score([record.row < len(STRANGE) for record in report.records], report.scores) > 0.9


def test_where_nothing_is_flagged_nothing_is_over_the_line():
    report = find(classes=CLASSES, fdr=0.001)  # no p-value of 180 known texts is so small
    assert report.n_flagged == 0
    assert "none is flagged at a false-discovery rate of 0.001" in report.summary()
    assert "Read the ranking" in report.summary()
    assert report.scores[0] <= 0
    assert "The line: " not in report.to_html()  # it would stand above the first


def test_too_few_known_texts_for_flags_are_said():
    report = find(KNOWN[::20], classes=CLASSES[::20])
    assert report.flagged is report.pvalues is report.n_flagged is None
    assert "; none is flagged: there are too few known texts to say what is rare" in report.summary()
    assert json.loads(report.to_json())["caveat"] == report.caveat
    assert report.records[0].over is None
    html = report.to_html()
    assert report.caveat in html
    assert "The line" not in html
    assert 'class="badge"' not in html
    assert "p-value" not in html
    assert next(csv.DictReader(io.StringIO(report.to_csv())))["flagged"] == ""


def test_numbers_are_no_reasons():
    report = find(new=[f"{text} {i}4711" for i, text in enumerate(NEW)])
    assert not any(word.isdigit() for record in report.records for word in record.words)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_in_common(method):
    report = find(["alpha beta", "beta gamma", "alpha gamma"], ["delta epsilon", "zeta eta"], method=method)
    assert len(report) == 2
    assert np.isfinite(report.scores).all()


@pytest.mark.parametrize(
    ("known", "new", "options", "words"),
    [
        ([], NEW, {}, "find_unexpected needs known; got none"),
        (KNOWN, [], {}, "find_unexpected needs new; got none"),
        (
            KNOWN,
            KNOWN,
            {},
            "nothing is left to judge: of 180 new texts 180 are equal to a known one and 0 hold",
        ),
        (KNOWN, ["", "the"], {}, "of 2 new texts 0 are equal to a known one and 2 hold no word"),
        (["", "?"], NEW, {}, "no word is in any of the 2 known texts"),
        (["", "?"], ["!"], {}, "no word is in any of the 2 known texts"),
        (KNOWN, NEW, {"classes": ["a"]}, "classes must name the class of each of the 180 known texts; got 1"),
        (KNOWN, NEW, {"classes": [None] + CLASSES[1:]}, r"classes\[0\] is missing"),
        (KNOWN, NEW, {"classes": CLASSES[1:] + [float("nan")]}, r"classes\[179\] is missing"),
        (KNOWN, NEW, {"ids": ["a"]}, "ids must name each of the 100 new texts; got 1"),
        (KNOWN, NEW, {"background": []}, "find_unexpected needs background; got none"),
        (KNOWN, NEW, {"fdr": 0.0}, "'fdr' parameter .* must be a float"),
        (KNOWN, NEW, {"method": "svm"}, "method must be 'auto' or 'lgn'; got 'svm'"),
        ("one text", NEW, {}, "got one str"),
    ],
)
def test_what_cannot_be_done_is_said(known, new, options, words):
    with pytest.raises(ValueError, match=words):
        find_unexpected(known, new, **options)


def test_json_and_tables(report):
    said = json.loads(report.to_json(5))
    assert [record["rank"] for record in said["records"]] == [1, 2, 3, 4, 5]
    assert said["n_flagged"] == report.n_flagged
    assert said["classes"] == report.classes
    assert said["records"][0]["words"] == list(report.records[0].words)
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert list(rows[0]) == ["rank", "id", "score", "pvalue", "flagged", "words", "text"]
    for row, record in zip(rows, report.records, strict=True):
        assert row["flagged"] == str(int(record.flagged))
        assert row["pvalue"] == ("" if record.pvalue is None else f"{record.pvalue:.6g}")
    frame = report.to_pandas(4)
    assert list(frame.columns) == ["rank", "id", "row", "score", "pvalue", "flagged", "words", "text"]
    assert frame["row"].tolist() == [record.row for record in report.first(4)]


def test_the_page_shows_flags_and_the_line(report):
    html = report.to_html()
    assert html.count('class="badge">unexpected<') == report.n_flagged
    last, first = f'data-rank="{report.n_flagged}"', f'data-rank="{report.n_flagged + 1}"'
    assert html.index(last) < html.index("The line: those above are flagged") < html.index(first)
    assert "topic 0: 60 · topic 1: 60 · topic 2: 60" in html
    assert f"<dd>{report.n_flagged}<small>" in html
    assert ("<span>p " in html) == (report.pvalues is not None)
