import numpy as np
import pytest
from scipy.stats import norm
from sklearn.feature_extraction.text import CountVectorizer

from lopsided.datasets._generators import TOPICS, make_lopsided, make_topics, make_waveform
from lopsided.metrics import roc_auc_score
from reference.waveform import integrated_class_probability


def assert_calibrated(probability, happened):
    """Of the cases given a chance near p, a share near p happens (4 standard errors)."""
    for low in np.arange(0, 1, 0.1):
        inside = (probability >= low) & (probability < low + 0.1)
        if inside.sum() > 100:
            p = probability[inside]
            error = np.sqrt((p * (1 - p)).sum()) / inside.sum()
            assert abs(happened[inside].mean() - p.mean()) < 4 * error


def test_waveform_probabilities_equal_integration():
    X, _, truth = make_waveform(50, n_noise=3, random_state=0, return_truth=True)
    np.testing.assert_allclose(truth.class_probability, integrated_class_probability(X), atol=1e-5)


def test_waveform_law():
    X, y, truth = make_waveform(40_000, random_state=0, return_truth=True)
    assert X.shape == (40_000, 21)
    np.testing.assert_allclose(np.bincount(y) / len(y), 1 / 3, atol=0.01)
    error = np.mean(truth.class_probability.argmax(axis=1) != y)
    assert 0.125 < error < 0.145
    for c in range(3):
        assert_calibrated(truth.class_probability[:, c], y == c)


def test_waveform_noise_attributes_say_nothing():
    X, y = make_waveform(5_000, n_noise=19, random_state=0)
    assert X.shape == (5_000, 40)
    for c in range(3):
        np.testing.assert_allclose(X[y == c, 21:].mean(axis=0), 0, atol=0.12)
        np.testing.assert_allclose(X[y == c, 21:].std(axis=0), 1, atol=0.1)


def test_waveform_probabilities_far_from_all_classes_are_numbers():
    from lopsided.datasets._generators import _log_density_on_segment

    far = np.full((1, 21), 1000.0)
    assert np.isfinite(_log_density_on_segment(far, np.zeros(21), np.ones(21))).all()
    assert np.isfinite(_log_density_on_segment(-far, np.zeros(21), np.ones(21))).all()


@pytest.mark.parametrize("positive_rate", [0.3, 0.02])
def test_lopsided_law(positive_rate):
    X, y, truth = make_lopsided(60_000, 5, positive_rate, separation=1.5, random_state=0, return_truth=True)
    assert y.mean() == pytest.approx(positive_rate)
    assert_calibrated(truth.probability, y == 1)
    assert roc_auc_score(y, truth.score) == pytest.approx(norm.cdf(1.5 / np.sqrt(2)), abs=0.015)
    np.testing.assert_allclose(X @ truth.coef + truth.intercept, truth.score)
    # no other direction does better
    for tilt in np.eye(5):
        assert roc_auc_score(y, X @ (truth.coef + tilt)) < roc_auc_score(y, truth.score) + 0.002


@pytest.mark.parametrize(("positive_rate", "n_positive"), [(1e-6, 1), (0.999999, 99), (0.05, 5)])
def test_lopsided_has_both_classes(positive_rate, n_positive):
    _, y = make_lopsided(100, positive_rate=positive_rate, random_state=0)
    assert y.sum() == n_positive


def test_topics_law():
    documents, y, truth = make_topics(4_000, random_state=0, return_truth=True)
    assert np.bincount(y).tolist() == [200] * 20
    assert truth.topic_names == list(TOPICS)
    np.testing.assert_allclose(truth.word_probability.sum(axis=1), 1)
    assert_calibrated(truth.topic_probability.ravel(), (y[:, None] == np.arange(20)).ravel())
    assert 0.9 < np.mean(truth.topic_probability.argmax(axis=1) == y) < 0.995  # neither hopeless nor trivial

    counts = CountVectorizer(vocabulary=truth.vocabulary, token_pattern=r"\S+").fit_transform(documents)
    lengths = np.array([len(document.split()) for document in documents])
    assert np.asarray(counts.sum(axis=1)).ravel().tolist() == lengths.tolist()  # no word is unknown
    assert lengths.mean() == pytest.approx(60, abs=0.5)
    share = np.asarray(counts[y == 3].sum(axis=0)) / lengths[y == 3].sum()
    np.testing.assert_allclose(share.ravel(), truth.word_probability[3], atol=0.01)


def test_topics_share_no_words_and_no_document_is_empty():
    words = [word for topic in TOPICS.values() for word in topic.split()]
    assert len(words) == len(set(words)) == 12 * 20
    documents, y = make_topics(50, 2, n_words=1, random_state=0)
    assert all(documents)
    assert set(y.tolist()) == {0, 1}


@pytest.mark.parametrize("make", [make_waveform, make_lopsided, make_topics])
def test_random_state(make):
    def first(random_state):
        X, y, *_ = make(50, random_state=random_state)
        return np.asarray(X).tolist(), y.tolist()

    assert first(0) == first(0) == first(np.random.default_rng(0))
    assert first(0) != first(1)
    assert first(None) != first(None)
    assert first(np.random.RandomState(3)) == first(np.random.RandomState(3))
    before = np.random.get_state()[1].tolist()  # noqa: NPY002 -- the global state, which must stay
    X, y, _ = make(50, random_state=0, return_truth=True)
    assert (np.asarray(X).tolist(), y.tolist()) == first(0)  # asking for the truth changes nothing
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002 -- the global state, which must stay


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: make_waveform(0), "n_samples must be at least 1; got 0"),
        (lambda: make_waveform(n_noise=-1), "n_noise must be at least 0; got -1"),
        (lambda: make_lopsided(1), "n_samples must be at least 2"),
        (lambda: make_lopsided(positive_rate=0), r"positive_rate must be in \(0, 1\); got 0"),
        (lambda: make_lopsided(separation=np.nan), "separation must be at least 0; got nan"),
        (lambda: make_topics(n_topics=21), "n_topics must be at most 20; got 21"),
        (lambda: make_topics(random_state="x"), "random_state must be None, an int"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()
