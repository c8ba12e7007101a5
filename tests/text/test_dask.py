"""Documents of Dask give the vectors of documents in memory."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from lopsided import make_topics
from lopsided.text import ByteGramVectorizer, StemmedVectorizer, _dask

bags = pytest.importorskip("dask.bag")
dask = pytest.importorskip("dask")

TEXTS = [*make_topics(60, 4, random_state=0)[0], "", "The THE of", "Ships sail."]


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def as_bag(texts, n=7):
    return bags.from_sequence(texts, npartitions=n)


def as_series(texts, n=7):
    frames = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    return frames.from_pandas(pd.DataFrame({"text": texts}), npartitions=n)["text"]


def assert_same_rows(lazy, X):
    lazy.compute_chunk_sizes()
    assert lazy.shape == X.shape
    assert lazy.dtype == X.dtype
    blocks = [block.compute() for block in lazy.blocks]
    assert {type(block) for block in blocks} == {type(X)}
    assert_array_equal(sparse.vstack(blocks).toarray(), X.toarray())


VECTORIZERS = [
    StemmedVectorizer(),
    StemmedVectorizer(min_df=2, weighting="counts", norm=None),
    StemmedVectorizer(min_df=0.1, stop_words=["ship"], weighting="binary"),
    ByteGramVectorizer(),
    ByteGramVectorizer(n=3, n_features=None),
]


@pytest.mark.parametrize("form", [as_bag, as_series])
@pytest.mark.parametrize("vectorizer", VECTORIZERS, ids=str)
def test_fit_and_transform_equal_those_in_memory(vectorizer, form):
    X = vectorizer.fit_transform(TEXTS)
    learned = dict(vars(vectorizer))
    assert_same_rows(vectorizer.fit_transform(form(TEXTS)), X)
    for name in ("vocabulary_", "idf_", "keys_"):
        if name in learned:
            assert_array_equal(getattr(vectorizer, name), learned[name])
    if "vocabulary_" in learned:
        assert list(vectorizer.vocabulary_) == list(learned["vocabulary_"])


def test_fit_reads_each_partition_once(monkeypatch):
    read = []

    def load(text):
        read.append(text)
        return text

    monkeypatch.setattr(_dask, "_TOGETHER", 2)  # so that merged results are merged
    vectorizer = StemmedVectorizer().fit(as_bag(TEXTS, 9).map(load))
    assert sorted(read) == sorted(TEXTS)
    assert_array_equal(vectorizer.idf_, StemmedVectorizer().fit(TEXTS).idf_)


def test_the_interface_asked_for_holds_on_workers():
    from sklearn import config_context

    with config_context(sparse_interface="sparray"):
        lazy = ByteGramVectorizer().transform(as_bag(TEXTS))
    assert type(lazy.blocks[0].compute()) is sparse.csr_array


def test_empty_partitions():
    bag = bags.concat([as_bag(["a ship", "two ships"], 1).filter(lambda text: False), as_bag(TEXTS)])
    assert_same_rows(StemmedVectorizer().fit_transform(bag), StemmedVectorizer().fit_transform(TEXTS))
    nothing = as_bag(TEXTS).filter(lambda text: False)
    with pytest.raises(ValueError, match="needs at least one document; got 0"):
        StemmedVectorizer().fit(nothing)
    assert_array_equal(ByteGramVectorizer(n_features=None).fit(nothing).keys_, np.empty(0, dtype=np.uint64))


def test_a_data_frame_is_refused():
    frame = as_series(TEXTS).to_frame()
    with pytest.raises(ValueError, match=r"got a table \(.*\). Pass one column of it"):
        StemmedVectorizer().fit(frame)


def test_a_bag_of_numbers_is_refused():
    with pytest.raises(TypeError, match="document 0 is a int; expected bytes or str"):
        StemmedVectorizer().fit(as_bag([1, 2], 1))


def test_rows_fit_an_estimator():
    from lopsided import RocSVM

    texts, topics = make_topics(200, 4, random_state=0)
    y = (topics == 0).astype(int)
    y[y.nonzero()[0][::2]] = 0
    vectorizer = StemmedVectorizer()
    X = vectorizer.fit_transform(as_bag(texts))
    X.compute_chunk_sizes()
    expected = RocSVM(max_iter=1).fit(vectorizer.transform(texts), y).coef_
    np.testing.assert_allclose(RocSVM(max_iter=1).fit(X, y).coef_, expected, atol=1e-6)
