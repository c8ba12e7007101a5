"""Messages of 20 Newsgroups."""

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.datasets import fetch_newsgroups
from lopsided.problems._records import Texts


class Messages(NamedTuple):
    """Messages, the older of which are the training set."""

    texts: list[str]
    groups: NDArray[Any]
    """The name of the group of each message."""
    is_train: NDArray[np.bool_]
    """Whether a message is in the training set."""
    origin: str
    """Where the messages are from, in sentences."""


def read_messages() -> Messages:
    """Return all messages of the version sorted by date, without their headers."""
    bunch = fetch_newsgroups()
    origin = f"Text from: {bunch.provenance['where']}. {bunch.provenance['differs']}".strip()
    groups = np.array(bunch.target_names)[bunch.target]
    return Messages(bunch.data, groups, bunch.split == "train", origin)


def read_subjects_and_bodies(*, headers: bool = False) -> Texts:
    """Return all messages of the original collection: the subject line, or all headers, and what is below."""
    bunch = fetch_newsgroups(version="original", remove=())
    texts = bunch.data if headers else [_subject_and_body(message) for message in bunch.data]
    return Texts(texts, bunch.target, bunch.target_names)


def _subject_and_body(message: str) -> str:
    head, _, body = message.partition("\n\n")
    subject = re.search(r"^subject:(.*)$", head, re.IGNORECASE | re.MULTILINE)
    return f"{subject[1] if subject else ''}\n{body}"
