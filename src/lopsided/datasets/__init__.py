"""Data sets: real ones, looked for at hand before they are fetched, and made ones with known truth.

Names are loaded on first use: a process that runs units needs `DataUnavailable` from here, and nothing else.
"""

from typing import TYPE_CHECKING

from lopsided._lazy import load_on_first_use

if TYPE_CHECKING:
    from lopsided.datasets._cache import DataUnavailable as DataUnavailable
    from lopsided.datasets._citeseer import fetch_citeseer as fetch_citeseer
    from lopsided.datasets._covtype import fetch_covtype as fetch_covtype
    from lopsided.datasets._generators import make_lopsided as make_lopsided
    from lopsided.datasets._generators import make_topics as make_topics
    from lopsided.datasets._generators import make_waveform as make_waveform
    from lopsided.datasets._islands import make_islands as make_islands
    from lopsided.datasets._kdd99 import fetch_kdd99 as fetch_kdd99
    from lopsided.datasets._mnist import fetch_mnist as fetch_mnist
    from lopsided.datasets._newsgroups import fetch_newsgroups as fetch_newsgroups
    from lopsided.datasets._one_sided import make_one_sided as make_one_sided
    from lopsided.datasets._reuters21578 import fetch_reuters21578 as fetch_reuters21578
    from lopsided.datasets._screening import fetch_screening as fetch_screening
    from lopsided.datasets._small_tables import fetch_table as fetch_table
    from lopsided.datasets._spamassassin import fetch_spamassassin as fetch_spamassassin
    from lopsided.datasets._trec07p import fetch_trec07p as fetch_trec07p
    from lopsided.datasets._trec_originals import fetch_trec05p as fetch_trec05p
    from lopsided.datasets._trec_originals import fetch_trec06p as fetch_trec06p
    from lopsided.datasets._uci import fetch_uci as fetch_uci
    from lopsided.datasets._usps import fetch_usps as fetch_usps
    from lopsided.datasets._verify import verify as verify
    from lopsided.datasets._webkb import fetch_webkb as fetch_webkb

_HOME = {
    "DataUnavailable": "_cache",
    "fetch_citeseer": "_citeseer",
    "fetch_covtype": "_covtype",
    "fetch_kdd99": "_kdd99",
    "fetch_mnist": "_mnist",
    "fetch_newsgroups": "_newsgroups",
    "fetch_reuters21578": "_reuters21578",
    "fetch_screening": "_screening",
    "fetch_spamassassin": "_spamassassin",
    "fetch_table": "_small_tables",
    "fetch_trec05p": "_trec_originals",
    "fetch_trec06p": "_trec_originals",
    "fetch_trec07p": "_trec07p",
    "fetch_uci": "_uci",
    "fetch_usps": "_usps",
    "fetch_webkb": "_webkb",
    "make_islands": "_islands",
    "make_lopsided": "_generators",
    "make_one_sided": "_one_sided",
    "make_topics": "_generators",
    "make_waveform": "_generators",
    "verify": "_verify",
}
__all__ = [
    "DataUnavailable",
    "fetch_citeseer",
    "fetch_covtype",
    "fetch_kdd99",
    "fetch_mnist",
    "fetch_newsgroups",
    "fetch_reuters21578",
    "fetch_screening",
    "fetch_spamassassin",
    "fetch_table",
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
__getattr__ = load_on_first_use(__name__, _HOME)
