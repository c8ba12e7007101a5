"""Vectors are those of the formula, whether records come at once or in parts."""

import math
from itertools import pairwise

import numpy as np
import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from snowballstemmer.porter_stemmer import PorterStemmer

from lopsided.screening._evidence import evidence_of, strongest_terms
from lopsided.screening._features import Features
from lopsided.text import Record

RECORDS = [
    Record("1", "Ships at sea", "A ship sails. The rough sea, and ships sink.", {"Keywords": "Ships; Sea"}),
    Record("2", "Wheat", "Wheat grows in fields near the sea."),
    Record("3", "", "Corn and wheat and wheat", {"MeSH": "Corn", "year": "1987 ship"}),
    Record("4", "Sinking ships", "The rough sea"),
    "a plain text about wheat and ships",
]
PARTS = {"all": 1.0, "keywords": 0.7, "pairs": 0.5}


def stems(text):
    """Return the stems of a text, by a loop over its words."""
    stem = PorterStemmer().stemWord
    words = "".join(c if c.isalpha() else " " for c in text.lower()).split()
    return [stem(word) for word in words if len(word) > 1 and word not in ENGLISH_STOP_WORDS]


def parts(record):
    if isinstance(record, str):
        return {"all": stems(record), "keywords": [], "pairs": pairs(stems(record))}
    words = " ".join(v for k, v in record.fields.items() if k.lower() in ("keywords", "mesh"))
    whole = f"{record.title} {record.text} {words}"
    title, text = stems(record.title), stems(record.text)
    return {
        "all": stems(whole),
        "keywords": stems(words),
        "pairs": [*pairs(title), *pairs(text)],
    }


def pairs(words):
    return [f"{a} {b}" for a, b in pairwise(words)]


def slow_vectors(records):
    """Return for each record a dictionary of (part, stem) to weight."""
    n = len(records)
    read = [parts(record) for record in records]
    vectors = []
    for record in read:
        vector = {}
        for part, weight in PARTS.items():
            values = {}
            for stem in set(record[part]):
                df = sum(stem in other[part] for other in read)
                if df > 1:
                    values[stem] = (1 + math.log(record[part].count(stem))) * (
                        1 + math.log((1 + n) / (1 + df))
                    )
            length = math.sqrt(sum(v * v for v in values.values())) or 1
            vector |= {(part, stem): weight * value / length for stem, value in values.items()}
        filled = [p for p in PARTS if (any(k[0] == p for k in vector) if p == "pairs" else record[p])]
        length = math.sqrt(sum(PARTS[part] ** 2 for part in filled)) or 1
        vectors.append({key: value / length for key, value in vector.items()})
    return vectors


def as_dictionaries(features):
    stems = [PorterStemmer().stemWord(name) for name in features.names()]
    matrix = features.vectors.rows(np.arange(features.n_rows)).tocsr()
    columns = [(part, stem) for part in ("all", "keywords") for stem in stems]
    columns += [("pairs", f"{stems[a]} {stems[b]}") for a, b in features.vectors.pairs]
    found = []
    for i in range(matrix.shape[0]):
        row = matrix[i]
        found.append({columns[j]: v for j, v in zip(row.indices, row.data, strict=True) if v})
    return found


def test_vectors_are_those_of_the_formula():
    features = Features()
    features.add(RECORDS)
    for found, expected in zip(as_dictionaries(features), slow_vectors(RECORDS), strict=True):
        assert found == pytest.approx(expected, abs=1e-6)


def test_records_in_parts_are_as_all_at_once():
    whole, pieces = Features(), Features()
    whole.add(RECORDS)
    for record in RECORDS:
        pieces.add([record])
    for a, b in zip(whole.vectors.parts, pieces.vectors.parts, strict=True):
        np.testing.assert_array_equal(a.toarray(), b.toarray())
    assert whole.names().tolist() == pieces.names().tolist()


def test_vectors_that_were_handed_out_do_not_change():
    features = Features()
    features.add(RECORDS[:3])
    before = features.vectors
    kept = [part.toarray() for part in before.parts]
    features.add(RECORDS[3:])
    for part, copy in zip(before.parts, kept, strict=True):
        np.testing.assert_array_equal(part.toarray(), copy)


def test_the_product_is_that_of_the_matrix():
    features = Features()
    features.add(RECORDS)
    weights = np.random.default_rng(0).normal(size=features.vectors.n_columns)
    rows = features.vectors.rows(np.arange(len(RECORDS)))
    np.testing.assert_allclose(features.vectors.project(weights), rows @ weights, rtol=1e-4, atol=1e-6)


def test_evidence_adds_up_to_the_score():
    features = Features()
    features.add(RECORDS)
    weights = np.random.default_rng(0).normal(size=features.vectors.n_columns).astype(np.float32)
    names = features.names()
    stems = ("all", "keywords")
    columns = [(name,) for _ in stems for name in names]
    columns += [(names[a], names[b]) for a, b in features.vectors.pairs]
    for i in range(len(RECORDS)):
        evidence = evidence_of(features.vectors, i, weights, names, 1000)
        total = sum(term.weight for term in (*evidence.wanted, *evidence.unwanted))
        assert total == pytest.approx(features.vectors.project(weights)[i], abs=1e-5)
        slow = dict.fromkeys(names, 0.0)
        row = features.vectors.rows([i])
        for j, value in zip(row.indices, row.data, strict=True):
            for name in columns[j]:
                slow[name] += value * weights[j] / len(columns[j])
        assert {t.word: t.weight for t in evidence.wanted} == pytest.approx(
            {word: w for word, w in slow.items() if w > 0}, abs=1e-5
        )
        assert all(term.weight < 0 for term in evidence.unwanted)
        assert [t.weight for t in evidence.wanted] == sorted(
            (t.weight for t in evidence.wanted), reverse=True
        )


def test_terms_are_the_words_with_the_largest_sums():
    features = Features()
    features.add(["ship sea", "ship sea"])
    weights = np.array([1.0, -1.0, 0.5, -3.0, 0.2])  # the last is the pair's
    terms = strongest_terms(features.vectors, weights, features.names(), 5)
    assert [(term.word, pytest.approx(term.weight)) for term in terms] == [("ship", 1.6)]


def test_a_stem_is_shown_as_its_most_frequent_word():
    features = Features()
    features.add(["connection connected", "connected", "connects"])
    assert features.names().tolist() == ["connected"]


def test_pairs_are_left_out_where_there_are_too_many_records(monkeypatch):
    monkeypatch.setattr("lopsided.screening._features._MOST_PAIRED", 2)
    whole, pieces = Features(), Features()
    whole.add(["ship sea"] * 3)
    pieces.add(["ship sea"] * 2)
    assert pieces.vectors.parts[2].nnz == 2
    pieces.add(["ship sea"])
    for features in (whole, pieces):
        assert features.vectors.parts[2].shape == (3, 0)
        assert len(features.vectors.pairs) == 0
        features.vectors.project(np.ones(features.vectors.n_columns))


def test_more_than_255_times():
    features = Features()
    features.add(["ship " * 300 + "sea", "ship sea"])
    assert np.isfinite(features.vectors.parts[0].data).all()
