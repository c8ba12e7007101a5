"""Data sets: real ones, looked for at hand before they are fetched, and made ones with known truth."""

from lopsided.datasets._cache import DataUnavailable
from lopsided.datasets._citeseer import fetch_citeseer
from lopsided.datasets._covtype import fetch_covtype
from lopsided.datasets._generators import make_lopsided, make_topics, make_waveform
from lopsided.datasets._islands import make_islands
from lopsided.datasets._kdd99 import fetch_kdd99
from lopsided.datasets._mnist import fetch_mnist
from lopsided.datasets._newsgroups import fetch_newsgroups
from lopsided.datasets._one_sided import make_one_sided
from lopsided.datasets._reuters21578 import fetch_reuters21578
from lopsided.datasets._spamassassin import fetch_spamassassin
from lopsided.datasets._trec07p import fetch_trec07p
from lopsided.datasets._trec_originals import fetch_trec05p, fetch_trec06p
from lopsided.datasets._uci import fetch_uci
from lopsided.datasets._usps import fetch_usps
from lopsided.datasets._verify import verify
from lopsided.datasets._webkb import fetch_webkb

__all__ = [
    "DataUnavailable",
    "fetch_citeseer",
    "fetch_covtype",
    "fetch_kdd99",
    "fetch_mnist",
    "fetch_newsgroups",
    "fetch_reuters21578",
    "fetch_spamassassin",
    "fetch_trec05p",
    "fetch_trec06p",
    "fetch_trec07p",
    "fetch_uci",
    "fetch_usps",
    "fetch_webkb",
    "make_islands",
    "make_lopsided",
    "make_one_sided",
    "make_topics",
    "make_waveform",
    "verify",
]
