"""All data sets, in one table."""

from difflib import get_close_matches

from lopsided.datasets._citeseer import CITESEER
from lopsided.datasets._covtype import COVTYPE
from lopsided.datasets._kdd99 import KDD99
from lopsided.datasets._layout import DataSet
from lopsided.datasets._mnist import MNIST
from lopsided.datasets._newsgroups import NEWSGROUPS
from lopsided.datasets._reuters21578 import REUTERS
from lopsided.datasets._screening import SCREENING
from lopsided.datasets._small_tables import SMALL_TABLES
from lopsided.datasets._spamassassin import SPAMASSASSIN
from lopsided.datasets._trec07p import TREC07P
from lopsided.datasets._trec_originals import TREC05P, TREC06P
from lopsided.datasets._uci import UCI
from lopsided.datasets._usps import USPS
from lopsided.datasets._webkb import WEBKB

DATA_SETS: dict[str, DataSet] = {
    data_set.name: data_set
    for data_set in (
        REUTERS,
        NEWSGROUPS,
        SPAMASSASSIN,
        TREC07P,
        TREC05P,
        TREC06P,
        WEBKB,
        CITESEER,
        *UCI.values(),
        *SMALL_TABLES.values(),
        *SCREENING.values(),
        USPS,
        MNIST,
        COVTYPE,
        KDD99,
    )
}


def get(name: str) -> DataSet:
    """Return the data set of that name.

    Examples
    --------
    >>> get("mnits")
    Traceback (most recent call last):
        ...
    ValueError: no data set 'mnits'. Did you mean 'mnist'?
    """
    if name not in DATA_SETS:
        close = get_close_matches(name, DATA_SETS, n=1)
        hint = f"Did you mean '{close[0]}'?" if close else "'lopsided data list' shows them."
        raise ValueError(f"no data set '{name}'. {hint}")
    return DATA_SETS[name]
