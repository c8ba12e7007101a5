"""T1: byte 4-grams of the first 3,000 bytes of 5,000 messages, one thread."""

from collections.abc import Iterator

from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from lopsided.bench._measure import Row
from lopsided.datasets import DataUnavailable, make_topics
from lopsided.problems.mail import read_mail
from lopsided.text import ByteGramVectorizer


def rows() -> Iterator[Row]:
    """Yield a row of hashed grams and one of exact grams; the peers see the same bytes as latin-1 text."""
    name, messages = _messages(5_000)
    grams = {"analyzer": "char", "ngram_range": (4, 4), "binary": True, "encoding": "latin-1"}
    work = f"4-grams of {len(messages):,} messages ({name})"
    yield Row(
        "T1 hashed",
        work,
        "HashingVectorizer",
        ours=lambda: ByteGramVectorizer().transform(messages),
        peer=lambda: HashingVectorizer(**grams).transform(messages),
        must=100,
        aim=300,
    )
    yield Row(
        "T1 exact",
        work,
        "CountVectorizer",
        ours=lambda: ByteGramVectorizer(n_features=None).fit_transform(messages),
        peer=lambda: CountVectorizer(**grams).fit_transform(messages),
        must=80,
        aim=200,
    )


def _messages(count: int) -> tuple[str, list[bytes]]:
    """Return real mail where it is at hand, cut so that the peers read no more than we do."""
    for name, corpus in (("trec07p", "trec07p"), ("SpamAssassin", "spamassassin")):
        try:
            return name, read_mail(corpus).heads[:count]
        except DataUnavailable:
            continue
    texts, _ = make_topics(n_samples=count, random_state=0)
    return "made-up text", [text.encode()[:3000] for text in texts]
