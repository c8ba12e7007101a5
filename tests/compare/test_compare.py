import importlib
import json

import numpy as np
import pytest

from lopsided import make_topics
from lopsided.cli import _compare, main
from lopsided.compare import REGIMES, _one_sided, _pu, _rare, _unexpected, compare
from lopsided.compare._comparison import Comparison
from lopsided.compare._data import ComparedRows, find_source, find_wanted, load
from lopsided.compare._method import ComparedMethod, SplitScores, as_dense, split
from lopsided.compare._stream_peers import StreamTask
from lopsided.metrics import Counts
from lopsided.runs import Results, Runner
from lopsided.runs._reasons import TOO_SLOW


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
    one_class = {name for name in found.failed if "largest" in name}  # one is known, one is hidden
    assert found.failed.keys() == (one_class if regime == "unexpected" else set())
    assert all("two known classes" in why for why in found.failed.values())
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
    seen = []
    known = _pu.METHODS["SVMC"]
    watched = type(known)(lambda task: seen.append(task.known) or known.learn(task))
    monkeypatch.setitem(_pu.METHODS, "SVMC", watched)
    rows = load(find_source(table, label="rare"))
    run(table, "pu", label="rare", n_runs=1, methods=["SVMC"])
    n_positive = int((rows.labels == "True").sum())
    assert 0 < seen[0].sum() <= 0.5 * n_positive


def test_find_more_ranks_copies_of_positives_first_and_texts_without_words_last():
    made, topics = make_topics(120, 4, random_state=0)
    texts = [*made, "", f" {made[0]}  "]
    known = (np.arange(122) < 120) & (np.append(topics, [9, 9]) == topics[0])
    everything = np.arange(122)
    task = _pu.PUTask(
        ComparedRows(None, np.full(122, "x"), is_text=True, texts=texts),
        everything,
        everything,
        known.astype(int),
        0,
    )
    scores = _pu.METHODS["find_more"].learn(task)
    assert scores.argmin() == 120
    assert scores[121] == scores.max()


def test_find_more_takes_tables(table):
    found = run(table, "pu", label="rare", n_runs=1, methods=["find_more", "LogisticRegression, Elkan-Noto"])
    ours, other = (outcomes[0].average_precision for outcomes in found.outcomes.values())
    assert ours > other - 0.03


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
        ({"label": "rare", "methods": ["magic"]}, "no method 'magic'.*There are: LASVC"),
        ({"label": "rare", "methods": ["adabost stumps"]}, "Did you mean 'AdaBoostStumps'"),
        ({"label": "rare", "methods": [""]}, "no method ''"),
        ({"label": "rare", "methods": ["lasvm"]}, "Did you mean 'LASVC, "),
    ],
)
def test_mistakes_are_named(settings, message, table):
    with pytest.raises((ValueError, KeyError), match=message):
        run(table, "rare", **settings)


def test_one_class_alone_is_refused():
    with pytest.raises(ValueError, match="two at least are needed"):
        find_wanted(np.array(["a", "a"]), None)


@pytest.mark.parametrize("regime", sorted(REGIMES))
def test_a_row_with_a_list_of_labels_has_each_of_them(regime, tmp_path):
    """Rows labelled ``cpi;gnp`` are positive for ``--positive cpi``, as they are for ``rules``."""
    path = tmp_path / "t.csv"
    labels = ["cpi", "cpi;gnp", "gnp", "gold", "gold"]
    path.write_text("a,b,y\n" + "\n".join(f"{i % 7},{i % 5},{labels[i % 5]}" for i in range(60)))
    method = next(iter(importlib.import_module(f"lopsided.compare._{regime.replace('-', '_')}").METHODS))
    method = "SVMC" if regime == "pu" else method
    found = run(path, regime, label="y", positive="cpi", n_runs=1, methods=[method])
    said = " ".join(found.about)
    if regime == "unexpected":
        assert "Left out, one in each run: cpi." in said
    else:
        assert "Looked for: cpi, 24 rows, 40 %. Labels are taken for lists separated by ';'." in said
        # Three in ten of either class judge; a stream is judged whole.
        n_judged = 24 if regime == "one-sided" else 7
        assert found.outcomes[method][0].counts.n_positive == n_judged


@pytest.mark.parametrize("regime", sorted(REGIMES))
def test_lists_of_labels_where_no_class_is_named(regime, tmp_path):
    """The rarest label is looked for, or left out first, not the rarest combination of labels."""
    path = tmp_path / "t.csv"
    labels = ["cpi", "cpi;gnp", "gold", "gold", "cpi;gnp"] * 8 + ["gnp"] * 4
    path.write_text("a,b,y\n" + "\n".join(f"{i % 7},{i % 5},{label}" for i, label in enumerate(labels)))
    method = {"pu": "SVMC", "unexpected": "OneClassSVM"}.get(regime)
    method = method or next(
        iter(importlib.import_module(f"lopsided.compare._{regime.replace('-', '_')}").METHODS)
    )
    found = run(path, regime, label="y", n_runs=3, methods=[method])
    assert found.failed == {}
    assert found.about[0].startswith("44 rows, 2 columns, 3 classes;")
    said = " ".join(found.about)
    if regime == "unexpected":
        assert "Left out, one in each run: gold, gnp, cpi." in said
    else:
        assert "Looked for: gold, 16 rows, 36 %. Labels are taken for lists separated by ';'." in said


def test_rows_with_the_hidden_label_in_a_list_are_not_known():
    labels = np.array(["cpi", "cpi;gnp", "gnp", "gold", "gold"] * 12)
    rows = ComparedRows(np.arange(120.0).reshape(60, 2), labels, is_text=False)
    task, truth = _unexpected.draw(rows, find_wanted(labels, "cpi").positive, seed=0)
    assert not any("cpi" in label for label in labels[task.known])
    assert all(("cpi" in label) == new for label, new in zip(labels[task.new], truth, strict=True))


def test_too_few_positives_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "\n".join(f"{i / 7:.3f},{int(i == 3)}" for i in range(50)))
    with pytest.raises(ValueError, match=r"'1' has 1 row; at least 4 are needed.*--positive"):
        run(path, "rare", label="y")


def test_a_method_that_fails_is_told_and_the_others_go_on(table, monkeypatch):
    def fail(task):
        raise RuntimeError("no luck")

    monkeypatch.setitem(_rare.METHODS, "AdaBoostStumps", _rare.ComparedMethod(fail))
    found = run(table, "rare", label="rare", n_runs=1, methods=["AdaBoostStumps", "LinearSVC, balanced"])
    assert found.failed == {"AdaBoostStumps": "RuntimeError: no luck"}
    assert list(found.outcomes) == ["LinearSVC, balanced"]


def test_the_command_writes_a_page_and_goes_on(table, tmp_path, capsys):
    call = ["compare", str(table), "--label", "rare", "--regime", "rare", "--runs", "1"]
    call += ["--methods", "LinearSVC, balanced", "--out", str(tmp_path / "out")]
    assert main(call) == 0
    told = capsys.readouterr().out
    assert "LinearSVC, balanced *" in told
    assert "Report:" in told
    page = (tmp_path / "out" / "rare.html").read_text()
    assert "<svg" in page
    assert "LinearSVC, balanced *" in page
    assert "LinearSVC, balanced \\* | 0." in (tmp_path / "out" / "rare.md").read_text()
    assert main([*call, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["methods"][0]["method"] == "LinearSVC, balanced"


def test_what_a_table_holds_cannot_drive_the_terminal(table, capsys, monkeypatch):
    found = Comparison("rare", ["Looked for: \x1b[2J\x07."], {}, {}, {"m": "no \x1b[2J\x07"}, [], 1, {})
    monkeypatch.setattr(_compare, "compare", lambda *args, **options: found)
    assert main(["compare", str(table), "--label", "rare", "--regime", "rare"]) == 1
    told = capsys.readouterr().out
    assert "Looked for: \\x1b[2J\\x07." in told
    assert "m: no \\x1b[2J\\x07" in told


def test_a_typo_at_the_command_line_is_one_line(table, capsys):
    assert main(["compare", str(table), "--label", "rar", "--regime", "rare"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_method_that_fails_in_some_runs_is_told_with_their_number(table, monkeypatch):
    calls = []
    known = _rare.METHODS["AdaBoostStumps"]

    def fail_once(task):
        calls.append(task.seed)
        if len(calls) == 1:
            raise RuntimeError("no luck\nmore about it")
        return known.learn(task)

    monkeypatch.setitem(_rare.METHODS, "AdaBoostStumps", ComparedMethod(fail_once))
    found = run(table, "rare", label="rare", n_runs=3, methods=["AdaBoostStumps"])
    assert "Not run in 1 of 3 runs: AdaBoostStumps: RuntimeError: no luck" in found.blocks()[1].lines
    assert found.plain()["methods"][0]["runs"] == 2


def test_where_nothing_can_be_run_there_is_no_table(table, monkeypatch):
    monkeypatch.setitem(_rare.METHODS, "AdaBoostStumps", ComparedMethod(lambda task: 1 / 0))
    found = run(table, "rare", label="rare", n_runs=1, methods=["AdaBoostStumps"])
    (text,) = found.blocks()
    assert text.lines[0] == "No method could be run."
    assert "ZeroDivisionError" in text.lines[1]
    found.to_html("title")


class Lazy(Runner):
    """Finds one method too slow."""

    def __init__(self):
        super().__init__(Results())
        self.asked = []

    def ask(self, units):
        self.asked.append([unit.arguments[2] for unit in units])
        answers = super().ask(units)
        slow = [unit for unit in answers.units if unit.arguments[2] == "AdaBoostStumps"]
        kept = [result for result in answers.results if result.method != "AdaBoostStumps"]
        failed = {unit.key: f"{TOO_SLOW} 10 min." for unit in slow}
        return type(answers)([], kept, failed, {}, 0.0)


def test_a_method_that_is_too_slow_is_not_tried_in_the_other_runs(table):
    runner = Lazy()
    found = compare(
        table, "rare", runner, label="rare", n_runs=3, methods=["AdaBoostStumps", "LinearSVC, bal"]
    )
    assert runner.asked == [["AdaBoostStumps", "LinearSVC, balanced"]] + 2 * [["LinearSVC, balanced"]]
    assert found.failed == {"AdaBoostStumps": "it took longer than 10 min."}


def test_a_part_of_a_name_stands_for_all_that_contain_it(table):
    methods = ["stumps", "RULES", "LINEARSVC, BALANCED"]
    found = run(table, "rare", label="rare", n_runs=1, methods=methods)
    assert set(found.outcomes) == {
        "find_rules, 10 rules",
        "AdaUBoostStumps",
        "AdaBoostStumps",
        "LinearSVC, balanced",
    }


def test_a_named_method_that_cannot_be_run_says_why(table, monkeypatch):
    with pytest.raises(ValueError, match="'LGN' counts words, and these rows have none"):
        run(table, "unexpected", label="rare", methods=["LGN"])
    monkeypatch.setitem(
        _rare.METHODS, "magic", ComparedMethod(lambda task: None, needs="no_such_package.part")
    )
    with pytest.raises(ValueError, match=r"'magic' needs no_such_package, which is not installed.*peers"):
        run(table, "rare", label="rare", methods=["magic"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"label": "kind", "positive": "e"}, "no row has the label 'e'"),
        ({"label": "kind", "positive": "d"}, "'d' has 2 rows; at least 4"),
        ({"label": "one"}, "Two classes are needed"),
        ({"label": "own"}, "no class has 4 rows"),
    ],
)
def test_mistakes_about_the_unexpected_are_named_before_anything_runs(settings, message, tmp_path):
    path = tmp_path / "t.csv"
    kinds = ["a"] * 20 + ["b"] * 20 + ["d"] * 2
    lines = [f"{i % 7},{kind},x,name{i}" for i, kind in enumerate(kinds)]
    path.write_text("\n".join(["a,kind,one,own", *lines]))
    with pytest.raises(ValueError, match=message):
        run(path, "unexpected", **settings)


def test_a_class_of_one_row_is_known_and_never_judged(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    lines = [f"{i % 7},{kind}" for i, kind in enumerate(["a"] * 20 + ["b"] * 20 + ["single"])]
    path.write_text("\n".join(["n,kind", *lines]))
    seen = []

    def look(task):
        seen.append(task)
        return np.zeros(len(task.new))

    monkeypatch.setitem(_unexpected.METHODS, "UnexpectedDetector", ComparedMethod(look))
    for _ in range(3):
        run(path, "unexpected", label="kind", n_runs=2, methods=["UnexpectedDetector"])
    assert all(40 in task.known and 40 not in task.new for task in seen)


def test_columns_that_are_not_looked_at_are_named(tmp_path):
    texts, topics = make_topics(40, 2, random_state=0)
    rows = [
        {"id": i, "body": text, "n": len(text), "topic": f"t{topic}" if i != 7 else None}
        for i, (text, topic) in enumerate(zip(texts, topics, strict=True))
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    said = run(path, "rare", label="topic", n_runs=1, methods=["AdaBoostStumps"]).about
    assert said[0] == "39 rows, 1 column, 2 classes; 1 run."
    assert said[1:3] == [
        "Left out: 1 row without a label.",
        "Not looked at: id (it counts the rows); body (words, for --text body).",
    ]


def test_a_table_of_text_alone_says_whose_words_it_has(tmp_path):
    texts, topics = make_topics(40, 2, random_state=0)
    path = tmp_path / "t.jsonl"
    rows = [{"body": text, "topic": int(topic)} for text, topic in zip(texts, topics, strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)))
    rows = load(find_source(path, label="topic"))
    assert rows.is_text
    assert list(rows.notes) == ["The words are those of body."]


def test_results_of_a_folder_belong_to_its_content(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.txt").write_text("one")
    stamp = find_source(tmp_path, label=None).stamp
    (tmp_path / "a" / "1.txt").write_text("two")  # as long
    assert find_source(tmp_path, label=None).stamp != stamp


def test_a_folder_has_no_order(tmp_path, monkeypatch):
    """Sorted by class, everything would be shown until the wanted one comes."""
    for topic in ("a", "b"):
        (tmp_path / topic).mkdir()
        for i in range(12):
            (tmp_path / topic / f"{i}.txt").write_text(f"ship port {topic}{topic} number{i}")
    seen = []

    def look(task):
        seen.append(task.y.tolist())
        return _one_sided.Shown(np.zeros(24), np.ones(24, dtype=bool), 24)

    monkeypatch.setitem(_one_sided.METHODS, "MarginPerceptron", ComparedMethod(look))
    run(tmp_path, "one-sided", n_runs=1, methods=["MarginPerceptron"])
    assert sorted(seen[0]) != seen[0]
    assert sorted(seen[0], reverse=True) != seen[0]


def test_json_has_no_nan():
    outcome = SplitScores("m", 0, Counts(1, 0, 0, 1), float("nan"), 0.5, 3, 0.1)
    found = Comparison("rare", [], {"m": [outcome]}, {"m": True}, {}, [], 1, {})
    assert json.loads(json.dumps(found.plain(), allow_nan=False))["methods"][0]["AUC"] is None
    found.to_html("title")


def test_imports_are_not_timed(table, monkeypatch):
    loaded = []
    monkeypatch.setattr("lopsided.compare._method.import_module", loaded.append)
    known = _rare.METHODS["LinearSVC, balanced"]

    def learn(task):
        assert loaded == ["json.decoder"]
        return known.learn(task)

    monkeypatch.setitem(_rare.METHODS, "LinearSVC, balanced", ComparedMethod(learn, needs="json.decoder"))
    found = run(table, "rare", label="rare", n_runs=1, methods=["LinearSVC, balanced"])
    assert found.failed == {}


def test_what_is_too_large_to_be_dense_is_refused(monkeypatch):
    from scipy.sparse import csr_matrix

    monkeypatch.setattr("lopsided.compare._method._MOST_CELLS", 10)
    with pytest.raises(ValueError, match="dense rows only, and 3 x 4 are too many"):
        as_dense(csr_matrix((3, 4)))
    assert as_dense(csr_matrix((3, 3))).shape == (3, 3)


def test_the_border_is_told_how_rare_the_class_is_and_reads_few_labels(table):
    rows = load(find_source(table, label="rare"))
    y = (rows.labels == "True").astype(int)
    task = _rare.RareTask(rows.X, y, rows.X, rows.X, rows.X, False, 0)
    learned = _rare.METHODS["LASVC, asked at the border"].learn(task)
    assert learned.n_labels < len(y)
    assert np.mean(learned.scores[y == 1] > 0) > 0.9  # without it 0.79


def test_an_interruption_says_what_is_kept(table, tmp_path, capsys, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("lopsided.cli._compare.compare", stop)
    call = ["compare", str(table), "--label", "rare", "--regime", "rare"]
    assert main(call) == 130
    assert "nothing is kept without --out" in capsys.readouterr().err
    assert main([*call, "--out", str(tmp_path / "out")]) == 130
    assert "the same call goes on from there" in capsys.readouterr().err


def test_a_damaged_file_of_results_is_moved_aside_and_said(table, tmp_path, capsys):
    (tmp_path / "results.sqlite").write_text("no results")
    call = ["compare", str(table), "--label", "rare", "--regime", "rare", "--runs", "1"]
    assert main([*call, "--methods", "LinearSVC, balanced", "--out", str(tmp_path)]) == 0
    assert "moved to" in capsys.readouterr().err
    assert (tmp_path / "results.sqlite.damaged-1").exists()


def test_learners_of_a_stream_can_shift_their_plane_where_rows_are_numbers():
    """One row in eight is wanted, far from the centre: a plane through the origin shows half of all rows."""
    rng = np.random.default_rng(0)
    y = (np.arange(400) % 8 == 0).astype(np.int64)
    X = rng.normal(size=(400, 4)) + 4 * y[:, None] * np.array([1, 1, 0, 0])
    task = StreamTask(X - X.mean(axis=0), y, False, 0)
    shown = _one_sided.METHODS["MarginPerceptron, all labels"].learn(task)
    assert shown.show[200:][y[200:] == 1].mean() > 0.9
    assert shown.show[200:][y[200:] == 0].mean() < 0.1
