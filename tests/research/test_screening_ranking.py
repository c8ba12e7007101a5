"""The script that compares rankings counts labels as a session would."""

import numpy as np
from click.testing import CliRunner

import screening_ranking


def test_a_line_for_each_set_and_each_candidate(monkeypatch):
    texts = [f"ship {i % 7} sea" for i in range(20)] + [f"wheat {i % 5} field" for i in range(80)]
    relevant = np.arange(100) < 20
    monkeypatch.setattr(
        screening_ranking, "sets_of_records", lambda: iter([("made up", texts, {"ships": relevant})])
    )
    names = ("as before", "100 unlabeled records")
    arguments = ["--seeds", "1", *(word for name in names for word in ("--candidate", name))]
    lines = CliRunner().invoke(screening_ranking.main, arguments, catch_exceptions=False).output.splitlines()
    assert lines[0].split() == ["made", "up", "ships", "20", "20"]  # one is irrelevant: the start
    assert lines[-2].split() == ["as", "before", "0.000", "0.000", "0.000", "0.000"]


def test_a_review_counts_once_in_the_comparison_with_the_first():
    costs = {
        ("reviews", "adhd"): np.array([5.0, 5.3]),
        ("bare", "adhd, passed"): np.array([6.0, 6.1]),
        ("Reuters", "tin"): np.array([4.0, 4.0]),
    }
    change, error = screening_ranking.compare_with_first(costs)
    np.testing.assert_allclose(change, [0, 0.1])
    np.testing.assert_allclose(error, [0, 0.1])  # of 0.2 and 0: standard deviation 0.14, over the root of two


def test_more_labels_where_the_words_say_nothing():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{'abcdefghij'[j]}" for j in rng.integers(0, 10, 8)) for _ in range(100)]
    relevant = np.arange(100) < 10
    parts = screening_ranking.parts_of_all(texts)
    candidate = screening_ranking.Candidate()
    assert screening_ranking.count_labels(parts["stems"], relevant, candidate, 0) > 40
