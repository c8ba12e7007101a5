import pytest

from lopsided.reproduce._store import Store


def test_results_outlive_the_process(tmp_path):
    path = tmp_path / "results.jsonl"
    store = Store(path)
    assert len(store) == 0
    store.enter("a", {"f1": 0.1 + 0.2})
    store.enter("b", [1, None, "x"])
    again = Store(path)
    assert dict(again) == dict(store) == {"a": {"f1": 0.1 + 0.2}, "b": [1, None, "x"]}  # to the last digit


def test_a_line_cut_short_is_left_out_and_written_again(tmp_path):
    path = tmp_path / "results.jsonl"
    Store(path).enter("a", 1)
    with path.open("a") as file:
        file.write('["b", 2')
    store = Store(path)
    assert dict(store) == {"a": 1}
    assert path.read_text().endswith('["b", 2')  # whoever reads only leaves it to whoever writes
    store.enter("b", 3)
    assert dict(Store(path)) == {"a": 1, "b": 3}


def test_another_file_is_not_taken_for_results(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text('["a", 1]\nhello\n["b", 2]\n')
    with pytest.raises(ValueError, match=r"line 2 of .*notes.txt is not .*another file"):
        Store(path)
    assert "hello" in path.read_text()


def test_without_a_file():
    store = Store()
    store.enter("a", 1)
    assert "a" in store
    assert "b" not in store
    with pytest.raises(KeyError):
        store["b"]
