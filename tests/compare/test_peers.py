"""Methods of other libraries, where they are installed: the right way round, with the same labels."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.metrics import roc_auc_score

from lopsided import make_topics
from lopsided.compare import _one_sided, _pu, _rare, _unexpected
from lopsided.compare._data import ComparedRows, weigh_words
from lopsided.compare._stream_peers import StreamTask

BY_CLASS = ("LogisticRegression, largest softmax", "LinearSVC, largest margin")  # need two known classes
STUCK = ("SGDClassifier, passive-aggressive",)  # soon shows nothing of overlapping numbers
# A plane through the origin splits centred numbers in halves.
THROUGH_THE_ORIGIN = (
    "SGDClassifier, passive-aggressive, no intercept",
    "river, passive-aggressive, no intercept",
    "Vowpal Wabbit, hinge loss, steps of 1",
)
PEERS = [
    (module, name, form)
    for module in (_rare, _pu, _one_sided, _unexpected)
    for name, method in module.METHODS.items()
    for form in (np.asarray, csr_matrix)
    if not method.ours and (module in (_rare, _pu) or form is np.asarray)
    if name not in (*BY_CLASS, *STUCK, *THROUGH_THE_ORIGIN)
]


def quiet():
    """As a runner is: peers warn of what is theirs to mend."""
    return warnings.catch_warnings(action="ignore")


def skip_without(module):
    with quiet():
        return pytest.importorskip(module) if module else None


def corner(n=400, seed=0):
    """Numbers; the wanted class is clearly apart."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 8 == 0).astype(np.int64)
    return rng.normal(size=(n, 4)) + 4 * y[:, None] * np.array([1, 1, 0, 0]), y


def scores_of(module, name, X, y):
    """Learn from the first half, judge the second; of a stream, judge what came after a while."""
    train, test = np.arange(len(y) // 2), np.arange(len(y) // 2, len(y))
    rows = ComparedRows(X, np.where(y == 1, "b", "a"), is_text=issparse(X))
    learn = module.METHODS[name].learn
    if module is _rare:
        return learn(_rare.RareTask(X[train], y[train], X[train], X[test], X[test], rows.is_text, 0)).scores
    if module is _pu:
        known = np.where(train % 16 == 0, y[train], 0)
        return learn(_pu.PUTask(rows, train, test, known, 0))
    if module is _one_sided:
        return learn(StreamTask(X, y, rows.is_text, 0)).scores[test]
    known = train[y[train] == 0]
    return learn(_unexpected.UnexpectedTask(rows, known, np.zeros(len(known), dtype=np.int64), test, 0))


@pytest.mark.parametrize(("module", "name", "form"), PEERS)
def test_wanted_rows_have_the_higher_scores(module, name, form):
    skip_without(module.METHODS[name].needs)
    X, y = corner()
    with quiet():
        scores = scores_of(module, name, form(X), y)
    truth = y[len(y) // 2 :] == 1
    assert scores.shape == truth.shape
    assert roc_auc_score(truth, scores) > 0.8
    assert np.mean(scores[truth] > 0) > np.mean(scores[~truth] > 0)


@pytest.mark.parametrize("name", BY_CLASS)
@pytest.mark.parametrize("n_known", [2, 3])
def test_a_class_between_the_known_ones_is_far_from_all(name, n_known):
    rng = np.random.default_rng(0)
    corners = 8 * np.eye(3)[:n_known]
    classes = np.arange(600) % n_known
    X = rng.normal(size=(700, 3))
    X[:600] += corners[classes]
    X[600:] += corners.mean(axis=0)
    rows = ComparedRows(X, np.full(700, "a"), is_text=False)
    task = _unexpected.UnexpectedTask(rows, np.arange(400), classes[:400], np.arange(400, 700), 0)
    scores = _unexpected.METHODS[name].learn(task)
    truth = np.arange(300) >= 200
    assert roc_auc_score(truth, scores) > 0.8
    assert np.mean(scores[truth] > 0) > 0.5 > np.mean(scores[~truth] > 0)


@pytest.mark.parametrize("name", [*STUCK, *THROUGH_THE_ORIGIN])
def test_wanted_rows_of_a_clear_stream_are_shown(name):
    skip_without(_one_sided.METHODS[name].needs)
    y = (np.random.default_rng(0).random(400) < 0.3).astype(np.int64)
    shown = _one_sided.METHODS[name].learn(StreamTask(np.eye(2)[y], y, False, 0))
    assert np.mean(shown.show[200:] == y[200:]) > 0.9


def test_scikit_activeml_reads_as_many_labels_as_ours():
    skip_without("skactiveml.pool")
    X, y = corner()
    task = _rare.RareTask(X, y, X, X, X, False, 0)
    ours = _rare.METHODS["LASVC, asked at the border"].learn(task)
    with quiet():
        theirs = _rare.METHODS["scikit-activeml, uncertainty"].learn(task)
    assert theirs.n_labels == ours.n_labels < len(y)
    assert theirs.seconds_aside > 0


def test_scikit_activeml_looks_at_no_other_label(monkeypatch):
    """Labels that it did not ask for may be anything."""
    skip_without("skactiveml.pool")
    X, y = corner()
    read = set()

    class Watched(np.ndarray):
        def __getitem__(self, index):
            if isinstance(index, list | np.ndarray):
                read.update(np.ravel(index).tolist())
            return super().__getitem__(index)

    monkeypatch.setattr(_rare, "_at_the_border", lambda task: _rare.RareScores(None, 40))
    task = _rare.RareTask(X, y.view(Watched), X, X, X, False, 0)
    with quiet():
        learned = _rare.METHODS["scikit-activeml, uncertainty"].learn(task)
    assert learned.n_labels == 40
    assert len(read) == 40


def test_elkan_noto_draws_again_where_it_held_out_no_known_positive(monkeypatch):
    """With ten known positives the first draw of one seed in ten has none."""
    pulearn = skip_without("pulearn")
    X, y = corner()
    fitted = []
    fit = pulearn.ElkanotoPuClassifier.fit

    def fit_and_tell(self, *data):
        fitted.append(self.random_state)
        return fit(self, *data)

    monkeypatch.setattr(pulearn.ElkanotoPuClassifier, "fit", fit_and_tell)
    known = np.zeros(len(y), dtype=np.int64)
    known[np.flatnonzero(y)[:10]] = 1
    rows = ComparedRows(X, y.astype(str), is_text=False)
    for seed in range(40):
        task = _pu.PUTask(rows, np.arange(len(y)), np.arange(len(y)), known, seed)
        with quiet():
            scores = _pu.METHODS["pulearn, Elkan-Noto"].learn(task)
        assert scores.shape == y.shape
    assert len(fitted) > 40


def test_two_packages_show_the_same():
    """Passive-aggressive steps without an intercept are the same rule in scikit-learn and river."""
    skip_without("river.linear_model")
    texts, topic = make_topics(300, random_state=0)
    X, y = weigh_words(texts), (topic == 0).astype(np.int64)
    task = StreamTask(X, y, True, 0)
    names = ("SGDClassifier, passive-aggressive, no intercept", "river, passive-aggressive, no intercept")
    first, second = (_one_sided.METHODS[name].learn(task).show for name in names)
    assert first.tolist() == second.tolist()
    assert 0 < first.sum() < len(y)
