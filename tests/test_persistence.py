import contextlib
import pickle
import zipfile

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

import lopsided
from lopsided import AdaBoostStumps, ByteGramVectorizer, StemmedVectorizer, load, save

TEXTS = ["cheap pills", "meeting at noon", "cheap meeting", "pills at noon"]


@pytest.mark.parametrize(
    "vectorizer", [ByteGramVectorizer(), ByteGramVectorizer(n_features=None), StemmedVectorizer()]
)
def test_what_was_saved_predicts_the_same(tmp_path, vectorizer):
    model = make_pipeline(vectorizer, LogisticRegression()).fit(TEXTS, [1, 0, 1, 0])
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.decision_function(TEXTS), model.decision_function(TEXTS))


def test_every_public_estimator_is_trusted(tmp_path):
    for name, estimator in lopsided.utils.all_estimators():
        model = estimator(LinearSVC()) if name == "OpenSetClassifier" else estimator()
        save(model, tmp_path / name)
        assert type(load(tmp_path / name)) is estimator


def test_a_pickle_is_refused_and_not_run(tmp_path):
    ran = tmp_path / "ran"

    class Bomb:
        def __reduce__(self):
            return (open, (str(ran), "w"))

    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ValueError, match=r"not a whole model written by lopsided\.save"):
        load(path)
    assert not ran.exists()


def test_trees_are_not_saved_and_it_says_why(tmp_path):
    from sklearn.tree import DecisionTreeClassifier

    model = AdaBoostStumps(weak_learner=DecisionTreeClassifier(max_depth=2), n_rounds=2)
    model.fit([[0, 1], [1, 0], [1, 1], [0, 0]], [1, 1, 0, 0])
    with pytest.raises(ValueError, match=r"sklearn\.tree\._tree\.Tree.*Use a model without trees"):
        save(model, tmp_path / "model.skops")
    assert not list(tmp_path.iterdir())


def test_foreign_types_are_refused_on_both_sides(tmp_path):
    import skops.io

    def shout(X):
        return X

    with pytest.raises(ValueError, match=r"cannot save.*shout"):
        save(FunctionTransformer(shout), tmp_path / "model.skops")
    assert not (tmp_path / "model.skops").exists()
    skops.io.dump(FunctionTransformer(np.save), tmp_path / "strange.skops")
    with pytest.raises(ValueError, match=r"does not know.*numpy"):
        load(tmp_path / "strange.skops")


def test_a_truncated_file_is_one_clear_error(tmp_path):
    save(ByteGramVectorizer(), tmp_path / "model.skops")
    whole = (tmp_path / "model.skops").read_bytes()
    (tmp_path / "half").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="not a whole model"):
        load(tmp_path / "half")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with pytest.raises(ValueError, match="not a whole model"):
        load(tmp_path / "empty.zip")
    (tmp_path / "nothing").write_bytes(b"")
    with pytest.raises(ValueError, match="is empty"):
        load(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")


def test_a_flipped_bit_is_one_clear_error_or_harmless(tmp_path):
    path = tmp_path / "model.skops"
    save(ByteGramVectorizer(n_features=None).fit([b"some bytes to keep"]), path)
    whole = bytearray(path.read_bytes())
    for position in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[position] ^= 0x10
        path.write_bytes(damaged)
        with contextlib.suppress(ValueError):  # any other error is a failure
            load(path).transform([b"some bytes to keep"])


def test_a_file_cannot_bring_its_own_lookup_table(tmp_path):
    vectorizer = ByteGramVectorizer(n_features=None).fit([b"hello world"])
    assert "_table" not in vectorizer.__getstate__()
    vectorizer.keys_ = np.full(5, 7, dtype=np.uint64)  # one gram five times
    vectorizer.gram_length_ = 4
    save(vectorizer, tmp_path / "model.skops")
    X = load(tmp_path / "model.skops").transform([b"hello world", b"\x07\0\0\0"])
    assert X.shape == (2, 5)
    assert X.indices.tolist() == [0]
    vectorizer.gram_length_ = 100
    with pytest.raises(ValueError, match=r"cannot save.*gram_length_ must be a whole number from 1 to 8"):
        save(vectorizer, tmp_path / "model.skops")


def test_a_failed_save_keeps_the_old_model(tmp_path, monkeypatch):
    path = tmp_path / "model.skops"
    save(ByteGramVectorizer(n=3), path)

    def full_disk(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        save(ByteGramVectorizer(n=5), path)
    assert load(path).n == 3
    assert [p.name for p in tmp_path.iterdir()] == ["model.skops"]
