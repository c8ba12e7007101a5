"""`read_bag` reads what `read_documents` does, a part of the files at a time."""

import gzip
import json

import pytest

from lopsided.text import _bags, read_bag, read_documents

dask = pytest.importorskip("dask")
pytest.importorskip("dask.bag")

N = 25


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def lines(n=N, prefix=""):
    return "".join(json.dumps({"text": f"{prefix}text {i} é", "name": f"n{i}"}) + "\n" for i in range(n))


def assert_same(bag, expected):
    found = bag.compute()
    assert [document.text for document in found] == list(expected)
    assert [document.id for document in found] == expected.ids


@pytest.mark.parametrize("options", [{}, {"id": "name"}])
@pytest.mark.parametrize("ending", ["\n", "", "\n\n{}\nnot JSON\n"])
def test_jsonl_is_divided_at_ends_of_lines(tmp_path, monkeypatch, ending, options):
    file = tmp_path / "all.jsonl"
    file.write_text(lines()[:-1] + ending)
    monkeypatch.setattr(_bags, "_BYTES", 100)
    bag = read_bag(file, **options)
    assert bag.npartitions > 5
    assert_same(bag, read_documents(file, **options))


def test_a_piece_that_ends_with_a_line_loses_none(tmp_path, monkeypatch):
    file = tmp_path / "all.jsonl"
    file.write_text(lines())
    for size in range(20, 60):
        monkeypatch.setattr(_bags, "_BYTES", size)
        assert_same(read_bag(file), read_documents(file))


def test_parquet_is_divided_between_groups_of_rows(tmp_path, monkeypatch):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "all.parquet"
    parquet.write_table(arrow.table({"text": [f"text {i}" for i in range(N)]}), file, row_group_size=4)
    monkeypatch.setattr(_bags, "_ROWS", 7)
    bag = read_bag(file)
    assert bag.npartitions == 4
    assert_same(bag, read_documents(file))


def test_a_folder_of_files(tmp_path, monkeypatch):
    monkeypatch.setattr(_bags, "_FILES", 4)
    for i in range(10):
        file = tmp_path / f"sub{i % 3}" / (f"{i}.txt" if i % 2 else f"{i:04}")
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"text {i}")
    bag = read_bag(tmp_path)
    assert bag.npartitions == 3
    assert_same(bag, read_documents(tmp_path))


def test_files_of_many_documents_in_folders(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "a.jsonl").write_text(lines(2))
    (tmp_path / "b" / "a.jsonl.gz").write_bytes(gzip.compress(lines(2, "b").encode()))
    (tmp_path / "c").write_text("a text")
    found = read_bag(tmp_path).compute()
    assert [document.id for document in found] == [
        "a.jsonl:1", "a.jsonl:2", "b/a.jsonl.gz:1", "b/a.jsonl.gz:2", "c"
    ]  # fmt: skip
    assert_same(read_bag([tmp_path / "a.jsonl"]), read_documents(tmp_path / "a.jsonl"))


def test_mail(tmp_path):
    mail = b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\nbody\n\n"
    (tmp_path / "all.mbox").write_bytes(2 * mail)
    for how in ("bytes", "text"):
        assert_same(
            read_bag(tmp_path / "all.mbox", mail=how), read_documents(tmp_path / "all.mbox", mail=how)
        )


def test_what_is_wrong_is_one_line(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        read_bag(tmp_path / "missing")
    with pytest.raises(ValueError, match="read_bag found no files"):
        read_bag(tmp_path)
    (tmp_path / "a.jsonl").write_text(lines(1))
    with pytest.raises(ValueError, match="'body'"):
        read_bag(tmp_path / "a.jsonl", text="body").compute()
