"""Corpora of mail: raw messages in the order of arrival."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.datasets import fetch_spamassassin, fetch_trec05p, fetch_trec06p, fetch_trec07p
from lopsided.mail._message import HEAD

CORPORA = {
    "trec05p-1": fetch_trec05p,
    "trec06p": fetch_trec06p,
    "trec07p": fetch_trec07p,
    "spamassassin": fetch_spamassassin,
}


class Mail(NamedTuple):
    """Raw messages in the order of arrival."""

    messages: list[bytes]
    y: NDArray[np.intp]
    """1 for ham and 0 for spam."""
    partial: NDArray[Any] | None = None
    """1 where TREC's task "partial" gives feedback; None where the corpus has no such task."""
    folders: NDArray[Any] | None = None
    """The folder of each message; None where the corpus has none."""

    @property
    def heads(self) -> list[bytes]:
        """The bytes of each message that our filter reads."""
        return [message[:HEAD] for message in self.messages]


def read_mail(corpus: str) -> Mail:
    """Return a corpus of ``CORPORA``."""
    mail = CORPORA[corpus]()
    return Mail(mail.data, mail.target, mail.get("partial"), mail.get("folders"))
