"""Invented corpora in the format of the distributions; the real ones only where they are at hand."""

import pytest

from lopsided.datasets import DataUnavailable, fetch_trec05p, fetch_trec06p, verify
from lopsided.datasets._registry import get
from lopsided.papers.sculley_2007.data import PUBLISHED_SIZES

MAIL = {
    "000/002": ("spam", b"Subject: x\r\n\r\nbuy \xff\r\n"),
    "000/000": ("ham", b"Subject: y\n\nhello\n"),
    "001/000": ("ham", b"Subject: z\n\n" + b"word " * 2000),
}
CORPORA = {"trec05p-1": fetch_trec05p, "trec06p": fetch_trec06p}


@pytest.fixture(params=CORPORA)
def corpus(request, empty_machine, any_counts):
    root = empty_machine / request.param
    (root / "full").mkdir(parents=True)
    (root / "full" / "index").write_text("".join(f"{MAIL[k][0]} ../data/{k}\n" for k in MAIL))
    for name, (_, raw) in MAIL.items():
        path = root / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    return root, CORPORA[request.param]


def test_messages_come_in_the_order_of_the_index(corpus):
    _, fetch = corpus
    bunch = fetch()
    assert bunch.target.tolist() == [0, 1, 1]
    assert bunch.target_names == ["spam", "ham"]
    assert bunch.n_bytes.tolist() == [len(raw) for _, raw in MAIL.values()]
    assert bunch.data[0] == b"Subject: x\n\nbuy \xff\n"
    assert bunch.data[2] == MAIL["001/000"][1][:3000]
    assert bunch.split is None


@pytest.mark.parametrize("line", ["junk ../data/000/000", "ham", "ham ../data/000/000 again", ""])
def test_a_line_that_is_not_well_formed_is_named(corpus, line):
    root, fetch = corpus
    (root / "full" / "index").write_text(f"ham ../data/000/000\n{line}\nspam ../data/000/002\n")
    with pytest.raises(DataUnavailable, match=r"index could not be read \(line 2: expected 'ham' or 'spam'"):
        fetch()


def test_missing_message_is_named(corpus):
    root, fetch = corpus
    (root / "data" / "001" / "000").unlink()
    with pytest.raises(DataUnavailable, match="001/000"):
        fetch()


@pytest.mark.parametrize("name", CORPORA)
def test_never_downloaded(empty_machine, name):
    with pytest.raises(DataUnavailable, match=rf"never downloaded.*agreement.*{name}/full/index"):
        CORPORA[name]()


def test_facts(corpus):
    root, _ = corpus
    report = verify(root.name)
    assert {fact.name: fact.found for fact in report.facts} == {"messages": 3, "percent of ham": 67}
    assert not report.agrees


@pytest.mark.parametrize("name", CORPORA)
def test_only_what_the_paper_prints_is_asked_of_a_corpus(name):
    """The counts of ham have no source; its share, rounded, has one."""
    n, rate = (PUBLISHED_SIZES.value(metric, stream=name) for metric in ("n", "positive_rate"))
    assert get(name).copies[0].published == {"messages": n, "percent of ham": round(100 * rate)}


@pytest.mark.parametrize("name", CORPORA)
def test_real_stream(need, name):
    need(name)
    bunch = CORPORA[name]()
    assert len(bunch.data) == PUBLISHED_SIZES.value("n", stream=name)
    assert round(bunch.target.mean(), 2) == PUBLISHED_SIZES.value("positive_rate", stream=name)
