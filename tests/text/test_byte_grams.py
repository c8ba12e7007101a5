import io
import pickle
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron
from sklearn.pipeline import make_pipeline

from lopsided import ByteGramVectorizer
from lopsided._kernels.bytegrams import GramTable, hashed_columns
from reference import byte_grams as slow

messages = st.lists(st.binary(max_size=40), max_size=6)


def test_by_hand():
    # "ababa" has the 2-grams ab, ba: two of them, so each weighs 1/sqrt(2); "a" has none
    X = ByteGramVectorizer(n=2, n_features=None).fit_transform([b"ababa", b"a", b"bc"])
    assert_allclose(X.toarray(), [[0.5**0.5, 0.5**0.5, 0], [0, 0, 0], [0, 0, 1]], rtol=1e-6)


@given(messages, st.integers(1, 8), st.integers(1, 45), st.sampled_from([1, 2, 64, 1000, 4096, 5000]))
def test_hashed_equals_its_slow_twin(documents, n, max_bytes, n_features):
    X = ByteGramVectorizer(n, max_bytes, n_features).transform(documents)
    assert_allclose(X.toarray(), slow.hashed_matrix(documents, n, max_bytes, n_features), rtol=1e-6)


@pytest.mark.parametrize(("n", "bits"), [(4, 20), (4, 21), (5, 20), (3, 24)])
def test_columns_of_large_tables(n, bits):
    # the default has a loop of its own; its columns are those of the general rule
    documents = [np.random.default_rng(k).bytes(k) for k in (0, 3, 4, 9, 500, 4000)]
    X = ByteGramVectorizer(n=n, n_features=2**bits).transform(documents)
    for i, document in enumerate(documents):
        columns = {slow.hashed_column(gram, 2**bits) for gram in slow.grams(document, n, 3000)}
        assert X.indices[X.indptr[i] : X.indptr[i + 1]].tolist() == sorted(columns)


@given(messages, messages, st.integers(1, 8), st.integers(1, 45))
def test_exact_equals_its_slow_twin(documents, unseen, n, max_bytes):
    vectorizer = ByteGramVectorizer(n, max_bytes, n_features=None)
    X = vectorizer.fit_transform(documents)
    vocabulary = slow.first_seen(documents, n, max_bytes)
    assert [int(key).to_bytes(n, "little") for key in vectorizer.keys_] == vocabulary
    assert_allclose(X.toarray(), slow.exact_matrix(documents, n, max_bytes, vocabulary), rtol=1e-6)
    assert_allclose(
        vectorizer.transform(unseen).toarray(), slow.exact_matrix(unseen, n, max_bytes, vocabulary), rtol=1e-6
    )


@pytest.mark.parametrize("n", [3, 4, 5, 8])
def test_a_vocabulary_that_grows_many_times(n):
    rng = np.random.default_rng(0)
    documents = [rng.integers(0, 256, size=9000, dtype=np.uint8).tobytes() for _ in range(12)]
    vectorizer = ByteGramVectorizer(n, None, n_features=None)
    X = vectorizer.fit_transform(documents)
    vocabulary = slow.first_seen(documents, n, None)
    assert len(vectorizer.keys_) == len(vocabulary) > 90_000
    assert [int(key).to_bytes(n, "little") for key in vectorizer.keys_] == vocabulary
    assert (vectorizer.transform(documents) != X).nnz == 0


def test_rows_are_sorted_distinct_and_of_length_one():
    rng = np.random.default_rng(1)
    documents = [
        rng.integers(97, 105, size=k, dtype=np.uint8).tobytes() for k in (0, 3, 4, 7, 8, 9, 3000, 5000)
    ]
    for n_features in (2**20, 777, None):
        X = ByteGramVectorizer(n_features=n_features).fit_transform(documents)
        for start, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            assert (np.diff(X.indices[start:end]) > 0).all()
        lengths = np.sqrt(X.multiply(X).sum(axis=1)).A1
        assert_allclose(lengths, [0, 0, 1, 1, 1, 1, 1, 1], rtol=1e-5)
        assert X.dtype == np.float32
        assert X.indices.dtype == X.indptr.dtype == np.int32


def test_only_the_first_bytes_are_read():
    vectorizer = ByteGramVectorizer(max_bytes=10)
    assert (vectorizer.transform([b"0123456789"]) != vectorizer.transform([b"0123456789 and more"])).nnz == 0
    assert (vectorizer.transform([b"0123456789"]) != vectorizer.transform([b"012345678"])).nnz > 0


def test_every_kind_of_message_gives_the_same_row(tmp_path):
    text = "Grüße, NUL \0 and more"
    data = text.encode()
    path = tmp_path / "message"
    path.write_bytes(data)
    with open(path, "rb") as binary, open(path, encoding="utf-8", newline="") as textual:
        kinds = [
            text,
            bytearray(data),
            memoryview(data),
            path,
            binary,
            textual,
            io.BytesIO(data),
            np.bytes_(data),
        ]
        X = ByteGramVectorizer().transform([data, *kinds])
    assert_array_equal(X.toarray(), np.repeat(X[0].toarray(), len(kinds) + 1, axis=0))


@pytest.mark.parametrize(
    "box", [list, tuple, iter, pd.Series, lambda x: np.array(x, dtype=object), pl.Series]
)
def test_iterables(box):
    X = ByteGramVectorizer(n_features=64).transform(box(["first message", "second message"]))
    assert (ByteGramVectorizer(n_features=64).transform([b"first message", b"second message"]) != X).nnz == 0


def test_text_that_no_reader_could_decode():
    # surrogate escapes are bytes again; other lone surrogates must not raise
    X = ByteGramVectorizer().transform(
        [b"\xff\xfe caf\xe9", b"\xff\xfe caf\xe9".decode("utf-8", "surrogateescape")]
    )
    assert (X[0] != X[1]).nnz == 0
    assert ByteGramVectorizer().transform(["\ud800 lone"]).nnz > 0


def test_a_file_is_read_while_it_is_open(tmp_path):
    (tmp_path / "a").write_bytes(b"first message")

    def one_at_a_time():
        for _ in range(2):
            with open(tmp_path / "a", "rb") as file:
                yield file

    X = ByteGramVectorizer(n_features=64).transform(one_at_a_time())
    assert (ByteGramVectorizer(n_features=64).transform([b"first message"] * 2) != X).nnz == 0


def test_long_messages_of_a_stream_are_let_go():
    tracemalloc.start()
    ByteGramVectorizer(n_features=64).transform(bytes(1_000_000) for _ in range(50))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


def test_text_is_cut_at_bytes_not_characters():
    X = ByteGramVectorizer(n=1, max_bytes=3, n_features=None).fit_transform(["éé"])
    assert X.shape == (1, 2)  # two bytes of the first letter, and the first of the second, which it shares


def test_a_huge_message_is_not_read_whole(tmp_path):
    path = tmp_path / "huge"
    with open(path, "wb") as file:
        file.write(b"From: x\n")
        file.truncate(200_000_000)  # a sparse file: 200 MB that only a whole read would allocate
    assert (
        ByteGramVectorizer().transform([path]).nnz == 9
    )  # eight grams with a letter or line end, one of zeros


def test_no_messages_at_all():
    assert ByteGramVectorizer().transform([]).shape == (0, 2**20)
    assert ByteGramVectorizer(n_features=None).fit_transform([]).shape == (0, 0)
    assert ByteGramVectorizer(n_features=None).fit([b""]).transform([b"unseen"]).shape == (1, 0)


@pytest.mark.parametrize("one", ["a message", b"a message", 3, io.BytesIO(b"a message"), np.zeros((2, 2))])
def test_one_message_instead_of_many(one):
    with pytest.raises(ValueError, match="expected an iterable of documents"):
        ByteGramVectorizer().transform(one)


@pytest.mark.parametrize(
    ("bad", "words"), [(None, "NoneType.*missing"), (np.nan, "float.*missing"), (7, "int")]
)
def test_a_document_that_is_none(bad, words):
    with pytest.raises(TypeError, match=rf"document 1 is a {words}.*expected bytes, str"):
        ByteGramVectorizer().transform([b"fine", bad])


@pytest.mark.parametrize("wrong", [{"n": 0}, {"n": 9}, {"max_bytes": 0}, {"n_features": 0}])
def test_parameters_out_of_range(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ByteGramVectorizer(**wrong).fit_transform([b"abcdef"])


def test_exact_grams_need_fit():
    with pytest.raises(NotFittedError):
        ByteGramVectorizer(n_features=None).transform([b"abcdef"])


def test_the_fitted_length_counts_not_the_later_one():
    vectorizer = ByteGramVectorizer(n_features=None).fit([bytes(range(200))])
    X = vectorizer.transform([bytes(range(200))])
    names = vectorizer.get_feature_names_out()
    vectorizer.set_params(n=3)
    assert (vectorizer.transform([bytes(range(200))]) != X).nnz == 0
    assert_array_equal(vectorizer.get_feature_names_out(), names)
    with pytest.raises(ValueError, match="'n' parameter"):
        vectorizer.set_params(n=100).transform([bytes(range(200))] * 50)


@pytest.mark.parametrize("n", [-5, 0, 9, 100])
def test_the_kernels_refuse_impossible_lengths(n):
    with pytest.raises(ValueError, match="1 to 8 bytes"):
        hashed_columns([bytes(300)], n, 64)
    with pytest.raises(ValueError, match="1 to 8 bytes"):
        GramTable(n)


def test_memory_follows_the_vocabulary_not_the_length():
    tracemalloc.start()
    vectorizer = ByteGramVectorizer(max_bytes=None, n_features=None).fit([b"0123456789" * 500_000])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(vectorizer.keys_) == 10
    # one number a byte is reserved, and not touched; a worst-case table would be 24 bytes and more
    assert peak < 8 * 5_000_000


def test_a_vocabulary_that_grows_inside_a_message():
    message = np.random.default_rng(0).bytes(300_000)
    vectorizer = ByteGramVectorizer(n=3, max_bytes=None, n_features=None)
    X = vectorizer.fit_transform([b"abcabc", message, b"abcabc"])
    assert X[1].nnz == len(slow.grams(message, 3, None))
    assert (vectorizer.transform([b"abcabc", message, b"abcabc"]) != X).nnz == 0


def test_grams_chosen_to_collide_do_not():
    """Keys that all want one slot under the public multiplier: a quadratic fit would take hours."""
    inverse = pow(slow.GOLDEN, -1, 2**32)
    grams = b"".join(((j * inverse) % 2**32).to_bytes(4, "little") for j in range(1_000_000))
    documents = [grams[i : i + 4000] for i in range(0, len(grams), 4000)]
    vectorizer = ByteGramVectorizer(max_bytes=None, n_features=None).fit(documents)
    assert len(vectorizer.keys_) > 1_000_000


def test_columns_do_not_depend_on_the_table():
    documents = [np.random.default_rng(k).bytes(500) for k in range(50)]
    first, second = (ByteGramVectorizer(n_features=None).fit(documents) for _ in range(2))
    assert_array_equal(first.keys_, second.keys_)


def test_names():
    vectorizer = ByteGramVectorizer(n=3, n_features=None).fit([b"ab\xe9c"])
    assert_array_equal(vectorizer.get_feature_names_out(), ["abé", "béc"])
    assert not hasattr(ByteGramVectorizer(), "get_feature_names_out")


def test_clone_pickle_and_threads():
    documents = [bytes([i, i + 1]) * 50 + b"common" for i in range(200)]
    vectorizer = ByteGramVectorizer(n_features=None)
    X = vectorizer.fit_transform(documents)
    copy = pickle.loads(pickle.dumps(vectorizer))
    assert (copy.transform(documents) != X).nnz == 0
    assert not hasattr(clone(vectorizer), "keys_")
    with ThreadPoolExecutor(4) as pool:
        for again in pool.map(vectorizer.transform, [documents] * 8):
            assert (again != X).nnz == 0


def test_in_a_pipeline():
    y = [1, 0] * 10
    texts = ["good words here" if label else "other things said" for label in y]
    assert make_pipeline(ByteGramVectorizer(), Perceptron()).fit(texts, y).score(texts, y) == 1.0


def test_collisions_are_as_documented():
    # ideal hashing: of V grams in B columns, B (1 - (1 - 1/B)^V) columns are used
    words = [a + b for a in (b"the ", b"mail", b"free", b"http") for b in map(b"%06d".__mod__, range(40_000))]
    vocabulary = ByteGramVectorizer(n=8, max_bytes=None, n_features=None).fit(words).keys_
    for bits in (14, 17, 20):
        X = ByteGramVectorizer(n=8, n_features=2**bits).transform(
            [int(k).to_bytes(8, "little") for k in vocabulary]
        )
        used = len(np.unique(X.indices))
        ideal = 2**bits * (1 - (1 - 2.0**-bits) ** len(vocabulary))
        assert used > 0.97 * ideal
