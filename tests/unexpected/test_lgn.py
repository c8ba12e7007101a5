import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, csr_matrix, vstack
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import f1_score, roc_auc_score

from lopsided.datasets import fetch_newsgroups
from lopsided.pu import PEBL
from lopsided.pu._naive_bayes import as_counts
from lopsided.unexpected._lgn import LGN, Contrast
from reference.lgn import lgn

READINGS = ("printed", "posterior", "counts")
FORMS = (np.asarray, csr_array, csr_matrix)


def make_documents(n_unexpected=30, seed=0, *, flat=50, n_words=6000, n_known=700, n_new=300, length=120):
    """Counts, classes (-1 to be judged) and which are unexpected: 20 topics over words of Zipf's law.

    With ``flat=0`` the most frequent words are left in, as they are without a list of stop words.
    """
    rng = np.random.default_rng(seed)
    base = 1 / (np.arange(1, n_words + 1) + flat)
    shares = []
    for _ in range(20):
        topic = base.copy()
        topic[rng.choice(np.arange(30, n_words), n_words // 20, replace=False)] *= 15
        shares.append(topic / topic.sum())
    known, new = (np.repeat([0, 1], n) for n in (n_known, n_new))
    unexpected = rng.integers(2, 20, n_unexpected)
    topics = np.concatenate([known, new, unexpected])
    lengths = rng.poisson(length, len(topics))
    words = np.concatenate(
        [rng.choice(n_words, n, p=shares[k]) for n, k in zip(lengths, topics, strict=True)]
    )
    rows = np.repeat(np.arange(len(topics)), lengths)
    X = csr_array((np.ones(len(rows)), (rows, words)), shape=(len(topics), n_words))
    X.sum_duplicates()
    y = np.concatenate([known, np.full(2 * n_new + n_unexpected, -1)])
    return X, y, topics >= 2


def small_documents(n_unexpected=30, seed=0):
    return make_documents(n_unexpected, seed, n_words=400, n_known=60, n_new=40, length=40)


def fit_and_score(X, y, unexpected, **settings):
    """F of the unexpected among the rows that were to be judged."""
    model = LGN(random_state=0, **settings).fit(X, y)
    judged = y == -1
    return f1_score(unexpected[judged], model.predict(X[judged]) == 0)


def contrast_of(X, y, entropy="counts", smoothing=1.0, **settings):
    return Contrast.between(as_counts(X), y == -1, entropy, smoothing, **settings)


# By hand


A, B, C = range(3)
KNOWN = np.array([[2, 1, 0], [1, 1, 0]])  # aab, ab
NEW = np.array([[1, 1, 0], [0, 0, 2]])  # ab, cc
TINY, TINY_Y = np.vstack([KNOWN, NEW]), np.array([1, 1, -1, -1])


@pytest.mark.parametrize(
    ("entropy", "e"),
    [
        # Pr(w|+) = 4/8, 3/8, 1/8 and Pr(w|-) = 2/7, 2/7, 3/7
        (
            "printed",
            [
                -(p * math.log(p) + r * math.log(r))
                for p, r in [(4 / 8, 2 / 7), (3 / 8, 2 / 7), (1 / 8, 3 / 7)]
            ],
        ),
        # Pr(+|w) = 28/44, 21/37, 7/31
        ("posterior", [-(p * math.log(p) + (1 - p) * math.log(1 - p)) for p in (28 / 44, 21 / 37, 7 / 31)]),
        # a is 3 and 1 times in them, b 2 and 1 times, c 0 and 2 times
        (
            "counts",
            [
                -(0.75 * math.log(0.75) + 0.25 * math.log(0.25)),
                -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3)),
                0.0,
            ],
        ),
    ],
)
def test_four_documents_by_hand(entropy, e):
    contrast = contrast_of(csr_array(TINY), TINY_Y, entropy)
    q = 1 - np.array(e) / max(e)
    assert_allclose(contrast.weights, q, atol=1e-15)
    assert_array_equal(contrast.use.n_documents, [1, 1, 1])
    assert_array_equal(contrast.use.mean, [1, 1, 2])
    assert_array_equal(contrast.use.variance, 0)
    n_draws = [0 if value == max(e) else 1 for value in e]
    assert_array_equal(contrast.n_draws, n_draws)
    model = LGN(entropy=entropy).fit(TINY, TINY_Y)  # every word is in one document: nothing is random
    artificial = np.array(n_draws) * [1, 1, 2]
    assert_allclose(model.artificial_negative_, artificial)
    p_known, p_artificial = np.array([4, 3, 1]) / 8, (1 + artificial) / (3 + artificial.sum())
    assert_allclose(model.feature_log_prob_, np.log([p_artificial, p_known]))
    assert_allclose(model.class_log_prior_, np.log([0.5, 0.5]))
    assert_allclose(model.decision_function(NEW), NEW @ np.log(p_known / p_artificial))
    assert_array_equal(model.predict(NEW), [1, 0])
    assert model.known_classes_.tolist() == [1]
    assert model.classes_.tolist() == [0, 1]


# Against the slow twin


@pytest.mark.parametrize(("draws", "smoothing"), [("each", 1.0), ("one", 1.0), ("each", 0.1), ("one", 2.5)])
@pytest.mark.parametrize("entropy", READINGS)
@pytest.mark.parametrize("form", FORMS)
def test_agrees_with_a_loop(entropy, form, draws, smoothing):
    X, y, _ = small_documents(seed=3)
    X, X_new = X.toarray()[::4], X.toarray()[1::4]
    y = y[::4]
    settings = {"entropy": entropy, "draws": draws, "smoothing": smoothing, "prior_ratio": 0.4}
    twin = lgn(X[y != -1].tolist(), X[y == -1].tolist(), **settings)
    contrast = contrast_of(X, y, entropy, smoothing, is_single=draws == "one")
    V = np.array(twin.V)
    assert_array_equal(np.flatnonzero(contrast.words), V)
    assert_array_equal(contrast.use.n_documents[V], [twin.df[w] for w in V])
    assert_array_equal(contrast.n_draws[V], [twin.n_draws[w] for w in V])
    assert_allclose(contrast.weights[V], [twin.q[w] for w in V], atol=1e-12)
    assert_allclose(contrast.use.mean[V], [twin.mean[w] for w in V])
    assert_allclose(contrast.use.variance[V], [twin.variance[w] for w in V], atol=1e-12)
    # A document whose words do not vary has no randomness: there all must agree.
    X = np.minimum(X, 1)
    model = LGN(**settings, random_state=0).fit(form(X), y)
    twin = lgn(X[y != -1].tolist(), X[y == -1].tolist(), **settings)
    assert_allclose(model.artificial_negative_[V], [twin.artificial[w] for w in V])
    for rows in (X, X_new):
        assert_allclose(model.decision_function(form(rows)), [twin.score(row) for row in rows.tolist()])


# Laws of the artificial document


@pytest.mark.parametrize("entropy", READINGS)
def test_weights_and_draws_are_within_their_bounds(entropy):
    X, y, _ = small_documents()
    contrast = contrast_of(X, y, entropy)
    q, words = contrast.weights, contrast.words
    assert (q >= 0).all()
    only_new = words & (contrast.known == 0)
    assert only_new.any()
    if entropy == "counts":
        assert (q[only_new] == 1).all()
        assert (q[words & ~only_new & (contrast.use.n_documents > 0)] < 1).all()
    else:
        assert (q < 1).all()
    least = q[words].min()
    assert least == 0
    assert_array_equal(contrast.n_draws[words & (q == 0)], 0)
    assert (contrast.n_draws <= contrast.use.n_documents).all()
    model = LGN(entropy=entropy, random_state=0).fit(X, y)
    not_in_new = contrast.use.n_documents == 0
    assert not_in_new[words].any()
    assert_array_equal(model.artificial_negative_[not_in_new], 0)
    assert_array_equal(model.artificial_negative_[q == 0], 0)
    assert_array_equal(model.word_weights_, q)
    assert (model.artificial_negative_ >= 0).all()


@pytest.mark.parametrize("entropy", READINGS)
@pytest.mark.parametrize("negative_draws", ["clip", "resample", "keep"])
def test_words_of_one_document_are_not_random(entropy, negative_draws):
    rng = np.random.default_rng(0)
    new = np.zeros((4, 12))
    new[np.arange(12) % 4, np.arange(12)] = rng.integers(1, 5, 12)
    X, y = np.vstack([rng.integers(0, 3, (6, 12)), new]), np.repeat([1, -1], [6, 4])
    q = contrast_of(X, y, entropy).weights
    for seed in range(3):
        model = LGN(entropy=entropy, negative_draws=negative_draws, random_state=seed).fit(X, y)
        assert_allclose(model.artificial_negative_, new.sum(axis=0) * np.ceil(q))


def draws_of(negative_draws, n=2000):
    """Artificial documents of many seeds, and what they were drawn from."""
    X, y, _ = small_documents()
    contrast = contrast_of(X, y, "printed")
    A = np.array([contrast.draw(negative_draws, np.random.default_rng(seed)) for seed in range(n)])
    return contrast, A


def test_the_mean_of_many_draws():
    contrast, A = draws_of("keep")
    n, (_, mean, variance) = contrast.n_draws, contrast.use
    drawn = n >= 5  # a sum below 0 becomes 0; with five draws that is rare enough to leave the mean alone
    assert drawn.sum() > 20
    error = np.sqrt(n * variance / len(A))[drawn]
    off = np.abs(A.mean(axis=0) - n * mean)[drawn]
    assert (off <= 4 * error + 1e-12).all()
    assert_allclose(A.var(axis=0)[drawn], (n * variance)[drawn], rtol=0.2, atol=1e-9)


@pytest.mark.parametrize("negative_draws", ["clip", "resample"])
def test_draws_below_zero(negative_draws):
    """Against SciPy's mean of a clipped and of a truncated normal distribution."""
    from scipy.stats import norm, truncnorm

    new = np.zeros((40, 2))
    new[:, 0] = np.where(np.arange(40) < 36, 1, 60)  # a mean of 6.9 and a deviation of 17.9
    contrast = contrast_of(np.vstack([[[0.0, 5.0]], new]), np.repeat([1, -1], [1, 40]))
    n, mean, deviation = contrast.n_draws[0], contrast.use.mean[0], math.sqrt(contrast.use.variance[0])
    A = np.array([contrast.draw(negative_draws, np.random.default_rng(seed))[0] for seed in range(2000)])
    if negative_draws == "clip":
        expected = mean * norm.cdf(mean / deviation) + deviation * norm.pdf(mean / deviation)
    else:
        expected = truncnorm(-mean / deviation, np.inf, mean, deviation).mean()
    assert n > 20
    assert A.mean() / n == pytest.approx(expected, rel=0.02)
    assert expected > 1.2 * mean


def test_keep_never_leaves_a_sum_below_zero():
    new = np.array([[1.0], [30.0]])
    X, y = np.hstack([np.vstack([[[0.0]], new]), [[9], [0], [0]]]), np.array([1, -1, -1])
    sums = [
        LGN(negative_draws="keep", random_state=seed).fit(X, y).artificial_negative_[0] for seed in range(40)
    ]
    assert min(sums) == 0
    assert max(sums) > 15


def test_words_are_counted_where_they_are_used():
    X = csr_array(np.array([[1.0, 0, 3], [3, 0, 0], [0, 0, 4]]))
    X.data[0] = 0  # a zero that is stored is no use of a word
    use = Contrast.between(vstack([X, X]), np.repeat([False, True], 3), "counts").use
    assert_array_equal(use.n_documents, [1, 0, 2])
    assert_array_equal(use.mean, [3, 0, 3.5])
    assert_array_equal(use.variance, [0, 0, 0.5])


# Laws of the classifier


def test_the_decision_flips_with_the_prior():
    X, y, _ = small_documents()
    model = LGN(random_state=0).fit(X, y)
    document = X[[-1]]
    L = -model.decision_function(document)[0]  # of - against +; equal priors cancel
    assert abs(L) < 300
    for ratio, expected in [(math.exp(-L) * 0.999, 1), (math.exp(-L) * 1.001, 0)]:
        assert LGN(prior_ratio=ratio, random_state=0).fit(X, y).predict(document) == expected


def test_a_tie_is_expected():
    X, y, _ = small_documents()
    model = LGN(random_state=0).fit(X, y)
    assert 0 < model.decision_function(np.zeros((1, 400))) < 1e-300
    assert model.predict(np.zeros((1, 400))) == 1


def test_equal_seeds_give_equal_documents():
    X, y, _ = small_documents()
    one, two, other = (LGN(random_state=seed).fit(X, y) for seed in (1, 1, 2))
    assert_array_equal(one.artificial_negative_, two.artificial_negative_)
    assert_array_equal(one.decision_function(X), two.decision_function(X))
    assert (one.artificial_negative_ != other.artificial_negative_).any()
    generator = LGN(random_state=np.random.default_rng(1)).fit(X, y)
    assert_array_equal(one.artificial_negative_, generator.artificial_negative_)


@pytest.mark.parametrize("entropy", READINGS)
def test_the_seed_hardly_matters(entropy):
    X, y, unexpected = make_documents(n_known=300, seed=1)
    judged = y == -1
    F = [
        f1_score(
            unexpected[judged],
            LGN(entropy=entropy, random_state=seed).fit(X, y).predict(X[judged]) == 0,
            zero_division=0,
        )
        for seed in range(5)
    ]
    assert np.mean(np.abs(np.array(F) - np.mean(F))) < 0.02


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_sparse_and_dense_agree_to_the_last_digit(dtype):
    X, y, _ = small_documents()
    dense = X.toarray().astype(dtype)
    models = [LGN(random_state=0).fit(form(dense), y) for form in FORMS]
    for form in FORMS:
        for model in models:
            assert_array_equal(
                model.decision_function(form(dense)), models[0].decision_function(X), err_msg=str(form)
            )


def test_columns_never_used_change_nothing():
    X, y, _ = small_documents()
    dense = X.toarray()
    wide = np.hstack([np.zeros((len(dense), 3)), dense])
    one, two = LGN(random_state=0).fit(dense, y), LGN(random_state=0).fit(wide, y)
    assert_array_equal(two.artificial_negative_[3:], one.artificial_negative_)
    assert_array_equal(two.word_weights_[:3], 0)
    wide[:, 1] = 7.0  # nor does a word that fit has not seen
    assert_array_equal(two.decision_function(wide), one.decision_function(dense))


@pytest.mark.filterwarnings("ignore:y holds only 0 and 1")
def test_order_and_names_of_classes_do_not_matter():
    X, y, _ = small_documents()
    one = LGN(random_state=0).fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    for labels in (
        np.where(y == -1, 0, 1),
        [None if k == -1 else "ab"[k] for k in y],
        np.where(y < 0, np.nan, 5),
    ):
        two = LGN(random_state=0).fit(X[order], [labels[i] for i in order])
        assert_allclose(two.decision_function(X), one.decision_function(X), rtol=1e-6, atol=1e-9)


def test_input_is_left_alone():
    X, y, _ = small_documents()
    X.data[::7] = 0
    before, nnz = X.toarray(), X.nnz
    LGN(random_state=0).fit(X, y).predict(X)
    assert X.nnz == nnz
    assert_array_equal(X.toarray(), before)


# The synthetic corpus of topics


@pytest.mark.parametrize(("n_unexpected", "least"), [(30, 0.2), (300, 0.9), (600, 0.98)])
def test_the_formula_as_printed_needs_many_unexpected_documents(n_unexpected, least):
    X, y, unexpected = make_documents(n_unexpected)
    assert fit_and_score(X, y, unexpected, entropy="printed") > least


def test_plain_counts_are_for_few_unexpected_documents():
    """As many new as known documents, and what both share looks as telling as nothing: q is near 0."""
    X, y, unexpected = make_documents(30)
    assert fit_and_score(X, y, unexpected) > 0.4
    X, y, unexpected = make_documents(600)
    assert fit_and_score(X, y, unexpected) < 0.2


def test_one_dnf_finds_no_negative_there():
    X, y, _ = make_documents()
    assert len(PEBL().fit(X, (y != -1).astype(int)).strong_negatives_) == 0


def test_a_word_in_every_document_spoils_it_and_is_told():
    X, y, unexpected = make_documents(flat=0)
    with pytest.warns(UserWarning, match=r"feature 0 is in 100% of the rows.*drop this column") as caught:
        F = fit_and_score(X, y, unexpected, entropy="printed")
    assert F < 0.1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit_and_score(*make_documents()[:2], unexpected, entropy="printed")


def test_of_a_few_documents_nothing_is_told():
    """A word that each of nine documents has need not be a stop word."""
    known = np.eye(30)[:20]
    known[:, 29] = 1
    new = np.eye(30)[11:20]
    new[:, 29] = 1
    X, y = np.vstack([known, new]), np.repeat([1, -1], [20, 9])
    assert LGN(entropy="printed").fit(X, y)
    X, y = np.vstack([X, new[:1]]), np.append(y, -1)
    with pytest.warns(UserWarning, match="feature 29 is in 100% of the rows"):
        LGN(entropy="printed").fit(X, y)


def test_rows_that_were_not_in_fit_are_judged():
    X, y, unexpected = make_documents(60)
    later = np.arange(len(y)) % 2 == 1
    model = LGN(random_state=0).fit(X[~later], y[~later])
    judged = later & (y == -1)
    assert roc_auc_score(~unexpected[judged], model.decision_function(X[judged])) > 0.95


# Bad input


def test_the_same_documents_known_and_new():
    X, y, _ = small_documents()
    P = X[y != -1].toarray()
    rows, labels = np.vstack([P, P]), np.repeat([1, -1], len(P))
    for entropy in ("posterior", "counts"):
        model = LGN(entropy=entropy).fit(rows, labels)
        assert_array_equal(model.artificial_negative_, 0)
        assert_array_equal(model.predict(P), 1)
        assert_array_equal(LGN(2.0, entropy).fit(rows, labels).predict(P), 0)  # the prior decides alone
    assert np.isfinite(LGN(entropy="printed", random_state=0).fit(rows, labels).decision_function(P)).all()


@pytest.mark.parametrize("entropy", READINGS)
def test_no_word_in_common(entropy):
    rng = np.random.default_rng(0)
    known, new = rng.integers(0, 4, (30, 20)), rng.integers(0, 4, (20, 20))
    X = np.block([[known, np.zeros((30, 20))], [np.zeros((20, 20)), new]])
    model = LGN(entropy=entropy, random_state=0).fit(X, np.repeat([1, -1], [30, 20]))
    assert_array_equal(model.predict(X), np.repeat([1, 0], [30, 20]))


@pytest.mark.parametrize("entropy", READINGS)
def test_documents_without_words(entropy):
    X, y, _ = small_documents()
    dense = X.toarray()
    dense[[0, 1, -2, -1]] = 0  # two known and two new ones, of which the prior says all there is to say
    model = LGN(entropy=entropy, random_state=0).fit(dense, y)
    assert_allclose(model.decision_function(dense[[0, -1]]), 0, atol=1e-300)
    assert np.isfinite(model.decision_function(dense)).all()
    for empty in (y == -1, y != -1):
        part = dense.copy()
        part[empty] = 0
        scores = LGN(entropy=entropy, random_state=0).fit(part, y).decision_function(dense)
        assert np.isfinite(scores).all()


@pytest.mark.filterwarnings("ignore:y holds only 0 and 1")
@pytest.mark.parametrize("entropy", READINGS)
def test_one_document_each_and_one_word(entropy):
    model = LGN(entropy=entropy).fit([[2.0, 0.0], [0.0, 1.0]], [1, 0])
    assert model.predict([[2.0, 0.0]]) == 1
    assert model.predict([[0.0, 1.0]]) == (1 if entropy == "printed" else 0)  # there it is the word left out
    assert np.isfinite(LGN(entropy=entropy).fit([[2.0], [1.0]], ["a", None]).decision_function([[3.0]])).all()


def test_weights_that_are_no_counts():
    """They are fractions of an occurrence: a tenth of each count is a tenth of the artificial document."""
    X, y, _ = small_documents()
    one, tenth = (LGN(random_state=0).fit(X * factor, y) for factor in (1.0, 0.1))
    assert_allclose(tenth.artificial_negative_, 0.1 * one.artificial_negative_)
    assert_allclose(tenth.word_weights_, one.word_weights_, atol=1e-12)
    assert np.isfinite(tenth.decision_function(X)).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda X, y: (X, np.full_like(y, -1)), "at least one row of a known class; all 150 rows"),
        (lambda X, y: (X, np.ones_like(y)), "rows to be judged beside the known ones"),
        (lambda X, y: (X * 0, y), "all 150 rows of X are zero"),
        (lambda X, y: (-X, y), "Negative values in data passed to LGN"),
        (lambda X, y: (X * np.nan, y), "NaN"),
        (lambda X, y: (X, [None, *y[1:]]), "one spelling"),
        (lambda X, y: (X, y[:-1]), "equal length"),
    ],
)
def test_bad_data(form, change, words):
    X, y, _ = small_documents(10)
    X = np.vstack([X.toarray()[:140], X.toarray()[-10:]])
    X, y = change(X, np.concatenate([y[:140], y[-10:]]))
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=words):
        LGN().fit(form(X), y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"prior_ratio": 0.0},
        {"prior_ratio": np.inf},
        {"entropy": "shannon"},
        {"negative_draws": "drop"},
        {"draws": "two"},
        {"smoothing": 0.0},
        {"random_state": "now"},
    ],
    ids=str,
)
def test_bad_parameters(parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=f"'{name}' parameter of LGN"):
        LGN(**parameters).fit(TINY, TINY_Y)


def test_bad_rows_to_judge():
    with pytest.raises(NotFittedError):
        LGN().predict(TINY)
    model = LGN().fit(TINY, TINY_Y)
    with pytest.raises(ValueError, match="Negative"):
        model.predict(-TINY)
    with pytest.raises(ValueError, match="features"):
        model.predict(TINY[:, 1:])


# Real text


def test_strangers_among_windows_and_cryptography(need):
    """A pair of the paper with 5 % unexpected documents: the default is far above the printed formula."""
    need("newsgroups")
    bunch = fetch_newsgroups()
    group, rng = np.array(bunch.target_names)[bunch.target], np.random.default_rng(0)
    is_known = np.isin(group, ["comp.windows.x", "sci.crypt"])
    known = rng.permutation(np.flatnonzero(is_known))
    rows = np.concatenate([known, rng.permutation(np.flatnonzero(~is_known))[:30]])
    X = CountVectorizer(stop_words="english").fit_transform([bunch.data[i] for i in rows])
    y = np.where(np.arange(len(rows)) < 1400, bunch.target[rows], -1)
    F = {entropy: fit_and_score(X, y, ~is_known[rows], entropy=entropy) for entropy in READINGS}
    assert F["counts"] > 2 * F["printed"] > 0.2
    assert F["counts"] > F["posterior"]
