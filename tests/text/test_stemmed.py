import math
import pickle
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from lopsided.datasets import fetch_reuters21578
from lopsided.text import ByteGramVectorizer, StemmedVectorizer
from reference.stemmed import stemmed_vectors

MAIL = [
    "Cheap watches! Buy a watch, watch the prices.",
    "Meeting moved; the minutes of the meeting are attached.",
    "Prices of watches, and the minutes",
    "",
]


def test_toy_solved_by_hand():
    # stems: "trades trade" -> trade twice; "tin" once; the second document has tin alone
    documents = ["Trades, trade and the tin", "TIN"]
    vectorizer = StemmedVectorizer(norm=None)
    X = vectorizer.fit_transform(documents)
    assert vectorizer.vocabulary_ == {"tin": 0, "trade": 1}
    # ln(2/2) = 0 for tin, 2 * ln(2/1) for trade
    np.testing.assert_allclose(X.toarray(), [[0.0, 2 * math.log(2)], [0.0, 0.0]])
    np.testing.assert_allclose(vectorizer.idf_, [0.0, math.log(2)])
    assert X.nnz == 1  # a weight of zero is not stored


@pytest.mark.parametrize(
    ("weighting", "norm", "row"),
    [
        ("binary", None, [1, 1]),
        ("counts", None, [4, 3]),
        ("binary", "l2", [1 / math.sqrt(2)] * 2),
        ("counts", "l2", [4 / 5, 3 / 5]),
    ],
)
def test_weightings_by_hand(weighting, norm, row):
    X = StemmedVectorizer(weighting=weighting, norm=norm).fit_transform(["ape bee " * 3 + "apes"])
    np.testing.assert_allclose(X.toarray(), [row])


@settings(deadline=None)
@given(
    fitted=st.lists(st.text("abcsIiNG é2_.²İ\n", max_size=30), min_size=1, max_size=6),
    others=st.lists(st.text("abcsIiNG é2_.²İ\n", max_size=30), max_size=4),
    weighting=st.sampled_from(["binary", "counts", "tfidf"]),
    norm=st.sampled_from(["l2", None]),
    min_df=st.sampled_from([1, 2, 0.5]),
    stop_words=st.sampled_from([None, ["as", "AB"]]),
)
def test_agrees_with_the_slow_twin(fitted, others, weighting, norm, min_df, stop_words):
    vectorizer = StemmedVectorizer(stop_words=stop_words, min_df=min_df, weighting=weighting, norm=norm)
    names, expected = stemmed_vectors(
        fitted,
        fitted + others,
        stop_words={word.lower() for word in stop_words or ()},
        min_df=min_df,
        weighting=weighting,
        norm=norm,
    )
    if not names:
        with pytest.raises(ValueError, match="min_df"):
            vectorizer.fit(fitted)
        return
    first = vectorizer.fit_transform(fitted)
    both = vectorizer.transform(fitted + others)
    assert vectorizer.get_feature_names_out().tolist() == names
    np.testing.assert_allclose(both.toarray(), expected, atol=1e-12)
    np.testing.assert_array_equal(first.toarray(), both.toarray()[: len(fitted)])
    for X in (first, both):
        assert X.has_canonical_format
        assert X.indices.dtype == np.int32


def test_counts_equal_those_of_scikit_learn_without_stemming_effects():
    # these words are their own stems, so a plain count is the answer
    documents = ["red bird, red fish", "bird and fish and frog", "frog"]
    ours = StemmedVectorizer(stop_words=None, weighting="counts", norm=None)
    theirs = CountVectorizer()
    np.testing.assert_array_equal(
        ours.fit_transform(documents).toarray(), theirs.fit_transform(documents).toarray()
    )
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_order_of_documents_only_permutes_rows():
    X = StemmedVectorizer().fit_transform(MAIL).toarray()
    np.testing.assert_array_equal(StemmedVectorizer().fit_transform(MAIL[::-1]).toarray(), X[::-1])


def test_every_document_twice_changes_no_row():
    X = StemmedVectorizer().fit_transform(MAIL).toarray()
    doubled = StemmedVectorizer().fit_transform(MAIL + MAIL).toarray()
    np.testing.assert_allclose(doubled, np.vstack([X, X]))


def test_stop_words_go_before_stemming():
    # "being" is a stop word, "beings" is not, and both have the stem "be"
    vectorizer = StemmedVectorizer(weighting="counts", norm=None).fit(["being beings"])
    assert vectorizer.transform(["being"]).nnz == 0
    assert vectorizer.transform(["beings"]).sum() == 1


def test_own_stop_words_in_any_case():
    vectorizer = StemmedVectorizer(stop_words=["Cheap", "the"]).fit(["the CHEAP watch"])
    assert vectorizer.get_feature_names_out().tolist() == ["watch"]


def test_fitting_again_forgets_what_was_before():
    vectorizer = StemmedVectorizer().fit(["old words"]).fit(["new thing"])
    assert vectorizer.get_feature_names_out().tolist() == ["new", "thing"]
    assert len(vectorizer.idf_) == 2


def test_size_of_the_english_list_is_as_documented():
    assert len(ENGLISH_STOP_WORDS) == 318
    assert "318 words" in StemmedVectorizer.__doc__


def test_min_df_as_count_and_as_share():
    documents = ["ant", "ant bee", "ant bee cat", "ant bee cat dog"]

    def names(min_df):
        return StemmedVectorizer(min_df=min_df).fit(documents).get_feature_names_out().tolist()

    assert names(1) == ["ant", "bee", "cat", "dog"]
    assert names(2) == ["ant", "bee", "cat"]
    assert names(0.75) == ["ant", "bee"]
    assert names(1.0) == ["ant"]


def test_empty_and_unknown_documents_are_zero_rows():
    vectorizer = StemmedVectorizer().fit(MAIL)
    X = vectorizer.transform(["", "the of", "zebra", "12 34", "\x00\x00"])
    assert X.shape == (5, len(vectorizer.vocabulary_))
    assert X.nnz == 0
    assert vectorizer.transform([]).shape == (0, len(vectorizer.vocabulary_))


def test_bytes_are_utf8_or_else_latin1():
    vectorizer = StemmedVectorizer(weighting="counts", norm=None).fit(["café"])
    X = vectorizer.transform(
        ["café".encode(), "café".encode("latin-1"), bytearray("CAFÉ".encode()), b"\xff\xfe"]
    )
    assert X.toarray().ravel().tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize("container", [tuple, pd.Series, pl.Series, np.array, iter])
def test_any_one_dimensional_container(container):
    expected = StemmedVectorizer().fit_transform(MAIL).toarray()
    np.testing.assert_array_equal(StemmedVectorizer().fit_transform(container(MAIL)).toarray(), expected)


@pytest.mark.parametrize("method", ["fit", "fit_transform", "transform"])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("one text", "got one str. Wrap it"),
        (b"one text", "got one bytes. Wrap it"),
        (pd.DataFrame({"text": MAIL}), "Pass one column"),
        (pl.DataFrame({"text": MAIL}), "Pass one column"),
        (np.array([MAIL]), "Pass one column"),
        (3, "got int"),
    ],
)
def test_what_is_no_list_of_documents_is_refused(method, wrong, message):
    vectorizer = StemmedVectorizer().fit(MAIL)
    with pytest.raises(ValueError, match=message):
        getattr(vectorizer, method)(wrong)


@pytest.mark.parametrize("method", ["fit", "fit_transform", "transform"])
@pytest.mark.parametrize(
    ("wrong", "kind"),
    [(None, "NoneType (a missing value?)"), (float("nan"), "float (a missing value?)"), (3, "int")],
)
def test_what_is_no_document_is_the_same_error_as_for_byte_grams(method, wrong, kind):
    message = re.escape(f"document 1 is a {kind}; expected bytes")
    with pytest.raises(TypeError, match=message):
        getattr(StemmedVectorizer().fit(MAIL), method)(["fine", wrong])
    with pytest.raises(TypeError, match=message):
        ByteGramVectorizer().transform(["fine", wrong])


@pytest.mark.parametrize("documents", [["the of and"], [""], ["1 2 3"]])
def test_empty_vocabulary_names_what_to_change(documents):
    with pytest.raises(ValueError, match=r"Lower min_df \(now 1\) or shorten stop_words"):
        StemmedVectorizer().fit(documents)


def test_no_documents():
    with pytest.raises(ValueError, match="at least one document; got 0"):
        StemmedVectorizer().fit([])


def test_failed_fit_leaves_the_old_model():
    vectorizer = StemmedVectorizer().fit(MAIL)
    before = vectorizer.transform(MAIL).toarray()
    with pytest.raises(ValueError, match="no stem is left"):
        vectorizer.fit([""])
    np.testing.assert_array_equal(vectorizer.transform(MAIL).toarray(), before)


@pytest.mark.parametrize(
    "wrong", [{"min_df": 0}, {"min_df": 1.5}, {"weighting": "bm25"}, {"norm": "l1"}, {"stop_words": "german"}]
)
def test_wrong_parameters(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"The '{name}' parameter of StemmedVectorizer must be"):
        StemmedVectorizer(**wrong).fit(MAIL)


def test_not_fitted():
    with pytest.raises(NotFittedError):
        StemmedVectorizer().transform(MAIL)
    with pytest.raises(NotFittedError):
        StemmedVectorizer().get_feature_names_out()


def test_clone_and_pickle():
    vectorizer = StemmedVectorizer(stop_words=["cheap"], weighting="counts").fit(MAIL)
    again = pickle.loads(pickle.dumps(vectorizer))
    np.testing.assert_array_equal(again.transform(MAIL).toarray(), vectorizer.transform(MAIL).toarray())
    fresh = clone(vectorizer)
    assert fresh.get_params() == vectorizer.get_params()
    assert not hasattr(fresh, "vocabulary_")


def test_transform_from_many_threads():
    vectorizer = StemmedVectorizer().fit(MAIL)
    expected = vectorizer.transform(MAIL * 50).toarray()
    with ThreadPoolExecutor(4) as pool:
        for X in pool.map(lambda _: vectorizer.transform(MAIL * 50), range(16)):
            np.testing.assert_array_equal(X.toarray(), expected)


def test_pipeline_and_grid_search():
    texts = [
        "cheap watches",
        "buy cheap",
        "watch prices",
        "meeting minutes",
        "minutes attached",
        "meet us",
    ] * 2
    y = [1, 1, 1, 0, 0, 0] * 2
    pipeline = make_pipeline(StemmedVectorizer(), LogisticRegression())
    search = GridSearchCV(pipeline, {"stemmedvectorizer__weighting": ["binary", "tfidf"]}, cv=2).fit(texts, y)
    assert search.score(texts, y) == 1.0


def test_tables_are_refused_because_the_output_is_sparse():
    steps = make_pipeline(StemmedVectorizer(), TruncatedSVD(2))
    for vectorizer in (StemmedVectorizer(), ByteGramVectorizer(), ByteGramVectorizer(n_features=None), steps):
        with pytest.raises(ValueError, match=r"later steps only, or .*DataFrame\.sparse\.from_spmatrix\(X\)"):
            vectorizer.set_output(transform="pandas")
    vectorizer = StemmedVectorizer().set_output(transform="default").set_output()
    with config_context(transform_output="pandas"):  # as for scikit-learn's own vectorizers
        X = vectorizer.fit_transform(MAIL)
    names = vectorizer.get_feature_names_out()
    table = pd.DataFrame.sparse.from_spmatrix(X, columns=names)  # what the error says to do
    assert (
        table["watch"].to_numpy().tolist()
        == X[:, [vectorizer.vocabulary_["watch"]]].toarray().ravel().tolist()
    )


def test_sparse_interface_follows_scikit_learn():
    assert isinstance(StemmedVectorizer().fit_transform(MAIL), csr_matrix)
    if "sparse_interface" not in get_config():  # before scikit-learn 1.9
        return
    with config_context(sparse_interface="sparray"):
        assert isinstance(StemmedVectorizer().fit_transform(MAIL), csr_array)


def test_reuters_has_the_documented_number_of_stems(need):
    need("reuters21578")
    texts = fetch_reuters21578(subset="train").data
    # Leskovec and Shawe-Taylor (2003) printed 6,242 with a longer stop list
    assert StemmedVectorizer(min_df=4).fit_transform(texts).shape == (9603, 6401)


def test_input_is_not_changed():
    documents = list(MAIL)
    StemmedVectorizer().fit(documents).transform(documents)
    assert documents == MAIL
