"""The search of an archive gives what `find_more` gives in memory."""

import json
import logging
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lopsided import find_more, make_topics
from lopsided.pu import _archives, _find_archive
from lopsided.pu._archives import FileArchive
from lopsided.pu._find_archive import find_in_archive
from lopsided.text import read_documents
from lopsided.text._bags import list_parts

TEXTS, TOPICS = make_topics(400, 8, random_state=2)
WANTED = [text for text, topic in zip(TEXTS, TOPICS, strict=True) if topic == 0]
OTHERS = [text for text, topic in zip(TEXTS, TOPICS, strict=True) if topic != 0]
POSITIVES = [*WANTED[:12], f" {WANTED[0]}  "]
HEAP = [*WANTED[12:], "", WANTED[3].replace(" ", "  "), "xyzzy", *OTHERS]
ASKED = {"text": None, "id": None, "label": None, "mail": "text", "max_bytes": 10**7}


@pytest.fixture
def heap(tmp_path):
    file = tmp_path / "heap.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in HEAP))
    return file


def archive_of(path):
    return FileArchive(list(list_parts(path, None, 10**7)), ASKED)


def assert_same(found, expected):
    assert found.summary() == expected.summary()
    assert found.left_out() == expected.left_out()
    assert found.ranking() == expected.ranking()
    for name in ("n_positives", "n_unlabeled", "n_known", "n_wordless", "n_found"):
        assert getattr(found, name) == getattr(expected, name)
    assert_allclose(found.scores, expected.scores, atol=1e-6)
    apart = np.abs(np.diff(expected.scores)) > 1e-5
    firm = np.append(True, apart) & np.append(apart, True)  # ties may come in another order
    assert firm.mean() > 0.8
    rows = [record.row for record in found.records], [record.row for record in expected.records]
    assert_array_equal(np.array(rows[0])[firm], np.array(rows[1])[firm])
    for one, other, same in zip(found.records, expected.records, firm, strict=True):
        if same:
            assert (one.id, one.words, one.snippet) == (other.id, other.words, other.snippet)


@pytest.mark.parametrize("n_positives", [3, len(POSITIVES)])
@pytest.mark.parametrize("batch", [7, 4096])
def test_an_archive_of_files_gives_what_memory_gives(heap, monkeypatch, batch, n_positives):
    monkeypatch.setattr(_archives, "_BATCH", batch)
    expected = find_more(POSITIVES[:n_positives], read_documents(heap))
    assert_same(find_in_archive(POSITIVES[:n_positives], archive_of(heap)), expected)


def test_a_folder_of_files_and_a_divided_file(tmp_path, heap, monkeypatch):
    from lopsided.text import _bags

    monkeypatch.setattr(_bags, "_BYTES", 5000)
    archive = archive_of(heap)
    expected = find_more(POSITIVES, read_documents(heap))
    assert_same(find_in_archive(POSITIVES, archive), expected)
    assert len(archive.edges) > 5


def test_a_dask_bag_gives_what_memory_gives(heap):
    dask = pytest.importorskip("dask")
    bags = pytest.importorskip("dask.bag")
    from lopsided.text import read_bag

    with dask.config.set(scheduler="synchronous"):
        expected = find_more(POSITIVES, HEAP)
        assert_same(find_more(POSITIVES, bags.from_sequence(HEAP, npartitions=7)), expected)
        assert_same(find_more(POSITIVES, read_bag(heap)), find_more(POSITIVES, read_documents(heap)))
        with pytest.raises(TypeError, match="holds a int at place 0"):
            find_more(POSITIVES, bags.from_sequence([1, 2]))
        with pytest.raises(ValueError, match="ids cannot name"):
            find_more(POSITIVES, bags.from_sequence(HEAP), ids=["a"])


def test_parts_are_told_and_counts_go_with_the_report(heap, monkeypatch):
    made = []
    original = _find_archive.mkdtemp
    monkeypatch.setattr(_find_archive, "mkdtemp", lambda **how: made.append(original(**how)) or made[-1])
    told = []
    report = find_in_archive(POSITIVES, archive_of(heap), lambda done, n: told.append((done, n)))
    assert told == [(0, 1), (1, 1)]
    assert report.first(3)[0].words
    folder = Path(made.pop())
    assert len(list(folder.iterdir())) == 2
    del report
    assert not folder.exists()


def test_an_archive_that_has_changed(heap):
    report = find_in_archive(POSITIVES, archive_of(heap))
    heap.write_text(json.dumps({"text": "a ship"}) + "\n")
    with pytest.raises(OSError, match="the archive has changed since it was read"):
        report.first(5)


def test_models_learn_from_a_sample(heap, monkeypatch):
    monkeypatch.setattr(_find_archive, "MOST_UNLABELED", 150)
    report = find_in_archive(POSITIVES, archive_of(heap))
    assert len(report) == len(find_more(POSITIVES, HEAP))
    n_hidden = len(WANTED) - 12
    assert np.mean([record.row < n_hidden for record in report.first(n_hidden)]) > 0.8


@pytest.mark.parametrize(
    ("positives", "heap", "message"),
    [
        (POSITIVES[:1], HEAP, "two positives that differ are needed"),
        (POSITIVES, POSITIVES, "nothing is left to search: all 13 unlabeled"),
        (POSITIVES, [HEAP[0]], "two unlabeled texts at least are needed"),
        (["xyzzy", "plugh"], ["one", "two", "three"], "the 5 texts have too few words in common"),
    ],
)
def test_bad_input_says_the_same(tmp_path, positives, heap, message):
    file = tmp_path / "heap.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in heap))
    for find in (
        lambda: find_in_archive(positives, archive_of(file)),
        lambda: find_more(positives, read_documents(file)),
    ):
        with pytest.raises(ValueError, match=message):
            find()


def die_once(marker, text):
    """Kill the worker that comes here first."""
    if text == HEAP[50] and not marker.exists():
        marker.touch()
        os._exit(1)
    return text


def die(text):
    os._exit(1)


def test_a_worker_that_dies_is_survived(tmp_path):
    distributed = pytest.importorskip("distributed")
    bags = pytest.importorskip("dask.bag")
    marker = tmp_path / "died"
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster),
    ):
        bag = bags.from_sequence(HEAP, npartitions=7)
        report = find_more(POSITIVES, bag.map(partial(die_once, marker)))
        assert marker.exists()
        assert_same(report, find_more(POSITIVES, HEAP))
        with pytest.raises(OSError, match="was lost with every worker that took it"):
            find_more(POSITIVES, bag.map(die))
