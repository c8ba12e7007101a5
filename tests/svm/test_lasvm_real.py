"""On the paper's data, with its parameters, the online SVM and LIBSVM find the same machine."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from lopsided import LASVC, StemmedVectorizer, fetch_mnist, fetch_reuters21578, fetch_uci, fetch_usps

TOL = 1e-3

# C and gamma of Table 2 of Ertekin et al. 2007 (for adult those of Bordes et al. 2005), and how far the
# accuracy of one epoch may be from LIBSVM's
CASES = {
    "letter": (10, 0.01, 0.003),
    "satimage": (50, 0.001, 0.003),
    "adult": (100, 0.005, 0.003),
    "usps": (1000, 2, 0.003),
    "reuters21578": (2, 1, 0.003),
    "mnist": (1000, 0.02, 0.002),
}


@pytest.mark.parametrize(
    ("name", "n_rows"),
    [
        ("letter", 18000),
        ("satimage", 4435),
        ("adult", 5000),
        ("usps", 7291),
        ("reuters21578", 2500),
        pytest.param("reuters21578", 7770, marks=pytest.mark.slow),
        ("mnist", 2500),
        pytest.param("mnist", 10000, marks=pytest.mark.slow),
    ],
)
def test_equals_libsvm(need, name, n_rows):
    need(name)
    C, gamma, accuracy = CASES[name]
    X, y, X_test, y_test = rows_of(name, n_rows)
    libsvm = SVC(C=C, gamma=gamma, tol=TOL, cache_size=500).fit(X, y)
    scores = libsvm.decision_function(X_test)

    converged = LASVC(C=C, gamma=gamma, tol=TOL, n_epochs="converge", random_state=0).fit(X, y)
    certificate = TOL / 2 * C * len(y)
    assert converged.converged_
    assert 0 <= converged.dual_gap_ <= certificate
    expected = objective(libsvm, X, gamma)
    assert converged.dual_objective_ == pytest.approx(expected, abs=certificate)
    assert converged.dual_objective_ == pytest.approx(expected, rel=1e-3)  # at C = 1000 that says more
    assert converged.dual_objective_ == pytest.approx(objective(converged, X, gamma), rel=1e-4)
    sure = np.abs(scores) > 1e-2
    assert sure.mean() > 0.97
    assert_array_equal(converged.predict(X_test)[sure], scores[sure] > 0)

    one_epoch = LASVC(C=C, gamma=gamma, tol=TOL, random_state=0).fit(X, y)
    expected = np.mean((scores > 0) == y_test)
    assert abs(one_epoch.score(X_test, y_test) - expected) <= accuracy


def objective(fitted, X, gamma):
    """W of the fitted signed alphas, a block of rows at a time."""
    support_vectors, alpha = X[fitted.support_], fitted.dual_coef_
    alpha = alpha.toarray()[0] if sparse.issparse(alpha) else alpha[0]
    quadratic = 0.0
    for start in range(0, len(alpha), 1000):
        block = rbf_kernel(support_vectors[start : start + 1000], support_vectors, gamma=gamma)
        quadratic += alpha[start : start + 1000] @ block @ alpha
    return np.abs(alpha).sum() - quadratic / 2


# The rows


def rows_of(name, n_rows):
    """So many random training rows and at most 2,000 test rows; the label is 1 for the rare class."""
    X, y, X_test, y_test = READERS[name]()
    generator = np.random.default_rng(0)
    train = np.sort(generator.permutation(len(y))[:n_rows])
    test = np.sort(generator.permutation(len(y_test))[:2000])
    return X[train], y[train].astype(int), X_test[test], y_test[test].astype(int)


def letter():
    bunch = fetch_uci("letter")
    y = bunch.target == bunch.target_names.index("A")
    return bunch.data[:18000], y[:18000], bunch.data[18000:], y[18000:]


def satimage():
    train, test = fetch_uci("satimage", subset="train"), fetch_uci("satimage", subset="test")
    rare = train.target_names.index("4")  # damp grey soil
    return train.data, train.target == rare, test.data, test.target == rare


def adult():
    bunch = fetch_uci("adult")
    X = one_hot(bunch)
    train = bunch.split == "train"
    return X[train], bunch.target[train] == 1, X[~train], bunch.target[~train] == 1


def one_hot(bunch):
    """A column for each word and for each fifth of a number's range; a missing word has none."""
    columns = []
    for j, name in enumerate(bunch.feature_names):
        values = bunch.data[:, j]
        if name in bunch.categories:
            columns += [values == code for code in range(len(bunch.categories[name]))]
        else:
            edges = np.unique(np.quantile(values, [0.2, 0.4, 0.6, 0.8]))
            fifth = np.searchsorted(edges, values, side="left")
            columns += [fifth == part for part in range(len(edges) + 1)]
    return sparse.csr_array(np.column_stack(columns).astype(np.float64))


def usps():
    train, test = fetch_usps(subset="train"), fetch_usps(subset="test")
    return normalize(train.data), train.target == 0, normalize(test.data), test.target == 0


def crude():
    train = fetch_reuters21578(subset="train", categories="90")
    test = fetch_reuters21578(subset="test", categories="90")
    topic = train.target_names.index("crude")
    y, y_test = (bunch.target[:, [topic]].toarray().ravel() == 1 for bunch in (train, test))
    vectorizer = StemmedVectorizer(min_df=3)  # tf-idf at length 1
    return vectorizer.fit_transform(train.data), y, vectorizer.transform(test.data), y_test


def mnist_8():
    train, test = fetch_mnist(subset="train"), fetch_mnist(subset="test")
    scale = np.float32(1 / 255)
    return train.data * scale, train.target == 8, test.data * scale, test.target == 8


READERS = {
    "letter": letter,
    "satimage": satimage,
    "adult": adult,
    "usps": usps,
    "reuters21578": crude,
    "mnist": mnist_8,
}
