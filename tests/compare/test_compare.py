import json

import numpy as np
import pytest

from lopsided import make_topics
from lopsided.cli import main
from lopsided.compare import REGIMES, compare
from lopsided.compare._data import find_source, find_wanted, load
from lopsided.compare._method import split
from lopsided.runs import Results, Runner


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Numbers and a category; the rare class is in one corner."""
    rng = np.random.default_rng(0)
    n = 400
    a, b = rng.normal(size=(2, n))
    town = rng.choice(["x", "y", ""], n)
    rare = (a > 0.8) & (b > 0.2)
    lines = [
        "a,b,town,rare",
        *(f"{u:.4f},{v:.4f},{t},{r}" for u, v, t, r in zip(a, b, town, rare, strict=True)),
    ]
    path = tmp_path_factory.mktemp("table") / "rows.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    made, topics = make_topics(300, 4, random_state=0)
    path = tmp_path_factory.mktemp("texts") / "texts.jsonl"
    rows = zip(made, topics, strict=True)
    path.write_text("\n".join(json.dumps({"body": text, "topic": f"t{topic}"}) for text, topic in rows))
    return path


def run(path, regime, results=None, **settings):
    return compare(path, regime, Runner(Results() if results is None else results), **settings)


@pytest.mark.parametrize("regime", REGIMES)
def test_every_method_runs_on_words(regime, texts):
    found = run(texts, regime, label="topic", text="body", n_runs=1)
    assert found.failed == {}
    assert len(found.outcomes) >= 5
    best = next(iter(found.outcomes.values()))[0]
    assert best.counts.f() > 0.5


@pytest.mark.parametrize("regime", REGIMES)
def test_every_method_runs_on_numbers(regime, table):
    found = run(table, regime, label="rare", n_runs=1)
    assert found.failed == {}
    assert "LGN" not in found.outcomes
    assert "SpyEM" not in found.outcomes
    assert any(found.ours.values())


def test_the_best_comes_first_and_peers_are_marked(table):
    found = run(table, "rare", label="rare", n_runs=2, methods=["LinearSVC, balanced", "AdaBoostStumps"])
    f1 = [np.mean([run.counts.f() for run in runs]) for runs in found.outcomes.values()]
    assert f1 == sorted(f1, reverse=True)
    assert found.ours == {"AdaBoostStumps": True, "LinearSVC, balanced": False}
    names = [name for name, _ in found.blocks()[0].lines]
    assert "LinearSVC, balanced *" in names
    plain = found.plain()
    assert [method["runs"] for method in plain["methods"]] == [2, 2]
    json.dumps(plain)


def test_all_methods_see_the_same_split():
    positive = np.random.default_rng(0).random(1000) < 0.1
    train, test = split(positive, 3)
    again = split(positive, 3)
    np.testing.assert_array_equal(train, again[0])
    assert len(np.intersect1d(train, test)) == 0
    assert len(train) + len(test) == 1000
    assert positive[test].sum() == round(0.3 * positive.sum())
    assert not np.array_equal(test, split(positive, 4)[1])


def test_labels_of_the_heap_are_not_seen(table, monkeypatch):
    from lopsided.compare import _pu

    seen = []
    known = _pu.METHODS["SVMC"]
    watched = type(known)(lambda task: seen.append(task.known) or known.learn(task))
    monkeypatch.setitem(_pu.METHODS, "SVMC", watched)
    rows = load(find_source(table, label="rare"))
    run(table, "pu", label="rare", n_runs=1, methods=["SVMC"])
    n_positive = int((rows.labels == "True").sum())
    assert 0 < seen[0].sum() <= 0.5 * n_positive


def test_results_are_kept_and_belong_to_the_content(table, tmp_path):
    copy = tmp_path / "rows.csv"
    copy.write_text(table.read_text())
    settings = {"label": "rare", "n_runs": 1, "methods": ["LinearSVC, balanced"]}
    with Results(tmp_path / "results.sqlite") as results:
        first = run(copy, "rare", results, **settings)
        assert len(results) == 1
        again = run(copy, "rare", results, **settings)
        assert len(results) == 1
        assert again.outcomes == first.outcomes
        copy.write_text(table.read_text().replace("x,True", "y,True"))
        run(copy, "rare", results, **settings)
        assert len(results) == 2


def test_the_stream_keeps_its_order_in_the_first_run(texts):
    found = run(texts, "one-sided", label="topic", text="body", n_runs=2, methods=["MarginPerceptron"])
    first, second = found.outcomes["MarginPerceptron"]
    assert first.counts != second.counts


def test_a_folder_of_classes(tmp_path):
    for topic, words in (("sea", "ship port crew"), ("land", "wheat corn field")):
        (tmp_path / topic).mkdir()
        for i in range(12):
            (tmp_path / topic / f"{i}.txt").write_text(f"{words} number{i} day")
    found = run(tmp_path, "rare", n_runs=1, methods=["LinearSVC, balanced"])
    assert found.outcomes["LinearSVC, balanced"][0].counts.f() == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"label": "no"}, "no column 'no'"),
        ({}, "--label"),
        ({"label": "rare", "positive": "maybe"}, "no row has the label 'maybe'"),
        ({"label": "rare", "methods": ["magic"]}, "no method 'magic'"),
        ({"label": "rare", "methods": ["BoostBoost"]}, "There are: LASVC"),
    ],
)
def test_mistakes_are_named(settings, message, table):
    with pytest.raises((ValueError, KeyError), match=message):
        run(table, "rare", **settings)


def test_one_class_alone_is_refused():
    with pytest.raises(ValueError, match="Two classes"):
        find_wanted(np.array(["a", "a"]), None)


def test_too_few_positives_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "\n".join(f"{i / 7:.3f},{int(i == 3)}" for i in range(50)))
    with pytest.raises(ValueError, match="'1' has 1 rows; at least 4"):
        run(path, "rare", label="y")


def test_a_method_that_fails_is_told_and_the_others_go_on(table, monkeypatch):
    from lopsided.compare import _rare

    def fail(task):
        raise RuntimeError("no luck")

    monkeypatch.setitem(_rare.METHODS, "AdaBoostStumps", _rare.Method(fail))
    found = run(table, "rare", label="rare", n_runs=1, methods=["AdaBoostStumps", "LinearSVC, balanced"])
    assert found.failed == {"AdaBoostStumps": "RuntimeError: no luck"}
    assert list(found.outcomes) == ["LinearSVC, balanced"]


def test_the_command_writes_a_page_and_goes_on(table, tmp_path, capsys):
    call = ["compare", str(table), "--label", "rare", "--regime", "rare", "--runs", "1"]
    call += ["--method", "LinearSVC, balanced", "--out", str(tmp_path / "out")]
    assert main(call) == 0
    told = capsys.readouterr().out
    assert "LinearSVC, balanced *" in told
    assert "Written:" in told
    page = (tmp_path / "out" / "rare.html").read_text()
    assert "<svg" in page
    assert "LinearSVC, balanced *" in page
    assert main([*call, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["methods"][0]["method"] == "LinearSVC, balanced"


def test_a_typo_at_the_command_line_is_one_line(table, capsys):
    assert main(["compare", str(table), "--label", "rar", "--regime", "rare"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
