import io
import tarfile

import pytest

from lopsided.datasets import DataUnavailable, _spamassassin, fetch_spamassassin
from lopsided.datasets._layout import encode_file
from lopsided.datasets._spamassassin import parse_archive

HAM = b"From: a@example.org\r\nSubject: lunch\r\n\r\nAt noon? \xe9\r\n"
FILES = {
    "spam_2/cmds": b"mv a b",
    "spam_2/00001.0123456789abcdef0123456789abcdef": b"Subject: WIN\n\nnow",
    "spam_2/00529.0a1b2c": b"Subject: hello, it is me\n\nfiled by mistake",
    "spam_2/00530.aa": b"x" * 30_000,
}


def test_parse_archive(make_tar):
    raw = make_tar(FILES, "w:bz2")
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        records = parse_archive(archive)
    assert [r["id"] for r in records] == [
        "spam_2/00001.0123456789abcdef0123456789abcdef",
        "spam_2/00530.aa",
    ]
    assert {r["label"] for r in records} == {"spam"}
    assert records[0]["raw"] == "Subject: WIN\n\nnow"
    assert len(records[1]["raw"]) == 20_000


def test_only_spam_2_has_a_misfiled_message(make_tar):
    raw = make_tar({"easy_ham_2/00529.5": HAM, "hard_ham/00001.6": HAM}, "w:bz2")
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        records = parse_archive(archive)
    assert [(r["folder"], r["label"]) for r in records] == [("easy_ham_2", "ham"), ("hard_ham", "ham")]
    assert records[0]["raw"] == "From: a@example.org\nSubject: lunch\n\nAt noon? é\n"


def test_order_is_by_file_name_and_not_by_folder(empty_machine, any_counts):
    ids = ["easy_ham/00001.9", "easy_ham/00003.1", "spam/00001.1", "spam/00002.5"]
    records = [
        {"id": i, "folder": i.split("/")[0], "label": "ham" if "ham" in i else "spam", "raw": f"é{i}"}
        for i in ids
    ]
    path = empty_machine / "spamassassin" / "spamassassin.jsonl.xz"
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_file(path, records))
    bunch = fetch_spamassassin()
    assert bunch.ids == ["spam/00001.1", "easy_ham/00001.9", "spam/00002.5", "easy_ham/00003.1"]
    assert bunch.target.tolist() == [0, 1, 0, 1]  # 1 = ham
    assert bunch.target_names == ["spam", "ham"]
    assert bunch.data[0] == b"\xe9spam/00001.1"
    assert bunch.folders[1] == "easy_ham"


def test_id_without_a_folder_is_a_file_name(empty_machine, any_counts):
    ids = ["00002.b", "spam/00001.a"]
    path = empty_machine / "spamassassin" / "spamassassin.jsonl.xz"
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_file(path, [{"id": i, "folder": "spam", "label": "spam", "raw": i} for i in ids]))
    assert fetch_spamassassin().ids == ids[::-1]


@pytest.mark.parametrize("wrong", [{"id": 3}, {"raw": "\N{EURO SIGN}"}, {"raw": None}])
def test_record_of_another_kind_names_the_file(empty_machine, any_counts, wrong):
    path = empty_machine / "spamassassin" / "spamassassin.jsonl.xz"
    path.parent.mkdir(parents=True)
    record = {"id": "spam/1", "folder": "spam", "label": "spam", "raw": "x"} | wrong
    path.write_bytes(encode_file(path, [record]))
    with pytest.raises(DataUnavailable, match=r"spamassassin\.jsonl\.xz could not be read"):
        fetch_spamassassin()


def test_all_five_archives_are_asked_for(empty_machine, monkeypatch, make_tar):
    asked = []

    def download(url, folder):
        asked.append(url)
        path = folder / "x.tar.bz2"
        path.write_bytes(make_tar(FILES, "w:bz2"))
        return path

    monkeypatch.setattr(_spamassassin, "download", download)
    with pytest.raises(DataUnavailable, match=r"messages: expected 6,046, found 10"):
        fetch_spamassassin()
    assert len(set(asked)) == 5


def test_real_mail(need):
    need("spamassassin")
    bunch = fetch_spamassassin()
    assert len(bunch.data) == 6046
    assert bunch.target.sum() == 4150
    assert all(isinstance(raw, bytes) for raw in bunch.data)
    first = bunch.target[:1000].mean()  # ham and spam come mixed from the start
    assert 0.3 < first < 0.9
