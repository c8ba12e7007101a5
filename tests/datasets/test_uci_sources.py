"""Invented samples in the formats of the UCI archive and of OpenML."""

import numpy as np

from lopsided.datasets import _uci_sources
from lopsided.datasets._uci_sources import (
    abalone_builder,
    openml_builder,
    parse_commas,
    parse_shuttle,
    parse_spaces,
    uci_builder,
)
from reference.unix_compress import compress_z


def fake_download(contents):
    def download(url, folder):
        path = folder / url.rsplit("/", 1)[1]
        path.write_bytes(contents[url.removeprefix(_uci_sources.UCI_URL)])
        return path

    return download


def test_satimage_lines():
    assert parse_spaces("1 2 3 \n 4 5 7\n\n") == ["1,2,3", "4,5,7"]


def test_shuttle_classes_by_number():
    lines = parse_shuttle("".join(f"5 {i}\n" for i in range(1, 8)))
    names = ["Rad.Flow", "Fpv.Close", "Fpv.Open", "High", "Bypass", "Bpv.Close", "Bpv.Open"]
    assert lines == [f"5,{name}" for name in names]


def test_adult_lines():
    text = "|a comment\n99, Pirate, ?, <=50K.\n\n98, Lighthouse keeper, A-b, >50K.\n"
    assert parse_commas(text) == ["99,Pirate,?,<=50K", "98,Lighthouse keeper,A-b,>50K"]


def test_compressed_training_and_plain_test_file(monkeypatch, tmp_path):
    contents = {"s/s.trn.Z": compress_z(b"70 80 1\n90 0 4\n"), "s/s.tst": b"1 2 5\n"}
    monkeypatch.setattr(_uci_sources, "download", fake_download(contents))
    files = {"train": "s/s.trn.Z", "test": "s/s.tst"}
    (table,) = uci_builder(files, ("split", "a", "b", "class"), parse_shuttle)(tmp_path)
    assert list(table.lines()) == ["train,70,80,Rad.Flow", "train,90,0,High", "test,1,2,Bypass"]


def test_single_file_gets_no_split(monkeypatch, tmp_path):
    monkeypatch.setattr(_uci_sources, "download", fake_download({"b/b.data": b"7,1,?,2\n8,3,4,4\n"}))
    (table,) = uci_builder({"": "b/b.data"}, ("id", "p", "q", "class"), parse_commas)(tmp_path)
    assert list(table.lines()) == ["7,1,?,2", "8,3,4,4"]


def test_openml_numbers_are_written_as_in_the_original(monkeypatch, tmp_path):
    answer = (np.array([[3.0, 0.25], [9.0, 0.0]]), np.array(["Q", "K"], dtype=object))
    monkeypatch.setattr(_uci_sources, "from_openml", lambda data_id, folder: answer)
    (first,) = openml_builder(6, ("letter", "a", "b"), target_first=True)(tmp_path)
    assert list(first.lines()) == ["Q,3,0.25", "K,9,0"]
    (last,) = openml_builder(6, ("a", "b", "letter"))(tmp_path)
    assert list(last.lines()) == ["3,0.25,Q", "9,0,K"]


def test_abalone_sex_as_code_or_as_letter(monkeypatch, tmp_path):
    for X in (
        np.array([[0.0, 0.125], [2.0, 0.75]]),
        np.array([["M", 0.125], ["I", 0.75]], dtype=object),
    ):
        answer = (X, np.array(["21", "3"], dtype=object))
        monkeypatch.setattr(_uci_sources, "from_openml", lambda data_id, folder, answer=answer: answer)
        (table,) = abalone_builder(("sex", "length", "rings"))(tmp_path)
        assert list(table.lines()) == ["M,0.125,21", "I,0.75,3"]
