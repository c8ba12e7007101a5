"""What surrounds the learning: progress, logging, files, threads, pipelines."""

import logging
import multiprocessing
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lopsided import LASVC, load, make_lopsided, save

X, y = make_lopsided(600, 5, 0.1, separation=4.0, random_state=0)
ACTIVE = {"selection": "active", "random_state": 0}
needs_callbacks = pytest.mark.skipif(
    not hasattr(LASVC, "set_callbacks"), reason="scikit-learn has callbacks since 1.9"
)


class Watcher:
    """A callback that counts tasks and can ask for an end."""

    def __init__(self, most=None):
        self.ended, self.most, self.root_ended = 0, most, 0

    def setup(self, estimator, context):
        self.expected = context.max_subtasks

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        if context.parent is None:
            self.root_ended += 1
            return False
        self.ended += 1
        return self.most is not None and self.ended >= self.most

    def teardown(self, estimator, context):
        self.torn_down = True


@pytest.mark.parametrize(
    "parameters", [{}, ACTIVE, {**ACTIVE, "max_labels": 37}, {"max_labels": 250}], ids=str
)
@needs_callbacks
def test_callbacks_see_the_whole_way(parameters):
    watcher = Watcher()
    LASVC(**parameters).set_callbacks(watcher).fit(X, y)
    assert 0 < watcher.expected <= 100
    assert watcher.ended == watcher.expected
    assert watcher.root_ended == 1
    assert watcher.torn_down


@needs_callbacks
def test_callbacks_end_when_learning_stops():
    watcher = Watcher()
    model = LASVC(stopping="margin", **ACTIVE).set_callbacks(watcher).fit(X, y)
    assert model.stop_reason_ == "margin"
    assert watcher.ended == model.n_labels_ // 6  # 600 rows in 100 steps


@needs_callbacks
@pytest.mark.parametrize("parameters", [{}, ACTIVE], ids=str)
def test_a_callback_can_end_the_fit(parameters):
    big = make_lopsided(3000, 5, 0.1, random_state=0)
    model = LASVC(**parameters).set_callbacks(Watcher(most=10)).fit(*big)
    assert model.stop_reason_ == "callback"
    assert 0 < model.n_labels_ < 3000
    assert model.converged_


@needs_callbacks
def test_the_progress_bar_works(capsys, monkeypatch, short_path):
    from sklearn.callback import ProgressBar

    # Its socket is in a folder of multiprocessing, below TMPDIR.
    monkeypatch.setitem(multiprocessing.current_process()._config, "tempdir", str(short_path))
    LASVC(**ACTIVE).set_callbacks(ProgressBar()).fit(X, y)
    assert "LASVC" in capsys.readouterr().out


@pytest.mark.parametrize("parameters", [{}, ACTIVE], ids=str)
def test_verbose_goes_to_the_log(parameters, caplog, capsys):
    with caplog.at_level(logging.INFO, logger="lopsided.svm"):
        LASVC(**parameters).fit(X, y)
        assert not caplog.records
        LASVC(verbose=1, **parameters).fit(X, y)
    assert "of at most 600 labels" in caplog.text
    assert "stopped: exhausted" in caplog.text
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("rows", [X, X.astype(np.float32), csr_array(X)], ids=["float64", "float32", "csr"])
def test_a_saved_model_goes_on_where_it_was(rows, tmp_path):
    model = LASVC(C=10.0, gamma=0.2, selection="sequential").partial_fit(rows[:300], y[:300])
    save(model, tmp_path / "model.skops")
    back = load(tmp_path / "model.skops")
    assert_array_equal(back.decision_function(rows), model.decision_function(rows))
    for each in (model, back):
        each.partial_fit(rows[300:], y[300:]).finish()
    np.testing.assert_allclose(back.decision_function(rows), model.decision_function(rows), atol=0.02)
    assert_array_equal(back.queried_, model.queried_)


def test_threads_may_share_a_model():
    model = LASVC(C=10.0).fit(X, y)
    expected = model.decision_function(X)
    wrong = []

    def look():
        for _ in range(30):
            if not np.array_equal(model.decision_function(X), expected):
                wrong.append(threading.get_ident())

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_in_the_company_of_scikit_learn():
    pipeline = make_pipeline(StandardScaler(), LASVC(random_state=0))
    search = GridSearchCV(pipeline, {"lasvc__C": [0.1, 10.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.95
    calibrated = CalibratedClassifierCV(LASVC(random_state=0), method="sigmoid", cv=3).fit(X, y)
    probabilities = calibrated.predict_proba(X)[:, 1]
    assert np.mean(probabilities[y == 1]) > 0.7 > 0.1 > np.mean(probabilities[y == 0])
    three = np.where(X[:, 0] > 1, 2, y)
    assert OneVsRestClassifier(LASVC(random_state=0)).fit(X, three).score(X, three) > 0.9


def test_a_precomputed_kernel_works_in_cross_validation():
    K = X @ X.T
    search = GridSearchCV(LASVC(kernel="precomputed", random_state=0), {"C": [0.1, 1.0]}, cv=3).fit(K, y)
    assert search.best_score_ > 0.9


@pytest.mark.parametrize(
    ("part", "spoil"),
    [
        ("alpha", lambda a: a[:-1]),
        ("alpha", lambda a: a + 1e6),
        ("sign", lambda a: a * 0),
        ("g", lambda a: a * np.nan),
        ("numbers", lambda a: -1 - a),
        ("values", lambda a: a[:-1]),
        ("columns", lambda a: a + 1000),
        ("starts", lambda a: a[::-1].copy()),
    ],
)
def test_a_state_that_was_tampered_with_is_refused(part, spoil):
    state = LASVC(C=10.0, gamma=0.2).fit(csr_array(X), y).__getstate__()
    machine = state["_machines"]["machines"][0]
    machine[part] = spoil(machine[part])
    with pytest.raises(ValueError, match=r"must|should|is not within|lead out"):
        LASVC().__setstate__(state)
